//! The facts of a world, taken down as they come: a run's facts are only ever added to, so of those that were taken down once
//! nothing but the sum is needed.
//!
//! Facts are taken in their sequence over the relations that a promise compares, without their times. Of a table's row it counts
//! where it stands among the rows inserted before it, and of a change how long ago its row changed before: with that, the facts
//! determine the table's rows and their sequence, whatever numbers the rows were given.

use crate::fact::{Change, EventId, Fact, INITIAL, Log};
use crate::fingerprint::{Fingerprint, Reference, is_relative};
use crate::program::{Program, Relation};
use crate::simulation::World;
use crate::value::Row;

/// What has been taken down of a run's facts.
#[derive(Clone, Debug)]
pub(in crate::simulation) struct FactsTaken {
    relations: Vec<Taken>,
    groups: Vec<Group>,
}

/// The facts of one relation.
#[derive(Clone, Debug)]
struct Taken {
    relation: Relation,
    group: usize,
    facts: usize,
    /// The number of the last commit.
    commit: u32,
    /// The highest identity so far.
    newest: u64,
}

/// The facts of relations that are compared with one another.
#[derive(Clone, Debug)]
struct Group {
    print: Fingerprint<'static>,
    /// Rows with values that count from a reference, which another world may have elsewhere.
    relative: Vec<Row>,
}

/// A fact, and what is said of it beside its values.
struct Telling<'a> {
    group: usize,
    /// Initial rows were there first.
    event: EventId,
    relation: usize,
    /// It became visible together with the one before.
    same_commit: bool,
    /// Of an insert how many rows inserted before stand after it, of another change how many facts ago its row changed; of
    /// anything else its number, which the message or effect goes by.
    place: usize,
    fact: &'a Fact,
}

impl FactsTaken {
    /// Nothing yet. `compared` are the groups of relations whose facts are compared with one another; every other relation is
    /// a group of its own.
    pub fn new(program: &Program, compared: &[Vec<Relation>]) -> FactsTaken {
        let relation = |(index, relation)| Taken {
            relation,
            group: group_of(relation, compared).unwrap_or(compared.len() + index),
            facts: 0,
            commit: 0,
            newest: 0,
        };
        let relations: Vec<Taken> = relations(program).enumerate().map(relation).collect();
        let group = Group {
            print: Fingerprint::new(Reference::default()),
            relative: Vec::new(),
        };
        FactsTaken {
            groups: vec![group; compared.len() + relations.len()],
            relations,
        }
    }

    /// How many facts of a world have not been taken down.
    pub fn missing(&self, world: &World) -> usize {
        let missing = |taken: &Taken| world.facts(taken.relation).len() - taken.facts;
        self.relations.iter().map(missing).sum()
    }

    /// Takes down what a world has beyond that: it must be one that goes on from where the last facts were taken.
    pub fn go_on(&mut self, world: &World) {
        let mut tellings = Vec::new();
        for (index, taken) in self.relations.iter_mut().enumerate() {
            taken.go_on(index, world.facts(taken.relation), &mut tellings);
        }
        // Stable: what came about in one event stays in the sequence of its log.
        tellings.sort_by_key(|telling| (telling.group, telling.event));
        for telling in &tellings {
            self.groups[telling.group].take(telling);
        }
    }

    /// Takes down all facts so far.
    pub fn take_down(&self, print: &mut Fingerprint) {
        for group in &self.groups {
            let (a, b) = group.print.finish();
            print.number(a);
            print.number(b);
            group.relative.iter().for_each(|row| print.values(row));
        }
    }
}

impl Taken {
    fn go_on<'a>(&mut self, index: usize, log: &'a Log<Fact>, tellings: &mut Vec<Telling<'a>>) {
        for at in self.facts..log.len() {
            let Some(fact) = log.get(at) else { return };
            let event = if fact.stamp == INITIAL { 0 } else { fact.stamp.event + 1 };
            tellings.push(Telling {
                group: self.group,
                event,
                relation: index,
                same_commit: fact.commit == std::mem::replace(&mut self.commit, fact.commit),
                place: self.place(log, at, fact),
                fact,
            });
            self.newest = self.newest.max(fact.identity);
        }
        self.facts = log.len();
    }

    fn place(&self, log: &Log<Fact>, at: usize, fact: &Fact) -> usize {
        let before = |at: usize| log.get(at).filter(|before| before.change == Change::Insert);
        match (self.relation, fact.change) {
            (Relation::Table { .. }, Change::Insert) if fact.identity < self.newest => (0..at)
                .filter_map(before)
                .filter(|before| before.identity > fact.identity)
                .count(),
            (Relation::Table { .. }, Change::Insert) => 0,
            (_, Change::Insert) => fact.identity as usize,
            _ => {
                let mut ago = (0..at).rev().filter_map(|at| log.get(at));
                ago.position(|before| before.identity == fact.identity)
                    .map_or(0, |ago| ago + 1)
            }
        }
    }
}

impl Group {
    fn take(&mut self, telling: &Telling) {
        let print = &mut self.print;
        print.count(telling.relation);
        print.flag(telling.same_commit);
        print.count(telling.place);
        print.number(telling.fact.change as u64);
        let row = &telling.fact.row;
        let relative = row.values().iter().any(is_relative);
        print.flag(relative);
        if relative {
            self.relative.push(row.clone());
        } else {
            print.values(row);
        }
    }
}

/// All relations that have facts, each once.
fn relations(program: &Program) -> impl Iterator<Item = Relation> {
    let of_database = |(database, schema): (u16, &crate::sql::DatabaseSchema)| {
        let tables = 0..schema.tables.len() as u16;
        tables.map(move |table| Relation::Table { database, table })
    };
    let tables = (0..).zip(&program.databases).flat_map(of_database);
    let queues = (0..program.queues.len() as u16).map(Relation::Queue);
    let outsides = (0..program.outsides.len() as u16).map(Relation::Outside);
    tables.chain(queues).chain(outsides)
}

/// The group that a relation's facts are in, if they are compared with those of others.
pub(in crate::simulation) fn group_of(relation: Relation, compared: &[Vec<Relation>]) -> Option<usize> {
    compared.iter().position(|group| group.contains(&relation))
}
