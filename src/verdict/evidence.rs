//! What a verdict needs from the end of a run, and the scope that promises are evaluated in.

use crate::expression::{Failure, Scope, Slot};
use crate::fact::{Fact, Log};
use crate::program::{CAUSE, EFFECT, OWN, Program, Relation};
use crate::sql::Select;
use crate::value::{Millis, Row, Value};

/// The end of a run as promises see it: every fact, and what is there now.
pub trait Evidence {
    /// The instant at which the run ended.
    fn now(&self) -> Millis;
    /// Everything that ever happened to a table, a queue or an outside party, in sequence.
    /// Asked only for [`Relation::Table`], [`Relation::Queue`] and [`Relation::Outside`].
    fn facts(&self, relation: Relation) -> &Log<Fact>;
    /// The committed rows of a table and their identities, in the sequence of identities.
    fn rows(&self, database: u16, table: u16) -> Vec<(u64, Row)>;
    /// The identities of a table's rows that open transactions have changed.
    fn changing(&self, database: u16, table: u16) -> Vec<u64>;
    /// The messages of a queue that are ready, in flight or delayed, in the sequence of their acceptance.
    fn messages(&self, queue: u16) -> Vec<Queued>;
    /// The messages that were given up in this queue and have not been sent back.
    fn given_up(&self, program: &Program, queue: u16) -> Vec<Queued>;
    /// A select on committed rows.
    fn select(&self, database: u16, select: &Select) -> Result<Vec<Row>, Failure>;
    /// Some request still waits at its party for a lock or an answer, or some transaction is prepared and waits for a decision.
    fn waits(&self) -> bool;
    /// Somebody tries a step again and again, and it has not gone well yet.
    fn repeats(&self) -> bool;
}

/// A message that lies in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The identity of the fact of its acceptance by the queue asked about; a number of its own if another queue accepted it.
    pub identity: u64,
    /// Queue and identity under which it was accepted, before it was moved to a dead-letter queue.
    pub origin: (u16, u64),
    pub row: Row,
    /// How often it has been handed out.
    pub deliveries: u32,
    /// Ready, but nobody gets it before another message of its group is done.
    pub held_back: bool,
}

/// The rows a promise's expression speaks of; what a promise does not have stays null.
#[derive(Clone, Copy, Default)]
pub(super) struct Rows<'a> {
    pub effect: Option<&'a Row>,
    pub cause: Option<&'a Row>,
    pub own: Option<&'a Row>,
    pub now: Millis,
}

impl<'a> Rows<'a> {
    /// No rows yet, at this instant.
    pub fn at(now: Millis) -> Rows<'a> {
        Rows { now, ..Rows::default() }
    }

    /// Adds the row of one of the three slots.
    pub fn with(mut self, slot: Slot, row: &'a Row) -> Rows<'a> {
        match slot {
            EFFECT => self.effect = Some(row),
            CAUSE => self.cause = Some(row),
            _ => self.own = Some(row),
        }
        self
    }
}

impl Scope for Rows<'_> {
    fn local(&self, slot: Slot) -> Value {
        let row = match slot {
            EFFECT => self.effect,
            CAUSE => self.cause,
            OWN => self.own,
            _ => None,
        };
        row.map_or(Value::Null, |row| Value::Row(row.clone()))
    }

    fn now(&self) -> Millis {
        self.now
    }
}
