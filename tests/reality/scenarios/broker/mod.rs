//! A cell's queues on the real broker: made, watched and emptied by the conductor.
//!
//! Refuses to know: services, schedules.

mod jetstream;
mod rabbitmq;

pub use jetstream::Jetstream;
pub use rabbitmq::Rabbit;

use super::wire::decode;
use crashpoint::program::{Destination, Program};
use crashpoint::value::{Name, Row, Value};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// What a broker could not do.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;

/// A message as the broker shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub publication: u32,
    pub row: Row,
    /// It has been handed out before.
    pub redelivered: bool,
}

/// Longer than any cell: what ends then does not end by itself.
pub const NEVER: Duration = Duration::from_secs(3_600);

/// What begins anew of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Lease,
    Delay,
}

/// The queues of one cell. One value stands for all brokers of a scenario: each is a vhost of the same server in effect, as names
/// of queues are unique.
pub enum Queues {
    Rabbit(Rabbit),
    Jetstream(Jetstream),
}

impl Queues {
    /// What each queue has accepted since the last question, in sequence.
    pub fn accepted(&mut self, queue: u16) -> Result<Vec<Seen>, Problem> {
        match self {
            Queues::Rabbit(rabbit) => rabbit.accepted(queue),
            Queues::Jetstream(jetstream) => jetstream.accepted(queue),
        }
    }

    /// How many messages could be taken now; none if the broker does not say.
    pub fn ready(&self, queue: u16) -> Option<u32> {
        match self {
            Queues::Rabbit(rabbit) => rabbit.ready(queue),
            Queues::Jetstream(_) => None,
        }
    }

    /// Everything that is left, after all processes are gone.
    pub fn left(&mut self, queue: u16) -> Result<Vec<Seen>, Problem> {
        match self {
            Queues::Rabbit(rabbit) => rabbit.left(queue),
            Queues::Jetstream(jetstream) => jetstream.left(queue),
        }
    }

    /// After the server was down. Errors: it still is.
    pub fn reconnect(&mut self, port: u16) -> Result<(), Problem> {
        match self {
            Queues::Rabbit(rabbit) => rabbit.reconnect(port),
            Queues::Jetstream(jetstream) => jetstream.reconnect(),
        }
    }

    /// How long the broker takes to answer a question about a queue.
    pub fn answers_in(&self, queue: u16) -> Result<Duration, Problem> {
        match self {
            Queues::Rabbit(_) => Ok(Duration::ZERO),
            Queues::Jetstream(jetstream) => jetstream.answers_in(queue),
        }
    }

    /// Makes a delivery young that is told of at this address.
    pub fn touch(&self, reply: &str, touch: Touch) -> Result<(), Problem> {
        match self {
            Queues::Rabbit(_) => Ok(()),
            Queues::Jetstream(jetstream) => jetstream.touch(reply, touch),
        }
    }

    /// Lets the leases and delays end of what was delivered, prolonged or given back at least so long ago.
    pub fn end_leases(&self, queue: u16, age: Duration) -> Result<(), Problem> {
        match self {
            Queues::Rabbit(_) => Ok(()),
            Queues::Jetstream(jetstream) => jetstream.end_leases(queue, age),
        }
    }

    /// The ids are forgotten of what this destination accepted at least so long ago.
    pub fn forget_ids(&self, to: Destination, age: Duration) -> Result<(), Problem> {
        match self {
            Queues::Rabbit(_) => Ok(()),
            Queues::Jetstream(jetstream) => jetstream.forget_ids(to, age),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Queues::Rabbit(rabbit) => rabbit.clear(),
            Queues::Jetstream(jetstream) => jetstream.clear(),
        }
    }
}

/// The row of a queue's message from the fields that were sent.
pub fn row_of(program: &Program, queue: u16, fields: &BTreeMap<String, Json>) -> Row {
    let names: Rc<[Name]> = program.queues[usize::from(queue)].fields.clone();
    let values = names.iter().map(|name| fields.get(&**name).map_or(Value::Null, decode));
    Row::new(Rc::clone(&names), values.collect())
}

/// The id by which a broker knows a copy.
pub fn id_of(row: &Row) -> Option<String> {
    match row.get("id") {
        None | Some(Value::Null) => None,
        Some(id) => Some(id.to_string()),
    }
}
