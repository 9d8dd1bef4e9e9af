//! Worlds from which everything was tried already, and what was found there.
//!
//! Equal worlds have equal futures, so the sets found from one are those of the other; only the visits by which the faults are
//! named differ, by as much as the instances' counts of visits differ. Worlds are known by a fingerprint of 128 bits: that two
//! different ones have the same is less likely than a fault of the machine.

use super::super::fault;
use super::super::fingerprint::FactsTaken;
use super::super::world::World;
use super::Found;
use crate::program::{Fault, Moment, Program, StepName};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Worlds, and sets that are listed for them, that are kept at most: some 200 bytes each.
pub const KEPT_MAX: usize = 250_000;

/// Ends whose worth is kept at most.
const ENDS_MAX: usize = 10_000;

/// The counts of visits of all instances, by step.
type Visits = Rc<[Rc<Vec<u32>>]>;

/// What is looked for: a world, and how many faults may still be added.
pub(super) struct Look<'a> {
    pub world: &'a World,
    pub facts: &'a FactsTaken,
    /// Every order of simultaneous entries is tried: their sequence does not count.
    pub any_order: bool,
    pub left: usize,
    /// Faults that led there; how many sets have been found since, and how many are listed.
    pub faults: &'a [Fault],
    pub sets: u64,
    pub found: usize,
    /// The work done so far.
    pub work: u64,
}

/// A world that was not known: what will have been found from here on shall be kept.
pub(super) struct Mark {
    key: Key,
    visits: Visits,
    faults: usize,
    sets: u64,
    found: usize,
    work: u64,
}

type Key = (u64, u64, usize);

pub(super) enum Known<V> {
    Yes {
        /// How many sets are found from there on.
        sets: u64,
        /// If they are listed: as sets that begin with the faults of the look.
        found: Vec<Rc<Found<V>>>,
        /// What it took to find them.
        work: u64,
    },
    /// None: there is no room for another.
    Not(Option<Mark>),
}

struct Entry<V> {
    sets: u64,
    found: Rc<[Rc<Found<V>>]>,
    /// The first of `found` that was found from here on.
    start: usize,
    /// Faults before this world.
    faults: usize,
    /// What it took to try everything from here on.
    work: u64,
    visits: Visits,
}

pub(super) struct Seen<V> {
    entries: BTreeMap<Key, Entry<V>>,
    listed: usize,
    /// What ends are worth, by their fingerprint.
    ends: BTreeMap<(u64, u64), V>,
}

impl<V> Default for Seen<V> {
    fn default() -> Self {
        Seen {
            entries: BTreeMap::new(),
            listed: 0,
            ends: BTreeMap::new(),
        }
    }
}

impl<V: Clone> Seen<V> {
    pub fn worlds(&self) -> usize {
        self.entries.len()
    }

    pub fn is_full(&self) -> bool {
        self.entries.len() + self.listed >= KEPT_MAX
    }

    pub fn look(&self, program: &Program, look: Look) -> Known<V> {
        let (a, b) = look.world.fingerprint(program, look.any_order, look.facts);
        let key = (a, b, look.left);
        let Some(entry) = self.entries.get(&key) else {
            let mark = Mark {
                key,
                visits: look.world.all_visits(),
                faults: look.faults.len(),
                sets: look.sets,
                found: look.found,
                work: look.work,
            };
            return Known::Not((!self.is_full()).then_some(mark));
        };
        let visits = look.world.all_visits();
        let renamed = |found: &Rc<Found<V>>| {
            let later = found.faults[entry.faults..].iter();
            let later = later.map(|fault| renamed(program, fault, &entry.visits, &visits));
            Rc::new(Found {
                faults: look.faults.iter().cloned().chain(later).collect(),
                order: Vec::new(),
                worth: found.worth.clone(),
            })
        };
        Known::Yes {
            sets: entry.sets,
            found: entry.found[entry.start..].iter().map(renamed).collect(),
            work: entry.work,
        }
    }

    /// What an end is worth, judged if it is new.
    pub fn worth_of(&mut self, end: (u64, u64), judge: impl FnOnce() -> V) -> V {
        if let Some(worth) = self.ends.get(&end) {
            return worth.clone();
        }
        let worth = judge();
        if self.ends.len() < ENDS_MAX {
            self.ends.insert(end, worth.clone());
        }
        worth
    }

    /// Keeps what was found since the marks, and gives it back. `sets` is how many sets were found in all, `work` what was done.
    pub fn keep(&mut self, marks: Vec<Mark>, sets: u64, found: Vec<Rc<Found<V>>>, work: u64) -> Rc<[Rc<Found<V>>]> {
        let found: Rc<[Rc<Found<V>>]> = found.into();
        if !marks.is_empty() {
            self.listed += found.len();
        }
        for mark in marks {
            let entry = Entry {
                sets: sets - mark.sets,
                found: Rc::clone(&found),
                start: mark.found,
                faults: mark.faults,
                work: work - mark.work,
                visits: mark.visits,
            };
            self.entries.insert(mark.key, entry);
        }
        found
    }
}

impl World {
    fn all_visits(&self) -> Visits {
        self.instances
            .iter()
            .map(|instance| Rc::clone(&instance.visits))
            .collect()
    }
}

/// The same fault where the instances' counts of visits are others.
fn renamed(program: &Program, fault: &Fault, then: &Visits, now: &Visits) -> Fault {
    let mut fault = fault.clone();
    if let Some(step) = step_of(&mut fault)
        && let Some(at) = fault::step(program, step)
    {
        let count = |visits: &Visits| visits[usize::from(at.instance)][usize::from(at.step)];
        // A visit comes after those that had been counted.
        step.visit = step.visit - count(then) + count(now);
    }
    fault
}

fn step_of(fault: &mut Fault) -> Option<&mut StepName> {
    match fault {
        Fault::Crash(point, _) | Fault::Pause(point, _) => Some(&mut point.step),
        Fault::LoseRequest(visits) | Fault::LoseReply(visits) | Fault::Refuse(visits) | Fault::Delay(visits, _) => {
            Some(&mut visits.first)
        }
        Fault::Down(_, moment, _) | Fault::Cut(_, _, moment, _) => match moment {
            Moment::At(_) => None,
            Moment::Point(point) => Some(&mut point.step),
        },
    }
}
