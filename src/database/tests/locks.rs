//! Row locks: waiting, what a waiter does afterwards, skipping, refusing, deadlocks.

use super::support::*;
use crate::sql::LockWait;

#[test]
fn an_updater_waits_and_sees_the_newest_version() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    assert_eq!(bench.database.waiting_for(2), [1]);
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert!(bench.database.waiting_for(2).is_empty());
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.rows(), [(1, 111)]);
}

#[test]
fn a_waiter_whose_row_matches_no_longer_leaves_it_but_keeps_its_lock() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, update(&[(V, int(99))], Some(eq(ID, 1))));
    bench.run(2, BEGIN);
    assert_eq!(bench.run(2, update(&[(V, int(0))], Some(eq(V, 10)))), "waits");
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert_eq!(bench.resume(2), "0");
    let nowait = all().locking(LockWait::NoWait);
    assert_eq!(
        bench.run(3, nowait),
        "refused: could not obtain lock on row in relation \"t\""
    );
}

#[test]
fn a_waiter_whose_row_is_deleted_or_gets_another_key_changes_nothing() {
    for change in [delete(Some(eq(ID, 1))), update(&[(ID, int(7))], Some(eq(ID, 1)))] {
        let mut bench = Bench::new(&[(1, 10)]);
        bench.run(1, BEGIN);
        bench.run(1, change);
        assert_eq!(bench.run(2, add(1, 1)), "waits");
        // The waiter's snapshot does not know the new row 1.
        bench.run(1, insert(&[(1, 5)]));
        bench.run(1, COMMIT);
        assert_eq!(bench.resume(2), "0");
        assert!(bench.rows().contains(&(1, 5)));
    }
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

#[test]
fn a_row_that_changes_while_it_is_waited_for_keeps_its_place() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, update(&[(V, int(99))], Some(eq(ID, 1))));
    assert_eq!(
        bench.run(2, from(T, &[ID, V]).by(V, false).locking(LockWait::Wait)),
        "waits"
    );
    bench.run(1, COMMIT);
    assert_eq!(bench.resume(2), "[1 99, 2 20]");
}

#[test]
fn a_waiter_keeps_what_it_has_locked_before() {
    let mut bench = Bench::new(&[(1, 0), (2, 0), (3, 0)]);
    bench.run(1, BEGIN);
    bench.run(1, add(2, 1));
    bench.run(2, BEGIN);
    assert_eq!(bench.run(2, update(&[(V, plus(V, 10))], None)), "waits");
    assert_eq!(bench.run(3, add(1, 1)), "waits", "row 1 is changed already");
    assert_eq!(bench.database.waiting_for(3), [2]);
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert_eq!(bench.resume(2), "3");
    assert_eq!(bench.run(2, COMMIT), "ok wakes 3");
    assert_eq!(bench.resume(3), "1");
    assert_eq!(bench.rows(), [(1, 11), (2, 11), (3, 10)]);
}

#[test]
fn waiters_get_a_row_in_the_sequence_they_came() {
    let mut bench = Bench::new(&[(1, 0)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    for session in [3, 2] {
        bench.run(session, BEGIN);
        assert_eq!(bench.run(session, add(1, 1)), "waits");
    }
    assert_eq!(bench.database.waiting_for(3), [1]);
    assert_eq!(bench.database.waiting_for(2), [3], "the first in the queue");
    assert_eq!(bench.run(1, COMMIT), "ok wakes 3 2");
    assert_eq!(bench.resume(3), "1");
    assert_eq!(bench.resume(2), "waits");
    assert_eq!(bench.run(3, ROLLBACK), "ok wakes 2");
    assert_eq!(bench.resume(2), "1");
    bench.run(2, COMMIT);
    assert_eq!(bench.rows(), [(1, 2)]);
}

#[test]
fn who_waits_again_for_the_same_row_keeps_its_place() {
    let mut bench = Bench::new(&[(1, 0)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, 1)), "waits");
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    // Session 3 comes before 2 is asked again.
    bench.run(3, BEGIN);
    bench.run(3, add(1, 1));
    assert_eq!(bench.run(4, add(1, 1)), "waits");
    assert_eq!(bench.resume(2), "waits");
    assert_eq!(bench.run(3, COMMIT), "ok wakes 2 4");
}

#[test]
fn skip_locked_takes_the_next_free_rows_and_fills_its_limit() {
    let mut bench = Bench::new(&[(1, 0), (2, 0), (3, 0), (4, 0)]);
    let claim = || all().first(2).locking(LockWait::SkipLocked);
    bench.run(1, BEGIN);
    bench.run(2, BEGIN);
    assert_eq!(bench.run(1, claim()), "[1 0, 2 0]");
    assert_eq!(bench.run(2, claim()), "[3 0, 4 0]");
    assert_eq!(bench.run(3, claim()), "[]");
    assert_eq!(bench.run(1, claim()), "[1 0, 2 0]", "its own locks are no obstacle");
}

#[test]
fn only_rows_within_the_limit_are_locked() {
    let mut bench = Bench::new(&[(1, 0), (2, 0), (3, 0)]);
    bench.run(1, BEGIN);
    bench.run(1, from(T, &[ID]).by(ID, true).first(1).locking(LockWait::Wait));
    assert_eq!(bench.run(2, all().locking(LockWait::SkipLocked)), "[1 0, 2 0]");
}

#[test]
fn plain_reads_neither_lock_nor_wait() {
    let mut bench = Bench::new(&[(1, 0)]);
    bench.run(1, BEGIN);
    bench.run(1, all());
    assert_eq!(bench.run(2, add(1, 1)), "1");
    bench.run(1, all().locking(LockWait::Wait));
    assert_eq!(bench.run(2, all()), "[1 1]");
}

#[test]
fn the_waiter_that_looks_first_is_the_victim_of_a_deadlock() {
    let mut bench = Bench::new(&[(1, 0), (2, 0)]);
    for session in [1, 2] {
        bench.run(session, BEGIN);
        bench.run(session, add(session.into(), 1));
    }
    assert_eq!(bench.run(1, add(2, 10)), "waits");
    assert_eq!(bench.deadlock(1), "none", "no circle yet");
    assert_eq!(bench.run(2, add(1, 10)), "waits");
    assert_eq!(bench.deadlock(2), "deadlock: deadlock detected wakes 1");
    assert_eq!(bench.run(2, all()), ABORTED);
    assert_eq!(bench.resume(1), "1");
    bench.run(1, COMMIT);
    assert_eq!(bench.rows(), [(1, 1), (2, 10)]);
}

#[test]
fn a_circle_can_lead_over_a_queue() {
    let mut bench = Bench::new(&[(1, 0), (2, 0)]);
    for session in [1, 2, 3] {
        bench.run(session, BEGIN);
    }
    bench.run(1, add(1, 1));
    bench.run(3, add(2, 1));
    assert_eq!(bench.run(2, add(1, 1)), "waits");
    assert_eq!(bench.run(3, add(1, 1)), "waits");
    assert_eq!(bench.run(1, add(2, 1)), "waits");
    // 2 waits for 1, 1 for 3, and 3 for 2, which is ahead of it in the queue for row 1.
    assert_eq!(bench.deadlock(2), "deadlock: deadlock detected");
    assert_eq!(bench.database.waiting_for(3), [1]);
    assert_eq!(bench.deadlock(1), "deadlock: deadlock detected wakes 3");
    assert_eq!(bench.resume(3), "1");
}

#[test]
fn a_waiter_outside_the_circle_is_no_victim() {
    let mut bench = Bench::new(&[(1, 0), (2, 0)]);
    for session in [1, 2] {
        bench.run(session, BEGIN);
        bench.run(session, add(session.into(), 1));
    }
    bench.run(1, add(2, 1));
    bench.run(2, add(1, 1));
    assert_eq!(bench.run(3, add(1, 1)), "waits");
    assert_eq!(bench.deadlock(3), "none");
}

#[test]
fn an_update_that_cannot_be_stored_fails_before_it_waits() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, i64::from(i32::MAX))), "error: integer out of range");
}
