//! Passes end: what they left open is rolled back, their delivery stays or returns, and the next pass is arranged.

use super::super::agenda::Due;
use super::super::kernel::{FOLLOW_AGAIN, Kernel, TRAVEL};
use super::super::trace::{EventKind, InstanceId};
use super::super::world::{TaskId, TaskState};
use super::PassEnd;
use crate::expression::{ErrorClass, Failure};
use crate::fact::EventId;
use crate::program::TriggerKind;
use std::rc::Rc;

impl Kernel<'_> {
    pub(super) fn end_pass(&mut self, id: TaskId, end: PassEnd) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let (instance, trigger, live) = (task.instance, task.trigger, task.live);
        let (cause, delivery, caller, returned) = (task.last_event, task.delivery, task.caller, task.returned.clone());
        let failed = matches!(end, PassEnd::Failed { .. });
        let answer = match end {
            PassEnd::Done => Ok(returned),
            PassEnd::Failed { line, failure } => {
                let detail = Failure {
                    class: ErrorClass::Refused,
                    detail: failure.detail.clone(),
                };
                if live {
                    let kind = EventKind::PassFailed {
                        line,
                        failure: Rc::new(failure),
                    };
                    let event = self.record_for(instance, cause, kind);
                    self.note_last(id, event);
                }
                Err(detail)
            }
        };
        self.close_sessions(id);
        if let (true, Some((queue, delivery))) = (failed, delivery) {
            let (stamp, mut happened) = (self.stamp_of_last(), Vec::new());
            self.world
                .broker
                .fail(&self.program.queues, queue, delivery, stamp, &mut happened);
            self.follow_up(happened, Some(stamp.event));
        }
        if let (false, Some((queue, delivery))) = (failed, delivery) {
            self.world.broker.pass_over(queue, delivery);
        }
        if let Some(caller) = caller {
            self.callee_ended(caller, answer);
        }
        self.next_pass(id, instance, trigger, live, failed);
    }

    /// What a trigger does after a pass: receivers and followers go on with the same task, pollers fire again in time.
    pub(super) fn next_pass(&mut self, id: TaskId, instance: InstanceId, trigger: u16, live: bool, failed: bool) {
        let now = self.world.now;
        match *self.trigger(instance, trigger) {
            TriggerKind::Receive { .. } => {
                self.rest_task(id, false);
                if self.world.tasks.get(&id).is_some_and(|task| !task.fetched.is_empty()) {
                    self.world.agenda.add(now, Due::Continue { task: id });
                }
                self.world.agenda.add(now + TRAVEL, Due::Ask { task: id });
            }
            TriggerKind::Follow { .. } => {
                self.rest_task(id, !failed);
                let wait = if failed { FOLLOW_AGAIN } else { TRAVEL };
                self.world.agenda.add(now + wait, Due::Ask { task: id });
            }
            TriggerKind::Every(every) => {
                let life = self.world.instance(instance).life;
                let began_in = self.world.tasks.get(&id).map(|task| task.began_in);
                self.world.tasks.remove_mut(&id);
                if !live {
                    self.record_idle(instance, trigger, began_in == Some(self.world.quiet.epoch));
                }
                self.world.agenda.add_poll(
                    now.saturating_add(every.max(1)),
                    Due::Fire {
                        instance,
                        trigger,
                        life,
                        round: 1,
                    },
                );
            }
            TriggerKind::At { .. } | TriggerKind::Start | TriggerKind::Handle { .. } => {
                self.world.tasks.remove_mut(&id);
            }
        }
    }

    pub(super) fn rest_task(&mut self, id: TaskId, next_position: bool) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.state = TaskState::Idle;
            task.pass += 1;
            task.keeping = false;
            task.delivery = None;
            task.request = None;
            task.position = task.position.map(|position| position + usize::from(next_position));
        }
    }

    /// The pass is over for its databases and brokers: what it left open is rolled back.
    pub(super) fn close_sessions(&mut self, id: TaskId) {
        self.world.broker.discard(None, None, id);
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let instance = task.instance;
        if std::mem::replace(&mut task.sessions, false) {
            for database in self.service_of(instance).databases.clone() {
                self.close_session(id, database);
            }
        }
    }

    pub(in crate::simulation) fn close_session(&mut self, id: TaskId, database: u16) {
        let woken = self.world.databases[usize::from(database)].close(id);
        self.wake(woken);
    }

    /// The task is gone for good, and so are its sessions and connections.
    pub(in crate::simulation) fn end_task(&mut self, id: TaskId) {
        self.close_sessions(id);
        self.world.tasks.remove_mut(&id);
        if self.world.followers.iter().any(|follower| *follower == id) {
            self.world.followers = self.world.followers.iter().copied().filter(|f| *f != id).collect();
        }
        let (stamp, mut happened) = (self.stamp_of_last(), Vec::new());
        self.world
            .broker
            .disconnect(&self.program.queues, None, id, None, stamp, &mut happened);
        self.follow_up(happened, Some(stamp.event));
    }

    pub(in crate::simulation) fn note_last(&mut self, id: TaskId, event: EventId) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.last_event = Some(event);
        }
    }
}
