//! What an error does to its transaction, and savepoints.

use super::support::*;
use crate::sql::{Isolation, Statement};

/// A statement that fails.
fn bad() -> Statement {
    insert(&[(1, 0)])
}

#[test]
fn an_error_undoes_the_transaction_and_refuses_everything_until_rollback() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    assert!(bench.run(1, bad()).starts_with("duplicate"));
    assert!(bench.database.is_aborted(1) && bench.database.in_transaction(1));
    for statement in [all().send(), BEGIN, savepoint("s"), add(1, 1)] {
        assert_eq!(bench.run(1, statement), ABORTED);
    }
    assert_eq!(bench.run(1, ROLLBACK), "ok");
    assert_eq!(bench.run(1, all()), "[1 10]");
}

#[test]
fn an_error_frees_the_locks_at_once() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    assert!(bench.run(1, bad()).ends_with(" wakes 2"));
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.rows(), [(1, 110)]);
}

#[test]
fn commit_of_an_aborted_transaction_rolls_back_without_an_error() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, insert(&[(2, 20)]));
    bench.run(1, bad());
    assert_eq!(bench.run(1, COMMIT), "ok");
    assert_eq!(bench.rows(), [(1, 10)]);
    assert!(!bench.database.in_transaction(1));
}

#[test]
fn commit_of_an_aborted_transaction_takes_back_what_stands_before_its_savepoint() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, insert(&[(2, 20)]));
    bench.run(1, savepoint("s"));
    bench.run(1, bad());
    assert_eq!(bench.run(2, insert(&[(2, 0)])), "waits");
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert_eq!(bench.rows(), [(1, 10)]);
}

#[test]
fn a_failed_single_statement_leaves_nothing_behind() {
    let mut bench = Bench::new(&[(1, 10)]);
    assert!(bench.run(1, insert(&[(2, 20), (1, 0)])).starts_with("duplicate"));
    assert_eq!(bench.run(1, all()), "[1 10]");
    assert!(!bench.database.in_transaction(1));
}

#[test]
fn transaction_statements_out_of_place_are_only_warnings() {
    let mut bench = Bench::new(&[(1, 10)]);
    assert_eq!(bench.run(1, COMMIT), "ok");
    assert_eq!(bench.run(1, ROLLBACK), "ok");
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(1, Statement::Begin(Isolation::ReadCommitted)), "ok");
    bench.run(1, ROLLBACK);
    assert_eq!(bench.rows(), [(1, 10)], "still the first transaction");
}

#[test]
fn savepoints_need_a_transaction_and_a_name_that_exists() {
    let mut bench = Bench::new(&[(1, 10)]);
    assert_eq!(
        bench.run(1, savepoint("s")),
        "error: SAVEPOINT can only be used in transaction blocks"
    );
    assert_eq!(
        bench.run(1, rollback_to("s")),
        "error: ROLLBACK TO SAVEPOINT can only be used in transaction blocks"
    );
    bench.run(1, BEGIN);
    assert_eq!(bench.run(1, rollback_to("s")), "error: savepoint \"s\" does not exist");
    assert_eq!(bench.run(1, all()), ABORTED);
}

#[test]
fn rollback_to_takes_back_what_came_after() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    bench.run(1, savepoint("s"));
    bench.run(1, add(1, 1));
    bench.run(1, delete(Some(eq(ID, 2))));
    bench.run(1, insert(&[(3, 30)]));
    bench.run(1, rollback_to("s"));
    assert_eq!(bench.run(1, all()), "[1 11, 2 20]");
    bench.run(1, add(2, 1));
    bench.run(1, rollback_to("s"));
    bench.run(1, COMMIT);
    assert_eq!(bench.rows(), [(1, 11), (2, 20)]);
    assert_eq!(bench.facts(T).len(), 3, "two initial rows and one update");
}

#[test]
fn rollback_to_frees_later_locks_and_keys_and_keeps_earlier_ones() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, all().filtered(eq(ID, 1)).locking(crate::sql::LockWait::Wait));
    bench.run(1, savepoint("s"));
    bench.run(1, update(&[(V, int(5))], None));
    bench.run(1, insert(&[(3, 30)]));
    assert_eq!(bench.run(2, add(2, 1)), "waits");
    assert_eq!(bench.run(3, add(1, 1)), "waits");
    assert_eq!(bench.run(4, insert(&[(3, 31)])), "waits");
    assert_eq!(bench.run(1, rollback_to("s")), "ok wakes 2 4");
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.resume(4), "1");
    assert_eq!(bench.run(1, COMMIT), "ok wakes 3");
    assert_eq!(bench.resume(3), "1");
    assert_eq!(bench.rows(), [(1, 11), (2, 21), (3, 31)]);
}

#[test]
fn an_error_goes_back_to_the_last_savepoint_only() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    bench.run(1, savepoint("s"));
    bench.run(1, add(2, 1));
    assert_eq!(bench.run(2, add(2, 100)), "waits");
    assert_eq!(bench.run(3, add(1, 100)), "waits");
    assert!(
        bench.run(1, bad()).ends_with(" wakes 2"),
        "row 1 was locked before the savepoint"
    );
    assert_eq!(bench.run(1, all()), ABORTED);
    assert_eq!(bench.run(1, rollback_to("s")), "ok");
    assert_eq!(bench.run(1, all()), "[1 11, 2 20]");
    assert_eq!(bench.run(1, COMMIT), "ok wakes 3");
    assert_eq!(bench.rows()[0], (1, 11));
}

#[test]
fn a_savepoint_hides_one_of_the_same_name_and_ends_with_those_before_it() {
    let mut bench = Bench::new(&[(1, 0)]);
    bench.run(1, BEGIN);
    bench.run(1, savepoint("a"));
    bench.run(1, add(1, 1));
    bench.run(1, savepoint("a"));
    bench.run(1, add(1, 1));
    bench.run(1, rollback_to("a"));
    assert_eq!(bench.run(1, all()), "[1 1]");
    bench.run(1, rollback_to("a"));
    assert_eq!(bench.run(1, all()), "[1 1]", "the newer one stays");
    bench.run(1, savepoint("b"));
    bench.run(1, rollback_to("a"));
    assert_eq!(bench.run(1, rollback_to("b")), "error: savepoint \"b\" does not exist");
}
