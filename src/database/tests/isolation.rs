//! What statements see, and what commit and rollback leave.

use super::support::*;
use crate::sql::LockWait;

#[test]
fn a_single_statement_commits_by_itself() {
    let mut bench = Bench::new(&[]);
    assert_eq!(bench.run(1, insert(&[(1, 10), (2, 20)])), "2");
    assert_eq!(bench.run(1, add(1, 5)), "1");
    assert_eq!(bench.run(1, delete(Some(eq(ID, 2)))), "1");
    assert_eq!(bench.run(2, all()), "[1 15]");
    assert!(!bench.database.in_transaction(1));
}

#[test]
fn others_see_a_transaction_only_after_its_commit() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, insert(&[(2, 20)]));
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(1, all()), "[1 11, 2 20]", "its own changes");
    assert_eq!(bench.run(2, all()), "[1 10]");
    assert_eq!(bench.rows(), [(1, 10)]);
    assert_eq!(bench.database.pending(T).len(), 2);
    assert_eq!(bench.run(1, COMMIT), "ok");
    assert_eq!(bench.run(2, all()), "[1 11, 2 20]");
    assert!(bench.database.pending(T).is_empty());
}

#[test]
fn rollback_leaves_nothing() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, insert(&[(2, 20)]));
    bench.run(1, delete(Some(eq(ID, 1))));
    assert_eq!(bench.run(1, all()), "[2 20]");
    bench.run(1, ROLLBACK);
    assert_eq!(bench.run(1, all()), "[1 10]");
    assert_eq!(bench.facts(T), ["insert 0: 1, 10, null"]);
}

#[test]
fn an_updater_waits_and_sees_the_newest_version() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    assert_eq!(bench.database.waiting_for(2), [1]);
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.rows(), [(1, 111)]);
}

#[test]
fn after_a_wait_a_locking_select_keeps_its_snapshot() {
    let mut bench = Bench::new(&[(1, 0), (2, 0), (3, 0), (4, 0)]);
    bench.run(1, BEGIN);
    bench.run(1, update(&[(V, int(1))], Some(less(ID, 3))));
    let claim = all().filtered(eq(V, 0)).first(2).locking(LockWait::Wait);
    bench.run(2, BEGIN);
    assert_eq!(bench.run(2, claim), "waits");
    bench.run(3, insert(&[(0, 0)]));
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert_eq!(bench.resume(2), "[3 0, 4 0]", "row 0 came after the snapshot");
}
