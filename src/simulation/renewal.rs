//! `keep`: renewal of a delivery's lease in the background of a pass. Its requests are visits of its step, but no gaps: they
//! run beside the program, and end with the pass or its ack.

use super::agenda::{Due, Renewal};
use super::fault::{Action, ArmedStep};
use super::kernel::{Kernel, TRAVEL};
use super::trace::{Event, EventKind, Outcome, Party, Reach, Visit};
use super::world::{TaskId, TaskState};
use crate::expression::{ErrorClass, Expr, Failure};
use crate::program::Instruction;
use crate::value::Millis;
use std::rc::Rc;

impl Kernel<'_> {
    /// The program says `keep`: the first renewal follows after `every`.
    pub(super) fn keep(&mut self, id: TaskId, pc: u32, message: &Expr, every: Millis) -> Result<(), Failure> {
        let receipt = self.receipt(id, message)?;
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return Ok(());
        };
        task.keeping = true;
        let renewal = Renewal {
            task: id,
            pass: task.pass,
            pc,
            round: 1,
            receipt,
            sent: None,
        };
        self.world
            .agenda
            .add(self.world.now.saturating_add(every), Due::Renew(renewal));
        Ok(())
    }

    pub(super) fn renew(&mut self, renewal: Renewal) {
        let program = self.program;
        let Some(task) = self.world.tasks.get(&renewal.task) else {
            return;
        };
        let instance = task.instance;
        let service = &program.services[usize::from(self.world.instance(instance).service)];
        let Some(Instruction::Keep {
            step,
            line,
            every,
            times,
            ..
        }) = service.code.get(renewal.pc as usize)
        else {
            return;
        };
        if let Some((visit, sent_at)) = renewal.sent {
            let place = ArmedStep {
                instance,
                step: *step,
                visit,
            };
            return self.renewal_arrives(&renewal, place, *line, sent_at);
        }
        let over = !task.keeping || task.pass != renewal.pass || times.is_some_and(|times| renewal.round > times);
        if over {
            return;
        }
        self.count_visit(instance, *step);
        let visit = self.visits(instance, *step);
        self.recorder.visit(Visit {
            instance,
            step: *step,
            visit,
            reach: Reach::Renewal,
            party: Some(Party::Broker(
                self.program.queues[usize::from(renewal.receipt.0)].broker,
            )),
        });
        let delay = self.delay_of(ArmedStep {
            instance,
            step: *step,
            visit,
        });
        let now = self.world.now;
        let arrives = Renewal {
            sent: Some((visit, now)),
            ..renewal.clone()
        };
        self.world.agenda.add(now + TRAVEL + delay, Due::Renew(arrives));
        let next = Renewal {
            round: renewal.round + 1,
            ..renewal
        };
        self.world
            .agenda
            .add(now.saturating_add((*every).max(1)), Due::Renew(next));
    }

    fn renewal_arrives(&mut self, renewal: &Renewal, place: ArmedStep, line: u32, sent_at: Millis) {
        let (queue, delivery) = renewal.receipt;
        let broker = Party::Broker(self.program.queues[usize::from(queue)].broker);
        let lost = self.strikes_visit(place, |action| matches!(action, Action::LoseRequest));
        let refused = self.strikes_visit(place, |action| matches!(action, Action::Refuse));
        let cut = self.cut_between(place.instance, broker);
        let mut happened = Vec::new();
        let outcome = if let Some(fault) = lost.or(cut) {
            self.note_strike(fault, self.world.events);
            Outcome::RequestLost { fault }
        } else if self.is_down(broker) {
            Outcome::Failed(Rc::new(Failure::new(ErrorClass::Unreachable, "the party is down")))
        } else if let Some(fault) = refused {
            self.note_strike(fault, self.world.events);
            Outcome::Failed(Rc::new(Failure::new(ErrorClass::Refused, "refused")))
        } else {
            let now = self.world.now;
            let broker = &mut self.world.broker;
            match broker.extend(&self.program.queues, queue, delivery, None, now, &mut happened) {
                Ok(()) => Outcome::Ok,
                Err(failure) => {
                    self.stop_keeping(renewal.task);
                    Outcome::Failed(Rc::new(failure))
                }
            }
        };
        let message = self
            .world
            .broker
            .queue(queue)
            .message_of(delivery)
            .map(|number| (queue, number));
        let task = self.world.tasks.get(&renewal.task);
        let cause = task.and_then(|task| task.last_event);
        let orphan = task.is_none_or(|task| task.state == TaskState::Orphan);
        let kind = EventKind::Step {
            step: place.step,
            visit: place.visit,
            line,
            outcome,
            message,
            orphan,
        };
        let (at, instance) = (self.world.now, Some(place.instance));
        let event = self.record_event(Event {
            at,
            sent_at,
            replied_at: Some(at + TRAVEL),
            cause,
            instance,
            kind,
        });
        self.last_event_of(place.instance, event);
        self.follow_up(happened, Some(event));
    }

    /// A transaction has ended: what it has acknowledged needs no renewal any more.
    pub(super) fn stop_keeping_what_is_gone(&mut self, id: TaskId) {
        let delivery = self.world.tasks.get(&id).and_then(|task| task.delivery);
        let gone = delivery.is_some_and(|(queue, delivery)| self.world.broker.queue(queue).held(delivery).is_none());
        if gone {
            self.stop_keeping(id);
        }
    }

    fn stop_keeping(&mut self, id: TaskId) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.keeping = false;
        }
    }
}
