//! Judging takes time linear in the facts: measured by work that a quadratic judge could not finish in a test.

use super::stage::*;
use crate::program::{Count, Kind};

#[test]
fn a_hundred_thousand_causes_are_judged() {
    let mut stage = Stage::default();
    for n in 0..100_000u32 {
        let (id, identity) = (format!("evt-{n}"), u64::from(n));
        stage.insert(ORDERS, n, identity, order(i64::from(n)));
        // Every tenth order has no event; of those every other still waits in the outbox.
        match n % 20 {
            0 => stage.insert(OUTBOX, n, identity, outbox(&id, false)),
            10 => {}
            _ => stage.accept(EVENTS, n, identity, message(&id)),
        }
    }
    let found = stage.findings(event_for_each_order(Count::One));
    let count = |kind| found.iter().filter(|(k, _)| *k == kind).count();
    assert_eq!(
        (count(Kind::Lost), count(Kind::Stuck), found.len()),
        (5_000, 5_000, 10_000)
    );
}
