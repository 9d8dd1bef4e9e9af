//! A run's end made by hand, and short ways to write promises about it.

use crate::expression::{Expr, Failure, Operator};
use crate::fact::{Change, EventId, Fact, INITIAL, Log, Stamp};
use crate::program::{
    BrokerSchema, CAUSE, Count, EFFECT, Exhausted, Kind, OWN, Outside, Program, Promise, PromiseKind, QueueSchema,
    Relation, Scenario, Set,
};
use crate::simulation::trace::Ended;
use crate::sql::{Column, DatabaseSchema, Default as ColumnDefault, Select, TableSchema, Unique};
use crate::value::{Millis, Name, Row, Value};
use crate::verdict::{Evidence, Finding, Queued, judge};
use std::collections::BTreeMap;
use std::rc::Rc;

pub const ORDERS: Relation = Relation::Table { database: 0, table: 0 };
pub const OUTBOX: Relation = Relation::Table { database: 0, table: 1 };
pub const EVENTS: Relation = Relation::Queue(0);
pub const EVENTS_DEAD: Relation = Relation::Queue(1);
pub const BANK: Relation = Relation::Outside(0);

/// The end of a run: what happened, and what is there.
#[derive(Default)]
pub struct Stage {
    facts: BTreeMap<Relation, Log<Fact>>,
    none: Log<Fact>,
    rows: BTreeMap<Relation, Vec<(u64, Row)>>,
    pub messages: BTreeMap<u16, Vec<Queued>>,
    pub given_up: BTreeMap<u16, Vec<Queued>>,
    /// What every select yields.
    pub selected: Vec<Row>,
    pub waits: bool,
    pub repeats: bool,
    /// The number of the commit that changes are part of; none: each is one of its own.
    pub commit: Option<u32>,
}

impl Evidence for Stage {
    fn now(&self) -> Millis {
        60_000
    }
    fn facts(&self, relation: Relation) -> &Log<Fact> {
        self.facts.get(&relation).unwrap_or(&self.none)
    }
    fn rows(&self, database: u16, table: u16) -> Vec<(u64, Row)> {
        self.rows
            .get(&Relation::Table { database, table })
            .cloned()
            .unwrap_or_default()
    }
    fn changing(&self, _database: u16, _table: u16) -> Vec<u64> {
        Vec::new()
    }
    fn messages(&self, queue: u16) -> Vec<Queued> {
        self.messages.get(&queue).cloned().unwrap_or_default()
    }
    fn given_up(&self, _program: &Program, queue: u16) -> Vec<Queued> {
        self.given_up.get(&queue).cloned().unwrap_or_default()
    }
    fn select(&self, _database: u16, _select: &Select) -> Result<Vec<Row>, Failure> {
        Ok(self.selected.clone())
    }
    fn waits(&self) -> bool {
        self.waits
    }
    fn repeats(&self) -> bool {
        self.repeats
    }
}

impl Stage {
    /// A row is committed and stays.
    pub fn insert(&mut self, relation: Relation, event: EventId, identity: u64, row: Row) {
        self.rows.entry(relation).or_default().push((identity, row.clone()));
        self.fact(relation, Change::Insert, stamp(event), identity, row);
    }

    /// A row that is there before the run.
    pub fn initial(&mut self, relation: Relation, identity: u64, row: Row) {
        self.rows.entry(relation).or_default().push((identity, row.clone()));
        self.fact(relation, Change::Insert, INITIAL, identity, row);
    }

    pub fn update(&mut self, relation: Relation, event: EventId, identity: u64, row: Row) {
        self.remove(relation, identity);
        self.rows.entry(relation).or_default().push((identity, row.clone()));
        self.fact(relation, Change::Update, stamp(event), identity, row);
    }

    pub fn delete(&mut self, relation: Relation, event: EventId, identity: u64, row: Row) {
        self.remove(relation, identity);
        self.fact(relation, Change::Delete, stamp(event), identity, row);
    }

    /// A message is accepted, or an effect happens outside; that it still lies in the queue is said apart.
    pub fn accept(&mut self, relation: Relation, event: EventId, identity: u64, row: Row) {
        self.fact(relation, Change::Insert, stamp(event), identity, row);
    }

    fn remove(&mut self, relation: Relation, identity: u64) {
        self.rows
            .entry(relation)
            .or_default()
            .retain(|(other, _)| *other != identity);
    }

    fn fact(&mut self, relation: Relation, change: Change, stamp: Stamp, identity: u64, row: Row) {
        let fact = Fact {
            identity,
            change,
            row,
            stamp,
            commit: self.commit.unwrap_or(0),
        };
        self.facts.entry(relation).or_default().push(fact);
    }

    /// The findings of one promise, by kind and key of the subject, after a run that rested.
    pub fn findings(&self, promise: PromiseKind) -> Vec<(Kind, Value)> {
        self.findings_after(Ended::Rest, promise)
    }

    pub fn findings_after(&self, ended: Ended, promise: PromiseKind) -> Vec<(Kind, Value)> {
        let found = self.judge(ended, vec![promise]).into_iter();
        found.map(|finding| (finding.kind, finding.subject.key)).collect()
    }

    pub fn judge(&self, ended: Ended, promises: Vec<PromiseKind>) -> Vec<Finding> {
        judge(&scenario(promises), self, ended)
    }
}

fn stamp(event: EventId) -> Stamp {
    Stamp {
        event,
        at: Millis::from(event) * 1_000,
    }
}

pub fn scenario(promises: Vec<PromiseKind>) -> Scenario {
    let line = |(number, kind)| Promise {
        line: 50 + number,
        kind,
        sentences: Vec::new(),
    };
    Scenario {
        id: Rc::from("stage"),
        title: Vec::new(),
        about: Vec::new(),
        variants: Vec::new(),
        system: None,
        pattern: None,
        reports: Vec::new(),
        program: Rc::new(program()),
        faults: Vec::new(),
        promises: (0u32..).zip(promises).map(line).collect(),
        expected: Vec::new(),
        notes: Vec::new(),
    }
}

fn program() -> Program {
    let queue = |name: &str, exhausted| QueueSchema {
        lease: Some(30_000),
        attempts: Some(5),
        exhausted,
        ..QueueSchema::plain(Rc::from(name), 0)
    };
    Program {
        databases: vec![DatabaseSchema {
            name: Rc::from("shop"),
            tables: vec![table("orders", &["id", "total"]), table("outbox", &["id", "sent"])],
            initial: Vec::new(),
        }],
        brokers: vec![BrokerSchema::plain(Rc::from("rabbit"))],
        queues: vec![
            queue("events", Exhausted::Dead(1)),
            queue("events_dead", Exhausted::Keep),
        ],
        topics: Vec::new(),
        outsides: vec![Outside {
            record: table("bank", &["order_id", "amount"]),
            takes: 0,
        }],
        services: Vec::new(),
        until: None,
    }
}

/// A table whose first column is its primary key. Types do not matter to a verdict.
fn table(name: &str, columns: &[&str]) -> TableSchema {
    let names = names(columns);
    TableSchema {
        name: Rc::from(name),
        columns: names
            .iter()
            .map(|name| Column {
                name: name.clone(),
                kind: crate::expression::SqlType::Text,
                not_null: false,
                default: ColumnDefault::Null,
            })
            .collect(),
        names,
        uniques: vec![Unique {
            name: Rc::from(format!("{name}_pkey")),
            columns: vec![0],
            primary: true,
        }],
    }
}

fn names(names: &[&str]) -> Rc<[Name]> {
    names.iter().map(|name| Name::from(*name)).collect()
}

pub fn order(id: i64) -> Row {
    Row::new(names(&["id", "total"]), vec![Value::Int(id), Value::Int(120)])
}

pub fn outbox(id: &str, sent: bool) -> Row {
    Row::new(names(&["id", "sent"]), vec![Value::text(id), Value::Bool(sent)])
}

pub fn message(id: &str) -> Row {
    let body = format!("OrderPlaced {id}");
    Row::new(
        names(&["id", "key", "body"]),
        vec![Value::text(id), Value::Null, Value::text(body)],
    )
}

pub fn transfer(order: i64) -> Row {
    Row::new(names(&["order_id", "amount"]), vec![Value::Int(order), Value::Int(120)])
}

pub fn queued(identity: u64, row: Row, deliveries: u32) -> Queued {
    Queued {
        identity,
        origin: (0, identity),
        row,
        deliveries,
        held_back: false,
    }
}

// --- Expressions ------------------------------------------------------------------------------------------------

fn field(slot: u16, name: &str) -> Expr {
    Expr::Field(Box::new(Expr::Local(slot)), Rc::from(name))
}

pub fn effect(name: &str) -> Expr {
    field(EFFECT, name)
}

pub fn cause(name: &str) -> Expr {
    field(CAUSE, name)
}

pub fn own(name: &str) -> Expr {
    field(OWN, name)
}

pub fn int(n: i64) -> Expr {
    Expr::Literal(Value::Int(n))
}

pub fn binary(operator: Operator, a: Expr, b: Expr) -> Expr {
    Expr::Binary(operator, Box::new(a), Box::new(b))
}

pub fn equal(a: Expr, b: Expr) -> Expr {
    binary(Operator::Equal, a, b)
}

pub fn and(a: Expr, b: Expr) -> Expr {
    binary(Operator::And, a, b)
}

pub fn not(a: Expr) -> Expr {
    Expr::Not(Box::new(a))
}

/// `'evt-' || cause.id`.
pub fn event_of_cause() -> Expr {
    binary(Operator::Concatenate, Expr::Literal(Value::text("evt-")), cause("id"))
}

// --- Promises ---------------------------------------------------------------------------------------------------

pub fn all(relation: Relation) -> Set {
    Set { relation, filter: None }
}

pub fn only(relation: Relation, filter: Expr) -> Set {
    Set {
        relation,
        filter: Some(filter),
    }
}

/// `COUNT rabbit.events for each shop.orders matching effect.id = 'evt-' || cause.id`, with an outbox and the queue's own
/// dead letters to look in.
pub fn event_for_each_order(count: Count) -> PromiseKind {
    PromiseKind::Each {
        count,
        effect: all(EVENTS),
        cause: all(ORDERS),
        matching: equal(effect("id"), event_of_cause()),
        waiting: vec![only(OUTBOX, and(equal(own("id"), event_of_cause()), not(own("sent"))))],
    }
}

/// `one bank for each shop.orders matching effect.order_id = cause.id`.
pub fn transfer_for_each_order() -> PromiseKind {
    PromiseKind::Each {
        count: Count::One,
        effect: all(BANK),
        cause: all(ORDERS),
        matching: equal(effect("order_id"), cause("id")),
        waiting: Vec::new(),
    }
}

pub fn key(n: i64) -> Value {
    Value::Int(n)
}
