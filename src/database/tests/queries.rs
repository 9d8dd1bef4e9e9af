//! Finding, sorting, limiting, aggregating, returning; and ways to rows that need no scan.

use super::support::*;
use crate::expression::{Aggregate, Expr, Operator, Scope};
use crate::sql::{Items, LockWait, Select};
use crate::value::Value;

fn aggregates(exprs: Vec<Expr>) -> Select {
    let mut select = from(T, &[]);
    select.items = Items {
        names: exprs.iter().map(|_| "x".into()).collect(),
        exprs,
        aggregates: true,
    };
    select
}

fn count() -> Expr {
    Expr::Aggregate(Aggregate::Count, None)
}

fn aggregate(kind: Aggregate, column: u16) -> Expr {
    Expr::Aggregate(kind, Some(Box::new(col(column))))
}

#[test]
fn rows_come_in_the_sequence_of_their_inserts_unless_sorted() {
    let mut bench = Bench::new(&[(2, 1), (3, 1), (1, 2)]);
    assert_eq!(bench.run(1, from(T, &[ID])), "[2, 3, 1]");
    assert_eq!(bench.run(1, from(T, &[ID]).by(ID, false)), "[1, 2, 3]");
    assert_eq!(bench.run(1, from(T, &[ID]).by(ID, true).first(2)), "[3, 2]");
    assert_eq!(bench.run(1, from(T, &[ID]).by(V, true).by(ID, false)), "[1, 2, 3]");
    assert_eq!(
        bench.run(1, from(T, &[ID]).by(V, false)),
        "[2, 3, 1]",
        "equal rows keep their sequence"
    );
}

#[test]
fn nulls_sort_as_the_greatest() {
    let mut bench = Bench::new(&[(1, 0)]);
    bench.run(1, insert_u(2, 0, "b"));
    bench.run(1, insert_u(3, 0, "a"));
    assert_eq!(bench.run(1, from(T, &[ID]).by(U, false)), "[3, 2, 1]");
    assert_eq!(bench.run(1, from(T, &[ID]).by(U, true)), "[1, 2, 3]");
}

#[test]
fn a_condition_that_is_unknown_or_false_leaves_a_row_out() {
    let mut bench = Bench::new(&[(1, 0)]);
    bench.run(1, insert_u(2, 0, "b"));
    let differs = op(col(U), Operator::NotEqual, text("a"));
    assert_eq!(bench.run(1, from(T, &[ID]).filtered(differs)), "[2]");
    assert_eq!(
        bench.run(1, all().filtered(col(V))),
        "error: argument of WHERE must be type boolean, not type integer"
    );
}

#[test]
fn limits() {
    let mut bench = Bench::new(&[(1, 0), (2, 0)]);
    let with = |limit: Expr| {
        let mut select = from(T, &[ID]);
        select.limit = Some(limit);
        select
    };
    assert_eq!(bench.run(1, with(int(0))), "[]");
    assert_eq!(bench.run(1, with(null())), "[1, 2]");
    assert_eq!(bench.run(1, with(int(-1))), "error: LIMIT must not be negative");
    assert_eq!(
        bench.run(1, with(Expr::Literal(Value::Bool(true)))),
        "error: argument of LIMIT must be type bigint, not type boolean"
    );
}

#[test]
fn aggregates_make_one_row() {
    let mut bench = Bench::new(&[(1, 10), (2, 30)]);
    let sum_and_more = op(aggregate(Aggregate::Sum, V), Operator::Add, int(1));
    let exprs = vec![
        count(),
        aggregate(Aggregate::Count, U),
        sum_and_more,
        aggregate(Aggregate::Max, ID),
    ];
    assert_eq!(bench.run(1, aggregates(exprs)), "[2 0 41 2]");
    let none = aggregates(vec![count(), aggregate(Aggregate::Sum, V)]).filtered(less(ID, 0));
    assert_eq!(bench.run(1, none), "[0 null]");
    assert_eq!(bench.run(1, aggregates(vec![count()]).first(0)), "[]");
    assert_eq!(
        bench.run(1, aggregates(vec![count(), col(ID)])),
        "error: a column must appear in the GROUP BY clause or be used in an aggregate function"
    );
    assert_eq!(
        bench.run(1, aggregates(vec![count()]).locking(LockWait::Wait)),
        "error: FOR UPDATE is not allowed with aggregate functions"
    );
}

#[test]
fn returning_shows_new_rows_and_deleted_ones() {
    let mut bench = Bench::new(&[(1, 10)]);
    assert_eq!(bench.run(1, returning(insert(&[(2, 20)]), &[ID, V, U])), "[2 20 null]");
    assert_eq!(bench.run(1, returning(add(2, 1), &[V])), "[21]");
    assert_eq!(bench.run(1, returning(delete(None), &[ID])), "[1, 2]");
    assert_eq!(bench.run(1, returning(add(2, 1), &[V])), "[]");
}

#[test]
fn lookups_by_key_see_ones_own_open_changes() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    let by_id = |id| from(T, &[V]).filtered(eq(ID, id));
    bench.run(1, BEGIN);
    bench.run(1, update(&[(ID, int(7))], Some(eq(ID, 1))));
    bench.run(1, insert(&[(8, 80)]));
    bench.run(1, delete(Some(eq(ID, 2))));
    let own: Vec<String> = [1, 2, 7, 8].iter().map(|id| bench.run(1, by_id(*id))).collect();
    assert_eq!(own, ["[]", "[]", "[10]", "[80]"]);
    let others: Vec<String> = [1, 2, 7, 8].iter().map(|id| bench.run(2, by_id(*id))).collect();
    assert_eq!(others, ["[10]", "[20]", "[]", "[]"]);
    assert_eq!(bench.run(1, all()), "[7 10, 8 80]");
    assert_eq!(bench.run(1, from(T, &[ID]).by(ID, true).first(1)), "[8]");
}

#[test]
fn a_lookup_with_null_or_a_wrong_type_answers_as_a_scan_would() {
    let mut bench = Bench::new(&[(1, 10)]);
    let equals = |value: Expr| all().filtered(op(col(ID), Operator::Equal, value));
    assert_eq!(bench.run(1, equals(null())), "[]");
    assert_eq!(bench.run(1, equals(text("1"))), "[1 10]");
    assert_eq!(
        bench.run(1, equals(text("x"))),
        "error: invalid input syntax for type integer: \"x\""
    );
    let computed = Expr::Binary(Operator::Concatenate, Box::new(text("1")), Box::new(text("")));
    assert_eq!(
        bench.run(1, equals(computed)),
        "error: operator does not exist: integer = text"
    );
}

#[test]
fn selects_outside_sessions_see_what_is_committed() {
    struct At;
    impl Scope for At {
        fn local(&self, _: u16) -> Value {
            Value::Int(2)
        }
    }
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, add(2, 1));
    let select = from(T, &[V]).filtered(op(col(ID), Operator::Equal, Expr::Local(0)));
    let rows = bench.database.select(&select, &At).unwrap();
    assert_eq!(
        rows.iter().map(|row| row.values()).collect::<Vec<_>>(),
        [[Value::Int(20)]]
    );
}
