//! What the state consists of.

use crate::value::Name;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// "at 10.003 s: Relay: publish-events, first time".
    pub title: String,
    pub tables: Vec<Table>,
    pub queues: Vec<Queue>,
    /// Outside parties' effects, as tables.
    pub outsides: Vec<Table>,
    pub instances: Vec<Instance>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// "shop"; empty for outside parties.
    pub database: String,
    pub name: String,
    pub columns: Vec<Name>,
    pub rows: Vec<TableRow>,
    /// Rows that are not listed ("… 940 more rows"); empty if none.
    pub more: String,
    /// The database or party does not answer now.
    pub down: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    pub cells: Vec<TableCell>,
    /// Relative to the event before the play head.
    pub change: Change,
    /// The instance whose open transaction wrote it; nobody else sees it yet.
    pub uncommitted: Option<String>,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCell {
    pub text: String,
    pub is_null: bool,
    pub changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Same,
    Inserted,
    Updated,
    /// Shown struck through for this one event.
    Deleted,
}

impl Change {
    pub fn slug(self) -> &'static str {
        match self {
            Change::Same => "same",
            Change::Inserted => "inserted",
            Change::Updated => "updated",
            Change::Deleted => "deleted",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    pub broker: String,
    pub name: String,
    /// It is some queue's dead-letter queue.
    pub dead_letter: bool,
    pub messages: Vec<QueueMessage>,
    /// Consumer groups: "billing: 2 of 3, 0 of 1; generation 1, Reader#1, Reader#2".
    pub groups: Vec<String>,
    /// Messages that are not listed; empty if none.
    pub more: String,
    pub down: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueMessage {
    pub id: String,
    pub body: String,
    pub place: MessagePlace,
    /// "ready", "in flight, Warehouse, until 40.002 s".
    pub text: String,
    pub deliveries: u32,
    pub change: Change,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePlace {
    Ready,
    InFlight,
    Delayed,
    /// Lies there and is delivered no more.
    Dead,
    /// Published in a transaction that is still open.
    Held,
    /// Published or acknowledged by a prepared transaction.
    InDoubt,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub name: String,
    pub condition: Condition,
    /// "up", "down until 5.008 s", "paused until …".
    pub text: String,
    /// Variables and values; empty while it is down.
    pub memory: Vec<(Name, String)>,
    pub changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Up,
    Down,
    Paused,
}
