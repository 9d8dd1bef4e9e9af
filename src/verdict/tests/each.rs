//! Phantom, lost and duplicate; how causes and effects are paired and counted.

use super::stage::*;
use crate::program::{Count, Kind, PromiseKind, Relation};
use crate::simulation::trace::Ended;
use crate::value::Value;
use crate::verdict::Seen;

#[test]
fn one_effect_for_one_cause_is_healthy() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1001));
    stage.accept(EVENTS, 2, 1, message("evt-1001"));
    assert_eq!(stage.findings(event_for_each_order(Count::One)), []);
}

#[test]
fn a_cause_without_effect_is_lost() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 3, 1, order(1001));
    let found = stage.judge(Ended::Rest, vec![event_for_each_order(Count::One)]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, &found[0].subject.key), (Kind::Lost, &key(1001)));
    assert_eq!((found[0].promise, found[0].line), (0, 50));
    assert_eq!(found[0].facts, [3]);
}

#[test]
fn an_effect_that_nothing_caused_is_a_phantom_and_its_subject_is_the_effect() {
    let mut stage = Stage::default();
    stage.accept(EVENTS, 2, 1, message("evt-1002"));
    assert_eq!(
        stage.findings(event_for_each_order(Count::One)),
        [(Kind::Phantom, Value::text("evt-1002"))]
    );
}

#[test]
fn two_effects_of_one_cause_are_a_duplicate_with_all_events() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1003));
    stage.accept(EVENTS, 4, 1, message("evt-1003"));
    stage.accept(EVENTS, 9, 2, message("evt-1003"));
    let found = stage.judge(Ended::Rest, vec![event_for_each_order(Count::One)]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, &found[0].subject.key), (Kind::Duplicate, &key(1003)));
    assert_eq!(found[0].facts, [1, 4, 9]);
    let Seen::Pairing { effects, .. } = &found[0].seen else {
        panic!("a pairing was judged");
    };
    assert_eq!(effects.len(), 2);
}

#[test]
fn at_most_one_allows_none_and_at_least_one_allows_two() {
    let mut none = Stage::default();
    none.insert(ORDERS, 1, 1, order(1));
    let mut two = Stage::default();
    two.insert(ORDERS, 1, 1, order(1));
    two.accept(EVENTS, 2, 1, message("evt-1"));
    two.accept(EVENTS, 3, 2, message("evt-1"));
    assert_eq!(none.findings(event_for_each_order(Count::AtMostOne)), []);
    assert_eq!(
        none.findings(event_for_each_order(Count::AtLeastOne)),
        [(Kind::Lost, key(1))]
    );
    assert_eq!(
        two.findings(event_for_each_order(Count::AtMostOne)),
        [(Kind::Duplicate, key(1))]
    );
    assert_eq!(two.findings(event_for_each_order(Count::AtLeastOne)), []);
}

#[test]
fn an_outside_effect_before_its_cause_was_committed_is_a_phantom_and_nothing_is_lost() {
    let mut stage = Stage::default();
    stage.accept(BANK, 2, 1, transfer(7));
    stage.insert(ORDERS, 5, 1, order(7));
    let found = stage.judge(Ended::Rest, vec![transfer_for_each_order()]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, Kind::Phantom);
    assert_eq!(found[0].subject.relation, BANK);
    assert_eq!(found[0].facts, [2, 5], "the late cause belongs to the story");
}

#[test]
fn an_effect_in_the_same_commit_as_its_cause_is_not_early() {
    let mut stage = Stage::default();
    stage.accept(BANK, 5, 1, transfer(7));
    stage.insert(ORDERS, 5, 1, order(7));
    assert_eq!(stage.findings(transfer_for_each_order()), []);
}

#[test]
fn an_initial_row_is_a_cause_that_precedes_everything() {
    let mut stage = Stage::default();
    stage.initial(ORDERS, 1, order(7));
    assert_eq!(stage.findings(transfer_for_each_order()), [(Kind::Lost, key(7))]);
    stage.accept(BANK, 0, 1, transfer(7));
    assert_eq!(stage.findings(transfer_for_each_order()), []);
}

#[test]
fn a_queued_message_may_precede_its_cause() {
    let mut stage = Stage::default();
    stage.accept(EVENTS, 2, 1, message("evt-7"));
    stage.insert(ORDERS, 5, 1, order(7));
    assert_eq!(stage.findings(event_for_each_order(Count::One)), []);
}

#[test]
fn equal_causes_count_once() {
    // The same message twice, one transfer: the copy is no cause of its own.
    let mut stage = Stage::default();
    stage.accept(EVENTS, 1, 1, message("7"));
    stage.accept(EVENTS, 2, 2, message("7"));
    stage.accept(BANK, 3, 1, transfer(7));
    let promise = || PromiseKind::Each {
        count: Count::One,
        effect: all(BANK),
        cause: all(EVENTS),
        matching: equal(binary_text(effect("order_id")), cause("id")),
        waiting: Vec::new(),
    };
    assert_eq!(stage.findings(promise()), []);
    // Another id is another cause.
    stage.accept(EVENTS, 4, 3, message("8"));
    assert_eq!(stage.findings(promise()), [(Kind::Lost, Value::text("8"))]);
}

/// An int as text.
fn binary_text(expr: crate::expression::Expr) -> crate::expression::Expr {
    crate::expression::Expr::Cast(Box::new(expr), crate::expression::SqlType::Text)
}

#[test]
fn a_row_counts_once_however_often_it_is_updated() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    stage.insert(OUTBOX, 2, 1, outbox("evt-1", false));
    stage.update(OUTBOX, 3, 1, outbox("evt-1", true));
    let promise = |filter| PromiseKind::Each {
        count: Count::One,
        effect: filter,
        cause: all(ORDERS),
        matching: equal(effect("id"), event_of_cause()),
        waiting: Vec::new(),
    };
    assert_eq!(stage.findings(promise(all(OUTBOX))), []);
    // Its later version satisfies the condition: the row is in the set.
    assert_eq!(stage.findings(promise(only(OUTBOX, own("sent")))), []);
    // A deleted row was an effect all the same.
    stage.delete(OUTBOX, 4, 1, outbox("evt-1", true));
    assert_eq!(stage.findings(promise(all(OUTBOX))), []);
}

#[test]
fn an_early_effect_stays_early_when_it_is_updated_after_its_cause() {
    let mut stage = Stage::default();
    stage.insert(OUTBOX, 1, 1, outbox("evt-1", false));
    stage.insert(ORDERS, 2, 1, order(1));
    stage.update(OUTBOX, 3, 1, outbox("evt-1", true));
    let promise = PromiseKind::Each {
        count: Count::One,
        effect: all(OUTBOX),
        cause: all(ORDERS),
        matching: equal(effect("id"), event_of_cause()),
        waiting: Vec::new(),
    };
    assert_eq!(stage.findings(promise), [(Kind::Phantom, Value::text("evt-1"))]);
}

#[test]
fn changes_are_causes_one_by_one_and_initial_rows_are_none() {
    let mut stage = Stage::default();
    stage.initial(ORDERS, 1, order(1));
    stage.insert(ORDERS, 2, 2, order(2));
    stage.delete(ORDERS, 3, 2, order(2));
    let change = Expr::Literal(Value::text("delete"));
    let promise = PromiseKind::Each {
        count: Count::One,
        effect: all(BANK),
        cause: all(Relation::Changes { database: 0, table: 0 }),
        // A transfer belongs to the deletion alone.
        matching: and(equal(effect("order_id"), cause("id")), equal(cause("change"), change)),
        waiting: Vec::new(),
    };
    stage.accept(BANK, 4, 1, transfer(2));
    // The insertion of order 2 lacks an effect, its deletion has one, order 1 did not change.
    assert_eq!(stage.findings(promise), [(Kind::Lost, key(2))]);
}

use crate::expression::Expr;

#[test]
fn a_condition_that_fails_for_a_pair_does_not_match_it() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    stage.accept(EVENTS, 2, 1, message("not a number"));
    let promise = PromiseKind::Each {
        count: Count::One,
        effect: all(EVENTS),
        cause: all(ORDERS),
        matching: equal(
            Expr::Cast(Box::new(effect("id")), crate::expression::SqlType::Int),
            cause("id"),
        ),
        waiting: Vec::new(),
    };
    assert_eq!(
        stage.findings(promise),
        [(Kind::Phantom, Value::text("not a number")), (Kind::Lost, key(1))]
    );
}

#[test]
fn alternatives_and_inequalities_pair_as_written() {
    use crate::expression::Operator::{Greater, Or};
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    stage.insert(ORDERS, 2, 2, order(2));
    stage.accept(EVENTS, 3, 1, message("evt-1"));
    stage.accept(EVENTS, 4, 2, message("OrderPlaced 2"));
    let body = binary(
        crate::expression::Operator::Concatenate,
        Expr::Literal(Value::text("OrderPlaced ")),
        cause("id"),
    );
    let either = binary(Or, equal(effect("id"), event_of_cause()), equal(body, effect("id")));
    let promise = |matching| PromiseKind::Each {
        count: Count::One,
        effect: all(EVENTS),
        cause: all(ORDERS),
        matching,
        waiting: Vec::new(),
    };
    assert_eq!(stage.findings(promise(either)), []);
    // No equality at all: every message goes with every order above 1.
    let above = binary(Greater, cause("id"), int(1));
    assert_eq!(
        stage.findings(promise(above)),
        [(Kind::Lost, key(1)), (Kind::Duplicate, key(2))]
    );
}

#[test]
fn findings_are_sorted_by_gravity_before_the_sequence_of_the_promises() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    stage.accept(BANK, 2, 1, transfer(1));
    stage.accept(BANK, 3, 2, transfer(1));
    let promises = vec![transfer_for_each_order(), event_for_each_order(Count::One)];
    let kinds: Vec<(Kind, usize)> = stage
        .judge(Ended::Rest, promises)
        .iter()
        .map(|f| (f.kind, f.promise))
        .collect();
    assert_eq!(kinds, [(Kind::Lost, 1), (Kind::Duplicate, 0)]);
}

#[test]
fn what_a_transaction_changed_again_before_its_commit_was_never_there() {
    let mut stage = Stage::default();
    stage.commit = Some(7);
    stage.insert(OUTBOX, 1, 1, outbox("evt-1", false));
    stage.update(OUTBOX, 1, 1, outbox("evt-1", true));
    stage.insert(ORDERS, 1, 1, order(2));
    stage.delete(ORDERS, 1, 1, order(2));
    let promise = PromiseKind::Each {
        count: Count::One,
        effect: all(BANK),
        cause: only(OUTBOX, not(own("sent"))),
        matching: equal(effect("order_id"), cause("id")),
        waiting: Vec::new(),
    };
    assert_eq!(stage.findings(promise), []);
    assert_eq!(stage.findings(transfer_for_each_order()), []);
}
