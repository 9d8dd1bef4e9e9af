//! All names of a file that are known everywhere, and their resolution.

mod brokers;
mod groups;
mod resolve;
mod tables;

pub use resolve::unknown;
pub use tables::table_shape;

use super::types::Type;
use crate::language::ast::{self, File, Ident};
use crate::language::diagnostics::{Diagnostic, Problem, Thing};
use crate::language::limits::{INSTANCES_MAX, NAMES_MAX};
use crate::program::{BrokerSchema, Outside, QueueSchema, Topic};
use crate::sql::DatabaseSchema;
use crate::value::Name;

#[derive(Default)]
pub struct Symbols {
    pub databases: Vec<DatabaseSchema>,
    pub brokers: Vec<BrokerSchema>,
    pub queues: Vec<QueueSchema>,
    pub topics: Vec<Topic>,
    pub outsides: Vec<Outside>,
    pub services: Vec<ServiceHead>,
    pub has_until: bool,
    /// From queue to queue: ways that messages take without a publish.
    pub ways: Vec<(u16, u16)>,
    pub inferred: Inferred,
}

/// What other services need to know of a service.
pub struct ServiceHead {
    pub name: Name,
    pub databases: Vec<u16>,
    pub handlers: Vec<HandlerHead>,
}

pub struct HandlerHead {
    pub name: Name,
    pub parameters: usize,
    /// Index into the service's triggers.
    pub trigger: u16,
}

/// Types that are found by compiling, round after round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inferred {
    /// By queue, by field.
    pub fields: Vec<Vec<Type>>,
    /// By service, by slot.
    pub locals: Vec<Vec<Type>>,
    /// By service, by slot.
    pub memory: Vec<Vec<Type>>,
}

impl Inferred {
    /// Takes everything as unknown.
    pub fn forget(&mut self) {
        let all = [&mut self.fields, &mut self.locals, &mut self.memory];
        all.into_iter().flatten().flatten().for_each(|kind| *kind = Type::Any);
    }
}

/// Declares everything that stands outside services' blocks.
pub fn declare(file: &File, diagnostics: &mut Vec<Diagnostic>) -> Symbols {
    let mut symbols = Symbols {
        has_until: file.scenario.until.is_some(),
        ..Symbols::default()
    };
    check_parties(file, diagnostics);
    for database in &file.databases {
        let schema = tables::database(database, &symbols, diagnostics);
        symbols.databases.push(schema);
    }
    for (index, database) in file.databases.iter().enumerate() {
        let initial = super::sql::initial(number(index), &database.initial, &symbols, diagnostics);
        if let Some(schema) = symbols.databases.get_mut(index) {
            schema.initial = initial;
        }
    }
    for outside in &file.outsides {
        let record = tables::table(&outside.record, &symbols, diagnostics);
        let takes = outside.takes;
        symbols.outsides.push(Outside { record, takes });
    }
    brokers::declare(file, &mut symbols, diagnostics);
    services(file, &mut symbols, diagnostics);
    brokers::message_fields(file, &mut symbols);
    groups::declare(file, &mut symbols, diagnostics);
    symbols
}

/// An index as the program holds it. Counts are checked against [`NAMES_MAX`] where they are declared.
pub fn number(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

/// Databases, brokers, outside parties and services share their names: faults and promises speak of them.
fn check_parties(file: &File, diagnostics: &mut Vec<Diagnostic>) {
    let names: Vec<&Ident> = (file.databases.iter().map(|party| &party.name))
        .chain(file.brokers.iter().map(|party| &party.name))
        .chain(file.outsides.iter().map(|party| &party.record.name))
        .chain(file.services.iter().map(|party| &party.name))
        .collect();
    check_twice(Thing::Party, &names, diagnostics);
}

/// Reports each name that stands a second time, and names without number.
pub fn check_twice(thing: Thing, names: &[&Ident], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = std::collections::BTreeSet::new();
    let mut in_text_sequence = names.to_vec();
    in_text_sequence.sort_by_key(|name| name.span);
    for name in &in_text_sequence {
        if !seen.insert(&name.text) {
            let problem = Problem::Twice {
                thing,
                name: name.text.clone(),
            };
            diagnostics.push(Diagnostic::new(name.span, problem));
        }
    }
    if let Some(beyond) = in_text_sequence.get(NAMES_MAX) {
        let names_max = NAMES_MAX;
        diagnostics.push(Diagnostic::new(beyond.span, Problem::TooManyNames { names_max }));
    }
}

fn services(file: &File, symbols: &mut Symbols, diagnostics: &mut Vec<Diagnostic>) {
    let mut instances = 0;
    for service in &file.services {
        let before = instances;
        instances += u32::from(service.instances);
        if instances > INSTANCES_MAX && before <= INSTANCES_MAX {
            let instances_max = INSTANCES_MAX;
            let problem = Problem::TooManyInstances { instances_max };
            diagnostics.push(Diagnostic::new(service.name.span, problem));
        }
        let mut databases = Vec::new();
        for name in &service.databases {
            match symbols.database(name) {
                Ok(database) => databases.push(database),
                Err(problem) => diagnostics.push(problem),
            }
        }
        let names: Vec<&Ident> = service.databases.iter().collect();
        check_twice(Thing::Database, &names, diagnostics);
        let handlers = handlers(service, diagnostics);
        symbols.services.push(ServiceHead {
            name: service.name.text.clone(),
            databases,
            handlers,
        });
    }
}

fn handlers(service: &ast::Service, diagnostics: &mut Vec<Diagnostic>) -> Vec<HandlerHead> {
    let mut names = Vec::new();
    let mut heads = Vec::new();
    for (index, trigger) in service.triggers.iter().enumerate() {
        if let ast::TriggerKind::Handle { name, parameters } = &trigger.kind {
            names.push(name);
            check_twice(Thing::Variable, &parameters.iter().collect::<Vec<_>>(), diagnostics);
            heads.push(HandlerHead {
                name: name.text.clone(),
                parameters: parameters.len(),
                trigger: number(index),
            });
        }
    }
    check_twice(Thing::Handler, &names, diagnostics);
    heads
}
