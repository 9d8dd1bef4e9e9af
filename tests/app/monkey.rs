//! Whatever is pressed in whatever sequence: nothing panics, the text stays the source of everything, the address its link.

use super::*;
use crashpoint::app::finder::Find;
use crashpoint::app::message::{Deed, MarkerKey};
use crashpoint::app::model::{MarkerKind, Overlay, Tab};
use crashpoint::app::strikes::Strikes;
use crashpoint::link;
use crashpoint::program::{Point, Side, StepName};
use crashpoint::search::FaultKind;
use proptest::prelude::*;

fn message() -> impl Strategy<Value = Message> {
    let id = prop::sample::select(vec![
        "O1",
        "O2",
        "O3",
        "O5",
        "O10",
        "O11-skip",
        "O13",
        "C01",
        "nothing",
        "faulty-line",
        "silent-bank",
    ]);
    let key = prop::sample::select(vec![
        MarkerKey::Left,
        MarkerKey::Right,
        MarkerKey::Home,
        MarkerKey::End,
        MarkerKey::PageUp,
        MarkerKey::PageDown,
        MarkerKey::Delete,
        MarkerKey::Menu,
    ]);
    let kinds: Vec<MarkerKind> = MarkerKind::ON_STEPS
        .into_iter()
        .chain([MarkerKind::Down, MarkerKind::Cut])
        .collect();
    let (marker, at) = (0..3_usize, -5..60_i32);
    let markers = prop_oneof![
        (0..6_usize, 0..8_usize).prop_map(|(lane, stop)| Message::PutMarker { lane, stop }),
        (0..6_usize, 0..8_usize).prop_map(|(lane, stop)| Message::AddMarker { lane, stop }),
        (1..60_u32).prop_map(|line| Message::Gutter { line }),
        (marker.clone(), key).prop_map(|(marker, key)| Message::Key { marker, key }),
        (marker.clone(), prop::sample::select(kinds)).prop_map(|(marker, kind)| Message::SetKind { marker, kind }),
        (
            marker.clone(),
            prop::sample::select(vec![Side::Before, Side::During, Side::After])
        )
            .prop_map(|(marker, side)| Message::SetSide { marker, side }),
        (marker.clone(), prop::option::of(0..60_000_i64))
            .prop_map(|(marker, restart)| Message::SetRestart { marker, restart }),
        marker.clone().prop_map(Message::RemoveMarker),
        prop::option::of(marker.clone()).prop_map(Message::SelectMarker),
    ];
    let drag = prop_oneof![
        marker.clone().prop_map(Message::DragStart),
        at.clone().prop_map(Message::DragTo),
        Just(Message::DragEnd),
        Just(Message::DragCancel),
    ];
    let head = prop_oneof![
        Just(Message::StepForward),
        Just(Message::StepBack),
        Just(Message::ToStart),
        Just(Message::PlayPause),
        Just(Message::Tick),
        at.prop_map(Message::Scrub),
        (0..40_u32).prop_map(Message::GoTo),
    ];
    let page = prop_oneof![
        id.clone().prop_map(|id| Message::OpenPreset(id.into())),
        id.prop_map(|id| Message::SwitchVariant(id.into())),
        Just(Message::Undo),
        Just(Message::Redo),
        Just(Message::OpenLink("1/broken".into())),
        Just(Message::EditText("scenario X".into())),
        Just(Message::EditText("not a scenario".into())),
        Just(Message::Show(Some(Overlay::Picker))),
        marker.prop_map(|marker| Message::Show(Some(Overlay::Menu(marker)))),
        prop::sample::select(vec![None, Some("rabbitmq"), Some("sqs-fifo"), Some("kafka")]).prop_map(|profile| {
            Message::SetProfile {
                broker: "rabbit".into(),
                profile: profile.map(Into::into),
            }
        }),
        Just(Message::SelectTab(Tab::Events)),
        Just(Message::SelectTab(Tab::Designs)),
        Just(Message::SetLanguage(Language::De)),
        Just(Message::Share),
        Just(Message::GoOn),
        prop::sample::select(vec![MarkerKind::LoseReply, MarkerKind::Pause])
            .prop_map(|kind| { Message::SetStrikes(Strikes { kind, ..Strikes::CRASH }) }),
        prop::sample::select(vec![
            Find::Begin,
            Find::Map,
            Find::Pause,
            Find::Cancel,
            Find::Show,
            Find::Look(1, 0),
            Find::Put(0, 2),
            Find::Kind(FaultKind::Crash, false),
        ])
        .prop_map(Message::Find),
        Just(Message::SelectTab(Tab::Finder)),
        (0..4_u32).prop_map(Message::ConfirmReplace),
    ];
    let designs = prop_oneof![
        Just(Message::SelectTab(Tab::Designs)),
        Just(Message::SelectTab(Tab::State)),
        prop::sample::select(vec!["O1", "I1", "nothing"]).prop_map(|id| Message::AddDesign(id.into())),
        (0..7_usize).prop_map(Message::RemoveDesign),
        (0..7_usize, any::<bool>()).prop_map(|(design, later)| Message::ShiftDesign { design, later }),
        (0..4_usize).prop_map(Message::CompareSet),
        (0..7_usize, prop::option::of(crash_point())).prop_map(|(design, crash)| Message::OpenDesign { design, crash }),
        (0..40_usize).prop_map(Message::GoToInstant),
        Just(Message::GoOn),
        Just(Message::CompareVariants),
        Just(Message::CopyMatrix),
    ];
    let challenge = prop_oneof![
        (0..7_usize).prop_map(Deed::Toggle),
        (0..60_u32).prop_map(Deed::Choose),
        any::<bool>().prop_map(|up| Deed::Move { up }),
        Just(Deed::ShowBroken),
        Just(Deed::RestoreQuestion),
        Just(Deed::Restart),
        Just(Deed::Claim("bank".into())),
        Just(Deed::GoOn),
    ]
    .prop_map(Message::Challenge);
    prop_oneof![1 => challenge, 4 => markers, 4 => drag, 2 => head, 2 => page, 3 => designs]
}

/// After one of the steps that some of the scenarios have.
fn crash_point() -> impl Strategy<Value = Point> {
    let step = prop::sample::select(vec![
        ("Shop", "commit"),
        ("Relay", "mark"),
        ("Claims", "ack-m"),
        ("Nobody", "nothing"),
    ]);
    (step, 1..3_u32).prop_map(|((service, step), visit)| Point {
        side: Side::After,
        step: StepName {
            service: service.into(),
            instance: 1,
            step: step.into(),
            visit,
        },
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_can_be_pressed_breaks_the_page(messages in prop::collection::vec(message(), 1..40)) {
        let mut model = open_at("");
        for message in messages {
            update(&mut model, message.clone());
            let shown = view(&model);
            prop_assert_eq!(&*shown.program.text, &*model.text);
            if !shown.verdict.outdated {
                let scenario = crashpoint::language::parse(&model.text);
                prop_assert!(scenario.is_ok(), "{:?} wrote a text that cannot be read: {}", message, model.text);
                let places = shown.timeline.markers.len() + shown.timeline.not_reached.len();
                prop_assert_eq!(places, faults(&model).len(), "a fault is shown nowhere, or twice");
            }
            if model.drag.is_none() {
                let shared = link::decode(&shown.share.fragment).expect("the page's own link");
                prop_assert_eq!(&*shared.text, &*model.text, "after {:?}", message);
            }
        }
        update(&mut model, Message::DragCancel);
        while view(&model).header.can_undo {
            update(&mut model, Message::Undo);
        }
        prop_assert_eq!(&model.text, &open_at("").text);
    }
}
