//! The world at one instant: everything a run is about to continue from, as a value.
//!
//! Cloning it is cheap at any size (persistent maps), so branches, time travel and sweeps are function calls.

use super::agenda::{Agenda, Handed};
use super::background::Background;
use super::fault::Armed;
use super::kernel::TIMEOUT;
use super::outside::Record;
use super::trace::{InstanceId, Party};
use crate::broker::{Broker, GroupState, Held, Queue};
use crate::database::{Database, PendingRow};
use crate::expression::Failure;
use crate::fact::{EventId, Fact, Log};
use crate::program::{Program, Relation};
use crate::shared::Shared;
use crate::sql::Parameters;
use crate::value::{Millis, Name, Row, Value};
use rpds::{Queue as Fifo, RedBlackTreeMap, Vector};
use std::rc::Rc;

/// Number of a task within a run, never used twice. It is also its session's number in databases and its connection's at brokers.
pub type TaskId = u32;

/// The state of a run between two entries of the agenda.
#[derive(Clone, Debug)]
pub struct World {
    pub(super) now: Millis,
    /// Events recorded so far; the next event's number.
    pub(super) events: EventId,
    pub(super) agenda: Agenda,
    pub(super) instances: Vector<Instance>,
    pub(super) tasks: RedBlackTreeMap<TaskId, Task>,
    pub(super) next_task: TaskId,
    pub(super) databases: Vec<Shared<Database>>,
    pub(super) broker: Broker,
    pub(super) outsides: Vec<Record>,
    pub(super) armed: Rc<Vec<Armed>>,
    /// Per fault the event of its first strike.
    pub(super) struck: Rc<Vec<Option<EventId>>>,
    pub(super) down: Vector<DownTime>,
    pub(super) cuts: Vector<Cut>,
    /// `fresh(prefix)` counters.
    pub(super) fresh: RedBlackTreeMap<Rc<str>, i64>,
    /// Asynchronous publishes on their way, and the results that their processes may still ask for, by handle.
    pub(super) background: RedBlackTreeMap<u32, Background>,
    pub(super) next_background: u32,
    /// Followers that wait for the next commit.
    pub(super) followers: Vector<TaskId>,
    /// Receivers and followers that could not reach their party and ask again when one comes back.
    pub(super) unreached: Vector<TaskId>,
    pub(super) quiet: Quiet,
    /// Instructions, agenda entries and requests so far, with what they evaluate and read: what the budget on work bounds.
    pub(super) work: u64,
}

/// Which pollers have found nothing since the last event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quiet {
    /// Number of the stretch without events; a poller that has been idle in it holds the same number.
    pub epoch: u64,
    pub pollers: u32,
}

/// A party that does not answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DownTime {
    pub party: Party,
    pub since: Millis,
    pub until: Millis,
}

/// Two parties that cannot reach each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    pub between: (Party, Party),
    pub until: Millis,
    pub fault: u16,
}

/// One process of a service.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Index into the program's services.
    pub service: u16,
    /// From 1.
    pub number: u16,
    /// Counts its starts; what was scheduled for an earlier life is void.
    pub life: u32,
    pub up: bool,
    pub paused_until: Millis,
    pub(super) visits: Rc<Vec<u32>>,
    /// The instance's variables; initial values at each start.
    pub memory: Rc<Vec<Value>>,
    /// The last event that concerned it.
    pub(super) last_event: Option<EventId>,
    /// The restart that began this life; none for the first.
    pub(super) started_by: Option<EventId>,
    /// The step that failed last, and how often in a row, whatever else went well meanwhile.
    pub(super) struggles: Option<(u16, u32)>,
    /// Per trigger the idle mark that its next idle pass adds to, and the polls so far.
    pub(super) idle: Rc<Vec<Option<(EventId, u32)>>>,
    /// Per trigger the quiet epoch in which its last idle pass fell.
    pub(super) idle_epoch: Rc<Vec<u64>>,
}

impl Instance {
    /// Something else happened: the next idle pass makes a mark of its own.
    pub(super) fn end_idling(&mut self) {
        if self.idle.iter().any(Option::is_some) {
            Rc::make_mut(&mut self.idle).fill(None);
        }
    }
}

/// One firing of one trigger.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub instance: InstanceId,
    pub trigger: u16,
    pub pc: u32,
    pub locals: Vec<Value>,
    pub state: TaskState,
    /// A pass of `every` is live from its first row read or its first change; others from their start.
    pub live: bool,
    /// The gap before the first step of the pass, or of a loop's round, has been recorded.
    pub begun: bool,
    /// The answer of `request`, between its arrival and the end of the gap after the step.
    pub answer: Option<Result<Value, Failure>>,
    pub request: Option<Sent>,
    /// The line of a request that could not be sent because an expression failed.
    pub failed_line: u32,
    /// Counts requests; a reply or time-out for an earlier one is void.
    pub requests: u32,
    pub last_event: Option<EventId>,
    /// The delivery this pass handles.
    pub delivery: Option<(u16, u32)>,
    /// A receiver stands in line at its broker, or what it was given is on the way.
    pub in_line: bool,
    /// Messages that have been fetched and not begun, with the events of their arrival.
    pub fetched: Fifo<(Handed, EventId)>,
    /// Counts a receiver's connections; what comes by an earlier one is void.
    pub connection: u32,
    /// Position in the followed table's log up to which it has handled changes.
    pub position: Option<usize>,
    /// Number of the pass; renewals of an earlier pass are void.
    pub pass: u32,
    pub keeping: bool,
    /// Databases where this pass has used its session.
    pub sessions: bool,
    /// The task that called this handler and waits for its end.
    pub caller: Option<TaskId>,
    pub returned: Value,
    /// Counts waits for locks; the deadlock check of an earlier wait is void.
    pub wait: u32,
    /// When the task was made: the first round of a `repeat … every` began here.
    pub round_began: Millis,
    /// The quiet stretch in which it began: a pass during which something happened may have read too early.
    pub began_in: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskState {
    /// Running, frozen in a gap, between two rounds of a loop, or about to go on.
    Ready,
    /// A request is on its way or being worked on.
    InFlight,
    /// The party has it, and it waits for a lock.
    Waiting,
    /// The effect has happened; the answer is on its way.
    Answered,
    /// Between two passes.
    Idle,
    /// Its process died while a request was with a party: the party completes it, nobody hears of it.
    Orphan,
}

impl Task {
    /// Messages that are with a receiver: fetched, and at work.
    pub fn messages(&self) -> usize {
        self.fetched.len() + usize::from(self.delivery.is_some())
    }
}

/// A request that was sent, with everything evaluated.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub pc: u32,
    pub step: u16,
    pub line: u32,
    /// None while the pass is not live: no visit is counted.
    pub visit: Option<u32>,
    pub sent_at: Millis,
    /// The event of its effect, once it happened.
    pub event: Option<EventId>,
    pub payload: Payload,
    /// It has reached its party.
    pub arrived: bool,
    /// The answer will never come; what the caller gets is a time-out.
    pub unanswered: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Payload {
    /// The statement is found at `Sent::pc`.
    Sql(Parameters),
    Row(Row),
    Receipt(u16, u32),
    Nothing,
    Arguments(Rc<Vec<Value>>),
    Sleep(Millis),
    /// An asynchronous publish, before the client's buffer has it; then with its handle.
    Buffer(Row),
    Buffered(u32),
    /// The handle whose result is waited for.
    Confirm(u32),
    /// What a prepared transaction is called.
    Identifier(Name),
}

impl Payload {
    /// Nobody else is asked: no request that could be lost, no reply either.
    pub fn is_local(&self) -> bool {
        use Payload::{Buffer, Buffered, Confirm, Sleep};
        matches!(self, Sleep(_) | Buffer(_) | Buffered(_) | Confirm(_))
    }
}

/// What one queue holds, for those who look at the world.
pub type QueueState<'a> = &'a Queue;

impl World {
    /// The present instant.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Instructions, agenda entries, and rows that databases looked at.
    pub(super) fn work_done(&self) -> u64 {
        self.work + self.databases.iter().map(|database| database.visited()).sum::<u64>()
    }

    /// How many events have been recorded.
    pub fn event_count(&self) -> EventId {
        self.events
    }

    /// Everything that ever happened in a relation: commits of a table (also for `Changes`), messages accepted by a queue, effects outside.
    pub fn facts(&self, relation: Relation) -> &Log<Fact> {
        match relation {
            Relation::Table { database, table } | Relation::Changes { database, table } => {
                self.databases[usize::from(database)].facts(table)
            }
            Relation::Queue(queue) | Relation::Dead(queue) => self.broker.facts(queue),
            Relation::Outside(outside) => self.outsides[usize::from(outside)].facts(),
        }
    }

    pub fn database(&self, database: u16) -> &Database {
        &self.databases[usize::from(database)]
    }

    /// Committed rows in the sequence they were inserted, with their identities.
    pub fn rows(&self, database: u16, table: u16) -> Vec<(u64, Row)> {
        self.database(database)
            .rows(table)
            .map(|(identity, row)| (identity, row.clone()))
            .collect()
    }

    /// Transactions that are prepared and wait for somebody's decision: database and identifier.
    pub fn in_doubt(&self) -> impl Iterator<Item = (u16, &Name)> {
        let databases = (0..).zip(&self.databases);
        databases.flat_map(|(index, database)| database.in_doubt().map(move |identifier| (index, identifier)))
    }

    /// Transactions that are prepared at a broker and wait for somebody's decision: broker and identifier.
    pub fn brokers_in_doubt(&self) -> impl Iterator<Item = (u16, &Name)> {
        self.broker.in_doubt()
    }

    /// The consumer groups of a partitioned queue, as the program numbers them; empty before anything happened to it.
    pub fn groups(&self, queue: u16) -> Vec<GroupState> {
        self.broker.groups(queue)
    }

    /// What transactions hold of a queue: messages that may come into it, and those a prepared one has acknowledged.
    pub fn held(&self, queue: u16) -> impl Iterator<Item = Held<'_>> {
        self.broker.held(queue)
    }

    /// Rows that open transactions have changed.
    pub fn pending(&self, database: u16, table: u16) -> Vec<PendingRow> {
        self.database(database).pending(table)
    }

    /// The instance behind a database session or a broker's receiver.
    pub fn instance_of(&self, session: TaskId) -> Option<InstanceId> {
        self.tasks.get(&session).map(|task| task.instance)
    }

    pub fn queue(&self, queue: u16) -> QueueState<'_> {
        self.broker.queue(queue)
    }

    /// Dead letters that come from this queue: moved to a dead-letter queue and still there, or kept by the queue itself.
    pub fn dead_letters(&self, program: &Program, queue: u16) -> Vec<&crate::broker::Message> {
        let mut found: Vec<_> = self.queue(queue).dead().collect();
        for other in (0..program.queues.len() as u16).filter(|other| *other != queue) {
            found.extend(self.queue(other).present().filter(|message| message.origin.0 == queue));
        }
        found
    }

    pub fn instance(&self, instance: InstanceId) -> &Instance {
        &self.instances[usize::from(instance)]
    }

    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.instances.iter()
    }

    /// Requests that wait for a lock: instance, source line, since when they were sent.
    pub fn waits(&self) -> Vec<(InstanceId, u32, Millis)> {
        let waiting = |task: &&Task| task.state == TaskState::Waiting || (task.state == TaskState::Orphan);
        let describe = |task: &Task| {
            task.request
                .as_ref()
                .map(|sent| (task.instance, sent.line, sent.sent_at))
        };
        self.tasks.values().filter(waiting).filter_map(describe).collect()
    }

    /// The last of the faults has struck; true where there is none.
    pub fn last_fault_has_struck(&self) -> bool {
        self.struck.last().is_none_or(Option::is_some)
    }

    /// Some step has failed again and again and has not gone well since.
    pub fn struggles(&self) -> bool {
        let again = |instance: &Instance| instance.struggles.is_some_and(|(_, times)| times > 1);
        self.instances.iter().any(again)
    }

    /// Some request has had no answer for longer than a caller usually waits.
    pub fn hangs(&self) -> bool {
        let hangs = |task: &Task| {
            let asked = task.request.as_ref().filter(|_| task.state == TaskState::InFlight);
            let asked = asked.filter(|sent| !matches!(sent.payload, Payload::Sleep(_)));
            asked.is_some_and(|sent| self.now - sent.sent_at >= TIMEOUT)
        };
        self.tasks.values().any(hangs)
    }

    /// Tasks of which something is true, instance by instance: that the one or other process was started later makes no
    /// difference to the sequence.
    pub(super) fn tasks_where(&self, fits: impl Fn(&Task) -> bool) -> Vec<TaskId> {
        let mut found: Vec<(InstanceId, u16, TaskId)> = Vec::with_capacity(self.tasks.size());
        let fitting = self.tasks.iter().filter(|(_, task)| fits(task));
        found.extend(fitting.map(|(id, task)| (task.instance, task.trigger, *id)));
        found.sort_unstable();
        found.into_iter().map(|(.., id)| id).collect()
    }

    /// Only polling is left, and each poller has found nothing since the last event.
    pub fn rests(&self) -> bool {
        self.only_polls() && self.quiet.pollers >= self.agenda.polls()
    }

    /// Only polling is left, or not even that.
    fn only_polls(&self) -> bool {
        self.agenda.only_polls_and_timers() && (self.agenda.timers() == 0 || !self.broker.waits_for_time())
    }

    /// Nothing is left to happen.
    pub(super) fn is_over(&self) -> bool {
        self.agenda.polls() == 0 && self.only_polls()
    }

    /// Until when a party does not answer, if it is down.
    pub fn down_until(&self, party: Party) -> Option<Millis> {
        let of_party = self.down.iter().filter(|down| down.party == party);
        of_party.map(|down| down.until).max()
    }

    /// Local variables of the passes an instance is in, by name.
    pub fn variables(&self, program: &Program, instance: InstanceId) -> Vec<(Name, Value)> {
        let service = &program.services[usize::from(self.instance(instance).service)];
        let mut shown = Vec::new();
        for task in self
            .tasks
            .values()
            .filter(|t| t.instance == instance && t.state != TaskState::Orphan)
        {
            let named = service.local_names.iter().zip(&task.locals);
            let known = named.filter(|(name, value)| !name.is_empty() && **value != Value::Null);
            shown.extend(known.map(|(name, value)| (name.clone(), value.clone())));
        }
        shown
    }
}

/// `Relay#1`; without the number where a service has one instance only.
pub fn instance_label(program: &Program, instance: &Instance) -> String {
    let service = &program.services[usize::from(instance.service)];
    match service.instances {
        1 => service.name.to_string(),
        _ => format!("{}#{}", service.name, instance.number),
    }
}
