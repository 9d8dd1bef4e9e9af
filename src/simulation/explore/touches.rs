//! What a step of a program touches: what it reads and what it writes, so that two that do not meet commute.
//!
//! Of a table there are three things apart: its committed rows; its keys (unique keys taken or promised, numbers given out), which
//! inserts and deletes touch; and the locks on its rows. All are taken generously: a whole table instead of a row, every table
//! that a service writes when one of its transactions ends.
//!
//! Facts that one promise compares are a thing of their own, which whoever adds to them writes: their sequence is part of what a
//! run is worth.

mod statement;

use super::super::fingerprint::group_of;
use crate::program::{Destination, Instruction, Program, Relation, Request, Service, TriggerKind};
use crate::sql::Statement;
use statement::needs_more;

/// What is read and what is written: a bit for each thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Touches {
    reads: u128,
    writes: u128,
}

pub(super) const NOTHING: Touches = Touches { reads: 0, writes: 0 };
pub(super) const EVERYTHING: Touches = Touches::writing(u128::MAX);
/// The last bit: the counters of `fresh`, which all processes share.
const FRESH: u128 = 1 << 127;

impl Touches {
    const fn writing(things: u128) -> Touches {
        Touches {
            reads: 0,
            writes: things,
        }
    }

    /// One of them writes what the other touches.
    pub fn meets(self, other: Touches) -> bool {
        self.writes & (other.reads | other.writes) != 0 || self.reads & other.writes != 0
    }

    pub fn and(self, other: Touches) -> Touches {
        Touches {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
        }
    }
}

fn all(touches: impl Iterator<Item = Touches>) -> Touches {
    touches.fold(NOTHING, Touches::and)
}

/// What each party, each process and each statement of a program touches.
#[derive(Clone, Debug)]
pub(super) struct Map {
    databases: Vec<OfDatabase>,
    /// By broker, outside party: with the facts of its relations.
    pub brokers: Vec<Touches>,
    pub outsides: Vec<Touches>,
    pub processes: Vec<OfProcess>,
    /// By service and instruction.
    statements: Vec<Vec<Option<OfStatement>>>,
}

#[derive(Clone, Debug)]
struct OfDatabase {
    tables: Vec<OfTable>,
    /// More has to be known of its statements than what is said here.
    strict: bool,
}

#[derive(Clone, Copy, Debug)]
struct OfTable {
    rows: u128,
    keys: u128,
    locks: u128,
    /// Its facts, if they are compared with those of other relations.
    facts: u128,
}

/// What a process touches: it alone, and with everything that it may reach without a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfProcess {
    pub own: Touches,
    pub reach: Touches,
    /// What its death touches where nobody waits for what it holds: locks and keys go, deliveries return.
    pub death: Touches,
    /// It draws names from counters that all processes share.
    pub draws: bool,
}

/// What a statement touches: alone, when it commits by itself, and within a transaction, which its failure ends.
#[derive(Clone, Copy, Debug)]
struct OfStatement {
    database: u16,
    alone: Touches,
    within: Touches,
}

/// Gives out bits: when there are too many things to tell apart, all are one.
struct Bits(u32);

impl Bits {
    fn next(&mut self) -> u128 {
        self.0 += 1;
        match self.0 {
            1..=127 => 1 << (self.0 - 1),
            _ => u128::MAX,
        }
    }
}

impl Map {
    /// `compared`: groups of relations whose facts are compared with one another, each relation in one at most.
    pub fn new(program: &Program, compared: &[Vec<Relation>]) -> Map {
        let mut bits = Bits(0);
        let groups: Vec<u128> = compared.iter().map(|_| bits.next()).collect();
        let facts = |relation: Relation| group_of(relation, compared).map_or(0, |group| groups[group]);
        let of_database = |(number, schema): (u16, &crate::sql::DatabaseSchema)| OfDatabase {
            tables: (0..schema.tables.len() as u16)
                .map(|table| OfTable {
                    rows: bits.next(),
                    keys: bits.next(),
                    locks: bits.next(),
                    facts: facts(Relation::Table {
                        database: number,
                        table,
                    }),
                })
                .collect(),
            strict: false,
        };
        let databases = (0..).zip(&program.databases).map(of_database).collect();
        let of_broker = |broker: u16| {
            let queues = (0..).zip(&program.queues).filter(|(_, queue)| queue.broker == broker);
            let facts = queues.fold(0, |all, (queue, _)| all | facts(Relation::Queue(queue)));
            Touches::writing(bits.next() | facts)
        };
        let brokers = (0..program.brokers.len() as u16).map(of_broker).collect();
        let of_outside = |outside| Touches::writing(bits.next() | facts(Relation::Outside(outside)));
        let outsides = (0..program.outsides.len() as u16).map(of_outside).collect();
        let mut map = Map {
            databases,
            brokers,
            outsides,
            processes: Vec::new(),
            statements: Vec::new(),
        };
        for (database, _) in statements(program).filter(|(_, statement)| needs_more(statement)) {
            map.databases[usize::from(database)].strict = true;
        }
        let called = program.services.iter().any(calls_services);
        for service in &program.services {
            map.statements.push(map.statements_of(program, service));
            let brokers = map.brokers_of(program, service);
            let (reach, death) = match called {
                true => (EVERYTHING, EVERYTHING),
                false => (map.reach(service).and(brokers), map.held(program, service).and(brokers)),
            };
            for _ in 0..service.instances {
                let own = Touches::writing(bits.next());
                map.processes.push(OfProcess {
                    own,
                    reach: own.and(reach),
                    death: own.and(death),
                    draws: draws_fresh_names(service),
                });
            }
        }
        map
    }

    /// Everything of a database.
    pub fn database(&self, database: u16) -> Touches {
        let tables = &self.databases[usize::from(database)].tables;
        let of = |table: &OfTable| table.rows | table.keys | table.locks | table.facts;
        Touches::writing(tables.iter().fold(0, |all, table| all | of(table)))
    }

    /// What a statement touches; everything of its database where it `may_wake` one that waits for it.
    pub fn statement(&self, service: u16, pc: u32, within: bool, may_wake: bool) -> Option<Touches> {
        let statement = self.statements[usize::from(service)].get(pc as usize)?.as_ref()?;
        Some(match (may_wake, within) {
            (true, _) => self.database(statement.database),
            (false, true) => statement.within,
            (false, false) => statement.alone,
        })
    }

    /// The databases that a service has connections to, and what it draws names from.
    fn reach(&self, service: &Service) -> Touches {
        let followed = service.triggers.iter().filter_map(|trigger| match trigger.kind {
            TriggerKind::Follow { database, .. } => Some(database),
            _ => None,
        });
        let databases = service.databases.iter().copied().chain(followed);
        let reach = all(databases.map(|database| self.database(database)));
        match draws_fresh_names(service) {
            true => reach.and(Touches::writing(FRESH)),
            false => reach,
        }
    }

    /// What a service's transactions can hold.
    fn held(&self, program: &Program, service: &Service) -> Touches {
        all(service
            .databases
            .iter()
            .map(|database| match self.databases[usize::from(*database)].strict {
                true => self.database(*database),
                false => Touches::writing(self.end(program, service, *database).held),
            }))
    }

    /// The brokers that a service has connections to.
    fn brokers_of(&self, program: &Program, service: &Service) -> Touches {
        // Acks name their queue only when they are sent.
        if service.code.iter().any(answers_a_broker) {
            return all(self.brokers.iter().copied());
        }
        let asked = service.code.iter().filter_map(|instruction| match instruction {
            Instruction::Step { request, .. } => broker_of(program, request),
            _ => None,
        });
        // A receiver asks its broker, and gives back to it.
        let received = service.triggers.iter().filter_map(|trigger| match trigger.kind {
            TriggerKind::Receive { queue, .. } => Some(program.queues[usize::from(queue)].broker),
            _ => None,
        });
        all(asked.chain(received).map(|broker| self.brokers[usize::from(broker)]))
    }
}

fn statements(program: &Program) -> impl Iterator<Item = (u16, &Statement)> {
    let services = program.services.iter();
    services.flat_map(|service| service.code.iter().filter_map(statement_of))
}

fn statement_of(instruction: &Instruction) -> Option<(u16, &Statement)> {
    match instruction {
        Instruction::Step {
            request: Request::Sql {
                database, statement, ..
            },
            ..
        } => Some((*database, statement)),
        _ => None,
    }
}

fn calls_services(service: &Service) -> bool {
    let calls = |instruction: &Instruction| {
        matches!(
            instruction,
            Instruction::Step {
                request: Request::CallService { .. },
                ..
            }
        )
    };
    service.code.iter().any(calls)
}

fn answers_a_broker(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Step { request, .. } => {
            matches!(request, Request::Ack(_) | Request::Nack { .. } | Request::Extend { .. })
        }
        Instruction::Keep { .. } => true,
        _ => false,
    }
}

fn broker_of(program: &Program, request: &Request) -> Option<u16> {
    let of_queue = |queue: &u16| program.queues[usize::from(*queue)].broker;
    match request {
        Request::Publish {
            destination: Destination::Queue(queue),
            ..
        } => Some(of_queue(queue)),
        Request::Publish {
            destination: Destination::Topic(topic),
            ..
        } => Some(program.topics[usize::from(*topic)].broker),
        Request::Redrive { from, .. } => Some(of_queue(from)),
        Request::Transaction { broker, .. } => Some(*broker),
        _ => None,
    }
}

/// Whether `fresh` stands anywhere in its code: it has but one written form.
fn draws_fresh_names(service: &Service) -> bool {
    format!("{:?} {:?}", service.code, service.memory).contains("Fresh")
}
