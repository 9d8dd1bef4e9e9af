//! Out of order: first effects per key, copies never count.

use super::stage::*;
use crate::expression::{Expr, Function, SqlType};
use crate::program::{Kind, PromiseKind};
use crate::simulation::trace::Ended;
use crate::value::Value;
use crate::verdict::{Finding, Seen};

/// Messages with these ids are accepted in this sequence.
fn accepted(ids: &[&str]) -> Stage {
    let mut stage = Stage::default();
    for (number, id) in (1u32..).zip(ids) {
        stage.accept(EVENTS, number, u64::from(number), message(id));
    }
    stage
}

/// The key and the items of a sequence.
fn sequence(finding: &Finding) -> (Option<Value>, Vec<Value>) {
    match &finding.seen {
        Seen::Sequence { per, items, .. } => (per.clone(), items.clone()),
        seen => panic!("no sequence: {seen:?}"),
    }
}

fn by_number() -> PromiseKind {
    PromiseKind::InOrder {
        set: all(EVENTS),
        of: Expr::Cast(Box::new(own("id")), SqlType::Int),
        per: None,
    }
}

#[test]
fn a_later_item_first_is_out_of_order_and_the_late_one_is_the_subject() {
    let found = accepted(&["3", "4", "1", "2"]).judge(Ended::Rest, vec![by_number()]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, &found[0].subject.key),
        (Kind::OutOfOrder, &Value::text("1"))
    );
    assert_eq!(found[0].facts, [2, 3], "4 overtook 1");
    let items = [3, 4, 1, 2].map(Value::Int).to_vec();
    assert_eq!(sequence(&found[0]), (None, items));
}

#[test]
fn a_rising_sequence_with_gaps_is_in_order() {
    assert_eq!(accepted(&["1", "2", "5", "10"]).findings(by_number()), []);
}

#[test]
fn copies_never_count() {
    assert_eq!(accepted(&["1", "2", "1", "2", "3", "4"]).findings(by_number()), []);
}

#[test]
fn what_has_no_place_is_skipped() {
    assert_eq!(accepted(&["1", "none", "2"]).findings(by_number()), []);
}

#[test]
fn each_key_has_its_own_sequence() {
    // Ids are CLAIM/NUMBER.
    let part = |n| {
        Expr::Call(
            Function::SplitPart,
            vec![own("id"), Expr::Literal(Value::text("/")), int(n)],
        )
    };
    let promise = || PromiseKind::InOrder {
        set: all(EVENTS),
        of: part(2),
        per: Some(part(1)),
    };
    assert_eq!(accepted(&["a/2", "b/1", "a/3", "b/2"]).findings(promise()), []);
    let found = accepted(&["a/2", "b/1", "a/1", "b/2"]).judge(Ended::Rest, vec![promise()]);
    assert_eq!(found.len(), 1);
    let items = vec![Value::text("2"), Value::text("1")];
    assert_eq!(sequence(&found[0]), (Some(Value::text("a")), items));
    assert!(found[0].is_about(&Value::text("a")), "the key of the sequence");
    assert!(found[0].is_about(&Value::text("a/1")), "the item that came late");
    assert!(!found[0].is_about(&Value::text("b")) && !found[0].is_about(&Value::text("a/2")));
}
