//! From a name in the text to what it names, or to what is wrong with it.

use super::{Symbols, number};
use crate::language::ast::{Ident, Qualified};
use crate::language::diagnostics::{Diagnostic, Problem, Thing, nearest};
use crate::program::Destination;
use crate::sql::TableSchema;
use crate::value::Name;

/// A name that is none of the known ones.
pub fn unknown(thing: Thing, name: &Ident, known: Vec<Name>) -> Diagnostic {
    let near = nearest(&name.text, known.iter().map(|name| &**name)).map(Name::from);
    let problem = Problem::Unknown {
        thing,
        name: name.text.clone(),
        near,
        known,
    };
    Diagnostic::new(name.span, problem)
}

pub(super) fn position<'n>(mut names: impl Iterator<Item = &'n Name>, wanted: &Ident) -> Option<u16> {
    names.position(|name| *name == wanted.text).map(number)
}

impl Symbols {
    pub fn database(&self, name: &Ident) -> Result<u16, Diagnostic> {
        let names = || self.databases.iter().map(|database| &database.name);
        position(names(), name).ok_or_else(|| unknown(Thing::Database, name, names().cloned().collect()))
    }

    pub fn outside(&self, name: &Ident) -> Result<u16, Diagnostic> {
        let names = || self.outsides.iter().map(|outside| &outside.record.name);
        position(names(), name).ok_or_else(|| unknown(Thing::Outside, name, names().cloned().collect()))
    }

    pub fn service(&self, name: &Ident) -> Result<u16, Diagnostic> {
        let names = || self.services.iter().map(|service| &service.name);
        position(names(), name).ok_or_else(|| unknown(Thing::Service, name, names().cloned().collect()))
    }

    pub fn queue(&self, name: &Qualified) -> Result<u16, Diagnostic> {
        self.queue_near(name, None)
    }

    /// A queue; without its broker's name the one of `broker` comes first.
    pub(super) fn queue_near(&self, name: &Qualified, broker: Option<u16>) -> Result<u16, Diagnostic> {
        let queues = self
            .queues
            .iter()
            .enumerate()
            .map(|(index, queue)| (number(index), queue.broker, &queue.name));
        self.in_brokers(Thing::Queue, name, broker, queues.collect())
    }

    /// Where a publish goes.
    pub fn destination(&self, name: &Qualified) -> Result<Destination, Diagnostic> {
        let queues = self.queues.iter().enumerate();
        let queues = queues.map(|(index, queue)| (Destination::Queue(number(index)), queue.broker, &queue.name));
        let topics = self.topics.iter().enumerate();
        let topics = topics.map(|(index, topic)| (Destination::Topic(number(index)), topic.broker, &topic.name));
        self.in_brokers(Thing::Destination, name, None, queues.chain(topics).collect())
    }

    pub(super) fn in_brokers<T: Copy>(
        &self,
        thing: Thing,
        name: &Qualified,
        preferred: Option<u16>,
        all: Vec<(T, u16, &Name)>,
    ) -> Result<T, Diagnostic> {
        let mut owner = preferred;
        if let Some(ident) = &name.owner {
            let brokers = || self.brokers.iter().map(|broker| &broker.name);
            let found = position(brokers(), ident);
            owner = Some(found.ok_or_else(|| unknown(Thing::Broker, ident, brokers().cloned().collect()))?);
        }
        let named: Vec<_> = all.iter().filter(|(_, _, known)| **known == name.name.text).collect();
        let own: Vec<_> = named
            .iter()
            .copied()
            .filter(|(_, broker, _)| Some(*broker) == owner)
            .collect();
        let found = if own.is_empty() && name.owner.is_none() {
            named
        } else {
            own
        };
        match found.as_slice() {
            [(one, _, _)] => Ok(*one),
            [] => {
                let scope = |broker: &u16| name.owner.is_none() || Some(*broker) == owner;
                let known = all
                    .iter()
                    .filter(|(_, broker, _)| scope(broker))
                    .map(|(_, _, known)| (*known).clone());
                Err(unknown(thing, &name.name, known.collect()))
            }
            several => {
                let brokers = several
                    .iter()
                    .filter_map(|(_, broker, _)| self.brokers.get(usize::from(*broker)));
                Err(ambiguous(thing, &name.name, brokers.map(|broker| &broker.name)))
            }
        }
    }

    /// A table in one of `databases`; `service` is blamed if it is on none that has it.
    pub fn table(&self, databases: &[u16], name: &Qualified, service: Option<&Name>) -> Result<(u16, u16), Diagnostic> {
        let mut owner = None;
        if let Some(ident) = &name.owner {
            owner = Some(self.database(ident)?);
        }
        let has = |database: u16| {
            let schema = self.databases.get(usize::from(database))?;
            let index = position(schema.tables.iter().map(|table| &table.name), &name.name)?;
            Some((database, index))
        };
        let wanted = |database: &u16| owner.is_none_or(|owner| owner == *database);
        let found: Vec<(u16, u16)> = databases.iter().copied().filter(wanted).filter_map(has).collect();
        match (found.as_slice(), service) {
            ([one], _) => Ok(*one),
            ([], service) => {
                let everywhere = (0..number(self.databases.len())).filter(wanted);
                match (everywhere.filter_map(has).next(), service) {
                    (Some((database, _)), Some(service)) => Err(self.not_on(service, name, database)),
                    _ => Err(self.unknown_table(databases, name, owner)),
                }
            }
            (several, _) => {
                let schemas = several
                    .iter()
                    .filter_map(|(database, _)| self.databases.get(usize::from(*database)));
                Err(ambiguous(Thing::Table, &name.name, schemas.map(|schema| &schema.name)))
            }
        }
    }

    pub(super) fn not_on(&self, service: &Name, table: &Qualified, database: u16) -> Diagnostic {
        let problem = Problem::NotOn {
            service: service.clone(),
            table: table.name.text.clone(),
            database: self
                .databases
                .get(usize::from(database))
                .map_or_else(|| Name::from(""), |d| d.name.clone()),
        };
        Diagnostic::new(table.span(), problem)
    }

    pub(super) fn unknown_table(&self, databases: &[u16], name: &Qualified, owner: Option<u16>) -> Diagnostic {
        let all: Vec<u16> = (0..number(self.databases.len())).collect();
        let scope = match owner {
            Some(owner) => vec![owner],
            None if databases.is_empty() => all,
            None => databases.to_vec(),
        };
        let schemas = scope
            .iter()
            .filter_map(|database| self.databases.get(usize::from(*database)));
        let known = schemas.flat_map(|schema| schema.tables.iter().map(|table| table.name.clone()));
        unknown(Thing::Table, &name.name, known.collect())
    }

    pub fn table_schema(&self, database: u16, table: u16) -> Option<&TableSchema> {
        self.databases
            .get(usize::from(database))?
            .tables
            .get(usize::from(table))
    }
}

pub fn ambiguous<'n>(thing: Thing, name: &Ident, owners: impl Iterator<Item = &'n Name>) -> Diagnostic {
    let problem = Problem::Ambiguous {
        thing,
        name: name.text.clone(),
        choices: owners
            .map(|owner| Name::from(format!("{owner}.{}", name.text)))
            .collect(),
    };
    Diagnostic::new(name.span, problem)
}
