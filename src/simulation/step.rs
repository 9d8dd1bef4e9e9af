//! One step: a request is sent, has its effect at the party, and its answer comes back. "One step", "Faults in phases".
//!
//! Sent at t, effect at t + 1 ms (+ delay, + what the party takes), answer 1 ms later.

use super::agenda::Due;
use super::fault::{Action, ArmedStep, Flow};
use super::kernel::{DEADLOCK_AFTER, Kernel, TIMEOUT, TRAVEL};
use super::trace::{Event, EventKind, InstanceId, Outcome, Party};
use super::world::{Payload, Sent, Task, TaskId, TaskState};
use crate::broker::Happened;
use crate::database::{Effects, Handled};
use crate::expression::{ErrorClass, Expr, Failure};
use crate::fact::EventId;
use crate::program::{Destination, Instruction, Program, QueueSchema, Request, Side, TriggerKind};
use crate::sql::Statement;
use crate::value::{Millis, Name, Row, Value};
use std::rc::Rc;

type Answer = Result<Value, Failure>;

/// When a pass of a poller becomes live with a request ("Idle and rest").
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enlivens {
    /// begin, commit, sleep…: neither reads nor changes.
    Never,
    /// Reads and conditional changes: if a row was met.
    WithRows,
    /// Everything that changes or reaches somebody: when it is sent.
    Always,
}

fn enlivens(request: &Request) -> Enlivens {
    match request {
        Request::Sleep(_) => Enlivens::Never,
        Request::Sql { statement, .. } => match statement {
            Statement::Begin(_)
            | Statement::Commit
            | Statement::Rollback
            | Statement::Savepoint(_)
            | Statement::RollbackTo(_) => Enlivens::Never,
            Statement::Select(_) | Statement::Update(_) | Statement::Delete(_) => Enlivens::WithRows,
            Statement::Insert(_) => Enlivens::Always,
        },
        _ => Enlivens::Always,
    }
}

/// The party a request goes to; none for `sleep`.
fn party_of(program: &Program, request: &Request, payload: &Payload) -> Option<Party> {
    let broker_of = |queue: u16| Party::Broker(program.queues[usize::from(queue)].broker);
    match (request, payload) {
        (Request::Sql { database, .. }, _) => Some(Party::Database(*database)),
        (
            Request::Publish {
                destination: Destination::Queue(queue),
                ..
            },
            _,
        ) => Some(broker_of(*queue)),
        (
            Request::Publish {
                destination: Destination::Topic(topic),
                ..
            },
            _,
        ) => Some(Party::Broker(program.topics[usize::from(*topic)].broker)),
        (_, Payload::Receipt(queue, _)) => Some(broker_of(*queue)),
        (Request::Redrive { from, .. }, _) => Some(broker_of(*from)),
        (Request::CallOutside { outside, .. }, _) => Some(Party::Outside(*outside)),
        (Request::CallService { service, .. }, _) => Some(Party::Service(*service)),
        _ => None,
    }
}

fn rows_of(answer: &Answer) -> Option<u32> {
    match answer {
        Ok(Value::List(rows)) => Some(rows.len() as u32),
        Ok(Value::Int(count)) => u32::try_from(*count).ok(),
        _ => None,
    }
}

fn timed_out(detail: &str) -> Failure {
    Failure::new(ErrorClass::Timeout, detail)
}

impl Kernel<'_> {
    // --- Sent ---------------------------------------------------------------------------------------------------

    pub(super) fn send(&mut self, id: TaskId, pc: u32, step: u16, line: u32, request: &Request) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let (instance, live, begun) = (task.instance, task.live, task.begun);
        let counts = live || enlivens(request) == Enlivens::Always;
        let visit = counts.then(|| self.visits(instance, step) + 1);
        if let Some(visit) = visit {
            if begun {
                let service = usize::from(self.world.instance(instance).service);
                let name = &self.program.services[service].steps[usize::from(step)];
                self.recorder.next(instance, name, visit);
            } else {
                self.record_gap(instance, Side::Before, step, visit, line);
                if let Some(task) = self.world.tasks.get_mut(&id) {
                    task.begun = true;
                }
            }
            if self.strike_point(id, Side::Before, step, visit) == Flow::Stop {
                return self.continue_later(id);
            }
        }
        match self.payload(id, request) {
            Ok(payload) => self.dispatch(
                id,
                instance,
                Sent {
                    pc,
                    step,
                    line,
                    visit,
                    sent_at: self.world.now,
                    event: None,
                    payload,
                    arrived: false,
                    unanswered: false,
                },
            ),
            Err(failure) => self.fail_at(id, line, failure),
        }
    }

    fn dispatch(&mut self, id: TaskId, instance: InstanceId, sent: Sent) {
        let (step, visit) = (sent.step, sent.visit);
        let sleep = match sent.payload {
            Payload::Sleep(time) => Some(time),
            _ => None,
        };
        let mut delay = 0;
        if let Some(visit) = visit {
            self.count_visit(instance, step);
            // A sleep asks nobody: there is no request to delay.
            if sleep.is_none() {
                delay = self.delay_of(ArmedStep { instance, step, visit });
            }
        }
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        task.live |= visit.is_some();
        task.sessions |= matches!(sent.payload, Payload::Sql(_));
        task.state = TaskState::InFlight;
        task.requests += 1;
        task.request = Some(sent);
        let request = task.requests;
        match sleep {
            Some(time) => {
                self.world
                    .agenda
                    .add(self.world.now.saturating_add(time), Due::Finish { task: id, request });
            }
            None => self
                .world
                .agenda
                .add(self.world.now + TRAVEL + delay, Due::Arrive { task: id, request }),
        }
        if let Some(visit) = visit {
            self.strike_point(id, Side::During, step, visit);
        }
    }

    pub(super) fn visits(&self, instance: InstanceId, step: u16) -> u32 {
        self.world.instance(instance).visits[usize::from(step)]
    }

    pub(super) fn count_visit(&mut self, instance: InstanceId, step: u16) {
        if let Some(state) = self.world.instances.get_mut(usize::from(instance)) {
            Rc::make_mut(&mut state.visits)[usize::from(step)] += 1;
        }
    }

    /// Evaluates what a request carries.
    fn payload(&mut self, id: TaskId, request: &Request) -> Result<Payload, Failure> {
        match request {
            Request::Sql { parameters, .. } => Ok(Payload::Sql(self.evaluate_all(id, parameters)?.into())),
            Request::Publish {
                destination, fields, ..
            } => self.message(id, *destination, fields),
            Request::Ack(message) | Request::Nack { message, .. } | Request::Extend { message, .. } => {
                let (queue, delivery) = self.receipt(id, message)?;
                Ok(Payload::Receipt(queue, delivery))
            }
            Request::Redrive { .. } => Ok(Payload::Nothing),
            Request::CallOutside { outside, fields } => {
                let names = self.program.outsides[usize::from(*outside)].record.names.clone();
                Ok(Payload::Row(Row::new(names, self.evaluate_all(id, fields)?)))
            }
            Request::CallService { arguments, .. } => {
                Ok(Payload::Arguments(Rc::new(self.evaluate_all(id, arguments)?)))
            }
            Request::Sleep(time) => match self.evaluate_in(id, time)? {
                Value::Interval(time) if time >= 0 => Ok(Payload::Sleep(time)),
                other => Err(Failure::new(
                    ErrorClass::Error,
                    format!("sleep expects a time, found {other}"),
                )),
            },
        }
    }

    fn evaluate_all(&mut self, id: TaskId, exprs: &[Expr]) -> Result<Vec<Value>, Failure> {
        exprs.iter().map(|expr| self.evaluate_in(id, expr)).collect()
    }

    fn message(&mut self, id: TaskId, to: Destination, fields: &[(Name, Expr)]) -> Result<Payload, Failure> {
        let mut values = Vec::with_capacity(fields.len());
        for (_, expr) in fields {
            values.push(self.evaluate_in(id, expr)?);
        }
        if let Destination::Queue(queue) = to {
            let all = &self.program.queues[usize::from(queue)].fields;
            return Ok(Payload::Row(under(
                all,
                fields.iter().map(|(name, _)| name).zip(values),
            )));
        }
        let names: Rc<[Name]> = fields.iter().map(|(name, _)| name.clone()).collect();
        Ok(Payload::Row(Row::new(names, values)))
    }

    pub(super) fn receipt(&mut self, id: TaskId, message: &Expr) -> Result<(u16, u32), Failure> {
        let value = self.evaluate_in(id, message)?;
        let receipt = match &value {
            Value::Row(row) => row.get("receipt").cloned(),
            other => Some(other.clone()),
        };
        match receipt {
            Some(Value::Receipt { queue, delivery }) => Ok((queue, delivery)),
            _ => Err(Failure::new(
                ErrorClass::Error,
                format!("expected a received message, found {value}"),
            )),
        }
    }

    /// An instruction failed before anything was sent.
    fn fail_at(&mut self, id: TaskId, line: u32, failure: Failure) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        task.requests += 1;
        let request = task.requests;
        task.request = None;
        task.failed_line = line;
        task.state = TaskState::Answered;
        self.world.agenda.add(
            self.world.now,
            Due::Reply {
                task: id,
                request,
                answer: Err(failure),
            },
        );
    }

    // --- Arrived ------------------------------------------------------------------------------------------------

    /// The instruction behind a task's request.
    fn request_of(&self, task: &Task) -> Option<&'_ Request> {
        let pc = task.request.as_ref()?.pc as usize;
        match self.service_of(task.instance).code.get(pc)? {
            Instruction::Step { request, .. } => Some(request),
            _ => None,
        }
    }

    pub(super) fn party_of(&self, task: &Task) -> Option<Party> {
        let payload = &task.request.as_ref()?.payload;
        party_of(self.program, self.request_of(task)?, payload)
    }

    /// The task, if its request of that number is still with somebody.
    fn pending(&self, id: TaskId, request: u32) -> Option<&Task> {
        let with = |task: &&Task| {
            matches!(task.state, TaskState::InFlight | TaskState::Waiting | TaskState::Orphan)
                && task.requests == request
                && task.request.is_some()
        };
        self.world.tasks.get(&id).filter(with)
    }

    fn armed_step(&self, task: &Task) -> Option<ArmedStep> {
        let sent = task.request.as_ref()?;
        Some(ArmedStep {
            instance: task.instance,
            step: sent.step,
            visit: sent.visit?,
        })
    }

    pub(super) fn arrive(&mut self, id: TaskId, request: u32) {
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
    fn handle(&mut self, id: TaskId, request: u32) {
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

    fn handle_by_broker(&mut self, id: TaskId, asked: &Request, payload: Payload) {
        let queues: &[QueueSchema] = &self.program.queues;
        let (stamp, mut happened) = (self.stamp(), Vec::new());
        let broker = &mut self.world.broker;
        let mut message = None;
        let answer = match (asked, payload) {
            (
                Request::Publish {
                    destination: Destination::Queue(queue),
                    after,
                    ..
                },
                Payload::Row(row),
            ) => {
                let number = broker.publish(queues, *queue, row, *after, stamp, &mut happened);
                message = Some((*queue, number));
                Ok(Value::Null)
            }
            (
                Request::Publish {
                    destination: Destination::Topic(topic),
                    after,
                    ..
                },
                Payload::Row(row),
            ) => {
                let targets = &self.program.topics[usize::from(*topic)].queues;
                for queue in targets {
                    let copy = under(
                        &queues[usize::from(*queue)].fields,
                        row.fields().map(|(n, v)| (n, v.clone())),
                    );
                    let number = broker.publish(queues, *queue, copy, *after, stamp, &mut happened);
                    message.get_or_insert((*queue, number));
                }
                if targets.is_empty() {
                    Err(Failure::new(ErrorClass::Refused, "unroutable"))
                } else {
                    Ok(Value::Null)
                }
            }
            (Request::Ack(_), Payload::Receipt(queue, delivery)) => {
                message = broker.queue(queue).message_of(delivery).map(|number| (queue, number));
                broker.ack(queues, queue, delivery).map(|()| Value::Null)
            }
            (Request::Nack { after, dead, .. }, Payload::Receipt(queue, delivery)) => {
                message = broker.queue(queue).message_of(delivery).map(|number| (queue, number));
                broker
                    .nack(queues, queue, delivery, *after, *dead, stamp, &mut happened)
                    .map(|()| Value::Null)
            }
            (Request::Extend { by, .. }, Payload::Receipt(queue, delivery)) => {
                message = broker.queue(queue).message_of(delivery).map(|number| (queue, number));
                broker
                    .extend(queues, queue, delivery, *by, stamp.at)
                    .map(|()| Value::Null)
            }
            (Request::Redrive { from, to }, _) => {
                let moved = broker.redrive(queues, *from, *to, stamp, &mut happened);
                Ok(Value::Int(i64::from(moved)))
            }
            _ => Err(Failure::new(
                ErrorClass::Error,
                "the party does not understand the request",
            )),
        };
        if let (Request::Ack(_), Ok(_), Some(task)) = (asked, &answer, self.world.tasks.get_mut(&id)) {
            task.keeping = false;
        }
        let event = self.effect(id, answer, message);
        self.follow_up(happened, event);
    }

    fn database_answered(&mut self, id: TaskId, database: u16, effects: Effects) {
        match effects.handled {
            Handled::Done(answer) => {
                self.effect(id, answer, None);
            }
            Handled::Waits => self.wait_for_lock(id),
        }
        self.wake(effects.woken);
        self.wake_followers(database);
    }

    fn wait_for_lock(&mut self, id: TaskId) {
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
    pub(super) fn woken(&mut self, id: TaskId, request: u32) {
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

    pub(super) fn deadlock(&mut self, id: TaskId, wait: u32) {
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
    pub(super) fn finish(&mut self, id: TaskId, request: u32) {
        let Some(task) = self.pending(id, request) else { return };
        let payload = task.request.as_ref().map(|sent| sent.payload.clone());
        match (self.party_of(task), payload) {
            (Some(Party::Outside(outside)), Some(Payload::Row(row))) => {
                let (stamp, index) = (self.stamp(), usize::from(outside));
                let answer = self.world.outsides[index].call(&self.program.outsides[index], row, stamp);
                self.effect(id, answer, None);
            }
            _ => {
                self.effect(id, Ok(Value::Null), None);
            }
        }
    }

    // --- Effect -------------------------------------------------------------------------------------------------

    /// The request has had its effect: records it and sends the answer back. Returns its event, if the pass is live.
    fn effect(&mut self, id: TaskId, answer: Answer, message: Option<(u16, u32)>) -> Option<EventId> {
        self.enliven(id, &answer);
        let task = self.world.tasks.get(&id)?;
        let orphan = task.state == TaskState::Orphan;
        let sleeps = matches!(task.request.as_ref()?.payload, Payload::Sleep(_));
        let place = self.armed_step(task);
        // Nor has a sleep a reply that could be lost.
        let replied = place.filter(|_| !sleeps);
        let lost = replied.and_then(|p| self.strikes_visit(p, |action| matches!(action, Action::LoseReply)));
        let outcome = match (&answer, lost) {
            (_, Some(fault)) => Outcome::ReplyLost { fault },
            (Err(failure), None) => Outcome::Failed(Rc::new(failure.clone())),
            (Ok(_), None) => rows_of(&answer).map_or(Outcome::Ok, Outcome::Rows),
        };
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
            (false, None) => self.answer(id, answer, self.world.now + if sleeps { 0 } else { TRAVEL }),
        }
        event
    }

    /// A poller's pass becomes live with its first row: only then does the step count as a visit.
    fn enliven(&mut self, id: TaskId, answer: &Answer) {
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
        let instance = task.instance;
        self.count_visit(instance, step);
        let visit = self.visits(instance, step);
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.live = true;
            task.begun = true;
            if let Some(sent) = &mut task.request {
                sent.visit = Some(visit);
            }
        }
    }

    fn record_step(&mut self, id: TaskId, outcome: Outcome, message: Option<(u16, u32)>) -> Option<EventId> {
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

    fn answer(&mut self, id: TaskId, answer: Answer, at: Millis) {
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
    fn answer_late(&mut self, id: TaskId, failure: Failure) {
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
    fn refuse(&mut self, id: TaskId, failure: Failure, answer_at: Millis) {
        self.record_step(id, Outcome::Failed(Rc::new(failure.clone())), None);
        if self.task_state(id) == Some(TaskState::Orphan) {
            return self.end_task(id);
        }
        self.answer(id, Err(failure), answer_at);
    }

    /// The request never arrives. With `broken` the connection to that party ends as well.
    fn lose(&mut self, id: TaskId, broken: Option<Party>, fault: u16) {
        self.note_strike(fault, self.world.events);
        self.record_step(id, Outcome::RequestLost { fault }, None);
        if self.task_state(id) == Some(TaskState::Orphan) {
            return self.end_task(id);
        }
        self.break_connection(id, broken);
        self.answer_late(id, timed_out("no answer"));
    }

    /// The party stopped while it had the request: the outcome is unknown to the caller.
    pub(super) fn abandon(&mut self, id: TaskId) {
        self.record_step(id, Outcome::Failed(Rc::new(timed_out("the party went down"))), None);
        if self.task_state(id) == Some(TaskState::Orphan) {
            return self.end_task(id);
        }
        self.answer_late(id, timed_out("the party went down"));
    }

    /// Only the connection between these two ends: the session rolls back, connection-bound deliveries return.
    fn break_connection(&mut self, id: TaskId, party: Option<Party>) {
        match party {
            Some(Party::Database(database)) => self.close_session(id, database),
            Some(Party::Broker(broker)) => {
                let (stamp, mut happened) = (self.stamp_of_last(), Vec::new());
                self.world
                    .broker
                    .disconnect(&self.program.queues, Some(broker), id, stamp, &mut happened);
                self.follow_up(happened, Some(stamp.event));
            }
            _ => {}
        }
    }

    // --- Answered -----------------------------------------------------------------------------------------------

    pub(super) fn reply(&mut self, id: TaskId, request: u32, answer: Answer) {
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

    // --- Calls between services -----------------------------------------------------------------------------------

    /// Starts the called handler in the first instance that is up (one that is not frozen, if there is one).
    fn call(&mut self, caller: TaskId, service: u16, trigger: u16, arguments: &[Value]) {
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
    pub(super) fn callee_ended(&mut self, caller: TaskId, answer: Answer) {
        if matches!(self.task_state(caller), Some(TaskState::InFlight | TaskState::Orphan)) {
            self.effect(caller, answer, None);
        }
    }

    /// The called process died: the caller hears nothing.
    pub(super) fn callee_died(&mut self, caller: TaskId) {
        if matches!(self.task_state(caller), Some(TaskState::InFlight | TaskState::Orphan)) {
            self.abandon(caller);
        }
    }

    // --- What brokers do by themselves ------------------------------------------------------------------------------

    /// Puts on the agenda, or records, what a queue did.
    pub(super) fn follow_up(&mut self, happened: Vec<Happened>, cause: Option<EventId>) {
        for item in happened {
            match item {
                Happened::Delivered {
                    queue,
                    receiver,
                    delivery,
                    lease_ends,
                } => {
                    self.hand_over(queue, receiver, delivery, lease_ends);
                }
                Happened::Returned { queue, message } => {
                    self.record(None, cause, EventKind::Returned { queue, message });
                }
                Happened::Exhausted { queue, message, dead } => {
                    self.record(None, cause, EventKind::Exhausted { queue, message, dead });
                }
                Happened::Delayed { queue, message, due } => {
                    self.world.agenda.add(due, Due::DelayOver { queue, message });
                }
            }
        }
    }

    fn hand_over(&mut self, queue: u16, receiver: TaskId, delivery: u32, lease_ends: Option<Millis>) {
        let Some(held) = self.world.broker.queue(queue).held(delivery) else {
            return;
        };
        let message = super::agenda::Handed {
            queue,
            delivery,
            number: held.message.number,
            deliveries: held.message.deliveries,
            row: held.message.row.clone(),
            ready_by: held.message.ready_by,
        };
        self.world.agenda.add(
            self.world.now + TRAVEL,
            Due::Deliver {
                task: receiver,
                message,
            },
        );
        if let Some(at) = lease_ends {
            self.world.agenda.add(at, Due::LeaseEnds { queue, delivery });
        }
    }

    pub(super) fn lease_ends(&mut self, queue: u16, delivery: u32) {
        match self.world.broker.lease_ends(queue, delivery) {
            Some(at) if at > self.world.now => self.world.agenda.add(at, Due::LeaseEnds { queue, delivery }),
            Some(_) => {
                let Some(message) = self.world.broker.queue(queue).message_of(delivery) else {
                    return;
                };
                let (stamp, mut happened) = (self.stamp(), Vec::new());
                let cause = self
                    .world
                    .broker
                    .queue(queue)
                    .held(delivery)
                    .map(|held| held.message.ready_by);
                self.world
                    .broker
                    .end_lease(&self.program.queues, queue, delivery, stamp, &mut happened);
                let event = self.record(None, cause, EventKind::LeaseEnded { queue, message });
                self.follow_up(happened, Some(event));
            }
            None => {}
        }
    }

    pub(super) fn message_due(&mut self, queue: u16, message: u32) {
        let (stamp, mut happened) = (self.stamp(), Vec::new());
        if self
            .world
            .broker
            .due(&self.program.queues, queue, message, stamp, &mut happened)
        {
            let event = self.record(None, None, EventKind::Due { queue, message });
            self.follow_up(happened, Some(event));
        }
    }

    fn wake_followers(&mut self, database: u16) {
        if self.world.followers.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.world.followers);
        for id in waiting.iter().copied() {
            let Some(task) = self.world.tasks.get(&id) else {
                continue;
            };
            let (position, follows) = (task.position.unwrap_or(0), self.trigger(task.instance, task.trigger));
            let news = match follows {
                TriggerKind::Follow {
                    database: followed,
                    table,
                    ..
                } if *followed == database => {
                    position < self.world.databases[usize::from(database)].facts(*table).len()
                }
                _ => false,
            };
            if news {
                self.world
                    .agenda
                    .add(self.world.now + TRAVEL, Due::Continue { task: id });
            } else {
                self.world.followers.push_back_mut(id);
            }
        }
    }
}

/// A row of all these names; a field that is not given is null.
fn under<'a>(names: &Rc<[Name]>, fields: impl Iterator<Item = (&'a Name, Value)>) -> Row {
    let mut values = vec![Value::Null; names.len()];
    for (name, value) in fields {
        if let Some(position) = names.iter().position(|known| known == name) {
            values[position] = value;
        }
    }
    Row::new(names.clone(), values)
}
