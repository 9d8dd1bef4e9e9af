//! A run that is longer than the page can make at once: shown as far as it got, gone on with in slices, never waited for.

use super::*;

/// Some 90,000 events: six for each of 15,000 orders.
const LONG: &str = "\
scenario long
database shop
  table orders (id int primary key)
broker rabbit
  queue events lease 30s
service Shop on shop
  memory n = 0
  at 0s times 15000 every 100ms
    n = n + 1
    begin
    insert into orders (id) values (:n)
    commit
    publish events (id = n)
service Warehouse
  receive events as m
    ack m
promise one rabbit.events for each shop.orders matching effect.id = cause.id
";

fn wants_to_go_on(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::GoOnSoon))
}

#[test]
fn a_long_run_is_shown_at_once_and_finished_in_slices() {
    let mut model = open_at("");
    let mut effects = update(&mut model, Message::EditText(LONG.into()));
    assert!(wants_to_go_on(&effects));
    let first = view(&model)
        .verdict
        .ended
        .clone()
        .expect("it is said that the run goes on");
    assert!(first.contains("goes on: 5000"), "{first}");
    let mut slices = 0;
    while wants_to_go_on(&effects) {
        effects = update(&mut model, Message::GoOn);
        slices += 1;
    }
    assert!(slices > 3, "{slices} slices");
    assert_eq!(view(&model).verdict.ended, None, "it came to rest");
    assert_eq!(model.played.run.trace.events.len(), 15_000 * 6);
}

#[test]
fn another_text_takes_the_place_of_a_run_in_the_making() {
    let mut model = open_at("");
    update(&mut model, Message::EditText(LONG.into()));
    let short = LONG.replace("15000", "2");
    update(&mut model, Message::EditText(short.as_str().into()));
    assert!(!wants_to_go_on(&update(&mut model, Message::GoOn)));
    assert_eq!(model.played.run.trace.events.len(), 12);
}

#[test]
fn a_loop_without_requests_is_cut_by_its_work_and_says_so() {
    let mut model = open_at("");
    let spin = "scenario spin\nservice A\n  at 0s\n    repeat\n      x = 1\n";
    let mut effects = update(&mut model, Message::EditText(spin.into()));
    while wants_to_go_on(&effects) {
        effects = update(&mut model, Message::GoOn);
    }
    let said = view(&model).verdict.ended.clone().expect("said");
    assert!(said.contains("cut"), "{said}");
}

#[test]
fn a_strip_has_cells_for_the_columns_shown_only() {
    let mut model = open_at("");
    update(&mut model, Message::EditText(LONG.into()));
    let timeline = view(&model).timeline.clone();
    let strips = timeline.lanes.iter().filter_map(|lane| lane.strip.as_ref());
    let cells: Vec<usize> = strips.map(|strip| strip.cells.len()).collect();
    let columns = timeline.columns as usize;
    assert!(
        cells.iter().all(|cells| *cells > 0 && *cells <= 2 * columns),
        "{cells:?} for {columns} columns"
    );
}

#[test]
fn the_first_instances_and_those_with_a_fault_have_lanes() {
    let crowd = "\
scenario crowd
broker rabbit
  queue greetings
service Greeter x1000
  every 1s publish greetings (id = self)
crash after Greeter#777.publish-greetings.1 restart 5s
";
    let mut model = open_at("");
    update(&mut model, Message::EditText(crowd.into()));
    let timeline = view(&model).timeline.clone();
    let greeters: Vec<_> = timeline.lanes.iter().filter(|lane| lane.strip.is_some()).collect();
    assert_eq!(greeters.len(), 21);
    assert_eq!(greeters[20].name, "Greeter#777");
    assert_eq!(greeters[20].more, "… and 979 more");
    assert_eq!(timeline.markers.len(), 1);
}
