//! One connection to a real NATS server with JetStream: publishes with acknowledgement, pulls messages one at a time.
//!
//! Refuses to know: who gets which message.

use super::super::broker::{NEVER, id_of};
use super::super::wire::{Message, decode};
use super::rabbitmq::payload;
use super::request::Problem;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{AckKind, Context, Message as Delivered};
use async_nats::{Client, connection::State};
use crashpoint::value::Value;
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

/// The name of each stream's only consumer.
pub const CONSUMER: &str = "work";
/// The header that says which publish a message comes from.
pub const PUBLICATION: &str = "Crash-Publication";

/// How long a server that has nothing may think so.
const SOON: Duration = Duration::from_millis(700);

/// What a process has been delivered: each message knows where it is answered, over whichever connection.
pub type Held = Rc<RefCell<BTreeMap<(u16, u32), Rc<Delivered>>>>;

pub struct Jetstream {
    client: Client,
    context: Context,
    held: Held,
    consumers: RefCell<BTreeMap<String, PullConsumer>>,
}

impl Jetstream {
    pub async fn connect(port: u16, held: Held) -> Result<Jetstream, Problem> {
        let connected = async_nats::connect(format!("nats://127.0.0.1:{port}")).await;
        let client = connected.map_err(Problem::unreachable)?;
        let context = async_nats::jetstream::new(client.clone());
        Ok(Jetstream {
            client,
            context,
            held,
            consumers: RefCell::default(),
        })
    }

    pub fn is_closed(&self) -> bool {
        self.client.connection_state() != State::Connected
    }

    pub async fn publish(
        &self,
        to: &str,
        row: &Json,
        publication: u32,
        gate: impl Future<Output = ()>,
    ) -> Result<Json, Problem> {
        let mut message = PublishMessage::build()
            .payload(payload(row).into())
            .header(PUBLICATION, publication.to_string().as_str());
        if let Some(id) = id_of_json(row) {
            message = message.message_id(id);
        }
        gate.await;
        let sent = self.context.send_publish(to.to_string(), message).await;
        let acknowledged = sent.map_err(Problem::unknown)?.await;
        match acknowledged {
            Ok(_) => Ok(Json::Null),
            Err(error) => Err(Problem::refused(error)),
        }
    }

    async fn consumer(&self, stream: &str) -> Option<PullConsumer> {
        if let Some(known) = self.consumers.borrow().get(stream) {
            return Some(known.clone());
        }
        let found: PullConsumer = self.context.get_consumer_from_stream(CONSUMER, stream).await.ok()?;
        self.consumers.borrow_mut().insert(stream.to_string(), found.clone());
        Some(found)
    }

    pub async fn get(&self, stream: &str, delivery: (u16, u32)) -> Option<Message> {
        let consumer = self.consumer(stream).await?;
        // With a message that was given up the server takes a request for one that it can answer, and never does.
        let batch = consumer.fetch().max_messages(1).expires(SOON);
        let mut batch = batch.messages().await.ok()?;
        let message = batch.next().await?.ok()?;
        let info = message.info().ok()?;
        let deliveries = u32::try_from(info.delivered).ok();
        let read = Message {
            publication: message.headers.as_ref()?.get(PUBLICATION)?.as_str().parse().ok()?,
            fields: serde_json::from_slice(&message.payload).ok()?,
            deliveries,
            redelivered: deliveries.is_some_and(|count| count > 1),
            reply: message.reply.as_ref().map(ToString::to_string),
        };
        self.held.borrow_mut().insert(delivery, Rc::new(message));
        Some(read)
    }

    async fn say(&self, delivery: (u16, u32), kind: AckKind) -> Result<(), Problem> {
        let held = self.held.borrow().get(&delivery).cloned();
        let message = held.ok_or_else(|| Problem::refused("no such delivery"))?;
        let (Some(to), kind) = (message.reply.clone(), kind.into()) else {
            return Err(Problem::refused("nobody to tell"));
        };
        self.client.request(to, kind).await.map_err(Problem::unknown).map(drop)
    }

    pub async fn ack(&self, delivery: (u16, u32)) -> Result<(), Problem> {
        self.say(delivery, AckKind::Ack).await
    }

    /// `later`: in virtual time, which the conductor keeps; until it says so, never.
    pub async fn nack(&self, delivery: (u16, u32), later: bool) -> Result<(), Problem> {
        self.say(delivery, AckKind::Nak(later.then_some(NEVER))).await
    }

    pub async fn terminate(&self, delivery: (u16, u32)) -> Result<(), Problem> {
        self.say(delivery, AckKind::Term).await
    }

    pub async fn extend(&self, delivery: (u16, u32)) -> Result<(), Problem> {
        self.say(delivery, AckKind::Progress).await
    }
}

fn id_of_json(row: &Json) -> Option<String> {
    match decode(row) {
        Value::Row(row) => id_of(&row),
        _ => None,
    }
}
