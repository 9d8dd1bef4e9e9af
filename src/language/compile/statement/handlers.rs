//! Variables, and calls of handlers within their service.

use super::super::operators;
use super::super::service::{Frame, Role, ServiceCompiler};
use super::super::symbols::unknown;
use super::super::types::Type;
use crate::expression::Expr;
use crate::language::ast::{self, Expression, Ident, Node};
use crate::language::diagnostics::{Problem, Span, Thing};
use crate::program::{Instruction, Place};

impl ServiceCompiler<'_> {
    pub(super) fn assign(&mut self, name: &Ident, value: &Expression, line: u32) {
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

    pub(super) fn append(&mut self, value: &Expression, list: &Ident, line: u32) {
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
    pub(super) fn inline(&mut self, name: &Ident, arguments: &[Expression], into: Option<&Ident>, line: u32) {
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

    pub(super) fn leave_handler(&mut self, value: Option<&Expression>, span: Span) {
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
}
