//! What really happened in a cell and what is left of it, as evidence for the verdict.

use super::super::broker::Seen;
use super::super::control::{Change, Control};
use super::super::wire::Message;
use super::Trouble;
use crashpoint::database::Database;
use crashpoint::expression::{Expr, Failure, Scope};
use crashpoint::fact::{Change as Kind, Fact, INITIAL, Log, Stamp};
use crashpoint::program::{Program, Relation};
use crashpoint::simulation::trace::Ended;
use crashpoint::sql::{DatabaseSchema, Insert, Select};
use crashpoint::value::{Millis, Row};
use crashpoint::verdict::{Evidence, Queued};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Facts and ends.
pub struct Facts {
    program: Rc<Program>,
    facts: BTreeMap<Relation, Log<Fact>>,
    none: Log<Fact>,
    /// Rows as the log of changes leaves them, with identities.
    current: BTreeMap<(u16, u16), Vec<(u64, Row)>>,
    next_identity: u64,
    commits: Vec<u32>,
    /// By queue and publish: the number under which it was accepted.
    accepted: BTreeMap<(u16, u32), u64>,
    /// By queue and publish: how often it was handed out.
    pub(super) deliveries: BTreeMap<(u16, u32), u32>,
    /// What is left in each queue.
    pub left: Vec<Vec<(Seen, u32)>>,
    pub ended: Ended,
    pub(super) at: Millis,
    pub(super) waits: bool,
    pub(super) repeats: bool,
}

impl Facts {
    pub(super) fn new(program: &Rc<Program>, control: &Control) -> Result<Facts, Trouble> {
        let mut facts = Facts {
            program: Rc::clone(program),
            facts: BTreeMap::new(),
            none: Log::new(),
            current: BTreeMap::new(),
            next_identity: 1,
            commits: vec![0; program.databases.len()],
            accepted: BTreeMap::new(),
            deliveries: BTreeMap::new(),
            left: Vec::new(),
            ended: Ended::Rest,
            at: 0,
            waits: false,
            repeats: false,
        };
        for (database, schema) in program.databases.iter().enumerate() {
            for (table, of) in schema.tables.iter().enumerate() {
                let rows = control.rows(database, of).map_err(Trouble::new)?;
                for row in rows {
                    let change = (None, Some(row));
                    facts.change((database as u16, table as u16), change, INITIAL, 0);
                }
            }
        }
        Ok(facts)
    }

    fn change(&mut self, place: (u16, u16), change: (Option<Row>, Option<Row>), stamp: Stamp, commit: u32) {
        let rows = self.current.entry(place).or_default();
        let known = |row: &Row| rows.iter().position(|(_, known)| known == row);
        let (kind, identity, row) = match change {
            (None, Some(after)) => {
                let identity = self.next_identity;
                self.next_identity += 1;
                rows.push((identity, after.clone()));
                (Kind::Insert, identity, after)
            }
            (Some(before), Some(after)) => {
                let Some(at) = known(&before) else { return };
                rows[at].1 = after.clone();
                (Kind::Update, rows[at].0, after)
            }
            (Some(before), None) => {
                let Some(at) = known(&before) else { return };
                let (identity, row) = rows.remove(at);
                (Kind::Delete, identity, row)
            }
            (None, None) => return,
        };
        let (database, table) = place;
        let fact = Fact {
            identity,
            change: kind,
            row,
            stamp,
            commit,
        };
        self.push(Relation::Table { database, table }, fact);
    }

    fn push(&mut self, relation: Relation, fact: Fact) {
        self.facts.entry(relation).or_default().push(fact);
    }

    pub(super) fn committed(&mut self, database: u16, changes: Vec<Change>, stamp: Stamp) {
        let mut transaction = None;
        for change in changes {
            if transaction.as_ref() != Some(&change.transaction) {
                transaction = Some(change.transaction);
                self.commits[usize::from(database)] += 1;
            }
            let commit = self.commits[usize::from(database)];
            self.change((database, change.table), (change.before, change.after), stamp, commit);
        }
    }

    pub(super) fn accept(&mut self, queue: u16, seen: Seen, stamp: Stamp) {
        let identity = self.facts(Relation::Queue(queue)).len() as u64 + 1;
        self.accepted.insert((queue, seen.publication), identity);
        let fact = Fact {
            identity,
            change: Kind::Insert,
            row: seen.row,
            stamp,
            commit: 0,
        };
        self.push(Relation::Queue(queue), fact);
    }

    pub(super) fn outside(&mut self, outside: u16, row: Row, event: u32, at: Millis) {
        let identity = self.facts(Relation::Outside(outside)).len() as u64 + 1;
        let fact = Fact {
            identity,
            change: Kind::Insert,
            row,
            stamp: Stamp { event, at },
            commit: 0,
        };
        self.push(Relation::Outside(outside), fact);
    }

    /// A message is handed out: the how-manyeth time, by the broker's count if it has one.
    pub(super) fn handed(&mut self, queue: u16, message: &Message) -> u32 {
        let count = self.deliveries.entry((queue, message.publication)).or_default();
        *count = message.deliveries.unwrap_or(*count + 1);
        *count
    }

    fn queued(&self, queue: u16, seen: &Seen, count: u32) -> Queued {
        let own = self.accepted.get(&(queue, seen.publication)).copied();
        let queues = 0..self.program.queues.len() as u16;
        let mut elsewhere = queues.filter_map(|other| Some((other, *self.accepted.get(&(other, seen.publication))?)));
        Queued {
            identity: own.unwrap_or(u64::from(seen.publication)),
            origin: match own {
                Some(number) => (queue, number),
                None => elsewhere.next().unwrap_or((queue, u64::from(seen.publication))),
            },
            row: seen.row.clone(),
            deliveries: count,
            held_back: false,
        }
    }

    fn all_left(&self, queue: u16) -> impl Iterator<Item = Queued> + '_ {
        let left = self.left.get(usize::from(queue)).map(Vec::as_slice).unwrap_or_default();
        left.iter().map(move |(seen, count)| self.queued(queue, seen, *count))
    }

    /// A dead letter of another queue.
    pub fn is_moved(&self, queue: u16, publication: u32) -> bool {
        !self.accepted.contains_key(&(queue, publication))
    }

    /// Delivered as often as it may be, and kept by a broker that then delivers it no more.
    fn is_given_up(&self, queue: u16, message: &Queued) -> bool {
        let schema = &self.program.queues[usize::from(queue)];
        let keeps = schema.exhausted == crashpoint::program::Exhausted::Keep;
        keeps && schema.attempts.is_some_and(|attempts| message.deliveries >= attempts)
    }
}

impl Evidence for Facts {
    fn now(&self) -> Millis {
        self.at
    }
    fn facts(&self, relation: Relation) -> &Log<Fact> {
        self.facts.get(&relation).unwrap_or(&self.none)
    }
    fn rows(&self, database: u16, table: u16) -> Vec<(u64, Row)> {
        let mut rows = self.current.get(&(database, table)).cloned().unwrap_or_default();
        rows.sort_by_key(|(identity, _)| *identity);
        rows
    }
    fn changing(&self, _: u16, _: u16) -> Vec<u64> {
        // All sessions are over when the end is looked at.
        Vec::new()
    }
    fn messages(&self, queue: u16) -> Vec<Queued> {
        let mut messages: Vec<Queued> = self.all_left(queue).filter(|m| !self.is_given_up(queue, m)).collect();
        messages.sort_by_key(|message| message.identity);
        messages
    }
    fn given_up(&self, program: &Program, queue: u16) -> Vec<Queued> {
        let own = self.all_left(queue).filter(|message| self.is_given_up(queue, message));
        let others = (0..program.queues.len() as u16).filter(|other| *other != queue);
        let moved = others
            .flat_map(|other| self.all_left(other))
            .filter(|message| message.origin.0 == queue);
        own.chain(moved).collect()
    }
    fn select(&self, database: u16, select: &Select) -> Result<Vec<Row>, Failure> {
        let schema = &self.program.databases[usize::from(database)];
        let mut initial = Vec::new();
        for (table, of) in (0..).zip(&schema.tables) {
            let rows = Evidence::rows(self, database, table).into_iter();
            let literals = |(_, row): (u64, Row)| row.values().iter().cloned().map(Expr::Literal).collect();
            let rows: Vec<Vec<Expr>> = rows.map(literals).collect();
            if !rows.is_empty() {
                initial.push(Insert {
                    table,
                    columns: (0..of.columns.len() as u16).collect(),
                    rows,
                    on_conflict: None,
                    returning: None,
                });
            }
        }
        let schema = DatabaseSchema {
            initial,
            ..schema.clone()
        };
        Database::new(&schema)?.select(select, &At(self.at))
    }
    fn waits(&self) -> bool {
        self.waits
    }
    fn repeats(&self) -> bool {
        self.repeats
    }
}

/// A select of a promise sees nothing but the instant.
struct At(Millis);

impl Scope for At {
    fn now(&self) -> Millis {
        self.0
    }
}
