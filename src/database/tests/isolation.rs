//! What statements see, and what commit and rollback leave.

use super::support::*;
use crate::expression::{Expr, Function};
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
    assert_eq!(bench.run(1, COMMIT), "ok");
    assert_eq!(bench.run(2, all()), "[1 11, 2 20]");
}

#[test]
fn pending_rows_show_before_and_after() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    bench.run(1, delete(Some(eq(ID, 2))));
    bench.run(1, insert(&[(3, 30), (4, 40)]));
    bench.run(1, delete(Some(eq(ID, 4))));
    let shown: Vec<String> = bench
        .database
        .pending(T)
        .into_iter()
        .map(|row| {
            let text = |row: Option<crate::value::Row>| row.map_or("-".into(), |row| format!("{:?}", row.values()[1]));
            format!(
                "{} by {}: {} to {}",
                row.identity,
                row.session,
                text(row.before),
                text(row.after)
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "1 by 1: Int(10) to Int(11)",
            "2 by 1: Int(20) to -",
            "3 by 1: - to Int(30)"
        ]
    );
    assert_eq!(
        bench.database.locked(T).iter().map(|(row, _)| *row).collect::<Vec<_>>(),
        [1, 2, 4]
    );
    bench.run(1, COMMIT);
    assert!(bench.database.pending(T).is_empty() && bench.database.locked(T).is_empty());
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
fn the_commit_log_has_every_change_at_its_commit() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, insert(&[(2, 20)]));
    bench.run(1, add(2, 1));
    bench.run(2, add(1, 5));
    bench.run(1, delete(Some(eq(ID, 1))));
    bench.run(1, COMMIT);
    assert_eq!(
        bench.facts(T),
        [
            "insert 0: 1, 10, null",
            "update 1: 1, 15, null",
            "insert 2: 2, 20, null",
            "update 2: 2, 21, null",
            "delete 2: 1, 15, null"
        ]
    );
    let stamps: Vec<u32> = bench
        .database
        .facts(T)
        .iter()
        .skip(1)
        .map(|fact| fact.stamp.event)
        .collect();
    assert_eq!(stamps, [4, 6, 6, 6], "the commit's stamp, not the statement's");
    let identities: Vec<u64> = bench.database.facts(T).iter().map(|fact| fact.identity).collect();
    assert_eq!(identities, [1, 1, 2, 2, 1]);
}

#[test]
fn a_commit_without_changes_has_no_number() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, all());
    bench.run(1, BEGIN);
    bench.run(1, all().locking(LockWait::Wait));
    bench.run(1, COMMIT);
    bench.run(1, add(1, 1));
    assert_eq!(bench.facts(T).last().map(String::as_str), Some("update 1: 1, 11, null"));
}

#[test]
fn now_is_the_start_of_the_transaction() {
    let now = || Expr::Call(Function::Now, vec![]);
    let set = || {
        update(
            &[(U, Expr::Cast(Box::new(now()), crate::expression::SqlType::Text))],
            None,
        )
    };
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN); // second 1
    bench.run(2, all());
    bench.run(1, set());
    bench.run(1, COMMIT);
    assert_eq!(bench.run(1, from(T, &[U])), "[1s]");
    bench.run(1, set()); // second 6
    assert_eq!(bench.run(1, from(T, &[U])), "[6s]");
}

#[test]
fn a_statement_that_waits_keeps_the_time_it_began() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    let now = Expr::Cast(
        Box::new(Expr::Call(Function::Now, vec![])),
        crate::expression::SqlType::Text,
    );
    assert_eq!(bench.run(2, update(&[(U, now)], None)), "waits"); // second 3
    bench.run(1, COMMIT);
    bench.resume(2);
    assert_eq!(bench.run(1, from(T, &[U])), "[3s]");
}
