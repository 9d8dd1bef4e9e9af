//! The rows of a promise's set: everything that ever was in it, and what is there at the end.

use super::Court;
use super::evidence::{Evidence, Queued, Rows};
use crate::expression::{Expr, is_true};
use crate::fact::{Change, EventId, Fact, INITIAL, Log, Stamp};
use crate::program::{OWN, Relation, Set};
use crate::value::{Name, Row, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// When something became true, comparable across parties; what was there before the run comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(Option<EventId>);

impl Moment {
    pub fn of(stamp: Stamp) -> Moment {
        Moment((stamp != INITIAL).then_some(stamp.event))
    }

    /// The event, unless it was there before the run.
    pub fn event(self) -> Option<EventId> {
        self.0
    }
}

/// A row, message or effect that was in a set at some time, however often it was updated.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its number within the relation; several where equal causes were merged.
    pub identities: Vec<u64>,
    /// The versions that satisfy the set's `where`, first one first. Never empty.
    pub versions: Vec<(Row, Moment)>,
}

impl Item {
    /// The version that is shown: the first.
    pub fn row(&self) -> &Row {
        // `versions` is never empty: `ever` makes an item of its first version, and nothing takes versions away.
        &self.versions[0].0
    }

    pub fn since(&self) -> Moment {
        self.versions[0].1
    }
}

/// Everything that was ever in the set, in the sequence in which it came.
pub(super) fn ever(court: &Court<'_>, set: &Set) -> Vec<Item> {
    let evidence = court.evidence;
    let scope = Rows::at(evidence.now());
    let mut items: Vec<Item> = Vec::new();
    let mut known: BTreeMap<u64, usize> = BTreeMap::new();
    // Versions with the same key are one item.
    let mut add = |key: u64, identity: u64, row: Row, moment: Moment| {
        if !contains(set.filter.as_ref(), &row, scope) {
            return;
        }
        match known.get(&key).and_then(|position| items.get_mut(*position)) {
            Some(item) => item.versions.push((row, moment)),
            None => {
                known.insert(key, items.len());
                items.push(Item {
                    identities: vec![identity],
                    versions: vec![(row, moment)],
                });
            }
        }
    };
    match set.relation {
        Relation::Changes { database, table } => {
            let mut names = ChangeNames::default();
            let facts = evidence.facts(Relation::Table { database, table });
            for (number, fact) in changes(facts).enumerate() {
                add(number as u64, fact.identity, names.change(fact), Moment::of(fact.stamp));
            }
        }
        Relation::Dead(queue) => {
            // What was sent back again is given up no longer; the moment is that of its acceptance.
            let given_up: BTreeMap<u64, Row> = evidence
                .given_up(&court.scenario.program, queue)
                .into_iter()
                .map(|m| (m.identity, m.row))
                .collect();
            for fact in evidence.facts(Relation::Queue(queue)).iter() {
                if let Some(row) = given_up.get(&fact.identity) {
                    add(fact.identity, fact.identity, row.clone(), Moment::of(fact.stamp));
                }
            }
        }
        Relation::Table { .. } => {
            let facts: Vec<&Fact> = evidence.facts(set.relation).iter().collect();
            for fact in committed(&facts) {
                add(fact.identity, fact.identity, fact.row.clone(), Moment::of(fact.stamp));
            }
        }
        Relation::Queue(_) | Relation::Outside(_) => {
            for fact in evidence.facts(set.relation).iter() {
                add(fact.identity, fact.identity, fact.row.clone(), Moment::of(fact.stamp));
            }
        }
    }
    items
}

/// The versions that others could see: of each row the last one of each commit, unless that was its deletion.
fn committed<'f>(facts: &[&'f Fact]) -> Vec<&'f Fact> {
    let mut seen = Vec::with_capacity(facts.len());
    for commit in facts.chunk_by(|a, b| a.commit == b.commit && a.commit != 0) {
        let mut later = BTreeSet::new();
        let last = commit.iter().rev().filter(|fact| later.insert(fact.identity));
        let mut last: Vec<&Fact> = last.filter(|fact| fact.change != Change::Delete).copied().collect();
        last.reverse();
        seen.extend(last);
    }
    seen
}

/// Equal causes count once: items whose shown rows are equal become one, at the place of the first.
pub(super) fn merge_equal(items: Vec<Item>) -> Vec<Item> {
    let mut merged: Vec<Item> = Vec::new();
    let mut known: BTreeMap<Row, usize> = BTreeMap::new();
    for item in items {
        match known.get(item.row()).and_then(|position| merged.get_mut(*position)) {
            Some(first) => {
                first.identities.extend(item.identities);
                first.versions.extend(item.versions);
            }
            None => {
                known.insert(item.row().clone(), merged.len());
                merged.push(item);
            }
        }
    }
    merged
}

/// A row, message or effect that is there at the end.
#[derive(Clone, Debug)]
pub(super) struct Left {
    pub identity: u64,
    /// Of a message: the queue that accepted it, and under which identity.
    pub origin: Option<(u16, u64)>,
    pub row: Row,
    /// How often a message has been handed out; 0 for everything else.
    pub deliveries: u32,
    /// A message that an earlier one hides.
    pub held_back: bool,
}

/// What the relation holds at the end, whatever a set's `where` says. Effects outside and changes stay for ever.
pub(super) fn at_end(court: &Court<'_>, relation: Relation) -> Vec<Left> {
    let evidence = court.evidence;
    let queued = |message: Queued| Left {
        identity: message.identity,
        origin: Some(message.origin),
        row: message.row,
        deliveries: message.deliveries,
        held_back: message.held_back,
    };
    match relation {
        Relation::Table { database, table } => {
            let rows = evidence.rows(database, table).into_iter();
            rows.map(|(identity, row)| left(identity, row)).collect()
        }
        Relation::Queue(queue) => evidence.messages(queue).into_iter().map(queued).collect(),
        Relation::Dead(queue) => evidence
            .given_up(&court.scenario.program, queue)
            .into_iter()
            .map(queued)
            .collect(),
        Relation::Outside(_) => {
            let facts = evidence.facts(relation).iter();
            facts.map(|fact| left(fact.identity, fact.row.clone())).collect()
        }
        Relation::Changes { database, table } => {
            let mut names = ChangeNames::default();
            let facts = changes(evidence.facts(Relation::Table { database, table }));
            facts.map(|fact| left(fact.identity, names.change(fact))).collect()
        }
    }
}

fn left(identity: u64, row: Row) -> Left {
    Left {
        identity,
        origin: None,
        row,
        deliveries: 0,
        held_back: false,
    }
}

/// What the set holds at the end, of all that its relation does.
pub(super) fn meant<'a>(court: &Court<'_>, set: &'a Set, all: &'a [Left]) -> impl Iterator<Item = &'a Left> {
    let scope = Rows::at(court.evidence.now());
    all.iter()
        .filter(move |item| contains(set.filter.as_ref(), &item.row, scope))
}

/// For each identity of a relation the stamps of its facts, in sequence.
pub(super) fn lives(relation: Relation, evidence: &dyn Evidence) -> BTreeMap<u64, Vec<Stamp>> {
    let mut lives: BTreeMap<u64, Vec<Stamp>> = BTreeMap::new();
    for fact in evidence.facts(source(relation)).iter() {
        lives.entry(fact.identity).or_default().push(fact.stamp);
    }
    lives
}

/// The events of stamps; initial rows have none.
pub(super) fn events(stamps: &[Stamp]) -> impl Iterator<Item = EventId> {
    stamps
        .iter()
        .filter(|stamp| **stamp != INITIAL)
        .map(|stamp| stamp.event)
}

/// The relation whose log of facts a set reads.
fn source(relation: Relation) -> Relation {
    match relation {
        Relation::Changes { database, table } => Relation::Table { database, table },
        Relation::Dead(queue) => Relation::Queue(queue),
        relation => relation,
    }
}

fn contains(filter: Option<&Expr>, row: &Row, scope: Rows<'_>) -> bool {
    filter.is_none_or(|filter| is_true(filter, &scope.with(OWN, row)) == Ok(true))
}

/// Inserts, updates and deletes; initial rows are no changes.
fn changes(facts: &Log<Fact>) -> impl Iterator<Item = &Fact> {
    facts.iter().filter(|fact| fact.stamp != INITIAL)
}

/// Makes the rows of `.changes`: the table's columns and `change`. The names are made once and shared.
#[derive(Default)]
struct ChangeNames(Option<Rc<[Name]>>);

impl ChangeNames {
    fn change(&mut self, fact: &Fact) -> Row {
        let columns = fact.row.names();
        let change: Name = Rc::from("change");
        let names = self
            .0
            .get_or_insert_with(|| columns.iter().cloned().chain([change]).collect());
        let values = fact.row.values().iter().cloned();
        Row::new(names.clone(), values.chain([Value::text(fact.change.name())]).collect())
    }
}
