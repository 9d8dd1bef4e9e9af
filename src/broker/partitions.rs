//! Partitioned queues: an append-only log per partition, and consumer groups that read them by position.
//!
//! A message goes to the partition of its key and stays there. Each group has one stored position per partition; groups do not
//! disturb each other. The partitions are dealt to a group's members in the sequence in which they joined; whenever somebody
//! joins or leaves they are dealt anew (a *rebalance*: a new generation), and every partition is read again from its stored
//! position. An acknowledgement stores the position behind its message; what lies before is acknowledged with it.
//!
//! Where a queue without partitions waits for acks, a group merely goes on: a pass that ends well without an ack is followed
//! by the next message, and the position stays where it was.

use super::{Answer, Broker, Happened, Message, Queue, Receiver, is_refused};
use crate::expression::{ErrorClass, Failure};
use crate::fact::{EventId, Log, Stamp};
use crate::fingerprint::Fingerprint;
use crate::program::{Exhausted, QueueSchema, Stale};
use crate::value::{Millis, Value};
use rpds::{RedBlackTreeMap, Vector};
use std::rc::Rc;

mod group;
use group::Group;

/// The partitions of one queue.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Partitions {
    logs: Vec<Vector<Message>>,
    /// As the program numbers them.
    groups: Vec<Group>,
    /// What each delivery of the queue carried, by its number, from 1.
    handles: Log<Handle>,
}

/// Where a message lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    partition: usize,
    offset: u32,
}

impl Place {
    fn take_down(self, print: &mut Fingerprint) {
        print.count(self.partition);
        print.number(self.offset);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Handle {
    group: usize,
    generation: u32,
    place: Place,
    receiver: Receiver,
}

/// A consumer group, for those who look at a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupState {
    /// Counts its rebalances.
    pub generation: u32,
    pub members: Vec<Receiver>,
    /// By partition: the stored position (messages acknowledged), and how many messages the partition has.
    pub positions: Vec<(u32, u32)>,
}

/// The partition of a message: FNV-1a, 64 bits, over the text of its key, modulo the number of partitions; without a key its
/// number within the queue, modulo likewise.
fn partition_of(key: Option<&Value>, number: u32, partitions: usize) -> usize {
    let hash = match key {
        None | Some(Value::Null) => u64::from(number),
        Some(key) => {
            let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            key.to_string().bytes().fold(0xcbf2_9ce4_8422_2325, step)
        }
    };
    // Smaller than `partitions`, which fits.
    (hash % partitions.max(1) as u64) as usize
}

impl Partitions {
    fn new(partitions: u32, groups: usize) -> Partitions {
        let partitions = partitions as usize;
        Partitions {
            logs: vec![Vector::new(); partitions],
            groups: (0..groups).map(|_| Group::new(partitions)).collect(),
            handles: Log::new(),
        }
    }

    /// Messages that some group has yet to acknowledge; all if there is no group.
    pub fn waiting(&self) -> impl Iterator<Item = &Message> {
        self.logs.iter().enumerate().flat_map(|(partition, log)| {
            let stored = self.groups.iter().map(|group| group.committed[partition]).min();
            log.iter().skip(stored.unwrap_or(0) as usize)
        })
    }

    /// All messages and positions are gone; handles and generations go on.
    pub fn clear(&mut self) {
        let partitions = self.logs.len();
        self.logs = vec![Vector::new(); partitions];
        for group in &mut self.groups {
            group.forget(partitions);
        }
    }

    /// Takes down all messages, groups, and the handles that are good for something: all of them, if those of an earlier
    /// generation count too.
    pub fn take_down(&self, queue: u16, stale: Stale, print: &mut Fingerprint) {
        for log in &self.logs {
            print.count(log.len());
            log.iter().for_each(|message| message.take_down(print));
        }
        self.groups.iter().for_each(|group| group.take_down(print));
        for (delivery, handle) in (1..).zip(self.handles.iter()) {
            let current = self.holds(handle);
            if !current && is_refused(stale) {
                continue;
            }
            print.delivery(queue, delivery);
            print.flag(current);
            print.count(handle.group);
            handle.place.take_down(print);
            print.session(handle.receiver);
        }
    }

    fn handle(&self, delivery: u32) -> Option<Handle> {
        let index = usize::try_from(delivery.checked_sub(1)?).ok()?;
        self.handles.get(index).copied()
    }

    /// A handle of the present generation, whose receiver is a member.
    pub fn is_current(&self, delivery: u32) -> bool {
        self.handle(delivery).is_some_and(|handle| self.holds(&handle))
    }

    fn holds(&self, handle: &Handle) -> bool {
        let group = &self.groups[handle.group];
        group.generation == handle.generation && group.is_member(handle.receiver)
    }

    fn message(&self, place: Place) -> Option<&Message> {
        self.logs.get(place.partition)?.get(place.offset as usize)
    }

    /// The group that a receiver is a member of.
    fn group_of(&self, receiver: Receiver) -> Option<usize> {
        self.groups.iter().position(|group| group.is_member(receiver))
    }

    /// The oldest message that this receiver may get now.
    fn next_for(&self, receiver: Receiver) -> Option<(usize, Place)> {
        let number = self.group_of(receiver)?;
        let group = &self.groups[number];
        let partitions = (0..self.logs.len()).filter(|partition| group.owner(*partition) == Some(receiver));
        let next = partitions.filter_map(|partition| {
            let offset = group.next[partition];
            let place = Place { partition, offset };
            Some((self.message(place)?.number, place))
        });
        next.min().map(|(_, place)| (number, place))
    }

    /// Takes down a delivery of this message to the receiver. Returns the message as it was before.
    fn take(&mut self, number: usize, place: Place, receiver: Receiver) -> Option<Message> {
        let mut message = self.message(place)?.clone();
        let group = &mut self.groups[number];
        let before = group.count(place);
        message.ready_by = group.ready_by(place).unwrap_or(message.ready_by);
        group.take(place);
        self.handles.push(Handle {
            group: number,
            generation: group.generation,
            place,
            receiver,
        });
        if let Some(kept) = self.logs[place.partition].get_mut(place.offset as usize) {
            kept.deliveries = kept.deliveries.max(before + 1);
        }
        message.deliveries = before;
        Some(message)
    }
}

impl Queue {
    fn with_partitions<T>(&mut self, change: impl FnOnce(&mut Queue, &mut Partitions) -> T) -> Option<T> {
        let mut partitions = self.partitions.take()?;
        let done = change(self, Rc::make_mut(&mut partitions));
        self.partitions = Some(partitions);
        Some(done)
    }

    fn has_in_flight(&self, receiver: Receiver) -> bool {
        self.in_flight.values().any(|held| held.receiver == receiver)
    }
}

impl Broker {
    /// The consumer groups of a queue, as the program numbers them. Empty if nothing has happened to it, or it has no partitions.
    pub fn groups(&self, queue: u16) -> Vec<GroupState> {
        let Some(partitions) = &self.queue(queue).partitions else {
            return Vec::new();
        };
        let state = |group: &Group| {
            let ends = partitions.logs.iter().map(|log| log.len() as u32);
            GroupState {
                generation: group.generation,
                members: group.members.iter().map(|member| member.receiver).collect(),
                positions: group.committed.iter().copied().zip(ends).collect(),
            }
        };
        partitions.groups.iter().map(state).collect()
    }

    pub(super) fn has_partitions(&self, queue: u16) -> bool {
        self.queue(queue).partitions.is_some()
    }

    /// Makes the logs of a queue at its first use.
    fn open(&mut self, schemas: &[QueueSchema], queue: u16) {
        let schema = &schemas[usize::from(queue)];
        let state = &mut self.queues[usize::from(queue)];
        if let (None, Some(partitions)) = (&state.partitions, schema.partitions) {
            state.partitions = Some(Rc::new(Partitions::new(partitions, schema.groups.len())));
        }
    }

    /// Appends a message to its partition. False if the queue has none: the message is given back.
    pub(super) fn append(&mut self, schemas: &[QueueSchema], queue: u16, message: Message) -> Result<(), Message> {
        self.open(schemas, queue);
        let state = &mut self.queues[usize::from(queue)];
        let Some(partitions) = &mut state.partitions else {
            return Err(message);
        };
        let partitions = Rc::make_mut(partitions);
        let partition = partition_of(message.row.get("key"), message.number, partitions.logs.len());
        partitions.logs[partition].push_back_mut(message);
        Ok(())
    }

    /// A receiver asks as a member of this group; one that is none yet joins.
    pub fn join(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        group: u16,
        receiver: Receiver,
        happened: &mut Vec<Happened>,
    ) {
        self.open(schemas, queue);
        let state = &mut self.queues[usize::from(queue)];
        state.with_partitions(|_, partitions| {
            if let Some(joined) = partitions.groups.get_mut(usize::from(group)) {
                joined.join(receiver);
                joined.note_unsettled(queue, group, happened);
            }
        });
    }

    /// A clean stop: the receiver leaves its groups at once, whatever it holds.
    pub fn leave(&mut self, receiver: Receiver, happened: &mut Vec<Happened>) {
        for queue in 0..self.queues.len() {
            self.leave_one(queue as u16, receiver, happened);
        }
    }

    /// It is no member any more.
    fn leave_one(&mut self, queue: u16, receiver: Receiver, happened: &mut Vec<Happened>) {
        self.queues[usize::from(queue)].with_partitions(|_, partitions| {
            let Some(number) = partitions.group_of(receiver) else {
                return;
            };
            let group = &mut partitions.groups[number];
            group.leave(receiver);
            // No more groups than triggers, which have 16-bit numbers.
            group.note_unsettled(queue, number as u16, happened);
        });
    }

    /// Deals the partitions anew and reads each again from its stored position. Returns the new generation; none if nobody
    /// has come or gone.
    pub fn rebalance(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        group: u16,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Option<u32> {
        let number = usize::from(group);
        let dealt = self.queues[usize::from(queue)].with_partitions(|state, partitions| {
            if !partitions.groups.get(number)?.unsettled {
                return None;
            }
            end_deliveries(state, partitions, number);
            let group = partitions.groups.get_mut(number)?;
            group.deal(stamp.event);
            Some(group.generation)
        });
        let generation = dealt.flatten()?;
        self.assign(schemas, queue, stamp, happened);
        Some(generation)
    }

    /// Each receiver in line gets the next message of its partitions, if there is one.
    pub(super) fn hand_out(&mut self, schemas: &[QueueSchema], queue: u16, stamp: Stamp, happened: &mut Vec<Happened>) {
        let line: Vec<Receiver> = self.queue(queue).receivers.iter().copied().collect();
        for receiver in line {
            while let Some((group, place)) = self.next_for(queue, receiver) {
                if self.is_exhausted(schemas, queue, group, place) {
                    self.exhaust_place(schemas, queue, group, place, stamp, happened);
                } else {
                    self.hand_to(schemas, queue, (group, place), receiver, stamp, happened);
                    break;
                }
            }
        }
    }

    fn next_for(&self, queue: u16, receiver: Receiver) -> Option<(usize, Place)> {
        self.queue(queue).partitions.as_ref()?.next_for(receiver)
    }

    fn hand_to(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        (group, place): (usize, Place),
        receiver: Receiver,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        let lease = schemas[usize::from(queue)].lease;
        let lease_ends = lease.map(|lease| stamp.at.saturating_add(lease));
        let handed = self.queues[usize::from(queue)].with_partitions(|state, partitions| {
            let message = partitions.take(group, place, receiver)?;
            state.receivers = state.receivers.iter().copied().filter(|r| *r != receiver).collect();
            Some(state.deliver(message, receiver, lease_ends, None))
        });
        happened.extend(handed.flatten().map(|delivery| Happened::Delivered {
            queue,
            receiver,
            delivery,
            lease_ends,
        }));
    }

    /// Stores the position behind a message, unless a later one is stored already.
    pub(super) fn ack_position(&mut self, schemas: &[QueueSchema], queue: u16, delivery: u32) -> Answer {
        let handle = self.checked(queue, delivery);
        let stale = schemas[usize::from(queue)].stale;
        let state = &mut self.queues[usize::from(queue)];
        let stored = state.with_partitions(|state, partitions| match (handle, partitions.handle(delivery)) {
            (Ok(handle), _) => {
                state.take_in_flight(delivery);
                let group = &mut partitions.groups[handle.group];
                group.stay(handle.receiver);
                group.store(handle.place);
                Ok(())
            }
            // The broker does not look at generations.
            (Err(_), Some(handle)) if !is_refused(stale) => {
                if stale != Stale::Ignored {
                    partitions.groups[handle.group].store(handle.place);
                }
                Ok(())
            }
            (Err(failure), _) => Err(failure),
        });
        stored.unwrap_or_else(|| Err(super::stale_handle()))
    }

    /// The group goes back to this message, or gives it up.
    pub(super) fn nack_position(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        delivery: u32,
        (after, dead): (Option<Millis>, bool),
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Answer {
        if after.is_some() && !dead {
            let detail = "a partition is read in order: it has no delays";
            return Err(Failure::new(ErrorClass::Refused, detail));
        }
        let handle = match self.checked(queue, delivery) {
            Ok(handle) => handle,
            Err(_) if !is_refused(schemas[usize::from(queue)].stale) => return Ok(()),
            Err(failure) => return Err(failure),
        };
        let gone = self.queues[usize::from(queue)].with_partitions(|state, partitions| {
            state.take_in_flight(delivery);
            let group = &mut partitions.groups[handle.group];
            group.stay(handle.receiver);
            let acknowledged = group.committed[handle.place.partition] > handle.place.offset;
            if !acknowledged {
                group.seek(handle.place, stamp.event);
            }
            acknowledged
        });
        if gone == Some(false) && (dead || self.is_exhausted(schemas, queue, handle.group, handle.place)) {
            self.exhaust_place(schemas, queue, handle.group, handle.place, stamp, happened);
        }
        self.assign(schemas, queue, stamp, happened);
        Ok(())
    }

    /// A pass has ended well: the group goes on to the next message, whether or not this one was acknowledged.
    pub fn pass_over(&mut self, queue: u16, delivery: u32) {
        if self.has_partitions(queue) {
            self.queues[usize::from(queue)].take_in_flight(delivery);
        }
    }

    /// The lease of a delivery is over: its receiver is taken for dead.
    pub(super) fn expel(&mut self, queue: u16, delivery: u32, happened: &mut Vec<Happened>) {
        let held = self.queues[usize::from(queue)].take_in_flight(delivery);
        if let Some(held) = held {
            self.leave_one(queue, held.receiver, happened);
        }
    }

    /// The connection of a receiver broke. Without session and lease it has left; else it is waited for, as long as that.
    pub(super) fn lose_member(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        receiver: Receiver,
        now: Millis,
        happened: &mut Vec<Happened>,
    ) {
        let schema = &schemas[usize::from(queue)];
        let Some(patience) = schema.session.or(schema.lease) else {
            return self.leave_one(queue, receiver, happened);
        };
        let waits = self.queues[usize::from(queue)].with_partitions(|state, partitions| {
            let number = partitions.group_of(receiver)?;
            let member = partitions.groups[number].member_mut(receiver)?;
            member.lost = Some(now);
            // While it holds a delivery, the end of that lease decides, unless there are sessions.
            (schema.session.is_some() || !state.has_in_flight(receiver)).then_some(())
        });
        if waits.flatten().is_some() {
            let at = now.saturating_add(patience);
            happened.push(Happened::Silent { queue, receiver, at });
        }
    }

    /// A receiver cannot reach one broker for now, without its connection being broken.
    pub fn silent(
        &mut self,
        schemas: &[QueueSchema],
        broker: u16,
        receiver: Receiver,
        now: Millis,
        happened: &mut Vec<Happened>,
    ) {
        for (queue, schema) in schemas.iter().enumerate() {
            if schema.broker == broker && (schema.session.is_some() || schema.lease.is_some()) {
                self.lose_member(schemas, queue as u16, receiver, now, happened);
            }
        }
    }

    /// A session's (or lease's) time has passed since the receiver was last heard of, unless it has come back.
    pub fn end_session(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        receiver: Receiver,
        now: Millis,
        happened: &mut Vec<Happened>,
    ) {
        let schema = &schemas[usize::from(queue)];
        let patience = schema.session.or(schema.lease).unwrap_or(0);
        let state = self.queue(queue);
        let lost = state.partitions.as_ref().and_then(|partitions| {
            let number = partitions.group_of(receiver)?;
            partitions.groups[number].member(receiver)?.lost
        });
        let over = lost.is_some_and(|since| since.saturating_add(patience) <= now);
        if over && (schema.session.is_some() || !state.has_in_flight(receiver)) {
            self.leave_one(queue, receiver, happened);
        }
    }

    /// The broker goes down: nobody is a member any more, and no delivery is current.
    pub(super) fn disband(&mut self, queue: u16, stamp: Stamp) {
        self.queues[usize::from(queue)].with_partitions(|state, partitions| {
            for number in 0..partitions.groups.len() {
                end_deliveries(state, partitions, number);
                let group = &mut partitions.groups[number];
                group.members = Vector::new();
                group.deal(stamp.event);
            }
        });
    }

    fn checked(&self, queue: u16, delivery: u32) -> Result<Handle, Failure> {
        let partitions = self.queue(queue).partitions.as_ref();
        let found = partitions.and_then(|partitions| Some((partitions, partitions.handle(delivery)?)));
        let Some((partitions, handle)) = found else {
            return Err(super::stale_handle());
        };
        if partitions.holds(&handle) {
            return Ok(handle);
        }
        let group = &partitions.groups[handle.group];
        let detail = match group.generation == handle.generation {
            true => "the receiver is no member of its group any more".to_owned(),
            false => format!(
                "the receipt handle is of generation {}, its group is in generation {}",
                handle.generation, group.generation
            ),
        };
        Err(Failure::new(ErrorClass::Refused, detail))
    }

    fn is_exhausted(&self, schemas: &[QueueSchema], queue: u16, group: usize, place: Place) -> bool {
        let attempts = schemas[usize::from(queue)].attempts;
        let partitions = self.queue(queue).partitions.as_ref();
        let count = partitions.map_or(0, |partitions| partitions.groups[group].count(place));
        attempts.is_some_and(|attempts| count >= attempts)
    }

    /// The group gives up a message: a copy goes where exhausted messages go, and the position moves on.
    fn exhaust_place(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        group: usize,
        place: Place,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        let given_up = self.queues[usize::from(queue)].with_partitions(|_, partitions| {
            let message = partitions.message(place)?.clone();
            partitions.groups[group].store(place);
            Some(message)
        });
        let Some(message) = given_up.flatten() else { return };
        let rule = schemas[usize::from(queue)].exhausted;
        let dead = match rule {
            Exhausted::Dead(dead) => Some(dead),
            Exhausted::Drop | Exhausted::Keep => None,
        };
        happened.push(Happened::Exhausted {
            queue,
            message: message.number,
            dead,
        });
        match rule {
            Exhausted::Dead(dead) => {
                self.move_to(schemas, dead, message, stamp, happened);
                self.assign(schemas, dead, stamp, happened);
            }
            Exhausted::Drop => {}
            Exhausted::Keep => self.queues[usize::from(queue)].dead.insert_mut(message.number, message),
        }
    }
}

/// What a group's members hold is theirs no more.
fn end_deliveries(state: &mut Queue, partitions: &Partitions, number: usize) {
    let of_group = |delivery: &&u32| {
        partitions
            .handle(**delivery)
            .is_some_and(|handle| handle.group == number)
    };
    let ending: Vec<u32> = state.in_flight.keys().filter(of_group).copied().collect();
    for delivery in ending {
        state.take_in_flight(delivery);
    }
}

#[cfg(test)]
mod tests;
