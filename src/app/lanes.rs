//! Which lanes the timeline has, from top to bottom.
//!
//! Each service's instances, and below the first that writes to them the queues and outside parties: messages go down.
//! Refuses to know: what stands on a lane.

use crate::app::played::Played;
use crate::app::survey;
use crate::program::{Destination, Fault, Instruction, Program, Relation, Request, Service};
use crate::simulation::trace::{InstanceId, Party};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a lane belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOf {
    Instance(InstanceId),
    Queue(u16),
    Outside(u16),
    Database(u16),
}

/// Instances of one service that have a lane. Nobody looks at ten thousand of them, and a page of so many stands still.
const INSTANCES_MAX: u16 = 20;

/// The instances that have a lane: the first of each service, and those that a fault names.
pub fn instances(played: &Played) -> BTreeSet<InstanceId> {
    let mut shown: BTreeSet<InstanceId> = (0..played.faults.len())
        .filter_map(|marker| survey::instance_of(played, marker))
        .collect();
    let mut first = 0;
    for service in &played.program().services {
        shown.extend(first..first + service.instances.min(INSTANCES_MAX));
        first += service.instances;
    }
    shown
}

/// How many instances of its service have no lane, if this is the last one that has.
pub fn hidden_after(program: &Program, shown: &BTreeSet<InstanceId>, instance: InstanceId) -> usize {
    let mut first = 0;
    for service in &program.services {
        let own = first..first + service.instances;
        first += service.instances;
        if own.contains(&instance) {
            let is_last = shown.range(own.clone()).next_back() == Some(&instance);
            return if is_last {
                own.len() - shown.range(own).count()
            } else {
                0
            };
        }
    }
    0
}

/// The lanes of what is played. The same program and the same faulty parties give the same lanes, so none moves during a drag
/// but a dead-letter queue, which comes last and only when there is something in it.
pub fn of(played: &Played) -> Vec<LaneOf> {
    let program = played.program();
    let shown = instances(played);
    let mut lanes = Vec::new();
    let mut instance = 0;
    for service in &program.services {
        let own = shown.range(instance..instance + service.instances);
        lanes.extend(own.copied().map(LaneOf::Instance));
        instance += service.instances;
        for below in written(program, service) {
            if !lanes.contains(&below) {
                lanes.push(below);
            }
        }
    }
    lanes.extend(faulty_databases(played));
    let used = |queue: &u16| !played.run.trace.last.facts(Relation::Queue(*queue)).is_empty();
    // Queues have 16-bit numbers.
    let others = (0..program.queues.len() as u16).filter(|queue| !lanes.contains(&LaneOf::Queue(*queue)));
    let others: Vec<LaneOf> = others.filter(used).map(LaneOf::Queue).collect();
    lanes.extend(others);
    lanes
}

/// Queues a service publishes to and outside parties it calls, in text sequence.
fn written(program: &Program, service: &Service) -> Vec<LaneOf> {
    let mut found = Vec::new();
    for instruction in &service.code {
        let Instruction::Step { request, .. } = instruction else {
            continue;
        };
        match request {
            Request::Publish {
                destination: Destination::Queue(queue),
                ..
            } => found.push(LaneOf::Queue(*queue)),
            Request::Publish {
                destination: Destination::Topic(topic),
                ..
            } => {
                let queues = program
                    .topics
                    .get(usize::from(*topic))
                    .map(|topic| topic.queues.as_slice());
                found.extend(queues.unwrap_or_default().iter().copied().map(LaneOf::Queue));
            }
            Request::CallOutside { outside, .. } => found.push(LaneOf::Outside(*outside)),
            _ => {}
        }
    }
    found
}

/// Databases that a fault line takes down or cuts off: elsewhere nothing happens to them that needs a lane.
fn faulty_databases(played: &Played) -> Vec<LaneOf> {
    let named = |name: &str| {
        played.faults.iter().any(|line| match &line.fault {
            Fault::Down(party, ..) => &**party == name,
            Fault::Cut(one, other, ..) => &**one == name || &**other == name,
            _ => false,
        })
    };
    let databases = played.program().databases.iter().enumerate();
    // Databases have 16-bit numbers.
    databases
        .filter(|(_, database)| named(&database.name))
        .map(|(index, _)| LaneOf::Database(index as u16))
        .collect()
}

/// The lanes of a party: a broker's are its queues.
pub fn of_party(program: &Program, lanes: &[LaneOf], party: Party) -> Vec<usize> {
    let belongs = |lane: &LaneOf| match (lane, party) {
        (LaneOf::Database(own), Party::Database(party)) => *own == party,
        (LaneOf::Outside(own), Party::Outside(party)) => *own == party,
        (LaneOf::Queue(queue), Party::Broker(party)) => program
            .queues
            .get(usize::from(*queue))
            .is_some_and(|queue| queue.broker == party),
        (LaneOf::Instance(instance), Party::Service(party)) => crate::app::ruler::instances(program)
            .get(usize::from(*instance))
            .is_some_and(|(service, _)| *service == usize::from(party)),
        _ => false,
    };
    lanes
        .iter()
        .enumerate()
        .filter(|(_, lane)| belongs(lane))
        .map(|(index, _)| index)
        .collect()
}

/// A party by its name.
pub fn party(program: &Program, name: &str) -> Option<Party> {
    let at = |position: Option<usize>| position.and_then(|position| u16::try_from(position).ok());
    let database = at(program.databases.iter().position(|database| &*database.name == name)).map(Party::Database);
    database
        .or_else(|| at(program.brokers.iter().position(|broker| &*broker.name == name)).map(Party::Broker))
        .or_else(|| {
            at(program
                .outsides
                .iter()
                .position(|outside| &*outside.record.name == name))
            .map(Party::Outside)
        })
        .or_else(|| at(program.services.iter().position(|service| &*service.name == name)).map(Party::Service))
}

/// A lane's name as it stands in front of it.
pub fn name(program: &Rc<Program>, lane: LaneOf) -> String {
    match lane {
        LaneOf::Instance(instance) => crate::words::instance_name(instance, program),
        LaneOf::Queue(queue) => program
            .queues
            .get(usize::from(queue))
            .map_or_else(String::new, |queue| queue.name.to_string()),
        LaneOf::Outside(outside) => program
            .outsides
            .get(usize::from(outside))
            .map_or_else(String::new, |outside| outside.record.name.to_string()),
        LaneOf::Database(database) => program
            .databases
            .get(usize::from(database))
            .map_or_else(String::new, |database| database.name.to_string()),
    }
}
