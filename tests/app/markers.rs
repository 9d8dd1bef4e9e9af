//! Markers by keys, gutter, strip and menu. Each is a fault line of the text.

use super::*;
use crashpoint::app::message::MarkerKey;
use crashpoint::app::model::{MarkerKind, Overlay};
use crashpoint::app::view::Gutter;
use crashpoint::program::Side;

fn key(model: &mut Model, key: MarkerKey) -> Vec<Effect> {
    update(model, Message::Key { marker: 0, key })
}

#[test]
fn keys_move_a_marker_from_stop_to_stop() {
    let mut model = open_at("");
    let now = |model: &Model| marker(&view(model)).now;
    assert_eq!((now(&model), marker(&view(&model)).max), (3, 4));
    let said = key(&mut model, MarkerKey::Left);
    assert_eq!((now(&model), worth(&model)), (2, Worth::Healthy));
    assert!(
        said.iter()
            .any(|effect| matches!(effect, Effect::Announce(text) if text.starts_with("Healthy")))
    );
    key(&mut model, MarkerKey::Home);
    assert_eq!(
        (now(&model), faults(&model)),
        (0, vec!["crash before Shop.begin.1 restart 5s".to_owned()])
    );
    key(&mut model, MarkerKey::Left);
    assert_eq!(now(&model), 0);
    key(&mut model, MarkerKey::PageUp);
    assert_eq!(now(&model), 4, "five on, as far as there are any");
    key(&mut model, MarkerKey::PageDown);
    assert_eq!(now(&model), 0);
    key(&mut model, MarkerKey::Right);
    key(&mut model, MarkerKey::End);
    assert_eq!((now(&model), marker(&view(&model)).later.clone()), (4, None));
    key(&mut model, MarkerKey::Delete);
    assert_eq!((faults(&model), view(&model).timeline.markers.len()), (vec![], 0));
    assert_eq!(worth(&model), Worth::Healthy);
    update(&mut model, Message::Undo);
    assert_eq!(now(&model), 4);
}

/// Two orders: each step of `place` happens twice.
const TWICE: &str = "scenario T
  title en \"Two orders\"

database shop
  table orders (id int primary key)

service Shop on shop
  at 0s times 2 every 1s
    begin
    insert into orders (id) values (:k)
    commit

promise no shop.orders where id = 0
";

fn twice() -> Model {
    text(
        &TWICE
            .replace(
                "at 0s times 2 every 1s",
                "memory n = 0\n  at 0s times 2 every 1s\n    n = n + 1",
            )
            .replace(":k", ":n"),
    )
}

fn line_of(model: &Model, text: &str) -> u32 {
    let found = model.text.lines().position(|line| line.trim() == text);
    found.expect("a line of that text") as u32 + 1
}

#[test]
fn the_gutter_takes_the_first_visit_then_the_next_then_none() {
    let mut model = twice();
    let line = line_of(&model, "commit");
    let gutter = view(&model).program.lines[line as usize - 1].gutter.clone();
    assert!(matches!(gutter, Gutter::Step { visits: 2, .. }), "{gutter:?}");
    update(&mut model, Message::Gutter { line });
    assert_eq!(faults(&model), ["crash after Shop.commit.1 restart 5s"]);
    let line = line_of(&model, "commit");
    update(&mut model, Message::Gutter { line });
    assert_eq!(faults(&model), ["crash after Shop.commit.2 restart 5s"]);
    let step = &view(&model).program.lines[line as usize - 1];
    assert!(
        matches!(&step.gutter, Gutter::Step { markers, .. } if *markers == [0]),
        "{:?}",
        step.gutter
    );
    update(&mut model, Message::Gutter { line });
    assert_eq!(faults(&model), Vec::<String>::new());
}

#[test]
fn the_gutter_of_a_step_that_does_not_happen_makes_a_fault_that_is_not_reached() {
    let mut model = text(
        &TWICE
            .replace(":k", "1")
            .replace("    commit\n", "    rollback\n    if false\n      commit\n"),
    );
    let line = line_of(&model, "commit");
    update(&mut model, Message::Gutter { line });
    assert_eq!(faults(&model), ["crash after Shop.commit.1 restart 5s"]);
    assert_eq!(view(&model).timeline.not_reached.len(), 1);
    let line = line_of(&model, "commit");
    update(&mut model, Message::Gutter { line });
    assert_eq!(faults(&model), Vec::<String>::new());
}

#[test]
fn a_click_on_the_strip_moves_the_lanes_marker_or_adds_one() {
    let mut model = open_at("");
    let shop = lane(&view(&model), "Shop").0;
    update(&mut model, Message::PutMarker { lane: shop, stop: 1 });
    assert_eq!(faults(&model), ["crash after Shop.begin.1 restart 5s"]);
    assert_eq!(strip(&view(&model), "Shop").current, Some(1));
    update(&mut model, Message::AddMarker { lane: shop, stop: 2 });
    assert_eq!(faults(&model).len(), 2);
    let mut model = preset("O3");
    let relay = lane(&view(&model), "Relay").0;
    let effects = update(&mut model, Message::PutMarker { lane: relay, stop: 1 });
    assert_eq!(faults(&model), ["crash after Relay.publish-events.1 restart 5s"]);
    assert_eq!(worth(&model), Worth::Finding(Kind::Duplicate));
    assert!(effects.contains(&Effect::FocusMarker(0)));
}

#[test]
fn the_menu_changes_kind_side_and_restart() {
    let mut model = open_at("");
    update(&mut model, Message::Show(Some(Overlay::Menu(0))));
    let menu = view(&model).menu.clone().expect("the menu");
    assert_eq!(menu.title, "crash of Shop");
    let entries = menu.groups.iter().flat_map(|group| &group.entries);
    let checked: Vec<&str> = entries
        .filter(|entry| entry.checked)
        .map(|entry| entry.label.as_str())
        .collect();
    assert_eq!(checked, ["crash", "after", "5 s"]);
    update(
        &mut model,
        Message::SetRestart {
            marker: 0,
            restart: None,
        },
    );
    assert_eq!(faults(&model), ["crash after Shop.commit.1 never"]);
    update(
        &mut model,
        Message::SetSide {
            marker: 0,
            side: Side::During,
        },
    );
    assert_eq!(faults(&model), ["crash during Shop.commit.1 never"]);
    assert_eq!(worth(&model), LOST, "a commit on its way arrives");
    assert_eq!(marker(&view(&model)).position, 5, "the middle of the commit's column");
    update(
        &mut model,
        Message::SetKind {
            marker: 0,
            kind: MarkerKind::LoseReply,
        },
    );
    assert_eq!(faults(&model), ["lose reply Shop.commit.1"]);
    update(&mut model, Message::SetAllLater { marker: 0, all: true });
    assert_eq!(faults(&model), ["lose reply Shop.commit.1+"]);
    update(
        &mut model,
        Message::SetKind {
            marker: 0,
            kind: MarkerKind::Pause,
        },
    );
    update(
        &mut model,
        Message::SetDuration {
            marker: 0,
            duration: 1_000,
        },
    );
    assert_eq!(faults(&model), ["pause after Shop.commit.1 for 1s"]);
    assert_eq!(worth(&model), Worth::Healthy);
    update(
        &mut model,
        Message::SetKind {
            marker: 0,
            kind: MarkerKind::Down,
        },
    );
    assert_eq!(faults(&model), ["down shop after Shop.commit.1 for 1s"]);
    assert!(
        view(&model)
            .timeline
            .lanes
            .iter()
            .any(|lane| lane.name == "shop" && !lane.spans.is_empty())
    );
    let remove = view(&model).menu.clone().expect("still open").remove.message.clone();
    update(&mut model, remove);
    assert_eq!((faults(&model), view(&model).menu.is_none()), (vec![], true));
}

#[test]
fn a_down_time_stands_on_its_partys_lane_and_moves_in_time() {
    let mut model = preset("O13");
    let shown = view(&model);
    let down = shown
        .timeline
        .markers
        .iter()
        .find(|marker| marker.kind == MarkerKind::Down)
        .expect("the down time");
    assert_eq!(shown.timeline.lanes[down.lane].name, "events");
    update(
        &mut model,
        Message::NudgeMarker {
            marker: down.id,
            later: true,
        },
    );
    assert_eq!(faults(&model)[0], "down rabbit at 3ms for 12s");
}

#[test]
fn markers_that_do_not_exist_change_nothing() {
    let mut model = open_at("");
    let before = model.text.clone();
    for message in [
        Message::RemoveMarker(7),
        Message::DragStart(7),
        Message::MoveMarker { marker: 7, stop: 0 },
        Message::MoveMarker { marker: 0, stop: 99 },
        Message::SetSide {
            marker: 7,
            side: Side::Before,
        },
        Message::Key {
            marker: 7,
            key: MarkerKey::Delete,
        },
        Message::PutMarker { lane: 99, stop: 0 },
        Message::PutMarker { lane: 0, stop: 99 },
        Message::Gutter { line: 0 },
        Message::Gutter { line: u32::MAX },
        Message::SelectMarker(Some(7)),
        Message::Show(Some(Overlay::Menu(7))),
        Message::SelectFinding(99),
        Message::GoTo(u32::MAX),
        Message::Scrub(i32::MIN),
        Message::Scrub(i32::MAX),
        Message::ConfirmReplace(99),
    ] {
        update(&mut model, message.clone());
        view(&model);
        assert_eq!(model.text, before, "{message:?}");
    }
}
