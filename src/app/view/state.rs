//! The state at the play head: tables, queues, outside parties, processes, and what the last event changed.

use super::Shown;
use crate::app::lanes;
use crate::app::model::Head;
use crate::app::words::sentences::{self, ProcessWord};
use crate::program::Relation;
use crate::simulation::World;
use crate::simulation::trace::{EventKind, InstanceId, Party};
use crate::value::{Name, Row, Value};
use crate::words::{instance_name, instant};
use std::collections::BTreeMap;

mod queues;
mod shapes;
mod tables;

pub use shapes::{Change, Condition, Instance, MessagePlace, Queue, QueueMessage, State, Table, TableCell, TableRow};

/// Rows, messages and effects of one list that are shown at most.
const ROWS_MAX: usize = 50;

/// Two instants: the one shown, and the one it is compared with.
struct Instants {
    now: World,
    /// None where nothing is marked as changed: at the beginning and at the end.
    before: Option<World>,
}

pub(super) fn state(shown: &Shown<'_>) -> State {
    let instants = instants(shown);
    State {
        title: title(shown),
        tables: tables::tables(shown, &instants),
        queues: queues::queues(shown, &instants),
        outsides: tables::outsides(shown, &instants),
        instances: lanes::instances(&shown.model.played)
            .into_iter()
            .map(|id| instance(shown, &instants, id))
            .collect(),
    }
}

fn instants(shown: &Shown<'_>) -> Instants {
    let trace = &shown.run.trace;
    let world = |happened: u32| match happened.checked_sub(1) {
        Some(event) => trace.world_at(event),
        None => trace.world_at_start(),
    };
    match shown.model.head {
        Head::End => Instants {
            now: trace.last.clone(),
            before: None,
        },
        Head::After(0) => Instants {
            now: trace.world_at_start(),
            before: None,
        },
        Head::After(happened) => {
            let now = world(happened);
            // Several events may belong to one instant: it is compared with the instant before it.
            let before = world(happened - 1);
            let is_earlier = before.event_count() < now.event_count();
            Instants {
                now,
                before: is_earlier.then_some(before),
            }
        }
    }
}

fn title(shown: &Shown<'_>) -> String {
    let event = shown.at_head().and_then(|id| shown.run.trace.events.get(id as usize));
    match (shown.model.head, event) {
        (Head::End, _) => sentences::state_at_end(shown.language, shown.run.trace.ended_at),
        (Head::After(_), Some(event)) => sentences::state_at(shown.language, event.at, &shown.explain(event)),
        (Head::After(_), None) => sentences::state_at_start(shown.language).to_owned(),
    }
}

fn instance(shown: &Shown<'_>, instants: &Instants, id: InstanceId) -> Instance {
    let (condition, word) = condition(shown, &instants.now, id);
    let memory = memory(shown, &instants.now, id);
    let before = instants.before.as_ref();
    let changed = before.is_some_and(|before| {
        self::condition(shown, before, id).0 != condition || self::memory(shown, before, id) != memory
    });
    Instance {
        name: instance_name(id, shown.program),
        condition,
        text: sentences::condition(shown.language, word),
        memory,
        changed,
    }
}

fn condition(shown: &Shown<'_>, world: &World, id: InstanceId) -> (Condition, ProcessWord) {
    let instance = world.instance(id);
    if !instance.up {
        return (Condition::Down, ProcessWord::Down(restart_at(shown, world, id)));
    }
    if instance.paused_until > world.now() {
        return (Condition::Paused, ProcessWord::Paused(instance.paused_until));
    }
    (Condition::Up, ProcessWord::Up)
}

/// When a process that is down will be started again.
fn restart_at(shown: &Shown<'_>, world: &World, id: InstanceId) -> Option<i64> {
    let happened = shown
        .run
        .trace
        .events
        .get(..world.event_count() as usize)
        .unwrap_or_default();
    happened
        .iter()
        .rev()
        .filter(|event| event.instance == Some(id))
        .find_map(|event| match event.kind {
            EventKind::Crash { restart_at, .. } | EventKind::Exit { restart_at, .. } => Some(restart_at),
            _ => None,
        })?
}

/// The variables of the instance and of the passes it is in; a process that is down has none.
fn memory(shown: &Shown<'_>, world: &World, id: InstanceId) -> Vec<(Name, String)> {
    let instance = world.instance(id);
    let service = shown.program.services.get(usize::from(instance.service));
    let (Some(service), true) = (service, instance.up) else {
        return Vec::new();
    };
    let own = service
        .memory
        .iter()
        .zip(instance.memory.iter())
        .map(|((name, _), value)| (name.clone(), spelled(shown, value)));
    let locals = world
        .variables(shown.program, id)
        .into_iter()
        .map(|(name, value)| (name, spelled(shown, &value)));
    own.chain(locals).collect()
}

/// A variable's value: the rows of a list one by one.
fn spelled(shown: &Shown<'_>, value: &Value) -> String {
    match value {
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| format!("({})", spelled(shown, item))).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Row(row) => {
            let values: Vec<String> = row.values().iter().map(|value| spelled(shown, value)).collect();
            values.join(", ")
        }
        Value::Time(at) => instant(*at, shown.language),
        other => other.to_string(),
    }
}
