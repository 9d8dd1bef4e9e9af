//! What is there at the end: rows, messages, effects outside.

use super::value::{Entries, Fields, Json};
use crate::broker::{Held, Message};
use crate::program::{Program, Relation};
use crate::simulation::World;
use crate::value::{Row, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A queue at the end. Delayed messages are listed only if there are any.
#[derive(serde::Serialize)]
pub struct Messages {
    pub ready: Vec<Queued>,
    pub in_flight: Vec<Queued>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delayed: Vec<Queued>,
    /// What transactions hold that are open or prepared. Listed only if there is any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Queued>,
    /// What was given up in this queue, wherever it lies now.
    pub dead: Vec<Queued>,
}

/// A message: `id`, `body`, `deliveries`, then whatever else its publisher set.
pub struct Queued {
    pub row: Row,
    pub deliveries: u32,
}

impl Queued {
    fn new(message: &Message) -> Queued {
        Queued {
            row: message.row.clone(),
            deliveries: message.deliveries,
        }
    }

    fn held(held: Held<'_>) -> Queued {
        Queued {
            row: held.row.clone(),
            deliveries: held.message.map_or(0, |message| message.deliveries),
        }
    }
}

impl Serialize for Queued {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for name in ["id", "body"] {
            map.serialize_entry(name, &Json(self.row.get(name).unwrap_or(&Value::Null)))?;
        }
        map.serialize_entry("deliveries", &self.deliveries)?;
        for (name, value) in self.row.fields() {
            if !["id", "body"].contains(&&**name) && *value != Value::Null {
                map.serialize_entry(&**name, &Json(value))?;
            }
        }
        map.end()
    }
}

pub(super) fn databases(program: &Program, world: &World) -> Entries<Entries<Vec<Fields>>> {
    let databases = (0..).zip(&program.databases).map(|(database, schema)| {
        let tables = (0..).zip(&schema.tables).map(|(table, schema)| {
            let rows = world.rows(database, table).into_iter();
            (schema.name.to_string(), rows.map(|(_, row)| Fields(row)).collect())
        });
        (schema.name.to_string(), Entries(tables.collect()))
    });
    Entries(databases.collect())
}

pub(super) fn queues(program: &Program, world: &World) -> Entries<Messages> {
    let queues = (0..).zip(&program.queues).map(|(number, schema)| {
        let queue = world.queue(number);
        let messages = Messages {
            ready: queue.ready().map(Queued::new).collect(),
            in_flight: queue.in_flight().map(|held| Queued::new(&held.message)).collect(),
            delayed: queue.delayed().map(|(_, message)| Queued::new(message)).collect(),
            held: world.held(number).map(Queued::held).collect(),
            dead: world
                .dead_letters(program, number)
                .into_iter()
                .map(Queued::new)
                .collect(),
        };
        (schema.name.to_string(), messages)
    });
    Entries(queues.collect())
}

pub(super) fn outside(program: &Program, world: &World) -> Entries<Vec<Fields>> {
    let parties = (0..).zip(&program.outsides).map(|(number, party)| {
        let effects = world.facts(Relation::Outside(number)).iter();
        let effects = effects.map(|effect| Fields(effect.row.clone())).collect();
        (party.record.name.to_string(), effects)
    });
    Entries(parties.collect())
}
