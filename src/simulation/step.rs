//! One step: a request is sent, has its effect at the party, and its answer comes back. "One step", "Faults in phases".
//!
//! Sent at t, effect at t + 1 ms (+ delay, + what the party takes), answer 1 ms later.

use super::trace::Party;
use super::world::Payload;
use crate::expression::{ErrorClass, Failure};
use crate::program::{Destination, Program, Request};
use crate::sql::Statement;
use crate::value::{Name, Row, Value};
use std::rc::Rc;

mod arrive;
mod call;
mod effect;
mod parties;
mod send;
mod transaction;

type Answer = Result<Value, Failure>;

/// When a pass of a poller becomes live with a request ("Idle and rest").
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enlivens {
    /// begin, commit, sleep…: neither reads nor changes.
    Never,
    /// Reads and conditional changes: if a row was met.
    WithRows,
    /// Everything that changes or reaches somebody: when it is sent.
    Always,
}

fn enlivens(request: &Request) -> Enlivens {
    match request {
        Request::Sleep(_) | Request::Transaction { .. } => Enlivens::Never,
        Request::Sql { statement, .. } => match statement {
            Statement::Begin(_)
            | Statement::Commit
            | Statement::Rollback
            | Statement::Savepoint(_)
            | Statement::RollbackTo(_)
            | Statement::PrepareTransaction(_)
            | Statement::CommitPrepared(_)
            | Statement::RollbackPrepared(_) => Enlivens::Never,
            Statement::Select(_) | Statement::Update(_) | Statement::Delete(_) => Enlivens::WithRows,
            Statement::Insert(_) => Enlivens::Always,
        },
        _ => Enlivens::Always,
    }
}

/// The party a request goes to; none for `sleep`.
pub(super) fn party_of(program: &Program, request: &Request, payload: &Payload) -> Option<Party> {
    let broker_of = |queue: u16| Party::Broker(program.queues[usize::from(queue)].broker);
    match (request, payload) {
        (_, payload) if payload.is_local() => None,
        (Request::Transaction { broker, .. }, _) => Some(Party::Broker(*broker)),
        (Request::Sql { database, .. }, _) => Some(Party::Database(*database)),
        (
            Request::Publish {
                destination: Destination::Queue(queue),
                ..
            },
            _,
        ) => Some(broker_of(*queue)),
        (
            Request::Publish {
                destination: Destination::Topic(topic),
                ..
            },
            _,
        ) => Some(Party::Broker(program.topics[usize::from(*topic)].broker)),
        (_, Payload::Receipt(queue, _)) => Some(broker_of(*queue)),
        (Request::Redrive { from, .. }, _) => Some(broker_of(*from)),
        (Request::CallOutside { outside, .. }, _) => Some(Party::Outside(*outside)),
        (Request::CallService { service, .. }, _) => Some(Party::Service(*service)),
        _ => None,
    }
}

fn rows_of(answer: &Answer) -> Option<u32> {
    match answer {
        Ok(Value::List(rows)) => Some(rows.len() as u32),
        Ok(Value::Int(count)) => u32::try_from(*count).ok(),
        _ => None,
    }
}

fn timed_out(detail: &str) -> Failure {
    Failure::new(ErrorClass::Timeout, detail)
}

/// A row of all these names; a field that is not given is null.
fn under<'a>(names: &Rc<[Name]>, fields: impl Iterator<Item = (&'a Name, Value)>) -> Row {
    let mut values = vec![Value::Null; names.len()];
    for (name, value) in fields {
        if let Some(position) = names.iter().position(|known| known == name) {
            values[position] = value;
        }
    }
    Row::new(names.clone(), values)
}
