//! Branches and loops.

use super::super::code::Hole;
use super::super::service::ServiceCompiler;
use super::super::types::Type;
use crate::expression::{Expr, Function, Operator, Slot};
use crate::language::ast::{Expression, Ident, Statement};
use crate::language::diagnostics::{Problem, Span};
use crate::program::{Instruction, Place};
use crate::value::{Millis, Value};

impl ServiceCompiler<'_> {
    pub(super) fn branch(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement], line: u32) {
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

    pub(super) fn leave_loop(&mut self, span: Span) {
        if self.loops.is_empty() {
            return self.report(span, Problem::BreakOutsideLoop);
        }
        let jump = self.code.jump();
        if let Some(jumps) = self.loops.last_mut() {
            jumps.push(jump);
        }
    }

    /// The body of a loop; afterwards `break` goes to the next instruction.
    pub(super) fn body(&mut self, block: &[Statement], again: u32, end: Option<Hole>) {
        self.loops.push(Vec::new());
        self.block(block);
        self.code.jump_to(again);
        let jumps = self.loops.pop().unwrap_or_default();
        for jump in jumps.into_iter().chain(end) {
            self.code.land(jump);
        }
    }

    pub(super) fn each(&mut self, item: &Ident, list: &Expression, block: &[Statement], line: u32) {
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
    pub(super) fn repeat(&mut self, times: Option<&Expression>, every: Option<Millis>, block: &[Statement], line: u32) {
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
    pub(super) fn made_up(&mut self, value: Expr, line: u32) -> Slot {
        let slot = self.variables.made_up();
        let place = Place::Local(slot);
        self.code.emit(Instruction::Set { place, value, line });
        slot
    }
}

pub(super) fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}
