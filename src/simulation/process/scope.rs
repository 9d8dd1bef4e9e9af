//! What expressions of a program see: the task's variables, the instance's memory, the present instant, new names.

use super::super::kernel::Kernel;
use super::super::trace::InstanceId;
use super::super::world::{Task, TaskId, World};
use crate::expression::{ErrorClass, Expr, Failure, Scope, Slot, evaluate};
use crate::program::{Program, Service};
use crate::value::{Millis, Value};
use rpds::RedBlackTreeMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What an expression of a program sees: the task's variables, the instance's memory, the present instant.
pub(in crate::simulation) struct TaskScope<'a> {
    pub(super) task: &'a Task,
    pub(super) world: &'a World,
    pub(super) program: &'a Program,
    pub(super) fresh: RefCell<RedBlackTreeMap<Rc<str>, i64>>,
}

/// What the initial values of an instance's memory see.
pub(in crate::simulation) struct LifeScope<'a> {
    pub world: &'a World,
    pub program: &'a Program,
    pub instance: InstanceId,
}

fn me(program: &Program, world: &World, instance: InstanceId) -> Value {
    let state = world.instance(instance);
    let service = &program.services[usize::from(state.service)].name;
    Value::text(format!("{service}#{}", state.number))
}

impl Scope for TaskScope<'_> {
    fn local(&self, slot: Slot) -> Value {
        self.task.locals.get(usize::from(slot)).cloned().unwrap_or(Value::Null)
    }
    fn memory(&self, slot: Slot) -> Value {
        self.world
            .instance(self.task.instance)
            .memory
            .get(usize::from(slot))
            .cloned()
            .unwrap_or(Value::Null)
    }
    fn me(&self) -> Value {
        me(self.program, self.world, self.task.instance)
    }
    fn now(&self) -> Millis {
        self.world.now
    }
    fn fresh(&self, prefix: &str) -> i64 {
        let mut counters = self.fresh.borrow_mut();
        let next = counters.get(prefix).copied().unwrap_or(0) + 1;
        counters.insert_mut(Rc::from(prefix), next);
        next
    }
}

impl Scope for LifeScope<'_> {
    fn me(&self) -> Value {
        me(self.program, self.world, self.instance)
    }
    fn now(&self) -> Millis {
        self.world.now
    }
}

impl Kernel<'_> {
    /// Evaluates an expression of a task's program; `fresh` numbers are drawn from the world. What the value weighs is work.
    pub(in crate::simulation) fn evaluate_in(&mut self, task: TaskId, expr: &Expr) -> Result<Value, Failure> {
        let value = self.with_scope(task, |scope| evaluate(expr, scope))?;
        let too_large = || Failure::new(ErrorClass::Error, "the value is too large, or nests too deep");
        self.world.work += value.weight().ok_or_else(too_large)?;
        Ok(value)
    }

    pub(super) fn with_scope<T>(
        &mut self,
        task: TaskId,
        ask: impl FnOnce(&TaskScope<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let gone = || Failure::new(ErrorClass::Error, "the process has ended");
        let task = self.world.tasks.get(&task).ok_or_else(gone)?;
        let fresh = RefCell::new(self.world.fresh.clone());
        let scope = TaskScope {
            task,
            world: self.world,
            program: self.program,
            fresh,
        };
        let answer = ask(&scope);
        let fresh = scope.fresh.into_inner();
        self.world.fresh = fresh;
        answer
    }

    pub(in crate::simulation) fn service_of(&self, instance: InstanceId) -> &Service {
        &self.program.services[usize::from(self.world.instance(instance).service)]
    }
}
