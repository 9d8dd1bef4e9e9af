//! The broker against its rules one by one, and against a naive queue: nothing is lost or invented, and a message has one
//! holder at a time.

use super::*;
use crate::value::{Name, Value};

fn schema(lease: Option<Millis>, attempts: Option<u32>, exhausted: Exhausted) -> QueueSchema {
    QueueSchema {
        lease,
        attempts,
        exhausted,
        ..QueueSchema::plain(Name::from("q"), 0)
    }
}

fn row(id: i64) -> Row {
    Row::new([Name::from("id")].into_iter().collect(), vec![Value::Int(id)])
}

fn keyed(id: Option<i64>, key: Option<i64>) -> Row {
    let value = |value: Option<i64>| value.map_or(Value::Null, Value::Int);
    let names = ["id", "key"].map(Name::from).into_iter().collect();
    Row::new(names, vec![value(id), value(key)])
}

fn at(at: Millis) -> Stamp {
    Stamp { event: at as u32, at }
}

/// A broker with one queue or two, and a notebook of what happened.
struct Bench {
    schemas: Vec<QueueSchema>,
    broker: Broker,
    happened: Vec<Happened>,
}

impl Bench {
    fn new(schemas: Vec<QueueSchema>) -> Bench {
        Bench {
            broker: Broker::new(schemas.len()),
            schemas,
            happened: Vec::new(),
        }
    }
    fn publish(&mut self, id: i64, now: Millis) -> u32 {
        self.publish_row(row(id), now).expect("a number")
    }
    fn publish_row(&mut self, row: Row, now: Millis) -> Result<u32, Failure> {
        self.publish_after(row, None, now)
    }
    fn publish_after(&mut self, row: Row, after: Option<Millis>, now: Millis) -> Result<u32, Failure> {
        self.broker
            .publish(&self.schemas, 0, row, after, at(now), &mut self.happened)
    }
    fn nack(&mut self, delivery: u32, after: Option<Millis>, dead: bool, now: Millis) -> Answer {
        self.broker
            .nack(&self.schemas, 0, delivery, after, dead, at(now), &mut self.happened)
    }
    fn due(&mut self, message: u32, now: Millis) -> bool {
        self.broker.due(&self.schemas, 0, message, at(now), &mut self.happened)
    }
    fn expire(&mut self, message: u32, now: Millis) -> bool {
        self.broker
            .expire(&self.schemas, 0, message, at(now), &mut self.happened)
    }
    /// The messages in flight, by number.
    fn held(&self) -> Vec<u32> {
        let mut held: Vec<u32> = self.broker.queue(0).in_flight().map(|h| h.message.number).collect();
        held.sort_unstable();
        held
    }
    fn ack(&mut self, delivery: u32, now: Millis) -> Answer {
        self.broker.ack(&self.schemas, 0, delivery, at(now), &mut self.happened)
    }
    fn end_lease(&mut self, delivery: u32, now: Millis) {
        self.broker
            .end_lease(&self.schemas, 0, delivery, at(now), &mut self.happened);
    }
    fn extend(&mut self, delivery: u32, by: Option<Millis>, now: Millis) -> Answer {
        self.broker
            .extend(&self.schemas, 0, delivery, by, now, &mut self.happened)
    }
    fn disconnect(&mut self, receiver: Receiver, now: Millis) {
        self.broker
            .disconnect(&self.schemas, None, receiver, None, at(now), &mut self.happened);
    }
    fn receive(&mut self, receiver: Receiver, now: Millis) {
        self.broker
            .receive(&self.schemas, 0, receiver, at(now), &mut self.happened);
    }
    fn delivered(&self) -> Vec<(Receiver, u32)> {
        let pick = |h: &Happened| match h {
            Happened::Delivered { receiver, delivery, .. } => Some((*receiver, *delivery)),
            _ => None,
        };
        self.happened.iter().filter_map(pick).collect()
    }
    fn ready(&self, queue: u16) -> Vec<u32> {
        self.broker.queue(queue).ready().map(|m| m.number).collect()
    }
}

#[test]
fn the_receiver_that_has_waited_longest_gets_the_next_message() {
    let mut bench = Bench::new(vec![schema(Some(30), None, Exhausted::Drop)]);
    bench.receive(7, 0);
    bench.receive(3, 0);
    bench.publish(1, 1);
    bench.publish(2, 2);
    assert_eq!(bench.delivered(), [(7, 1), (3, 2)]);
}

#[test]
fn a_lease_that_ends_makes_the_message_ready_at_its_old_place_and_its_handle_stale() {
    let mut bench = Bench::new(vec![schema(Some(30), None, Exhausted::Drop)]);
    bench.publish(1, 0);
    bench.publish(2, 0);
    bench.receive(7, 0);
    assert_eq!(bench.broker.lease_ends(0, 1), Some(30));
    bench.end_lease(1, 30);
    assert_eq!(bench.ready(0), [1, 2]);
    assert!(bench.ack(1, 40).is_err());
    assert_eq!(bench.ready(0), [1, 2], "a refused ack changes nothing");
}

/// As NATS JetStream has it.
#[test]
fn what_came_back_goes_again_in_turn_before_what_is_new() {
    let mut rules = schema(Some(30), None, Exhausted::Drop);
    rules.again_in_turn = true;
    let mut bench = Bench::new(vec![rules]);
    for id in [1, 2, 3] {
        bench.publish(id, 0);
    }
    bench.receive(7, 0);
    bench.receive(8, 0);
    bench.end_lease(2, 30);
    bench.end_lease(1, 31);
    assert_eq!(bench.ready(0), [2, 1, 3]);
    for at in [40, 41, 42] {
        bench.receive(9, at);
    }
    let carried = [3, 4, 5].map(|delivery| bench.broker.queue(0).message_of(delivery));
    assert_eq!(carried, [Some(2), Some(1), Some(3)]);
    assert!(bench.ready(0).is_empty());
}

#[test]
fn an_accepted_stale_ack_deletes_the_message_under_the_next_holder() {
    let mut rules = schema(Some(30), None, Exhausted::Drop);
    rules.stale = Stale::Accepted;
    let mut bench = Bench::new(vec![rules]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    bench.end_lease(1, 30);
    bench.receive(8, 31);
    assert_eq!(bench.ack(1, 40), Ok(()));
    assert_eq!(bench.broker.queue(0).present().count(), 0);
}

/// As NATS JetStream has it: progress is reported of a message, with the handle of whichever delivery.
#[test]
fn an_accepted_stale_extension_prolongs_the_delivery_that_there_is_now() {
    let mut rules = schema(Some(30), None, Exhausted::Drop);
    rules.stale = Stale::Accepted;
    let mut bench = Bench::new(vec![rules]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    bench.end_lease(1, 30);
    assert_eq!(bench.extend(1, None, 31), Ok(()));
    assert_eq!(
        bench.ready(0),
        [1],
        "nobody holds the message: there is nothing to prolong"
    );
    bench.receive(8, 32);
    assert_eq!(bench.broker.lease_ends(0, 2), Some(62));
    assert_eq!(bench.extend(1, None, 40), Ok(()));
    assert_eq!(bench.broker.lease_ends(0, 2), Some(70));
}

#[test]
fn an_ignored_stale_answer_is_well_and_changes_nothing_and_one_that_closes_is_refused() {
    for (stale, answered) in [(Stale::Ignored, true), (Stale::Closes, false)] {
        let mut rules = schema(Some(30), None, Exhausted::Drop);
        rules.stale = stale;
        let mut bench = Bench::new(vec![rules]);
        bench.publish(1, 0);
        bench.receive(7, 0);
        bench.end_lease(1, 30);
        bench.receive(8, 31);
        assert_eq!(bench.ack(1, 32).is_ok(), answered);
        assert_eq!(bench.nack(1, None, true, 33).is_ok(), answered);
        assert_eq!(bench.extend(1, Some(500), 34).is_ok(), answered);
        assert_eq!(bench.held(), [1]);
        assert_eq!(bench.broker.lease_ends(0, 2), Some(61));
    }
}

#[test]
fn an_extension_moves_the_end_of_the_lease_from_now() {
    let mut bench = Bench::new(vec![schema(Some(30), None, Exhausted::Drop)]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    assert_eq!(bench.extend(1, None, 20), Ok(()));
    assert_eq!(bench.broker.lease_ends(0, 1), Some(50));
    assert_eq!(bench.extend(1, Some(5), 21), Ok(()));
    assert_eq!(bench.broker.lease_ends(0, 1), Some(26));
}

#[test]
fn without_a_lease_a_message_returns_when_its_connection_ends_and_only_then() {
    let mut bench = Bench::new(vec![schema(None, None, Exhausted::Drop)]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    bench.receive(8, 0);
    bench.disconnect(8, 5);
    assert_eq!(bench.ready(0), Vec::<u32>::new());
    bench.disconnect(7, 6);
    assert_eq!(bench.ready(0), [1]);
    assert_eq!(
        bench.happened.last(),
        Some(&Happened::Returned { queue: 0, message: 1 })
    );
}

#[test]
fn after_the_last_delivery_a_message_goes_to_the_dead_letter_queue_is_dropped_or_kept() {
    for (exhausted, in_dead, kept) in [
        (Exhausted::Dead(1), 1, 0),
        (Exhausted::Drop, 0, 0),
        (Exhausted::Keep, 0, 1),
    ] {
        let mut bench = Bench::new(vec![
            schema(Some(30), Some(2), exhausted),
            schema(Some(30), None, Exhausted::Drop),
        ]);
        bench.publish(1, 0);
        for delivery in 1..=2 {
            bench.receive(7, 0);
            bench.end_lease(delivery, 30);
        }
        assert_eq!(bench.ready(0), Vec::<u32>::new());
        assert_eq!(bench.ready(1).len(), in_dead);
        assert_eq!(bench.broker.queue(0).dead().count(), kept);
    }
}

#[test]
fn sending_back_from_the_dead_letter_queue_counts_deliveries_anew_and_is_no_new_acceptance() {
    let mut bench = Bench::new(vec![
        schema(Some(30), Some(1), Exhausted::Dead(1)),
        schema(Some(30), None, Exhausted::Drop),
    ]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    bench.end_lease(1, 30);
    assert_eq!(
        bench.broker.redrive(&bench.schemas, 1, 0, at(40), &mut bench.happened),
        1
    );
    let back: Vec<_> = bench
        .broker
        .queue(0)
        .ready()
        .map(|m| (m.deliveries, m.origin))
        .collect();
    assert_eq!(back, [(0, (0, 1))]);
    assert_eq!((bench.broker.facts(0).len(), bench.broker.facts(1).len()), (1, 0));
}

#[test]
fn a_refused_message_waits_for_its_delay() {
    let mut bench = Bench::new(vec![schema(Some(30), None, Exhausted::Drop)]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    let nacked = bench
        .broker
        .nack(&bench.schemas, 0, 1, Some(10), false, at(2), &mut bench.happened);
    assert_eq!(nacked, Ok(()));
    assert_eq!(
        bench.happened.last(),
        Some(&Happened::Delayed {
            queue: 0,
            message: 1,
            due: 12
        })
    );
    assert_eq!(bench.ready(0), Vec::<u32>::new());
    assert!(bench.broker.due(&bench.schemas, 0, 1, at(12), &mut bench.happened));
    assert_eq!(bench.ready(0), [1]);
}

#[test]
fn a_broker_that_goes_down_keeps_durable_messages_and_leases_and_loses_volatile_ones() {
    let mut volatile = schema(None, None, Exhausted::Drop);
    volatile.volatile = true;
    let mut bench = Bench::new(vec![schema(Some(30), None, Exhausted::Drop), volatile]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    bench
        .broker
        .publish(&bench.schemas, 1, row(2), None, at(0), &mut bench.happened)
        .expect("a number");
    bench.broker.down(&bench.schemas, 0, at(5), &mut bench.happened);
    assert_eq!(bench.broker.lease_ends(0, 1), Some(30), "leases run on");
    assert_eq!(bench.broker.queue(1).present().count(), 0);
}

mod naive;
mod rules;
