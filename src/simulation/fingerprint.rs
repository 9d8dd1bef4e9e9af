//! What of a world matters for what comes, as a fingerprint: equal worlds have equal futures and are worth the same.
//!
//! Left out is what nothing that comes depends on: numbers of events and of past requests, causes, visits that no armed fault
//! waits for, entries of the agenda that are void. Instants count from the next thing that happens: until then nothing does, and
//! all that is compared with the present instant is compared with one that moves along. Sessions, deliveries and handles count
//! relatively, too. Facts are taken in their sequence over the relations that a promise compares, without their times.

use super::agenda::{Due, Handed, Key};
use super::fault::{Armed, Place};
use super::trace::{InstanceId, Party};
use super::world::{Payload, Sent, Task, TaskId, TaskState, World};
use crate::fact::{EventId, Fact, INITIAL, Log};
use crate::fingerprint::{Fingerprint, Reference};
use crate::program::{Instruction, Program, Relation};
use crate::value::Millis;
use std::collections::BTreeMap;

/// What makes no difference between two worlds.
#[derive(Clone, Debug, Default)]
pub(super) struct Likeness {
    /// The groups of relations whose facts are compared with one another: the sequence of others does not count.
    pub compared: Vec<Vec<Relation>>,
    /// Every order of simultaneous entries is tried: their sequence does not count.
    pub any_order: bool,
}

impl World {
    /// The fingerprint of this world.
    pub(super) fn fingerprint(&self, program: &Program, likeness: &Likeness) -> (u64, u64) {
        let (tasks, deliveries) = (self.tasks_where(|_| true), self.broker.deliveries());
        let print = &mut Fingerprint::new(self.reference(&tasks, &deliveries));
        self.take_down_agenda(likeness.any_order, print);
        self.take_down_processes(program, &tasks, print);
        for database in &self.databases {
            database.take_down(print);
        }
        self.broker.take_down(&program.queues, print);
        self.take_down_facts(program, likeness, print);
        self.take_down_faults(print);
        print.optional(program.until, Fingerprint::instant);
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

    /// About how much there is to take down: what a fingerprint costs, in the work of a run.
    pub(super) fn extent(&self) -> u64 {
        let facts: usize = self.databases.iter().map(|database| database.fact_count()).sum();
        let outside: usize = self.outsides.iter().map(|record| record.facts().len()).sum();
        (self.tasks.size() + facts + outside + self.broker.fact_count()) as u64
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

    /// All facts in the sequence in which they came about, group by group.
    fn take_down_facts(&self, program: &Program, likeness: &Likeness, print: &mut Fingerprint) {
        let mut groups: BTreeMap<usize, Vec<(EventId, &Fact, Mark)>> = BTreeMap::new();
        for (index, (relation, log)) in self.all_facts(program).enumerate() {
            let compared = &likeness.compared;
            let group = group_of(relation, compared).unwrap_or(compared.len() + index);
            let facts = groups.entry(group).or_default();
            let mut marks = Marks::of(relation, index);
            facts.extend(log.iter().map(|fact| {
                // Initial rows were there first.
                let event = if fact.stamp == INITIAL { 0 } else { fact.stamp.event + 1 };
                (event, fact, marks.next(fact))
            }));
        }
        for (group, facts) in &mut groups {
            print.count(*group);
            print.count(facts.len());
            // Stable: what came about in one event stays in the sequence of its log.
            facts.sort_by_key(|(event, ..)| *event);
            for (_, fact, mark) in facts {
                print.count(mark.relation);
                print.optional(mark.row, Fingerprint::count);
                print.flag(mark.same_commit);
                print.number(fact.change as u64);
                print.values(&fact.row);
            }
        }
    }

    fn all_facts<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (Relation, &'a Log<Fact>)> {
        let of_database = move |(database, schema): (usize, &crate::sql::DatabaseSchema)| {
            let tables = 0..schema.tables.len() as u16;
            tables.map(move |table| {
                let relation = Relation::Table {
                    database: database as u16,
                    table,
                };
                (relation, self.databases[database].facts(table))
            })
        };
        let tables = program.databases.iter().enumerate().flat_map(of_database);
        let queues = (0..program.queues.len() as u16).map(|queue| (Relation::Queue(queue), self.broker.facts(queue)));
        let outsides = (0..).zip(&self.outsides);
        let outsides = outsides.map(|(index, record)| (Relation::Outside(index), record.facts()));
        tables.chain(queues).chain(outsides)
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

/// What is said of a fact beside its values.
struct Mark {
    relation: usize,
    /// Of a table's fact: which of its rows it is about, in the sequence of their first facts.
    row: Option<usize>,
    /// It became visible together with the one before.
    same_commit: bool,
}

/// Marks the facts of one relation, in sequence.
struct Marks {
    relation: usize,
    /// By identity; none for a relation each of whose facts is about something else.
    rows: Option<BTreeMap<u64, usize>>,
    commit: u32,
}

impl Marks {
    fn of(relation: Relation, index: usize) -> Marks {
        Marks {
            relation: index,
            rows: matches!(relation, Relation::Table { .. }).then(BTreeMap::new),
            commit: 0,
        }
    }

    fn next(&mut self, fact: &Fact) -> Mark {
        let same_commit = fact.commit == std::mem::replace(&mut self.commit, fact.commit);
        let row = self.rows.as_mut().map(|rows| {
            let next = rows.len();
            *rows.entry(fact.identity).or_insert(next)
        });
        Mark {
            relation: self.relation,
            row,
            same_commit,
        }
    }
}

/// The group that a relation's facts are in.
fn group_of(relation: Relation, together: &[Vec<Relation>]) -> Option<usize> {
    together.iter().position(|group| group.contains(&relation))
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
