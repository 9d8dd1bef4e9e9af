//! Requests: the steps of a service.

use super::super::expression::{Compiler, Names};
use super::super::service::{Role, ServiceCompiler, learn_field};
use super::super::symbols::{check_twice, unknown};
use super::super::types::Type;
use crate::expression::Expr;
use crate::language::ast::{self, Expression, Ident, Qualified, Statement};
use crate::language::diagnostics::{Problem, Span, Thing};
use crate::program::profile::Word;
use crate::program::{Instruction, Request};
use crate::value::Millis;

impl ServiceCompiler<'_> {
    pub(super) fn sql(&mut self, statement: &Statement, into: Option<&Ident>, sql: &ast::Sql) {
        if let Some(broker) = self.broker_of(sql) {
            return self.broker_transaction(statement, broker, sql);
        }
        let names = Names::Program(&self.variables);
        let mut compiler = Compiler::new(self.symbols, names, self.diagnostics);
        let compiled = compiler.sql(sql, self.databases, &self.service.name.text, statement.span);
        let compares_now = compiler.compares_now;
        let parameters: Vec<Expr> = compiler.parameters.into_iter().map(|(expr, _)| expr).collect();
        if compares_now && self.role == Role::Poller && !self.symbols.has_until {
            self.report(statement.span, Problem::NeedsUntil);
        }
        let Some(compiled) = compiled else {
            self.into(into, Type::Any);
            return;
        };
        let step = self.step(statement.label.as_ref(), &compiled.step);
        let request = Request::Sql {
            database: compiled.database,
            statement: compiled.statement,
            parameters,
        };
        self.emit_step(step, statement.span.line, request, into, compiled.kind);
    }

    pub(super) fn emit_step(&mut self, step: u16, line: u32, request: Request, into: Option<&Ident>, kind: Type) {
        let into = self.into(into, kind);
        self.code.emit(Instruction::Step {
            step,
            line,
            request,
            into,
        });
    }

    pub(super) fn request(&mut self, statement: &Statement, into: Option<&Ident>, request: &ast::Request) {
        match self.compiled_request(request, statement.span) {
            Some((name, request)) => {
                let step = self.step(statement.label.as_ref(), &name);
                let kind = match request {
                    Request::Publish { .. } => Type::Handle,
                    _ => Type::Any,
                };
                self.emit_step(step, statement.span.line, request, into, kind);
            }
            None => {
                self.into(into, Type::Any);
            }
        }
    }

    /// The step's name and its request. None if it is wrong (reported).
    pub(super) fn compiled_request(&mut self, request: &ast::Request, span: Span) -> Option<(String, Request)> {
        Some(match request {
            ast::Request::Publish {
                destination,
                fields,
                after,
                asynchronous,
            } => (
                format!("publish-{}", destination.name.text),
                self.publish(destination, fields, *after, *asynchronous)?,
            ),
            ast::Request::Confirm(handle) => (
                "confirm".to_owned(),
                Request::Confirm(self.wanted(handle, &Type::Handle)),
            ),
            ast::Request::Ack(message) => ("ack".to_owned(), Request::Ack(self.message(message))),
            ast::Request::Nack { message, after, dead } => {
                let (after, dead) = (*after, *dead);
                let message = self.message(message);
                ("nack".to_owned(), Request::Nack { message, after, dead })
            }
            ast::Request::Extend { message, by } => {
                let (message, by) = (self.message(message), *by);
                ("extend".to_owned(), Request::Extend { message, by })
            }
            ast::Request::Redrive { from, to } => {
                let name = format!("redrive-{}", from.name.text);
                let (from, to) = (self.symbols.queue(from), self.symbols.queue(to));
                let (from, to) = (self.resolved(from), self.resolved(to));
                let (from, to) = (from?, to?);
                // Where the product is said to have no dead letters, a note says that nothing is sent back.
                if !self.is_noted(from, Word::Redrive) {
                    self.check_partitions(span, [from], "redrive");
                }
                (name, Request::Redrive { from, to })
            }
            ast::Request::CallOutside { outside, fields } => {
                (format!("call-{}", outside.text), self.call_outside(outside, fields)?)
            }
            ast::Request::CallService {
                service,
                handler,
                arguments,
            } => {
                let name = format!("call-{}-{}", service.text, handler.text);
                (name, self.call_service(service, handler, arguments)?)
            }
            ast::Request::Sleep(time) => ("sleep".to_owned(), Request::Sleep(self.wanted(time, &Type::Interval))),
        })
    }

    pub(super) fn publish(
        &mut self,
        destination: &Qualified,
        fields: &[(Ident, Expression)],
        after: Option<Millis>,
        asynchronous: bool,
    ) -> Option<Request> {
        check_twice(
            Thing::Field,
            &fields.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            self.diagnostics,
        );
        let span = destination.span();
        let destination = self.symbols.destination(destination);
        let destination = self.resolved(destination);
        let receivers = destination.map_or_else(Vec::new, |destination| self.symbols.receivers(destination));
        if after.is_some() {
            self.check_partitions(span, receivers.iter().copied(), "after");
        }
        let mut values = Vec::new();
        for (name, value) in fields {
            if matches!(&*name.text, "deliveries" | "receipt") {
                self.report(name.span, Problem::Reserved(name.text.clone()));
            }
            let (expr, kind) = self.expression(value);
            for queue in &receivers {
                learn_field(self.symbols, self.inferred, *queue, &name.text, &kind);
            }
            values.push((name.text.clone(), expr));
        }
        let destination = destination?;
        Some(Request::Publish {
            destination,
            fields: values,
            after,
            asynchronous,
        })
    }

    /// True if the product of the queue's broker has no meaning for the word: the text has a note instead of an error.
    fn is_noted(&self, queue: u16, word: Word) -> bool {
        let schema = self.symbols.queues.get(usize::from(queue));
        let broker = schema.and_then(|schema| self.symbols.brokers.get(usize::from(schema.broker)));
        let profile = broker.and_then(|broker| broker.profile);
        profile.is_some_and(|profile| profile.cannot(word).is_some())
    }

    /// Reports words that a partitioned queue cannot follow.
    fn check_partitions(&mut self, span: Span, queues: impl IntoIterator<Item = u16>, words: &'static str) {
        for queue in queues {
            let schema = self.symbols.queues.get(usize::from(queue));
            if let Some(schema) = schema.filter(|schema| schema.partitions.is_some()) {
                let queue = schema.name.clone();
                self.report(span, Problem::Partitioned { queue, words });
            }
        }
    }

    pub(super) fn call_outside(&mut self, outside: &Ident, fields: &[(Ident, Expression)]) -> Option<Request> {
        check_twice(
            Thing::Field,
            &fields.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            self.diagnostics,
        );
        let found = self.symbols.outside(outside);
        let index = self.resolved(found)?;
        let record = &self.symbols.outsides.get(usize::from(index))?.record;
        let mut values = vec![Self::null(); record.columns.len()];
        for (name, value) in fields {
            let column = record.column(&name.text).map(usize::from);
            let named = column.and_then(|column| Some((record.columns.get(column)?, values.get_mut(column)?)));
            let Some((column, place)) = named else {
                self.diagnostics
                    .push(unknown(Thing::Field, name, record.names.to_vec()));
                continue;
            };
            let names = Names::Program(&self.variables);
            *place = Compiler::new(self.symbols, names, self.diagnostics).stored(value, &column.name, column.kind);
        }
        Some(Request::CallOutside {
            outside: index,
            fields: values,
        })
    }

    pub(super) fn call_service(
        &mut self,
        service: &Ident,
        handler: &Ident,
        arguments: &[Expression],
    ) -> Option<Request> {
        let found = self.symbols.service(service);
        let index = self.resolved(found)?;
        let head = self.symbols.services.get(usize::from(index))?;
        let Some(found) = head.handlers.iter().find(|known| known.name == handler.text) else {
            let known = head.handlers.iter().map(|known| known.name.clone()).collect();
            self.diagnostics.push(unknown(Thing::Handler, handler, known));
            return None;
        };
        self.check_arguments(handler, found.parameters, arguments.len());
        Some(Request::CallService {
            service: index,
            trigger: found.trigger,
            arguments: arguments.iter().map(|argument| self.expression(argument).0).collect(),
        })
    }

    pub(super) fn check_arguments(&mut self, name: &Ident, wanted: usize, found: usize) -> bool {
        if wanted != found {
            let name_text = name.text.clone();
            let problem = Problem::ArgumentCount {
                name: name_text,
                wanted,
                found,
            };
            self.report(name.span, problem);
        }
        wanted == found
    }
}
