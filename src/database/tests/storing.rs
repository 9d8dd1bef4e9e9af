//! What columns accept, defaults, sequences.

use super::support::*;
use crate::database::Database;
use crate::expression::{Expr, Operator};
use crate::sql::Statement;
use crate::value::Value;

fn values(id: Expr, v: Expr, u: Expr) -> Statement {
    insert_into(T, &[ID, V, U], vec![vec![id, v, u]])
}

fn body(text: Expr) -> Statement {
    returning(insert_into(S, &[1], vec![vec![text]]), &[0])
}

#[test]
fn types_are_checked_as_they_are_stored() {
    let mut bench = Bench::new(&[]);
    assert_eq!(
        bench.run(1, values(text("7"), int(1), int(5))),
        "1",
        "a quoted literal, and a number as text"
    );
    assert_eq!(
        bench.run(1, values(int(8), int(1), Expr::Literal(Value::Bool(true)))),
        "1"
    );
    assert_eq!(bench.run(1, from(T, &[ID, U])), "[7 5, 8 true]");
    let computed = op(text("9"), Operator::Concatenate, text(""));
    assert_eq!(
        bench.run(1, values(computed, int(1), null())),
        "error: column \"id\" is of type integer but expression is of type text"
    );
    assert_eq!(
        bench.run(1, values(text("x"), int(1), null())),
        "error: invalid input syntax for type integer: \"x\""
    );
    assert_eq!(
        bench.run(1, values(int(1 << 31), int(1), null())),
        "error: integer out of range"
    );
    assert_eq!(bench.run(1, values(int(-(1 << 31)), int(1), null())), "1");
    assert_eq!(
        bench.run(1, update(&[(V, plus(V, 1 << 40))], None)),
        "error: integer out of range"
    );
}

#[test]
fn not_null_comes_before_unique() {
    let mut bench = Bench::new(&[(1, 10)]);
    let message = "error: null value in column \"v\" of relation \"t\" violates not-null constraint";
    assert_eq!(bench.run(1, values(int(1), null(), null())), message);
    assert_eq!(bench.run(1, insert_into(T, &[ID], vec![vec![int(2)]])), message);
    assert_eq!(bench.run(1, update(&[(V, null())], None)), message);
}

#[test]
fn sequences_are_never_rolled_back() {
    let mut bench = Bench::new(&[]);
    bench.run(1, BEGIN);
    assert_eq!(bench.run(1, body(text("a"))), "[1]");
    bench.run(1, ROLLBACK);
    assert_eq!(bench.run(1, body(text("b"))), "[2]");
    assert!(bench.run(1, body(null())).starts_with("error: null value"));
    assert_eq!(bench.run(1, body(text("c"))), "[4]", "3 was taken by the failed insert");
}

#[test]
fn a_number_given_by_hand_does_not_move_the_sequence() {
    let mut bench = Bench::new(&[]);
    bench.run(1, insert_into(S, &[0, 1], vec![vec![int(1), text("by hand")]]));
    assert_eq!(
        bench.run(1, body(text("x"))),
        "duplicate: duplicate key value violates unique constraint \"s_pkey\""
    );
    assert_eq!(bench.run(1, body(text("x"))), "[2]");
}

#[test]
fn numbers_are_taken_before_commit_so_they_can_commit_out_of_sequence() {
    let mut bench = Bench::new(&[]);
    bench.run(1, BEGIN);
    assert_eq!(bench.run(1, body(text("slow"))), "[1]");
    assert_eq!(bench.run(2, body(text("quick"))), "[2]");
    bench.run(1, COMMIT);
    assert_eq!(bench.facts(S), ["insert 1: 2, quick", "insert 2: 1, slow"]);
    assert_eq!(bench.run(1, from(S, &[0])), "[1, 2]", "in the sequence of the inserts");
}

#[test]
fn an_insert_that_waited_has_the_number_it_took_first() {
    let mut bench = Bench::new(&[]);
    bench.run(1, BEGIN);
    bench.run(1, insert_into(S, &[0, 1], vec![vec![int(1), text("rival")]]));
    assert_eq!(bench.run(2, body(text("x"))), "waits");
    bench.run(1, ROLLBACK);
    assert_eq!(bench.resume(2), "[1]");
    assert_eq!(bench.run(2, body(text("y"))), "[2]");
}

#[test]
fn columns_not_named_get_their_default() {
    let mut bench = Bench::new(&[]);
    bench.run(1, insert_into(S, &[0], vec![vec![int(5)]]));
    assert_eq!(bench.run(1, from(S, &[0, 1])), "[5 none]");
}

#[test]
fn initial_rows_carry_no_commit_and_their_errors_are_reported() {
    let bench = Bench::new(&[(1, 10), (2, 20)]);
    assert_eq!(bench.facts(T), ["insert 0: 1, 10, null", "insert 0: 2, 20, null"]);
    assert!(
        bench
            .database
            .facts(T)
            .iter()
            .all(|fact| fact.stamp == crate::fact::INITIAL)
    );
    let mut schema = schema();
    let Statement::Insert(twice) = insert(&[(1, 0), (1, 0)]) else {
        panic!("no insert")
    };
    schema.initial.push(twice);
    let failure = Database::new(&schema).unwrap_err();
    assert_eq!(
        &*failure.detail,
        "duplicate key value violates unique constraint \"t_pkey\""
    );
}
