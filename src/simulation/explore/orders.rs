//! Which orders of simultaneous entries of the agenda can matter.
//!
//! An entry touches parties and processes (`touches`). Two that do not meet commute: either order leaves the same world. So at an
//! instant it is enough to try as the first entry each of those that are tied to one another, over others, by what they
//! touch (a *persistent set*: what the rest does within the instant touches none of them; every entry of an instant happens
//! before time goes on, and what it adds to the instant touches no more than it did itself).
//!
//! What an entry touches is taken generously before it happens. Where that would tie it to others it is tried: one that merely
//! takes a process to its next request has touched nothing but the process, and would do so after the others, too, unless one
//! of them touches that process. If a fault may strike it there, it touches what the process's death touches, too: the run
//! under that fault branches off the same orders.

use super::super::agenda::{Due, Key};
use super::super::kernel::{Budget, Kernel};
use super::super::run::Silent;
use super::super::step::party_of;
use super::super::trace::{InstanceId, Party};
use super::super::world::{Task, TaskId, TaskState, World};
use super::candidates::FaultKind;
use super::touches::{EVERYTHING, Map, NOTHING, OfProcess, Touches};
use crate::program::{Fault, Instruction, Program, Relation, StepName, TriggerKind, Visits};
use crate::value::Millis;
use std::cell::OnceCell;

/// Knows what entries of a program's agenda touch.
#[derive(Clone, Debug)]
pub(in super::super) struct Orders {
    map: Map,
    budget: Budget,
    /// Some of the faults stop more than one process.
    wide: bool,
}

/// An entry of an instant, and what it touches.
struct Tied<'a> {
    key: Key,
    due: &'a Due,
    generously: Touches,
    exactly: OnceCell<Touches>,
}

impl Orders {
    /// `compared`: groups of relations whose facts are compared with one another, each relation in one at most.
    pub fn new(program: &Program, compared: &[Vec<Relation>], kinds: &[FaultKind], budget: Budget) -> Orders {
        Orders {
            map: Map::new(program, compared),
            budget,
            wide: kinds
                .iter()
                .any(|kind| matches!(kind, FaultKind::Down | FaultKind::Cut)),
        }
    }

    /// The other entries of this instant of which one or more may have to go first, now that the first one has gone: none, if it
    /// commutes with them all. `before` is the world in which they all stood, `after` the one that the first has left; `mortal`:
    /// faults may be added that strike there.
    pub fn alternatives(&self, program: &Program, before: &World, after: &World, mortal: bool) -> Vec<Key> {
        let tied = before.coming();
        let [(_, first), rest @ ..] = &*tied else {
            return Vec::new();
        };
        let rest: Vec<Tied> = rest
            .iter()
            .map(|(key, due)| self.tied(program, before, *key, due))
            .collect();
        // All that are tied to the first, over others: once more for each that comes in.
        let mut group = self.touched(program, before, after, first, mortal);
        let mut inside = vec![false; rest.len()];
        let exactly = |place: usize| self.exactly((program, before), first, &rest, place, mortal);
        let enters = |place: usize, group: Touches| rest[place].generously.meets(group) && exactly(place).meets(group);
        while let Some(next) = (0..rest.len()).find(|next| !inside[*next] && enters(*next, group)) {
            inside[next] = true;
            group = group.and(exactly(next));
        }
        let keys = rest.iter().zip(inside).filter(|(_, inside)| *inside);
        keys.map(|(tied, _)| tied.key).collect()
    }

    fn tied<'a>(&self, program: &Program, before: &World, key: Key, due: &'a Due) -> Tied<'a> {
        Tied {
            key,
            due,
            generously: self.before(program, before, due),
            exactly: OnceCell::new(),
        }
    }

    /// What an entry would touch: found out, unless others of the instant may change what it does.
    fn exactly(
        &self,
        (program, before): (&Program, &World),
        first: &Due,
        rest: &[Tied],
        place: usize,
        mortal: bool,
    ) -> Touches {
        let tied = &rest[place];
        *tied.exactly.get_or_init(|| {
            let Some(own) = self.process_of(before, tied.due).map(|process| process.own) else {
                return tied.generously;
            };
            let mut others = rest.iter().enumerate().filter(|(other, _)| *other != place);
            let of_first = self.before(program, before, first);
            if of_first.meets(own) || others.any(|(_, other)| other.generously.meets(own)) {
                return tied.generously;
            }
            let mut after = before.clone();
            after.agenda.bring_forward(tied.key);
            let mut kernel = Kernel {
                program,
                world: &mut after,
                recorder: &mut Silent,
                budget: self.budget,
            };
            match kernel.turn() {
                None => self.touched(program, before, &after, tied.due, mortal),
                Some(_) => tied.generously,
            }
        })
    }

    /// The process that an entry lets go on.
    fn process_of(&self, world: &World, due: &Due) -> Option<OfProcess> {
        let instance = match due {
            Due::Fire { instance, .. } => Some(*instance),
            Due::Reply { task, .. } | Due::Continue { task } | Due::Deliver { task, .. } => world.instance_of(*task),
            _ => None,
        };
        instance.map(|instance| self.process(instance))
    }

    fn process(&self, instance: InstanceId) -> OfProcess {
        self.map.processes[usize::from(instance)]
    }

    /// What an entry may touch, at most.
    fn before(&self, program: &Program, world: &World, due: &Due) -> Touches {
        let reach = |instance: InstanceId| self.process(instance).reach;
        match due {
            Due::Fire { instance: at, .. } | Due::Restart { instance: at, .. } | Due::Resume { instance: at, .. } => {
                reach(*at)
            }
            Due::Reply { task, .. } | Due::Continue { task } | Due::Deliver { task, .. } => {
                world.instance_of(*task).map_or(NOTHING, reach)
            }
            Due::Ask { task } => world
                .tasks
                .get(task)
                .map_or(NOTHING, |task| self.asked(program, world, task)),
            Due::Arrive { task, .. }
            | Due::Finish { task, .. }
            | Due::Woken { task, .. }
            | Due::Deadlock { task, .. } => world
                .tasks
                .get(task)
                .map_or(NOTHING, |found| self.requested(program, world, *task, found)),
            Due::LeaseEnds { queue, .. } | Due::DelayOver { queue, .. } | Due::Expires { queue, .. } => {
                self.queue(program, *queue)
            }
            _ => EVERYTHING,
        }
    }

    fn queue(&self, program: &Program, queue: u16) -> Touches {
        self.map.brokers[usize::from(program.queues[usize::from(queue)].broker)]
    }

    /// A receiver asks its broker.
    fn asked(&self, program: &Program, world: &World, task: &Task) -> Touches {
        let process = self.process(task.instance);
        let service = &program.services[usize::from(world.instance(task.instance).service)];
        match service.triggers[usize::from(task.trigger)].kind {
            TriggerKind::Receive { queue, .. } => process.own.and(self.queue(program, queue)),
            _ => process.reach,
        }
    }

    /// A request is with its party.
    fn requested(&self, program: &Program, world: &World, id: TaskId, task: &Task) -> Touches {
        let process = self.process(task.instance);
        // When the party has done with it, what the process has left open ends.
        if task.state == TaskState::Orphan {
            return process.reach;
        }
        let Some(sent) = task.request.as_ref() else {
            return process.own;
        };
        let service = world.instance(task.instance).service;
        let request = match program.services[usize::from(service)].code.get(sent.pc as usize) {
            Some(Instruction::Step { request, .. }) => request,
            _ => return process.own,
        };
        process.own.and(match party_of(program, request, &sent.payload) {
            Some(Party::Database(database)) => {
                let within = world.database(database).in_transaction(id);
                let statement = self.map.statement(service, sent.pc, within, waits(world));
                statement.unwrap_or_else(|| self.map.database(database))
            }
            Some(Party::Broker(broker)) => self.map.brokers[usize::from(broker)],
            Some(Party::Outside(outside)) => self.map.outsides[usize::from(outside)],
            Some(Party::Service(_)) => EVERYTHING,
            // A sleep, or something that is local to its process.
            None => NOTHING,
        })
    }

    /// What an entry has touched: its process alone, if it has led no further than to the next request.
    fn touched(&self, program: &Program, before: &World, after: &World, due: &Due, mortal: bool) -> Touches {
        let task = match due {
            Due::Reply { task, .. } | Due::Continue { task } | Due::Deliver { task, .. } => Some(*task),
            Due::Fire { .. } => after
                .tasks
                .last()
                .map(|(task, _)| *task)
                .filter(|task| *task >= before.next_task),
            _ => None,
        };
        let merely_asked = task.and_then(|id| {
            let task = after.tasks.get(&id)?;
            let travels = task.request.as_ref().is_some_and(|sent| !sent.payload.is_local());
            let same_pass = before.tasks.get(&id).is_none_or(|earlier| earlier.pass == task.pass);
            let asked = task.state == TaskState::InFlight && travels && same_pass && before.struck == after.struck;
            let process = self.process(task.instance);
            (asked && !process.draws).then_some(match (mortal, self.wide || waits(before)) {
                (false, _) => process.own,
                (true, false) => process.death,
                (true, true) => return None,
            })
        });
        merely_asked.unwrap_or_else(|| self.before(program, before, due))
    }
}

/// Somebody waits for a lock, or may: the end of a transaction can lead to more than it does itself.
fn waits(world: &World) -> bool {
    let mut tasks = world.tasks.values();
    tasks.any(|task| matches!(task.state, TaskState::Waiting | TaskState::Orphan))
}

/// Another order at one instant than a run by itself takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Swap {
    pub at: Millis,
    /// Delays by the shortest time of the requests that are overtaken: with them a run by itself takes this order, too, if
    /// nothing but requests is overtaken and nothing depends on that time.
    pub delays: Vec<Fault>,
}

impl Swap {
    /// An entry goes first at its instant.
    pub(super) fn before(program: &Program, world: &World, key: Key) -> Swap {
        let tied = world.coming();
        let overtaken = tied.iter().take_while(|(other, _)| *other != key);
        let delays = overtaken.filter_map(|(_, due)| match due {
            Due::Arrive { task, .. } => delayed(program, world, *task),
            _ => None,
        });
        Swap {
            at: key.0,
            delays: delays.collect(),
        }
    }
}

/// A delay by the shortest time of the request that a task has sent.
fn delayed(program: &Program, world: &World, task: TaskId) -> Option<Fault> {
    let task = world.tasks.get(&task)?;
    let sent = task.request.as_ref()?;
    let instance = world.instance(task.instance);
    let service = &program.services[usize::from(instance.service)];
    let first = StepName {
        service: service.name.clone(),
        instance: instance.number,
        step: service.steps[usize::from(sent.step)].clone(),
        visit: sent.visit?,
    };
    let visits = Visits {
        first,
        and_all_later: false,
    };
    Some(Fault::Delay(visits, 1))
}

/// The relations that hold the facts; groups that share one are one.
pub(super) fn merged(groups: &[Vec<Relation>]) -> Vec<Vec<Relation>> {
    let mut merged: Vec<Vec<Relation>> = Vec::new();
    for group in groups {
        let mut group: Vec<Relation> = group.iter().copied().map(holder_of_facts).collect();
        let (shared, apart): (Vec<_>, Vec<_>) = merged
            .into_iter()
            .partition(|other| other.iter().any(|relation| group.contains(relation)));
        group.extend(shared.into_iter().flatten());
        merged = apart;
        merged.push(group);
    }
    merged
}

/// A table's changes are its facts, and dead letters their queue's.
fn holder_of_facts(relation: Relation) -> Relation {
    match relation {
        Relation::Changes { database, table } => Relation::Table { database, table },
        Relation::Dead(queue) => Relation::Queue(queue),
        other => other,
    }
}
