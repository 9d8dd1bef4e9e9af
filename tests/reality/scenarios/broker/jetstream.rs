//! Queues on NATS JetStream: each is a stream with one consumer, and a message leaves it when it is acknowledged. What was accepted
//! is read from the stream by its sequence. A topic is a stream of its own that the streams of its queues have as their source.
//!
//! Virtual time stands still while the conductor works, so no lease may end by itself: the consumer's ack wait is an hour. When a
//! lease is over in virtual time the ack wait is set to the age of that delivery, the server finds that it has waited too long and
//! delivers again, and then the ack wait is an hour again. The window in which copies are known is ended likewise. To the server a
//! delay is a lease of that length that nobody holds. How slow the machine is plays no part.

use super::super::worker::{CONSUMER, PUBLICATION};
use super::{NEVER, Problem, Seen, Touch, row_of};
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{Config, RetentionPolicy, Source, StorageType, Stream};
use async_nats::jetstream::{self, AckKind, Context};
use crashpoint::program::{Dedupe, Destination, Program};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// The shortest window of time in which a stream knows ids.
const SHORTEST: Duration = Duration::from_millis(100);
/// Told of another window, the server looks at once; it has done so after this long.
const HAS_FORGOTTEN: Duration = Duration::from_millis(30);
/// The header of a message that was copied from another stream.
const STREAM_SOURCE: &str = "Nats-Stream-Source";
const PATIENCE: Duration = Duration::from_secs(10);
/// Told of another ack wait, the server looks at what is in flight a tenth of a second later; it has done so after this long.
const LOOKS_AFTER: Duration = Duration::from_millis(90);
const HAS_LOOKED: Duration = Duration::from_millis(250);
/// The answer of a server that has enough of its machine.
const QUICK: Duration = Duration::from_millis(25);

pub struct Jetstream {
    runtime: Handle,
    program: Rc<Program>,
    prefix: String,
    context: Context,
    streams: Vec<Stream>,
    topics: Vec<Stream>,
    /// By queue, how many copies it has got from topics.
    copied: Vec<u64>,
    /// By queue, the last sequence number that has been read.
    seen: Vec<u64>,
}

/// Waits until the server has looked at what is in flight: it is late with that where it is late with everything.
async fn has_looked(stream: &Stream) -> Result<(), Problem> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        tokio::time::sleep(HAS_LOOKED).await;
        let asked = Instant::now();
        stream.consumer_info(CONSUMER).await?;
        if asked.elapsed() < QUICK {
            return Ok(());
        }
    }
    Ok(())
}

impl Jetstream {
    /// Connects and makes streams and consumers. Errors: the server refuses one.
    pub fn new(runtime: &Handle, port: u16, prefix: &str, program: &Rc<Program>) -> Result<Jetstream, Problem> {
        let mut made = Jetstream {
            runtime: runtime.clone(),
            program: Rc::clone(program),
            prefix: prefix.to_string(),
            context: runtime.block_on(async {
                let client = async_nats::connect(format!("nats://127.0.0.1:{port}")).await?;
                Ok::<_, async_nats::ConnectError>(jetstream::new(client))
            })?,
            streams: Vec::new(),
            topics: Vec::new(),
            copied: vec![0; program.queues.len()],
            seen: vec![0; program.queues.len()],
        };
        for topic in program.topics.iter().filter(|topic| !topic.queues.is_empty()) {
            let stream = runtime.block_on(made.make_topic(&topic.name))?;
            made.topics.push(stream);
        }
        for queue in 0..program.queues.len() as u16 {
            let stream = runtime.block_on(made.make(queue))?;
            made.streams.push(stream);
        }
        Ok(made)
    }

    fn name(&self, queue: u16) -> String {
        format!("{}{}", self.prefix, self.program.queues[usize::from(queue)].name)
    }

    async fn make_topic(&self, topic: &str) -> Result<Stream, Problem> {
        let name = format!("{}{topic}", self.prefix);
        let stream = Config {
            name: name.clone(),
            subjects: vec![name],
            storage: StorageType::File,
            duplicate_window: NEVER,
            ..Config::default()
        };
        Ok(self.context.create_stream(stream).await?)
    }

    /// The topics that a queue gets copies from.
    fn topics_of(&self, queue: u16) -> impl Iterator<Item = &Stream> {
        let with_queues = self.program.topics.iter().filter(|topic| !topic.queues.is_empty());
        let all = with_queues.zip(&self.topics);
        all.filter(move |(topic, _)| topic.queues.contains(&queue))
            .map(|(_, stream)| stream)
    }

    /// Waits until every message of its topics has been copied: the server does it by the way.
    fn await_copies(&mut self, queue: u16) -> Result<(), Problem> {
        let index = usize::from(queue);
        let topics: Vec<Stream> = self.topics_of(queue).cloned().collect();
        let mut published = 0;
        for topic in topics {
            published += self.runtime.block_on(topic.get_info())?.state.messages;
        }
        let own = self.seen[index] - self.copied[index];
        let stream = self.streams[index].clone();
        let start = Instant::now();
        while self.runtime.block_on(stream.get_info())?.state.last_sequence < published + own {
            if start.elapsed() > PATIENCE {
                return Err("a topic's message is not copied to its queue".into());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    async fn make(&self, queue: u16) -> Result<Stream, Problem> {
        let schema = &self.program.queues[usize::from(queue)];
        let name = self.name(queue);
        let window = match schema.dedupe {
            Some(Dedupe::Within(_)) => NEVER,
            _ => SHORTEST,
        };
        let source = |topic: &Stream| Source {
            name: topic.cached_info().config.name.clone(),
            ..Source::default()
        };
        let sources: Vec<Source> = self.topics_of(queue).map(source).collect();
        let stream = Config {
            name: name.clone(),
            subjects: vec![name.clone()],
            retention: RetentionPolicy::WorkQueue,
            storage: if schema.volatile {
                StorageType::Memory
            } else {
                StorageType::File
            },
            duplicate_window: window,
            sources: (!sources.is_empty()).then_some(sources),
            ..Config::default()
        };
        let stream = self.context.create_stream(stream).await?;
        stream.create_consumer(self.consumer(queue, NEVER)).await?;
        Ok(stream)
    }

    /// After the server was down: its client comes back by itself, but what was in memory only went with the server, and whoever
    /// uses it declares it anew.
    pub fn reconnect(&mut self) -> Result<(), Problem> {
        for queue in 0..self.program.queues.len() {
            if self.program.queues[queue].volatile {
                self.streams[queue] = self.runtime.block_on(self.make(queue as u16))?;
                self.seen[queue] = 0;
            }
        }
        Ok(())
    }

    fn consumer(&self, queue: u16, ack_wait: Duration) -> pull::Config {
        let schema = &self.program.queues[usize::from(queue)];
        pull::Config {
            durable_name: Some(CONSUMER.to_string()),
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            max_deliver: schema.attempts.map_or(-1, i64::from),
            ..pull::Config::default()
        }
    }

    /// Lets the leases and delays end of what is at least so old.
    pub fn end_leases(&self, queue: u16, age: Duration) -> Result<(), Problem> {
        let stream = &self.streams[usize::from(queue)];
        self.runtime.block_on(async {
            // When the server looks, all are older by as much.
            stream.create_consumer(self.consumer(queue, age + LOOKS_AFTER)).await?;
            has_looked(stream).await?;
            stream.create_consumer(self.consumer(queue, NEVER)).await?;
            Ok(())
        })
    }

    /// How long the server takes to answer a question.
    pub fn answers_in(&self, queue: u16) -> Result<Duration, Problem> {
        let (stream, asked) = (&self.streams[usize::from(queue)], Instant::now());
        self.runtime.block_on(stream.consumer_info(CONSUMER))?;
        Ok(asked.elapsed())
    }

    /// The server counts a lease or a delay from now.
    pub fn touch(&self, reply: &str, touch: Touch) -> Result<(), Problem> {
        let kind = match touch {
            Touch::Lease => AckKind::Progress,
            Touch::Delay => AckKind::Nak(Some(NEVER)),
        };
        let client = self.context.client();
        let asked = client.request(reply.to_string(), kind.into());
        self.runtime
            .block_on(async { tokio::time::timeout(PATIENCE, asked).await })??;
        Ok(())
    }

    /// The ids are forgotten of what this destination accepted at least so long ago.
    pub fn forget_ids(&self, to: Destination, age: Duration) -> Result<(), Problem> {
        let stream = match to {
            Destination::Queue(queue) => self.streams.get(usize::from(queue)),
            Destination::Topic(topic) => self.topic(topic),
        };
        let Some(stream) = stream else { return Ok(()) };
        std::thread::sleep(SHORTEST.saturating_sub(age));
        let usual = stream.cached_info().config.clone();
        let short = Config {
            duplicate_window: age.max(SHORTEST),
            ..usual.clone()
        };
        self.runtime.block_on(async {
            self.context.update_stream(short).await?;
            tokio::time::sleep(HAS_FORGOTTEN).await;
            self.context.update_stream(usual).await?;
            Ok(())
        })
    }

    fn topic(&self, topic: u16) -> Option<&Stream> {
        let name = &self.program.topics.get(usize::from(topic))?.name;
        let name = format!("{}{name}", self.prefix);
        self.topics
            .iter()
            .find(|stream| stream.cached_info().config.name == name)
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
        self.await_copies(queue)?;
        let stream = self.streams[index].clone();
        let last = self.runtime.block_on(stream.get_info())?.state.last_sequence;
        let mut found = Vec::new();
        for sequence in self.seen[index] + 1..=last {
            let message = self.runtime.block_on(stream.get_raw_message(sequence))?;
            self.copied[index] += u64::from(message.headers.get(STREAM_SOURCE).is_some());
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
        for topic in &self.topics {
            let name = &topic.cached_info().config.name;
            let _ = self.runtime.block_on(self.context.delete_stream(name));
        }
    }
}
