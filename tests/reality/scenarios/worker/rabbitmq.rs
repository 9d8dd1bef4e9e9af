//! One connection to a real RabbitMQ: publishes with confirms, takes messages one at a time and settles them by hand.
//!
//! Refuses to know: who gets which message.

use super::super::wire::{Message, decode};
use super::request::Problem;
use crashpoint::program::TransactionAction;
use crashpoint::value::Value;
use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicNackOptions, BasicPublishOptions, ConfirmSelectOptions,
    ExchangeDeclareOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties, ExchangeKind};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;

/// How long a confirm may take: a connection that is cut says so, a broker that says nothing must not hold the run.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

pub struct Rabbit {
    connection: Connection,
    channel: Channel,
    /// The channel of an open transaction: one that confirms cannot have any.
    transaction: RefCell<Option<Channel>>,
    /// Delivery tags of what this connection holds.
    tags: RefCell<BTreeMap<(u16, u32), u64>>,
}

/// Where the broker listens on loopback. No heartbeats: a paused process is not silent for long in real time.
pub fn address(port: u16) -> String {
    format!("amqp://guest:guest@127.0.0.1:{port}/%2f?heartbeat=0")
}

impl Rabbit {
    pub async fn connect(port: u16) -> Result<Rabbit, Problem> {
        let address = address(port);
        let connecting = Connection::connect(&address, ConnectionProperties::default());
        let connected = tokio::time::timeout(PATIENCE, connecting).await;
        let connection = connected.map_err(Problem::unreachable)?.map_err(Problem::unreachable)?;
        let channel = connection.create_channel().await.map_err(Problem::unreachable)?;
        let selected = channel.confirm_select(ConfirmSelectOptions::default()).await;
        selected.map_err(Problem::unreachable)?;
        Ok(Rabbit {
            connection,
            channel,
            transaction: RefCell::default(),
            tags: RefCell::default(),
        })
    }

    pub fn is_closed(&self) -> bool {
        !self.channel.status().connected()
    }

    pub fn holds_deliveries(&self) -> bool {
        !self.tags.borrow().is_empty()
    }

    pub async fn publish(
        &self,
        to: &str,
        row: &Json,
        (publication, volatile): (u32, bool),
        gate: impl Future<Output = ()>,
    ) -> Result<Json, Problem> {
        let payload = payload(row);
        let properties = BasicProperties::default()
            .with_message_id(ShortString::from(publication.to_string()))
            .with_delivery_mode(if volatile { 1 } else { 2 });
        gate.await;
        let options = BasicPublishOptions::default();
        if let Some(channel) = self.open_transaction() {
            let held = channel.basic_publish(to.into(), "".into(), options, payload.as_bytes(), properties);
            held.await.map_err(Problem::unknown)?;
            // Nobody confirms it; a question behind it is answered.
            let options = ExchangeDeclareOptions {
                passive: true,
                ..ExchangeDeclareOptions::default()
            };
            let asked = channel.exchange_declare(to.into(), ExchangeKind::Fanout, options, FieldTable::default());
            asked.await.map_err(Problem::unknown)?;
            return Ok(Json::Null);
        }
        let published = self
            .channel
            .basic_publish(to.into(), "".into(), options, payload.as_bytes(), properties)
            .await;
        let confirm = published.map_err(Problem::unknown)?.await.map_err(Problem::unknown)?;
        match confirm.is_nack() {
            true => Err(Problem::refused("the broker refuses the message")),
            false => Ok(Json::Null),
        }
    }

    fn open_transaction(&self) -> Option<Channel> {
        self.transaction.borrow().clone()
    }

    /// Begins a transaction, or ends the one that is open.
    pub async fn transact(&self, action: &TransactionAction, gate: impl Future<Output = ()>) -> Result<(), Problem> {
        let open = self.open_transaction();
        match (action, open) {
            (TransactionAction::Begin, None) => {
                let channel = self.connection.create_channel().await.map_err(Problem::unknown)?;
                gate.await;
                channel.tx_select().await.map_err(Problem::unknown)?;
                self.transaction.replace(Some(channel));
            }
            (TransactionAction::Commit, Some(channel)) => {
                gate.await;
                channel.tx_commit().await.map_err(Problem::unknown)?;
                self.transaction.take();
            }
            (TransactionAction::Rollback, Some(channel)) => {
                gate.await;
                channel.tx_rollback().await.map_err(Problem::unknown)?;
                self.transaction.take();
            }
            (TransactionAction::Begin, Some(_)) => return Err(Problem::refused("a transaction is already open")),
            _ => return Err(Problem::refused("no transaction is open")),
        }
        Ok(())
    }

    /// A transaction that its pass has left open is dropped with its channel.
    pub async fn end_pass(&self) {
        let open = self.transaction.take();
        if let Some(channel) = open {
            // One that is closed already has dropped it as well.
            let _ = channel.close(200, "dropped".into()).await;
        }
    }

    pub async fn get(&self, queue: &str, delivery: (u16, u32)) -> Option<Message> {
        let got = self.channel.basic_get(queue.into(), BasicGetOptions::default()).await;
        let message = got.ok().flatten()?.delivery;
        self.tags.borrow_mut().insert(delivery, message.delivery_tag);
        read(&message)
    }

    pub async fn ack(&self, queue: &str, delivery: (u16, u32)) -> Result<(), Problem> {
        let tag = self.tags.borrow_mut().remove(&delivery);
        // A tag of an earlier connection is unknown to this channel.
        let acked = self
            .channel
            .basic_ack(tag.unwrap_or(u64::MAX >> 1), BasicAckOptions::default())
            .await;
        acked.map_err(Problem::unknown)?;
        self.settled(queue).await
    }

    pub async fn nack(&self, queue: &str, delivery: (u16, u32), requeue: bool) -> Result<(), Problem> {
        let tag = self.tags.borrow_mut().remove(&delivery);
        let options = BasicNackOptions {
            requeue,
            ..BasicNackOptions::default()
        };
        let nacked = self.channel.basic_nack(tag.unwrap_or(u64::MAX >> 1), options).await;
        nacked.map_err(Problem::unknown)?;
        self.settled(queue).await
    }

    /// A pass has failed: its delivery is ready again.
    pub async fn give_back(&self, delivery: (u16, u32)) {
        // Let go of the tags before anything is waited for.
        let tag = self.tags.borrow_mut().remove(&delivery);
        if let Some(tag) = tag {
            let options = BasicNackOptions {
                requeue: true,
                ..BasicNackOptions::default()
            };
            // With a connection that is gone it has returned by itself.
            let _ = self.channel.basic_nack(tag, options).await;
        }
    }

    /// An acknowledgement has no answer of its own; a question behind it has, and comes after it.
    async fn settled(&self, queue: &str) -> Result<(), Problem> {
        let options = QueueDeclareOptions {
            passive: true,
            ..QueueDeclareOptions::default()
        };
        let asked = self
            .channel
            .queue_declare(queue.into(), options, FieldTable::default())
            .await;
        match asked {
            Ok(_) => Ok(()),
            Err(error) => Err(match error.kind() {
                lapin::ErrorKind::ProtocolError(error) => Problem {
                    closes: true,
                    ..Problem::refused(error)
                },
                _ => Problem::unknown(error),
            }),
        }
    }
}

/// A message's fields as its payload.
pub fn payload(row: &Json) -> String {
    let fields: BTreeMap<String, Json> = match decode(row) {
        Value::Row(row) => row
            .fields()
            .map(|(name, value)| (name.to_string(), super::super::wire::encode(value)))
            .collect(),
        _ => BTreeMap::new(),
    };
    serde_json::to_string(&fields).unwrap_or_default()
}

/// A quorum queue says how often it has handed a message out before; the first time it says nothing.
fn delivery_count(message: &lapin::message::Delivery) -> Option<u32> {
    let headers = message.properties.headers().as_ref()?;
    match headers.inner().get("x-delivery-count")? {
        AMQPValue::LongLongInt(count) => u32::try_from(*count).ok(),
        AMQPValue::LongInt(count) => u32::try_from(*count).ok(),
        AMQPValue::LongUInt(count) => Some(*count),
        _ => None,
    }
    .map(|before| before + 1)
}

/// A message of this harness; none for anybody else's.
pub fn read(message: &lapin::message::Delivery) -> Option<Message> {
    Some(Message {
        publication: message.properties.message_id().as_ref()?.as_str().parse().ok()?,
        fields: serde_json::from_slice(&message.data).ok()?,
        deliveries: delivery_count(message),
        redelivered: message.redelivered,
        reply: None,
    })
}
