//! Partitions against their rules one by one, and against naive logs: each group gets everything, each partition is read in
//! sequence within a generation, and stored positions never go back.

use super::*;
use crate::value::{Name, Row};
use std::collections::{BTreeMap, BTreeSet};

const PARTITIONS: u32 = 3;

fn schema(lease: Option<Millis>, attempts: Option<u32>) -> QueueSchema {
    QueueSchema {
        lease,
        attempts,
        exhausted: Exhausted::Drop,
        partitions: Some(PARTITIONS),
        groups: ["a", "b"].map(Name::from).into(),
        fields: [Name::from("key")].into_iter().collect(),
        ..QueueSchema::plain(Name::from("q"), 0)
    }
}

fn row(key: Value) -> Row {
    Row::new([Name::from("key")].into_iter().collect(), vec![key])
}

fn at(at: Millis) -> Stamp {
    Stamp { event: at as u32, at }
}

struct Bench {
    schemas: Vec<QueueSchema>,
    broker: Broker,
    happened: Vec<Happened>,
}

impl Bench {
    fn new(schema: QueueSchema) -> Bench {
        Bench {
            broker: Broker::new(1),
            schemas: vec![schema],
            happened: Vec::new(),
        }
    }
    fn publish(&mut self, key: Value) -> u32 {
        self.broker
            .publish(&self.schemas, 0, row(key), None, at(1), &mut self.happened)
            .expect("there is room")
    }
    fn ask(&mut self, group: u16, receiver: Receiver) {
        self.broker.join(&self.schemas, 0, group, receiver, &mut self.happened);
        self.broker
            .receive(&self.schemas, 0, receiver, at(2), &mut self.happened);
    }
    fn rebalance(&mut self, group: u16) -> Option<u32> {
        self.broker
            .rebalance(&self.schemas, 0, group, at(3), &mut self.happened)
    }
    fn ack(&mut self, delivery: u32) -> Answer {
        self.broker.ack(&self.schemas, 0, delivery, at(4), &mut self.happened)
    }
    fn nack(&mut self, delivery: u32, dead: bool) -> Answer {
        self.broker
            .nack(&self.schemas, 0, delivery, None, dead, at(4), &mut self.happened)
    }
    fn disconnect(&mut self, receiver: Receiver, now: Millis) {
        self.broker
            .disconnect(&self.schemas, None, receiver, None, at(now), &mut self.happened);
    }
    /// The messages delivered so far, with their receivers.
    fn delivered(&self) -> Vec<(Receiver, u32)> {
        let message = |delivery: u32| self.broker.queue(0).message_of(delivery).expect("it was delivered");
        let pick = |h: &Happened| match h {
            Happened::Delivered { receiver, delivery, .. } => Some((*receiver, message(*delivery))),
            _ => None,
        };
        self.happened.iter().filter_map(pick).collect()
    }
    /// Messages that have been acknowledged and of each partition all, over the partitions.
    fn positions(&self, group: usize) -> (u32, u32) {
        let positions = &self.broker.groups(0)[group].positions;
        let sum = |(a, b): (u32, u32), (c, d): &(u32, u32)| (a + c, b + d);
        positions.iter().fold((0, 0), sum)
    }
}

#[test]
fn the_partition_of_a_key_is_its_fnv_hash_and_without_key_the_number_counts() {
    // FNV-1a, 64 bits: of nothing 0xcbf29ce484222325, of "a" 0xaf63dc4c8601ec8c.
    assert_eq!(
        partition_of(Some(&Value::text("")), 1, 10),
        (0xcbf2_9ce4_8422_2325_u64 % 10) as usize
    );
    assert_eq!(
        partition_of(Some(&Value::text("a")), 1, 10),
        (0xaf63_dc4c_8601_ec8c_u64 % 10) as usize
    );
    assert_eq!(partition_of(Some(&Value::Null), 7, 3), 1);
    assert_eq!(partition_of(None, 6, 3), 0);
    // A number and its text are the same key.
    assert_eq!(
        partition_of(Some(&Value::Int(4711)), 1, 64),
        partition_of(Some(&Value::text("4711")), 2, 64)
    );
}

#[test]
fn every_group_gets_everything_and_waits_for_nobody_else() {
    let mut bench = Bench::new(schema(None, None));
    bench.ask(0, 1);
    bench.ask(1, 2);
    bench.rebalance(0);
    bench.rebalance(1);
    bench.publish(Value::text("k"));
    assert_eq!(bench.delivered(), [(1, 1), (2, 1)]);
    assert_eq!(bench.ack(1), Ok(()));
    assert_eq!(
        bench.broker.queue(0).present().count(),
        1,
        "group b has yet to acknowledge it"
    );
    assert_eq!(bench.ack(2), Ok(()));
    assert_eq!(bench.broker.queue(0).present().count(), 0);
    assert_eq!(bench.broker.facts(0).len(), 1);
}

#[test]
fn nobody_gets_anything_until_the_partitions_are_dealt() {
    let mut bench = Bench::new(schema(None, None));
    bench.publish(Value::Null);
    bench.ask(0, 1);
    assert_eq!(bench.delivered(), []);
    assert_eq!(bench.rebalance(0), Some(1));
    assert_eq!(bench.delivered(), [(1, 1)]);
    assert_eq!(bench.rebalance(0), None, "nobody has come or gone");
}

#[test]
fn members_get_their_partitions_in_the_sequence_they_joined() {
    let mut bench = Bench::new(schema(None, None));
    bench.ask(0, 9);
    bench.ask(0, 5);
    bench.rebalance(0);
    // Without a key message 1 is in partition 1, the second member's; 2 in partition 2 and 3 in partition 0, the first's.
    bench.publish(Value::Null);
    bench.publish(Value::Null);
    bench.publish(Value::Null);
    assert_eq!(bench.delivered(), [(5, 1), (9, 2)]);
    bench.broker.pass_over(0, 2);
    bench.ask(0, 9);
    assert_eq!(bench.delivered(), [(5, 1), (9, 2), (9, 3)]);
}

#[test]
fn a_pass_without_ack_goes_on_and_an_ack_acknowledges_what_lies_before() {
    let mut bench = Bench::new(schema(None, None));
    bench.ask(0, 1);
    bench.rebalance(0);
    for _ in 0..3 {
        bench.publish(Value::text("k"));
    }
    for delivery in 1..3 {
        bench.broker.pass_over(0, delivery);
        bench.ask(0, 1);
    }
    assert_eq!(bench.delivered(), [(1, 1), (1, 2), (1, 3)]);
    assert_eq!(bench.positions(0), (0, 3));
    assert_eq!(bench.ack(2), Ok(()));
    assert_eq!(bench.positions(0), (2, 3));
    assert_eq!(bench.ack(1), Ok(()), "an older position changes nothing");
    assert_eq!(bench.positions(0), (2, 3));
}

#[test]
fn a_new_generation_reads_from_the_stored_position_and_refuses_old_handles() {
    let mut bench = Bench::new(schema(None, None));
    bench.ask(0, 1);
    bench.rebalance(0);
    bench.publish(Value::text("k"));
    bench.publish(Value::text("k"));
    bench.ack(1).expect("a current handle");
    bench.ask(0, 1);
    bench.ask(0, 2);
    assert_eq!(bench.rebalance(0), Some(2));
    let failure = bench.ack(2).expect_err("an old generation");
    assert_eq!(
        &*failure.detail,
        "the receipt handle is of generation 1, its group is in generation 2"
    );
    bench.disconnect(1, 5);
    bench.rebalance(0);
    // Message 2 once more, and not message 1.
    assert_eq!(bench.delivered().last(), Some(&(2, 2)));
    assert!(!bench.delivered()[1..].contains(&(2, 1)));
    let mut lenient = schema(None, None);
    lenient.stale = Stale::Accepted;
    bench.schemas = vec![lenient];
    assert_eq!(bench.ack(2), Ok(()));
    assert_eq!(bench.positions(0), (2, 2));
}

#[test]
fn nack_goes_back_and_attempts_move_the_position_on() {
    let mut bench = Bench::new(schema(None, Some(2)));
    bench.ask(0, 1);
    bench.rebalance(0);
    bench.publish(Value::text("k"));
    bench.publish(Value::text("k"));
    assert_eq!(bench.nack(1, false), Ok(()));
    bench.ask(0, 1);
    assert_eq!(bench.delivered(), [(1, 1), (1, 1)]);
    assert_eq!(bench.nack(2, false), Ok(()));
    assert!(bench.happened.contains(&Happened::Exhausted {
        queue: 0,
        message: 1,
        dead: None
    }));
    bench.ask(0, 1);
    assert_eq!(bench.delivered().last(), Some(&(1, 2)));
    assert_eq!(bench.nack(3, true), Ok(()));
    assert_eq!(bench.positions(0), (2, 2));
    assert!(
        bench
            .broker
            .nack(&bench.schemas, 0, 3, Some(5), false, at(5), &mut Vec::new())
            .is_err()
    );
}

#[test]
fn a_lease_that_ends_and_a_silence_as_long_expel_a_member() {
    let mut bench = Bench::new(schema(Some(30), None));
    bench.ask(0, 1);
    bench.ask(0, 2);
    bench.rebalance(0);
    // Holds nothing: it is waited for as long as a lease.
    bench.disconnect(2, 10);
    assert_eq!(bench.rebalance(0), None);
    assert!(bench.happened.contains(&Happened::Silent {
        queue: 0,
        receiver: 2,
        at: 40
    }));
    bench.broker.end_session(&bench.schemas, 0, 2, 39, &mut bench.happened);
    assert_eq!(bench.rebalance(0), None);
    bench.broker.end_session(&bench.schemas, 0, 2, 40, &mut bench.happened);
    assert_eq!(bench.rebalance(0), Some(2));
    assert_eq!(bench.broker.groups(0)[0].members, [1]);
    // Holds something: the end of that lease decides.
    bench.publish(Value::text("k"));
    bench.disconnect(1, 50);
    bench.broker.end_session(&bench.schemas, 0, 1, 100, &mut bench.happened);
    assert_eq!(bench.rebalance(0), None);
    bench
        .broker
        .end_lease(&bench.schemas, 0, 1, at(101), &mut bench.happened);
    assert_eq!(bench.rebalance(0), Some(3));
    assert_eq!(bench.broker.groups(0)[0].members, [0; 0]);
    // It has come back before its time was over.
    bench.ask(0, 3);
    bench.rebalance(0);
    bench
        .broker
        .end_lease(&bench.schemas, 0, 2, at(150), &mut bench.happened);
    bench.ask(0, 4);
    bench.rebalance(0);
    bench.ack(3).expect("a current handle");
    bench.disconnect(4, 200);
    bench.ask(0, 4);
    bench.broker.end_session(&bench.schemas, 0, 4, 300, &mut bench.happened);
    assert_eq!(bench.rebalance(0), None);
}

#[test]
fn a_broker_that_goes_down_keeps_positions_and_knows_no_member() {
    let mut bench = Bench::new(schema(None, None));
    bench.ask(0, 1);
    bench.rebalance(0);
    bench.publish(Value::text("k"));
    bench.publish(Value::text("k"));
    bench.ack(1).expect("a current handle");
    bench.ask(0, 1);
    bench.broker.down(&bench.schemas, 0, at(5), &mut bench.happened);
    assert!(bench.ack(2).is_err());
    assert_eq!(bench.positions(0), (1, 2));
    bench.ask(0, 1);
    bench.rebalance(0);
    assert_eq!(bench.delivered().last(), Some(&(1, 2)));
}

mod naive {
    //! Naive logs: lists, and every rule written out.

    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Action {
        Publish(i64),
        Ask(Receiver),
        Rebalance(u16),
        Ack(u32),
        Nack(u32),
        PassOver(u32),
        EndLease(u32),
        Disconnect(Receiver),
        EndSession(Receiver),
        Leave(Receiver),
    }

    fn actions() -> impl Strategy<Value = Vec<Action>> {
        let action = prop_oneof![
            4 => (0i64..5).prop_map(Action::Publish),
            8 => (1u32..6).prop_map(Action::Ask),
            4 => (0u16..2).prop_map(Action::Rebalance),
            4 => (1u32..16).prop_map(Action::Ack),
            2 => (1u32..16).prop_map(Action::Nack),
            4 => (1u32..16).prop_map(Action::PassOver),
            1 => (1u32..16).prop_map(Action::EndLease),
            1 => (1u32..6).prop_map(Action::Disconnect),
            1 => (1u32..6).prop_map(Action::EndSession),
            1 => (1u32..6).prop_map(Action::Leave),
        ];
        proptest::collection::vec(action, 0..80)
    }

    #[derive(Clone, Default)]
    struct Readers {
        members: Vec<Receiver>,
        lost: BTreeSet<Receiver>,
        generation: u32,
        unsettled: bool,
        stored: [usize; PARTITIONS as usize],
        next: [usize; PARTITIONS as usize],
        /// Every message that the group ever got.
        got: BTreeSet<u32>,
    }

    #[derive(Default)]
    struct Model {
        logs: [Vec<u32>; PARTITIONS as usize],
        groups: [Readers; 2],
        line: Vec<Receiver>,
        /// group, generation, partition, offset, receiver.
        handles: Vec<(usize, u32, usize, usize, Receiver)>,
        held: BTreeMap<u32, Receiver>,
        delivered: Vec<(Receiver, u32)>,
    }

    /// Even receivers read for the first group, odd ones for the second.
    fn group(receiver: Receiver) -> usize {
        (receiver % 2) as usize
    }

    impl Model {
        fn hand_out(&mut self) {
            for receiver in self.line.clone() {
                let number = group(receiver);
                let readers = &mut self.groups[number];
                if readers.unsettled || !readers.members.contains(&receiver) {
                    continue;
                }
                let mine = |p: &usize| readers.members[p % readers.members.len()] == receiver;
                let waiting = (0..self.logs.len()).filter(mine);
                let waiting = waiting.filter_map(|p| Some((*self.logs[p].get(readers.next[p])?, p)));
                let Some((message, partition)) = waiting.min() else {
                    continue;
                };
                let offset = readers.next[partition];
                readers.next[partition] += 1;
                readers.got.insert(message);
                self.handles
                    .push((number, readers.generation, partition, offset, receiver));
                self.held.insert(self.handles.len() as u32, receiver);
                self.line.retain(|waiting| *waiting != receiver);
                self.delivered.push((receiver, message));
            }
        }
        fn leave(&mut self, receiver: Receiver) {
            let readers = &mut self.groups[group(receiver)];
            if !readers.members.contains(&receiver) {
                return;
            }
            readers.members.retain(|member| *member != receiver);
            readers.lost.remove(&receiver);
            readers.unsettled = true;
        }
        fn current(&self, delivery: u32) -> Option<(usize, usize, usize)> {
            let (number, generation, partition, offset, receiver) = *self.handles.get(delivery as usize - 1)?;
            let readers = &self.groups[number];
            let current = readers.generation == generation && readers.members.contains(&receiver);
            current.then_some((number, partition, offset))
        }
        fn holds(&self, receiver: Receiver) -> bool {
            self.held.values().any(|holder| *holder == receiver)
        }
    }

    fn play(bench: &mut Bench, model: &mut Model, leased: bool, action: &Action) {
        match action {
            Action::Publish(key) => {
                let number = bench.publish(Value::Int(*key));
                model.logs[partition_of(Some(&Value::Int(*key)), number, model.logs.len())].push(number);
                model.hand_out();
            }
            // A receiver asks when it waits for nothing and has nothing.
            Action::Ask(receiver) if !model.line.contains(receiver) && !model.holds(*receiver) => {
                bench.ask(group(*receiver) as u16, *receiver);
                let readers = &mut model.groups[group(*receiver)];
                readers.lost.remove(receiver);
                if !readers.members.contains(receiver) {
                    readers.members.push(*receiver);
                    readers.unsettled = true;
                }
                model.line.push(*receiver);
                model.hand_out();
            }
            Action::Ask(_) => {}
            Action::Rebalance(number) => {
                let readers = &mut model.groups[usize::from(*number)];
                let expected = readers.unsettled.then_some(readers.generation + 1);
                assert_eq!(bench.rebalance(*number), expected);
                if let Some(generation) = expected {
                    readers.generation = generation;
                    readers.unsettled = false;
                    readers.next = readers.stored;
                    model.held.retain(|_, holder| group(*holder) != usize::from(*number));
                    model.hand_out();
                }
            }
            Action::Ack(delivery) => {
                let current = model.current(*delivery);
                assert_eq!(bench.ack(*delivery).is_ok(), current.is_some());
                if let Some((number, partition, offset)) = current {
                    let receiver = model.handles[*delivery as usize - 1].4;
                    let readers = &mut model.groups[number];
                    readers.lost.remove(&receiver);
                    readers.stored[partition] = readers.stored[partition].max(offset + 1);
                    readers.next[partition] = readers.next[partition].max(offset + 1);
                    model.held.remove(delivery);
                }
            }
            Action::Nack(delivery) => {
                let current = model.current(*delivery);
                assert_eq!(bench.nack(*delivery, false).is_ok(), current.is_some());
                if let Some((number, partition, offset)) = current {
                    let receiver = model.handles[*delivery as usize - 1].4;
                    let readers = &mut model.groups[number];
                    readers.lost.remove(&receiver);
                    if readers.stored[partition] <= offset {
                        readers.next[partition] = readers.next[partition].min(offset);
                    }
                    model.held.remove(delivery);
                    model.hand_out();
                }
            }
            Action::PassOver(delivery) => {
                bench.broker.pass_over(0, *delivery);
                model.held.remove(delivery);
            }
            Action::EndLease(delivery) if leased => {
                bench
                    .broker
                    .end_lease(&bench.schemas, 0, *delivery, at(0), &mut bench.happened);
                if let Some(receiver) = model.held.remove(delivery) {
                    model.leave(receiver);
                }
            }
            Action::EndLease(_) => {}
            Action::Disconnect(receiver) => {
                bench.disconnect(*receiver, 0);
                model.line.retain(|waiting| waiting != receiver);
                match leased {
                    false => model.leave(*receiver),
                    true => {
                        let readers = &mut model.groups[group(*receiver)];
                        if readers.members.contains(receiver) {
                            readers.lost.insert(*receiver);
                        }
                    }
                }
            }
            Action::EndSession(receiver) => {
                let schemas = &bench.schemas;
                bench.broker.end_session(schemas, 0, *receiver, 30, &mut bench.happened);
                if model.groups[group(*receiver)].lost.contains(receiver) && !model.holds(*receiver) {
                    model.leave(*receiver);
                }
            }
            Action::Leave(receiver) => {
                // Its process has ended: it waits no more.
                bench.broker.stop_receiving(0, *receiver);
                bench.broker.leave(*receiver, &mut bench.happened);
                model.line.retain(|waiting| waiting != receiver);
                model.leave(*receiver);
            }
        }
    }

    fn compare(bench: &Bench, model: &Model) {
        assert_eq!(bench.delivered(), model.delivered);
        for (number, state) in bench.broker.groups(0).iter().enumerate() {
            let readers = &model.groups[number];
            assert_eq!(
                (state.generation, &state.members),
                (readers.generation, &readers.members)
            );
            let stored: Vec<usize> = state.positions.iter().map(|(stored, _)| *stored as usize).collect();
            assert_eq!(stored, readers.stored);
        }
        let held: Vec<(u32, Receiver)> = bench
            .broker
            .queue(0)
            .in_flight()
            .map(|h| (h.delivery, h.receiver))
            .collect();
        let expected: Vec<(u32, Receiver)> = model.held.iter().map(|(d, r)| (*d, *r)).collect();
        assert_eq!(held, expected);
    }

    /// As long as somebody lives: one member a group reads and acknowledges what is left.
    fn settle(bench: &mut Bench, model: &mut Model) {
        for receiver in 1..6 {
            play(bench, model, false, &Action::Leave(receiver));
        }
        for receiver in [6, 7] {
            play(bench, model, false, &Action::Ask(receiver));
            play(bench, model, false, &Action::Rebalance(group(receiver) as u16));
            while let Some(delivery) = model.held.iter().find(|(_, r)| **r == receiver).map(|(d, _)| *d) {
                play(bench, model, false, &Action::Ack(delivery));
                play(bench, model, false, &Action::Ask(receiver));
            }
        }
    }

    proptest! {
        #[test]
        fn each_group_reads_every_partition_in_sequence(actions in actions(), leased: bool) {
            let mut bench = Bench::new(schema(leased.then_some(30), None));
            let mut model = Model::default();
            let mut before: Vec<[usize; PARTITIONS as usize]> = model.groups.iter().map(|g| g.stored).collect();
            for action in &actions {
                play(&mut bench, &mut model, leased, action);
                compare(&bench, &model);
                for (readers, before) in model.groups.iter().zip(&mut before) {
                    assert!(readers.stored.iter().zip(before.iter()).all(|(now, then)| now >= then), "forward only");
                    *before = readers.stored;
                }
            }
            settle(&mut bench, &mut model);
            compare(&bench, &model);
            let all: BTreeSet<u32> = model.logs.iter().flatten().copied().collect();
            for readers in &model.groups {
                assert_eq!(readers.got, all, "at least once for each group");
            }
            assert_eq!(bench.broker.queue(0).present().count(), 0);
        }
    }
}
