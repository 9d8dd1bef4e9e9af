//! What of a world matters for what comes, as a fingerprint: equal worlds have equal futures and are worth the same.
//!
//! Left out is what nothing that comes depends on: numbers of events and of past requests, causes, visits that no armed fault
//! waits for, entries of the agenda that are void. Instants count from the next thing that happens: until then nothing does, and
//! all that is compared with the present instant is compared with one that moves along. Sessions, deliveries and handles count
//! relatively, too. Facts count in their sequence over the relations that a promise compares, without their times (`facts`); they
//! determine what tables hold, so committed rows are not taken down.

mod facts;

pub(super) use facts::{FactsTaken, group_of};

use super::agenda::{Due, Handed, Key};
use super::fault::{Armed, Place};
use super::trace::{Ended, InstanceId, Party};
use super::world::{Payload, Sent, Task, TaskId, TaskState, World};
use crate::fingerprint::{Fingerprint, Reference};
use crate::program::{Instruction, Program};
use crate::value::Millis;

impl World {
    /// The fingerprint of this world, whose facts have been taken down already.
    pub(super) fn fingerprint(&self, program: &Program, any_order: bool, facts: &FactsTaken) -> (u64, u64) {
        let (tasks, deliveries) = (self.tasks_where(|_| true), self.broker.deliveries());
        let print = &mut Fingerprint::new(self.reference(&tasks, &deliveries));
        self.take_down_agenda(any_order, print);
        self.take_down_processes(program, &tasks, print);
        for database in &self.databases {
            database.take_down(print);
        }
        self.broker.take_down(&program.queues, print);
        facts.take_down(print);
        self.take_down_faults(print);
        print.optional(program.until, Fingerprint::instant);
        print.finish()
    }

    /// The fingerprint of the end of a run: of what has happened, and of what is left and can be told apart by somebody who looks.
    pub(super) fn end_fingerprint(&self, ended: Ended, facts: &FactsTaken) -> (u64, u64) {
        let print = &mut Fingerprint::new(Reference {
            origin: self.now,
            ..Reference::default()
        });
        print.number(ended as u64);
        facts.take_down(print);
        self.databases
            .iter()
            .for_each(|database| database.take_down_left(print));
        self.broker.take_down_left(print);
        for flag in [!self.waits().is_empty(), self.hangs(), self.struggles()] {
            print.flag(flag);
        }
        print.count(self.in_doubt().count());
        print.count(self.brokers_in_doubt().count());
        print.finish()
    }

    fn reference<'a>(&self, sessions: &'a [TaskId], deliveries: &'a [u32]) -> Reference<'a> {
        Reference {
            origin: self.coming_at().unwrap_or(self.now),
            sessions,
            deliveries,
            handles: self.next_background,
        }
    }

    /// When something happens next.
    fn coming_at(&self) -> Option<Millis> {
        let mut entries = self.agenda.entries();
        entries.find(|(_, due)| !self.is_void(due)).map(|((at, _), _)| at)
    }

    /// What is due at the next instant, in sequence; nothing if what is on top of the agenda is void.
    pub(super) fn coming(&self) -> Vec<(Key, &Due)> {
        let mut entries = self.agenda.entries().peekable();
        match entries.peek() {
            Some(((at, _), due)) if !self.is_void(due) => {
                let at = *at;
                let now = entries.take_while(|((due_at, _), _)| *due_at == at);
                now.filter(|(_, due)| !self.is_void(due)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether an entry will do nothing when its time comes.
    fn is_void(&self, due: &Due) -> bool {
        let of_task = |task: &TaskId, fits: &dyn Fn(&Task) -> bool| !self.tasks.get(task).is_some_and(fits);
        match due {
            Due::Arrive { task, request }
            | Due::Finish { task, request }
            | Due::Woken { task, request }
            | Due::Reply { task, request, .. } => of_task(task, &|task| task.requests == *request),
            Due::Deadlock { task, wait } => of_task(task, &|task| task.wait == *wait),
            Due::Continue { task } | Due::Ask { task } => of_task(task, &|_| true),
            Due::Deliver { task, message } => of_task(task, &|task| task.connection == message.connection),
            Due::Renew(renewal) => of_task(&renewal.task, &|task| task.pass == renewal.pass),
            Due::LeaseEnds { queue, delivery } | Due::AckTimeout { queue, delivery } => {
                self.broker.queue(*queue).held(*delivery).is_none()
            }
            Due::Expires { queue, message } => !self.broker.queue(*queue).has(*message),
            Due::Restart { instance, life } | Due::Resume { instance, life } | Due::Silent { instance, life, .. } => {
                self.instance(*instance).life != *life
            }
            _ => false,
        }
    }

    fn take_down_agenda(&self, any_order: bool, print: &mut Fingerprint) {
        let mut entries: Vec<(Millis, (u64, u64))> = Vec::new();
        for ((at, _), due) in self.agenda.entries().filter(|(_, due)| !self.is_void(due)) {
            if any_order {
                let mut own = print.apart();
                self.take_down_due(due, &mut own);
                entries.push((at, own.finish()));
            } else {
                print.instant(at);
                self.take_down_due(due, print);
            }
        }
        entries.sort_unstable();
        for (at, (a, b)) in entries {
            print.instant(at);
            print.number(a);
            print.number(b);
        }
    }

    fn take_down_due(&self, due: &Due, print: &mut Fingerprint) {
        match due {
            Due::Fire {
                instance,
                trigger,
                life,
                round,
            } => {
                print.number(1u8);
                print.number(*instance);
                print.number(*trigger);
                print.flag(self.instance(*instance).life == *life);
                print.number(*round);
            }
            Due::Arrive { task, .. } => take_down_session(print, 2, *task),
            Due::Finish { task, .. } => take_down_session(print, 3, *task),
            Due::Woken { task, .. } => take_down_session(print, 4, *task),
            Due::Reply { task, answer, .. } => {
                take_down_session(print, 5, *task);
                match answer {
                    Ok(value) => print.value(value),
                    Err(failure) => print.shown(failure),
                }
            }
            Due::Deadlock { task, .. } => take_down_session(print, 6, *task),
            Due::Continue { task } => take_down_session(print, 7, *task),
            Due::Ask { task } => take_down_session(print, 8, *task),
            Due::Deliver { task, message } => {
                take_down_session(print, 9, *task);
                take_down_handed(print, message);
            }
            Due::Renew(renewal) => {
                take_down_session(print, 10, renewal.task);
                print.number(renewal.pc);
                print.number(renewal.round);
                print.delivery(renewal.receipt.0, renewal.receipt.1);
                print.optional(renewal.sent, |print, (_, at)| print.instant(at));
            }
            Due::Restart { instance, .. } => {
                print.number(11u8);
                print.number(*instance);
            }
            Due::Resume { instance, .. } => {
                print.number(12u8);
                print.number(*instance);
            }
            Due::Down { fault } | Due::Cut { fault } => {
                print.number(13u8);
                print.shown(&self.armed.get(usize::from(*fault)).map(|armed| &armed.action));
            }
            Due::LeaseEnds { queue, delivery } => {
                print.number(14u8);
                print.delivery(*queue, *delivery);
            }
            Due::AckTimeout { queue, delivery } => {
                print.number(15u8);
                print.delivery(*queue, *delivery);
            }
            Due::Silent { instance, broker, .. } => {
                print.number(16u8);
                print.number(*instance);
                print.number(*broker);
            }
            Due::Rebalance { queue, group, .. } => {
                print.number(17u8);
                print.number(*queue);
                print.number(*group);
            }
            Due::SessionEnds { queue, receiver } => {
                take_down_session(print, 18, *receiver);
                print.number(*queue);
            }
            Due::Background { number, result } => {
                print.number(19u8);
                print.handle(*number);
                print.shown(result);
            }
            Due::DelayOver { .. } | Due::Expires { .. } | Due::Up { .. } | Due::Heal => {
                print.number(20u8);
                print.shown(due);
            }
        }
    }

    fn take_down_processes(&self, program: &Program, tasks: &[TaskId], print: &mut Fingerprint) {
        for instance in self.instances.iter() {
            print.flag(instance.up);
            let paused = (instance.paused_until > self.now).then_some(instance.paused_until);
            print.optional(paused, Fingerprint::instant);
            instance.memory.iter().for_each(|value| print.value(value));
            print.optional(instance.struggles, |print, (step, times)| {
                print.number(step);
                // Once and more than once are told apart; see `struggles`.
                print.number(times.min(2));
            });
        }
        if program.until.is_none() {
            self.take_down_quiet(tasks, print);
        }
        print.count(self.tasks.size());
        for task in tasks.iter().filter_map(|id| self.tasks.get(id)) {
            self.take_down_task(program, task, print);
        }
        for line in [&self.followers, &self.unreached] {
            print.count(line.len());
            line.iter().for_each(|task| print.session(*task));
        }
        for (prefix, number) in self.fresh.iter() {
            print.text(prefix);
            print.integer(*number);
        }
        for (number, background) in self.background.iter() {
            print.handle(*number);
            background.take_down(self.instance(background.instance), print);
        }
    }

    /// Who has found nothing since when: what decides whether a run that ends by itself is at rest.
    fn take_down_quiet(&self, tasks: &[TaskId], print: &mut Fingerprint) {
        let epochs = self.instances.iter().flat_map(|instance| instance.idle_epoch.iter());
        epochs.for_each(|epoch| print.flag(*epoch == self.quiet.epoch));
        for task in tasks.iter().filter_map(|id| self.tasks.get(id)) {
            print.flag(task.began_in == self.quiet.epoch);
        }
        print.number(self.quiet.pollers);
    }

    fn take_down_task(&self, program: &Program, task: &Task, print: &mut Fingerprint) {
        print.number(task.instance);
        print.number(task.trigger);
        print.number(task.state as u64);
        // Between two passes nothing is left of the last one.
        if task.state != TaskState::Idle {
            print.number(task.pc);
            task.locals.iter().for_each(|value| print.value(value));
        }
        for flag in [task.live, task.begun, task.in_line, task.keeping, task.sessions] {
            print.flag(flag);
        }
        print.optional(task.answer.as_ref(), |print, answer| print.shown(answer));
        print.optional(task.request.as_ref(), take_down_sent);
        print.optional(task.delivery, |print, (queue, delivery)| {
            print.delivery(queue, delivery)
        });
        print.count(task.fetched.len());
        for (message, _) in task.fetched.iter() {
            take_down_handed(print, message);
        }
        print.optional(task.position, |print, position| print.count(position));
        print.optional(task.caller, |print, caller| print.session(caller));
        print.value(&task.returned);
        let service = usize::from(self.instance(task.instance).service);
        if program.services[service].code.iter().any(counts_rounds) {
            print.instant(task.round_began);
        }
    }

    /// Faults that may still strike, and the visits that they wait for; who is down and who is cut off.
    fn take_down_faults(&self, print: &mut Fingerprint) {
        for (armed, struck) in self.armed.iter().zip(self.struck.iter()) {
            if let Some(instance) = waits_for(armed, struck.is_some()) {
                print.shown(armed);
                let visits = &self.instance(instance).visits;
                visits.iter().for_each(|visits| print.number(*visits));
            }
        }
        for down in self.down.iter() {
            take_down_party(print, down.party);
            print.instant(down.until);
        }
        for cut in self.cuts.iter() {
            take_down_party(print, cut.between.0);
            take_down_party(print, cut.between.1);
            print.instant(cut.until);
        }
    }
}

/// The instance whose visits decide whether a fault strikes once more; none if it has struck for good, or waits for a time.
fn waits_for(armed: &Armed, struck: bool) -> Option<InstanceId> {
    match armed.place {
        Place::Point { step, .. } => (!struck).then_some(step.instance),
        Place::Visits { step, and_all_later } => (and_all_later || !struck).then_some(step.instance),
        Place::Nowhere | Place::At(_) => None,
    }
}

/// Whether an instruction asks when a task was made.
fn counts_rounds(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Pause { .. })
}

fn take_down_handed(print: &mut Fingerprint, message: &Handed) {
    print.delivery(message.queue, message.delivery);
    print.number(message.number);
    print.number(message.deliveries);
    print.values(&message.row);
}

fn take_down_session(print: &mut Fingerprint, tag: u8, task: TaskId) {
    print.number(tag);
    print.session(task);
}

fn take_down_party(print: &mut Fingerprint, party: Party) {
    let (kind, index) = match party {
        Party::Database(index) => (0u8, index),
        Party::Broker(index) => (1, index),
        Party::Outside(index) => (2, index),
        Party::Service(index) => (3, index),
    };
    print.number(kind);
    print.number(index);
}

fn take_down_sent(print: &mut Fingerprint, sent: &Sent) {
    print.number(sent.pc);
    print.flag(sent.visit.is_some());
    print.instant(sent.sent_at);
    for flag in [sent.event.is_some(), sent.arrived, sent.unanswered] {
        print.flag(flag);
    }
    match &sent.payload {
        Payload::Row(row) | Payload::Buffer(row) => print.values(row),
        Payload::Receipt(queue, delivery) => print.delivery(*queue, *delivery),
        Payload::Sleep(time) => print.integer(*time),
        Payload::Confirm(handle) => print.handle(*handle),
        other => print.shown(other),
    }
}
