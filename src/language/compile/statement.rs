//! Statements of the program as instructions.

mod control;
mod handlers;
mod requests;
mod transactions;

use super::service::ServiceCompiler;
use super::types::Type;
use crate::language::ast::{Ident, Statement, StatementKind};
use crate::language::diagnostics::Problem;
use crate::language::limits::BLOCK_LEVELS_MAX;
use crate::program::{Instruction, Place};

impl ServiceCompiler<'_> {
    pub(super) fn block(&mut self, statements: &[Statement]) {
        self.levels += 1;
        for statement in statements {
            self.code.count_statement();
            if self.code.full {
                break;
            }
            if self.levels > BLOCK_LEVELS_MAX {
                let levels_max = BLOCK_LEVELS_MAX;
                self.report(statement.span, Problem::TooDeep { levels_max });
                break;
            }
            self.statement(statement);
        }
        self.levels -= 1;
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
}
