//! The conductor of a cell: lets real processes act in the sequence that the scenario fixes.
//!
//! It keeps virtual time by the kernel's rules (one millisecond to a party and one back, sleeps, timers, restarts), holds every
//! process at every gap, and lets one act at a time. It knows nothing of what a request brings about: answers come from the
//! real parties, and it goes on from them. Real time passes only where a server's own clock decides: leases, deadlocks.
//! Refuses to know: what the engine predicts.

mod agenda;
mod background;
mod collect;
mod down;
mod effects;
mod facts;
mod faults;
mod followers;
mod leases;
mod life;
mod local;
mod passes;
mod process;
mod queues;
mod sending;
mod steps;
mod task;
mod trouble;
mod waiting;
mod who;
mod windows;

use super::broker::Queues;
use super::control::Control;
use super::machines::Machines;
use super::outside::{Call, Outside};
use super::proxy::Proxy;
use super::wire::Fresh;
use agenda::{Agenda, Due};
use background::Background;
use crashpoint::program::{Fault, Moment, Program, TriggerKind};
use crashpoint::simulation::trace::Ended;
use crashpoint::value::Millis;
pub use facts::Facts;
use process::Process;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};
use task::{Executed, Flight, Instance, Sent, State, Task};
use tokio::runtime::Handle;
pub use trouble::Trouble;

pub use crashpoint::simulation::trace::Party;

/// The kernel's times: a request travels so long, a caller waits so long, a waiter looks for a deadlock after so long.
const TRAVEL: Millis = 1;
const TIMEOUT: Millis = 5_000;
const DEADLOCK_AFTER: Millis = 1_000;

/// A cell may not take longer than this, nor have more turns.
const CELL_PATIENCE: Duration = Duration::from_secs(240);
const TURNS: u32 = 20_000;

/// Where everybody is.
pub struct Place<'m> {
    pub runtime: Handle,
    pub text: String,
    pub system: &'static str,
    /// What names of this cell begin with.
    pub prefix: String,
    pub postgres: u16,
    pub broker: u16,
    /// The servers, if the cell has them for itself.
    pub machines: Option<&'m Machines>,
    /// Messages are sent apart from one another.
    pub apart: bool,
    /// Print each turn.
    pub trace: bool,
}

pub struct Conductor<'m> {
    place: Place<'m>,
    program: Rc<Program>,
    faults: Vec<Fault>,
    struck: Vec<bool>,
    control: Control,
    queues: Queues,
    outside: Outside,
    facts: Facts,
    agenda: Agenda,
    now: Millis,
    /// So much later than now what a process is let send reaches its party: it is let do so early.
    ahead: Millis,
    /// Events so far, numbered as a trace numbers them.
    events: u32,
    instances: Vec<Instance>,
    tasks: BTreeMap<u32, Task>,
    next_task: u32,
    fresh: Fresh,
    /// By queue, receivers in the order they began to wait.
    lines: Vec<VecDeque<u32>>,
    background: BTreeMap<u32, Background>,
    /// Followers that wait for the next change.
    followers: Vec<u32>,
    flights: BTreeMap<(u16, u32), Flight>,
    /// By delivery, which message it is or was.
    handed: BTreeMap<(u16, u32), u32>,
    deliveries: Vec<u32>,
    /// By queue and id, when it was accepted last.
    ids: BTreeMap<(u16, String), windows::Accepted>,
    /// Something happened at the broker since the lines were looked at.
    stirred: bool,
    /// By publish, where and when its message was sent.
    publications: u32,
    calls: BTreeMap<u32, Call>,
    /// The wires between brokers and processes that are gone, by instance.
    wires: BTreeMap<usize, Vec<Proxy>>,
    down: Vec<(Party, Millis, Millis)>,
    unreached: Vec<u32>,
    quiet: (u64, u32),
    began: Instant,
}

impl<'m> Conductor<'m> {
    pub fn new(
        place: Place<'m>,
        program: Rc<Program>,
        faults: Vec<Fault>,
        control: Control,
        queues: Queues,
    ) -> Result<Conductor<'m>, Trouble> {
        let facts = Facts::new(&program, &control)?;
        let mut instances = Vec::new();
        for (service, of) in program.services.iter().enumerate() {
            for number in 1..=of.instances {
                instances.push(Instance {
                    service,
                    number,
                    life: 0,
                    paused_until: 0,
                    process: None,
                    visits: vec![0; of.steps.len()],
                    idle_epoch: vec![0; of.triggers.len()],
                    struggles: None,
                });
            }
        }
        let mut agenda = Agenda::default();
        for (index, fault) in faults.iter().enumerate() {
            if let Fault::Down(_, Moment::At(at), _) | Fault::Cut(_, _, Moment::At(at), _) = fault {
                agenda.add(*at, Due::Fault { fault: index });
            }
        }
        Ok(Conductor {
            outside: Outside::new(Rc::clone(&program)).map_err(Trouble::new)?,
            lines: program.queues.iter().map(|_| VecDeque::new()).collect(),
            deliveries: vec![0; program.queues.len()],
            struck: vec![false; faults.len()],
            place,
            program,
            faults,
            control,
            queues,
            facts,
            agenda,
            now: 0,
            ahead: 0,
            events: 0,
            instances,
            tasks: BTreeMap::new(),
            next_task: 1,
            fresh: Fresh::new(),
            background: BTreeMap::new(),
            followers: Vec::new(),
            flights: BTreeMap::new(),
            handed: BTreeMap::new(),
            ids: BTreeMap::new(),
            stirred: false,
            publications: 0,
            calls: BTreeMap::new(),
            wires: BTreeMap::new(),
            down: Vec::new(),
            unreached: Vec::new(),
            quiet: (0, 0),
            began: Instant::now(),
        })
    }

    /// Runs the cell to its end. Errors: the harness could not do its work.
    pub fn run(mut self) -> Result<Facts, Trouble> {
        let ended = self.run_to_its_end();
        let back: Result<(), Trouble> =
            (self.down.clone().into_iter()).try_for_each(|(party, ..)| self.server_up(party));
        // Whoever still runs is stopped before the end is looked at.
        let stopped = self.returning(
            |_| true,
            |conductor| {
                for instance in &mut conductor.instances {
                    instance.process = None;
                }
                Ok(())
            },
        );
        let found = back
            .and(ended)
            .and_then(|ended| stopped.and_then(|()| self.finish(ended)));
        self.control.clear();
        self.queues.clear();
        found.map(|()| self.facts)
    }

    fn run_to_its_end(&mut self) -> Result<Ended, Trouble> {
        for instance in 0..self.instances.len() {
            self.begin_life(instance, true)?;
        }
        for _ in 0..TURNS {
            if let Some(ended) = self.turn()? {
                return Ok(ended);
            }
            if self.began.elapsed() > CELL_PATIENCE {
                return Err(Trouble::new("the cell takes too long"));
            }
        }
        Err(Trouble::new("the cell has too many turns"))
    }

    fn turn(&mut self) -> Result<Option<Ended>, Trouble> {
        self.assign()?;
        let Some(at) = self.agenda.next_at() else {
            return Ok(Some(Ended::Rest));
        };
        match self.program.until {
            Some(until) if at > until => {
                self.now = until;
                return Ok(Some(Ended::Until));
            }
            None if self.agenda.only_polls() && self.quiet.1 >= self.agenda.polls() => return Ok(Some(Ended::Rest)),
            _ => {}
        }
        let Some((at, due)) = self.agenda.pop() else {
            return Ok(None);
        };
        self.now = at;
        if self.place.trace {
            println!("{at:>8} {due:?}");
        }
        if !self.defer_while_frozen(&due) {
            self.happen(due)?;
        }
        Ok(None)
    }

    fn defer_while_frozen(&mut self, due: &Due) -> bool {
        let instance = match due {
            Due::Fire { instance, .. } => Some(*instance),
            Due::Reply { task, .. } | Due::Continue { task } | Due::Ask { task } | Due::Deliver { task, .. } => {
                self.tasks.get(task).map(|task| task.instance)
            }
            Due::Renew { renewal } if renewal.sent.is_none() => self.tasks.get(&renewal.task).map(|t| t.instance),
            _ => None,
        };
        let Some(instance) = instance else { return false };
        let until = self.instances[instance].paused_until;
        if until <= self.now {
            return false;
        }
        let polls = match due {
            Due::Fire { trigger, .. } => matches!(self.trigger(instance, *trigger), TriggerKind::Every(_)),
            _ => false,
        };
        match polls {
            true => self.agenda.add_poll(until, due.clone()),
            false => self.agenda.add(until, due.clone()),
        }
        true
    }

    fn happen(&mut self, due: Due) -> Result<(), Trouble> {
        match due {
            Due::Fire {
                instance,
                trigger,
                life,
                round,
            } => self.fire(instance, trigger, life, round),
            Due::Arrive { task, request } => self.arrive(task, request),
            Due::Finish { task, request } => self.finished(task, request),
            Due::Reply { task, request, answer } => self.reply(task, request, answer),
            Due::Continue { task } => self.go_on(task),
            Due::Ask { task } => self.ask(task),
            Due::Deliver { task, handed } => self.deliver(task, handed),
            Due::LeaseEnds { queue, delivery } => self.lease_ends(queue, delivery),
            Due::Deadlock { task, wait } => self.deadlock(task, wait),
            Due::Renew { renewal } => self.renew(renewal),
            Due::Background { number, answer } => self.background(number, answer),
            Due::Restart { instance, life } => self.restart(instance, life),
            Due::Resume { instance, life } => self.resume(instance, life),
            Due::Fault { fault } => self.timed_fault(fault),
            Due::Up { party } => self.up(party),
        }
    }
}
