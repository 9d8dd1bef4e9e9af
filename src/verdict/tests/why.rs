//! The chain of events behind a finding, in traces made by hand.

use super::stage::*;
use crate::expression::{ErrorClass, Failure};
use crate::fact::EventId;
use crate::program::{Count, Kind};
use crate::simulation::trace::{Ended, Event, EventKind, Outcome, Party};
use crate::verdict::Finding;
use crate::verdict::why::behind;
use std::rc::Rc;

const SHOP: Option<u16> = Some(0);
const RELAY: Option<u16> = Some(1);
const OTHER: Option<u16> = Some(2);

/// A trace, an event a line: who, what, because of which event. An event's number is its time in seconds.
fn trace(lines: Vec<(Option<u16>, EventKind, Option<EventId>)>) -> Vec<Event> {
    let event = |(number, (instance, kind, cause))| Event {
        at: number,
        sent_at: number,
        replied_at: Some(number),
        cause,
        instance,
        kind,
    };
    (0..).map(|second: i64| second * 1_000).zip(lines).map(event).collect()
}

fn step(outcome: Outcome) -> EventKind {
    EventKind::Step {
        step: 0,
        visit: 1,
        line: 1,
        outcome,
        message: None,
        orphan: false,
    }
}

fn ok() -> EventKind {
    step(Outcome::Ok)
}

fn crash() -> EventKind {
    EventKind::Crash {
        fault: Some(0),
        restart_at: Some(9_000),
    }
}

/// The only finding of an order with an event and an outbox.
fn the_finding(stage: &Stage) -> Finding {
    let mut found = stage.judge(Ended::Rest, vec![event_for_each_order(Count::One)]);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn lost_after_the_commit_is_explained_by_the_crash_and_the_restart() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 2, 1, order(1001));
    let events = trace(vec![
        (OTHER, ok(), None),
        (SHOP, ok(), None),
        (SHOP, ok(), Some(1)),
        (OTHER, crash(), Some(0)),
        (SHOP, crash(), Some(2)),
        (SHOP, EventKind::Restart, Some(4)),
        (OTHER, EventKind::Restart, Some(3)),
    ]);
    assert_eq!(behind(&the_finding(&stage), &[], &events), [1, 2, 4, 5]);
}

#[test]
fn lost_at_the_relay_is_explained_by_what_the_relay_did_to_the_row() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 0, 1, order(1));
    stage.insert(OUTBOX, 0, 1, outbox("evt-1", false));
    stage.update(OUTBOX, 2, 1, outbox("evt-1", true));
    let finding = the_finding(&stage);
    assert_eq!(finding.kind, Kind::Lost);
    let events = trace(vec![
        (SHOP, ok(), None),
        (RELAY, step(Outcome::Rows(1)), None),
        (RELAY, ok(), Some(1)),
        (RELAY, crash(), Some(2)),
        (RELAY, EventKind::Restart, Some(3)),
        (OTHER, ok(), None),
    ]);
    assert_eq!(behind(&finding, &[], &events), [0, 1, 2, 3, 4]);
}

#[test]
fn a_duplicate_needs_no_crash_after_its_last_effect() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 0, 1, order(1));
    stage.accept(EVENTS, 2, 1, message("evt-1"));
    stage.accept(EVENTS, 6, 2, message("evt-1"));
    let events = trace(vec![
        (SHOP, ok(), None),
        (RELAY, ok(), None),
        (RELAY, ok(), Some(1)),
        (RELAY, crash(), Some(2)),
        (RELAY, EventKind::Restart, Some(3)),
        (RELAY, ok(), Some(4)),
        (RELAY, ok(), Some(5)),
        (RELAY, crash(), Some(6)),
    ]);
    assert_eq!(behind(&the_finding(&stage), &[], &events), [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn lost_requests_and_outages_belong_to_the_story() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    let down = |until| EventKind::Down {
        fault: 0,
        party: Party::Broker(0),
        until,
    };
    let unreachable = Rc::new(Failure::new(ErrorClass::Unreachable, ""));
    let events = trace(vec![
        (None, down(500), None),
        (SHOP, ok(), None),
        (None, down(10_000), None),
        (SHOP, step(Outcome::Failed(unreachable)), Some(1)),
        (SHOP, step(Outcome::RequestLost { fault: 1 }), Some(3)),
    ]);
    // The first outage was over before the step that failed.
    assert_eq!(behind(&the_finding(&stage), &[], &events), [1, 2, 3, 4]);
}

#[test]
fn what_happened_to_the_message_that_carried_the_cause_belongs_to_the_story() {
    use crate::program::PromiseKind;
    let mut stage = Stage::default();
    stage.accept(EVENTS, 0, 1, message("7"));
    let promise = PromiseKind::Each {
        count: Count::One,
        effect: all(BANK),
        cause: all(EVENTS),
        matching: equal(effect("order_id"), cause("id")),
        waiting: Vec::new(),
    };
    let finding = stage.judge(Ended::Rest, vec![promise]).remove(0);
    let about = |message| EventKind::Delivery {
        queue: 0,
        message,
        deliveries: 1,
    };
    let ack = EventKind::Step {
        step: 0,
        visit: 1,
        line: 1,
        outcome: Outcome::Ok,
        message: Some((0, 1)),
        orphan: false,
    };
    let events = trace(vec![
        (SHOP, ok(), None),
        (RELAY, about(1), Some(0)),
        (RELAY, ack, Some(1)),
        (OTHER, about(2), None),
        (RELAY, crash(), Some(2)),
        (RELAY, EventKind::Restart, Some(4)),
    ]);
    assert_eq!(behind(&finding, &[], &events), [0, 1, 2, 4, 5]);
}

#[test]
fn a_story_without_end_is_shortened_but_keeps_its_facts() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 5_000, 1, order(1));
    let lines = (0..10_000u32).map(|n| (SHOP, ok(), n.checked_sub(1))).collect();
    let told = behind(&the_finding(&stage), &[], &trace(lines));
    assert!(told.len() <= 300 && told.contains(&0) && told.contains(&5_000));
    assert!(told.is_sorted());
}
