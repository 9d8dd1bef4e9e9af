//! The state of one queue. Knows no rules: those are applied by [`super::Broker`].

use super::Receiver;
use super::partitions::Partitions;
use crate::fact::{EventId, Fact, Log};
use crate::value::{Millis, Row};
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
}

/// A message that a receiver holds.
#[derive(Clone, Debug, PartialEq)]
pub struct InFlight {
    pub delivery: u32,
    pub message: Message,
    pub receiver: Receiver,
    /// None: bound to the receiver's connection.
    pub lease_ends: Option<Millis>,
}

/// One delivery that happened: which message it carried. Receipt handles outlive their delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub message: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    pub(super) accepted: Log<Fact>,
    pub(super) ready: RedBlackTreeMap<u32, Message>,
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
    /// Where the messages of a partitioned queue are, instead of `ready`.
    pub(super) partitions: Option<Rc<Partitions>>,
}

impl Default for Queue {
    fn default() -> Self {
        Queue {
            accepted: Log::new(),
            ready: RedBlackTreeMap::new(),
            in_flight: RedBlackTreeMap::new(),
            delayed: RedBlackTreeMap::new(),
            doubtful: RedBlackTreeMap::new(),
            dead: RedBlackTreeMap::new(),
            receivers: Vector::new(),
            deliveries: Log::new(),
            messages: 0,
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
        self.ready.values().chain(logs.filter(move |message| !held(message)))
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
        let line = self.ready.values().chain(logs);
        line.chain(held).chain(delayed).chain(self.doubtful.values())
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

    pub(super) fn take_first_ready(&mut self) -> Option<Message> {
        let (number, message) = self.ready.first().map(|(n, m)| (*n, m.clone()))?;
        self.ready.remove_mut(&number);
        Some(message)
    }

    pub(super) fn deliver(&mut self, mut message: Message, receiver: Receiver, lease_ends: Option<Millis>) -> u32 {
        message.deliveries += 1;
        self.deliveries.push(Delivery {
            message: message.number,
        });
        let delivery = self.deliveries.len() as u32;
        self.in_flight.insert_mut(
            delivery,
            InFlight {
                delivery,
                message,
                receiver,
                lease_ends,
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

    /// An old handle takes the message back from wherever it is now.
    pub(super) fn steal(&mut self, delivery: u32, lease_ends: Millis) {
        let Some(number) = self.message_of(delivery) else {
            return;
        };
        if let Some(message) = self.ready.get(&number).cloned() {
            self.ready.remove_mut(&number);
            let receiver = Receiver::MAX;
            self.in_flight.insert_mut(
                delivery,
                InFlight {
                    delivery,
                    message,
                    receiver,
                    lease_ends: Some(lease_ends),
                },
            );
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
        }
    }

    /// Deletes a message wherever it is.
    pub(super) fn forget(&mut self, number: u32) {
        self.ready.remove_mut(&number);
        self.delayed.remove_mut(&number);
        let held = self
            .in_flight
            .values()
            .find(|held| held.message.number == number)
            .map(|held| held.delivery);
        if let Some(delivery) = held {
            self.in_flight.remove_mut(&delivery);
        }
    }

    pub(super) fn clear(&mut self) {
        self.ready = RedBlackTreeMap::new();
        self.in_flight = RedBlackTreeMap::new();
        self.delayed = RedBlackTreeMap::new();
        if let Some(partitions) = &mut self.partitions {
            Rc::make_mut(partitions).clear();
        }
    }
}
