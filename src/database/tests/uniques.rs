//! Unique keys: duplicates, rivals, `on conflict do nothing`.

use super::support::*;
use crate::sql::LockWait;

const DUPLICATE: &str = "duplicate: duplicate key value violates unique constraint \"t_pkey\"";
const DUPLICATE_U: &str = "duplicate: duplicate key value violates unique constraint \"t_u_key\"";

#[test]
fn a_taken_key_is_a_duplicate() {
    let mut bench = Bench::new(&[(1, 10)]);
    assert_eq!(bench.run(1, insert(&[(1, 0)])), DUPLICATE);
    assert_eq!(
        bench.run(1, insert(&[(2, 0), (2, 1)])),
        DUPLICATE,
        "the statement is its own rival"
    );
    assert_eq!(bench.rows(), [(1, 10)]);
    bench.run(1, insert_u(2, 0, "a"));
    assert_eq!(bench.run(1, insert_u(3, 0, "a")), DUPLICATE_U);
}

#[test]
fn nulls_never_conflict() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    assert_eq!(bench.run(1, insert(&[(3, 30)])), "1", "u is null three times");
}

#[test]
fn an_insert_waits_for_a_rival_and_then_knows() {
    for (end, answer) in [(COMMIT, DUPLICATE), (ROLLBACK, "1")] {
        let mut bench = Bench::new(&[]);
        bench.run(1, BEGIN);
        bench.run(1, insert(&[(5, 1)]));
        assert_eq!(bench.run(2, insert(&[(5, 2)])), "waits");
        assert_eq!(bench.database.waiting_for(2), [1]);
        assert_eq!(bench.run(1, end), "ok wakes 2");
        assert_eq!(bench.resume(2), answer);
        assert_eq!(bench.rows().len(), 1);
    }
}

#[test]
fn of_two_rivals_the_first_gets_the_key_and_the_second_waits_on() {
    let mut bench = Bench::new(&[]);
    bench.run(1, BEGIN);
    bench.run(1, insert(&[(5, 1)]));
    bench.run(2, BEGIN);
    assert_eq!(bench.run(2, insert(&[(5, 2)])), "waits");
    assert_eq!(bench.run(3, insert(&[(5, 3)])), "waits");
    assert_eq!(bench.run(1, ROLLBACK), "ok wakes 2 3");
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.resume(3), "waits");
    assert_eq!(bench.run(2, ROLLBACK), "ok wakes 3");
    assert_eq!(bench.resume(3), "1");
    assert_eq!(bench.rows(), [(5, 3)]);
}

#[test]
fn a_key_stays_taken_until_the_end_even_if_its_row_has_gone() {
    let mut bench = Bench::new(&[]);
    bench.run(1, BEGIN);
    bench.run(1, insert(&[(5, 1)]));
    bench.run(1, delete(Some(eq(ID, 5))));
    assert_eq!(bench.run(2, insert(&[(5, 2)])), "waits");
    bench.run(1, insert(&[(5, 3)]));
    bench.run(1, delete(Some(eq(ID, 5))));
    bench.run(1, COMMIT);
    assert_eq!(bench.resume(2), "1");
}

#[test]
fn any_open_change_of_the_holder_makes_a_rival_wait() {
    let changes = [
        (add(1, 1), DUPLICATE),
        (delete(Some(eq(ID, 1))), "1"),
        (update(&[(ID, int(7))], Some(eq(ID, 1))), "1"),
    ];
    for (change, answer) in changes {
        let mut bench = Bench::new(&[(1, 10)]);
        bench.run(1, BEGIN);
        bench.run(1, change);
        assert_eq!(bench.run(2, insert(&[(1, 0)])), "waits");
        bench.run(1, COMMIT);
        assert_eq!(bench.resume(2), answer);
    }
}

#[test]
fn a_holder_that_is_only_locked_is_simply_there() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, all().locking(LockWait::Wait));
    assert_eq!(bench.run(2, insert(&[(1, 0)])), DUPLICATE);
    assert_eq!(bench.run(2, or_nothing(insert(&[(1, 0)]), None)), "0");
}

#[test]
fn an_update_takes_keys_as_an_insert_does() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    assert_eq!(bench.run(1, update(&[(ID, int(2))], Some(eq(ID, 1)))), DUPLICATE);
    bench.run(1, BEGIN);
    bench.run(1, update(&[(ID, int(7))], Some(eq(ID, 1))));
    assert_eq!(bench.run(2, insert(&[(7, 0)])), "waits");
    assert_eq!(
        bench.run(3, update(&[(ID, int(1)), (V, plus(V, 1))], Some(eq(ID, 2)))),
        "waits"
    );
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2 3");
    assert_eq!(bench.resume(2), DUPLICATE);
    assert_eq!(bench.resume(3), "1");
    assert_eq!(bench.rows(), [(7, 10), (1, 21)], "changed once, although it waited");
}

#[test]
fn keys_are_checked_row_by_row() {
    let shift = || update(&[(ID, plus(ID, 1))], None);
    assert_eq!(Bench::new(&[(1, 0), (2, 0)]).run(1, shift()), DUPLICATE);
    assert_eq!(Bench::new(&[(2, 0), (1, 0)]).run(1, shift()), "2");
}

#[test]
fn keys_can_move_around_within_a_transaction() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    let rename = |from, to| update(&[(ID, int(to))], Some(eq(ID, from)));
    bench.run(1, BEGIN);
    for (from, to) in [(1, 3), (2, 1), (3, 2)] {
        assert_eq!(bench.run(1, rename(from, to)), "1");
    }
    assert_eq!(bench.run(1, all()), "[1 20, 2 10]");
    bench.run(1, COMMIT);
    assert_eq!(bench.run(2, all()), "[1 20, 2 10]");
    assert_eq!(bench.run(2, from(T, &[V]).filtered(eq(ID, 1))), "[20]");
    assert_eq!(bench.run(2, insert(&[(3, 0)])), "1");
    assert_eq!(bench.run(2, insert(&[(2, 0)])), DUPLICATE);
}

#[test]
fn a_key_given_up_and_taken_back_is_still_ones_own() {
    let mut bench = Bench::new(&[(1, 10)]);
    let rename = |from, to| update(&[(ID, int(to))], Some(eq(ID, from)));
    bench.run(1, BEGIN);
    bench.run(1, rename(1, 2));
    bench.run(1, rename(2, 1));
    assert_eq!(bench.run(1, all()), "[1 10]");
    assert_eq!(bench.run(1, insert(&[(1, 0)])), DUPLICATE);
    bench.run(1, ROLLBACK);
    assert_eq!(bench.run(1, all()), "[1 10]");
}

#[test]
fn a_key_already_taken_is_kept_while_another_is_waited_for() {
    let mut bench = Bench::new(&[]);
    bench.run(1, BEGIN);
    bench.run(1, insert_u(50, 0, "a"));
    assert_eq!(bench.run(2, insert_u(51, 0, "a")), "waits");
    assert_eq!(bench.run(3, insert_u(51, 0, "b")), "waits");
    assert_eq!(bench.database.waiting_for(3), [2]);
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert_eq!(bench.resume(2), format!("{DUPLICATE_U} wakes 3"));
    assert_eq!(bench.resume(3), "1");
}

#[test]
fn on_conflict_leaves_out_what_is_there() {
    let mut bench = Bench::new(&[(1, 10)]);
    let rows = || insert(&[(1, 0), (5, 1), (5, 2), (6, 1)]);
    assert_eq!(
        bench.run(1, returning(or_nothing(rows(), None), &[ID, V])),
        "[5 1, 6 1]"
    );
    assert_eq!(bench.run(1, or_nothing(insert(&[(1, 0)]), Some(0))), "0");
    bench.run(1, insert_u(8, 0, "a"));
    assert_eq!(
        bench.run(1, or_nothing(insert_u(9, 0, "a"), Some(0))),
        DUPLICATE_U,
        "not the named key"
    );
    assert_eq!(bench.run(1, or_nothing(insert_u(9, 0, "a"), Some(1))), "0");
}

#[test]
fn on_conflict_waits_for_a_rival() {
    for (end, answer) in [(COMMIT, "0"), (ROLLBACK, "1")] {
        let mut bench = Bench::new(&[]);
        bench.run(1, BEGIN);
        bench.run(1, insert(&[(5, 1)]));
        assert_eq!(bench.run(2, or_nothing(insert(&[(5, 2)]), None)), "waits");
        assert_eq!(bench.run(1, end), "ok wakes 2");
        assert_eq!(bench.resume(2), answer);
    }
}

#[test]
fn rivals_for_two_keys_can_deadlock() {
    let mut bench = Bench::new(&[]);
    for session in [1, 2] {
        bench.run(session, BEGIN);
        bench.run(session, insert(&[(session.into(), 0)]));
    }
    assert_eq!(bench.run(1, insert(&[(2, 0)])), "waits");
    assert_eq!(bench.run(2, insert(&[(1, 0)])), "waits");
    assert_eq!(bench.deadlock(1), "deadlock: deadlock detected wakes 2");
    assert_eq!(bench.resume(2), "1");
}
