//! Passes run: the instructions between two requests, which take no time.

use super::super::agenda::Due;
use super::super::fault::Flow;
use super::super::kernel::Kernel;
use super::super::trace::{EventKind, InstanceId};
use super::super::world::{TaskId, TaskState};
use super::PassEnd;
use crate::expression::{ErrorClass, Expr, Failure, Slot, evaluate, is_true};
use crate::program::{Instruction, Place, Side, TriggerKind};
use crate::value::{Millis, Value};
use std::rc::Rc;

/// Instructions that a task runs in one turn of the kernel; a loop without requests goes on in the next.
const INSTRUCTIONS_A_TURN: u32 = 10_000;

impl Kernel<'_> {
    pub(in crate::simulation) fn set_state(&mut self, id: TaskId, state: TaskState) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.state = state;
        }
    }

    /// Goes on where a task stands: with an answer that came while its process was frozen, a change to hand over, a message that
    /// was fetched, or its code.
    pub(in crate::simulation) fn go_on(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let idle = task.state == TaskState::Idle;
        let (answered, trigger) = (task.answer.is_some(), self.trigger(task.instance, task.trigger));
        if idle && matches!(trigger, TriggerKind::Follow { .. }) {
            self.hand_change(id);
        } else if idle && matches!(trigger, TriggerKind::Receive { .. }) {
            self.work_on_next(id);
        } else if answered {
            self.leave_gap(id);
        } else {
            self.set_state(id, TaskState::Ready);
            self.advance(id);
        }
    }

    /// The gap after an answered step: its faults strike, then the answer takes effect in the process.
    pub(in crate::simulation) fn leave_gap(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let Some(sent) = &task.request else { return };
        let (step, line, visit) = (sent.step, sent.line, sent.visit);
        if let Some(visit) = visit
            && self.strike_point(id, Side::After, step, visit) == Flow::Stop
        {
            self.continue_later(id);
            return;
        }
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let Some(answer) = task.answer.take() else { return };
        task.request = None;
        match answer {
            Ok(value) => {
                self.store_answer(id, value);
                self.advance(id);
            }
            Err(failure) => self.raise(id, line, failure),
        }
    }

    /// A frozen process goes on in the same gap.
    pub(in crate::simulation) fn continue_later(&mut self, id: TaskId) {
        if self.task_state(id).is_some_and(|state| state == TaskState::Ready) {
            self.world.agenda.add(self.world.now, Due::Continue { task: id });
        }
    }

    fn store_answer(&mut self, id: TaskId, value: Value) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let (instance, pc) = (task.instance, task.pc);
        task.pc += 1;
        if let Instruction::Step { into: Some(place), .. } = self.code(instance)[pc as usize] {
            self.store(id, place, value);
        }
    }

    fn code(&self, instance: InstanceId) -> &[Instruction] {
        &self.service_of(instance).code
    }

    fn store(&mut self, id: TaskId, place: Place, value: Value) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        match place {
            Place::Local(slot) => task.locals[usize::from(slot)] = value,
            Place::Memory(slot) => {
                let instance = usize::from(task.instance);
                if let Some(state) = self.world.instances.get_mut(instance) {
                    Rc::make_mut(&mut state.memory)[usize::from(slot)] = value;
                }
            }
        }
    }

    fn load(&self, id: TaskId, place: Place) -> Value {
        let Some(task) = self.world.tasks.get(&id) else {
            return Value::Null;
        };
        match place {
            Place::Local(slot) => task.locals[usize::from(slot)].clone(),
            Place::Memory(slot) => self.world.instance(task.instance).memory[usize::from(slot)].clone(),
        }
    }

    fn jump(&mut self, id: TaskId, pc: u32) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.pc = pc;
        }
    }

    /// Runs instructions until the task sends a request, waits, or ends.
    pub(in crate::simulation) fn advance(&mut self, id: TaskId) {
        let program = self.program;
        for _ in 0..INSTRUCTIONS_A_TURN {
            self.world.work += 1;
            let Some(task) = self.world.tasks.get(&id) else { return };
            let (pc, instance) = (task.pc, task.instance);
            let service = &program.services[usize::from(self.world.instance(instance).service)];
            let Some(instruction) = service.code.get(pc as usize) else {
                return self.end_pass(id, PassEnd::Done);
            };
            match self.execute(id, pc, instruction) {
                Ok(Next::Go) => self.jump(id, pc + 1),
                Ok(Next::Jump(to)) => self.jump(id, to),
                Ok(Next::Stop) => return,
                Err((line, failure)) => match self.handler_of(id, pc, failure.class) {
                    Some(to) => self.jump(id, to),
                    None => return self.end_pass(id, PassEnd::Failed { line, failure }),
                },
            }
        }
        // It gives way, so that no turn is endless and the budget on work is looked at.
        self.world.agenda.add(self.world.now, Due::Continue { task: id });
    }

    fn execute(&mut self, id: TaskId, pc: u32, instruction: &Instruction) -> Result<Next, (u32, Failure)> {
        match instruction {
            Instruction::Step {
                step, line, request, ..
            } => {
                self.send(id, pc, *step, *line, request);
                Ok(Next::Stop)
            }
            Instruction::Keep {
                line, message, every, ..
            } => {
                self.keep(id, pc, message, *every).map_err(|failure| (*line, failure))?;
                Ok(Next::Go)
            }
            Instruction::Set { place, value, line } => {
                let value = self.evaluate_in(id, value).map_err(|failure| (*line, failure))?;
                self.store(id, *place, value);
                Ok(Next::Go)
            }
            Instruction::Append { value, place, line } => {
                let value = self.evaluate_in(id, value).map_err(|failure| (*line, failure))?;
                self.append(id, *place, value).map_err(|failure| (*line, failure))?;
                Ok(Next::Go)
            }
            Instruction::Unless {
                condition,
                otherwise,
                line,
            } => {
                let holds = self.condition(id, condition).map_err(|failure| (*line, failure))?;
                Ok(if holds { Next::Go } else { Next::Jump(*otherwise) })
            }
            Instruction::Jump(to) => Ok(Next::Jump(*to)),
            Instruction::ForStart {
                list,
                items,
                index,
                line,
            } => {
                let list = self.evaluate_in(id, list).map_err(|failure| (*line, failure))?;
                let list = items_of(list).map_err(|failure| (*line, failure))?;
                self.store(id, Place::Local(*items), Value::List(list));
                self.store(id, Place::Local(*index), Value::Int(0));
                Ok(Next::Go)
            }
            Instruction::ForNext {
                items,
                index,
                item,
                end,
            } => Ok(self.next_item(id, *items, *index, *item, *end)),
            Instruction::Pause { every, since } => {
                self.wait_round(id, *every, *since);
                Ok(Next::Stop)
            }
            Instruction::Done => {
                self.end_pass(id, PassEnd::Done);
                Ok(Next::Stop)
            }
            Instruction::Fail { line } => {
                let failure = Failure::new(ErrorClass::Refused, "the program says fail");
                self.end_pass(id, PassEnd::Failed { line: *line, failure });
                Ok(Next::Stop)
            }
            Instruction::Return { value, line } => {
                let value = self.evaluate_in(id, value).map_err(|failure| (*line, failure))?;
                if let Some(task) = self.world.tasks.get_mut(&id) {
                    task.returned = value;
                }
                self.end_pass(id, PassEnd::Done);
                Ok(Next::Stop)
            }
            Instruction::Exit { restart, line } => {
                self.exit(id, *restart, *line);
                Ok(Next::Stop)
            }
        }
    }

    /// `if`: a list is true when not empty, a row is true; anything else follows SQL (null is not true).
    fn condition(&mut self, id: TaskId, condition: &Expr) -> Result<bool, Failure> {
        self.with_scope(id, |scope| match condition {
            Expr::Local(_) | Expr::Memory(_) | Expr::Field(..) => Ok(evaluate(condition, scope)?.is_truthy()),
            Expr::Not(inner) if matches!(**inner, Expr::Local(_) | Expr::Memory(_) | Expr::Field(..)) => {
                Ok(!evaluate(inner, scope)?.is_truthy())
            }
            _ => is_true(condition, scope),
        })
    }

    fn append(&mut self, id: TaskId, place: Place, value: Value) -> Result<(), Failure> {
        let mut list = items_of(self.load(id, place))?;
        // Let go of the stored list first, so that it is not copied.
        self.store(id, place, Value::Null);
        if Rc::strong_count(&list) > 1 {
            // Somebody else has it too (a message, a row): it is copied.
            self.world.work += list.len() as u64;
        }
        Rc::make_mut(&mut list).push(value);
        self.store(id, place, Value::List(list));
        Ok(())
    }

    fn next_item(&mut self, id: TaskId, items: Slot, index: Slot, item: Slot, end: u32) -> Next {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return Next::Stop;
        };
        let Value::Int(position) = task.locals[usize::from(index)] else {
            return Next::Jump(end);
        };
        let Value::List(list) = &task.locals[usize::from(items)] else {
            return Next::Jump(end);
        };
        match usize::try_from(position)
            .ok()
            .and_then(|position| list.get(position).cloned())
        {
            Some(value) => {
                task.locals[usize::from(item)] = value;
                task.locals[usize::from(index)] = Value::Int(position + 1);
                Next::Go
            }
            None => Next::Jump(end),
        }
    }

    /// The pause between two rounds of `repeat … every`.
    fn wait_round(&mut self, id: TaskId, every: Millis, since: Slot) {
        let now = self.world.now;
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let began = match task.locals[usize::from(since)] {
            Value::Time(at) => at,
            _ => task.round_began,
        };
        let next = began.saturating_add(every).max(now);
        task.locals[usize::from(since)] = Value::Time(next);
        task.pc += 1;
        task.state = TaskState::Ready;
        // Time passes between the rounds: what comes next is a gap of its own.
        task.begun &= next == now;
        self.world.agenda.add(next, Due::Continue { task: id });
    }

    fn exit(&mut self, id: TaskId, restart: Option<Millis>, line: u32) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let (instance, cause) = (task.instance, task.last_event);
        let restart_at = restart.map(|time| self.world.now.saturating_add(time));
        self.record_for(instance, cause, EventKind::Exit { line, restart_at });
        self.stop(instance, restart_at);
    }

    fn handler_of(&self, id: TaskId, pc: u32, class: ErrorClass) -> Option<u32> {
        let instance = self.world.instance_of(id)?;
        let catches = |h: &&crate::program::Handler| {
            (h.from..h.to).contains(&pc) && h.classes.iter().any(|c| *c == class || *c == ErrorClass::Error)
        };
        self.service_of(instance)
            .handlers
            .iter()
            .find(catches)
            .map(|handler| handler.pc)
    }

    pub(in crate::simulation) fn raise(&mut self, id: TaskId, line: u32, failure: Failure) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        match self.handler_of(id, task.pc, failure.class) {
            Some(to) => {
                self.jump(id, to);
                self.advance(id);
            }
            None => self.end_pass(id, PassEnd::Failed { line, failure }),
        }
    }
}

/// How a task goes on after an instruction.
enum Next {
    Go,
    Jump(u32),
    /// It waits, or has ended.
    Stop,
}

fn items_of(value: Value) -> Result<Rc<Vec<Value>>, Failure> {
    match value {
        Value::List(items) => Ok(items),
        Value::Null => Ok(Rc::new(Vec::new())),
        row @ Value::Row(_) => Ok(Rc::new(vec![row])),
        other => Err(Failure::new(
            ErrorClass::Error,
            format!("expected a list, found {other}"),
        )),
    }
}
