//! Selects within statements.

use super::support::*;
use crate::expression::{Aggregate, Expr, Operator};
use crate::sql::{Items, LockWait, Select, Statement};
use std::rc::Rc;

fn scalar(select: Select) -> Expr {
    Expr::Scalar(Rc::new(select))
}

fn total() -> Expr {
    let mut select = from(T, &[]);
    select.items = Items {
        names: ["sum".into()].into(),
        exprs: vec![Expr::Aggregate(Aggregate::Sum, Some(Box::new(col(V))))],
        aggregates: true,
    };
    scalar(select)
}

/// `update t set v = 1 where id = (select id from t where v = 0 order by id limit 1 for update skip locked) returning id`
fn claim(wait: LockWait) -> Statement {
    let next = from(T, &[ID]).filtered(eq(V, 0)).by(ID, false).first(1).locking(wait);
    let filter = op(col(ID), Operator::Equal, scalar(next));
    returning(update(&[(V, int(1))], Some(filter)), &[ID])
}

#[test]
fn a_statement_does_not_see_its_own_changes() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    assert_eq!(
        bench.run(1, returning(update(&[(V, total())], None), &[ID, V])),
        "[1 30, 2 30]"
    );
}

#[test]
fn a_locking_sub_select_claims_a_row_for_its_update() {
    let mut bench = Bench::new(&[(1, 0), (2, 0)]);
    bench.run(1, BEGIN);
    bench.run(2, BEGIN);
    assert_eq!(bench.run(1, claim(LockWait::SkipLocked)), "[1]");
    assert_eq!(bench.run(2, claim(LockWait::SkipLocked)), "[2]");
    assert_eq!(bench.run(3, claim(LockWait::SkipLocked)), "[]");
}

#[test]
fn a_locking_sub_select_can_wait() {
    let mut bench = Bench::new(&[(1, 0), (2, 0)]);
    bench.run(1, BEGIN);
    assert_eq!(bench.run(1, claim(LockWait::Wait)), "[1]");
    assert_eq!(bench.run(2, claim(LockWait::Wait)), "waits");
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert_eq!(
        bench.resume(2),
        "[2]",
        "row 1 matches no longer, so the limit is filled with the next"
    );
}

#[test]
fn a_sub_select_keeps_its_value_through_a_wait() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    let set = update(&[(V, total())], Some(eq(ID, 1)));
    assert_eq!(bench.run(2, returning(set, &[V])), "waits");
    bench.run(1, COMMIT);
    assert_eq!(bench.resume(2), "[30]", "the sum when the statement began");
}

#[test]
fn a_correlated_sub_select_runs_for_each_row() {
    let mut bench = Bench::new(&[(1, 2), (2, 3), (3, 9)]);
    // select id from t where exists (select id from t as other where other.id = t.v)
    let outer_v = Expr::Column { depth: 1, column: V };
    let inner = from(T, &[ID]).filtered(op(col(ID), Operator::Equal, outer_v));
    assert_eq!(
        bench.run(1, from(T, &[ID]).filtered(Expr::Exists(Rc::new(inner)))),
        "[1, 2]"
    );
}

#[test]
fn in_a_sub_select_and_more_rows_than_one() {
    let mut bench = Bench::new(&[(1, 2), (2, 3), (3, 9)]);
    let values = from(T, &[V]);
    let among = Expr::InSelect(Box::new(col(ID)), Rc::new(values.clone()));
    assert_eq!(bench.run(1, from(T, &[ID]).filtered(among)), "[2, 3]");
    let one = op(col(ID), Operator::Equal, scalar(values));
    assert_eq!(
        bench.run(1, from(T, &[ID]).filtered(one)),
        "error: more than one row returned by a subquery used as an expression"
    );
}

#[test]
fn an_insert_can_take_values_from_a_sub_select() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    assert_eq!(bench.run(1, insert_into(T, &[ID, V], vec![vec![int(3), total()]])), "1");
    assert_eq!(bench.rows()[2], (3, 30));
}
