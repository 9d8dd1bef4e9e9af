//! A request is sent: its gap, its visit, what it carries, and the faults that strike while it leaves.

use super::super::agenda::Due;
use super::super::fault::{ArmedStep, Flow};
use super::super::kernel::{Kernel, TRAVEL};
use super::super::trace::{InstanceId, Reach, Visit};
use super::super::world::{Payload, Sent, TaskId, TaskState};
use super::{Enlivens, enlivens, under};
use crate::expression::{ErrorClass, Expr, Failure};
use crate::program::{Destination, Request, Side};
use crate::value::{Millis, Name, Row, Value};
use std::rc::Rc;

impl Kernel<'_> {
    pub(in crate::simulation) fn send(&mut self, id: TaskId, pc: u32, step: u16, line: u32, request: &Request) {
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

    pub(super) fn dispatch(&mut self, id: TaskId, instance: InstanceId, mut sent: Sent) {
        let (step, visit) = (sent.step, sent.visit);
        let mut delay = 0;
        if let Some(visit) = visit {
            self.count_visit(instance, step);
            // A sleep or a confirm asks nobody: there is no request to delay. A buffered message leaves in the background.
            let asks = !sent.payload.is_local() || matches!(sent.payload, Payload::Buffer(_));
            let reach = if asks { Reach::Whole } else { Reach::Local };
            let party = self.asked_by(instance, &sent);
            self.recorder.visit(Visit {
                instance,
                step,
                visit,
                reach,
                party,
            });
            if asks {
                delay = self.delay_of(ArmedStep { instance, step, visit });
            }
        }
        if let Payload::Buffer(row) = &sent.payload {
            sent.payload = Payload::Buffered(self.buffer(id, &sent, row.clone(), delay));
        }
        let at = self.reaches(&sent.payload, delay);
        let local = sent.payload.is_local();
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        task.live |= visit.is_some();
        task.sessions |= matches!(sent.payload, Payload::Sql(_));
        task.state = TaskState::InFlight;
        task.requests += 1;
        task.request = Some(sent);
        let request = task.requests;
        match at {
            Some(at) if local => self.world.agenda.add(at, Due::Finish { task: id, request }),
            Some(at) => self.world.agenda.add(at, Due::Arrive { task: id, request }),
            None => {}
        }
        if let Some(visit) = visit {
            self.strike_point(id, Side::During, step, visit);
        }
    }

    /// When a request reaches its party, or is done where nobody is asked. None: when a result comes that is still on its way.
    fn reaches(&self, payload: &Payload, delay: Millis) -> Option<Millis> {
        let now = self.world.now;
        match payload {
            Payload::Sleep(time) => Some(now.saturating_add(*time)),
            Payload::Confirm(number) => self.is_known(*number).then_some(now),
            local if local.is_local() => Some(now),
            _ => Some(now.saturating_add(TRAVEL).saturating_add(delay)),
        }
    }

    pub(in crate::simulation) fn visits(&self, instance: InstanceId, step: u16) -> u32 {
        self.world.instance(instance).visits[usize::from(step)]
    }

    pub(in crate::simulation) fn count_visit(&mut self, instance: InstanceId, step: u16) {
        if let Some(state) = self.world.instances.get_mut(usize::from(instance)) {
            Rc::make_mut(&mut state.visits)[usize::from(step)] += 1;
        }
    }

    /// Evaluates what a request carries.
    pub(super) fn payload(&mut self, id: TaskId, request: &Request) -> Result<Payload, Failure> {
        match request {
            Request::Sql { parameters, .. } => Ok(Payload::Sql(self.evaluate_all(id, parameters)?.into())),
            Request::Publish {
                destination,
                fields,
                asynchronous,
                ..
            } => {
                let row = self.message(id, *destination, fields)?;
                Ok(if *asynchronous {
                    Payload::Buffer(row)
                } else {
                    Payload::Row(row)
                })
            }
            Request::Confirm(handle) => self.handle_of(id, handle).map(Payload::Confirm),
            Request::Transaction { action, .. } => self.transaction_payload(id, action),
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

    pub(super) fn evaluate_all(&mut self, id: TaskId, exprs: &[Expr]) -> Result<Vec<Value>, Failure> {
        exprs.iter().map(|expr| self.evaluate_in(id, expr)).collect()
    }

    pub(super) fn message(&mut self, id: TaskId, to: Destination, fields: &[(Name, Expr)]) -> Result<Row, Failure> {
        let mut values = Vec::with_capacity(fields.len());
        for (_, expr) in fields {
            values.push(self.evaluate_in(id, expr)?);
        }
        if let Destination::Queue(queue) = to {
            let all = &self.program.queues[usize::from(queue)].fields;
            return Ok(under(all, fields.iter().map(|(name, _)| name).zip(values)));
        }
        let names: Rc<[Name]> = fields.iter().map(|(name, _)| name.clone()).collect();
        Ok(Row::new(names, values))
    }

    pub(in crate::simulation) fn receipt(&mut self, id: TaskId, message: &Expr) -> Result<(u16, u32), Failure> {
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
    pub(super) fn fail_at(&mut self, id: TaskId, line: u32, failure: Failure) {
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
}
