//! Which orders of simultaneous entries of the agenda can matter.
//!
//! An entry touches parties and processes. Two that touch nothing in common commute: either order leaves the same world. So at
//! an instant it is enough to try as the first entry each of those that are tied to one another, over others, by what they
//! touch (a *persistent set*: what the rest does within the instant touches none of them; every entry of an instant happens
//! before time goes on, and what it adds to the instant touches no more than it did itself). What an entry touches is taken
//! generously before it happens, and exactly afterwards where it merely took a process to its next request.
//!
//! Parties whose facts are compared by one promise count as one: the sequence of their facts is part of what a run is worth.

use super::super::agenda::{Due, Key};
use super::super::step::party_of;
use super::super::trace::{InstanceId, Party};
use super::super::world::{Task, TaskId, TaskState, World};
use crate::program::{Destination, Fault, Instruction, Program, Relation, Request, Service, StepName, Visits};
use crate::value::Millis;

/// What an entry touches: a bit for each party and each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Touches(u64);

const EVERYTHING: Touches = Touches(u64::MAX);
/// The last bit: the counters of `fresh`, which all processes share.
const FRESH: u64 = 1 << 63;

impl Touches {
    fn meets(self, other: Touches) -> bool {
        self.0 & other.0 != 0
    }

    fn and(self, other: Touches) -> Touches {
        Touches(self.0 | other.0)
    }
}

/// What each party and each service touches, and which facts are compared.
#[derive(Clone, Debug)]
pub(in super::super) struct Orders {
    databases: Vec<Touches>,
    brokers: Vec<Touches>,
    outsides: Vec<Touches>,
    /// By instance: the process alone, and with everything it may reach without a request.
    processes: Vec<(Touches, Touches)>,
}

impl Orders {
    /// `compared`: groups of relations whose facts are compared with one another, each relation in one at most.
    pub fn new(program: &Program, compared: &[Vec<Relation>]) -> Orders {
        let (databases, brokers) = (program.databases.len(), program.brokers.len());
        let parties = databases + brokers + program.outsides.len();
        let instances: usize = program
            .services
            .iter()
            .map(|service| usize::from(service.instances))
            .sum();
        let bit = |index: usize| match parties + instances < 63 {
            true => Touches(1 << index),
            // Too many to tell apart: every order is tried.
            false => EVERYTHING,
        };
        let mut touches: Vec<Touches> = (0..parties).map(bit).collect();
        for group in compared {
            let members = group.iter().map(|relation| match relation {
                Relation::Table { database, .. } | Relation::Changes { database, .. } => usize::from(*database),
                Relation::Queue(queue) | Relation::Dead(queue) => {
                    databases + usize::from(program.queues[usize::from(*queue)].broker)
                }
                Relation::Outside(outside) => databases + brokers + usize::from(*outside),
            });
            join(&mut touches, &members.collect::<Vec<_>>());
        }
        let outsides = touches.split_off(databases + brokers);
        let of_brokers = touches.split_off(databases);
        let mut orders = Orders {
            databases: touches,
            brokers: of_brokers,
            outsides,
            processes: Vec::new(),
        };
        let called = program.services.iter().any(calls_services);
        for service in &program.services {
            for _ in 0..service.instances {
                let own = bit(parties + orders.processes.len());
                let reach = if called {
                    EVERYTHING
                } else {
                    orders.reach(program, service)
                };
                orders.processes.push((own, own.and(reach)));
            }
        }
        orders
    }

    /// The parties that a service has connections to.
    fn reach(&self, program: &Program, service: &Service) -> Touches {
        let databases = service
            .databases
            .iter()
            .map(|database| self.databases[usize::from(*database)]);
        let mut reach = databases.fold(Touches(0), Touches::and);
        for instruction in &service.code {
            if let Instruction::Step { request, .. } = instruction
                && let Some(broker) = broker_of(program, request)
            {
                reach = reach.and(self.brokers[usize::from(broker)]);
            }
        }
        // A receiver asks its broker, and gives back to it.
        for broker in service
            .triggers
            .iter()
            .filter_map(|trigger| received_from(program, trigger))
        {
            reach = reach.and(self.brokers[usize::from(broker)]);
        }
        if draws_fresh_names(service) {
            reach.0 |= FRESH;
        }
        // Acks name their queue only when they are sent.
        let acks =
            |request: &Request| matches!(request, Request::Ack(_) | Request::Nack { .. } | Request::Extend { .. });
        let answers = |instruction: &Instruction| match instruction {
            Instruction::Step { request, .. } => acks(request),
            Instruction::Keep { .. } => true,
            _ => false,
        };
        if service.code.iter().any(answers) {
            reach = self.brokers.iter().copied().fold(reach, Touches::and);
        }
        reach
    }

    fn party(&self, party: Party) -> Touches {
        match party {
            Party::Database(index) => self.databases[usize::from(index)],
            Party::Broker(index) => self.brokers[usize::from(index)],
            Party::Outside(index) => self.outsides[usize::from(index)],
            Party::Service(_) => EVERYTHING,
        }
    }

    fn queue(&self, program: &Program, queue: u16) -> Touches {
        self.brokers[usize::from(program.queues[usize::from(queue)].broker)]
    }

    fn process(&self, world: &World, task: TaskId) -> Touches {
        world
            .instance_of(task)
            .map_or(Touches(0), |instance| self.processes[usize::from(instance)].1)
    }

    /// What an entry may touch, at most.
    fn before(&self, program: &Program, world: &World, due: &Due) -> Touches {
        let instance = |instance: InstanceId| self.processes[usize::from(instance)].1;
        match due {
            Due::Fire { instance: at, .. } | Due::Restart { instance: at, .. } | Due::Resume { instance: at, .. } => {
                instance(*at)
            }
            Due::Reply { task, .. } | Due::Continue { task } | Due::Ask { task } | Due::Deliver { task, .. } => {
                self.process(world, *task)
            }
            Due::Arrive { task, .. }
            | Due::Finish { task, .. }
            | Due::Woken { task, .. }
            | Due::Deadlock { task, .. } => {
                match world
                    .tasks
                    .get(task)
                    .map(|found| (found.instance, party_asked(program, world, found)))
                {
                    Some((_, Some(party))) => self.party(party),
                    // A sleep, or something that is local to its process.
                    Some((at, None)) => self.processes[usize::from(at)].0,
                    None => Touches(0),
                }
            }
            Due::LeaseEnds { queue, .. } | Due::DelayOver { queue, .. } | Due::Expires { queue, .. } => {
                self.queue(program, *queue)
            }
            _ => EVERYTHING,
        }
    }

    /// The other entries of this instant of which one or more may have to go first, now that the first one has gone: none, if it
    /// commutes with them all. `before` is the world in which they all stood, `after` the one that the first has left.
    pub fn alternatives(&self, program: &Program, before: &World, after: &World) -> Vec<Key> {
        let tied = before.coming();
        let [(_, first), rest @ ..] = &*tied else {
            return Vec::new();
        };
        if rest.is_empty() {
            return Vec::new();
        }
        let touched = self.touched(program, before, after, first);
        let touches: Vec<Touches> = rest.iter().map(|(_, due)| self.before(program, before, due)).collect();
        if !touches.iter().any(|other| other.meets(touched)) {
            return Vec::new();
        }
        // All that are tied to the first, over others: once more for each that comes in.
        let mut group = self.before(program, before, first);
        let mut inside = vec![false; rest.len()];
        while let Some(next) = (0..rest.len()).find(|next| !inside[*next] && touches[*next].meets(group)) {
            inside[next] = true;
            group = group.and(touches[next]);
        }
        let keys = rest.iter().zip(inside).filter(|(_, inside)| *inside);
        keys.map(|((key, _), _)| *key).collect()
    }

    /// What an entry has touched: its process alone, if it has led no further than to the next request.
    fn touched(&self, program: &Program, before: &World, after: &World, due: &Due) -> Touches {
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
            let same_pass = before.tasks.get(&id).is_none_or(|earlier| earlier.pass == task.pass);
            let asked = task.state == TaskState::InFlight && same_pass && before.struck == after.struck;
            (asked && before.fresh.size() == after.fresh.size() && !self.counts_fresh(task.instance))
                .then_some(self.processes[usize::from(task.instance)].0)
        });
        merely_asked.unwrap_or_else(|| self.before(program, before, due))
    }

    fn counts_fresh(&self, instance: InstanceId) -> bool {
        self.processes[usize::from(instance)].1.0 & FRESH != 0
    }
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

/// Whom a task's request is for.
fn party_asked(program: &Program, world: &World, task: &Task) -> Option<Party> {
    let sent = task.request.as_ref()?;
    let service = usize::from(world.instance(task.instance).service);
    match program.services[service].code.get(sent.pc as usize)? {
        Instruction::Step { request, .. } => party_of(program, request, &sent.payload),
        _ => None,
    }
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

/// Members of a group touch whatever one of them touches; so do those that had been joined to them before.
fn join(touches: &mut [Touches], members: &[usize]) {
    let joined = members
        .iter()
        .map(|member| touches[*member])
        .fold(Touches(0), Touches::and);
    for other in touches.iter_mut().filter(|other| other.meets(joined)) {
        *other = joined;
    }
}

fn calls_services(service: &Service) -> bool {
    let calls = |instruction: &Instruction| {
        matches!(
            instruction,
            Instruction::Step {
                request: Request::CallService { .. },
                ..
            }
        )
    };
    service.code.iter().any(calls)
}

fn broker_of(program: &Program, request: &Request) -> Option<u16> {
    let of_queue = |queue: &u16| program.queues[usize::from(*queue)].broker;
    match request {
        Request::Publish {
            destination: Destination::Queue(queue),
            ..
        } => Some(of_queue(queue)),
        Request::Publish {
            destination: Destination::Topic(topic),
            ..
        } => Some(program.topics[usize::from(*topic)].broker),
        Request::Redrive { from, .. } => Some(of_queue(from)),
        Request::Transaction { broker, .. } => Some(*broker),
        _ => None,
    }
}

fn received_from(program: &Program, trigger: &crate::program::Trigger) -> Option<u16> {
    match &trigger.kind {
        crate::program::TriggerKind::Receive { queue, .. } => Some(program.queues[usize::from(*queue)].broker),
        _ => None,
    }
}

/// Whether `fresh` stands anywhere in its code: it has but one written form.
fn draws_fresh_names(service: &Service) -> bool {
    format!("{:?} {:?}", service.code, service.memory).contains("Fresh")
}
