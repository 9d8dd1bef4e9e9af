//! Groups, copies, full queues and messages that expire, one by one.

use super::*;
use crate::program::{Dedupe, Expires};

fn leased() -> QueueSchema {
    schema(Some(30), None, Exhausted::Drop)
}

fn grouped() -> Bench {
    Bench::new(vec![QueueSchema {
        grouped: true,
        ..leased()
    }])
}

/// Publishes three messages of group 1 and one of group 2.
fn filled() -> Bench {
    let mut bench = grouped();
    for (id, key) in [(1, 1), (2, 1), (3, 2), (4, 1)] {
        bench.publish_row(keyed(Some(id), Some(key)), 0).expect("a number");
    }
    bench
}

#[test]
fn of_a_group_one_message_is_in_flight_and_other_groups_go_on() {
    let mut bench = filled();
    for receiver in 1..=3 {
        bench.receive(receiver, 1);
    }
    assert_eq!(bench.held(), [1, 3], "2 and 4 wait for 1");
    assert!(bench.broker.queue(0).is_held_back(2));
    assert!(!bench.broker.queue(0).is_held_back(3));
    assert_eq!(bench.ack(1, 2), Ok(()));
    assert_eq!(bench.held(), [2, 3], "the third receiver stood in line for it");
}

#[test]
fn a_group_is_not_freed_by_a_new_message_nor_by_an_extension_of_its_head() {
    let mut bench = filled();
    bench.receive(1, 1);
    bench.receive(2, 1);
    bench.receive(3, 1);
    assert_eq!(bench.extend(1, Some(500), 2), Ok(()));
    bench.publish_row(keyed(Some(5), Some(1)), 3).expect("a number");
    bench.end_lease(1, 502);
    assert_eq!(bench.held(), [1, 3], "the head itself is the next of its group");
}

#[test]
fn a_head_that_waits_for_another_attempt_holds_its_group_and_goes_first() {
    let mut bench = filled();
    bench.receive(1, 1);
    assert_eq!(bench.nack(1, Some(10), false, 2), Ok(()));
    bench.receive(1, 3);
    assert_eq!(bench.held(), [3], "only the other group");
    bench.receive(1, 4);
    bench.due(1, 12);
    assert_eq!(bench.held(), [1, 3]);
}

#[test]
fn what_is_given_up_holds_nobody_back() {
    let mut bench = filled();
    bench.receive(1, 1);
    assert_eq!(bench.nack(1, None, true, 2), Ok(()));
    bench.receive(1, 3);
    assert_eq!(bench.held(), [2]);
}

#[test]
fn a_message_that_its_publisher_delayed_holds_no_group_and_messages_without_key_have_none() {
    let mut bench = grouped();
    bench
        .publish_after(keyed(Some(1), Some(1)), Some(10), 0)
        .expect("a number");
    for id in 2..=4 {
        let key = (id == 2).then_some(1);
        bench.publish_row(keyed(Some(id), key), 0).expect("a number");
    }
    for receiver in 1..=3 {
        bench.receive(receiver, 1);
    }
    assert_eq!(bench.held(), [2, 3, 4]);
}

#[test]
fn an_old_handle_cannot_steal_what_another_of_its_group_keeps_back() {
    let mut bench = Bench::new(vec![QueueSchema {
        grouped: true,
        stale: Stale::Steals,
        ..leased()
    }]);
    // 1 is delayed by its publisher, so 2 is delivered first and comes back behind it.
    bench
        .publish_after(keyed(Some(1), Some(1)), Some(10), 0)
        .expect("a number");
    bench.publish_row(keyed(Some(2), Some(1)), 0).expect("a number");
    bench.receive(1, 0);
    bench.due(1, 10);
    bench.end_lease(1, 30);
    bench.receive(1, 31);
    assert_eq!(bench.held(), [1]);
    assert_eq!(bench.extend(1, None, 32), Ok(()));
    assert_eq!(bench.held(), [1]);
}

#[test]
fn a_lease_that_an_old_handle_steals_ends_too() {
    let mut bench = Bench::new(vec![QueueSchema {
        stale: Stale::Steals,
        ..leased()
    }]);
    bench.publish(1, 0);
    bench.receive(1, 0);
    bench.end_lease(1, 30);
    assert_eq!(bench.extend(1, None, 35), Ok(()));
    assert_eq!(
        bench.happened.last(),
        Some(&Happened::Leased {
            queue: 0,
            delivery: 1,
            lease_ends: 65
        })
    );
}

#[test]
fn within_the_window_a_known_id_is_confirmed_and_not_stored_even_after_its_message_is_gone() {
    let mut bench = Bench::new(vec![QueueSchema {
        dedupe: Some(Dedupe::Within(100)),
        ..leased()
    }]);
    assert_eq!(bench.publish(7, 0), 1);
    bench.receive(1, 0);
    assert_eq!(bench.ack(1, 1), Ok(()));
    assert_eq!(bench.publish(7, 3), 1, "a copy of message 1");
    assert_eq!(bench.happened.last(), Some(&Happened::Copy { queue: 0, message: 1 }));
    assert_eq!(bench.broker.facts(0).len(), 1, "a copy is no fact");
    assert_eq!(bench.publish(7, 99), 1, "the copy did not prolong the window");
    assert_eq!(bench.publish(7, 100), 2);
}

#[test]
fn while_queued_an_id_is_free_again_when_its_message_is_gone() {
    let mut bench = Bench::new(vec![QueueSchema {
        dedupe: Some(Dedupe::WhileQueued),
        ..leased()
    }]);
    assert_eq!(bench.publish(7, 0), 1);
    assert_eq!(bench.publish(7, 1), 1);
    bench.receive(1, 2);
    assert_eq!(bench.publish(7, 3), 1, "in flight is queued");
    assert_eq!(bench.ack(1, 4), Ok(()));
    assert_eq!(bench.publish(7, 5), 2);
}

#[test]
fn messages_without_an_id_are_no_copies() {
    let mut bench = Bench::new(vec![QueueSchema {
        dedupe: Some(Dedupe::Within(100)),
        ..leased()
    }]);
    assert_eq!(bench.publish_row(keyed(None, None), 0), Ok(1));
    assert_eq!(bench.publish_row(keyed(None, None), 1), Ok(2));
}

#[test]
fn a_full_queue_refuses_until_a_message_is_done_and_confirms_copies_all_the_same() {
    let mut bench = Bench::new(vec![QueueSchema {
        capacity: Some(2),
        dedupe: Some(Dedupe::WhileQueued),
        ..leased()
    }]);
    bench.publish(1, 0);
    bench.publish(2, 0);
    bench.receive(1, 0);
    let refused = bench.publish_row(row(3), 1).expect_err("in flight counts");
    assert_eq!(
        (refused.class, &*refused.detail),
        (ErrorClass::Refused, "queue q is full")
    );
    assert_eq!(bench.publish(2, 1), 2);
    assert_eq!(bench.ack(1, 2), Ok(()));
    assert_eq!(bench.publish(3, 3), 3);
}

#[test]
fn a_message_expires_where_it_lies_and_one_in_flight_when_it_comes_back() {
    for (dead, moved) in [(Some(1), 1), (None, 0)] {
        let rules = QueueSchema {
            expires: Some(Expires { after: 20, dead }),
            ..leased()
        };
        let mut bench = Bench::new(vec![rules, leased()]);
        bench.publish(1, 0);
        bench.publish(2, 0);
        bench.receive(1, 1);
        assert!(!bench.expire(1, 20), "it is in flight");
        assert!(bench.expire(2, 20));
        assert_eq!(
            bench.happened.iter().find(|h| matches!(h, Happened::Expired { .. })),
            Some(&Happened::Expired {
                queue: 0,
                message: 2,
                dead
            })
        );
        assert_eq!(bench.ready(1).len(), moved);
        bench.end_lease(1, 31);
        assert_eq!(bench.broker.queue(0).len(), 0);
        assert_eq!(bench.ready(1).len(), 2 * moved);
        assert!(!bench.broker.waits_for_time());
    }
}

#[test]
fn a_message_that_expires_frees_its_group() {
    let rules = QueueSchema {
        grouped: true,
        expires: Some(Expires { after: 20, dead: None }),
        ..leased()
    };
    let mut bench = Bench::new(vec![rules]);
    bench.publish_row(keyed(Some(1), Some(1)), 0).expect("a number");
    bench.receive(1, 1);
    assert_eq!(bench.nack(1, Some(100), false, 2), Ok(()));
    bench.publish_row(keyed(Some(2), Some(1)), 3).expect("a number");
    bench.receive(1, 4);
    assert_eq!(bench.held(), [0; 0]);
    assert!(bench.expire(1, 20));
    assert_eq!(bench.held(), [2]);
}
