//! Virtual time: what is due when. The same rule of order as the engine's: by time, then by when it was put there.

use super::super::wire::Answer;
use crashpoint::value::Millis;
use std::collections::BTreeMap;

/// Something that happens at its time.
#[derive(Clone, Debug)]
pub enum Due {
    Fire {
        instance: usize,
        trigger: u16,
        life: u32,
        round: u32,
    },
    Arrive {
        task: u32,
        request: u32,
    },
    Finish {
        task: u32,
        request: u32,
    },
    Reply {
        task: u32,
        request: u32,
        answer: Answer,
    },
    Continue {
        task: u32,
    },
    Ask {
        task: u32,
    },
    Deliver {
        task: u32,
        handed: Handed,
    },
    /// Of one that was given back for later: its delay.
    LeaseEnds {
        queue: u16,
        delivery: u32,
    },
    Deadlock {
        task: u32,
        wait: u32,
    },
    Renew {
        renewal: Renewal,
    },
    /// A buffered publish arrives, or its answer does.
    Background {
        number: u32,
        answer: Option<Answer>,
    },
    Restart {
        instance: usize,
        life: u32,
    },
    Resume {
        instance: usize,
        life: u32,
    },
    Fault {
        fault: usize,
    },
    Up {
        party: super::Party,
    },
}

/// A message on its way to a receiver.
#[derive(Clone, Debug)]
pub struct Handed {
    pub queue: u16,
    pub delivery: u32,
    pub connection: u32,
    pub row: crashpoint::value::Row,
    /// How often it has been handed out, this time included.
    pub count: u32,
}

/// A renewal of a lease in the background of a pass.
#[derive(Clone, Debug)]
pub struct Renewal {
    pub task: u32,
    pub pass: u32,
    pub pc: u32,
    pub round: u32,
    pub delivery: (u16, u32),
    /// Its visit, once it is on its way.
    pub sent: Option<u32>,
}

#[derive(Default)]
pub struct Agenda {
    due: BTreeMap<(Millis, u64), (Due, bool)>,
    sequence: u64,
    polls: u32,
}

impl Agenda {
    pub fn add(&mut self, at: Millis, due: Due) {
        self.put(at, due, false);
    }

    /// The next pass of a poller: a run that has nothing else to do may rest.
    pub fn add_poll(&mut self, at: Millis, due: Due) {
        self.polls += 1;
        self.put(at, due, true);
    }

    fn put(&mut self, at: Millis, due: Due, poll: bool) {
        self.sequence += 1;
        self.due.insert((at, self.sequence), (due, poll));
    }

    pub fn next_at(&self) -> Option<Millis> {
        self.due.keys().next().map(|(at, _)| *at)
    }

    pub fn pop(&mut self) -> Option<(Millis, Due)> {
        let ((at, _), (due, poll)) = self.due.pop_first()?;
        self.polls -= u32::from(poll);
        Some((at, due))
    }

    pub fn polls(&self) -> u32 {
        self.polls
    }

    pub fn only_polls(&self) -> bool {
        self.due.len() == self.polls as usize
    }
}
