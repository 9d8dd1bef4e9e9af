//! Calls between services: a handler of another process runs, and its end is the effect of the call.

use super::super::agenda::Due;
use super::super::kernel::{Kernel, TRAVEL};
use super::super::trace::InstanceId;
use super::super::world::{TaskId, TaskState};
use super::Answer;
use crate::expression::{ErrorClass, Failure};
use crate::program::TriggerKind;
use crate::value::Value;

impl Kernel<'_> {
    /// Starts the called handler in the first instance that is up (one that is not frozen, if there is one).
    pub(super) fn call(&mut self, caller: TaskId, service: u16, trigger: u16, arguments: &[Value]) {
        let now = self.world.now;
        let up = |i: &InstanceId| self.world.instance(*i).service == service && self.world.instance(*i).up;
        let candidates: Vec<InstanceId> = (0..self.world.instances.len() as InstanceId).filter(up).collect();
        let awake = candidates.iter().find(|i| self.world.instance(**i).paused_until <= now);
        let Some(instance) = awake.or(candidates.first()).copied() else {
            let failure = Failure::new(ErrorClass::Unreachable, "no instance is up");
            return self.refuse(caller, failure, now + TRAVEL);
        };
        let id = self.new_task(instance, trigger);
        let TriggerKind::Handle { parameters, .. } = self.trigger(instance, trigger) else {
            return;
        };
        let slots = parameters.clone();
        let cause = self.world.tasks.get(&caller).and_then(|task| task.last_event);
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.caller = Some(caller);
            task.last_event = cause;
            for (slot, value) in slots.iter().zip(arguments) {
                task.locals[usize::from(*slot)] = value.clone();
            }
        }
        self.world.agenda.add(now, Due::Continue { task: id });
    }

    /// The called handler's pass is over: that is the effect of the call.
    pub(in crate::simulation) fn callee_ended(&mut self, caller: TaskId, answer: Answer) {
        if matches!(self.task_state(caller), Some(TaskState::InFlight | TaskState::Orphan)) {
            self.effect(caller, answer, None);
        }
    }

    /// The called process died: the caller hears nothing.
    pub(in crate::simulation) fn callee_died(&mut self, caller: TaskId) {
        if matches!(self.task_state(caller), Some(TaskState::InFlight | TaskState::Orphan)) {
            self.abandon(caller);
        }
    }
}
