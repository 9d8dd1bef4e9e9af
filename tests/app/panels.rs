//! Lanes, findings, picker, event list: what else is shown.

use super::*;
use crashpoint::app::model::{Overlay, Tab};
use crashpoint::app::view::{ArrowKind, BarEnd, BlockClass, LaneKind, SpanKind};

#[test]
fn messages_go_from_their_sender_through_the_queue_to_their_receiver() {
    let view = view(&preset("O10"));
    let names: Vec<&str> = view.timeline.lanes.iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(names, ["Shop", "Relay", "events", "Warehouse"]);
    let ways: Vec<(ArrowKind, usize, usize)> = view
        .timeline
        .arrows
        .iter()
        .map(|arrow| (arrow.kind, arrow.from_lane, arrow.to_lane))
        .collect();
    let (publish, delivery) = ((ArrowKind::Publish, 1, 2), (ArrowKind::Delivery, 2, 3));
    assert_eq!(ways, [publish, delivery, publish, delivery]);
    let queue = lane(&view, "events").1;
    assert_eq!(queue.kind, LaneKind::Queue);
    let bars: Vec<(&str, BarEnd)> = queue.bars.iter().map(|bar| (bar.label.as_str(), bar.end)).collect();
    assert_eq!(bars, [("evt-1003", BarEnd::Done), ("evt-1003", BarEnd::Done)]);
    let duplicate = lane(&view, "Warehouse")
        .1
        .blocks
        .iter()
        .find(|block| block.class == BlockClass::Error);
    assert!(
        duplicate
            .expect("the inbox refuses the copy")
            .title
            .contains("duplicate")
    );
}

#[test]
fn a_dead_process_is_hatched_from_its_crash_to_its_restart() {
    let view = view(&open_at(""));
    let spans = &lane(&view, "Shop").1.spans;
    assert_eq!(spans.len(), 1);
    assert_eq!(
        (spans[0].kind, spans[0].from, spans[0].title.as_str()),
        (SpanKind::Down, 6, "down for 5 s")
    );
    assert_eq!(spans[0].from, marker(&view).position);
    let restart = lane(&view, "Shop").1.blocks.last().expect("the restart");
    assert_eq!(spans[0].to, restart.from);
}

#[test]
fn a_finding_names_its_subject_its_signature_and_its_story() {
    let view = view(&open_at(""));
    let finding = &view.findings.list[0];
    assert_eq!((finding.subject.as_str(), finding.kind), ("order 1001", Kind::Lost));
    assert!(finding.signature.contains("evt-1001"), "{}", finding.signature);
    assert_eq!(
        finding.conclusion,
        "Shop got no further than the commit, and nothing remembers what it still had to do."
    );
    let story: Vec<&str> = finding.why.iter().map(|line| line.text.as_str()).collect();
    assert!(story.iter().any(|line| line.contains("commit")), "{story:?}");
    assert!(story.iter().any(|line| line.contains("dies")), "{story:?}");
}

#[test]
fn the_picker_is_filled_while_it_is_open() {
    let mut model = open_at("");
    assert!(view(&model).picker.is_empty());
    update(&mut model, Message::Show(Some(Overlay::Picker)));
    let groups = view(&model).picker.clone();
    let outbox = groups
        .iter()
        .find(|group| group.title == "Outbox")
        .expect("the outbox stories");
    let open: Vec<&str> = outbox
        .presets
        .iter()
        .filter(|preset| preset.open)
        .map(|preset| &*preset.id)
        .collect();
    assert_eq!(open, ["O1"]);
    assert_eq!(
        groups.iter().map(|group| group.presets.len()).sum::<usize>(),
        crashpoint::scenarios::all().len() + crashpoint::challenges::all().len()
    );
    update(&mut model, Message::OpenPreset("O3".into()));
    assert!(view(&model).overlay.is_none());
}

#[test]
fn the_event_list_is_filled_while_it_is_chosen() {
    let mut model = open_at("");
    assert!(view(&model).events.is_empty());
    update(&mut model, Message::SelectTab(Tab::Events));
    assert_eq!(view(&model).events.len(), 5);
}

#[test]
fn a_long_run_is_drawn_in_part_and_says_so() {
    let mut orders: String = (1..=300).map(|id| format!("({id}), ")).collect();
    orders.truncate(orders.len() - 2);
    let model = text(&format!(
        "scenario Long\n\ndatabase d\n  table outbox (id int primary key, sent boolean not null default false)\n  insert into outbox (id) values {orders}\nbroker b\n  queue q\n\n\
         service R on d\n  every 10s\n    rows = select id from outbox where not sent order by id limit 50\n    for row in rows\n      publish q (id = row.id)\n      \
         update outbox set sent = true where id = :row.id\n\npromise no d.outbox where not sent\n"
    ));
    let view = view(&model);
    assert!(view.timeline.cut.is_some());
    assert!(view.timeline.columns <= 605, "{}", view.timeline.columns);
    assert_eq!(view.state.queues[0].messages.len(), 50);
    assert_eq!(view.state.queues[0].more, "… and 250 more");
    assert_eq!(view.verdict.worth, Worth::Healthy);
}

/// Nobody acknowledges, so the message comes back for ever.
const FOREVER: &str = "scenario Forever\n\nbroker b\n  queue q lease 1s\n\nservice S\n  at 0s publish q (id = 1)\n\n\
                       service R\n  receive q as m\n    fail\n\npromise no b.q\n";

#[test]
fn a_run_without_end_is_waited_for_only_for_a_while() {
    let mut model = text(FOREVER);
    let cut = |model: &Model| view(model).verdict.ended.clone().expect("the run was cut");
    assert!(cut(&model).contains("goes on: 50"), "{}", cut(&model));
    let before_and_after = [Some(Worth::Healthy), None];
    assert_eq!(
        worths(strip(&view(&model), "S")),
        before_and_after,
        "what takes too long is left open"
    );
    while !update(&mut model, Message::GoOn).is_empty() && model.longer.is_some() {}
    assert!(cut(&model).contains("after 1000"), "{}", cut(&model));
}

#[test]
fn a_run_that_never_rests_is_cut_and_says_so() {
    let model = text(
        "scenario Endless\n  until 1min\n\ndatabase d\n  table t (id int primary key)\n\nservice S on d\n  every 1s\n    insert into t (id) values (1)\n    on duplicate done\n\npromise no d.t where id = 2\n",
    );
    let ended = view(&model).verdict.ended.clone();
    assert_eq!(ended.as_deref(), Some("The run ends at 60.000 s, as the text says."));
}

#[test]
fn work_that_a_transaction_holds_at_a_broker_is_shown_as_held_and_then_as_in_doubt() {
    let mut model = preset("O14");
    let message = |model: &Model| view(model).state.queues[0].messages.clone();
    let blocks = lane(&view(&model), "Shop").1.blocks.clone();
    let event = |label: &str, model: &mut Model| {
        let block = blocks.iter().find(|block| block.label == label).expect("a block");
        update(model, Message::GoTo(block.event));
    };
    event("publish", &mut model);
    assert_eq!(message(&model)[0].text, "held by the transaction of Shop");
    update(&mut model, Message::ToEnd);
    let left = message(&model);
    assert_eq!((left.len(), left[0].id.as_str()), (1, "evt-1014"));
    assert_eq!(left[0].text, "in doubt, prepared as order-1014");
    assert_eq!(worth(&model), Worth::Finding(Kind::Blocked));
}

#[test]
fn a_log_is_shown_with_how_far_its_groups_have_read() {
    let model = text(
        "scenario Log\nbroker kafka\n  queue log partitions 2\nservice S\n  at 1s\n    publish log (id = 1)\n    publish log (id = 2)\n\
         service A\n  receive log as m ack m\nservice B\n  receive log as m\n    if m.id = 1 ack m\n",
    );
    let view = view(&model);
    assert_eq!(
        view.state.queues[0].groups,
        [
            "A: 1 of 1, 1 of 1; generation 1, A",
            "B: 0 of 1, 1 of 1; generation 1, B"
        ]
    );
    let bars: Vec<(&str, BarEnd)> = lane(&view, "log")
        .1
        .bars
        .iter()
        .map(|bar| (bar.label.as_str(), bar.end))
        .collect();
    assert_eq!(bars, [("1", BarEnd::Done), ("2", BarEnd::Open)]);
}

#[test]
fn presets_are_found_by_system_pattern_fault_and_verdict() {
    let mut model = preset("O1");
    update(&mut model, Message::Show(Some(Overlay::Picker)));
    let groups = view(&model).picker.clone();
    let found = |wanted: &str| -> Vec<String> {
        let all = groups.iter().flat_map(|group| &group.presets);
        all.filter(|preset| crashpoint::app::presets::matches(&preset.search, wanted))
            .map(|preset| preset.id.to_string())
            .collect()
    };
    assert!(found("watermill").starts_with(&["C16".to_owned()]));
    let ids = found("Outbox Relay duplicate");
    assert!(
        ids.contains(&"C08".to_owned()) && ids.contains(&"debezium".to_owned()),
        "{ids:?}"
    );
    assert!(found("lose the reply").contains(&"C13".to_owned()));
    assert!(found("no such thing at all").is_empty());
}
