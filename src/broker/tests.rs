//! The broker against its rules one by one, and against a naive queue: nothing is lost or invented, and a message has one
//! holder at a time.

use super::*;
use crate::value::{Name, Value};
use std::collections::BTreeMap;

fn schema(lease: Option<Millis>, attempts: Option<u32>, exhausted: Exhausted) -> QueueSchema {
    QueueSchema {
        name: Name::from("q"),
        broker: 0,
        lease,
        attempts,
        exhausted,
        stale: Stale::Refused,
        volatile: false,
        partitions: None,
        groups: Rc::from([]),
        fields: [Name::from("id")].into_iter().collect(),
    }
}

fn row(id: i64) -> Row {
    Row::new([Name::from("id")].into_iter().collect(), vec![Value::Int(id)])
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
        self.broker
            .publish(&self.schemas, 0, row(id), None, at(now), &mut self.happened)
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
    bench
        .broker
        .end_lease(&bench.schemas, 0, 1, at(30), &mut bench.happened);
    assert_eq!(bench.ready(0), [1, 2]);
    assert!(bench.broker.ack(&bench.schemas, 0, 1).is_err());
    assert_eq!(bench.ready(0), [1, 2], "a refused ack changes nothing");
}

#[test]
fn an_accepted_stale_ack_deletes_the_message_under_the_next_holder() {
    let mut rules = schema(Some(30), None, Exhausted::Drop);
    rules.stale = Stale::Accepted;
    let mut bench = Bench::new(vec![rules]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    bench
        .broker
        .end_lease(&bench.schemas, 0, 1, at(30), &mut bench.happened);
    bench.receive(8, 31);
    assert_eq!(bench.broker.ack(&bench.schemas, 0, 1), Ok(()));
    assert_eq!(bench.broker.queue(0).present().count(), 0);
}

#[test]
fn an_extension_moves_the_end_of_the_lease_from_now() {
    let mut bench = Bench::new(vec![schema(Some(30), None, Exhausted::Drop)]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    assert_eq!(bench.broker.extend(&bench.schemas, 0, 1, None, 20), Ok(()));
    assert_eq!(bench.broker.lease_ends(0, 1), Some(50));
    assert_eq!(bench.broker.extend(&bench.schemas, 0, 1, Some(5), 21), Ok(()));
    assert_eq!(bench.broker.lease_ends(0, 1), Some(26));
}

#[test]
fn without_a_lease_a_message_returns_when_its_connection_ends_and_only_then() {
    let mut bench = Bench::new(vec![schema(None, None, Exhausted::Drop)]);
    bench.publish(1, 0);
    bench.receive(7, 0);
    bench.receive(8, 0);
    bench
        .broker
        .disconnect(&bench.schemas, None, 8, at(5), &mut bench.happened);
    assert_eq!(bench.ready(0), Vec::<u32>::new());
    bench
        .broker
        .disconnect(&bench.schemas, None, 7, at(6), &mut bench.happened);
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
            bench
                .broker
                .end_lease(&bench.schemas, 0, delivery, at(30), &mut bench.happened);
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
    bench
        .broker
        .end_lease(&bench.schemas, 0, 1, at(30), &mut bench.happened);
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
        .publish(&bench.schemas, 1, row(2), None, at(0), &mut bench.happened);
    bench.broker.down(&bench.schemas, 0, at(5), &mut bench.happened);
    assert_eq!(bench.broker.lease_ends(0, 1), Some(30), "leases run on");
    assert_eq!(bench.broker.queue(1).present().count(), 0);
}

mod naive {
    //! The naive queue: where each message is, as a map from its number.

    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Action {
        Publish,
        Receive(u32),
        Ack(u32),
        Nack(u32),
        EndLease(u32),
        Disconnect(u32),
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Where {
        Ready,
        Held(u32),
        Gone,
        Dead,
    }

    fn actions() -> impl Strategy<Value = Vec<Action>> {
        let action = prop_oneof![
            3 => Just(Action::Publish),
            4 => (1u32..4).prop_map(Action::Receive),
            2 => (1u32..12).prop_map(Action::Ack),
            1 => (1u32..12).prop_map(Action::Nack),
            2 => (1u32..12).prop_map(Action::EndLease),
            1 => (1u32..4).prop_map(Action::Disconnect),
        ];
        proptest::collection::vec(action, 0..60)
    }

    #[derive(Default)]
    struct Model {
        place: BTreeMap<u32, Where>,
        taken: BTreeMap<u32, u32>,
        /// delivery → (message, receiver), while it is in flight.
        held: BTreeMap<u32, (u32, Receiver)>,
        line: Vec<Receiver>,
        deliveries: u32,
    }

    impl Model {
        fn hand_out(&mut self) {
            while let Some(receiver) = self.line.first().copied() {
                let next = self
                    .place
                    .iter()
                    .find(|(_, place)| **place == Where::Ready)
                    .map(|(n, _)| *n);
                let Some(message) = next else { return };
                self.line.remove(0);
                self.deliveries += 1;
                self.held.insert(self.deliveries, (message, receiver));
                self.place.insert(message, Where::Held(self.deliveries));
                *self.taken.entry(message).or_insert(0) += 1;
            }
        }
        fn give_back(&mut self, delivery: u32, attempts: u32) {
            if let Some((message, _)) = self.held.remove(&delivery) {
                let dead = self.taken[&message] >= attempts;
                self.place
                    .insert(message, if dead { Where::Dead } else { Where::Ready });
                self.hand_out();
            }
        }
    }

    const ATTEMPTS: u32 = 3;

    fn play(bench: &mut Bench, model: &mut Model, leased: bool, action: &Action) {
        match action {
            Action::Publish => {
                let number = bench.publish(0, 0);
                model.place.insert(number, Where::Ready);
                model.hand_out();
            }
            Action::Receive(receiver) => {
                // A receiver waits once and holds what it likes; the line is first come, first served.
                bench.receive(*receiver, 0);
                model.line.push(*receiver);
                model.hand_out();
            }
            Action::Ack(delivery) => {
                let known = model.held.remove(delivery);
                if let Some((message, _)) = known {
                    model.place.insert(message, Where::Gone);
                }
                assert_eq!(bench.broker.ack(&bench.schemas, 0, *delivery).is_ok(), known.is_some());
            }
            Action::Nack(delivery) => {
                let known = model.held.contains_key(delivery);
                let answer = bench
                    .broker
                    .nack(&bench.schemas, 0, *delivery, None, false, at(0), &mut bench.happened);
                assert_eq!(answer.is_ok(), known);
                model.give_back(*delivery, ATTEMPTS);
            }
            Action::EndLease(delivery) if leased => {
                bench
                    .broker
                    .end_lease(&bench.schemas, 0, *delivery, at(0), &mut bench.happened);
                model.give_back(*delivery, ATTEMPTS);
            }
            Action::EndLease(_) => {}
            Action::Disconnect(receiver) => {
                bench
                    .broker
                    .disconnect(&bench.schemas, None, *receiver, at(0), &mut bench.happened);
                model.line.retain(|waiting| waiting != receiver);
                let bound: Vec<u32> = model
                    .held
                    .iter()
                    .filter(|(_, (_, r))| !leased && r == receiver)
                    .map(|(d, _)| *d)
                    .collect();
                for delivery in bound {
                    model.give_back(delivery, ATTEMPTS);
                }
            }
        }
    }

    fn compare(bench: &Bench, model: &Model) {
        let queue = bench.broker.queue(0);
        let expect = |which: fn(&Where) -> bool| -> Vec<u32> {
            model
                .place
                .iter()
                .filter(|(_, place)| which(place))
                .map(|(number, _)| *number)
                .collect()
        };
        assert_eq!(bench.ready(0), expect(|place| *place == Where::Ready));
        assert_eq!(
            queue.dead().map(|m| m.number).collect::<Vec<_>>(),
            expect(|place| *place == Where::Dead)
        );
        let mut held: Vec<(u32, u32)> = queue.in_flight().map(|h| (h.message.number, h.delivery)).collect();
        held.sort_unstable();
        let mut expected: Vec<(u32, u32)> = model.held.iter().map(|(d, (m, _))| (*m, *d)).collect();
        expected.sort_unstable();
        assert_eq!(held, expected);
        let mut holders: Vec<u32> = held.iter().map(|(message, _)| *message).collect();
        holders.dedup();
        assert_eq!(holders.len(), held.len(), "one holder a message");
        assert_eq!(
            queue.accepted.len(),
            model.place.len(),
            "everything accepted is accounted for"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_invented(actions in actions(), leased: bool) {
            let lease = leased.then_some(30);
            let mut bench = Bench::new(vec![schema(lease, Some(ATTEMPTS), Exhausted::Keep)]);
            let mut model = Model::default();
            for action in &actions {
                play(&mut bench, &mut model, leased, action);
                compare(&bench, &model);
            }
        }
    }
}
