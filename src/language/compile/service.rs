//! Services: triggers and their blocks as one flat list of instructions.

use super::code::{Code, Hole};
use super::expression::{Compiler, Names, typed};
use super::symbols::{Inferred, Symbols, check_twice, number};
use super::types::Type;
use super::variables::Variables;
use crate::expression::Expr;
use crate::language::ast::{self, Expression, File, Ident, Node};
use crate::language::diagnostics::{Diagnostic, Problem, Thing};
use crate::language::limits::INSTRUCTIONS_MAX;
use crate::program::{After, Instruction, Place, Service, Trigger, TriggerKind};
use crate::value::{Name, Value};

/// Compiles the services of one service's text.
pub(super) struct ServiceCompiler<'a> {
    pub symbols: &'a Symbols,
    pub service: &'a ast::Service,
    pub databases: &'a [u16],
    pub diagnostics: &'a mut Vec<Diagnostic>,
    /// What this round finds out about types.
    pub inferred: &'a mut Inferred,
    pub code: Code,
    pub variables: Variables,
    /// The jumps out of each loop around the statement at hand.
    pub loops: Vec<Vec<Hole>>,
    /// The handlers that are being copied in.
    pub frames: Vec<Frame>,
    /// What the block at hand belongs to.
    pub role: Role,
    /// Blocks around the statement at hand, those of called handlers included.
    pub levels: usize,
}

/// A handler that is copied into its caller.
pub(super) struct Frame {
    pub handler: Name,
    pub result: Option<Place>,
    pub returns: Vec<Hole>,
}

/// What a block is part of, as far as its statements must know.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    Poller,
    Handler,
    Other,
}

/// All services of the file. The types that were found go to `symbols.inferred`.
pub fn services(file: &File, symbols: &mut Symbols, diagnostics: &mut Vec<Diagnostic>) -> Vec<Service> {
    let mut inferred = symbols.inferred.clone();
    let count = file.services.len();
    inferred.locals.resize(count, Vec::new());
    inferred.memory.resize(count, Vec::new());
    let known: &Symbols = symbols;
    let mut services = Vec::new();
    for (index, service) in file.services.iter().enumerate() {
        services.push(compile(index, service, known, &mut inferred, diagnostics));
    }
    let ways = known.ways.clone();
    for (from, to) in ways {
        let shape = known.message_shape(from);
        for (name, kind) in &shape {
            learn_field(known, &mut inferred, to, name, kind);
        }
    }
    symbols.inferred = inferred;
    services
}

/// A message with this field reaches the queue.
pub(super) fn learn_field(symbols: &Symbols, inferred: &mut Inferred, queue: u16, field: &Name, kind: &Type) {
    let queue = usize::from(queue);
    let position = symbols
        .queues
        .get(queue)
        .and_then(|schema| schema.fields.iter().position(|name| name == field));
    let known = position.and_then(|position| inferred.fields.get_mut(queue)?.get_mut(position));
    if let Some(known) = known {
        *known = known.join(kind).flattened();
    }
}

fn compile(
    index: usize,
    service: &ast::Service,
    symbols: &Symbols,
    inferred: &mut Inferred,
    diagnostics: &mut Vec<Diagnostic>,
) -> Service {
    let databases = symbols.services.get(index).map_or(&[][..], |head| &head.databases);
    let seeds = inferred.locals.get(index).cloned().unwrap_or_default();
    let (memory, memory_names) = memory(service, symbols, inferred.memory.get(index), diagnostics);
    let mut compiler = ServiceCompiler {
        symbols,
        service,
        databases,
        diagnostics,
        inferred,
        code: Code::default(),
        variables: Variables::new(seeds, memory_names),
        loops: Vec::new(),
        frames: Vec::new(),
        role: Role::Other,
        levels: 0,
    };
    let triggers = service
        .triggers
        .iter()
        .map(|trigger| compiler.trigger(trigger))
        .collect();
    compiler.check_size();
    let ServiceCompiler { code, variables, .. } = compiler;
    if let Some(types) = inferred.locals.get_mut(index) {
        *types = variables.types;
    }
    if let Some(types) = inferred.memory.get_mut(index) {
        *types = variables.memory.into_iter().map(|(_, kind)| kind).collect();
    }
    Service {
        name: service.name.text.clone(),
        line: service.name.span.line,
        instances: service.instances,
        databases: databases.to_vec(),
        memory,
        triggers,
        code: code.instructions,
        handlers: code.handlers,
        steps: code.steps,
        locals: number(variables.names.len()),
        local_names: variables.names,
    }
}

type Memory = (Vec<(Name, Expr)>, Vec<(Name, Type)>);

/// The instance's variables, their first values, and what is known of their types.
fn memory(
    service: &ast::Service,
    symbols: &Symbols,
    seeds: Option<&Vec<Type>>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Memory {
    let names: Vec<&Ident> = service.memory.iter().map(|(name, _)| name).collect();
    check_twice(Thing::Variable, &names, diagnostics);
    let mut memory = Vec::new();
    let mut types = Vec::new();
    for (index, (name, value)) in service.memory.iter().enumerate() {
        let value = Compiler::new(symbols, Names::Constant, diagnostics).any(value);
        let seed = seeds.and_then(|seeds| seeds.get(index)).unwrap_or(&Type::Nothing);
        types.push((name.text.clone(), seed.join(&value.kind).flattened()));
        memory.push((name.text.clone(), value.expr));
    }
    (memory, types)
}

impl ServiceCompiler<'_> {
    pub(super) fn report(&mut self, span: crate::language::diagnostics::Span, problem: Problem) {
        self.diagnostics.push(Diagnostic::new(span, problem));
    }

    fn check_size(&mut self) {
        if self.code.full {
            let instructions_max = INSTRUCTIONS_MAX;
            self.report(self.service.name.span, Problem::CodeTooLarge { instructions_max });
        }
    }

    fn trigger(&mut self, trigger: &ast::Trigger) -> Trigger {
        self.variables.enter();
        self.role = match trigger.kind {
            ast::TriggerKind::Every(_) => Role::Poller,
            ast::TriggerKind::Handle { .. } => Role::Handler,
            _ => Role::Other,
        };
        let kind = self.trigger_kind(&trigger.kind);
        let entry = self.code.here();
        self.block(&trigger.block);
        self.code.emit(Instruction::Done);
        let line = trigger.span.line;
        Trigger { kind, entry, line }
    }

    fn trigger_kind(&mut self, kind: &ast::TriggerKind) -> TriggerKind {
        match kind {
            ast::TriggerKind::At { at, times, every } => TriggerKind::At {
                at: *at,
                times: *times,
                every: *every,
            },
            ast::TriggerKind::Every(time) => TriggerKind::Every(*time),
            ast::TriggerKind::Start => TriggerKind::Start,
            ast::TriggerKind::Handle { name, parameters } => TriggerKind::Handle {
                name: name.text.clone(),
                parameters: parameters.iter().map(|name| self.local(name, Type::Any)).collect(),
            },
            ast::TriggerKind::Receive {
                queue,
                prefetch,
                message,
            } => {
                let queue = self.resolved(self.symbols.queue(queue));
                let kind = queue.map_or(Type::Any, |queue| Type::Row(self.symbols.received(queue)));
                TriggerKind::Receive {
                    queue: queue.unwrap_or_default(),
                    prefetch: *prefetch,
                    message: self.local(message, kind),
                }
            }
            ast::TriggerKind::Follow { table, after, change } => self.follow(table, after.as_ref(), change),
        }
    }

    /// A local variable that the text names; memory must not have the name already.
    pub(super) fn local(&mut self, name: &Ident, kind: Type) -> crate::expression::Slot {
        if self.variables.is_memory(&name.text) {
            let problem = Problem::Twice {
                thing: Thing::Variable,
                name: name.text.clone(),
            };
            self.report(name.span, problem);
        }
        self.variables.declare(name, kind)
    }

    /// What was resolved; reports what was not.
    pub(super) fn resolved<T>(&mut self, found: Result<T, Diagnostic>) -> Option<T> {
        found.map_err(|problem| self.diagnostics.push(problem)).ok()
    }

    fn follow(&mut self, table: &ast::Qualified, after: Option<&Expression>, change: &Ident) -> TriggerKind {
        let name = &self.service.name.text;
        let found = self.symbols.table(self.databases, table, Some(name));
        let (database, index) = self.resolved(found).unwrap_or_default();
        let mut fields = super::expression::shape_of(self.symbols, database, index);
        fields.push((Name::from("change"), Type::Text));
        fields.push((Name::from("commit"), Type::Int));
        fields.push((Name::from("row"), Type::Int));
        let after = after.and_then(|after| self.after(database, after));
        TriggerKind::Follow {
            database,
            table: index,
            after,
            change: self.local(change, Type::Row(fields.into())),
        }
    }

    /// Where a follower goes on: a value, or a select on the followed database.
    fn after(&mut self, database: u16, after: &Expression) -> Option<After> {
        let Node::Scalar(select) = &*after.node else {
            let names = Names::Program(&self.variables);
            let mut compiler = Compiler::new(self.symbols, names, self.diagnostics);
            return Some(After::Expr(compiler.wanted(after, &Type::Int)));
        };
        let mut compiler = Compiler::new(self.symbols, Names::Constant, self.diagnostics);
        let (select, shape) = compiler.select(database, select)?;
        if let Some((_, kind)) = shape.first().filter(|(_, kind)| !kind.fits(&Type::Int)) {
            let problem = Problem::WrongType {
                wanted: "int",
                found: kind.name(),
            };
            self.report(after.span, problem);
        }
        Some(After::Select(select.into()))
    }

    /// Compiles an expression of the program.
    pub(super) fn expression(&mut self, expression: &Expression) -> (Expr, Type) {
        let names = Names::Program(&self.variables);
        let value = Compiler::new(self.symbols, names, self.diagnostics).any(expression);
        (value.expr, value.kind)
    }

    pub(super) fn condition(&mut self, expression: &Expression) -> Expr {
        let names = Names::Program(&self.variables);
        Compiler::new(self.symbols, names, self.diagnostics).condition(expression)
    }

    pub(super) fn wanted(&mut self, expression: &Expression, wanted: &Type) -> Expr {
        let names = Names::Program(&self.variables);
        Compiler::new(self.symbols, names, self.diagnostics).wanted(expression, wanted)
    }

    /// A received message: the row that `receive` gave.
    pub(super) fn message(&mut self, expression: &Expression) -> Expr {
        let (expr, kind) = self.expression(expression);
        let is_message = match &kind {
            Type::Row(shape) => shape.iter().any(|(_, kind)| *kind == Type::Receipt),
            kind => !kind.is_known(),
        };
        if !is_message {
            let problem = Problem::WrongType {
                wanted: "message",
                found: kind.name(),
            };
            self.report(expression.span, problem);
        }
        expr
    }

    pub(super) fn null() -> Expr {
        typed(Expr::Literal(Value::Null), Type::Nothing).expr
    }
}
