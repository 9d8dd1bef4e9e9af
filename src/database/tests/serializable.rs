//! Serializable: who fails so that the others are in a serial order. Each script was run against PostgreSQL 15.18; where it
//! answers otherwise the test says so.

use super::support::*;
use crate::expression::Operator;
use crate::sql::Statement;

const FAILS: &str = "serialization: could not serialize access due to read/write dependencies among transactions";

fn bench(sessions: &[u32]) -> Bench {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    for session in sessions {
        bench.run(*session, SERIALIZABLE);
    }
    bench
}

/// The answers to the commits of sessions 1 and 2, in this sequence.
fn commits(bench: &mut Bench) -> [String; 2] {
    [bench.run(1, COMMIT), bench.run(2, COMMIT)]
}

#[test]
fn the_pivot_fails_at_its_commit_and_is_gone() {
    let mut bench = bench(&[1, 2]);
    bench.run(1, all());
    bench.run(2, all());
    assert_eq!(bench.run(1, add(1, -10)), "1");
    assert_eq!(bench.run(2, add(2, -10)), "1");
    assert_eq!(bench.run(1, COMMIT), "ok");
    assert_eq!(bench.run(3, add(2, 0)), "waits");
    assert_eq!(bench.run(2, COMMIT), format!("{FAILS} wakes 3"));
    assert!(!bench.database.in_transaction(2), "nothing is left to roll back");
    assert_eq!(bench.rows(), [(1, 0), (2, 20)]);
}

#[test]
fn once_the_other_has_committed_it_fails_at_once() {
    let mut bench = bench(&[1, 2]);
    bench.run(1, all());
    bench.run(2, all());
    bench.run(1, add(1, -10));
    bench.run(1, COMMIT);
    assert_eq!(bench.run(2, all()), "[1 10, 2 20]");
    assert_eq!(bench.run(2, add(2, -10)), FAILS);
    assert_eq!(bench.run(2, all()), ABORTED);
    bench.run(2, ROLLBACK);
    bench.run(2, SERIALIZABLE);
    bench.run(2, all());
    assert_eq!(bench.run(2, add(2, -10)), "1", "the next attempt sees what is");
    assert_eq!(bench.run(2, COMMIT), "ok");
}

#[test]
fn a_chosen_victim_learns_it_at_its_next_statement() {
    let mut bench = bench(&[1, 2, 3]);
    for session in [1, 2, 3] {
        bench.run(session, all());
    }
    bench.run(2, add(1, 1));
    bench.run(3, add(2, 1));
    assert_eq!(bench.run(3, COMMIT), "ok");
    assert_eq!(
        bench.run(2, one(1)),
        FAILS,
        "1 comes before 2, and 2 before 3, which is first"
    );
}

#[test]
fn reads_by_key_are_apart() {
    let mut other_keys = bench(&[1, 2]);
    other_keys.run(1, add(1, 1));
    other_keys.run(2, add(2, 1));
    assert_eq!(commits(&mut other_keys), ["ok", "ok"]);

    let mut crosswise = bench(&[1, 2]);
    crosswise.run(1, one(2));
    crosswise.run(2, one(1));
    crosswise.run(1, add(1, 1));
    crosswise.run(2, add(2, 1));
    assert_eq!(commits(&mut crosswise), ["ok", FAILS]);
}

#[test]
fn a_key_found_missing_is_a_read() {
    let mut bench = bench(&[1, 2]);
    bench.run(1, one(5));
    bench.run(2, one(5));
    bench.run(1, insert(&[(5, 1)]));
    bench.run(1, COMMIT);
    assert_eq!(bench.run(2, insert(&[(5, 2)])), FAILS, "rather than `duplicate`");
}

#[test]
fn without_having_asked_a_duplicate_is_a_duplicate() {
    let mut bench = bench(&[1, 2]);
    bench.run(1, one(1));
    bench.run(2, from(S, &[ID]));
    bench.run(1, insert(&[(5, 1)]));
    bench.run(1, COMMIT);
    assert_eq!(
        bench.run(2, insert(&[(5, 2)])),
        "duplicate: duplicate key value violates unique constraint \"t_pkey\""
    );
}

/// PostgreSQL notes reads of an index by page, so that in a small table the insert of any key meets the read of any other:
/// it lets the second insert fail.
#[test]
fn another_key_found_is_none() {
    let mut bench = bench(&[1, 2]);
    bench.run(1, one(1));
    bench.run(2, one(1));
    bench.run(1, insert(&[(5, 1)]));
    bench.run(1, COMMIT);
    assert_eq!(bench.run(2, insert(&[(6, 2)])), "1");
    assert_eq!(bench.run(2, COMMIT), "ok");
}

/// Fekete, O'Neil and O'Neil, "A read-only transaction anomaly under snapshot isolation" (2004).
#[test]
fn who_only_reads_can_make_the_difference() {
    for (asks, answer) in [(true, FAILS), (false, "1")] {
        let mut bench = bench(&[1, 2]);
        bench.run(2, all());
        bench.run(1, add(2, 20));
        bench.run(1, COMMIT);
        if asks {
            bench.run(3, SERIALIZABLE);
            assert_eq!(bench.run(3, all()), "[1 10, 2 40]");
            assert_eq!(bench.run(3, COMMIT), "ok");
        }
        assert_eq!(bench.run(2, add(1, -11)), answer);
    }
}

#[test]
fn one_after_the_other_nobody_fails() {
    let mut bench = bench(&[]);
    for _ in 0..3 {
        for session in [1, 2] {
            bench.run(session, SERIALIZABLE);
            bench.run(session, all());
            assert_eq!(bench.run(session, add(1, 1)), "1");
            assert_eq!(bench.run(session, COMMIT), "ok");
        }
    }
}

#[test]
fn other_levels_take_no_part() {
    for begin in [BEGIN, REPEATABLE] {
        let mut bench = bench(&[1]);
        bench.run(2, begin);
        bench.run(1, all());
        bench.run(2, all());
        bench.run(1, add(1, -10));
        bench.run(2, add(2, -10));
        assert_eq!(commits(&mut bench), ["ok", "ok"]);
    }
}

#[test]
fn what_was_taken_back_counts_as_written_for_those_who_had_read_it() {
    let mut bench = bench(&[1, 2]);
    bench.run(2, all());
    bench.run(1, all());
    bench.run(1, savepoint("a"));
    bench.run(1, add(1, 1));
    bench.run(1, rollback_to("a"));
    bench.run(2, add(2, 1));
    assert_eq!(bench.run(2, COMMIT), "ok");
    assert_eq!(bench.run(1, insert(&[(7, 7)])), FAILS);
}

#[test]
fn what_was_taken_back_is_not_written_for_those_who_read_it_later() {
    let mut bench = bench(&[1, 2]);
    bench.run(1, one(2));
    bench.run(1, savepoint("a"));
    bench.run(1, add(1, 1));
    bench.run(1, rollback_to("a"));
    bench.run(2, one(1));
    bench.run(2, add(2, 1));
    assert_eq!(bench.run(2, COMMIT), "ok");
    assert_eq!(bench.run(1, COMMIT), "ok");
}

/// As PostgreSQL 15 does, although no serial order gives these answers: it does not note what `on conflict` and a duplicate tell
/// about a key.
#[test]
fn what_a_conflict_of_keys_tells_is_not_noted() {
    let asks: [(Statement, &str); 2] = [
        (or_nothing(insert(&[(1, 0)]), None), "0"),
        (
            insert(&[(1, 0)]),
            "duplicate: duplicate key value violates unique constraint \"t_pkey\"",
        ),
    ];
    for (ask, answer) in asks {
        let mut bench = bench(&[1, 2]);
        bench.run(1, savepoint("a"));
        assert_eq!(bench.run(1, ask), answer, "row 1 is there: before 2");
        bench.run(1, rollback_to("a"));
        assert_eq!(bench.run(2, one(2)), "[2 20]", "row 2 is as it was: before 1");
        bench.run(2, delete(Some(eq(ID, 1))));
        bench.run(1, update(&[(V, int(99))], Some(eq(ID, 2))));
        assert_eq!(commits(&mut bench), ["ok", "ok"]);
    }
}

#[test]
fn a_key_that_has_become_free_tells_who_was_first() {
    let mut bench = Bench::new(&[(2, 20)]);
    bench.run(3, insert_u(1, 10, "a"));
    bench.run(1, SERIALIZABLE);
    bench.run(2, SERIALIZABLE);
    assert_eq!(bench.run(1, one(2)), "[2 20]", "row 2 is as it was: before 2");
    bench.run(2, delete(Some(op(col(U), Operator::Equal, text("a")))));
    bench.run(2, add(2, 1));
    assert_eq!(bench.run(2, COMMIT), "ok");
    assert_eq!(bench.run(1, insert(&[(1, 11)])), FAILS, "row 1 is gone: after 2");
}

#[test]
fn a_statement_that_failed_and_was_taken_back_does_not_count() {
    let mut bench = bench(&[1, 2]);
    bench.run(1, all());
    bench.run(2, all());
    bench.run(1, add(1, -10));
    bench.run(1, COMMIT);
    bench.run(2, savepoint("a"));
    assert_eq!(bench.run(2, add(2, -10)), FAILS);
    bench.run(2, rollback_to("a"));
    assert_eq!(bench.run(2, all()), "[1 10, 2 20]");
    assert_eq!(bench.run(2, COMMIT), "ok");
}

#[test]
fn the_committed_are_remembered_while_one_is_open_that_overlaps() {
    let mut bench = bench(&[1, 2, 3]);
    let remembered = |bench: &Bench| bench.database.serializable.remembered();
    assert_eq!(remembered(&bench), 0, "nobody has asked for anything");
    bench.run(1, one(1));
    bench.run(2, add(2, 1));
    bench.run(2, COMMIT);
    assert_eq!(remembered(&bench), 2);
    bench.run(3, one(1));
    bench.run(1, COMMIT);
    assert_eq!(remembered(&bench), 2, "2 is older than all that is open, 1 is not");
    bench.run(3, ROLLBACK);
    assert_eq!(remembered(&bench), 0);
    for _ in 0..100 {
        bench.run(1, SERIALIZABLE);
        bench.run(1, add(1, 1));
        bench.run(1, COMMIT);
    }
    assert_eq!(remembered(&bench), 0);
}

#[test]
fn clients_and_servers_that_die_leave_no_trace() {
    let mut bench = bench(&[1, 2]);
    bench.run(1, all());
    bench.run(2, all());
    bench.run(1, add(1, 1));
    bench.database.close(1);
    bench.run(2, add(2, 1));
    assert_eq!(bench.database.serializable.remembered(), 1);
    bench.database.down();
    assert_eq!(bench.database.serializable.remembered(), 0);
}

/// PostgreSQL's plans ask a condition that is the same for all rows first, and do not look at the rows where it is false.
#[test]
fn a_condition_that_is_false_for_all_rows_reads_none() {
    let never = op(int(1), Operator::Equal, int(2));
    let mut bench = bench(&[1, 2]);
    assert_eq!(bench.run(1, all().filtered(never)), "[]");
    assert_eq!(bench.run(2, one(2)), "[2 20]");
    bench.run(2, add(1, 1));
    bench.run(1, add(2, 1));
    assert_eq!(
        commits(&mut bench),
        ["ok", "ok"],
        "2 is before 1, and 1 has read nothing that 2 changed"
    );
}
