//! A request has its effect, or is known to have none: the event is recorded, and the answer goes back, is lost, or comes late.

use super::super::agenda::Due;
use super::super::fault::Action;
use super::super::kernel::{Kernel, TIMEOUT, TRAVEL};
use super::super::trace::{Event, EventKind, Outcome, Party, Reach, Visit};
use super::super::world::{TaskId, TaskState};
use super::{Answer, Enlivens, enlivens, rows_of, timed_out};
use crate::expression::Failure;
use crate::fact::EventId;
use crate::program::{Side, TriggerKind};
use crate::value::Millis;
use std::rc::Rc;

impl Kernel<'_> {
    /// The request has had its effect: records it and sends the answer back. Returns its event, if the pass is live.
    pub(in crate::simulation) fn effect(
        &mut self,
        id: TaskId,
        answer: Answer,
        message: Option<(u16, u32)>,
    ) -> Option<EventId> {
        let done = rows_of(&answer).map_or(Outcome::Ok, Outcome::Rows);
        self.effect_as(id, answer, message, done)
    }

    /// As [`Kernel::effect`]; a good answer is told as `done`.
    pub(super) fn effect_as(
        &mut self,
        id: TaskId,
        answer: Answer,
        message: Option<(u16, u32)>,
        done: Outcome,
    ) -> Option<EventId> {
        self.enliven(id, &answer);
        let task = self.world.tasks.get(&id)?;
        let orphan = task.state == TaskState::Orphan;
        let local = task.request.as_ref()?.payload.is_local();
        let place = self.armed_step(task);
        // Nor has a sleep a reply that could be lost.
        let replied = place.filter(|_| !local);
        let held = done == Outcome::Held;
        let lost = replied.and_then(|p| self.strikes_visit(p, |action| matches!(action, Action::LoseReply)));
        let outcome = match (&answer, lost) {
            (_, Some(fault)) => Outcome::ReplyLost { fault },
            (Err(failure), None) => Outcome::Failed(Rc::new(failure.clone())),
            (Ok(_), None) => done,
        };
        // With its connection a transaction ends: what it held will never happen.
        let message = message.filter(|_| !held || lost.is_none());
        let event = place.and_then(|_| self.record_step(id, outcome, message));
        if let (Some(fault), Some(event)) = (lost, event) {
            self.note_strike(fault, event);
        }
        match (orphan, lost) {
            (true, _) => self.end_task(id),
            (false, Some(_)) => {
                let party = self.world.tasks.get(&id).and_then(|task| self.party_of(task));
                self.break_connection(id, party);
                self.answer_late(id, timed_out("no answer"));
            }
            (false, None) => self.answer(id, answer, self.world.now + if local { 0 } else { TRAVEL }),
        }
        event
    }

    /// A poller's pass becomes live with its first row: only then does the step count as a visit.
    pub(super) fn enliven(&mut self, id: TaskId, answer: &Answer) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let met = rows_of(answer).is_some_and(|rows| rows > 0);
        let decides = self
            .request_of(task)
            .is_some_and(|request| enlivens(request) == Enlivens::WithRows);
        let Some(step) = task.request.as_ref().map(|sent| sent.step) else {
            return;
        };
        if task.live || !met || !decides {
            return;
        }
        let (instance, party) = (task.instance, self.party_of(task));
        self.count_visit(instance, step);
        let visit = self.visits(instance, step);
        self.recorder.visit(Visit {
            instance,
            step,
            visit,
            reach: Reach::Answer,
            party,
        });
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.live = true;
            task.begun = true;
            if let Some(sent) = &mut task.request {
                sent.visit = Some(visit);
            }
        }
    }

    pub(super) fn record_step(&mut self, id: TaskId, outcome: Outcome, message: Option<(u16, u32)>) -> Option<EventId> {
        let task = self.world.tasks.get(&id)?;
        let sent = task.request.as_ref()?;
        let event = Event {
            at: self.world.now,
            sent_at: sent.sent_at,
            replied_at: None,
            cause: task.last_event,
            instance: Some(task.instance),
            kind: EventKind::Step {
                step: sent.step,
                visit: sent.visit?,
                line: sent.line,
                outcome,
                message,
                orphan: task.state == TaskState::Orphan,
            },
        };
        let instance = task.instance;
        let event = self.record_event(event);
        self.last_event_of(instance, event);
        let task = self.world.tasks.get_mut(&id)?;
        task.last_event = Some(event);
        task.request.as_mut()?.event = Some(event);
        Some(event)
    }

    pub(in crate::simulation) fn answer(&mut self, id: TaskId, answer: Answer, at: Millis) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        task.state = TaskState::Answered;
        let request = task.requests;
        self.world.agenda.add(
            at,
            Due::Reply {
                task: id,
                request,
                answer,
            },
        );
    }

    /// The caller hears nothing and gives up.
    pub(super) fn answer_late(&mut self, id: TaskId, failure: Failure) {
        let sent_at = self
            .world
            .tasks
            .get(&id)
            .and_then(|task| task.request.as_ref())
            .map_or(0, |sent| sent.sent_at);
        if let Some(sent) = self.world.tasks.get_mut(&id).and_then(|task| task.request.as_mut()) {
            sent.unanswered = true;
        }
        let at = sent_at.saturating_add(TIMEOUT).max(self.world.now + TRAVEL);
        self.answer(id, Err(failure), at);
    }

    /// The party, or the network before it, says no; nothing happened there.
    pub(super) fn refuse(&mut self, id: TaskId, failure: Failure, answer_at: Millis) {
        self.record_step(id, Outcome::Failed(Rc::new(failure.clone())), None);
        if self.task_state(id) == Some(TaskState::Orphan) {
            return self.end_task(id);
        }
        self.answer(id, Err(failure), answer_at);
    }

    /// The request never arrives. With `broken` the connection to that party ends as well.
    pub(super) fn lose(&mut self, id: TaskId, broken: Option<Party>, fault: u16) {
        self.note_strike(fault, self.world.events);
        self.record_step(id, Outcome::RequestLost { fault }, None);
        if self.task_state(id) == Some(TaskState::Orphan) {
            return self.end_task(id);
        }
        self.break_connection(id, broken);
        self.answer_late(id, timed_out("no answer"));
    }

    /// The party stopped while it had the request: the outcome is unknown to the caller.
    pub(in crate::simulation) fn abandon(&mut self, id: TaskId) {
        self.record_step(id, Outcome::Failed(Rc::new(timed_out("the party went down"))), None);
        if self.task_state(id) == Some(TaskState::Orphan) {
            return self.end_task(id);
        }
        self.answer_late(id, timed_out("the party went down"));
    }

    /// Only the connection between these two ends: the session rolls back, connection-bound deliveries return.
    pub(in crate::simulation) fn break_connection(&mut self, id: TaskId, party: Option<Party>) {
        match party {
            Some(Party::Database(database)) => self.close_session(id, database),
            Some(Party::Broker(broker)) => {
                let (stamp, mut happened) = (self.stamp_of_last(), Vec::new());
                self.world
                    .broker
                    .disconnect(&self.program.queues, Some(broker), id, None, stamp, &mut happened);
                self.follow_up(happened, Some(stamp.event));
                self.drop_fetched_from(id, broker);
            }
            _ => {}
        }
    }

    /// The connection to a broker has ended: what came by it and has not been begun is gone with it.
    fn drop_fetched_from(&mut self, id: TaskId, broker: u16) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let from = |queue: u16| self.program.queues[usize::from(queue)].broker;
        if matches!(self.trigger(task.instance, task.trigger), TriggerKind::Receive { queue, .. } if from(*queue) == broker)
        {
            self.drop_fetched(id);
        }
    }

    pub(in crate::simulation) fn reply(&mut self, id: TaskId, request: u32, answer: Answer) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        if task.requests != request || task.state != TaskState::Answered {
            return;
        }
        task.state = TaskState::Ready;
        let (instance, failed_line) = (task.instance, task.failed_line);
        let Some(sent) = task.request.as_ref() else {
            // Nothing was sent: an expression of the request failed.
            return match answer {
                Err(failure) => self.raise(id, failed_line, failure),
                Ok(_) => self.advance(id),
            };
        };
        let (step, visit, line, event) = (sent.step, sent.visit, sent.line, sent.event);
        if let (Some(event), false) = (event, sent.unanswered) {
            self.recorder.replied(event, self.world.now);
        }
        task.answer = Some(answer);
        if let Some(visit) = visit {
            self.record_gap(instance, Side::After, step, visit, line);
        }
        self.leave_gap(id);
    }
}
