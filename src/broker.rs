//! The message broker: queues with leases or connection-bound deliveries, receipt handles, delivery limits, dead letters;
//! partitioned queues read by consumer groups; transactions and two-phase commit.
//!
//! One value holds the queues of all brokers of a scenario; the rules are per queue ([`QueueSchema`]). It answers at once,
//! in virtual time it is told, and schedules nothing itself: what will happen later (a lease ends, a delayed message is
//! due) is returned for the kernel to put on its agenda.
//! Refuses to know: databases, services, faults, and who is behind a receiver number.

mod accept;
mod expiry;
mod fingerprint;
mod line;
mod partitions;
mod queue;
mod transaction;

use crate::expression::{ErrorClass, Failure};
use crate::fact::{Fact, Log, Stamp};
use crate::program::{Exhausted, QueueSchema, Stale};
use crate::shared::Shared;
use crate::value::{Millis, Row, Value};
pub use partitions::GroupState;
pub use queue::{Delivery, InFlight, Message, Queue};
use std::rc::Rc;
use transaction::Transactions;
pub use transaction::{Held, Holder};

/// Whoever receives: the kernel's task number.
pub type Receiver = u32;

/// All queues of all brokers. Cloning costs a reference count a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Broker {
    queues: Vec<Shared<Queue>>,
    transactions: Transactions,
}

/// A request that is with a broker while the connection it came over ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Underway {
    pub broker: u16,
    /// The delivery it is about: queue and number.
    pub delivery: Option<(u16, u32)>,
}

/// Something a queue did by itself, in the sequence it did it.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// A waiting receiver got a message. With a lease, it ends at `lease_ends`.
    Delivered {
        queue: u16,
        receiver: Receiver,
        delivery: u32,
        lease_ends: Option<Millis>,
    },
    /// A connection-bound delivery is ready again.
    Returned { queue: u16, message: u32 },
    /// The last allowed delivery is over.
    Exhausted {
        queue: u16,
        message: u32,
        dead: Option<u16>,
    },
    /// A message waits until `due`.
    Delayed { queue: u16, message: u32, due: Millis },
    /// A lease that an old handle took back ends then.
    Leased {
        queue: u16,
        delivery: u32,
        lease_ends: Millis,
    },
    /// A delivery must be acknowledged by then, or its connection ends.
    AckBy { queue: u16, delivery: u32, at: Millis },
    /// A message was confirmed and not stored: this one with its id is known.
    Copy { queue: u16, message: u32 },
    /// A message was confirmed and is gone: its topic has no queue.
    Unroutable { topic: u16 },
    /// A message may be here until then, if it is not in flight.
    Expires { queue: u16, message: u32, at: Millis },
    /// A message has been here too long.
    Expired {
        queue: u16,
        message: u32,
        dead: Option<u16>,
    },
    /// Members of a consumer group have come or gone: its partitions are to be dealt anew.
    Unsettled { queue: u16, group: u16 },
    /// A member whose connection broke is waited for until then.
    Silent { queue: u16, receiver: Receiver, at: Millis },
    /// The acknowledgement of a message took effect with its transaction.
    Acknowledged { queue: u16, message: u32 },
}

/// What a request with a receipt handle brought about.
pub type Answer = Result<(), Failure>;

impl Broker {
    /// Empty queues for these schemas; a queue's number is its index.
    pub fn new(queues: usize) -> Broker {
        Broker {
            queues: (0..queues).map(|_| Shared::default()).collect(),
            transactions: Transactions::default(),
        }
    }

    pub fn queue(&self, queue: u16) -> &Queue {
        &self.queues[usize::from(queue)]
    }

    /// Everything that was ever accepted by a queue, in sequence. Messages moved to it by the broker are not among them.
    pub fn facts(&self, queue: u16) -> &Log<Fact> {
        &self.queue(queue).accepted
    }

    /// A receiver asks for the next message and waits in line until there is one.
    pub fn receive(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        receiver: Receiver,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        self.queues[usize::from(queue)].receivers.push_back_mut(receiver);
        self.assign(schemas, queue, stamp, happened);
    }

    /// Takes a receiver out of the line; false if it did not stand there.
    pub fn stop_receiving(&mut self, queue: u16, receiver: Receiver) -> bool {
        let queue = &mut self.queues[usize::from(queue)];
        let stands = queue.receivers.iter().any(|r| *r == receiver);
        if stands {
            queue.receivers = queue.receivers.iter().copied().filter(|r| *r != receiver).collect();
        }
        stands
    }

    /// Takes a receiver out of all lines at one broker (none: at all); false if it stood in none.
    pub fn stop_asking(&mut self, schemas: &[QueueSchema], broker: Option<u16>, receiver: Receiver) -> bool {
        let mut stood = false;
        let at = |schema: &QueueSchema| broker.is_none_or(|broker| schema.broker == broker);
        for (queue, _) in schemas.iter().enumerate().filter(|(_, schema)| at(schema)) {
            stood |= self.stop_receiving(queue as u16, receiver);
        }
        stood
    }

    /// Done: the message is deleted. A stale handle is treated as the queue's rule says.
    pub fn ack(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        delivery: u32,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Answer {
        if self.has_partitions(queue) {
            return self.ack_position(schemas, queue, delivery);
        }
        let stale = schemas[usize::from(queue)].stale;
        let state = &mut self.queues[usize::from(queue)];
        if let Some(held) = state.take_in_flight(delivery) {
            state.line.let_go(&held.message);
        } else if is_refused(stale) {
            return Err(stale_handle());
        } else if let Some(message) = state.message_of(delivery).filter(|_| stale != Stale::Ignored) {
            state.forget(message);
        }
        // The next of its group may be handed out.
        self.assign(schemas, queue, stamp, happened);
        Ok(())
    }

    /// Not done: the message is ready again (after a delay), or goes where exhausted messages go.
    #[allow(clippy::too_many_arguments)]
    pub fn nack(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        delivery: u32,
        after: Option<Millis>,
        dead: bool,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Answer {
        if self.has_partitions(queue) {
            return self.nack_position(schemas, queue, delivery, (after, dead), stamp, happened);
        }
        let state = &mut self.queues[usize::from(queue)];
        let Some(mut held) = state.take_in_flight(delivery) else {
            return if is_refused(schemas[usize::from(queue)].stale) {
                Err(stale_handle())
            } else {
                Ok(())
            };
        };
        held.message.ready_by = stamp.event;
        match after {
            _ if dead => self.exhaust(schemas, queue, held.message, stamp, happened),
            Some(after)
                if !exhausted(&schemas[usize::from(queue)], &held.message) && !expired(&held.message, stamp.at) =>
            {
                let (message, due) = (held.message.number, stamp.at.saturating_add(after));
                state.delay(held.message, due);
                happened.push(Happened::Delayed { queue, message, due });
            }
            _ => self.give_back(schemas, queue, held.message, stamp, happened),
        }
        Ok(())
    }

    /// Prolongs a lease: it ends `by` (or one whole lease) from now.
    pub fn extend(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        delivery: u32,
        by: Option<Millis>,
        now: Millis,
        happened: &mut Vec<Happened>,
    ) -> Answer {
        let schema = &schemas[usize::from(queue)];
        // Where sessions decide, a delivery's time is not prolonged by itself.
        let own = by.or(schema.lease).filter(|_| schema.session.is_none());
        let Some(lease) = own else {
            return Err(Failure::new(ErrorClass::Refused, "the queue has no lease to extend"));
        };
        let state = &mut self.queues[usize::from(queue)];
        if state.extend(delivery, now.saturating_add(lease)) {
            return Ok(());
        }
        match schema.stale {
            Stale::Refused | Stale::Closes => Err(stale_handle()),
            Stale::Accepted => {
                state.extend_present(delivery, now.saturating_add(lease));
                Ok(())
            }
            Stale::Ignored => Ok(()),
            Stale::Steals => {
                let lease_ends = now.saturating_add(lease);
                if state.steal(delivery, lease_ends) {
                    happened.push(Happened::Leased {
                        queue,
                        delivery,
                        lease_ends,
                    });
                }
                Ok(())
            }
        }
    }

    /// When the lease of this delivery ends; none if the delivery is over.
    pub fn lease_ends(&self, queue: u16, delivery: u32) -> Option<Millis> {
        self.queue(queue).in_flight.get(&delivery)?.lease_ends
    }

    /// The lease is over: the message is ready again, or exhausted. Returns its number.
    pub fn end_lease(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        delivery: u32,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        if self.has_partitions(queue) {
            return self.expel(queue, delivery, happened);
        }
        if let Some(mut held) = self.queues[usize::from(queue)].take_in_flight(delivery) {
            held.message.ready_by = stamp.event;
            self.give_back(schemas, queue, held.message, stamp, happened);
        }
    }

    /// A delayed message is due.
    pub fn due(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        message: u32,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> bool {
        let state = &mut self.queues[usize::from(queue)];
        let Some((_, mut message)) = state.take_delayed(message) else {
            return false;
        };
        message.ready_by = stamp.event;
        self.make_ready(&schemas[usize::from(queue)], queue, message);
        self.assign(schemas, queue, stamp, happened);
        true
    }

    /// The connection of a receiver to one broker (none: to all) ended: it waits no more, its transactions end without effect, and
    /// what it holds without a lease is ready again, `but` for what a request needs that is with a broker.
    pub fn disconnect(
        &mut self,
        schemas: &[QueueSchema],
        broker: Option<u16>,
        receiver: Receiver,
        but: Option<Underway>,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        self.discard(broker, but.map(|request| request.broker), receiver);
        let but = but.and_then(|request| request.delivery);
        let ended = |schema: &&QueueSchema| broker.is_none_or(|broker| schema.broker == broker);
        for (queue, _) in schemas.iter().enumerate().filter(|(_, schema)| ended(schema)) {
            let queue = queue as u16;
            self.stop_receiving(queue, receiver);
            if self.has_partitions(queue) {
                self.lose_member(schemas, queue, receiver, stamp.at, happened);
                continue;
            }
            self.return_held(schemas, queue, stamp, happened, |held| {
                held.receiver == receiver && but != Some((queue, held.delivery))
            });
        }
    }

    /// One delivery comes back at once if it is bound to its connection (its pass failed); a leased one stays.
    pub fn fail(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        delivery: u32,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        if self.has_partitions(queue) {
            // A handle that is stale by now has nothing to go back to.
            let _ = self.nack_position(schemas, queue, delivery, (None, false), stamp, happened);
            return;
        }
        self.return_held(schemas, queue, stamp, happened, |held| held.delivery == delivery);
    }

    /// The broker process stops: connection-bound deliveries return, volatile messages are gone. Returns the receivers that were in
    /// line and are cut off.
    pub fn down(
        &mut self,
        schemas: &[QueueSchema],
        broker: u16,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Vec<Receiver> {
        self.discard_all(broker);
        let mut cut_off = Vec::new();
        for (queue, schema) in schemas.iter().enumerate().filter(|(_, s)| s.broker == broker) {
            let line = std::mem::take(&mut self.queues[queue].receivers);
            cut_off.extend(line.iter().copied());
            if schema.volatile {
                self.queues[queue].clear();
            }
            if self.has_partitions(queue as u16) {
                self.disband(queue as u16, stamp);
                continue;
            }
            self.return_held(schemas, queue as u16, stamp, happened, |_| true);
        }
        cut_off
    }

    /// Moves all ready messages of one queue to another, their deliveries counted anew. No new causes: they are not accepted again.
    pub fn redrive(
        &mut self,
        schemas: &[QueueSchema],
        from: u16,
        to: u16,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> u32 {
        let moved = self.queues[usize::from(from)].line.drain();
        let count = moved.len() as u32;
        for message in moved {
            self.move_to(schemas, to, message, stamp, happened);
        }
        self.assign(schemas, to, stamp, happened);
        count
    }

    fn return_held(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
        which: impl Fn(&InFlight) -> bool,
    ) {
        let state = &self.queues[usize::from(queue)];
        let bound = |held: &&InFlight| held.lease_ends.is_none() && which(held);
        let returning: Vec<u32> = state
            .in_flight
            .values()
            .filter(bound)
            .map(|held| held.delivery)
            .collect();
        for delivery in returning {
            if let Some(mut held) = self.queues[usize::from(queue)].take_in_flight(delivery) {
                held.message.ready_by = stamp.event;
                happened.push(Happened::Returned {
                    queue,
                    message: held.message.number,
                });
                self.give_back(schemas, queue, held.message, stamp, happened);
            }
        }
    }

    /// Ready again at its old place in line, or exhausted.
    fn give_back(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        message: Message,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        if exhausted(&schemas[usize::from(queue)], &message) {
            self.exhaust(schemas, queue, message, stamp, happened);
        } else if expired(&message, stamp.at) {
            self.give_up_expired(schemas, queue, message, stamp, happened);
        } else {
            self.make_ready(&schemas[usize::from(queue)], queue, message);
            self.assign(schemas, queue, stamp, happened);
        }
    }

    fn exhaust(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        message: Message,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        let number = message.number;
        self.queues[usize::from(queue)].line.let_go(&message);
        let dead = match schemas[usize::from(queue)].exhausted {
            Exhausted::Dead(dead) => Some(dead),
            Exhausted::Drop | Exhausted::Keep => None,
        };
        happened.push(Happened::Exhausted {
            queue,
            message: number,
            dead,
        });
        match schemas[usize::from(queue)].exhausted {
            Exhausted::Dead(dead) => {
                self.move_to(schemas, dead, message, stamp, happened);
                self.assign(schemas, dead, stamp, happened);
            }
            Exhausted::Drop => {}
            Exhausted::Keep => self.queues[usize::from(queue)].dead.insert_mut(number, message),
        }
        // The next of its group may be handed out.
        self.assign(schemas, queue, stamp, happened);
    }

    /// In line at its old place, or in turn if it came back and the queue has it so; it holds its group no more.
    fn make_ready(&mut self, schema: &QueueSchema, queue: u16, message: Message) {
        let state = &mut self.queues[usize::from(queue)];
        let left = message.clone();
        match schema.again_in_turn && message.deliveries > 0 {
            true => state.line.put_in_turn(message),
            false => state.line.put(message),
        }
        state.line.let_go(&left);
    }

    /// At the end of a queue that it was not published to.
    fn move_to(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        message: Message,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        let schema = &schemas[usize::from(queue)];
        let target = &mut self.queues[usize::from(queue)];
        let moved = Message {
            number: target.next_message(),
            deliveries: 0,
            ready_by: stamp.event,
            group: group(schema, &message.row),
            expires_at: schema.expires.map(|rule| stamp.at.saturating_add(rule.after)),
            ..message
        };
        note_expiry(queue, &moved, happened);
        if let Err(moved) = self.append(schemas, queue, moved) {
            self.queues[usize::from(queue)].line.put(moved);
        }
    }

    /// Gives ready messages to waiting receivers: the oldest message to the receiver that has waited longest.
    fn assign(&mut self, schemas: &[QueueSchema], queue: u16, stamp: Stamp, happened: &mut Vec<Happened>) {
        if self.has_partitions(queue) {
            return self.hand_out(schemas, queue, stamp, happened);
        }
        let (lease, ack_timeout) = (
            schemas[usize::from(queue)].lease,
            schemas[usize::from(queue)].ack_timeout,
        );
        let state = &mut self.queues[usize::from(queue)];
        while let Some(receiver) = state.receivers.first().copied() {
            let Some(message) = state.line.hand_out() else {
                return;
            };
            state.receivers = state.receivers.iter().skip(1).copied().collect();
            let lease_ends = lease.map(|lease| stamp.at.saturating_add(lease));
            let ack_by = ack_timeout
                .filter(|_| lease.is_none())
                .map(|time| stamp.at.saturating_add(time));
            let delivery = state.deliver(message, receiver, lease_ends, ack_by);
            happened.push(Happened::Delivered {
                queue,
                receiver,
                delivery,
                lease_ends,
            });
            happened.extend(ack_by.map(|at| Happened::AckBy { queue, delivery, at }));
        }
    }
}

/// What a message is kept in sequence with.
fn group(schema: &QueueSchema, row: &Row) -> Option<Value> {
    let key = row.get("key").filter(|_| schema.grouped)?;
    (*key != Value::Null).then(|| key.clone())
}

fn note_expiry(queue: u16, message: &Message, happened: &mut Vec<Happened>) {
    happened.extend(message.expires_at.map(|at| Happened::Expires {
        queue,
        message: message.number,
        at,
    }));
}

fn exhausted(schema: &QueueSchema, message: &Message) -> bool {
    schema.attempts.is_some_and(|attempts| message.deliveries >= attempts)
}

fn expired(message: &Message, now: Millis) -> bool {
    message.expires_at.is_some_and(|at| at <= now)
}

fn is_refused(stale: Stale) -> bool {
    matches!(stale, Stale::Refused | Stale::Closes)
}

fn stale_handle() -> Failure {
    Failure {
        class: ErrorClass::Refused,
        detail: Rc::from("the receipt handle is stale: its delivery has ended"),
    }
}

#[cfg(test)]
mod tests;
