//! Queues on NATS JetStream: each is a stream with one consumer, and a message leaves it when it is acknowledged. What was accepted
//! is read from the stream by its sequence.

use super::super::worker::{CONSUMER, PUBLICATION};
use super::{Problem, Seen, real_lease, row_of};
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use crashpoint::program::{Dedupe, Program};
use std::rc::Rc;
use std::time::Duration;
use tokio::runtime::Handle;

pub struct Jetstream {
    runtime: Handle,
    program: Rc<Program>,
    prefix: String,
    context: Context,
    streams: Vec<Stream>,
    /// By queue, the last sequence number that has been read.
    seen: Vec<u64>,
}

impl Jetstream {
    /// Connects and makes streams and consumers; leases last `slower` times as long as usual. Errors: the server refuses one.
    pub fn new(
        runtime: &Handle,
        port: u16,
        prefix: &str,
        program: &Rc<Program>,
        slower: u32,
    ) -> Result<Jetstream, Problem> {
        let mut made = Jetstream {
            runtime: runtime.clone(),
            program: Rc::clone(program),
            prefix: prefix.to_string(),
            context: runtime.block_on(async {
                let client = async_nats::connect(format!("nats://127.0.0.1:{port}")).await?;
                Ok::<_, async_nats::ConnectError>(jetstream::new(client))
            })?,
            streams: Vec::new(),
            seen: vec![0; program.queues.len()],
        };
        for queue in 0..program.queues.len() as u16 {
            let stream = runtime.block_on(made.make(queue, slower))?;
            made.streams.push(stream);
        }
        Ok(made)
    }

    fn name(&self, queue: u16) -> String {
        format!("{}{}", self.prefix, self.program.queues[usize::from(queue)].name)
    }

    async fn make(&self, queue: u16, slower: u32) -> Result<Stream, Problem> {
        let schema = &self.program.queues[usize::from(queue)];
        let name = self.name(queue);
        let window = match schema.dedupe {
            // A cell is over before any window that a text names.
            Some(Dedupe::Within(_)) => Duration::from_secs(120),
            _ => Duration::from_millis(100),
        };
        let stream = Config {
            name: name.clone(),
            subjects: vec![name.clone()],
            retention: RetentionPolicy::WorkQueue,
            storage: if schema.volatile { StorageType::Memory } else { StorageType::File },
            duplicate_window: window,
            ..Config::default()
        };
        let stream = self.context.create_stream(stream).await?;
        let consumer = pull::Config {
            durable_name: Some(CONSUMER.to_string()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: real_lease(schema.lease.unwrap_or(30_000), slower),
            max_deliver: schema.attempts.map_or(-1, i64::from),
            ..pull::Config::default()
        };
        stream.create_consumer(consumer).await?;
        Ok(stream)
    }

    fn seen(&self, queue: u16, message: &StreamMessage) -> Option<Seen> {
        let fields = serde_json::from_slice(&message.payload).ok()?;
        Some(Seen {
            publication: message.headers.get(PUBLICATION)?.as_str().parse().ok()?,
            row: row_of(&self.program, queue, &fields),
            redelivered: false,
        })
    }

    pub fn accepted(&mut self, queue: u16) -> Result<Vec<Seen>, Problem> {
        let index = usize::from(queue);
        let stream = self.streams[index].clone();
        let last = self.runtime.block_on(stream.get_info())?.state.last_sequence;
        let mut found = Vec::new();
        for sequence in self.seen[index] + 1..=last {
            let message = self.runtime.block_on(stream.get_raw_message(sequence))?;
            found.extend(self.seen(queue, &message));
        }
        self.seen[index] = last;
        Ok(found)
    }

    pub fn left(&mut self, queue: u16) -> Result<Vec<Seen>, Problem> {
        let stream = self.streams[usize::from(queue)].clone();
        let state = self.runtime.block_on(stream.get_info())?.state;
        let mut found = Vec::new();
        if state.messages > 0 {
            for sequence in state.first_sequence..=state.last_sequence {
                // What was acknowledged is gone from between.
                if let Ok(message) = self.runtime.block_on(stream.get_raw_message(sequence)) {
                    found.extend(self.seen(queue, &message));
                }
            }
        }
        Ok(found)
    }

    pub fn clear(&self) {
        for queue in 0..self.program.queues.len() as u16 {
            // What cannot be removed goes with the server's folder.
            let _ = self.runtime.block_on(self.context.delete_stream(self.name(queue)));
        }
    }
}
