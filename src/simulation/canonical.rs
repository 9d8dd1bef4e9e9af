//! The canonical written form of a trace: one line an event, then what is left at the end. Golden traces, the hash that
//! compares native with Wasm, and the command line's `trace` are made from it.

use super::run::Trace;
use super::trace::{Event, EventKind, Hangup, Outcome, Party};
use super::world::{World, instance_label};
use crate::program::{Destination, Program};
use crate::value::Row;
use std::fmt::Write;

impl Trace {
    /// Every event on a line: number, time, actor, what happened, cause. Then the tables, queues and outside effects at the end.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        for (id, event) in self.events.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}", self.canonical_event(id, event));
        }
        let _ = writeln!(text, "end {} at {}", self.ended.name(), self.ended_at);
        text + &self.last.canonical(&self.program)
    }

    /// FNV-1a, 64 bits, over the canonical form, as 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        let hash = self.canonical().bytes().fold(0xcbf2_9ce4_8422_2325, step);
        format!("{hash:016x}")
    }

    fn canonical_event(&self, id: usize, event: &Event) -> String {
        let actor = match event.instance {
            Some(instance) => instance_label(&self.program, self.last.instance(instance)),
            None => String::from("-"),
        };
        let mut line = format!("{id} {}", event.at);
        if event.sent_at != event.at {
            let _ = write!(line, " sent {}", event.sent_at);
        }
        if let Some(at) = event.replied_at {
            let _ = write!(line, " replied {at}");
        }
        let _ = write!(line, " {actor} {}", self.canonical_kind(event));
        if let Some(cause) = event.cause {
            let _ = write!(line, " by {cause}");
        }
        line
    }

    fn canonical_kind(&self, event: &Event) -> String {
        let program = &*self.program;
        let queue = |queue: u16| &program.queues[usize::from(queue)].name;
        match &event.kind {
            EventKind::Step {
                step,
                visit,
                line,
                outcome,
                message,
                orphan,
            } => {
                let service = event
                    .instance
                    .map(|instance| usize::from(self.last.instance(instance).service));
                let name = service.map_or("?", |service| &*program.services[service].steps[usize::from(*step)]);
                let mut text = format!("{name}.{visit} line {line} {}", outcome_text(outcome));
                if let Some((on, number)) = message {
                    let _ = write!(text, " message {}:{number}", queue(*on));
                }
                text + if *orphan { " orphan" } else { "" }
            }
            EventKind::Delivery {
                queue: from,
                message,
                deliveries,
            } => {
                format!("delivery {}:{message} number {deliveries}", queue(*from))
            }
            EventKind::Followed {
                database,
                table,
                position,
            } => {
                let schema = &program.databases[usize::from(*database)];
                format!(
                    "followed {}.{} {position}",
                    schema.name,
                    schema.tables[usize::from(*table)].name
                )
            }
            EventKind::RequestRefused { line } => format!("request refused line {line}"),
            EventKind::Crash { restart_at, .. } => format!("crash restart {}", optional(*restart_at)),
            EventKind::Restart => String::from("restart"),
            EventKind::Pause { until, .. } => format!("pause until {until}"),
            EventKind::Resume => String::from("resume"),
            EventKind::Exit { line, restart_at } => format!("exit line {line} restart {}", optional(*restart_at)),
            EventKind::PassFailed { line, failure } => {
                format!("pass failed line {line} {:?}: {}", failure.class, failure.detail)
            }
            EventKind::LeaseEnded { queue: on, message } => format!("lease ended {}:{message}", queue(*on)),
            EventKind::Returned { queue: on, message } => format!("returned {}:{message}", queue(*on)),
            EventKind::Exhausted {
                queue: on,
                message,
                dead,
            } => {
                let to = dead.map_or("nowhere", |dead| queue(dead));
                format!("exhausted {}:{message} to {to}", queue(*on))
            }
            EventKind::Expired {
                queue: on,
                message,
                dead,
            } => {
                let to = dead.map_or("nowhere", |dead| queue(dead));
                format!("expired {}:{message} to {to}", queue(*on))
            }
            EventKind::Discarded { destination, copy_of } => match (destination, copy_of) {
                (Destination::Queue(on), Some(message)) => format!("discarded copy of {}:{message}", queue(*on)),
                (Destination::Queue(on), None) => format!("discarded {}", queue(*on)),
                (Destination::Topic(topic), _) => format!("discarded {}", program.topics[usize::from(*topic)].name),
            },
            EventKind::Due { queue: on, message } => format!("due {}:{message}", queue(*on)),
            EventKind::Down { party, until, .. } => format!("down {} until {until}", party_name(program, *party)),
            EventKind::Up { party } => format!("up {}", party_name(program, *party)),
            EventKind::Cut { until, .. } => format!("cut until {until}"),
            EventKind::Healed => String::from("healed"),
            EventKind::Disconnected { broker, reason } => {
                let reason = match reason {
                    Hangup::Silence => "silence",
                    Hangup::NoAck => "no ack",
                    Hangup::StaleHandle => "stale handle",
                };
                format!(
                    "disconnected by {} for {reason}",
                    program.brokers[usize::from(*broker)].name
                )
            }
            EventKind::Idle { polls, until } => format!("idle {polls} until {until}"),
        }
    }
}

impl World {
    /// What there is: committed rows, prepared transactions, messages, outside effects, a line each.
    pub fn canonical(&self, program: &Program) -> String {
        let mut text = String::new();
        for (database, schema) in program.databases.iter().enumerate() {
            for (table, described) in schema.tables.iter().enumerate() {
                for (identity, row) in self.rows(database as u16, table as u16) {
                    let _ = writeln!(text, "{}.{} {identity} {}", schema.name, described.name, row_text(&row));
                }
            }
            for identifier in self.database(database as u16).in_doubt() {
                let _ = writeln!(text, "{} in doubt {identifier}", schema.name);
            }
        }
        for (queue, schema) in program.queues.iter().enumerate() {
            let state = self.queue(queue as u16);
            for message in state.present().chain(state.dead()) {
                let (number, deliveries) = (message.number, message.deliveries);
                let _ = writeln!(
                    text,
                    "{} {number} ({deliveries}) {}",
                    schema.name,
                    row_text(&message.row)
                );
            }
        }
        for (outside, described) in program.outsides.iter().enumerate() {
            for fact in self.facts(crate::program::Relation::Outside(outside as u16)).iter() {
                let _ = writeln!(
                    text,
                    "{} {} {}",
                    described.record.name,
                    fact.identity,
                    row_text(&fact.row)
                );
            }
        }
        text
    }
}

/// The name of a party as the text has it.
pub fn party_name(program: &Program, party: Party) -> &str {
    match party {
        Party::Database(index) => &program.databases[usize::from(index)].name,
        Party::Broker(index) => &program.brokers[usize::from(index)].name,
        Party::Outside(index) => &program.outsides[usize::from(index)].record.name,
        Party::Service(index) => &program.services[usize::from(index)].name,
    }
}

fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ok => String::from("ok"),
        Outcome::Rows(rows) => format!("rows {rows}"),
        Outcome::Failed(failure) => format!("{:?}: {}", failure.class, failure.detail),
        Outcome::RequestLost { .. } => String::from("request lost"),
        Outcome::ReplyLost { .. } => String::from("reply lost"),
    }
}

fn optional(at: Option<i64>) -> String {
    at.map_or_else(|| String::from("never"), |at| at.to_string())
}

/// `id=1003 total=120`.
fn row_text(row: &Row) -> String {
    let cells: Vec<String> = row.fields().map(|(name, value)| format!("{name}={value}")).collect();
    cells.join(" ")
}
