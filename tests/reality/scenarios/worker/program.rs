//! The compiled instructions between two requests: the same ones the engine runs, over variables of this process.
//!
//! Refuses to know: how a request is sent.

use super::super::wire::{Answer, Carries, End, Event, Fresh, Init, class_name, decode, encode};
use super::request::Asked;
use crashpoint::expression::{ErrorClass, Expr, Failure, Scope, Slot, evaluate, is_true};
use crashpoint::program::{Handler, Instruction, Place, Program, Service};
use crashpoint::value::{Millis, Name, Value};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a process knows: it dies with it.
pub struct Interpreter {
    pub(super) program: Rc<Program>,
    text: String,
    service: usize,
    me: Value,
    memory: Vec<Value>,
    tasks: BTreeMap<u32, Task>,
    now: Millis,
    fresh: RefCell<Fresh>,
    /// Renewals begun since the last message: instruction, queue, delivery.
    keeps: Vec<(u32, u16, u32)>,
}

#[derive(Default)]
struct Task {
    pc: u32,
    locals: Vec<Value>,
    made: Millis,
    /// The request it stands at.
    asked: Option<Asked>,
}

struct View<'a> {
    of: &'a Interpreter,
    locals: &'a [Value],
}

impl Scope for View<'_> {
    fn local(&self, slot: Slot) -> Value {
        self.locals.get(usize::from(slot)).cloned().unwrap_or(Value::Null)
    }
    fn memory(&self, slot: Slot) -> Value {
        self.of.memory.get(usize::from(slot)).cloned().unwrap_or(Value::Null)
    }
    fn me(&self) -> Value {
        self.of.me.clone()
    }
    fn now(&self) -> Millis {
        self.of.now
    }
    fn fresh(&self, prefix: &str) -> i64 {
        let mut fresh = self.of.fresh.borrow_mut();
        let last = fresh.entry(prefix.to_string()).or_default();
        *last += 1;
        *last
    }
}

pub(super) type Failed = (u32, Failure);

impl Interpreter {
    pub fn new(program: Rc<Program>, init: &Init) -> Interpreter {
        let service = &program.services[init.service];
        let mut interpreter = Interpreter {
            me: Value::text(format!("{}#{}", service.name, init.number)),
            service: init.service,
            text: init.text.clone(),
            memory: Vec::new(),
            tasks: BTreeMap::new(),
            now: 0,
            fresh: RefCell::default(),
            keeps: Vec::new(),
            program,
        };
        let initial = interpreter.service().memory.clone();
        let value = |(_, expr): &(Name, Expr)| interpreter.value(&[], expr).unwrap_or(Value::Null);
        interpreter.memory = initial.iter().map(value).collect();
        interpreter
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn service(&self) -> &Service {
        &self.program.services[self.service]
    }

    pub fn value(&self, locals: &[Value], expr: &Expr) -> Result<Value, Failure> {
        evaluate(expr, &View { of: self, locals })
    }

    pub fn start(&mut self, task: u32, trigger: u16, locals: &[(u16, Json)], now: Millis, fresh: Fresh) -> Event {
        let (entry, count) = {
            let service = self.service();
            (service.triggers[usize::from(trigger)].entry, service.locals)
        };
        let mut values = vec![Value::Null; usize::from(count)];
        for (slot, value) in locals {
            values[usize::from(*slot)] = decode(value);
        }
        let made = self.tasks.get(&task).map_or(now, |task| task.made);
        let locals = values;
        let fresh_task = Task {
            pc: entry,
            locals,
            made,
            asked: None,
        };
        self.tasks.insert(task, fresh_task);
        self.go_on(task, now, fresh)
    }

    /// Stores the answer of the request at hand, or raises its error, and goes on.
    pub fn proceed(&mut self, task: u32, answer: &Answer, now: Millis, fresh: Fresh) -> Event {
        self.now = now;
        // A loop's pause has moved on already.
        if self.task(task).asked.take().is_none() {
            return self.go_on(task, now, fresh);
        }
        let pc = self.task(task).pc;
        match answer.result() {
            Ok(value) => {
                if let Some(Instruction::Step { into: Some(place), .. }) = self.service().code.get(pc as usize) {
                    let place = *place;
                    self.store(task, place, value);
                }
                self.task(task).pc = pc + 1;
            }
            Err(failure) => match self.handler(pc, failure.class) {
                Some(to) => self.task(task).pc = to,
                None => return self.failed(failure, fresh),
            },
        }
        self.go_on(task, now, fresh)
    }

    pub fn end(&mut self, task: u32) {
        self.tasks.remove(&task);
    }

    fn task(&mut self, task: u32) -> &mut Task {
        self.tasks.entry(task).or_default()
    }

    fn failed(&mut self, failure: Failure, fresh: Fresh) -> Event {
        let end = End::Failed {
            class: class_name(failure.class).to_string(),
            detail: failure.detail.to_string(),
        };
        self.keeps.clear();
        Event::Ended { end, fresh }
    }

    fn go_on(&mut self, task: u32, now: Millis, fresh: Fresh) -> Event {
        self.now = now;
        *self.fresh.borrow_mut() = fresh;
        loop {
            let pc = self.task(task).pc;
            let program = Rc::clone(&self.program);
            let Some(instruction) = program.services[self.service].code.get(pc as usize) else {
                return self.ended(End::Done(Json::Null));
            };
            match self.execute(task, pc, instruction) {
                Ok(Next::Go) => self.task(task).pc = pc + 1,
                Ok(Next::Jump(to)) => self.task(task).pc = to,
                Ok(Next::Say(event)) => return event,
                Err((_, failure)) => match self.handler(pc, failure.class) {
                    Some(to) => self.task(task).pc = to,
                    None => {
                        let fresh = self.fresh.take();
                        return self.failed(failure, fresh);
                    }
                },
            }
        }
    }

    fn ended(&mut self, end: End) -> Event {
        self.keeps.clear();
        let fresh = self.fresh.take();
        Event::Ended { end, fresh }
    }

    fn handler(&self, pc: u32, class: ErrorClass) -> Option<u32> {
        let named = |handler: &Handler| handler.classes.iter().any(|c| *c == class || *c == ErrorClass::Error);
        let catches = |handler: &&Handler| (handler.from..handler.to).contains(&pc) && named(handler);
        self.service().handlers.iter().find(catches).map(|handler| handler.pc)
    }

    pub(super) fn of(&mut self, task: u32, expr: &Expr, line: u32) -> Result<Value, Failed> {
        let locals = std::mem::take(&mut self.task(task).locals);
        let value = self.value(&locals, expr);
        self.task(task).locals = locals;
        value.map_err(|failure| (line, failure))
    }

    fn store(&mut self, task: u32, place: Place, value: Value) {
        match place {
            Place::Local(slot) => self.task(task).locals[usize::from(slot)] = value,
            Place::Memory(slot) => self.memory[usize::from(slot)] = value,
        }
    }

    fn execute(&mut self, task: u32, pc: u32, instruction: &Instruction) -> Result<Next, Failed> {
        match instruction {
            Instruction::Step { line, request, .. } => {
                let (carries, parameters) = self.carries(task, *line, request).unwrap_or_else(|(line, failure)| {
                    let class = class_name(failure.class).to_string();
                    (Carries::Failure(line, class, failure.detail.to_string()), Vec::new())
                });
                let asked = Asked {
                    pc,
                    line: *line,
                    parameters,
                    carries: carries.clone(),
                };
                self.task(task).asked = Some(asked);
                let (keeps, fresh) = (std::mem::take(&mut self.keeps), self.fresh.take());
                return Ok(Next::Say(Event::Wants {
                    pc,
                    carries,
                    keeps,
                    fresh,
                }));
            }
            Instruction::Keep { line, message, .. } => {
                let (queue, delivery) = self.receipt(task, message, *line)?;
                self.keeps.push((pc, queue, delivery));
            }
            Instruction::Set { place, value, line } => {
                let value = self.of(task, value, *line)?;
                self.store(task, *place, value);
            }
            Instruction::Append { value, place, line } => {
                let value = self.of(task, value, *line)?;
                let before = match *place {
                    Place::Local(slot) => self.task(task).locals[usize::from(slot)].clone(),
                    Place::Memory(slot) => self.memory[usize::from(slot)].clone(),
                };
                let mut list = items(before);
                list.push(value);
                self.store(task, *place, Value::List(Rc::new(list)));
            }
            Instruction::Unless {
                condition,
                otherwise,
                line,
            } => {
                let holds = self.holds(task, condition).map_err(|failure| (*line, failure))?;
                if !holds {
                    return Ok(Next::Jump(*otherwise));
                }
            }
            Instruction::Jump(to) => return Ok(Next::Jump(*to)),
            Instruction::ForStart {
                list,
                items: slot,
                index,
                line,
            } => {
                let list = items(self.of(task, list, *line)?);
                self.store(task, Place::Local(*slot), Value::List(Rc::new(list)));
                self.store(task, Place::Local(*index), Value::Int(0));
            }
            Instruction::ForNext {
                items: slot,
                index,
                item,
                end,
            } => {
                let locals = &mut self.task(task).locals;
                let at = match locals[usize::from(*index)] {
                    Value::Int(at) => at,
                    _ => return Ok(Next::Jump(*end)),
                };
                let next = match &locals[usize::from(*slot)] {
                    Value::List(list) => list.get(at as usize).cloned(),
                    _ => None,
                };
                let Some(next) = next else { return Ok(Next::Jump(*end)) };
                locals[usize::from(*item)] = next;
                locals[usize::from(*index)] = Value::Int(at + 1);
            }
            Instruction::Pause { every, since } => {
                let (now, made) = (self.now, self.task(task).made);
                let state = self.task(task);
                let began = match state.locals[usize::from(*since)] {
                    Value::Time(at) => at,
                    _ => made,
                };
                let until = (began + every).max(now);
                state.locals[usize::from(*since)] = Value::Time(until);
                state.pc = pc + 1;
                let (keeps, fresh) = (std::mem::take(&mut self.keeps), self.fresh.take());
                return Ok(Next::Say(Event::Pauses { until, keeps, fresh }));
            }
            Instruction::Done => return Ok(Next::Say(self.ended(End::Done(Json::Null)))),
            Instruction::Fail { .. } => {
                let failure = Failure::new(ErrorClass::Refused, "the program says fail");
                let fresh = self.fresh.take();
                return Ok(Next::Say(self.failed(failure, fresh)));
            }
            Instruction::Return { value, line } => {
                let value = self.of(task, value, *line)?;
                return Ok(Next::Say(self.ended(End::Done(encode(&value)))));
            }
            Instruction::Exit { restart, .. } => {
                let restart = *restart;
                return Ok(Next::Say(self.ended(End::Exit { restart })));
            }
        }
        Ok(Next::Go)
    }

    /// `if`: a list is true when not empty, a row is true; anything else follows SQL.
    fn holds(&mut self, task: u32, condition: &Expr) -> Result<bool, Failure> {
        let locals = std::mem::take(&mut self.task(task).locals);
        let scope = View {
            of: self,
            locals: &locals,
        };
        let variable = |expr: &Expr| matches!(expr, Expr::Local(_) | Expr::Memory(_) | Expr::Field(..));
        let holds = match condition {
            expr if variable(expr) => evaluate(expr, &scope).map(|value| value.is_truthy()),
            Expr::Not(inner) if variable(inner) => evaluate(inner, &scope).map(|value| !value.is_truthy()),
            expr => is_true(expr, &scope),
        };
        self.task(task).locals = locals;
        holds
    }

    /// What the request says that a task stands at.
    pub fn asked(&mut self, task: u32) -> Option<Asked> {
        self.task(task).asked.clone()
    }
}

/// How a task goes on after an instruction.
enum Next {
    Go,
    Jump(u32),
    Say(Event),
}

fn items(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.to_vec(),
        Value::Null => Vec::new(),
        other => vec![other],
    }
}
