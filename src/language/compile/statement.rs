//! Statements of the program as instructions.

use super::expression::{Compiler, Names};
use super::operators;
use super::service::{Frame, Role, ServiceCompiler, learn_field};
use super::symbols::{check_twice, unknown};
use super::types::Type;
use crate::expression::{Expr, Function, Operator, Slot};
use crate::language::ast::{self, Expression, Ident, Node, Qualified, Statement, StatementKind};
use crate::language::diagnostics::{Problem, Span, Thing};
use crate::program::{Instruction, Place, Request};
use crate::value::{Millis, Value};

impl ServiceCompiler<'_> {
    pub(super) fn block(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.code.count_statement();
            if self.code.full {
                return;
            }
            self.statement(statement);
        }
    }

    /// A statement and, behind it, the blocks of its `on` lines.
    fn statement(&mut self, statement: &Statement) {
        let from = self.code.here();
        self.kind(statement);
        let to = self.code.here();
        if statement.handlers.is_empty() {
            return;
        }
        let mut over = vec![self.code.jump()];
        for handler in &statement.handlers {
            self.code.handle(from, to, handler.classes.clone());
            self.block(&handler.block);
            over.push(self.code.jump());
        }
        for jump in over {
            self.code.land(jump);
        }
    }

    fn kind(&mut self, statement: &Statement) {
        let line = statement.span.line;
        match &statement.kind {
            StatementKind::Broken(assigned) => {
                if let Some(name) = assigned {
                    let place = self.variables.place(name);
                    self.variables.learn(place, Type::Any);
                }
            }
            StatementKind::Sql(into, sql) => self.sql(statement, into.as_ref(), sql),
            StatementKind::Request(into, request) => self.request(statement, into.as_ref(), request),
            StatementKind::Assign(name, value) => self.assign(name, value, line),
            StatementKind::Inline(name, arguments) => self.inline(name, arguments, None, line),
            StatementKind::Keep { message, every, times } => {
                let step = self.step(statement.label.as_ref(), "keep");
                let message = self.message(message);
                self.code.emit(Instruction::Keep {
                    step,
                    line,
                    message,
                    every: *every,
                    times: *times,
                });
            }
            StatementKind::Append(value, list) => self.append(value, list, line),
            StatementKind::Done => {
                self.code.emit(Instruction::Done);
            }
            StatementKind::Fail => {
                self.code.emit(Instruction::Fail { line });
            }
            StatementKind::Break => self.leave_loop(statement.span),
            StatementKind::Return(value) => self.leave_handler(value.as_ref(), statement.span),
            StatementKind::Exit(restart) => {
                let restart = *restart;
                self.code.emit(Instruction::Exit { restart, line });
            }
            StatementKind::Try(block) => self.block(block),
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(condition, then, otherwise, line),
            StatementKind::For { item, list, block } => self.each(item, list, block, line),
            StatementKind::Repeat { times, every, block } => self.repeat(times.as_ref(), *every, block, line),
        }
    }

    fn step(&mut self, label: Option<&Ident>, name: &str) -> u16 {
        self.code.step(label.map_or(name, |label| &label.text))
    }

    /// Where a result goes; its type is remembered.
    fn into(&mut self, name: Option<&Ident>, kind: Type) -> Option<Place> {
        let place = self.variables.place(name?);
        self.variables.learn(place, kind);
        Some(place)
    }

    // --- Requests ---------------------------------------------------------------------------------------------

    fn sql(&mut self, statement: &Statement, into: Option<&Ident>, sql: &ast::Sql) {
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

    fn emit_step(&mut self, step: u16, line: u32, request: Request, into: Option<&Ident>, kind: Type) {
        let into = self.into(into, kind);
        self.code.emit(Instruction::Step {
            step,
            line,
            request,
            into,
        });
    }

    fn request(&mut self, statement: &Statement, into: Option<&Ident>, request: &ast::Request) {
        match self.compiled_request(request) {
            Some((name, request)) => {
                let step = self.step(statement.label.as_ref(), &name);
                self.emit_step(step, statement.span.line, request, into, Type::Any);
            }
            None => {
                self.into(into, Type::Any);
            }
        }
    }

    /// The step's name and its request. None if it is wrong (reported).
    fn compiled_request(&mut self, request: &ast::Request) -> Option<(String, Request)> {
        Some(match request {
            ast::Request::Publish {
                destination,
                fields,
                after,
            } => (
                format!("publish-{}", destination.name.text),
                self.publish(destination, fields, *after)?,
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

    fn publish(
        &mut self,
        destination: &Qualified,
        fields: &[(Ident, Expression)],
        after: Option<Millis>,
    ) -> Option<Request> {
        check_twice(
            Thing::Field,
            &fields.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            self.diagnostics,
        );
        let destination = self.symbols.destination(destination);
        let destination = self.resolved(destination);
        let receivers = destination.map_or_else(Vec::new, |destination| self.symbols.receivers(destination));
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
        })
    }

    fn call_outside(&mut self, outside: &Ident, fields: &[(Ident, Expression)]) -> Option<Request> {
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

    fn call_service(&mut self, service: &Ident, handler: &Ident, arguments: &[Expression]) -> Option<Request> {
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

    fn check_arguments(&mut self, name: &Ident, wanted: usize, found: usize) -> bool {
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

    // --- Variables and handlers -------------------------------------------------------------------------------

    fn assign(&mut self, name: &Ident, value: &Expression, line: u32) {
        if let Node::Call(callee, arguments) = &*value.node
            && operators::function(&callee.text).is_none()
        {
            return self.inline(callee, arguments, Some(name), line);
        }
        let (value, kind) = self.expression(value);
        let place = self.variables.place(name);
        self.variables.learn(place, kind);
        self.code.emit(Instruction::Set { place, value, line });
    }

    fn append(&mut self, value: &Expression, list: &Ident, line: u32) {
        let (value, item) = self.expression(value);
        let Some((place, kind)) = self.variables.find(&list.text) else {
            let known = self.variables.known();
            self.diagnostics.push(unknown(Thing::Variable, list, known));
            return;
        };
        if !matches!(kind, Type::List(_) | Type::Any | Type::Nothing) {
            let problem = Problem::WrongType {
                wanted: "list",
                found: kind.name(),
            };
            return self.report(list.span, problem);
        }
        self.variables.learn(place, Type::list(item));
        self.code.emit(Instruction::Append { value, place, line });
    }

    /// A call of a handler of this service: its block is copied in, with variables of its own.
    fn inline(&mut self, name: &Ident, arguments: &[Expression], into: Option<&Ident>, line: u32) {
        let service = self.service;
        let handlers = service.triggers.iter().filter_map(|trigger| match &trigger.kind {
            ast::TriggerKind::Handle { name, parameters } => Some((name, parameters, &trigger.block)),
            _ => None,
        });
        let handlers: Vec<_> = handlers.collect();
        let values: Vec<(Expr, Type)> = arguments.iter().map(|argument| self.expression(argument)).collect();
        let result = self.into(into, Type::Any);
        let Some((_, parameters, block)) = handlers.iter().find(|(known, ..)| known.text == name.text) else {
            let known = handlers.iter().map(|(known, ..)| known.text.clone()).collect();
            self.diagnostics.push(unknown(Thing::Handler, name, known));
            return;
        };
        if self.frames.iter().any(|frame| frame.handler == name.text) {
            return self.report(name.span, Problem::Recursion(name.text.clone()));
        }
        if !self.check_arguments(name, parameters.len(), arguments.len()) {
            return;
        }
        let scope = self.variables.enter();
        let loops = std::mem::take(&mut self.loops);
        for (parameter, (value, kind)) in parameters.iter().zip(values) {
            let place = Place::Local(self.local(parameter, kind));
            self.code.emit(Instruction::Set { place, value, line });
        }
        self.frames.push(Frame {
            handler: name.text.clone(),
            result,
            returns: Vec::new(),
        });
        self.block(block);
        let frame = self.frames.pop();
        for jump in frame.map_or_else(Vec::new, |frame| frame.returns) {
            self.code.land(jump);
        }
        self.loops = loops;
        self.variables.leave(scope);
    }

    fn leave_handler(&mut self, value: Option<&Expression>, span: Span) {
        let line = span.line;
        let value = match value {
            Some(value) => self.expression(value).0,
            None => Self::null(),
        };
        match self.frames.last().map(|frame| frame.result) {
            Some(result) => {
                if let Some(place) = result {
                    self.code.emit(Instruction::Set { place, value, line });
                }
                let jump = self.code.jump();
                if let Some(frame) = self.frames.last_mut() {
                    frame.returns.push(jump);
                }
            }
            None if self.role == Role::Handler => {
                self.code.emit(Instruction::Return { value, line });
            }
            None => self.report(span, Problem::ReturnOutsideHandler),
        }
    }

    // --- Branches and loops -----------------------------------------------------------------------------------

    fn branch(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement], line: u32) {
        let condition = self.condition(condition);
        let skip = self.code.unless(condition, line);
        self.block(then);
        if otherwise.is_empty() {
            self.code.land(skip);
            return;
        }
        let over = self.code.jump();
        self.code.land(skip);
        self.block(otherwise);
        self.code.land(over);
    }

    fn leave_loop(&mut self, span: Span) {
        if self.loops.is_empty() {
            return self.report(span, Problem::BreakOutsideLoop);
        }
        let jump = self.code.jump();
        if let Some(jumps) = self.loops.last_mut() {
            jumps.push(jump);
        }
    }

    /// The body of a loop; afterwards `break` goes to the next instruction.
    fn body(&mut self, block: &[Statement], again: u32, end: Option<super::code::Hole>) {
        self.loops.push(Vec::new());
        self.block(block);
        self.code.jump_to(again);
        let jumps = self.loops.pop().unwrap_or_default();
        for jump in jumps.into_iter().chain(end) {
            self.code.land(jump);
        }
    }

    fn each(&mut self, item: &Ident, list: &Expression, block: &[Statement], line: u32) {
        let place = list.span;
        let (list, kind) = self.expression(list);
        let item_kind = match kind {
            Type::List(items) => (*items).clone(),
            Type::Row(_) | Type::Any | Type::Nothing => kind,
            other => {
                let problem = Problem::WrongType {
                    wanted: "list",
                    found: other.name(),
                };
                self.report(place, problem);
                Type::Any
            }
        };
        let (items, index) = (self.variables.made_up(), self.variables.made_up());
        self.code.emit(Instruction::ForStart {
            list,
            items,
            index,
            line,
        });
        let item = self.local(item, item_kind);
        let again = self.code.here();
        let end = self.code.emit(Instruction::ForNext {
            items,
            index,
            item,
            end: 0,
        });
        self.body(block, again, Some(end));
    }

    /// A counter, if there is one, counts down; the pause comes before each round but the first.
    fn repeat(&mut self, times: Option<&Expression>, every: Option<Millis>, block: &[Statement], line: u32) {
        let counter = times.map(|times| {
            let value = self.wanted(times, &Type::Int);
            self.made_up(value, line)
        });
        let since = every.map(|every| {
            let now = Expr::Call(Function::Now, Vec::new());
            let first = Expr::Literal(Value::Interval(every));
            let since = self.made_up(binary(Operator::Subtract, now, first), line);
            Instruction::Pause { every, since }
        });
        let again = self.code.here();
        let end = counter.map(|counter| {
            let number = |n| Expr::Literal(Value::Int(n));
            let left = binary(Operator::Greater, Expr::Local(counter), number(0));
            let end = self.code.unless(left, line);
            let value = binary(Operator::Subtract, Expr::Local(counter), number(1));
            let place = Place::Local(counter);
            self.code.emit(Instruction::Set { place, value, line });
            end
        });
        if let Some(pause) = since {
            self.code.emit(pause);
        }
        self.body(block, again, end);
    }

    /// A variable without a name, set to a value.
    fn made_up(&mut self, value: Expr, line: u32) -> Slot {
        let slot = self.variables.made_up();
        let place = Place::Local(slot);
        self.code.emit(Instruction::Set { place, value, line });
        slot
    }
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}
