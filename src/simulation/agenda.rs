//! The agenda: what will happen, ordered by (time, sequence). No other source of order exists.

use super::trace::{InstanceId, Party};
use super::world::TaskId;
use crate::expression::Failure;
use crate::fact::EventId;
use crate::value::{Millis, Row, Value};
use rpds::RedBlackTreeMap;

/// Something that will happen.
#[derive(Clone, Debug)]
pub(super) enum Due {
    /// A trigger fires; void if the instance has started again since (`at` firings excepted, which know no life).
    Fire {
        instance: InstanceId,
        trigger: u16,
        life: u32,
        round: u32,
    },
    /// A request reaches its party.
    Arrive {
        task: TaskId,
        request: u32,
    },
    /// An outside party or a sleep has taken its time: the effect happens now.
    Finish {
        task: TaskId,
        request: u32,
    },
    /// A waiting statement was woken: the party is asked again.
    Woken {
        task: TaskId,
        request: u32,
    },
    /// The answer reaches the process.
    Reply {
        task: TaskId,
        request: u32,
        answer: Result<Value, Failure>,
    },
    /// One second after a wait began.
    Deadlock {
        task: TaskId,
        wait: u32,
    },
    /// A task goes on after its process was frozen, or a loop's pause is over.
    Continue {
        task: TaskId,
    },
    /// An idle receiver or follower asks its party (again).
    Ask {
        task: TaskId,
    },
    /// A message is handed to a receiver that waited.
    Deliver {
        task: TaskId,
        message: Handed,
    },
    LeaseEnds {
        queue: u16,
        delivery: u32,
    },
    DelayOver {
        queue: u16,
        message: u32,
    },
    /// The time of a message is over; void if it has left its queue.
    Expires {
        queue: u16,
        message: u32,
    },
    /// A delivery should have been acknowledged; void if it is over.
    AckTimeout {
        queue: u16,
        delivery: u32,
    },
    /// A broker has not heard of a frozen or cut-off process for too long; void if that is over.
    Silent {
        instance: InstanceId,
        life: u32,
        broker: u16,
    },
    /// A consumer group's partitions are dealt anew, because of that event.
    Rebalance {
        queue: u16,
        group: u16,
        cause: Option<EventId>,
    },
    /// A member of a consumer group has not been heard of for a lease.
    SessionEnds {
        queue: u16,
        receiver: TaskId,
    },
    Renew(Renewal),
    /// An asynchronous publish reaches its broker (no result yet), or its result reaches the process.
    Background {
        number: u32,
        result: Option<super::background::Result>,
    },
    Restart {
        instance: InstanceId,
        life: u32,
    },
    Resume {
        instance: InstanceId,
        life: u32,
    },
    Down {
        fault: u16,
    },
    Up {
        party: Party,
    },
    Cut {
        fault: u16,
    },
    Heal,
}

/// A message on its way to the receiver it was given to. The receiver handles it even if its lease ends on the way.
#[derive(Clone, Debug)]
pub(super) struct Handed {
    pub queue: u16,
    pub delivery: u32,
    pub number: u32,
    pub deliveries: u32,
    pub row: Row,
    pub ready_by: EventId,
    /// The receiver's connection that it comes by; void if that has ended.
    pub connection: u32,
}

/// What an entry means for the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Work,
    /// A firing of `every`: the run may rest when only such are left.
    Poll,
    /// Asks a broker whether something is due that may be over by then.
    Timer,
}

/// A background renewal of a lease (`keep`): to be sent, or on its way to the broker.
#[derive(Clone, Debug)]
pub(super) struct Renewal {
    pub task: TaskId,
    /// The pass it belongs to and ends with.
    pub pass: u32,
    /// Where the `keep` stands.
    pub pc: u32,
    /// From 1.
    pub round: u32,
    pub receipt: (u16, u32),
    /// Its visit, once it was sent; it arrives then.
    pub sent: Option<(u32, Millis)>,
}

/// When an entry is due, and its place among those that are due then.
pub(super) type Key = (Millis, u64);

/// The first sequence number: there is room before it for entries that are brought forward.
const SEQUENCE_FIRST: u64 = 1 << 32;

/// Agenda entries in order. Counts apart what only polls or only asks for the time: when nothing else is left, a run may rest.
#[derive(Clone, Debug)]
pub(super) struct Agenda {
    entries: RedBlackTreeMap<Key, (Due, Weight)>,
    sequence: u64,
    polls: u32,
    timers: u32,
}

impl Agenda {
    pub fn new() -> Agenda {
        Agenda {
            entries: RedBlackTreeMap::new(),
            sequence: SEQUENCE_FIRST,
            polls: 0,
            timers: 0,
        }
    }

    pub fn add(&mut self, at: Millis, due: Due) {
        self.insert(at, due, Weight::Work);
    }

    /// Adds a firing of `every`.
    pub fn add_poll(&mut self, at: Millis, due: Due) {
        self.polls += 1;
        self.insert(at, due, Weight::Poll);
    }

    /// Adds a question that may be void by then.
    pub fn add_timer(&mut self, at: Millis, due: Due) {
        self.timers += 1;
        self.insert(at, due, Weight::Timer);
    }

    fn insert(&mut self, at: Millis, due: Due, weight: Weight) {
        self.entries.insert_mut((at, self.sequence), (due, weight));
        self.sequence += 1;
    }

    pub fn len(&self) -> usize {
        self.entries.size()
    }

    pub fn next_at(&self) -> Option<Millis> {
        self.entries.first().map(|((at, _), _)| *at)
    }

    /// More than one entry is due at the next instant.
    pub fn is_tied(&self) -> bool {
        let mut next = self.entries.iter().map(|((at, _), _)| *at);
        next.next().is_some_and(|first| next.next() == Some(first))
    }

    pub fn pop(&mut self) -> Option<(Millis, Due)> {
        let key = *self.entries.first()?.0;
        Some((key.0, self.remove(key)?))
    }

    /// Takes off what will not happen any more.
    pub fn cancel(&mut self, gone: impl Fn(&Due) -> bool) {
        let keys: Vec<Key> = self
            .entries()
            .filter(|(_, due)| gone(due))
            .map(|(key, _)| key)
            .collect();
        for key in keys {
            self.remove(key);
        }
    }

    fn remove(&mut self, key: Key) -> Option<Due> {
        let (due, weight) = self.entries.get(&key).cloned()?;
        self.entries.remove_mut(&key);
        self.polls -= u32::from(weight == Weight::Poll);
        self.timers -= u32::from(weight == Weight::Timer);
        Some(due)
    }

    /// All entries, in sequence.
    pub fn entries(&self) -> impl Iterator<Item = (Key, &Due)> {
        self.entries.iter().map(|(key, (due, _))| (*key, due))
    }

    /// Lets an entry be the first of its instant.
    pub fn bring_forward(&mut self, key: Key) {
        let Some(entry) = self.entries.get(&key).cloned() else {
            return;
        };
        // The first of the instant is this one or one before it.
        let first = self
            .entries
            .iter()
            .map(|((at, place), _)| (*at, *place))
            .find(|(at, _)| *at == key.0);
        self.entries.remove_mut(&key);
        let place = first
            .map_or(key.1, |(_, place)| place.min(SEQUENCE_FIRST))
            .saturating_sub(1);
        self.entries.insert_mut((key.0, place), entry);
    }

    /// False if the next entry cannot bring a process into a gap.
    pub fn next_may_open_gap(&self) -> bool {
        let opens = |(_, (due, _)): (_, &(Due, Weight))| {
            matches!(
                due,
                Due::Fire { .. } | Due::Reply { .. } | Due::Continue { .. } | Due::Deliver { .. }
            )
        };
        self.entries.first().is_some_and(opens)
    }

    /// Firings of `every` on the agenda.
    pub fn polls(&self) -> u32 {
        self.polls
    }

    pub fn timers(&self) -> u32 {
        self.timers
    }

    /// True if firings of `every` and timers are all that is left.
    pub fn only_polls_and_timers(&self) -> bool {
        self.entries.size() == self.polls as usize + self.timers as usize
    }
}
