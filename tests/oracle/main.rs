//! The engine against a model checker: outbox and inbox, every order, up to two crashes. What can be left at the end is the same.

mod model;
mod scenario;

use model::Outbox;

fn agree(orders: usize, crashes: u8) {
    let (expected, states) = Outbox::new(orders, crashes).outcomes();
    let text = scenario::scenario(orders);
    let (found, counts) = scenario::outcomes(&text, orders, usize::from(crashes), true);
    assert_eq!(
        found, expected,
        "{orders} orders, {crashes} crashes: {states} states, {counts:?}"
    );
}

#[test]
fn without_a_crash_every_order_is_announced_once_and_shipped_once() {
    let (found, _) = scenario::outcomes(&scenario::scenario(2), 2, 0, true);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [vec![(true, 1, 1); 2]]);
    agree(2, 0);
}

#[test]
fn one_and_two_crashes_leave_the_same_in_the_model() {
    agree(2, 1);
    agree(2, 2);
    agree(3, 1);
}

#[test]
fn recognised_worlds_lose_no_outcome() {
    let text = scenario::scenario(1);
    let (plain, _) = scenario::outcomes(&text, 1, 2, false);
    let (known, _) = scenario::outcomes(&text, 1, 2, true);
    assert_eq!(known, plain);
}
