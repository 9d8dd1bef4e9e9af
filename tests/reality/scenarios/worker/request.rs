//! A request, sent to the party it is for.
//!
//! Refuses to know: when it is sent.

use super::super::source;
use super::super::wire::{Carries, encode};
use super::say;
use super::sessions::{Connection, Party, Sessions};
use crashpoint::expression::{ErrorClass, Expr};
use crashpoint::program::{Destination, Instruction, Program, Request};
use crashpoint::sql::{Isolation, Statement};
use crashpoint::value::{Millis, Value};
use serde_json::{Value as Json, json};
use std::future::Future;
use std::rc::Rc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// A request with every value in its place.
#[derive(Clone)]
pub struct Asked {
    pub pc: u32,
    pub line: u32,
    pub parameters: Vec<(Expr, Value)>,
    pub carries: Carries,
}

/// Why a request has no good answer.
#[derive(Debug)]
pub struct Problem {
    pub class: ErrorClass,
    pub detail: String,
    /// The broker closed the channel over it.
    pub closes: bool,
}

impl Problem {
    pub fn new(class: ErrorClass, detail: impl ToString) -> Problem {
        Problem {
            class,
            detail: detail.to_string(),
            closes: false,
        }
    }

    pub fn refused(detail: impl ToString) -> Problem {
        Problem::new(ErrorClass::Refused, detail)
    }

    pub fn unreachable(detail: impl ToString) -> Problem {
        Problem::new(ErrorClass::Unreachable, detail)
    }

    /// The connection ended before the answer: what became of the request is unknown.
    pub fn unknown(detail: impl ToString) -> Problem {
        Problem::new(ErrorClass::Timeout, detail)
    }
}

impl Asked {
    fn request<'p>(&self, program: &'p Program, service: usize) -> Option<&'p Request> {
        match program.services[service].code.get(self.pc as usize) {
            Some(Instruction::Step { request, .. }) => Some(request),
            _ => None,
        }
    }

    /// Over which of the task's connections it goes.
    pub fn party(&self, program: &Program, service: usize) -> Option<Party> {
        let of_queue = |queue: u16| Party::Broker(program.queues[usize::from(queue)].broker);
        match (self.request(program, service)?, &self.carries) {
            (Request::Sql { database, .. }, _) => Some(Party::Database(*database)),
            (Request::Publish { destination, .. }, _) => Some(match destination {
                Destination::Queue(queue) => of_queue(*queue),
                Destination::Topic(topic) => Party::Broker(program.topics[usize::from(*topic)].broker),
            }),
            (_, Carries::Delivery(queue, _)) => Some(of_queue(*queue)),
            (Request::Transaction { broker, .. }, _) => Some(Party::Broker(*broker)),
            _ => None,
        }
    }
}

/// Does everything up to the request, passes the gate, sends it and waits for its answer.
pub async fn send(
    sessions: &Rc<Sessions>,
    task: u32,
    asked: &Asked,
    (publication, now): (u32, Millis),
    gate: impl Future<Output = ()>,
) -> Result<Json, Problem> {
    let program = Rc::clone(&sessions.program);
    let nothing = || Problem::new(ErrorClass::Error, "no such request");
    let service = sessions.init.service;
    let request = asked.request(&program, service).ok_or_else(nothing)?;
    if let Request::CallOutside { outside, .. } = request {
        return call_outside(sessions, *outside, &asked.carries, gate).await;
    }
    let party = asked.party(&program, service).ok_or_else(nothing)?;
    let connection = sessions.connection(task, party).await?;
    match (connection, request) {
        (Connection::Postgres(postgres), Request::Sql { statement, .. }) => {
            let sql = sql_of(sessions, asked, statement)?;
            let say_pid = |pid| say(&super::super::wire::Event::Running { task, pid });
            postgres.set_now(&source::quoted_instant(now)).await;
            postgres.run(&sql, statement, gate, say_pid).await
        }
        (connection, Request::Publish { destination, .. }) => {
            let Carries::Row(row) = &asked.carries else {
                return Err(nothing());
            };
            let name = match destination {
                Destination::Queue(queue) => program.queues[usize::from(*queue)].name.clone(),
                Destination::Topic(topic) => program.topics[usize::from(*topic)].name.clone(),
            };
            let to = format!("{}{name}", sessions.init.prefix);
            match connection {
                Connection::Rabbit(rabbit) => {
                    let volatile = |queue: &u16| program.queues[usize::from(*queue)].volatile;
                    let volatile = matches!(destination, Destination::Queue(queue) if volatile(queue));
                    rabbit.publish(&to, row, (publication, volatile), gate).await
                }
                Connection::Jetstream(jetstream) => jetstream.publish(&to, row, publication, gate).await,
                Connection::Postgres(_) => Err(nothing()),
            }
        }
        (Connection::Rabbit(rabbit), Request::Transaction { action, .. }) => {
            rabbit.transact(action, gate).await?;
            Ok(Json::Null)
        }
        (connection, Request::Ack(_) | Request::Nack { .. } | Request::Extend { .. }) => {
            let Carries::Delivery(queue, delivery) = asked.carries else {
                return Err(nothing());
            };
            settle(
                &connection,
                &sessions.queue_name(queue),
                (queue, delivery),
                request,
                gate,
            )
            .await?;
            Ok(Json::Null)
        }
        _ => Err(nothing()),
    }
}

async fn settle(
    connection: &Connection,
    queue: &str,
    delivery: (u16, u32),
    request: &Request,
    gate: impl Future<Output = ()>,
) -> Result<(), Problem> {
    gate.await;
    match (connection, request) {
        (Connection::Rabbit(rabbit), Request::Ack(_)) => rabbit.ack(queue, delivery).await,
        (Connection::Rabbit(rabbit), Request::Nack { dead, .. }) => rabbit.nack(queue, delivery, !dead).await,
        (Connection::Jetstream(jetstream), Request::Ack(_)) => jetstream.ack(delivery).await,
        (Connection::Jetstream(jetstream), Request::Nack { dead: true, .. }) => jetstream.terminate(delivery).await,
        (Connection::Jetstream(jetstream), Request::Nack { after, .. }) => {
            jetstream.nack(delivery, after.is_some()).await
        }
        (Connection::Jetstream(jetstream), Request::Extend { .. }) => jetstream.extend(delivery).await,
        _ => Err(Problem::refused("no such request")),
    }
}

/// The statement as the text has it. Transactions are the same words everywhere.
fn sql_of(sessions: &Sessions, asked: &Asked, statement: &Statement) -> Result<String, Problem> {
    let parameter = |expr: &Expr| match expr {
        Expr::Literal(value) => source::literal(value),
        _ => asked
            .parameters
            .first()
            .map_or(String::new(), |(_, value)| source::literal(value)),
    };
    Ok(match statement {
        Statement::Begin(Isolation::ReadCommitted) => "begin".to_string(),
        Statement::Begin(Isolation::RepeatableRead) => "begin isolation level repeatable read".to_string(),
        Statement::Begin(Isolation::Serializable) => "begin isolation level serializable".to_string(),
        Statement::Commit => "commit".to_string(),
        Statement::Rollback => "rollback".to_string(),
        Statement::Savepoint(name) => format!("savepoint {name}"),
        Statement::RollbackTo(name) => format!("rollback to {name}"),
        Statement::PrepareTransaction(name) => format!("prepare transaction {}", parameter(name)),
        Statement::CommitPrepared(name) => format!("commit prepared {}", parameter(name)),
        Statement::RollbackPrepared(name) => format!("rollback prepared {}", parameter(name)),
        _ => {
            let text = &sessions.init.text;
            let sql = source::statement(text, asked.line, statement);
            let missing = || Problem::new(ErrorClass::Error, format!("no statement on line {}", asked.line));
            let service = &sessions.program.services[sessions.init.service];
            source::bound(&sql.ok_or_else(missing)?, service, &asked.parameters)
        }
    })
}

/// A line to the recording server and a line back.
async fn call_outside(
    sessions: &Sessions,
    outside: u16,
    carries: &Carries,
    gate: impl Future<Output = ()>,
) -> Result<Json, Problem> {
    let stream = TcpStream::connect(("127.0.0.1", sessions.init.outside)).await;
    let mut stream = BufReader::new(stream.map_err(Problem::unreachable)?);
    let Carries::Row(row) = carries else {
        return Err(Problem::refused("a call has fields"));
    };
    gate.await;
    let line = format!("{}\n", json!([outside, row]));
    let sent = stream.get_mut().write_all(line.as_bytes()).await;
    sent.map_err(Problem::unknown)?;
    let mut answer = String::new();
    match stream.read_line(&mut answer).await {
        Ok(read) if read > 0 => match answer.trim() {
            "done" => Ok(encode(&Value::Null)),
            refusal => Err(Problem::refused(refusal)),
        },
        _ => Err(Problem::unknown("no answer")),
    }
}
