//! Wrong value and growth.

use super::stage::*;
use crate::program::{Kind, PromiseKind};
use crate::simulation::trace::Ended;
use crate::sql::{Items, Select};
use crate::value::{Row, Value};
use crate::verdict::Seen;
use std::rc::Rc;

/// `value (select … from orders) = 7`; the stage answers the select.
fn seven() -> PromiseKind {
    let items = Items {
        names: Rc::from([]),
        exprs: Vec::new(),
        aggregates: false,
    };
    let select = Select {
        table: 0,
        items,
        filter: None,
        order_by: Vec::new(),
        limit: None,
        lock: None,
    };
    PromiseKind::Value {
        database: 0,
        select: Rc::new(select),
        equals: int(7),
    }
}

fn selected(value: Value) -> Vec<Row> {
    vec![Row::new(Rc::from([Rc::from("n")]), vec![value])]
}

#[test]
fn another_value_at_the_end_is_wrong() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 4, 1, order(1));
    stage.selected = selected(Value::Int(8));
    let found = stage.judge(Ended::Rest, vec![seven()]);
    assert_eq!((found[0].kind, found[0].subject.relation), (Kind::WrongValue, ORDERS));
    assert_eq!(found[0].facts, [4]);
    assert_eq!(
        found[0].seen,
        Seen::Values {
            found: Value::Int(8),
            promised: Value::Int(7)
        }
    );
    stage.selected = selected(Value::Int(7));
    assert_eq!(stage.findings(seven()), []);
}

#[test]
fn no_row_is_no_value() {
    assert_eq!(Stage::default().findings(seven()), [(Kind::WrongValue, Value::Null)]);
}

#[test]
fn one_row_more_than_allowed_is_growth() {
    let mut stage = Stage::default();
    for (event, sent) in [(1, true), (2, false), (3, true)] {
        stage.insert(OUTBOX, event, u64::from(event), outbox(&format!("evt-{event}"), sent));
    }
    let at_most = |n| PromiseKind::AtMost(n, only(OUTBOX, own("sent")));
    assert_eq!(stage.findings(at_most(2)), []);
    let found = stage.judge(Ended::Rest, vec![at_most(1)]);
    assert_eq!(found[0].kind, Kind::Growth);
    assert_eq!(found[0].seen, Seen::Size { found: 2, allowed: 1 });
    assert_eq!(found[0].facts, [3], "the first row too many");
}

#[test]
fn what_was_cleaned_up_does_not_grow() {
    let mut stage = Stage::default();
    stage.insert(OUTBOX, 1, 1, outbox("evt-1", true));
    stage.delete(OUTBOX, 2, 1, outbox("evt-1", true));
    assert_eq!(stage.findings(PromiseKind::AtMost(0, all(OUTBOX))), []);
}
