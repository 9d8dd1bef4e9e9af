//! A request reaches its party, which takes it up, answers at once, lets it wait, or takes its time.

use super::super::agenda::Due;
use super::super::fault::{Action, ArmedStep};
use super::super::kernel::{DEADLOCK_AFTER, Kernel, TIMEOUT, TRAVEL};
use super::super::trace::{Hangup, InstanceId, Outcome, Party};
use super::super::world::{Payload, Sent, Task, TaskId, TaskState};
use super::{Answer, party_of, rows_of, under};
use crate::broker::Happened;
use crate::database::{Effects, Handled};
use crate::expression::{ErrorClass, Failure};
use crate::program::{Destination, Instruction, QueueSchema, Request, Stale, Unroutable};
use crate::value::{Millis, Row, Value};

impl Kernel<'_> {
    /// The instruction behind a task's request.
    pub(super) fn request_of(&self, task: &Task) -> Option<&'_ Request> {
        let pc = task.request.as_ref()?.pc as usize;
        match self.service_of(task.instance).code.get(pc)? {
            Instruction::Step { request, .. } => Some(request),
            _ => None,
        }
    }

    pub(in crate::simulation) fn party_of(&self, task: &Task) -> Option<Party> {
        let payload = &task.request.as_ref()?.payload;
        party_of(self.program, self.request_of(task)?, payload)
    }

    /// Whom a request of an instance is for; that of an asynchronous publish is for its broker.
    pub(super) fn asked_by(&self, instance: InstanceId, sent: &Sent) -> Option<Party> {
        match self.service_of(instance).code.get(sent.pc as usize)? {
            Instruction::Step { request, .. } => match &sent.payload {
                Payload::Buffer(row) => party_of(self.program, request, &Payload::Row(row.clone())),
                payload => party_of(self.program, request, payload),
            },
            _ => None,
        }
    }

    /// The task, if its request of that number is still with somebody.
    pub(super) fn pending(&self, id: TaskId, request: u32) -> Option<&Task> {
        let with = |task: &&Task| {
            matches!(task.state, TaskState::InFlight | TaskState::Waiting | TaskState::Orphan)
                && task.requests == request
                && task.request.is_some()
        };
        self.world.tasks.get(&id).filter(with)
    }

    pub(super) fn armed_step(&self, task: &Task) -> Option<ArmedStep> {
        let sent = task.request.as_ref()?;
        Some(ArmedStep {
            instance: task.instance,
            step: sent.step,
            visit: sent.visit?,
        })
    }

    pub(in crate::simulation) fn arrive(&mut self, id: TaskId, request: u32) {
        let Some(task) = self.pending(id, request) else { return };
        let (instance, place) = (task.instance, self.armed_step(task));
        let sent_at = task.request.as_ref().map_or(0, |sent| sent.sent_at);
        let Some(party) = self.party_of(task) else { return };
        if let Some(sent) = self.world.tasks.get_mut(&id).and_then(|task| task.request.as_mut()) {
            sent.arrived = true;
        }
        let fault =
            |kernel: &Self, which: fn(&Action) -> bool| place.and_then(|place| kernel.strikes_visit(place, which));
        if let Some(fault) = fault(self, |action| matches!(action, Action::LoseRequest)) {
            return self.lose(id, Some(party), fault);
        }
        if let Some(fault) = self.cut_between(instance, party) {
            return self.lose(id, None, fault);
        }
        if let Some(down) = self.world.down.iter().find(|down| down.party == party) {
            let unknown = sent_at < down.since;
            let class = if unknown {
                ErrorClass::Timeout
            } else {
                ErrorClass::Unreachable
            };
            let answer_at = if unknown {
                sent_at.saturating_add(TIMEOUT)
            } else {
                self.world.now + TRAVEL
            };
            return self.refuse(id, Failure::new(class, "the party is down"), answer_at);
        }
        if let Some(fault) = fault(self, |action| matches!(action, Action::Refuse)) {
            self.note_strike(fault, self.world.events);
            let failure = Failure::new(ErrorClass::Refused, "refused");
            return self.refuse(id, failure, self.world.now + TRAVEL);
        }
        self.handle(id, request);
    }

    /// The party takes up the request.
    pub(super) fn handle(&mut self, id: TaskId, request: u32) {
        let program = self.program;
        let Some(task) = self.pending(id, request) else { return };
        let service = &program.services[usize::from(self.world.instance(task.instance).service)];
        let Some(sent) = task.request.as_ref() else { return };
        let Some(Instruction::Step { request: asked, .. }) = service.code.get(sent.pc as usize) else {
            return;
        };
        let payload = sent.payload.clone();
        match (asked, payload) {
            (
                Request::Sql {
                    database, statement, ..
                },
                Payload::Sql(parameters),
            ) => {
                let (stamp, index) = (self.stamp(), usize::from(*database));
                let schema = &program.databases[index];
                let effects = self.world.databases[index].execute(schema, id, statement, &parameters, stamp);
                self.database_answered(id, *database, effects);
            }
            (Request::CallOutside { outside, .. }, _) => {
                let takes = program.outsides[usize::from(*outside)].takes;
                self.world
                    .agenda
                    .add(self.world.now.saturating_add(takes), Due::Finish { task: id, request });
            }
            (Request::CallService { service, trigger, .. }, Payload::Arguments(arguments)) => {
                self.call(id, *service, *trigger, &arguments);
            }
            (asked, payload) => self.handle_by_broker(id, asked, payload),
        }
    }

    pub(super) fn handle_by_broker(&mut self, id: TaskId, asked: &Request, payload: Payload) {
        let program = self.program;
        let queues: &[QueueSchema] = &program.queues;
        let (stamp, mut happened) = (self.stamp(), Vec::new());
        let (mut message, mut held) = (None, false);
        let answer = match (asked, payload) {
            (Request::Publish { destination, after, .. }, Payload::Row(row)) => {
                let (answer, first, within) = self.accept(Some(id), *destination, *after, row, &mut happened);
                (message, held) = (first, within);
                answer
            }
            (Request::Ack(_), Payload::Receipt(queue, delivery)) => {
                let broker = &mut self.world.broker;
                message = broker.queue(queue).message_of(delivery).map(|number| (queue, number));
                let within = broker.hold_ack(queues, id, queue, delivery);
                held = within.is_some();
                let answer = within.unwrap_or_else(|| broker.ack(queues, queue, delivery, stamp, &mut happened));
                answer.map(|()| Value::Null)
            }
            (Request::Transaction { broker, action }, payload) => {
                let answer = self.transact(id, *broker, action, payload, &mut happened);
                answer.map(|first| {
                    message = first;
                    Value::Null
                })
            }
            (Request::Nack { after, dead, .. }, Payload::Receipt(queue, delivery)) => {
                let broker = &mut self.world.broker;
                message = broker.queue(queue).message_of(delivery).map(|number| (queue, number));
                broker
                    .nack(queues, queue, delivery, *after, *dead, stamp, &mut happened)
                    .map(|()| Value::Null)
            }
            (Request::Extend { by, .. }, Payload::Receipt(queue, delivery)) => {
                let broker = &mut self.world.broker;
                message = broker.queue(queue).message_of(delivery).map(|number| (queue, number));
                broker
                    .extend(queues, queue, delivery, *by, stamp.at, &mut happened)
                    .map(|()| Value::Null)
            }
            (Request::Redrive { from, to }, _) => {
                let moved = self.world.broker.redrive(queues, *from, *to, stamp, &mut happened);
                Ok(Value::Int(i64::from(moved)))
            }
            _ => Err(Failure::new(
                ErrorClass::Error,
                "the party does not understand the request",
            )),
        };
        if let (Request::Ack(_), Ok(_), Some(task)) = (asked, &answer, self.world.tasks.get_mut(&id)) {
            task.keeping &= held;
        }
        if let (Request::Transaction { .. }, Ok(_)) = (asked, &answer) {
            self.stop_keeping_what_is_gone(id);
        }
        let refused = matches!(asked, Request::Ack(_) | Request::Nack { .. }) && answer.is_err();
        let done = match (held, rows_of(&answer)) {
            (true, _) => Outcome::Held,
            (false, rows) => rows.map_or(Outcome::Ok, Outcome::Rows),
        };
        let event = self.effect_as(id, answer, message, done);
        self.follow_up(happened, event);
        // What a broker refuses of an ack or nack is its handle.
        let closes = |queue: &u16| refused && queues[usize::from(*queue)].stale == Stale::Closes;
        if let Some(queue) = message.map(|(queue, _)| queue).filter(closes) {
            self.close(id, queue, Hangup::StaleHandle);
        }
    }

    /// What a topic without queues says.
    fn unroutable(&self, topic: u16, happened: &mut Vec<Happened>) -> Answer {
        match self.program.topics[usize::from(topic)].unroutable {
            Unroutable::Refused => Err(Failure::new(ErrorClass::Refused, "unroutable")),
            Unroutable::Confirmed => {
                happened.push(Happened::Unroutable { topic });
                Ok(Value::Null)
            }
        }
    }

    /// A message reaches its queue, or the queues of its topic. Within the open transaction of a task it is held (the third value).
    pub(in crate::simulation) fn accept(
        &mut self,
        within: Option<TaskId>,
        to: Destination,
        after: Option<Millis>,
        row: Row,
        happened: &mut Vec<Happened>,
    ) -> (Answer, Option<(u16, u32)>, bool) {
        let (queues, stamp) = (&self.program.queues, self.stamp());
        let one;
        let (targets, topic) = match to {
            Destination::Queue(queue) => {
                one = [queue];
                (&one[..], false)
            }
            Destination::Topic(topic) => (&self.program.topics[usize::from(topic)].queues[..], true),
        };
        if let (Destination::Topic(topic), []) = (to, targets) {
            return (self.unroutable(topic, happened), None, false);
        }
        let copies = targets.iter().map(|queue| {
            let names = &queues[usize::from(*queue)].fields;
            let copy = match topic {
                true => under(names, row.fields().map(|(name, value)| (name, value.clone()))),
                false => row.clone(),
            };
            (*queue, copy)
        });
        let copies: Vec<(u16, Row)> = copies.collect();
        let broker = &mut self.world.broker;
        // To all of a topic's queues, or to none if one of them is full.
        for (queue, copy) in &copies {
            if let Err(failure) = broker.takes(queues, *queue, copy, stamp.at) {
                return (Err(failure), None, false);
            }
        }
        let (mut first, mut held) = (None, false);
        for (queue, copy) in copies {
            if within.is_some_and(|id| broker.hold_publish(queues, id, queue, copy.clone(), after)) {
                held = true;
                continue;
            }
            match broker.publish(queues, queue, copy, after, stamp, happened) {
                Ok(number) => _ = first.get_or_insert((queue, number)),
                Err(failure) => return (Err(failure), first, held),
            }
        }
        (Ok(Value::Null), first, held)
    }

    pub(super) fn database_answered(&mut self, id: TaskId, database: u16, effects: Effects) {
        match effects.handled {
            Handled::Done(answer) => {
                self.effect(id, answer, None);
            }
            Handled::Waits => self.wait_for_lock(id),
        }
        self.wake(effects.woken);
        self.wake_followers(database);
    }

    pub(super) fn wait_for_lock(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        if task.state == TaskState::InFlight {
            task.state = TaskState::Waiting;
        }
        task.wait += 1;
        let wait = task.wait;
        self.world
            .agenda
            .add(self.world.now + DEADLOCK_AFTER, Due::Deadlock { task: id, wait });
    }

    /// The lock a statement waited for may be free: it goes on where it stood.
    pub(in crate::simulation) fn woken(&mut self, id: TaskId, request: u32) {
        let program = self.program;
        let Some(task) = self.pending(id, request) else { return };
        let Some(sent) = task.request.as_ref().filter(|sent| sent.arrived) else {
            return;
        };
        let service = &program.services[usize::from(self.world.instance(task.instance).service)];
        let Some(Instruction::Step {
            request: Request::Sql {
                database, statement, ..
            },
            ..
        }) = service.code.get(sent.pc as usize)
        else {
            return;
        };
        let Payload::Sql(parameters) = sent.payload.clone() else {
            return;
        };
        let (stamp, index) = (self.stamp(), usize::from(*database));
        let effects = self.world.databases[index].resume(&program.databases[index], id, statement, &parameters, stamp);
        self.database_answered(id, *database, effects);
    }

    pub(in crate::simulation) fn deadlock(&mut self, id: TaskId, wait: u32) {
        let Some(task) = self.world.tasks.get(&id).filter(|task| task.wait == wait) else {
            return;
        };
        let Some(Party::Database(database)) = self.party_of(task) else {
            return;
        };
        if let Some(effects) = self.world.databases[usize::from(database)].deadlock(id) {
            self.database_answered(id, database, effects);
        }
    }

    /// An outside party has taken its time, or a sleep is over.
    pub(in crate::simulation) fn finish(&mut self, id: TaskId, request: u32) {
        let Some(task) = self.pending(id, request) else { return };
        let payload = task.request.as_ref().map(|sent| sent.payload.clone());
        match (self.party_of(task), payload) {
            (Some(Party::Outside(outside)), Some(Payload::Row(row))) => {
                let (stamp, index) = (self.stamp(), usize::from(outside));
                let answer = self.world.outsides[index].call(&self.program.outsides[index], row, stamp);
                self.effect(id, answer, None);
            }
            (_, Some(Payload::Buffered(number))) => self.buffered(id, number),
            (_, Some(Payload::Confirm(number))) => self.confirmed(id, number),
            _ => {
                self.effect(id, Ok(Value::Null), None);
            }
        }
    }
}
