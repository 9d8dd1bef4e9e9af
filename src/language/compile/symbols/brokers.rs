//! Queues and topics, and the fields of their messages.

use super::super::types::{Shape, Type};
use super::{Symbols, check_twice, number, unknown};
use crate::language::ast::{self, Exhausted as DeadLetters, File, Ident, Statement, StatementKind};
use crate::language::diagnostics::{Diagnostic, Thing};
use crate::program::profile::{PROFILES, Profile};
use crate::program::{BrokerSchema, Destination, Exhausted, Expires, QueueSchema, Stale, Topic};
use crate::value::Name;

pub(super) fn declare(file: &File, symbols: &mut Symbols, diagnostics: &mut Vec<Diagnostic>) {
    for (index, broker) in file.brokers.iter().enumerate() {
        let queues = broker.queues.iter().map(|queue| &queue.name);
        let names: Vec<&Ident> = queues.chain(broker.topics.iter().map(|topic| &topic.name)).collect();
        check_twice(Thing::Destination, &names, diagnostics);
        symbols.brokers.push(schema(broker, diagnostics));
        for queue in &broker.queues {
            symbols.queues.push(QueueSchema {
                lease: queue.lease,
                attempts: queue.attempts,
                stale: queue.stale.unwrap_or(Stale::Refused),
                volatile: queue.volatile,
                grouped: queue.grouped,
                dedupe: queue.dedupe,
                capacity: queue.capacity,
                ack_timeout: queue.ack_timeout,
                again_in_turn: queue.again_in_turn,
                partitions: queue.partitions,
                session: queue.session,
                ..QueueSchema::plain(queue.name.text.clone(), number(index))
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
            schema.expires = queue.expires.map(|after| {
                let dead = match exhausted {
                    Exhausted::Dead(dead) if !queue.expired_are_dropped => Some(dead),
                    _ => None,
                };
                Expires { after, dead }
            });
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
                unroutable: topic.unroutable.unwrap_or_default(),
            });
        }
    }
}

/// The broker itself: what its product sets beside the rules of its queues.
fn schema(broker: &ast::Broker, diagnostics: &mut Vec<Diagnostic>) -> BrokerSchema {
    let plain = BrokerSchema::plain(broker.name.text.clone());
    let Some(name) = &broker.profile else { return plain };
    match Profile::find(&name.text) {
        Some(profile) => BrokerSchema {
            two_phase: profile.two_phase,
            heartbeat: profile.heartbeat,
            profile: Some(profile),
            ..plain
        },
        None => {
            let known = PROFILES.iter().map(|profile| Name::from(profile.name)).collect();
            diagnostics.push(unknown(Thing::Profile, name, known));
            plain
        }
    }
}

pub(super) fn exhausted(
    queue: &ast::Queue,
    broker: u16,
    symbols: &Symbols,
    diagnostics: &mut Vec<Diagnostic>,
) -> Exhausted {
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

/// Gives each queue the fields that any publish names, also by way of topics, dead-letter queues and redrives.
pub(super) fn message_fields(file: &File, symbols: &mut Symbols) {
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
pub(super) fn each_request(statement: &Statement, each: &mut dyn FnMut(&ast::Request)) {
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
    pub(super) fn add_fields(&mut self, queue: u16, names: &[Name]) {
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
    pub(super) fn pass_fields(&mut self, from: u16, to: u16) -> bool {
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
