//! Columns of runs made by hand: what stands where, and that both sides of a fault agree.

use super::*;
use crate::simulation::trace::Outcome;

fn step(at: Millis) -> Event {
    let kind = EventKind::Step {
        step: 0,
        visit: 1,
        line: 1,
        outcome: Outcome::Ok,
        message: None,
        orphan: false,
    };
    event(at, kind)
}

fn event(at: Millis, kind: EventKind) -> Event {
    Event {
        at,
        sent_at: at - 1,
        replied_at: Some(at + 1),
        cause: None,
        instance: Some(0),
        kind,
    }
}

fn crash(at: Millis) -> Event {
    event(
        at,
        EventKind::Crash {
            fault: Some(0),
            restart_at: Some(at + 5_000),
        },
    )
}

#[test]
fn a_crash_has_an_edge_and_the_time_until_the_restart_is_one_break() {
    let columns = Columns::of(&[step(1), step(3), crash(4), event(5_004, EventKind::Restart)]);
    // step, step, break, restart
    assert_eq!(columns.len(), 4);
    assert_eq!(columns.before(2), 4, "the crash stands right of the second step");
    assert_eq!(columns.column(3), Some(3));
    let idle: Vec<Millis> = columns.iter().map(|column| column.idle).collect();
    assert_eq!(idle, [0, 0, 5_000, 0]);
}

#[test]
fn left_of_a_fault_both_runs_have_the_same_columns() {
    let without = Columns::of(&[step(1), step(3), step(5), step(20_000)]);
    let with = Columns::of(&[step(1), step(3), crash(4), event(5_004, EventKind::Restart)]);
    for event in [0, 1] {
        assert_eq!(without.column(event), with.column(event));
    }
    assert_eq!(without.after(Some(1)), with.before(2));
}

#[test]
fn a_gap_long_after_the_last_event_stands_right_of_the_break() {
    let without = Columns::of(&[step(1), step(10_001)]);
    let with = Columns::of(&[step(1), crash(10_000), event(15_000, EventKind::Restart)]);
    assert_eq!(without.gap(Some(0), 10_000), 4);
    assert_eq!(with.before(1), 4, "where the crash stands in its own run");
    assert_eq!(without.gap(Some(0), 2), 2);
}

#[test]
fn idle_polls_are_told_with_their_break_and_take_no_room() {
    let idle = EventKind::Idle { polls: 3, until: 9_000 };
    let columns = Columns::of(&[step(1), event(2_000, idle), step(10_000)]);
    assert_eq!(columns.len(), 3);
    assert_eq!(columns.iter().map(|column| column.polls).collect::<Vec<_>>(), [0, 3, 0]);
}

#[test]
fn a_time_within_a_break_is_its_middle() {
    let columns = Columns::of(&[step(1), step(10_001)]);
    assert_eq!(columns.at_time(0), 0);
    assert_eq!(columns.at_time(5_000), 3, "column 1 is the break");
    assert_eq!(columns.at_time(20_000), 6);
}

#[test]
fn what_took_long_has_a_tail_over_the_break() {
    let mut slow = step(30_005);
    slow.sent_at = 5;
    let columns = Columns::of(&[step(1), slow.clone()]);
    assert_eq!(columns.sent(1, &slow), 3, "from the middle of the break on");
    assert_eq!(columns.sent(0, &step(1)), 0);
}

#[test]
fn a_scrub_stands_after_the_event_to_its_left() {
    let columns = Columns::of(&[step(1), step(3), step(10_000)]);
    let heads: Vec<Option<EventId>> = (-1..=8).map(|position| columns.event_before(position)).collect();
    let (first, second, third) = (Some(0), Some(1), Some(2));
    // step, step, break, step: positions -1 to 8
    assert_eq!(
        heads,
        [None, None, first, first, second, second, second, second, third, third]
    );
}

#[test]
fn a_long_run_is_cut_and_counted() {
    let events: Vec<Event> = (0..1_000).map(step).collect();
    let columns = Columns::of(&events);
    assert_eq!(columns.len(), COLUMNS_MAX);
    assert_eq!(columns.cut, 400);
    assert_eq!(columns.column(999), None);
}
