//! One consumer group of a partitioned queue: its members, its positions, and who reads what.

use super::{EventId, Fingerprint, Happened, Millis, Place, Receiver, RedBlackTreeMap, Vector};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub generation: u32,
    /// In the sequence in which they joined.
    pub members: Vector<Member>,
    /// Somebody has come or gone since the partitions were dealt: nobody gets anything until they are dealt anew.
    pub unsettled: bool,
    /// By partition: the stored position, that of the first message that is not acknowledged.
    pub committed: Vec<u32>,
    /// By partition: what is handed out next.
    pub next: Vec<u32>,
    /// By partition: everything before this offset was handed out once and is again because of that event.
    again: Vec<(u32, EventId)>,
    deliveries: RedBlackTreeMap<Place, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub receiver: Receiver,
    /// Since when nothing is heard of it.
    pub lost: Option<Millis>,
}

impl Group {
    pub fn new(partitions: usize) -> Group {
        Group {
            generation: 0,
            members: Vector::new(),
            unsettled: false,
            committed: vec![0; partitions],
            next: vec![0; partitions],
            again: vec![(0, 0); partitions],
            deliveries: RedBlackTreeMap::new(),
        }
    }

    /// Takes down everything but the number of the generation, which only handles ask for.
    pub fn take_down(&self, print: &mut Fingerprint) {
        print.count(self.members.len());
        for member in self.members.iter() {
            print.session(member.receiver);
            print.optional(member.lost, Fingerprint::instant);
        }
        print.flag(self.unsettled);
        for (partition, next) in self.next.iter().enumerate() {
            print.number(self.committed[partition]);
            print.number(*next);
            print.number(self.again[partition].0);
        }
        print.count(self.deliveries.size());
        for (place, count) in self.deliveries.iter() {
            place.take_down(print);
            print.number(*count);
        }
    }

    /// The messages are gone, and with them all positions.
    pub fn forget(&mut self, partitions: usize) {
        *self = Group {
            generation: self.generation,
            members: self.members.clone(),
            unsettled: self.unsettled,
            ..Group::new(partitions)
        };
    }

    pub fn member(&self, receiver: Receiver) -> Option<&Member> {
        self.members.iter().find(|member| member.receiver == receiver)
    }

    pub fn member_mut(&mut self, receiver: Receiver) -> Option<&mut Member> {
        let position = self.members.iter().position(|member| member.receiver == receiver)?;
        self.members.get_mut(position)
    }

    pub fn is_member(&self, receiver: Receiver) -> bool {
        self.member(receiver).is_some()
    }

    /// The partition's reader in this generation; none while the group is unsettled.
    pub fn owner(&self, partition: usize) -> Option<Receiver> {
        let number = partition.checked_rem(self.members.len())?;
        self.members
            .get(number)
            .filter(|_| !self.unsettled)
            .map(|member| member.receiver)
    }

    /// Becomes a member, or shows that it still is one.
    pub fn join(&mut self, receiver: Receiver) {
        match self.member_mut(receiver) {
            Some(member) => member.lost = None,
            None => {
                self.members.push_back_mut(Member { receiver, lost: None });
                self.unsettled = true;
            }
        }
    }

    /// A member is heard of.
    pub fn stay(&mut self, receiver: Receiver) {
        if let Some(member) = self.member_mut(receiver) {
            member.lost = None;
        }
    }

    pub fn leave(&mut self, receiver: Receiver) {
        let others = self.members.iter().filter(|member| member.receiver != receiver);
        self.members = others.copied().collect();
        self.unsettled = true;
    }

    pub fn note_unsettled(&self, queue: u16, group: u16, happened: &mut Vec<Happened>) {
        if self.unsettled {
            happened.push(Happened::Unsettled { queue, group });
        }
    }

    /// A new generation: every partition is read again from its stored position.
    pub fn deal(&mut self, by: EventId) {
        self.generation += 1;
        self.unsettled = false;
        for partition in 0..self.committed.len() {
            let offset = self.committed[partition];
            self.seek(Place { partition, offset }, by);
        }
    }

    /// Goes back to a message; forward it goes by itself.
    pub fn seek(&mut self, place: Place, by: EventId) {
        let next = &mut self.next[place.partition];
        if place.offset < *next {
            let again = &mut self.again[place.partition];
            *again = (again.0.max(*next), by);
            *next = place.offset;
        }
    }

    /// The event that made a message ready again, if it had been handed out before.
    pub fn ready_by(&self, place: Place) -> Option<EventId> {
        let (until, by) = self.again[place.partition];
        (place.offset < until).then_some(by)
    }

    /// How often the group has got this message.
    pub fn count(&self, place: Place) -> u32 {
        self.deliveries.get(&place).copied().unwrap_or(0)
    }

    pub fn take(&mut self, place: Place) {
        let count = self.count(place) + 1;
        self.deliveries.insert_mut(place, count);
        self.next[place.partition] = place.offset + 1;
    }

    /// Stores the position behind a message; positions do not go back.
    pub fn store(&mut self, place: Place) {
        let behind = place.offset + 1;
        let Place { partition, .. } = place;
        self.committed[partition] = self.committed[partition].max(behind);
        self.next[partition] = self.next[partition].max(behind);
    }
}
