//! Clients that go, servers that die, and clones.

use super::support::*;

#[test]
fn a_client_that_goes_takes_its_transaction_back() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    assert_eq!(bench.run(3, add(1, 1000)), "waits");
    assert_eq!(bench.database.close(1), [2, 3]);
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.resume(3), "1");
    assert_eq!(bench.rows(), [(1, 1110)]);
    assert!(bench.database.close(1).is_empty(), "nothing is left to close");
}

#[test]
fn a_waiting_statement_goes_on_waiting_when_its_client_goes() {
    let mut bench = Bench::new(&[(1, 10), (2, 20)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    bench.run(2, BEGIN);
    bench.run(2, add(2, 1));
    assert_eq!(bench.run(2, add(1, 1)), "waits");
    assert!(bench.database.close(2).is_empty());
    assert_eq!(bench.run(3, add(2, 1)), "waits", "it keeps its other locks");
    assert_eq!(bench.run(1, COMMIT), "ok wakes 2");
    assert_eq!(bench.resume(2), "1");
    assert_eq!(bench.database.close(2), [3]);
    assert_eq!(bench.resume(3), "1");
    assert_eq!(bench.rows(), [(1, 11), (2, 21)]);
}

#[test]
fn a_dead_server_keeps_what_is_committed_and_its_sequences() {
    let mut bench = Bench::new(&[(1, 10)]);
    let serial = || returning(insert_into(S, &[1], vec![vec![text("x")]]), &[0]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    bench.run(1, insert(&[(2, 20)]));
    assert_eq!(bench.run(1, serial()), "[1]");
    assert_eq!(bench.run(2, insert(&[(2, 21)])), "waits");
    bench.database.down();
    assert!(!bench.database.in_transaction(1) && !bench.database.in_transaction(2));
    assert!(bench.database.waiting_for(2).is_empty());
    assert_eq!(bench.run(3, all()), "[1 10]");
    assert_eq!(bench.run(3, insert(&[(2, 22)])), "1");
    assert_eq!(bench.run(3, add(1, 1)), "1");
    assert_eq!(bench.run(3, serial()), "[2]");
}

#[test]
fn a_clone_goes_its_own_way() {
    let mut bench = Bench::new(&[(1, 10)]);
    bench.run(1, BEGIN);
    bench.run(1, add(1, 1));
    assert_eq!(bench.run(2, add(1, 100)), "waits");
    let mut other = bench.clone();
    bench.run(1, COMMIT);
    bench.resume(2);
    other.run(1, ROLLBACK);
    other.resume(2);
    assert_eq!(bench.rows(), [(1, 111)]);
    assert_eq!(other.rows(), [(1, 110)]);
}

/// A relay that marks rows one by one, and one that deletes the first hundred again and again, must both be linear: this would
/// run for minutes otherwise.
#[test]
fn many_rows_one_by_one() {
    let mut bench = Bench::new(&[]);
    for id in 0..20_000 {
        bench.run(1, insert(&[(id, 0)]));
    }
    let kept = bench.clone();
    for id in 0..20_000 {
        assert_eq!(bench.run(1, update(&[(V, int(1))], Some(eq(ID, id)))), "1");
    }
    for first in (0..20_000).step_by(100) {
        let rows = bench.run(1, from(T, &[ID]).by(ID, false).first(100));
        assert!(rows.starts_with(&format!("[{first}, ")), "{rows}");
        for id in first..first + 100 {
            bench.run(1, delete(Some(eq(ID, id))));
        }
    }
    assert_eq!(bench.rows(), []);
    assert_eq!(kept.rows().len(), 20_000);
}
