//! Queues on RabbitMQ: each destination is an exchange, bound to its queues; each queue has a twin that nobody takes from but the
//! conductor, which so sees what was accepted, in sequence.

use super::super::worker::{rabbit_address, rabbit_message};
use super::{Problem, Seen, row_of};
use crashpoint::program::{Exhausted, Program};
use lapin::options::{
    BasicAckOptions, BasicGetOptions, ExchangeDeclareOptions, ExchangeDeleteOptions, QueueBindOptions,
    QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ConnectionProperties, ExchangeKind};
use std::rc::Rc;
use tokio::runtime::Handle;

pub struct Rabbit {
    runtime: Handle,
    program: Rc<Program>,
    prefix: String,
    connection: Connection,
    channel: Channel,
}

async fn connect(port: u16) -> Result<(Connection, Channel), lapin::Error> {
    let connection = Connection::connect(&rabbit_address(port), ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    Ok((connection, channel))
}

impl Rabbit {
    /// Connects and makes the queues. Errors: the broker refuses one of them.
    pub fn new(runtime: &Handle, port: u16, prefix: &str, program: &Rc<Program>) -> Result<Rabbit, Problem> {
        let (connection, channel) = runtime.block_on(connect(port))?;
        let rabbit = Rabbit {
            runtime: runtime.clone(),
            program: Rc::clone(program),
            prefix: prefix.to_string(),
            connection,
            channel,
        };
        runtime.block_on(rabbit.make())?;
        Ok(rabbit)
    }

    /// Connects anew. Errors: nobody is there.
    pub fn reconnect(&mut self, port: u16) -> Result<(), Problem> {
        (self.connection, self.channel) = self.runtime.block_on(connect(port))?;
        Ok(())
    }

    fn queue(&self, queue: u16) -> String {
        format!("{}{}", self.prefix, self.program.queues[usize::from(queue)].name)
    }

    fn twin(&self, queue: u16) -> String {
        format!("{}.accepted", self.queue(queue))
    }

    /// Exchanges and the queues bound to each.
    fn destinations(&self) -> Vec<(String, Vec<u16>)> {
        let queues = (0..self.program.queues.len() as u16).map(|queue| (self.queue(queue), vec![queue]));
        let topics = self.program.topics.iter();
        let topics = topics.map(|topic| (format!("{}{}", self.prefix, topic.name), topic.queues.clone()));
        queues.chain(topics).collect()
    }

    async fn make(&self) -> Result<(), lapin::Error> {
        for queue in 0..self.program.queues.len() as u16 {
            let (options, arguments) = (QueueDeclareOptions::durable(), self.arguments(queue));
            self.channel
                .queue_declare(self.queue(queue).into(), options, arguments)
                .await?;
            let options = QueueDeclareOptions::durable();
            let none = FieldTable::default();
            self.channel
                .queue_declare(self.twin(queue).into(), options, none)
                .await?;
        }
        for (exchange, queues) in self.destinations() {
            let options = ExchangeDeclareOptions {
                durable: true,
                ..ExchangeDeclareOptions::default()
            };
            let none = FieldTable::default();
            let kind = ExchangeKind::Fanout;
            self.channel
                .exchange_declare(exchange.as_str().into(), kind, options, none)
                .await?;
            for name in queues.iter().flat_map(|queue| [self.queue(*queue), self.twin(*queue)]) {
                let (options, none) = (QueueBindOptions::default(), FieldTable::default());
                let from = exchange.as_str().into();
                self.channel
                    .queue_bind(name.into(), from, "".into(), options, none)
                    .await?;
            }
        }
        Ok(())
    }

    /// Only a quorum queue counts deliveries. Its dead letters go straight to their queue, not through its exchange: they are no
    /// publishes.
    fn arguments(&self, queue: u16) -> FieldTable {
        let (mut arguments, schema) = (FieldTable::default(), &self.program.queues[usize::from(queue)]);
        let text = |text: String| AMQPValue::LongString(text.into());
        if let Some(attempts) = schema.attempts {
            arguments.insert("x-queue-type".into(), text("quorum".to_string()));
            let again = attempts.saturating_sub(1);
            arguments.insert("x-delivery-limit".into(), AMQPValue::LongInt(again as i32));
        }
        if let Exhausted::Dead(dead) = schema.exhausted {
            arguments.insert("x-dead-letter-exchange".into(), text(String::new()));
            arguments.insert("x-dead-letter-routing-key".into(), text(self.queue(dead)));
        }
        arguments
    }

    /// Takes everything out of a queue.
    fn drain(&self, name: &str, queue: u16) -> Result<Vec<Seen>, Problem> {
        let mut found = Vec::new();
        self.runtime.block_on(async {
            while let Some(got) = self.channel.basic_get(name.into(), BasicGetOptions::default()).await? {
                self.channel
                    .basic_ack(got.delivery.delivery_tag, BasicAckOptions::default())
                    .await?;
                found.extend(rabbit_message(&got.delivery).map(|message| Seen {
                    publication: message.publication,
                    row: row_of(&self.program, queue, &message.fields),
                    redelivered: message.redelivered,
                }));
            }
            Ok::<_, lapin::Error>(())
        })?;
        Ok(found)
    }

    pub fn accepted(&self, queue: u16) -> Result<Vec<Seen>, Problem> {
        self.drain(&self.twin(queue), queue)
    }

    pub fn left(&self, queue: u16) -> Result<Vec<Seen>, Problem> {
        self.drain(&self.queue(queue), queue)
    }

    pub fn ready(&self, queue: u16) -> Option<u32> {
        let options = QueueDeclareOptions {
            passive: true,
            ..QueueDeclareOptions::default()
        };
        let asked = self
            .channel
            .queue_declare(self.queue(queue).into(), options, FieldTable::default());
        Some(self.runtime.block_on(asked).ok()?.message_count())
    }

    /// Removes what was made and closes the connection.
    pub fn clear(&self) {
        self.runtime.block_on(async {
            // What cannot be removed goes with the server's folder.
            for queue in 0..self.program.queues.len() as u16 {
                for name in [self.queue(queue), self.twin(queue)] {
                    let _ = self
                        .channel
                        .queue_delete(name.into(), QueueDeleteOptions::default())
                        .await;
                }
            }
            for (exchange, _) in self.destinations() {
                let _ = self
                    .channel
                    .exchange_delete(exchange.into(), ExchangeDeleteOptions::default())
                    .await;
            }
            let _ = self.connection.close(200, "done".into()).await;
        });
    }
}
