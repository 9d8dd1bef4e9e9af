//! Facts: what happened and cannot be undone. A row committed, a message accepted, an effect outside.
//!
//! Each party keeps the log of its own facts; promises are judged on them. Refuses to know who reads them.

use crate::value::{Millis, Row};
use rpds::Vector;
use std::rc::Rc;

/// Number of an event in the trace of a run, from 0. Facts of one run are ordered across parties by it.
pub type EventId = u32;

/// When a party did something: the event in which it happened, and its virtual time. Opaque to the party.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    pub event: EventId,
    pub at: Millis,
}

/// The stamp of rows that are there before the run begins.
pub const INITIAL: Stamp = Stamp {
    event: EventId::MAX,
    at: 0,
};

/// One fact of one relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What stays the same when a row is updated: the row's or message's number within its relation.
    pub identity: u64,
    pub change: Change,
    /// The new values; of a deletion the old ones.
    pub row: Row,
    /// [`INITIAL`] for initial rows.
    pub stamp: Stamp,
    /// Number of the commit within its database, from 1; 0 elsewhere and for initial rows.
    pub commit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    Insert,
    Update,
    Delete,
}

impl Change {
    pub fn name(self) -> &'static str {
        match self {
            Change::Insert => "insert",
            Change::Update => "update",
            Change::Delete => "delete",
        }
    }
}

const CHUNK: usize = 16;

/// An append-only list. Cloning costs two reference counts whatever its length; a push after a clone copies at most one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log<T> {
    full: Vector<Rc<Vec<T>>>,
    tail: Rc<Vec<T>>,
}

impl<T: Clone> Log<T> {
    pub fn new() -> Log<T> {
        Log {
            full: Vector::new(),
            tail: Rc::new(Vec::new()),
        }
    }

    pub fn push(&mut self, item: T) {
        let tail = Rc::make_mut(&mut self.tail);
        tail.push(item);
        if tail.len() == CHUNK {
            let full = std::mem::replace(&mut self.tail, Rc::new(Vec::new()));
            self.full.push_back_mut(full);
        }
    }

    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.tail.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, index: usize) -> Option<&T> {
        match self.full.get(index / CHUNK) {
            Some(chunk) => chunk.get(index % CHUNK),
            None => self.tail.get(index.checked_sub(self.full.len() * CHUNK)?),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.full.iter().flat_map(|chunk| chunk.iter()).chain(self.tail.iter())
    }
}

impl<T: Clone> Default for Log<T> {
    fn default() -> Self {
        Log::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_its_clone_apart_across_chunk_borders() {
        let mut log = Log::new();
        for n in 0..130 {
            log.push(n);
        }
        let before = log.clone();
        for n in 130..200 {
            log.push(n);
        }
        assert_eq!(before.iter().copied().collect::<Vec<_>>(), (0..130).collect::<Vec<_>>());
        assert_eq!(log.iter().copied().collect::<Vec<_>>(), (0..200).collect::<Vec<_>>());
        assert_eq!(
            (log.get(127), log.get(128), log.get(199), log.get(200)),
            (Some(&127), Some(&128), Some(&199), None)
        );
    }
}
