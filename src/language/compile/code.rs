//! The instruction list of one service while it is written: jumps are patched when their target is known.

use crate::expression::{ErrorClass, Expr};
use crate::language::limits::INSTRUCTIONS_MAX;
use crate::program::{Handler, Instruction, Pc};
use crate::value::Name;

/// A jump whose target is not known yet.
#[derive(Clone, Copy, Debug)]
pub struct Hole(Pc);

#[derive(Default)]
pub struct Code {
    pub instructions: Vec<Instruction>,
    pub handlers: Vec<Handler>,
    pub steps: Vec<Name>,
    /// Statements compiled so far, copies of handlers included.
    statements: usize,
    /// The service is too large; nothing more is written.
    pub full: bool,
}

impl Code {
    /// The place of the next instruction.
    pub fn here(&self) -> Pc {
        Pc::try_from(self.instructions.len()).unwrap_or(Pc::MAX) // at most INSTRUCTIONS_MAX
    }

    /// Counts a statement, so that copying handlers has an end even where they write nothing.
    pub fn count_statement(&mut self) {
        self.statements += 1;
        self.full |= self.statements > INSTRUCTIONS_MAX;
    }

    pub fn emit(&mut self, instruction: Instruction) -> Hole {
        let hole = Hole(self.here());
        if self.instructions.len() >= INSTRUCTIONS_MAX {
            self.full = true;
        } else {
            self.instructions.push(instruction);
        }
        hole
    }

    /// A jump to be landed later.
    pub fn jump(&mut self) -> Hole {
        self.emit(Instruction::Jump(0))
    }

    pub fn jump_to(&mut self, target: Pc) {
        self.emit(Instruction::Jump(target));
    }

    /// A conditional jump to be landed later.
    pub fn unless(&mut self, condition: Expr, line: u32) -> Hole {
        let otherwise = 0;
        self.emit(Instruction::Unless {
            condition,
            otherwise,
            line,
        })
    }

    /// Makes the jump go to the next instruction.
    pub fn land(&mut self, hole: Hole) {
        let here = self.here();
        match self.instructions.get_mut(hole.0 as usize) {
            Some(Instruction::Jump(target)) => *target = here,
            Some(Instruction::Unless { otherwise, .. }) => *otherwise = here,
            Some(Instruction::ForNext { end, .. }) => *end = here,
            _ => {}
        }
    }

    /// Errors of `from..to` of these classes go on at the next instruction.
    pub fn handle(&mut self, from: Pc, to: Pc, classes: Vec<ErrorClass>) {
        let pc = self.here();
        self.handlers.push(Handler { from, to, classes, pc });
    }

    /// The number of a step name.
    pub fn step(&mut self, name: &str) -> u16 {
        let found = self.steps.iter().position(|step| &**step == name);
        let index = found.unwrap_or_else(|| {
            self.steps.push(Name::from(name));
            self.steps.len() - 1
        });
        u16::try_from(index).unwrap_or(u16::MAX) // no more names than statements
    }
}
