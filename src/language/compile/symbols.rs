//! All names of a file that are known everywhere, and their resolution.

use super::expression::{Compiler, Names};
use super::types::{Shape, Type};
use crate::language::ast::{self, Exhausted as DeadLetters, File, Ident, Qualified, Statement, StatementKind};
use crate::language::diagnostics::{Diagnostic, Problem, Thing, nearest};
use crate::language::limits::{INSTANCES_MAX, NAMES_MAX};
use crate::program::{BrokerSchema, Destination, Exhausted, Outside, QueueSchema, Stale, Topic};
use crate::sql::{Column, DatabaseSchema, Default as ColumnDefault, TableSchema, Unique};
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
        let schema = tables(database, &symbols, diagnostics);
        symbols.databases.push(schema);
    }
    for (index, database) in file.databases.iter().enumerate() {
        let initial = super::sql::initial(number(index), &database.initial, &symbols, diagnostics);
        if let Some(schema) = symbols.databases.get_mut(index) {
            schema.initial = initial;
        }
    }
    for outside in &file.outsides {
        let record = table(&outside.record, &symbols, diagnostics);
        let takes = outside.takes;
        symbols.outsides.push(Outside { record, takes });
    }
    brokers(file, &mut symbols, diagnostics);
    services(file, &mut symbols, diagnostics);
    message_fields(file, &mut symbols);
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

// --- Tables -----------------------------------------------------------------------------------------------------

fn tables(database: &ast::Database, symbols: &Symbols, diagnostics: &mut Vec<Diagnostic>) -> DatabaseSchema {
    let names: Vec<&Ident> = database.tables.iter().map(|table| &table.name).collect();
    check_twice(Thing::Table, &names, diagnostics);
    DatabaseSchema {
        name: database.name.text.clone(),
        tables: (database.tables.iter().map(|one| table(one, symbols, diagnostics))).collect(),
        initial: Vec::new(),
    }
}

fn table(table: &ast::Table, symbols: &Symbols, diagnostics: &mut Vec<Diagnostic>) -> TableSchema {
    let idents: Vec<&Ident> = table.columns.iter().map(|column| &column.name).collect();
    check_twice(Thing::Column, &idents, diagnostics);
    let mut schema = TableSchema {
        name: table.name.text.clone(),
        names: idents.iter().map(|name| name.text.clone()).collect(),
        columns: Vec::new(),
        uniques: Vec::new(),
    };
    for column in &table.columns {
        let default = match &column.default {
            _ if column.serial => ColumnDefault::Serial,
            None => ColumnDefault::Null,
            Some(value) => {
                let mut compiler = Compiler::new(symbols, Names::Constant, diagnostics);
                ColumnDefault::Expr(compiler.stored(value, &column.name.text, column.kind))
            }
        };
        schema.columns.push(Column {
            name: column.name.text.clone(),
            kind: column.kind,
            not_null: column.not_null,
            default,
        });
    }
    for unique in &table.uniques {
        add_unique(unique, &mut schema, diagnostics);
    }
    schema
}

fn add_unique(unique: &ast::TableUnique, schema: &mut TableSchema, diagnostics: &mut Vec<Diagnostic>) {
    let mut columns = Vec::new();
    for name in &unique.columns {
        match schema.column(&name.text) {
            Some(column) => columns.push(column),
            None => diagnostics.push(unknown(Thing::Column, name, schema.names.to_vec())),
        }
    }
    if unique.primary {
        if schema.uniques.iter().any(|known| known.primary)
            && let Some(place) = unique.columns.first()
        {
            let problem = Problem::Twice {
                thing: Thing::Clause,
                name: Name::from("primary key"),
            };
            diagnostics.push(Diagnostic::new(place.span, problem));
        }
        for column in &columns {
            if let Some(column) = schema.columns.get_mut(usize::from(*column)) {
                column.not_null = true;
            }
        }
    }
    let name = match unique.primary {
        true => format!("{}_pkey", schema.name),
        false => {
            let names: Vec<&str> = unique.columns.iter().map(|name| &*name.text).collect();
            format!("{}_{}_key", schema.name, names.join("_"))
        }
    };
    schema.uniques.push(Unique {
        name: Name::from(name),
        columns,
        primary: unique.primary,
    });
}

/// The columns with their types.
pub fn table_shape(table: &TableSchema) -> Vec<(Name, Type)> {
    table
        .columns
        .iter()
        .map(|column| (column.name.clone(), column.kind.into()))
        .collect()
}

// --- Brokers ----------------------------------------------------------------------------------------------------

fn brokers(file: &File, symbols: &mut Symbols, diagnostics: &mut Vec<Diagnostic>) {
    for (index, broker) in file.brokers.iter().enumerate() {
        let queues = broker.queues.iter().map(|queue| &queue.name);
        let names: Vec<&Ident> = queues.chain(broker.topics.iter().map(|topic| &topic.name)).collect();
        check_twice(Thing::Destination, &names, diagnostics);
        let name = broker.name.text.clone();
        symbols.brokers.push(BrokerSchema { name });
        for queue in &broker.queues {
            symbols.queues.push(QueueSchema {
                name: queue.name.text.clone(),
                broker: number(index),
                lease: queue.lease,
                attempts: queue.attempts,
                exhausted: Exhausted::Keep,
                stale: queue.stale.unwrap_or(Stale::Refused),
                volatile: queue.volatile,
                fields: ["id", "key", "body"].map(Name::from).into(),
            });
        }
    }
    let all = file
        .brokers
        .iter()
        .enumerate()
        .flat_map(|(broker, parsed)| parsed.queues.iter().map(move |q| (broker, q)));
    for (index, (broker, queue)) in all.enumerate() {
        let exhausted = exhausted(queue, number(broker), symbols, diagnostics);
        if let Some(schema) = symbols.queues.get_mut(index) {
            schema.exhausted = exhausted;
        }
    }
    for (index, broker) in file.brokers.iter().enumerate() {
        for topic in &broker.topics {
            let mut queues = Vec::new();
            for queue in &topic.queues {
                match symbols.queue_near(queue, Some(number(index))) {
                    Ok(queue) => queues.push(queue),
                    Err(problem) => diagnostics.push(problem),
                }
            }
            symbols.topics.push(Topic {
                name: topic.name.text.clone(),
                broker: number(index),
                queues,
            });
        }
    }
}

fn exhausted(queue: &ast::Queue, broker: u16, symbols: &Symbols, diagnostics: &mut Vec<Diagnostic>) -> Exhausted {
    match &queue.exhausted {
        None | Some(DeadLetters::Keep) => Exhausted::Keep,
        Some(DeadLetters::Drop) => Exhausted::Drop,
        Some(DeadLetters::Dead(name)) => match symbols.queue_near(name, Some(broker)) {
            Ok(dead) => Exhausted::Dead(dead),
            Err(problem) => {
                diagnostics.push(problem);
                Exhausted::Keep
            }
        },
    }
}

// --- Services ---------------------------------------------------------------------------------------------------

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

// --- Fields of messages -----------------------------------------------------------------------------------------

/// Gives each queue the fields that any publish names, also by way of topics, dead-letter queues and redrives.
fn message_fields(file: &File, symbols: &mut Symbols) {
    let mut redrives = Vec::new();
    let triggers = file.services.iter().flat_map(|service| &service.triggers);
    for statement in triggers.flat_map(|trigger| &trigger.block) {
        each_request(statement, &mut |request| match request {
            ast::Request::Publish {
                destination, fields, ..
            } => {
                let names: Vec<Name> = fields.iter().map(|(name, _)| name.text.clone()).collect();
                for queue in symbols
                    .destination(destination)
                    .map_or_else(|_| Vec::new(), |d| symbols.receivers(d))
                {
                    symbols.add_fields(queue, &names);
                }
            }
            ast::Request::Redrive { from, to } => {
                if let (Ok(from), Ok(to)) = (symbols.queue(from), symbols.queue(to)) {
                    redrives.push((from, to));
                }
            }
            _ => {}
        });
    }
    let dead = symbols
        .queues
        .iter()
        .enumerate()
        .filter_map(|(index, queue)| match queue.exhausted {
            Exhausted::Dead(to) => Some((number(index), to)),
            _ => None,
        });
    let ways: Vec<(u16, u16)> = dead.chain(redrives).collect();
    while ways.iter().any(|(from, to)| symbols.pass_fields(*from, *to)) {}
    symbols.inferred.fields = symbols
        .queues
        .iter()
        .map(|queue| vec![Type::Nothing; queue.fields.len()])
        .collect();
    symbols.ways = ways;
}

/// Calls `each` for every request in a statement, blocks and handlers included.
fn each_request(statement: &Statement, each: &mut dyn FnMut(&ast::Request)) {
    let blocks: Vec<&Vec<Statement>> = match &statement.kind {
        StatementKind::Request(_, request) => {
            each(request);
            Vec::new()
        }
        StatementKind::Try(block) | StatementKind::For { block, .. } | StatementKind::Repeat { block, .. } => {
            vec![block]
        }
        StatementKind::If { then, otherwise, .. } => vec![then, otherwise],
        _ => Vec::new(),
    };
    let handlers = statement.handlers.iter().map(|handler| &handler.block);
    for inner in blocks.into_iter().chain(handlers).flatten() {
        each_request(inner, each);
    }
}

impl Symbols {
    fn add_fields(&mut self, queue: u16, names: &[Name]) {
        if let Some(queue) = self.queues.get_mut(usize::from(queue)) {
            let mut fields = queue.fields.to_vec();
            for name in names {
                if !fields.contains(name) {
                    fields.push(name.clone());
                }
            }
            queue.fields = fields.into();
        }
    }

    /// Messages go from one queue to the other. True if that brought new fields.
    fn pass_fields(&mut self, from: u16, to: u16) -> bool {
        let Some(names) = self.queues.get(usize::from(from)).map(|queue| queue.fields.clone()) else {
            return false;
        };
        let count = |symbols: &Symbols| symbols.queues.get(usize::from(to)).map(|queue| queue.fields.len());
        let before = count(self);
        self.add_fields(to, &names);
        count(self) != before
    }

    /// The queues that a message goes to.
    pub fn receivers(&self, destination: Destination) -> Vec<u16> {
        match destination {
            Destination::Queue(queue) => vec![queue],
            Destination::Topic(topic) => self
                .topics
                .get(usize::from(topic))
                .map_or_else(Vec::new, |t| t.queues.clone()),
        }
    }

    /// The fields of a queue's messages, as they are kept.
    pub fn message_shape(&self, queue: u16) -> Vec<(Name, Type)> {
        let queue = usize::from(queue);
        match (self.queues.get(queue), self.inferred.fields.get(queue)) {
            (Some(queue), Some(types)) => queue.fields.iter().cloned().zip(types.iter().cloned()).collect(),
            _ => Vec::new(),
        }
    }

    /// A message as its receiver has it.
    pub fn received(&self, queue: u16) -> Shape {
        let mut shape = self.message_shape(queue);
        shape.push((Name::from("deliveries"), Type::Int));
        shape.push((Name::from("receipt"), Type::Receipt));
        shape.into()
    }
}

// --- Resolution -------------------------------------------------------------------------------------------------

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

fn position<'n>(mut names: impl Iterator<Item = &'n Name>, wanted: &Ident) -> Option<u16> {
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
    fn queue_near(&self, name: &Qualified, broker: Option<u16>) -> Result<u16, Diagnostic> {
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

    fn in_brokers<T: Copy>(
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

    fn not_on(&self, service: &Name, table: &Qualified, database: u16) -> Diagnostic {
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

    fn unknown_table(&self, databases: &[u16], name: &Qualified, owner: Option<u16>) -> Diagnostic {
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
