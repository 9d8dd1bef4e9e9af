//! What the conductor and the processes of a scenario say to each other: one JSON line a message, over the process's standard
//! input and output.
//!
//! Refuses to know: who acts when, and what any message brings about.

pub use super::encoding::{decode, encode};
use crashpoint::expression::{ErrorClass, Failure};
use crashpoint::value::{Millis, Value};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// The numbers that `fresh` has given so far, by prefix. They are the whole run's, so they travel with who draws them.
pub type Fresh = BTreeMap<String, i64>;

/// Where a process finds everybody. Ports are those of proxies on loopback, one for each party.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Init {
    pub text: String,
    pub system: String,
    pub service: usize,
    /// Of the service's instances, from 1.
    pub number: u16,
    /// By database: the proxy's port, and the schema its tables are in.
    pub databases: Vec<(u16, String)>,
    /// By broker.
    pub brokers: Vec<u16>,
    /// Where outside parties listen.
    pub outside: u16,
    /// What this cell's queues begin with.
    pub prefix: String,
}

/// From the conductor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    Init(Init),
    /// A pass begins: with these locals, run until there is something to ask for.
    Start {
        task: u32,
        trigger: u16,
        locals: Vec<(u16, Json)>,
        now: Millis,
        fresh: Fresh,
    },
    /// The request that the task wants is sent now. With `hold`, everything up to it is done first and said.
    Go {
        task: u32,
        hold: bool,
        publication: u32,
        now: Millis,
    },
    /// The asynchronous publish that the task wants is put into the client's buffer, under this number.
    Buffer {
        task: u32,
        number: u32,
    },
    /// A buffered publish leaves.
    Send {
        number: u32,
        hold: bool,
        publication: u32,
        now: Millis,
    },
    /// The request that was held back is sent.
    Release {
        task: u32,
    },
    /// The answer has arrived: the pass goes on.
    Proceed {
        task: u32,
        answer: Answer,
        now: Millis,
        fresh: Fresh,
    },
    /// Asks a queue for a message, which becomes the delivery of that number.
    Get {
        task: u32,
        queue: u16,
        delivery: u32,
    },
    /// Asks from where in the log of changes a follower goes on.
    Position {
        task: u32,
        trigger: u16,
    },
    /// Asks for the change behind this position of the log.
    Change {
        task: u32,
        trigger: u16,
        position: u32,
    },
    /// Prolongs a delivery, beside the program.
    Renew {
        task: u32,
        queue: u16,
        delivery: u32,
    },
    /// The pass is over: what it left open is rolled back; a failed one gives its connection-bound delivery back.
    EndPass {
        task: u32,
        give_back: Option<(u16, u32)>,
    },
    /// The task is over for good: its connections are closed.
    EndTask {
        task: u32,
    },
    /// The caller has given up: the connection that the request went over is closed.
    Break {
        task: u32,
    },
}

/// From a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Event {
    Done,
    /// The task's next request stands at this instruction. `keeps` are renewals the program has begun meanwhile.
    Wants {
        pc: u32,
        carries: Carries,
        keeps: Vec<(u32, u16, u32)>,
        fresh: Fresh,
    },
    /// Between two rounds of a loop, until then.
    Pauses {
        until: Millis,
        keeps: Vec<(u32, u16, u32)>,
        fresh: Fresh,
    },
    Ended {
        end: End,
        fresh: Fresh,
    },
    /// Connected, prepared, and about to send.
    Holding {
        task: u32,
    },
    /// A statement is about to run in the server process of that number.
    Running {
        task: u32,
        pid: i32,
    },
    /// `closes`: the broker closed the channel over it.
    Answered {
        task: u32,
        answer: Answer,
        closes: bool,
    },
    /// What came of a buffered publish.
    Sent {
        number: u32,
        answer: Answer,
    },
    Got {
        task: u32,
        message: Option<Message>,
    },
    Positioned {
        task: u32,
        position: u32,
    },
    Changed {
        task: u32,
        change: Option<Json>,
    },
}

/// A message as a process got it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Message {
    pub publication: u32,
    /// Its fields, by name.
    pub fields: BTreeMap<String, Json>,
    /// As far as the broker counts.
    pub deliveries: Option<u32>,
    pub redelivered: bool,
    /// Where the broker is told what became of it, if that is an address.
    pub reply: Option<String>,
}

/// What the conductor must know of a request to plan it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Carries {
    Nothing,
    Time(Millis),
    Arguments(Vec<Json>),
    Delivery(u16, u32),
    /// The asynchronous publish whose result is asked for.
    Handle(u32),
    /// The message to publish.
    Row(Json),
    /// An expression failed before anything was sent.
    Failure(u32, String, String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum End {
    Done(Json),
    Failed { class: String, detail: String },
    Exit { restart: Option<Millis> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    Well(Json),
    /// Class and detail.
    Failed(String, String),
}

impl Answer {
    pub fn failed(class: ErrorClass, detail: impl ToString) -> Answer {
        Answer::Failed(class_name(class).to_string(), detail.to_string())
    }

    /// How many rows it speaks of, if it does.
    pub fn rows(&self) -> Option<u32> {
        match self {
            Answer::Well(value) => match decode(value) {
                Value::List(rows) => u32::try_from(rows.len()).ok(),
                Value::Int(count) => u32::try_from(count).ok(),
                _ => None,
            },
            Answer::Failed(..) => None,
        }
    }

    pub fn result(&self) -> Result<Value, Failure> {
        match self {
            Answer::Well(value) => Ok(decode(value)),
            Answer::Failed(class, detail) => Err(Failure::new(class_of(class), detail)),
        }
    }
}

const CLASSES: [(ErrorClass, &str); 8] = [
    (ErrorClass::Duplicate, "duplicate"),
    (ErrorClass::Serialization, "serialization"),
    (ErrorClass::Deadlock, "deadlock"),
    (ErrorClass::Aborted, "aborted"),
    (ErrorClass::Refused, "refused"),
    (ErrorClass::Unreachable, "unreachable"),
    (ErrorClass::Timeout, "timeout"),
    (ErrorClass::Error, "error"),
];

pub fn class_name(class: ErrorClass) -> &'static str {
    let known = CLASSES.iter().find(|(known, _)| *known == class);
    known.map_or("error", |(_, name)| name)
}

pub fn class_of(name: &str) -> ErrorClass {
    let known = CLASSES.iter().find(|(_, known)| *known == name);
    known.map_or(ErrorClass::Error, |(class, _)| *class)
}
