//! Faults: where they strike and what they do. "Faults in phases": crash, pause and down strike in a gap or when a request
//! is sent; lose, refuse and delay strike a request or its answer.

use super::agenda::Due;
use super::kernel::Kernel;
use super::trace::{EventKind, InstanceId, Party};
use super::world::{Cut, DownTime, Task, TaskId, TaskState};
use crate::broker::Underway;
use crate::fact::EventId;
use crate::program::{Fault, Moment, Point, Program, Side, StepName, TriggerKind};
use crate::value::Millis;
use rpds::{Queue as Fifo, Vector};
use std::rc::Rc;

/// A fault with its names resolved. A name that the program does not have resolves to nothing and is never reached.
#[derive(Clone, Debug)]
pub(super) struct Armed {
    pub place: Place,
    pub action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Nowhere,
    At(Millis),
    Point { side: Side, step: ArmedStep },
    Visits { step: ArmedStep, and_all_later: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArmedStep {
    pub instance: InstanceId,
    pub step: u16,
    pub visit: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Crash(Option<Millis>),
    Pause(Millis),
    LoseRequest,
    LoseReply,
    Refuse,
    Delay(Millis),
    Down(Option<Party>, Millis),
    Cut(Option<(Party, Party)>, Millis),
}

impl Armed {
    pub fn resolve(program: &Program, fault: &Fault) -> Armed {
        let point = |point: &Point| match step(program, &point.step) {
            Some(step) => Place::Point { side: point.side, step },
            None => Place::Nowhere,
        };
        let visits = |visits: &crate::program::Visits| match step(program, &visits.first) {
            Some(step) => Place::Visits {
                step,
                and_all_later: visits.and_all_later,
            },
            None => Place::Nowhere,
        };
        let moment = |moment: &Moment| match moment {
            Moment::At(at) => Place::At(*at),
            Moment::Point(p) => point(p),
        };
        let (place, action) = match fault {
            Fault::Crash(p, restart) => (point(p), Action::Crash(*restart)),
            Fault::Pause(p, time) => (point(p), Action::Pause(*time)),
            Fault::LoseRequest(v) => (visits(v), Action::LoseRequest),
            Fault::LoseReply(v) => (visits(v), Action::LoseReply),
            Fault::Refuse(v) => (visits(v), Action::Refuse),
            Fault::Delay(v, time) => (visits(v), Action::Delay(*time)),
            Fault::Down(name, m, time) => (moment(m), Action::Down(party(program, name), *time)),
            Fault::Cut(a, b, m, time) => {
                let between = party(program, a).zip(party(program, b));
                (moment(m), Action::Cut(between, *time))
            }
        };
        let known = !matches!(action, Action::Down(None, _) | Action::Cut(None, _));
        Armed {
            place: if known { place } else { Place::Nowhere },
            action,
        }
    }
}

/// The number of an instance over all services.
pub(super) fn instance_id(program: &Program, service: u16, number: u16) -> Option<InstanceId> {
    let before: u32 = program.services[..usize::from(service)]
        .iter()
        .map(|s| u32::from(s.instances))
        .sum();
    let within = (1..=program.services[usize::from(service)].instances).contains(&number);
    within.then(|| InstanceId::try_from(before + u32::from(number) - 1).ok())?
}

/// The step of that name.
pub(super) fn step(program: &Program, name: &StepName) -> Option<ArmedStep> {
    let service = program.services.iter().position(|s| s.name == name.service)?;
    let step = program.services[service].steps.iter().position(|s| *s == name.step)?;
    let instance = instance_id(program, service as u16, name.instance)?;
    Some(ArmedStep {
        instance,
        step: step as u16,
        visit: name.visit,
    })
}

/// A party by its name. Names are unique over databases, brokers, outside parties and services.
fn party(program: &Program, name: &str) -> Option<Party> {
    let find = |names: Vec<&str>| names.iter().position(|n| *n == name).map(|index| index as u16);
    find(program.databases.iter().map(|d| &*d.name).collect())
        .map(Party::Database)
        .or_else(|| find(program.brokers.iter().map(|b| &*b.name).collect()).map(Party::Broker))
        .or_else(|| find(program.outsides.iter().map(|o| &*o.record.name).collect()).map(Party::Outside))
        .or_else(|| find(program.services.iter().map(|s| &*s.name).collect()).map(Party::Service))
}

/// Whether a task may go on after the faults of a gap have struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Go,
    /// The process died or froze.
    Stop,
}

impl Kernel<'_> {
    /// Strikes whatever stands at this point. `task` is the one that stands there.
    pub(super) fn strike_point(&mut self, task: TaskId, side: Side, step: u16, visit: u32) -> Flow {
        if self.world.armed.is_empty() {
            return Flow::Go;
        }
        let Some(instance) = self.world.tasks.get(&task).map(|t| t.instance) else {
            return Flow::Stop;
        };
        let here = Place::Point {
            side,
            step: ArmedStep { instance, step, visit },
        };
        for index in 0..self.world.armed.len() {
            if self.world.struck[index].is_some() || self.world.armed[index].place != here {
                continue;
            }
            match self.world.armed[index].action.clone() {
                Action::Crash(restart) => {
                    self.crash(instance, Some(index as u16), restart);
                    return Flow::Stop;
                }
                Action::Pause(time) => {
                    self.pause(instance, index as u16, time);
                    return Flow::Stop;
                }
                Action::Down(Some(party), time) => self.go_down(party, index as u16, time),
                Action::Cut(Some(between), time) => self.cut(between, index as u16, time),
                _ => {}
            }
            if self.world.tasks.get(&task).is_none_or(|t| t.state == TaskState::Orphan) {
                return Flow::Stop;
            }
        }
        Flow::Go
    }

    /// The fault of this action that strikes a visit of a step, if any.
    pub(super) fn strikes_visit(&self, step: ArmedStep, which: impl Fn(&Action) -> bool) -> Option<u16> {
        let hit = |(index, armed): &(usize, &Armed)| match armed.place {
            Place::Visits {
                step: first,
                and_all_later,
            } => {
                let same = first.instance == step.instance && first.step == step.step;
                let visit = first.visit == step.visit || (and_all_later && step.visit > first.visit);
                same && visit && which(&armed.action) && (and_all_later || self.world.struck[*index].is_none())
            }
            _ => false,
        };
        self.world
            .armed
            .iter()
            .enumerate()
            .find(hit)
            .map(|(index, _)| index as u16)
    }

    /// By how much requests of this visit are delayed.
    pub(super) fn delay_of(&mut self, step: ArmedStep) -> Millis {
        let Some(fault) = self.strikes_visit(step, |action| matches!(action, Action::Delay(_))) else {
            return 0;
        };
        self.note_strike(fault, self.world.events);
        match self.world.armed[usize::from(fault)].action {
            Action::Delay(time) => time,
            _ => 0,
        }
    }

    pub(super) fn note_strike(&mut self, fault: u16, event: EventId) {
        let struck = Rc::make_mut(&mut self.world.struck);
        struck[usize::from(fault)].get_or_insert(event);
    }

    /// The process dies: everything it knows is gone; what it has sent is completed by those who have it.
    pub(super) fn crash(&mut self, instance: InstanceId, fault: Option<u16>, restart: Option<Millis>) {
        let restart_at = restart.map(|time| self.world.now.saturating_add(time));
        let cause = self.world.instance(instance).last_event;
        let event = self.record_for(instance, cause, EventKind::Crash { fault, restart_at });
        if let Some(fault) = fault {
            self.note_strike(fault, event);
        }
        self.stop(instance, restart_at);
    }

    /// Ends a life: a crash, or a clean exit whose event has been recorded.
    pub(super) fn stop(&mut self, instance: InstanceId, restart_at: Option<Millis>) {
        let Some(state) = self.world.instances.get_mut(usize::from(instance)) else {
            return;
        };
        state.up = false;
        state.life += 1;
        state.paused_until = 0;
        state.end_idling();
        let life = state.life;
        if let Some(at) = restart_at {
            self.world.agenda.add(at, Due::Restart { instance, life });
        }
        let tasks: Vec<TaskId> = self
            .world
            .tasks
            .iter()
            .filter(|(_, task)| task.instance == instance)
            .map(|(id, _)| *id)
            .collect();
        // First nobody of a dying process asks for more: else one of its tasks would get what another gives back.
        for task in &tasks {
            self.world.broker.stop_asking(&self.program.queues, None, *task);
        }
        for task in tasks {
            self.orphan_or_end(task);
        }
        self.forget_results(instance);
        self.cancel_timers(instance);
    }

    /// The timers of a process die with it. What comes from outside comes all the same.
    fn cancel_timers(&mut self, instance: InstanceId) {
        let service = &self.program.services[usize::from(self.world.instance(instance).service)];
        let own = |trigger: u16| !matches!(service.triggers[usize::from(trigger)].kind, TriggerKind::At { .. });
        self.world
            .agenda
            .cancel(|due| matches!(due, Due::Fire { instance: at, trigger, .. } if *at == instance && own(*trigger)));
    }

    fn orphan_or_end(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let local = task.request.as_ref().is_some_and(|sent| sent.payload.is_local());
        let caller = task.caller;
        match task.state {
            TaskState::InFlight | TaskState::Waiting if !local => {
                task.state = TaskState::Orphan;
                task.keeping = false;
                self.hang_up(id);
            }
            TaskState::Orphan => {}
            _ => self.end_task(id),
        }
        if let Some(caller) = caller {
            self.callee_died(caller);
        }
    }

    /// The process of an orphan is gone, and so are its connections; only the request that is with a party is completed, within
    /// the transaction that it was sent in.
    fn hang_up(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        (task.in_line, task.fetched) = (false, Fifo::new());
        let delivery = task.delivery;
        let Some(task) = self.world.tasks.get(&id) else { return };
        let but = match self.party_of(task) {
            Some(Party::Broker(broker)) => Some(Underway {
                broker,
                delivery: delivery.filter(|(queue, _)| self.program.queues[usize::from(*queue)].broker == broker),
            }),
            _ => None,
        };
        let (stamp, mut happened) = (self.stamp_of_last(), Vec::new());
        let queues = &self.program.queues;
        self.world
            .broker
            .disconnect(queues, None, id, but, stamp, &mut happened);
        self.follow_up(happened, Some(stamp.event));
    }

    fn pause(&mut self, instance: InstanceId, fault: u16, time: Millis) {
        let until = self.world.now.saturating_add(time);
        let cause = self.world.instance(instance).last_event;
        let event = self.record_for(instance, cause, EventKind::Pause { fault, until });
        self.note_strike(fault, event);
        if let Some(state) = self.world.instances.get_mut(usize::from(instance)) {
            state.paused_until = until;
            let life = state.life;
            self.world.agenda.add(until, Due::Resume { instance, life });
            self.expect_silence(instance, None, time);
        }
    }

    /// A party stops: arrivals are refused by the network, what it was working on is cut off.
    pub(super) fn go_down(&mut self, party: Party, fault: u16, time: Millis) {
        let until = self.world.now.saturating_add(time);
        let event = self.record(None, None, EventKind::Down { fault, party, until });
        self.note_strike(fault, event);
        self.world.down.push_back_mut(DownTime {
            party,
            since: self.world.now,
            until,
        });
        match party {
            Party::Service(service) => self.crash_all(service, time),
            Party::Database(_) | Party::Broker(_) | Party::Outside(_) => self.cut_off(party),
        }
        self.world.agenda.add(until, Due::Up { party });
    }

    fn crash_all(&mut self, service: u16, time: Millis) {
        for instance in 0..self.world.instances.len() as InstanceId {
            let state = self.world.instance(instance);
            if state.service == service && state.up {
                self.crash(instance, None, Some(time));
            }
        }
    }

    /// What a party loses when it stops, and who learns of it.
    fn cut_off(&mut self, party: Party) {
        let stamp = self.stamp_of_last();
        match party {
            Party::Database(database) => self.world.databases[usize::from(database)].down(),
            Party::Broker(broker) => {
                let mut happened = Vec::new();
                let cut_off = self
                    .world
                    .broker
                    .down(&self.program.queues, broker, stamp, &mut happened);
                self.follow_up(happened, Some(stamp.event));
                for receiver in cut_off {
                    self.set_in_line(receiver, false);
                    self.world.unreached.push_back_mut(receiver);
                }
                self.lose_fetched(broker);
            }
            Party::Outside(_) | Party::Service(_) => {}
        }
        for task in self.world.tasks_where(|task| self.is_with(task, party)) {
            self.abandon(task);
        }
        self.abandon_background(party);
    }

    /// Connection-bound messages that receivers have fetched and not begun are with the broker again.
    fn lose_fetched(&mut self, broker: u16) {
        let bound = |task: &Task| match self.trigger(task.instance, task.trigger) {
            TriggerKind::Receive { queue, .. } => {
                let queue = &self.program.queues[usize::from(*queue)];
                queue.broker == broker && queue.lease.is_none()
            }
            _ => false,
        };
        // What an idle receiver has on its way still arrives, and is handled as a copy.
        for id in self.world.tasks_where(|task| task.messages() > 0 && bound(task)) {
            self.drop_fetched(id);
        }
    }

    /// A request that waits at, or is being worked on by, this party.
    fn is_with(&self, task: &Task, party: Party) -> bool {
        let with = matches!(task.state, TaskState::InFlight | TaskState::Waiting | TaskState::Orphan);
        with && self.party_of(task) == Some(party)
    }

    pub(super) fn up(&mut self, party: Party) {
        let now = self.world.now;
        let ended = |down: &DownTime| down.party == party && down.until <= now;
        if !self.world.down.iter().any(ended) {
            return;
        }
        self.world.down = self.world.down.iter().filter(|down| !ended(down)).cloned().collect();
        if self.world.down_until(party).is_some() {
            return;
        }
        // A service is back with the restarts of its instances, which are events of their own.
        if !matches!(party, Party::Service(_)) {
            self.record(None, None, EventKind::Up { party });
            self.ask_again();
        }
    }

    /// Receivers and followers that could not reach their party try once more.
    pub(super) fn ask_again(&mut self) {
        let unreached = std::mem::replace(&mut self.world.unreached, Vector::new());
        for task in unreached.iter() {
            self.world.agenda.add(self.world.now, Due::Ask { task: *task });
        }
    }

    pub(super) fn cut(&mut self, between: (Party, Party), fault: u16, time: Millis) {
        let until = self.world.now.saturating_add(time);
        let event = self.record(None, None, EventKind::Cut { fault, until });
        self.note_strike(fault, event);
        self.world.cuts.push_back_mut(Cut { between, until, fault });
        self.world.agenda.add(until, Due::Heal);
        self.park_the_cut_off();
        if let (Party::Service(service), Party::Broker(broker)) | (Party::Broker(broker), Party::Service(service)) =
            between
        {
            for instance in 0..self.world.instances.len() as InstanceId {
                if self.world.instance(instance).service == service {
                    self.expect_silence(instance, Some(broker), time);
                }
            }
        }
    }

    /// Receivers and followers in line at a party that they cannot reach any more get nothing from there; they ask again later.
    fn park_the_cut_off(&mut self) {
        let unreachable = |task: &Task| {
            let party = self.asks(task)?;
            self.cut_between(task.instance, party).map(|_| party)
        };
        for id in self.world.tasks_where(|task| unreachable(task).is_some()) {
            if let Some(party) = self.world.tasks.get(&id).and_then(|task| self.asks(task)) {
                self.leave_line(id, party);
            }
        }
    }

    /// Whom an idle receiver or follower asks for something to do.
    fn asks(&self, task: &Task) -> Option<Party> {
        match (task.state, self.trigger(task.instance, task.trigger)) {
            (_, TriggerKind::Receive { queue, .. }) if task.in_line => {
                let broker = self.program.queues[usize::from(*queue)].broker;
                Some(Party::Broker(broker))
            }
            (TaskState::Idle, TriggerKind::Follow { database, .. }) => Some(Party::Database(*database)),
            _ => None,
        }
    }

    /// Takes a task out of the line it stands in, if it does, and lets it ask again when a party comes back.
    fn leave_line(&mut self, id: TaskId, party: Party) {
        let stood = match party {
            Party::Broker(broker) => {
                let (now, mut happened) = (self.world.now, Vec::new());
                let queues = &self.program.queues;
                let stood = self.world.broker.stop_asking(queues, Some(broker), id);
                self.world.broker.silent(queues, broker, id, now, &mut happened);
                self.follow_up(happened, None);
                stood
            }
            _ => {
                let before = self.world.followers.len();
                let others = self.world.followers.iter().copied().filter(|follower| *follower != id);
                self.world.followers = others.collect();
                self.world.followers.len() < before
            }
        };
        if stood {
            self.set_in_line(id, false);
            self.world.unreached.push_back_mut(id);
        }
    }

    pub(super) fn heal(&mut self) {
        let now = self.world.now;
        let before = self.world.cuts.len();
        self.world.cuts = self.world.cuts.iter().filter(|cut| cut.until > now).cloned().collect();
        if self.world.cuts.len() < before {
            self.record(None, None, EventKind::Healed);
            self.ask_again();
        }
    }

    /// The fault that makes requests between an instance's service and a party get lost, if there is one.
    pub(super) fn cut_between(&self, instance: InstanceId, party: Party) -> Option<u16> {
        let service = Party::Service(self.world.instance(instance).service);
        let blocks = |cut: &&Cut| cut.between == (service, party) || cut.between == (party, service);
        self.world.cuts.iter().find(blocks).map(|cut| cut.fault)
    }
}
