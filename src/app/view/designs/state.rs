//! What there is in each design at the common play head, in numbers.

use super::super::Shown;
use crate::app::designs::Seen;
use crate::app::model::Model;
use crate::app::played::Played;
use crate::app::words::sentences::{self, ProcessWord};
use crate::link::Position;
use crate::program::Relation;
use crate::simulation::World;
use crate::simulation::trace::InstanceId;
use crate::value::Millis;
use crate::words::instance_name;
use std::rc::Rc;

/// How much there is of something, or what a process is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// "shop.orders", "Relay".
    pub name: String,
    /// "1", "down".
    pub value: String,
    /// A process that is not at work.
    pub idle: bool,
}

/// Processes that are named at most.
const PROCESSES_MAX: usize = 8;

pub(super) fn states(model: &Model, seen: &Seen) -> Rc<[Rc<[Count]>]> {
    let head = model.comparison.head();
    let state = |design: &Rc<crate::app::designs::Design>| match &design.played {
        Ok(played) => counts(&Shown::of_played(model, played), &world(played, head)),
        Err(_) => Rc::from([]),
    };
    seen.list.iter().map(state).collect()
}

fn world(played: &Played, head: Position) -> World {
    let trace = &played.run.trace;
    match head {
        Position::Start => trace.world_at_start(),
        Position::End => trace.last.clone(),
        Position::At(at) => {
            let at = Millis::try_from(at).unwrap_or(Millis::MAX);
            match trace.events.partition_point(|event| event.at <= at).checked_sub(1) {
                // A trace numbers its events with 32 bits.
                Some(event) => trace.world_at(event as u32),
                None => trace.world_at_start(),
            }
        }
    }
}

fn counts(shown: &Shown<'_>, world: &World) -> Rc<[Count]> {
    let program = shown.program;
    let count = |name: String, number: usize| Count {
        name,
        value: number.to_string(),
        idle: false,
    };
    let named = |relation: Relation| crate::verdict::relation_name(program, relation);
    let mut counts = Vec::new();
    // Databases, tables, queues and outside parties have 16-bit numbers.
    for (database, schema) in program.databases.iter().enumerate() {
        for table in 0..schema.tables.len() {
            let (database, table) = (database as u16, table as u16);
            let rows = world.database(database).rows(table).count();
            counts.push(count(named(Relation::Table { database, table }), rows));
        }
    }
    for queue in 0..program.queues.len() as u16 {
        let messages = world.queue(queue).present().count();
        counts.push(count(named(Relation::Queue(queue)), messages));
    }
    for outside in 0..program.outsides.len() as u16 {
        let relation = Relation::Outside(outside);
        counts.push(count(named(relation), world.facts(relation).len()));
    }
    counts.extend(processes(shown, world));
    counts.into()
}

/// Those that are down or frozen.
fn processes(shown: &Shown<'_>, world: &World) -> impl Iterator<Item = Count> {
    let word = |(id, instance): (InstanceId, &crate::simulation::Instance)| {
        let word = match () {
            () if !instance.up => ProcessWord::Down(None),
            () if instance.paused_until > world.now() => ProcessWord::Paused(instance.paused_until),
            () => return None,
        };
        Some(Count {
            name: instance_name(id, shown.program),
            value: sentences::condition(shown.language, word),
            idle: true,
        })
    };
    (0..).zip(world.instances()).filter_map(word).take(PROCESSES_MAX)
}
