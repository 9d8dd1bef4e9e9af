//! The connections of a process: each task has its own to each database and broker, opened when it is first needed.
//!
//! Refuses to know: what a request says.

use super::super::wire::{Answer, Event, Init};
use super::jetstream::{Held, Jetstream};
use super::rabbitmq::Rabbit;
use super::request::{Asked, Problem, send};
use super::say;
use super::sql::Postgres;
use crashpoint::program::Program;
use crashpoint::value::Millis;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

pub struct Sessions {
    pub program: Rc<Program>,
    pub init: Rc<Init>,
    tasks: RefCell<BTreeMap<u32, OfTask>>,
    /// Connections of tasks that ended well, for the next one.
    idle: RefCell<Vec<(Party, Connection)>>,
    /// Deliveries of JetStream.
    held: Held,
    /// Asynchronous publishes that have not left.
    buffered: RefCell<BTreeMap<u32, (u32, Asked)>>,
}

#[derive(Default)]
struct OfTask {
    open: BTreeMap<Party, Connection>,
    /// The last request: over which connection it went, and how it is no longer waited for.
    last: Option<(Option<Party>, AbortHandle)>,
    release: Option<oneshot::Sender<()>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    Database(u16),
    Broker(u16),
}

#[derive(Clone)]
pub enum Connection {
    Postgres(Rc<Postgres>),
    Rabbit(Rc<Rabbit>),
    Jetstream(Rc<Jetstream>),
}

impl Connection {
    fn is_closed(&self) -> bool {
        match self {
            Connection::Postgres(postgres) => postgres.is_closed(),
            Connection::Rabbit(rabbit) => rabbit.is_closed(),
            Connection::Jetstream(jetstream) => jetstream.is_closed(),
        }
    }
}

impl Sessions {
    pub fn new(program: Rc<Program>, init: Rc<Init>) -> Sessions {
        Sessions {
            program,
            init,
            tasks: RefCell::default(),
            idle: RefCell::default(),
            held: Held::default(),
            buffered: RefCell::default(),
        }
    }

    fn with<T>(&self, task: u32, change: impl FnOnce(&mut OfTask) -> T) -> T {
        change(self.tasks.borrow_mut().entry(task).or_default())
    }

    /// The task's connection to a party, opened if there is none. Errors: it cannot be reached.
    pub async fn connection(&self, task: u32, party: Party) -> Result<Connection, Problem> {
        let known = self.with(task, |of| of.open.get(&party).cloned());
        if let Some(known) = known.filter(|known| !known.is_closed()) {
            return Ok(known);
        }
        let reused = {
            let mut idle = self.idle.borrow_mut();
            idle.retain(|(_, connection)| !connection.is_closed());
            let found = idle.iter().position(|(of, _)| *of == party);
            found.map(|at| idle.swap_remove(at).1)
        };
        let connection = match reused {
            Some(connection) => connection,
            None => self.open(party).await?,
        };
        self.with(task, |of| of.open.insert(party, connection.clone()));
        Ok(connection)
    }

    async fn open(&self, party: Party) -> Result<Connection, Problem> {
        match party {
            Party::Database(database) => {
                let (port, schema) = &self.init.databases[usize::from(database)];
                Ok(Connection::Postgres(Rc::new(Postgres::connect(*port, schema).await?)))
            }
            Party::Broker(broker) => {
                let port = self.init.brokers[usize::from(broker)];
                match self.init.system.as_str() {
                    "rabbitmq" => Ok(Connection::Rabbit(Rc::new(Rabbit::connect(port).await?))),
                    _ => Ok(Connection::Jetstream(Rc::new(
                        Jetstream::connect(port, Rc::clone(&self.held)).await?,
                    ))),
                }
            }
        }
    }

    /// What a request waits for right before it is sent: nothing, or to be released.
    fn gate(&self, task: u32, hold: bool) -> impl Future<Output = ()> + use<> {
        let (release, released) = oneshot::channel();
        if !hold {
            // Nobody listens yet, and nobody has to.
            let _ = release.send(());
        } else {
            self.with(task, |of| of.release = Some(release));
        }
        async move {
            if hold {
                say(&Event::Holding { task });
            }
            // A conductor that lets it wait for ever has other plans.
            let _ = released.await;
        }
    }

    /// Keeps a message until it leaves; the program goes on.
    pub fn buffer(&self, task: u32, number: u32, asked: Asked) {
        self.buffered.borrow_mut().insert(number, (task, asked));
    }

    /// A kept message leaves over its task's connection, and its answer is said when it comes.
    pub fn send_buffered(self: &Rc<Self>, number: u32, stamp: (u32, Millis), hold: bool) {
        let Some((task, asked)) = self.buffered.borrow_mut().remove(&number) else {
            let answer = Answer::failed(crashpoint::expression::ErrorClass::Error, "nothing is buffered");
            return say(&Event::Sent { number, answer });
        };
        let (sessions, gate) = (Rc::clone(self), self.gate(task, hold));
        tokio::task::spawn_local(async move {
            let answer = match send(&sessions, task, &asked, stamp, gate).await {
                Ok(value) => Answer::Well(value),
                Err(problem) => Answer::failed(problem.class, problem.detail),
            };
            say(&Event::Sent { number, answer });
        });
    }

    /// Sends a request in the background of the process; its answer is said when it comes.
    pub fn go(self: &Rc<Self>, task: u32, asked: Asked, stamp: (u32, Millis), hold: bool) {
        let (sessions, gate) = (Rc::clone(self), self.gate(task, hold));
        let party = asked.party(&self.program, self.init.service);
        let running = tokio::task::spawn_local(async move {
            if hold {
                sessions.calm(task, party).await;
            }
            let (answer, closes) = match send(&sessions, task, &asked, stamp, gate).await {
                Ok(value) => (Answer::Well(value), false),
                Err(problem) => (Answer::failed(problem.class, problem.detail), problem.closes),
            };
            say(&Event::Answered { task, answer, closes });
        });
        self.with(task, |of| of.last = Some((party, running.abort_handle())));
    }

    pub fn release(&self, task: u32) {
        if let Some(release) = self.with(task, |of| of.release.take()) {
            let _ = release.send(());
        }
    }

    pub fn get(self: &Rc<Self>, task: u32, queue: u16, delivery: u32) {
        let sessions = Rc::clone(self);
        tokio::task::spawn_local(async move {
            let party = Party::Broker(sessions.program.queues[usize::from(queue)].broker);
            let name = sessions.queue_name(queue);
            let message = match sessions.connection(task, party).await {
                Ok(Connection::Rabbit(rabbit)) => rabbit.get(&name, (queue, delivery)).await,
                Ok(Connection::Jetstream(jetstream)) => jetstream.get(&name, (queue, delivery)).await,
                _ => None,
            };
            say(&Event::Got { task, message });
        });
    }

    pub fn renew(self: &Rc<Self>, task: u32, queue: u16, delivery: u32) {
        let sessions = Rc::clone(self);
        tokio::task::spawn_local(async move {
            let party = Party::Broker(sessions.program.queues[usize::from(queue)].broker);
            let answer = match sessions.connection(task, party).await {
                Ok(Connection::Jetstream(jetstream)) => jetstream.extend((queue, delivery)).await,
                _ => Err(Problem::refused("nothing to prolong")),
            };
            let answer = match answer {
                Ok(()) => Answer::Well(serde_json::Value::Null),
                Err(problem) => Answer::failed(problem.class, problem.detail),
            };
            let closes = false;
            say(&Event::Answered { task, answer, closes });
        });
    }

    /// What a queue is called on the real broker.
    pub fn queue_name(&self, queue: u16) -> String {
        format!("{}{}", self.init.prefix, self.program.queues[usize::from(queue)].name)
    }

    pub async fn end_pass(&self, task: u32, give_back: Option<(u16, u32)>) {
        let open: Vec<Connection> = self.with(task, |of| of.open.values().cloned().collect());
        for connection in open {
            match connection {
                Connection::Postgres(postgres) => postgres.end_pass().await,
                Connection::Rabbit(rabbit) => {
                    rabbit.end_pass().await;
                    if let Some(delivery) = give_back {
                        rabbit.give_back(delivery).await;
                    }
                }
                Connection::Jetstream(_) => {}
            }
        }
    }

    /// Database connections and those without deliveries serve the next task.
    pub fn end_task(&self, task: u32) {
        let Some(of) = self.tasks.borrow_mut().remove(&task) else {
            return;
        };
        let mut idle = self.idle.borrow_mut();
        for (party, connection) in of.open {
            let clean = match &connection {
                Connection::Postgres(postgres) => !postgres.is_closed(),
                Connection::Rabbit(rabbit) => !rabbit.holds_deliveries(),
                Connection::Jetstream(_) => true,
            };
            if clean {
                idle.push((party, connection));
            }
        }
    }

    /// Waits until everything that was said before has been answered: a statement that is closed is closed by the way.
    async fn calm(&self, task: u32, party: Option<Party>) {
        let Some(party) = party else { return };
        if let Ok(Connection::Postgres(postgres)) = self.connection(task, party).await {
            postgres.calm().await;
        }
    }

    /// Knows of no answer to the last request, also if there was one; the connection that it went over is dropped.
    pub fn give_up(&self, task: u32) {
        self.with(task, |of| {
            if let Some((party, running)) = of.last.take() {
                running.abort();
                if let Some(party) = party {
                    of.open.remove(&party);
                }
            }
        });
    }
}
