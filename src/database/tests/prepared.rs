//! Two-phase commit. Each script was run against PostgreSQL 15.18 with `max_prepared_transactions = 20`.

use super::support::*;

const SERIAL: &str = "serialization: could not serialize access due to read/write dependencies among transactions";

fn in_doubt(bench: &Bench) -> Vec<String> {
    bench
        .database
        .in_doubt()
        .map(|identifier| identifier.to_string())
        .collect()
}

/// Session 1 has prepared 'a': row 1 changed, row 3 inserted.
fn bench() -> Bench {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, savepoint("s"));
    bench.run(1, add(1, 1));
    bench.run(1, add(1, 1));
    bench.run(1, insert(&[(3, 30)]));
    assert_eq!(bench.run(1, prepare("a")), "ok");
    bench
}

#[test]
fn a_prepared_transaction_belongs_to_nobody_and_keeps_its_locks() {
    let mut bench = bench();
    assert!(!bench.database.in_transaction(1));
    assert_eq!(bench.run(1, all()), "[1 10, 2 20]");
    assert_eq!(bench.run(1, add(1, 100)), "waits", "for its own former transaction");
    assert_eq!(bench.run(3, insert(&[(3, 31)])), "waits");
    assert_eq!(in_doubt(&bench), ["a"]);
    assert_eq!(bench.run(2, commit_prepared("a")), "ok wakes 1 3");
    assert_eq!(bench.resume(1), "1");
    assert_eq!(
        bench.resume(3),
        "duplicate: duplicate key value violates unique constraint \"t_pkey\""
    );
    assert_eq!(bench.rows(), [(1, 112), (2, 20), (3, 30)]);
    assert!(in_doubt(&bench).is_empty());
}

#[test]
fn rollback_prepared_takes_everything_back() {
    let mut bench = bench();
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    assert_eq!(bench.run(1, rollback_prepared("a")), "ok wakes 2");
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.rows(), [(1, 110), (2, 20)]);
    assert!(bench.database.pending(T).is_empty() && bench.database.locked(T).is_empty());
}

#[test]
fn whoever_waited_before_waits_on() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    assert_eq!(bench.run(1, prepare("a")), "ok");
    assert_eq!(bench.run(1, commit_prepared("a")), "ok wakes 2");
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.rows(), [(1, 111)]);
}

#[test]
fn its_facts_are_stamped_when_it_commits() {
    let mut bench = bench();
    bench.run(2, add(2, 1));
    bench.run(2, commit_prepared("a"));
    let last = [
        "update 1: 2, 21, null",
        "update 2: 1, 11, null",
        "update 2: 1, 12, null",
        "insert 2: 3, 30, null",
    ];
    assert_eq!(bench.facts(T)[2..], last);
}

#[test]
fn it_outlives_its_client_and_its_server() {
    let mut bench = bench();
    bench.run(2, BEGIN);
    bench.run(2, add(2, 1));
    assert!(bench.database.close(1).is_empty());
    bench.database.down();
    assert_eq!(in_doubt(&bench), ["a"]);
    assert_eq!(bench.run(2, add(2, 1)), "1", "what was merely open is gone");
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    assert_eq!(bench.run(3, commit_prepared("a")), "ok wakes 2");
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.rows(), [(1, 112), (2, 21), (3, 30)]);
}

#[test]
fn its_changes_are_shown_under_its_name() {
    let bench = bench();
    let pending = bench.database.pending(T);
    assert_eq!(pending.len(), 2);
    for row in pending {
        let name = bench.database.prepared_as(row.session).map(|name| name.to_string());
        assert_eq!(name.as_deref(), Some("a"));
    }
    assert_eq!(bench.database.prepared_as(1), None);
}

#[test]
fn there_is_nothing_to_prepare_outside_a_transaction_or_after_an_error() {
    let mut bench = Bench::new(&[(1, 10)]);
    assert_eq!(bench.run(1, prepare("x")), "ok");
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    bench.run(1, insert(&[(1, 1)]));
    assert_eq!(bench.run(1, prepare("x")), "ok", "which rolls back");
    assert!(!bench.database.in_transaction(1));
    assert!(in_doubt(&bench).is_empty());
    assert_eq!(
        bench.run(1, commit_prepared("x")),
        "error: prepared transaction with identifier \"x\" does not exist"
    );
    assert_eq!(bench.rows(), [(1, 10)]);
}

#[test]
fn an_empty_transaction_is_prepared_too() {
    let mut bench = Bench::new(&[]);
    bench.run(1, BEGIN);
    assert_eq!(bench.run(1, prepare("")), "ok");
    assert_eq!(in_doubt(&bench), [""]);
    assert_eq!(bench.run(1, rollback_prepared("")), "ok");
}

#[test]
fn an_identifier_that_is_taken_or_too_long_ends_the_transaction() {
    let long = "x".repeat(200);
    let answers = [
        (
            "a".to_string(),
            "error: transaction identifier \"a\" is already in use".to_string(),
        ),
        (
            long.clone(),
            format!("error: transaction identifier \"{long}\" is too long"),
        ),
    ];
    for (identifier, answer) in answers {
        let mut bench = bench();
        bench.run(2, BEGIN);
        bench.run(2, add(2, 1));
        assert_eq!(bench.run(2, prepare(&identifier)), answer);
        assert!(!bench.database.in_transaction(2));
        assert_eq!(bench.run(2, one(2)), "[2 20]");
        assert_eq!(in_doubt(&bench), ["a"]);
    }
}

#[test]
fn it_ends_outside_of_transactions_only() {
    let mut bench = bench();
    for (end, name) in [(commit_prepared("a"), "COMMIT"), (rollback_prepared("a"), "ROLLBACK")] {
        bench.run(2, BEGIN);
        assert_eq!(
            bench.run(2, end.clone()),
            format!("error: {name} PREPARED cannot run inside a transaction block")
        );
        assert_eq!(bench.run(2, end), ABORTED);
        bench.run(2, ROLLBACK);
    }
    assert_eq!(in_doubt(&bench), ["a"]);
}

#[test]
fn a_circle_through_it_is_no_deadlock() {
    let mut bench = bench();
    bench.run(2, BEGIN);
    bench.run(2, add(2, 1));
    assert_eq!(bench.run(2, add(1, 1)), "waits");
    assert_eq!(bench.deadlock(2), "none");
    assert_eq!(bench.database.waiting_for(2).len(), 1);
}

#[test]
fn a_prepared_one_cannot_fail_any_more_so_others_do() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    for session in [1, 2] {
        bench.run(session, SERIALIZABLE);
        bench.run(session, all());
    }
    bench.run(1, add(1, -10));
    bench.run(2, add(2, -10));
    assert_eq!(bench.run(1, prepare("p")), "ok");
    assert_eq!(bench.run(2, all()), SERIAL);
    bench.run(2, ROLLBACK);
    bench.run(3, SERIALIZABLE);
    bench.run(3, all());
    assert_eq!(bench.run(3, add(2, -10)), SERIAL, "who begins later, too");
    assert_eq!(bench.run(1, commit_prepared("p")), "ok");
    assert_eq!(bench.rows(), [(1, 0), (2, 20)]);
}

#[test]
fn a_pivot_cannot_be_prepared() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    for session in [1, 2] {
        bench.run(session, SERIALIZABLE);
        bench.run(session, all());
    }
    bench.run(1, add(1, -10));
    bench.run(2, add(2, -10));
    bench.run(1, COMMIT);
    assert_eq!(bench.run(2, prepare("p")), SERIAL);
    assert!(in_doubt(&bench).is_empty() && !bench.database.in_transaction(2));
}
