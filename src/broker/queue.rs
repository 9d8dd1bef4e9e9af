//! The state of one queue. Knows no rules: those are applied by [`super::Broker`].

use super::Receiver;
use super::line::Line;
use super::partitions::Partitions;
use crate::fact::{EventId, Fact, Log};
use crate::value::{Millis, Row, Value};
use rpds::{RedBlackTreeMap, Vector};
use std::rc::Rc;

/// A message in a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its number within the queue, from 1: its place in line, also after it came back.
    pub number: u32,
    pub row: Row,
    /// How often it was given to a receiver.
    pub deliveries: u32,
    /// The event that made it ready: its publish, the end of a lease…
    pub ready_by: EventId,
    /// Queue and number under which it was accepted; kept when it is moved to a dead-letter queue and back.
    pub origin: (u16, u32),
    /// Its key, in a queue that is grouped.
    pub group: Option<Value>,
    /// From then on it is gone from its queue unless it is in flight.
    pub expires_at: Option<Millis>,
}

/// A message that a receiver holds.
#[derive(Clone, Debug, PartialEq)]
pub struct InFlight {
    pub delivery: u32,
    pub message: Message,
    pub receiver: Receiver,
    /// None: bound to the receiver's connection.
    pub lease_ends: Option<Millis>,
    /// Its connection ends then, if it is not over.
    pub ack_by: Option<Millis>,
}

/// One delivery that happened: which message it carried. Receipt handles outlive their delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub message: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    pub(super) accepted: Log<Fact>,
    pub(super) line: Line,
    pub(super) in_flight: RedBlackTreeMap<u32, InFlight>,
    delayed: RedBlackTreeMap<u32, (Millis, Message)>,
    /// Acknowledged by prepared transactions that nobody has decided.
    pub(super) doubtful: RedBlackTreeMap<u32, Message>,
    /// Exhausted messages of a queue that keeps them.
    pub(super) dead: RedBlackTreeMap<u32, Message>,
    /// In the order they began to wait.
    pub(super) receivers: Vector<Receiver>,
    /// All deliveries so far; a delivery's number is its position, from 1.
    deliveries: Log<Delivery>,
    messages: u32,
    /// Of each id the last message that was stored, and when; kept only where the queue's rule asks for it.
    pub(super) known: RedBlackTreeMap<Value, (u32, Millis)>,
    /// Where the messages of a partitioned queue are, instead of `ready`.
    pub(super) partitions: Option<Rc<Partitions>>,
}

impl Default for Queue {
    fn default() -> Self {
        Queue {
            accepted: Log::new(),
            line: Line::default(),
            in_flight: RedBlackTreeMap::new(),
            delayed: RedBlackTreeMap::new(),
            doubtful: RedBlackTreeMap::new(),
            dead: RedBlackTreeMap::new(),
            receivers: Vector::new(),
            deliveries: Log::new(),
            messages: 0,
            known: RedBlackTreeMap::new(),
            partitions: None,
        }
    }
}

impl Queue {
    /// Messages waiting to be received, in line.
    pub fn ready(&self) -> impl Iterator<Item = &Message> {
        let held = |message: &&Message| {
            self.in_flight
                .values()
                .any(|held| held.message.number == message.number)
        };
        let logs = self.partitions.iter().flat_map(|partitions| partitions.waiting());
        self.line.iter().chain(logs.filter(move |message| !held(message)))
    }

    /// Messages that are with a receiver, in the sequence of delivery.
    pub fn in_flight(&self) -> impl Iterator<Item = &InFlight> {
        self.in_flight.values()
    }

    /// The delivery of that number, while it is in flight.
    pub fn held(&self, delivery: u32) -> Option<&InFlight> {
        self.in_flight.get(&delivery)
    }

    /// Messages that become ready later, with the time.
    pub fn delayed(&self) -> impl Iterator<Item = &(Millis, Message)> {
        self.delayed.values()
    }

    /// Messages whose leases or delays are over at that time, the oldest first, each with its delivery if it is in flight.
    pub fn over(&self, now: Millis) -> Vec<(u32, Option<u32>)> {
        let ended = |held: &&InFlight| held.lease_ends.is_some_and(|at| at <= now);
        let leases = self.in_flight.values().filter(ended);
        let leases = leases.map(|held| (held.message.number, Some(held.delivery)));
        let delays = self.delayed.values().filter(|(due, _)| *due <= now);
        let mut over: Vec<_> = leases
            .chain(delays.map(|(_, message)| (message.number, None)))
            .collect();
        over.sort_unstable();
        over
    }

    /// Exhausted messages that lie here and are delivered no more.
    pub fn dead(&self) -> impl Iterator<Item = &Message> {
        self.dead.values()
    }

    /// Everything that is here at this moment, dead letters of its own excepted: ready, in flight, delayed, acknowledged by a
    /// prepared transaction. Of a partitioned queue, what some group has yet to acknowledge.
    pub fn present(&self) -> impl Iterator<Item = &Message> {
        // What a partitioned queue has in flight stays in its log.
        let held = self.in_flight.values().filter(|_| self.partitions.is_none());
        let held = held.map(|held| &held.message);
        let logs = self.partitions.iter().flat_map(|partitions| partitions.waiting());
        let delayed = self.delayed.values().map(|(_, message)| message);
        let line = self.line.iter().chain(logs);
        line.chain(held).chain(delayed).chain(self.doubtful.values())
    }

    /// Of each delivery so far, the message it carried.
    pub(super) fn carried(&self) -> impl Iterator<Item = u32> {
        self.deliveries.iter().map(|delivery| delivery.message)
    }

    /// How many deliveries there were so far.
    pub(super) fn delivered(&self) -> u32 {
        // Each has a number of 32 bits.
        self.deliveries.len() as u32
    }

    /// How many messages it has ever taken in.
    pub(super) fn accepted_count(&self) -> u32 {
        self.messages
    }

    /// How many messages are here: ready, in flight, delayed, in doubt.
    pub fn len(&self) -> usize {
        match &self.partitions {
            Some(partitions) => partitions.waiting().count(),
            None => self.line.len() + self.in_flight.size() + self.delayed.size() + self.doubtful.size(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True for a ready message that nobody gets before another of its group is done.
    pub fn is_held_back(&self, message: u32) -> bool {
        self.line.is_held_back(message)
    }

    /// True while the message is ready, in flight, delayed or in doubt.
    pub fn has(&self, message: u32) -> bool {
        let in_flight = |queue: &Queue| queue.in_flight.values().any(|held| held.message.number == message);
        let mut logs = self.partitions.iter().flat_map(|partitions| partitions.waiting());
        self.line.get(message).is_some()
            || self.delayed.contains_key(&message)
            || self.doubtful.contains_key(&message)
            || in_flight(self)
            || logs.any(|waiting| waiting.number == message)
    }

    /// True if time alone will still change something here.
    pub(super) fn waits_for_time(&self) -> bool {
        let in_flight = self.in_flight.values().any(|held| held.ack_by.is_some());
        in_flight || self.present().any(|message| message.expires_at.is_some())
    }

    /// The message that a prepared transaction has acknowledged, if that is undecided.
    pub fn doubtful(&self, message: u32) -> Option<&Message> {
        self.doubtful.get(&message)
    }

    /// True if somebody waits for a message.
    pub fn has_receiver(&self) -> bool {
        !self.receivers.is_empty()
    }

    /// Which message a delivery, current or past, carried.
    pub fn message_of(&self, delivery: u32) -> Option<u32> {
        let index = usize::try_from(delivery.checked_sub(1)?).ok()?;
        self.deliveries.get(index).map(|delivery| delivery.message)
    }

    /// How many messages there were so far.
    pub(super) fn messages(&self) -> u32 {
        self.messages
    }

    pub(super) fn next_message(&mut self) -> u32 {
        self.messages += 1;
        self.messages
    }

    pub(super) fn delay(&mut self, message: Message, due: Millis) {
        self.delayed.insert_mut(message.number, (due, message));
    }

    pub(super) fn take_delayed(&mut self, message: u32) -> Option<(Millis, Message)> {
        let taken = self.delayed.get(&message).cloned()?;
        self.delayed.remove_mut(&message);
        Some(taken)
    }

    pub(super) fn deliver(
        &mut self,
        mut message: Message,
        receiver: Receiver,
        lease_ends: Option<Millis>,
        ack_by: Option<Millis>,
    ) -> u32 {
        message.deliveries += 1;
        self.deliveries.push(Delivery {
            message: message.number,
        });
        let delivery = self.delivered();
        self.in_flight.insert_mut(
            delivery,
            InFlight {
                delivery,
                message,
                receiver,
                lease_ends,
                ack_by,
            },
        );
        delivery
    }

    pub(super) fn take_in_flight(&mut self, delivery: u32) -> Option<InFlight> {
        let held = self.in_flight.get(&delivery).cloned()?;
        self.in_flight.remove_mut(&delivery);
        Some(held)
    }

    /// False if the delivery is over.
    pub(super) fn extend(&mut self, delivery: u32, lease_ends: Millis) -> bool {
        let Some(held) = self.in_flight.get_mut(&delivery) else {
            return false;
        };
        held.lease_ends = Some(lease_ends);
        true
    }

    /// An old handle that counts prolongs whatever delivery its message is in now. (JetStream: progress is noted of the message.)
    pub(super) fn extend_present(&mut self, delivery: u32, lease_ends: Millis) {
        let number = self.message_of(delivery);
        let present = self.in_flight.values().find(|held| Some(held.message.number) == number);
        if let Some(present) = present.map(|held| held.delivery) {
            self.extend(present, lease_ends);
        }
    }

    /// An old handle takes the message back from wherever it is now, unless its group keeps it back. True if it did.
    pub(super) fn steal(&mut self, delivery: u32, lease_ends: Millis) -> bool {
        let Some(number) = self.message_of(delivery) else {
            return false;
        };
        if let Some(message) = self.line.hand_out_number(number) {
            let receiver = Receiver::MAX;
            self.in_flight.insert_mut(
                delivery,
                InFlight {
                    delivery,
                    message,
                    receiver,
                    lease_ends: Some(lease_ends),
                    ack_by: None,
                },
            );
            true
        } else if let Some(held) = self
            .in_flight
            .values()
            .find(|held| held.message.number == number)
            .cloned()
        {
            self.in_flight.remove_mut(&held.delivery);
            self.in_flight.insert_mut(
                delivery,
                InFlight {
                    delivery,
                    lease_ends: Some(lease_ends),
                    ..held
                },
            );
            true
        } else {
            false
        }
    }

    /// Deletes a message wherever it is. True if it was here.
    pub(super) fn forget(&mut self, number: u32) -> bool {
        if self.line.remove(number).is_some() {
            return true;
        }
        let held = self.in_flight.values().find(|held| held.message.number == number);
        let taken = match held.map(|held| held.delivery) {
            Some(delivery) => self.take_in_flight(delivery).map(|held| held.message),
            None => self.take_delayed(number).map(|(_, message)| message),
        };
        if let Some(message) = &taken {
            self.line.let_go(message);
        }
        taken.is_some()
    }

    pub(super) fn clear(&mut self) {
        self.line = Line::default();
        self.in_flight = RedBlackTreeMap::new();
        self.delayed = RedBlackTreeMap::new();
        self.known = RedBlackTreeMap::new();
        if let Some(partitions) = &mut self.partitions {
            Rc::make_mut(partitions).clear();
        }
    }
}
