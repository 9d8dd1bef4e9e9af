//! Asynchronous publishes: the program goes on while the message travels, and `confirm` asks what became of it.
//!
//! Two things happen where a publish that is waited for has one: the client's buffer takes the message (the step's answer, at
//! once), and the request reaches the broker (the step's effect, later; the faults of the step's visit strike it). The result
//! waits in the process until somebody asks; who never does, never learns. It dies with the process; the request does not.

use super::agenda::Due;
use super::fault::{Action, ArmedStep};
use super::kernel::{Kernel, TIMEOUT, TRAVEL};
use super::trace::{Event, EventKind, InstanceId, Outcome, Party};
use super::world::{Instance, Payload, Sent, TaskId, TaskState};
use crate::expression::{ErrorClass, Expr, Failure};
use crate::fact::EventId;
use crate::fingerprint::Fingerprint;
use crate::program::{Destination, Instruction, Request};
use crate::value::{Millis, Row, Value};
use std::rc::Rc;

/// What became of an asynchronous publish, as its process hears it.
pub(super) type Result = std::result::Result<(), Failure>;

/// An asynchronous publish, from its buffer on.
#[derive(Clone, Debug)]
pub(super) struct Background {
    /// Whose connection it uses.
    task: TaskId,
    pub(super) instance: InstanceId,
    /// Of the instance: a later one does not hear of it.
    life: u32,
    /// Where the publish stands.
    pc: u32,
    step: u16,
    visit: u32,
    line: u32,
    sent_at: Millis,
    row: Row,
    /// The transaction on the broker that it belongs to.
    transaction: Option<u32>,
    /// The event that sent it.
    cause: Option<EventId>,
    stage: Stage,
}

#[derive(Clone, Debug, PartialEq)]
enum Stage {
    Travels,
    /// The request's event has happened; the process does not know yet.
    Over(EventId),
    Known(EventId, Result),
}

impl Background {
    /// Takes down what can still come of it, for its process or a later life of it. Faults strike it by its visit, which counts
    /// from the last one of its step.
    pub(super) fn take_down(&self, instance: &Instance, print: &mut Fingerprint) {
        print.session(self.task);
        print.flag(instance.life == self.life);
        print.number(self.pc);
        print.number(instance.visits[usize::from(self.step)] - self.visit);
        print.values(&self.row);
        print.flag(self.transaction.is_some());
        match &self.stage {
            Stage::Travels => print.number(1u8),
            Stage::Over(_) => print.number(2u8),
            Stage::Known(_, result) => print.shown(result),
        }
    }
}

impl Kernel<'_> {
    /// The client's buffer takes a message, and it leaves. Returns the handle's number.
    pub(super) fn buffer(&mut self, id: TaskId, sent: &Sent, row: Row, delay: Millis) -> u32 {
        let number = self.world.next_background;
        self.world.next_background += 1;
        let Some(task) = self.world.tasks.get(&id) else {
            return number;
        };
        let (instance, cause) = (task.instance, task.last_event);
        let broker = self.destination(instance, sent.pc).map(|(to, _)| self.broker_of(to));
        let background = Background {
            task: id,
            instance,
            life: self.world.instance(instance).life,
            pc: sent.pc,
            step: sent.step,
            visit: sent.visit.unwrap_or(0),
            line: sent.line,
            sent_at: self.world.now,
            row,
            transaction: broker.and_then(|broker| self.world.broker.transaction(broker, id)),
            cause,
            stage: Stage::Travels,
        };
        self.world.background.insert_mut(number, background);
        let arrives = self.world.now.saturating_add(TRAVEL).saturating_add(delay);
        self.world.agenda.add(arrives, Due::Background { number, result: None });
        number
    }

    /// The step's answer: the message is in the buffer.
    pub(super) fn buffered(&mut self, id: TaskId, number: u32) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let (instance, cause) = (task.instance, task.last_event);
        let Some(sent) = task.request.as_ref() else { return };
        let kind = EventKind::Buffered {
            step: sent.step,
            visit: sent.visit.unwrap_or(0),
            line: sent.line,
        };
        let event = self.record_for(instance, cause, kind);
        if let Some(background) = self.world.background.get_mut(&number) {
            background.cause = Some(event);
        }
        self.note_last(id, event);
        if let Some(sent) = self.world.tasks.get_mut(&id).and_then(|task| task.request.as_mut()) {
            sent.event = Some(event);
        }
        self.answer(id, Ok(Value::Handle(number)), self.world.now);
    }

    /// The request reaches its broker, or its result reaches the process.
    pub(super) fn background(&mut self, number: u32, result: Option<Result>) {
        match result {
            None => self.background_arrives(number),
            Some(result) => self.background_known(number, result),
        }
    }

    fn background_arrives(&mut self, number: u32) {
        let Some(background) = self.world.background.get(&number) else {
            return;
        };
        if background.stage != Stage::Travels {
            return;
        }
        let (id, instance) = (background.task, background.instance);
        let (row, transaction, sent_at) = (background.row.clone(), background.transaction, background.sent_at);
        let place = ArmedStep {
            instance,
            step: background.step,
            visit: background.visit,
        };
        let Some((to, after)) = self.destination(instance, background.pc) else {
            return;
        };
        let broker = self.broker_of(to);
        let party = Party::Broker(broker);
        let now = self.world.now;
        if let Some(fault) = self.strikes_visit(place, |action| matches!(action, Action::LoseRequest)) {
            self.note_strike(fault, self.world.events);
            return self.background_lost(number, Outcome::RequestLost { fault }, None, Some(party));
        }
        if let Some(fault) = self.cut_between(instance, party) {
            self.note_strike(fault, self.world.events);
            return self.background_lost(number, Outcome::RequestLost { fault }, None, None);
        }
        if let Some(down) = self.world.down.iter().find(|down| down.party == party) {
            let unknown = sent_at < down.since;
            let class = if unknown {
                ErrorClass::Timeout
            } else {
                ErrorClass::Unreachable
            };
            let at = if unknown { late(sent_at, now) } else { now + TRAVEL };
            return self.background_failed(number, Failure::new(class, "the party is down"), at);
        }
        if let Some(fault) = self.strikes_visit(place, |action| matches!(action, Action::Refuse)) {
            self.note_strike(fault, self.world.events);
            return self.background_failed(number, Failure::new(ErrorClass::Refused, "refused"), now + TRAVEL);
        }
        if transaction != self.world.broker.transaction(broker, id) && transaction.is_some() {
            let failure = Failure::new(ErrorClass::Refused, "its transaction has ended");
            return self.background_failed(number, failure, now + TRAVEL);
        }
        let mut happened = Vec::new();
        let within = transaction.map(|_| id);
        let (answer, message, held) = self.accept(within, to, after, row, &mut happened);
        let lost = self.strikes_visit(place, |action| matches!(action, Action::LoseReply));
        let event = match (&answer, lost) {
            (_, Some(fault)) => {
                self.note_strike(fault, self.world.events);
                self.background_lost(
                    number,
                    Outcome::ReplyLost { fault },
                    message.filter(|_| !held),
                    Some(party),
                );
                self.stamp_of_last().event
            }
            (Err(failure), None) => {
                let outcome = Outcome::Failed(Rc::new(failure.clone()));
                self.background_over(number, outcome, message, Some((answer.map(|_| ()), now + TRAVEL)))
            }
            (Ok(_), None) => {
                let outcome = if held { Outcome::Held } else { Outcome::Ok };
                self.background_over(number, outcome, message, Some((Ok(()), now + TRAVEL)))
            }
        };
        self.follow_up(happened, Some(event));
    }

    fn background_failed(&mut self, number: u32, failure: Failure, at: Millis) {
        let outcome = Outcome::Failed(Rc::new(failure.clone()));
        self.background_over(number, outcome, None, Some((Err(failure), at)));
    }

    /// Nobody answers. With `broken` the connection to that party ends as well.
    fn background_lost(&mut self, number: u32, outcome: Outcome, message: Option<(u16, u32)>, broken: Option<Party>) {
        let Some(background) = self.world.background.get(&number) else {
            return;
        };
        let (task, sent_at) = (background.task, background.sent_at);
        let timeout = Failure::new(ErrorClass::Timeout, "no answer");
        let at = late(sent_at, self.world.now);
        self.background_over(number, outcome, message, Some((Err(timeout), at)));
        if self.world.tasks.get(&task).is_some() {
            self.break_connection(task, broken);
        }
    }

    /// Records the request's event; its result reaches the process at that time, if it still lives.
    fn background_over(
        &mut self,
        number: u32,
        outcome: Outcome,
        message: Option<(u16, u32)>,
        result: Option<(Result, Millis)>,
    ) -> EventId {
        let Some(background) = self.world.background.get(&number).cloned() else {
            return self.stamp_of_last().event;
        };
        let orphan = self.world.instance(background.instance).life != background.life;
        let event = self.record_event(Event {
            at: self.world.now,
            sent_at: background.sent_at,
            replied_at: None,
            cause: background.cause,
            instance: Some(background.instance),
            kind: EventKind::Step {
                step: background.step,
                visit: background.visit,
                line: background.line,
                outcome,
                message,
                orphan,
            },
        });
        match result.filter(|_| !orphan) {
            Some((result, at)) => {
                self.last_event_of(background.instance, event);
                if let Some(background) = self.world.background.get_mut(&number) {
                    background.stage = Stage::Over(event);
                }
                let result = Some(result);
                self.world.agenda.add(at, Due::Background { number, result });
            }
            None => {
                self.world.background.remove_mut(&number);
            }
        }
        event
    }

    /// The process hears what became of it, and so does whoever waits for that.
    fn background_known(&mut self, number: u32, result: Result) {
        let Some(background) = self.world.background.get_mut(&number) else {
            return;
        };
        let Stage::Over(event) = background.stage else { return };
        let heard = !matches!(&result, Err(failure) if failure.class == ErrorClass::Timeout);
        let instance = background.instance;
        background.stage = Stage::Known(event, result);
        if heard {
            self.recorder.replied(event, self.world.now);
        }
        let waits = |task: &super::world::Task| {
            let request = task.request.as_ref().map(|sent| &sent.payload);
            task.state == TaskState::InFlight && matches!(request, Some(Payload::Confirm(of)) if *of == number)
        };
        let of_instance = self.world.tasks.iter().filter(|(_, task)| task.instance == instance);
        let waiting: Vec<(TaskId, u32)> = of_instance
            .filter(|(_, task)| waits(task))
            .map(|(id, task)| (*id, task.requests))
            .collect();
        for (task, request) in waiting {
            self.world.agenda.add(self.world.now, Due::Finish { task, request });
        }
    }

    /// The handle that `confirm` names, if its publish belongs to this life of the process.
    pub(super) fn handle_of(&mut self, id: TaskId, handle: &Expr) -> std::result::Result<u32, Failure> {
        let number = match self.evaluate_in(id, handle)? {
            Value::Handle(number) => number,
            other => {
                let detail = format!("expected the handle of an asynchronous publish, found {other}");
                return Err(Failure::new(ErrorClass::Error, detail));
            }
        };
        let instance = self.world.instance_of(id);
        match self.world.background.get(&number) {
            Some(background) if Some(background.instance) == instance => Ok(number),
            _ => {
                let detail = format!("publish {number} was sent by another process, or in an earlier life of this one");
                Err(Failure::new(ErrorClass::Error, detail))
            }
        }
    }

    /// True if the result of this publish is known to its process.
    pub(super) fn is_known(&self, number: u32) -> bool {
        let background = self.world.background.get(&number);
        background.is_some_and(|background| matches!(background.stage, Stage::Known(..)))
    }

    /// The effect of `confirm`: the publish's own result, and its event as the cause.
    pub(super) fn confirmed(&mut self, id: TaskId, number: u32) {
        let stage = self
            .world
            .background
            .get(&number)
            .map(|background| background.stage.clone());
        let Some(Stage::Known(event, result)) = stage else {
            return;
        };
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.last_event = task.last_event.max(Some(event));
        }
        self.effect(id, result.map(|()| Value::Null), None);
    }

    /// A process has ended: what it has sent arrives, and nobody hears of it.
    pub(super) fn forget_results(&mut self, instance: InstanceId) {
        let all = self.world.background.iter();
        let over = all.filter(|(_, b)| b.instance == instance && b.stage != Stage::Travels);
        let over: Vec<u32> = over.map(|(number, _)| *number).collect();
        for number in over {
            self.world.background.remove_mut(&number);
        }
    }

    /// A party went down: what was on its way there gets no answer.
    pub(super) fn abandon_background(&mut self, party: Party) {
        let all = self.world.background.iter();
        let travelling = all.filter(|(_, background)| background.stage == Stage::Travels);
        let travelling: Vec<(u32, InstanceId, u32, Millis)> = travelling
            .map(|(number, b)| (*number, b.instance, b.pc, b.sent_at))
            .collect();
        for (number, instance, pc, sent_at) in travelling {
            let to = self
                .destination(instance, pc)
                .map(|(to, _)| Party::Broker(self.broker_of(to)));
            if to == Some(party) {
                let at = late(sent_at, self.world.now);
                self.background_failed(number, Failure::new(ErrorClass::Timeout, "the party went down"), at);
            }
        }
    }

    fn destination(&self, instance: InstanceId, pc: u32) -> Option<(Destination, Option<Millis>)> {
        match self.service_of(instance).code.get(pc as usize)? {
            Instruction::Step {
                request: Request::Publish { destination, after, .. },
                ..
            } => Some((*destination, *after)),
            _ => None,
        }
    }

    fn broker_of(&self, destination: Destination) -> u16 {
        match destination {
            Destination::Queue(queue) => self.program.queues[usize::from(queue)].broker,
            Destination::Topic(topic) => self.program.topics[usize::from(topic)].broker,
        }
    }
}

/// When a caller gives up on a request.
fn late(sent_at: Millis, now: Millis) -> Millis {
    sent_at.saturating_add(TIMEOUT).max(now + TRAVEL)
}
