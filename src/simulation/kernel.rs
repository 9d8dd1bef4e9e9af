//! The kernel's turn: takes the next entry from the agenda and lets it happen.

use super::agenda::{Agenda, Due, Renewal};
use super::fault::Armed;
use super::outside::Record;
use super::run::Silent;
use super::trace::{Ended, Event, EventKind, Gap, InstanceId, Outcome, Party, Visit};
use super::world::{Instance, Quiet, TaskId, TaskState, World};
use crate::broker::Broker;
use crate::database::Database;
use crate::expression::{Failure, evaluate};
use crate::fact::{EventId, Stamp};
use crate::program::{Fault, Moment, Point, Program, Side, StepName, TriggerKind};
use crate::shared::Shared;
use crate::sql::DatabaseSchema;
use crate::value::{Millis, Name, Value};
use rpds::{RedBlackTreeMap, Vector};
use std::rc::Rc;

/// A request travels this long to its party, and an answer as long back.
pub(super) const TRAVEL: Millis = 1;
/// A caller gives up after this long without an answer.
pub(super) const TIMEOUT: Millis = 5_000;
/// A waiter looks for a deadlock once, this long after it began to wait (PostgreSQL's `deadlock_timeout`).
pub(super) const DEADLOCK_AFTER: Millis = 1_000;
/// A follower whose pass failed takes the same change again after this long.
pub(super) const FOLLOW_AGAIN: Millis = 1_000;

/// Who keeps what a run tells. Nothing in the world depends on it.
pub(super) trait Recorder {
    fn event(&mut self, event: Event);
    /// The answer of a recorded step was received.
    fn replied(&mut self, event: EventId, at: Millis);
    /// A recorded idle mark grew.
    fn idle(&mut self, event: EventId, polls: u32, until: Millis);
    fn gap(&mut self, gap: Gap);
    /// The step that followed the last gap of this instance, and its visit.
    fn next(&mut self, instance: InstanceId, step: &Name, visit: u32);
    /// A visit of a step began to count.
    fn visit(&mut self, _visit: Visit) {}
}

/// What bounds a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub events: u32,
    pub work: u64,
}

impl Budget {
    /// Work that may be done for each event a run may have.
    pub const WORK_AN_EVENT: u64 = 16;

    /// So many events, and a multiple of it for what leaves no event: idle polls, loops without requests.
    pub fn events(events: u32) -> Budget {
        Budget {
            events,
            work: u64::from(events).saturating_mul(Budget::WORK_AN_EVENT),
        }
    }
}

pub(super) struct Kernel<'a> {
    pub program: &'a Program,
    pub world: &'a mut World,
    pub recorder: &'a mut dyn Recorder,
    pub budget: Budget,
}

/// The world before time 0: parties loaded, faults armed, first firings on the agenda in text order.
pub(super) fn begin(program: &Program, faults: &[Fault]) -> World {
    let mut world = World {
        now: 0,
        events: 0,
        agenda: Agenda::new(),
        instances: Vector::new(),
        tasks: RedBlackTreeMap::new(),
        next_task: 1,
        databases: program.databases.iter().map(load).map(Shared::from).collect(),
        broker: Broker::new(program.queues.len()),
        outsides: program.outsides.iter().map(|_| Record::new()).collect(),
        armed: Rc::new(faults.iter().map(|fault| Armed::resolve(program, fault)).collect()),
        struck: Rc::new(vec![None; faults.len()]),
        down: Vector::new(),
        cuts: Vector::new(),
        fresh: RedBlackTreeMap::new(),
        background: RedBlackTreeMap::new(),
        next_background: 1,
        followers: Vector::new(),
        unreached: Vector::new(),
        quiet: Quiet::default(),
        work: 0,
    };
    schedule_timed_faults(&mut world, faults);
    for (index, service) in program.services.iter().enumerate() {
        for number in 1..=service.instances {
            let instance = Instance {
                service: index as u16,
                number,
                life: 0,
                up: true,
                paused_until: 0,
                struggles: None,
                visits: Rc::new(vec![0; service.steps.len()]),
                memory: Rc::new(Vec::new()),
                last_event: None,
                started_by: None,
                idle: Rc::new(vec![None; service.triggers.len()]),
                idle_epoch: Rc::new(vec![0; service.triggers.len()]),
            };
            world.instances.push_back_mut(instance);
        }
    }
    Kernel {
        program,
        world: &mut world,
        // First firings are put on the agenda; nothing happens yet.
        recorder: &mut Silent,
        budget: Budget::events(0),
    }
    .start();
    world
}

/// Initial rows that a database refuses are reported by [`check`]; a run goes on without them.
fn load(schema: &DatabaseSchema) -> Database {
    Database::new(schema).unwrap_or_else(|_| {
        let without = DatabaseSchema {
            initial: Vec::new(),
            ..schema.clone()
        };
        // Without rows nothing is left that could be refused.
        Database::new(&without).expect("an empty database")
    })
}

/// What a program's databases say to their initial rows: the name of the first that refuses them, and why.
pub fn check(program: &Program) -> Result<(), (Name, Failure)> {
    let refuses = |schema: &DatabaseSchema| {
        Database::new(schema)
            .err()
            .map(|failure| (schema.name.clone(), failure))
    };
    program.databases.iter().find_map(refuses).map_or(Ok(()), Err)
}

fn schedule_timed_faults(world: &mut World, faults: &[Fault]) {
    for (index, fault) in faults.iter().enumerate() {
        match fault {
            Fault::Down(_, Moment::At(at), _) => world.agenda.add(*at, Due::Down { fault: index as u16 }),
            Fault::Cut(_, _, Moment::At(at), _) => world.agenda.add(*at, Due::Cut { fault: index as u16 }),
            _ => {}
        }
    }
}

impl Kernel<'_> {
    /// First firings of all instances.
    fn start(&mut self) {
        for instance in 0..self.world.instances.len() as InstanceId {
            self.begin_life(instance, true);
        }
    }

    /// One entry of the agenda; or why there is no further one.
    pub fn turn(&mut self) -> Option<Ended> {
        let Some(at) = self.world.agenda.next_at().filter(|_| !self.world.is_over()) else {
            return Some(Ended::Rest);
        };
        if self.world.events >= self.budget.events || self.world.work_done() >= self.budget.work {
            return Some(Ended::Bound);
        }
        match self.program.until {
            Some(until) if at > until => {
                self.world.now = until;
                return Some(Ended::Until);
            }
            // A text with `until` runs until then: what its pollers find may depend on the time.
            None if self.world.rests() => return Some(Ended::Rest),
            _ => {}
        }
        let (at, due) = self.world.agenda.pop()?;
        self.world.now = at;
        self.world.work += 1;
        if !self.defer_while_frozen(&due) {
            self.happen(due);
        }
        None
    }

    /// What a frozen process would do waits until it goes on: answers stay in the socket, timers are late.
    fn defer_while_frozen(&mut self, due: &Due) -> bool {
        let instance = match due {
            Due::Fire { instance, .. } => Some(*instance),
            Due::Reply { task, .. } | Due::Continue { task } | Due::Ask { task } | Due::Deliver { task, .. } => {
                self.world.instance_of(*task)
            }
            Due::Renew(Renewal { task, sent: None, .. }) => self.world.instance_of(*task),
            _ => None,
        };
        let Some(instance) = instance else { return false };
        let until = self.world.instance(instance).paused_until;
        if until <= self.world.now {
            return false;
        }
        match due {
            Due::Fire { trigger, .. } if self.polls(instance, *trigger) => {
                self.world.agenda.add_poll(until, due.clone());
            }
            _ => self.world.agenda.add(until, due.clone()),
        }
        true
    }

    fn polls(&self, instance: InstanceId, trigger: u16) -> bool {
        matches!(self.trigger(instance, trigger), TriggerKind::Every(_))
    }

    pub(super) fn trigger(&self, instance: InstanceId, trigger: u16) -> &TriggerKind {
        let service = usize::from(self.world.instance(instance).service);
        &self.program.services[service].triggers[usize::from(trigger)].kind
    }

    fn happen(&mut self, due: Due) {
        match due {
            Due::Fire {
                instance,
                trigger,
                life,
                round,
            } => self.fire(instance, trigger, life, round),
            Due::Arrive { task, request } => self.arrive(task, request),
            Due::Finish { task, request } => self.finish(task, request),
            Due::Woken { task, request } => self.woken(task, request),
            Due::Reply { task, request, answer } => self.reply(task, request, answer),
            Due::Deadlock { task, wait } => self.deadlock(task, wait),
            Due::Continue { task } => self.go_on(task),
            Due::Ask { task } => self.ask(task),
            Due::Deliver { task, message } => self.deliver(task, message),
            Due::LeaseEnds { queue, delivery } => self.lease_ends(queue, delivery),
            Due::DelayOver { queue, message } => self.message_due(queue, message),
            Due::Expires { queue, message } => self.message_expires(queue, message),
            Due::AckTimeout { queue, delivery } => self.ack_timeout(queue, delivery),
            Due::Silent { instance, life, broker } => self.silent(instance, life, broker),
            Due::Rebalance { queue, group, cause } => self.rebalance(queue, group, cause),
            Due::SessionEnds { queue, receiver } => self.session_ends(queue, receiver),
            Due::Renew(renewal) => self.renew(renewal),
            Due::Background { number, result } => self.background(number, result),
            Due::Restart { instance, life } => self.restart(instance, life),
            Due::Resume { instance, life } => self.resume(instance, life),
            Due::Down { fault } => self.timed_fault(fault),
            Due::Cut { fault } => self.timed_fault(fault),
            Due::Up { party } => self.up(party),
            Due::Heal => self.heal(),
        }
    }

    fn timed_fault(&mut self, fault: u16) {
        match self.world.armed[usize::from(fault)].action.clone() {
            super::fault::Action::Down(Some(party), time) => self.go_down(party, fault, time),
            super::fault::Action::Cut(Some(between), time) => self.cut(between, fault, time),
            _ => {}
        }
    }

    fn resume(&mut self, instance: InstanceId, life: u32) {
        let state = self.world.instance(instance);
        if state.life == life && state.up && state.paused_until <= self.world.now {
            let cause = state.last_event;
            self.record_for(instance, cause, EventKind::Resume);
        }
    }

    fn restart(&mut self, instance: InstanceId, life: u32) {
        let state = self.world.instance(instance);
        let down_until = self.world.down_until(Party::Service(state.service));
        if let Some(until) = down_until.filter(|until| *until > self.world.now) {
            // An instance that crashed before its service went down comes back with the service.
            return self.world.agenda.add(until, Due::Restart { instance, life });
        }
        if state.life == life && !state.up {
            let cause = state.last_event;
            let event = self.record_for(instance, cause, EventKind::Restart);
            if let Some(state) = self.world.instances.get_mut(usize::from(instance)) {
                state.started_by = Some(event);
            }
            self.begin_life(instance, false);
        }
    }

    /// Fresh memory, and its triggers fire; `at` requests are the outside world's and do not come again.
    fn begin_life(&mut self, instance: InstanceId, first: bool) {
        let state = self.world.instance(instance);
        let (service, life) = (&self.program.services[usize::from(state.service)], state.life);
        let memory: Vec<Value> = service
            .memory
            .iter()
            .map(|(_, initial)| self.initial(instance, initial))
            .collect();
        if let Some(state) = self.world.instances.get_mut(usize::from(instance)) {
            state.up = true;
            state.memory = Rc::new(memory);
        }
        for (index, trigger) in service.triggers.iter().enumerate() {
            let fire = Due::Fire {
                instance,
                trigger: index as u16,
                life,
                round: 1,
            };
            match &trigger.kind {
                TriggerKind::At { at, .. } if first => self.world.agenda.add(*at, fire),
                TriggerKind::At { .. } | TriggerKind::Handle { .. } => {}
                TriggerKind::Every(_) => self.world.agenda.add_poll(self.world.now, fire),
                TriggerKind::Start | TriggerKind::Receive { .. } | TriggerKind::Follow { .. } => {
                    self.world.agenda.add(self.world.now, fire);
                }
            }
        }
    }

    fn initial(&self, instance: InstanceId, expr: &crate::expression::Expr) -> Value {
        let scope = super::process::LifeScope {
            world: self.world,
            program: self.program,
            instance,
        };
        evaluate(expr, &scope).unwrap_or(Value::Null)
    }

    // --- Recording ----------------------------------------------------------------------------------------------

    /// Records an event at this instant and returns its number.
    pub(super) fn record(&mut self, instance: Option<InstanceId>, cause: Option<EventId>, kind: EventKind) -> EventId {
        let now = self.world.now;
        self.record_event(Event {
            at: now,
            sent_at: now,
            replied_at: None,
            cause,
            instance,
            kind,
        })
    }

    /// As [`Kernel::record`], and remembers it as the last thing that happened to the instance.
    pub(super) fn record_for(&mut self, instance: InstanceId, cause: Option<EventId>, kind: EventKind) -> EventId {
        let event = self.record(Some(instance), cause, kind);
        self.last_event_of(instance, event);
        event
    }

    pub(super) fn last_event_of(&mut self, instance: InstanceId, event: EventId) {
        if let Some(state) = self.world.instances.get_mut(usize::from(instance)) {
            state.last_event = Some(event);
            state.end_idling();
        }
    }

    pub(super) fn record_event(&mut self, event: Event) -> EventId {
        let id = self.world.events;
        self.world.events += 1;
        self.world.quiet = Quiet {
            epoch: self.world.quiet.epoch + 1,
            pollers: 0,
        };
        if let (Some(instance), EventKind::Step { step, outcome, .. }) = (event.instance, &event.kind) {
            self.note_outcome(instance, *step, outcome);
        }
        self.recorder.event(event);
        id
    }

    /// Counts how often a step fails in a row.
    fn note_outcome(&mut self, instance: InstanceId, step: u16, outcome: &Outcome) {
        let went_well = matches!(outcome, Outcome::Ok | Outcome::Rows(_) | Outcome::Held);
        let Some(state) = self.world.instances.get_mut(usize::from(instance)) else {
            return;
        };
        state.struggles = match (state.struggles, went_well) {
            (Some((failed, times)), false) if failed == step => Some((step, times + 1)),
            (_, false) => Some((step, 1)),
            (Some((failed, _)), true) if failed == step => None,
            (before, true) => before,
        };
    }

    /// One more pass of a poller that found nothing: a mark that grows, and no reason for others to look again.
    /// `undisturbed`: nothing has happened since the pass began.
    pub(super) fn record_idle(&mut self, instance: InstanceId, trigger: u16, undisturbed: bool) {
        let (now, epoch) = (self.world.now, self.world.quiet.epoch + 1);
        let events = self.world.events;
        let Some(state) = self.world.instances.get_mut(usize::from(instance)) else {
            return;
        };
        let counts = undisturbed && state.idle_epoch[usize::from(trigger)] != epoch;
        if counts {
            Rc::make_mut(&mut state.idle_epoch)[usize::from(trigger)] = epoch;
        }
        let (event, polls) = match state.idle[usize::from(trigger)] {
            Some((event, polls)) => (event, polls + 1),
            None => (events, 1),
        };
        Rc::make_mut(&mut state.idle)[usize::from(trigger)] = Some((event, polls));
        let cause = state.last_event;
        if polls == 1 {
            self.world.events += 1;
            let kind = EventKind::Idle { polls, until: now };
            let instance = Some(instance);
            self.recorder.event(Event {
                at: now,
                sent_at: now,
                replied_at: None,
                cause,
                instance,
                kind,
            });
        } else {
            self.recorder.idle(event, polls, now);
        }
        self.world.quiet.pollers += u32::from(counts);
    }

    /// The stamp for what is about to happen in the event that will be recorded next.
    pub(super) fn stamp(&self) -> Stamp {
        Stamp {
            event: self.world.events,
            at: self.world.now,
        }
    }

    /// The stamp of the event that has just been recorded.
    pub(super) fn stamp_of_last(&self) -> Stamp {
        Stamp {
            event: self.world.events.saturating_sub(1),
            at: self.world.now,
        }
    }

    pub(super) fn record_gap(&mut self, instance: InstanceId, side: Side, step: u16, visit: u32, line: u32) {
        let point = self.point(instance, side, step, visit);
        let after = self.world.events.checked_sub(1);
        self.recorder.gap(Gap {
            point,
            next: None,
            instance,
            at: self.world.now,
            after,
            line,
        });
    }

    pub(super) fn point(&self, instance: InstanceId, side: Side, step: u16, visit: u32) -> Point {
        let state = self.world.instance(instance);
        let service = &self.program.services[usize::from(state.service)];
        Point {
            side,
            step: StepName {
                service: service.name.clone(),
                instance: state.number,
                step: service.steps[usize::from(step)].clone(),
                visit,
            },
        }
    }

    pub(super) fn task_state(&self, task: TaskId) -> Option<TaskState> {
        self.world.tasks.get(&task).map(|task| task.state)
    }

    /// Sessions that a party asks to be asked again, in its sequence.
    pub(super) fn wake(&mut self, woken: Vec<TaskId>) {
        for task in woken {
            if let Some(request) = self.world.tasks.get(&task).map(|t| t.requests) {
                self.world.agenda.add(self.world.now, Due::Woken { task, request });
            }
        }
    }

    pub(super) fn is_down(&self, party: Party) -> bool {
        self.world.down.iter().any(|down| down.party == party)
    }
}
