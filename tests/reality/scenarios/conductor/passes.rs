//! Passes begin, go on and end, as the kernel's do.

use super::super::wire::{Answer, Command, End, Event, encode};
use super::agenda::{Due, Renewal};
use super::{Conductor, State, TRAVEL, Trouble};
use crashpoint::expression::ErrorClass;
use crashpoint::program::{Instruction, TriggerKind};
use crashpoint::value::{Millis, Value};
use serde_json::Value as Json;

impl Conductor<'_> {
    pub(super) fn set(&mut self, task: u32, state: State) {
        if let Some(task) = self.tasks.get_mut(&task) {
            task.state = state;
        }
    }

    /// The process begins a pass with these locals.
    pub(super) fn start(&mut self, id: u32, locals: Vec<(u16, Json)>) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get_mut(&id) else {
            return Ok(());
        };
        task.state = State::Ready;
        let (instance, trigger) = (task.instance, task.trigger);
        let command = Command::Start {
            task: id,
            trigger,
            locals,
            now: self.now,
            fresh: self.fresh.clone(),
        };
        let event = self.process(instance)?.ask(&command)?;
        self.follow(id, event)
    }

    fn proceed(&mut self, id: u32, answer: Answer) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get(&id) else { return Ok(()) };
        let instance = task.instance;
        let command = Command::Proceed {
            task: id,
            answer,
            now: self.now,
            fresh: self.fresh.clone(),
        };
        let event = self.process(instance)?.ask(&command)?;
        self.follow(id, event)
    }

    /// What a process has come to.
    fn follow(&mut self, id: u32, event: Event) -> Result<(), Trouble> {
        match event {
            Event::Wants {
                pc,
                carries,
                keeps,
                fresh,
            } => {
                self.fresh = fresh;
                self.keep(id, keeps);
                if let Some(task) = self.tasks.get_mut(&id) {
                    task.wanted = Some((pc, carries));
                }
                self.send(id)
            }
            Event::Pauses { until, keeps, fresh } => {
                self.fresh = fresh;
                self.keep(id, keeps);
                if let Some(task) = self.tasks.get_mut(&id) {
                    task.begun &= until == self.now;
                }
                self.agenda.add(until, Due::Continue { task: id });
                Ok(())
            }
            Event::Ended { end, fresh } => {
                self.fresh = fresh;
                self.end_pass(id, end)
            }
            _ => Err(Trouble::new("a process answers something else")),
        }
    }

    fn keep(&mut self, id: u32, keeps: Vec<(u32, u16, u32)>) {
        for (pc, queue, delivery) in keeps {
            let Some(task) = self.tasks.get_mut(&id) else { return };
            task.keeping = true;
            let (instance, pass) = (task.instance, task.pass);
            let Some(Instruction::Keep { every, .. }) = self.service(instance).code.get(pc as usize) else {
                continue;
            };
            let at = self.now + every;
            let renewal = Renewal {
                task: id,
                pass,
                pc,
                round: 1,
                delivery: (queue, delivery),
                sent: None,
            };
            self.agenda.add(at, Due::Renew { renewal });
        }
    }

    /// Goes on where a task stands.
    pub(super) fn go_on(&mut self, id: u32) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get_mut(&id) else {
            return Ok(());
        };
        if task.state == State::Idle {
            let (instance, trigger) = (task.instance, task.trigger);
            return match self.trigger(instance, trigger) {
                TriggerKind::Follow { .. } => self.hand_change(id),
                _ => self.work_on_next(id),
            };
        }
        if task.answer.is_some() {
            return self.leave_gap(id);
        }
        if let Some(arguments) = task.arguments.take() {
            let slots = match self.trigger(self.tasks[&id].instance, self.tasks[&id].trigger) {
                TriggerKind::Handle { parameters, .. } => parameters.clone(),
                _ => Vec::new(),
            };
            return self.start(id, slots.into_iter().zip(arguments).collect());
        }
        task.state = State::Ready;
        match task.wanted.is_some() {
            true => self.send(id),
            false => self.proceed(id, Answer::Well(Json::Null)),
        }
    }

    /// The gap after an answered step: its faults strike, then the answer takes effect in the process.
    pub(super) fn leave_gap(&mut self, id: u32) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get(&id) else { return Ok(()) };
        if let Some((step, visit)) = task
            .sent
            .as_ref()
            .and_then(|sent| sent.visit.map(|visit| (sent.step, visit)))
        {
            let stops = self.strike_point(id, crashpoint::program::Side::After, step, visit)?;
            if stops {
                self.continue_later(id);
                return Ok(());
            }
        }
        let Some(task) = self.tasks.get_mut(&id) else {
            return Ok(());
        };
        let Some(answer) = task.answer.take() else {
            return Ok(());
        };
        task.sent = None;
        self.proceed(id, answer)
    }

    pub(super) fn continue_later(&mut self, id: u32) {
        if self.tasks.get(&id).is_some_and(|task| task.state == State::Ready) {
            self.agenda.add(self.now, Due::Continue { task: id });
        }
    }

    fn end_pass(&mut self, id: u32, end: End) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get(&id) else { return Ok(()) };
        let (instance, trigger, live) = (task.instance, task.trigger, task.live);
        let (delivery, caller) = (task.delivery, task.caller);
        if let End::Exit { restart } = end {
            self.recorded();
            return self.stop(instance, restart.map(|time| self.now + time));
        }
        let failed = matches!(end, End::Failed { .. });
        if failed && live {
            self.recorded();
        }
        let bound = delivery.filter(|(queue, _)| failed && self.program.queues[usize::from(*queue)].lease.is_none());
        let give_back = bound.filter(|delivery| self.flights.contains_key(delivery));
        let before = give_back.and_then(|(queue, _)| self.queues.ready(queue));
        self.process(instance)?.ask(&Command::EndPass { task: id, give_back })?;
        if let Some(delivery) = give_back {
            self.flights.remove(&delivery);
            self.recorded();
            self.await_ready(delivery.0, before, 1);
        }
        self.check_waiting()?;
        if let Some(caller) = caller {
            let answer = match end {
                End::Failed { detail, .. } => Answer::failed(ErrorClass::Refused, detail),
                End::Done(value) => Answer::Well(value),
                End::Exit { .. } => Answer::Well(Json::Null),
            };
            self.callee_ended(caller, answer)?;
        }
        self.next_pass(id, (instance, trigger), live, failed)
    }

    fn next_pass(
        &mut self,
        id: u32,
        (instance, trigger): (usize, u16),
        live: bool,
        failed: bool,
    ) -> Result<(), Trouble> {
        let now = self.now;
        match self.trigger(instance, trigger).clone() {
            TriggerKind::Receive { .. } => {
                if let Some(task) = self.tasks.get_mut(&id) {
                    task.state = State::Idle;
                    task.pass += 1;
                    task.keeping = false;
                    task.delivery = None;
                    task.sent = None;
                    if !task.fetched.is_empty() {
                        self.agenda.add(now, Due::Continue { task: id });
                    }
                }
                self.agenda.add(now + TRAVEL, Due::Ask { task: id });
                return Ok(());
            }
            TriggerKind::Follow { .. } => {
                self.follow_on(id, failed);
                return Ok(());
            }
            TriggerKind::Every(every) => {
                let began_in = self.tasks.get(&id).map(|task| task.began_in);
                if !live {
                    self.idle(instance, trigger, began_in == Some(self.quiet.0));
                }
                let fire = Due::Fire {
                    instance,
                    trigger,
                    life: self.instances[instance].life,
                    round: 1,
                };
                self.agenda.add_poll(now + every.max(1), fire);
            }
            _ => {}
        }
        self.tasks.remove(&id);
        self.process(instance)?.ask(&Command::EndTask { task: id })?;
        Ok(())
    }

    /// A pass that found nothing; `undisturbed`: nothing has happened since it began.
    fn idle(&mut self, instance: usize, trigger: u16, undisturbed: bool) {
        let epoch = self.quiet.0 + 1;
        let known = &mut self.instances[instance].idle_epoch[usize::from(trigger)];
        if undisturbed && *known != epoch {
            *known = epoch;
            self.quiet.1 += 1;
        }
    }

    /// Starts the called handler in the first instance that is up, one that is not frozen if there is one.
    pub(super) fn call(
        &mut self,
        caller: u32,
        service: u16,
        trigger: u16,
        arguments: Vec<Json>,
    ) -> Result<(), Trouble> {
        let now: Millis = self.now;
        let of_service = |i: &usize| self.instances[*i].service == usize::from(service);
        let up: Vec<usize> = (0..self.instances.len())
            .filter(of_service)
            .filter(|i| self.instances[*i].process.is_some())
            .collect();
        let awake = up.iter().find(|i| self.instances[**i].paused_until <= now);
        let Some(instance) = awake.or(up.first()).copied() else {
            let answer = Answer::failed(ErrorClass::Unreachable, "no instance is up");
            return self.refuse(caller, answer, now + TRAVEL);
        };
        let id = self.new_task(instance, trigger);
        if let Some(task) = self.tasks.get_mut(&id) {
            task.caller = Some(caller);
            task.arguments = Some(arguments);
        }
        self.agenda.add(now, Due::Continue { task: id });
        Ok(())
    }

    /// A received message as the program sees it.
    pub(super) fn message(row: &crashpoint::value::Row, deliveries: u32, delivery: (u16, u32)) -> Json {
        let names = row
            .names()
            .iter()
            .cloned()
            .chain(["deliveries", "receipt"].map(Into::into));
        let names: std::rc::Rc<[crashpoint::value::Name]> = names.collect();
        let mut values = row.values().to_vec();
        values.push(Value::Int(i64::from(deliveries)));
        values.push(Value::Receipt {
            queue: delivery.0,
            delivery: delivery.1,
        });
        encode(&Value::Row(crashpoint::value::Row::new(names, values)))
    }
}
