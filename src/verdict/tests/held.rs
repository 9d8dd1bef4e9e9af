//! Stuck, blocked and dead-lettered: causes without effect that are held somewhere, and what `no` finds left.

use super::stage::*;
use crate::program::{Count, Kind, PromiseKind, Relation};
use crate::simulation::trace::Ended;
use crate::value::Value;
use crate::verdict::{Queued, Seen};

/// An order whose event was never sent, with its outbox row.
fn unsent(sent: bool) -> Stage {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    stage.insert(OUTBOX, 1, 1, outbox("evt-1", sent));
    stage
}

#[test]
fn a_cause_that_is_still_held_is_stuck_and_names_where() {
    let stage = unsent(false);
    let found = stage.judge(Ended::Rest, vec![event_for_each_order(Count::One)]);
    assert_eq!((found[0].kind, &found[0].subject.key), (Kind::Stuck, &key(1)));
    let Seen::Pairing { held: Some(held), .. } = &found[0].seen else {
        panic!("the outbox row holds the cause");
    };
    assert_eq!((held.subject.relation, held.since), (OUTBOX, 1_000));
}

#[test]
fn a_row_that_does_not_satisfy_the_condition_holds_nothing() {
    assert_eq!(
        unsent(true).findings(event_for_each_order(Count::One)),
        [(Kind::Lost, key(1))]
    );
}

#[test]
fn a_row_that_is_gone_holds_nothing() {
    let mut stage = unsent(false);
    stage.delete(OUTBOX, 2, 1, outbox("evt-1", false));
    assert_eq!(stage.findings(event_for_each_order(Count::One)), [(Kind::Lost, key(1))]);
}

#[test]
fn a_cause_is_blocked_while_a_request_waits() {
    let mut stage = unsent(false);
    stage.waits = true;
    assert_eq!(
        stage.findings(event_for_each_order(Count::One)),
        [(Kind::Blocked, key(1))]
    );
}

#[test]
fn a_cut_blocks_only_what_a_step_repeats_on() {
    let mut stage = unsent(false);
    let kind = |stage: &Stage, ended| stage.findings_after(ended, event_for_each_order(Count::One))[0].0;
    assert_eq!(kind(&stage, Ended::Until), Kind::Stuck);
    stage.repeats = true;
    assert_eq!(kind(&stage, Ended::Until), Kind::Blocked);
    assert_eq!(kind(&stage, Ended::Bound), Kind::Blocked);
    assert_eq!(
        kind(&stage, Ended::Rest),
        Kind::Stuck,
        "a run that rests repeats nothing"
    );
}

#[test]
fn a_message_that_is_handed_out_again_and_again_blocks_itself_and_those_behind_it() {
    let mut stage = Stage::default();
    for (identity, deliveries) in [(1, 1), (2, 40), (3, 0)] {
        let row = message(&format!("evt-{identity}"));
        stage.accept(EVENTS, 1, identity, row.clone());
        stage
            .messages
            .entry(0)
            .or_default()
            .push(queued(identity, row, deliveries));
    }
    let no_events = || PromiseKind::No(all(EVENTS));
    assert_eq!(
        stage.findings_after(Ended::Bound, no_events()),
        [
            (Kind::Stuck, Value::text("evt-1")),
            (Kind::Blocked, Value::text("evt-2")),
            (Kind::Blocked, Value::text("evt-3"))
        ]
    );
    assert!(stage.findings(no_events()).iter().all(|(kind, _)| *kind == Kind::Stuck));
}

#[test]
fn a_message_that_another_of_its_group_keeps_back_is_blocked() {
    let mut stage = Stage::default();
    let (head, next) = (message("evt-1"), message("evt-2"));
    stage.accept(EVENTS, 1, 1, head.clone());
    stage.accept(EVENTS, 2, 2, next.clone());
    let held_back = Queued {
        held_back: true,
        ..queued(2, next, 0)
    };
    stage.messages.insert(0, vec![queued(1, head, 1), held_back]);
    assert_eq!(
        stage.findings(PromiseKind::No(all(EVENTS))),
        [
            (Kind::Stuck, Value::text("evt-1")),
            (Kind::Blocked, Value::text("evt-2"))
        ]
    );
}

#[test]
fn what_no_forbids_is_stuck_if_it_is_left_and_fine_if_it_is_gone() {
    let mut stage = unsent(false);
    stage.insert(OUTBOX, 3, 2, outbox("evt-2", true));
    let unsent = || PromiseKind::No(only(OUTBOX, not(own("sent"))));
    let found = stage.judge(Ended::Rest, vec![unsent()]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, &found[0].subject.key),
        (Kind::Stuck, &Value::text("evt-1"))
    );
    stage.update(OUTBOX, 5, 1, outbox("evt-1", true));
    assert_eq!(stage.findings(unsent()), []);
}

#[test]
fn a_message_that_was_taken_is_not_left() {
    let mut stage = Stage::default();
    stage.accept(EVENTS, 1, 1, message("evt-1"));
    assert_eq!(stage.findings(PromiseKind::No(all(EVENTS))), []);
}

#[test]
fn a_message_in_a_dead_letter_queue_is_dead_lettered() {
    let mut stage = Stage::default();
    stage.messages.insert(1, vec![queued(1, message("evt-1"), 0)]);
    stage.given_up.insert(0, vec![queued(7, message("evt-1"), 5)]);
    let expected = [(Kind::DeadLettered, Value::text("evt-1"))];
    assert_eq!(stage.findings(PromiseKind::No(all(EVENTS_DEAD))), expected);
    assert_eq!(stage.findings(PromiseKind::No(all(Relation::Dead(0)))), expected);
    assert_eq!(stage.findings(PromiseKind::No(all(EVENTS))), []);
}

#[test]
fn a_message_that_its_own_queue_keeps_after_the_last_attempt_is_stuck() {
    let mut stage = Stage::default();
    stage.given_up.insert(1, vec![queued(1, message("evt-1"), 3)]);
    stage.repeats = true;
    let left = PromiseKind::No(all(Relation::Dead(1)));
    // No other queue takes it, so nothing shows it, and whatever else goes on will not bring it back.
    assert_eq!(
        stage.findings_after(Ended::Until, left),
        [(Kind::Stuck, Value::text("evt-1"))]
    );
}

#[test]
fn a_cause_whose_message_was_given_up_is_dead_lettered() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    let promise = || PromiseKind::Each {
        count: Count::One,
        effect: all(BANK),
        cause: all(ORDERS),
        matching: equal(effect("order_id"), cause("id")),
        waiting: vec![only(EVENTS, equal(own("id"), event_of_cause()))],
    };
    assert_eq!(stage.findings(promise()), [(Kind::Lost, key(1))]);
    stage.given_up.insert(0, vec![queued(1, message("evt-1"), 5)]);
    assert_eq!(stage.findings(promise()), [(Kind::DeadLettered, key(1))]);
    // The same event once more, waiting: there is still hope, and the graver kind is said.
    stage.messages.insert(0, vec![queued(2, message("evt-1"), 0)]);
    assert_eq!(stage.findings(promise()), [(Kind::Stuck, key(1))]);
}

#[test]
fn a_cause_that_is_itself_a_dead_letter_is_dead_lettered() {
    let mut stage = Stage::default();
    stage.accept(EVENTS, 1, 1, message("1"));
    stage.accept(EVENTS, 2, 2, message("2"));
    stage.given_up.insert(0, vec![queued(2, message("2"), 5)]);
    let promise = PromiseKind::Each {
        count: Count::One,
        effect: all(BANK),
        cause: all(EVENTS),
        matching: equal(effect("order_id"), cause("id")),
        waiting: Vec::new(),
    };
    assert_eq!(
        stage.findings(promise),
        [(Kind::Lost, Value::text("1")), (Kind::DeadLettered, Value::text("2"))]
    );
}

#[test]
fn a_holder_without_a_condition_on_the_cause_holds_every_cause() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    let promise = || PromiseKind::Each {
        count: Count::One,
        effect: all(BANK),
        cause: all(ORDERS),
        matching: equal(effect("order_id"), cause("id")),
        waiting: vec![all(EVENTS)],
    };
    assert_eq!(stage.findings(promise()), [(Kind::Lost, key(1))]);
    stage.messages.insert(0, vec![queued(1, message("batch"), 0)]);
    assert_eq!(stage.findings(promise()), [(Kind::Stuck, key(1))]);
}
