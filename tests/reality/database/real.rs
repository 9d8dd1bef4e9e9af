//! A history on PostgreSQL, in lock step: a step is sent when everything the one before has set in motion has come to rest.
//!
//! At rest: every statement under way has been answered, or waits for a lock. Whether it waits is asked of `pg_blocking_pids`
//! on a connection of its own: the server grants a lock before it answers whoever released it, so nothing is ever taken for
//! waiting that has been woken.

use super::engine::{Compiled, in_sequence};
use super::history::{Action, History, Pace, Session};
use super::transcript::{Answer, CODES, Cells, OTHER, Record, Transcript};
use crate::servers::Postgres;
use crashpoint::sql::Statement;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Error, NoTls, SimpleQueryMessage};

/// Everything that goes wrong with the connection itself, and not with a statement.
pub type Broken = Box<dyn std::error::Error>;

/// How long a step may take to come to rest.
const PATIENCE: Duration = Duration::from_secs(20);

/// `deadlock_timeout` where waiters shall have looked before the next step, and the time after which they have.
const SHORT: Duration = Duration::from_millis(2);
const LOOKED: Duration = Duration::from_millis(8);

/// `deadlock_timeout` in a hurry; it is doubled if the machine is too slow for it.
const HURRY: Duration = Duration::from_millis(150);
const HURRY_MAX: Duration = Duration::from_secs(4);

/// Sessions of one server, used for one history after the other.
pub struct Real<'s> {
    server: &'s Postgres,
    database: String,
    monitor: Client,
    sessions: BTreeMap<Session, Connection>,
    /// `deadlock_timeout` of histories in a hurry: longer than their steps take.
    hurry: Duration,
    replies: UnboundedReceiver<Reply>,
    reply: UnboundedSender<Reply>,
}

struct Connection {
    client: std::sync::Arc<Client>,
    /// The server's process.
    pid: i32,
    task: JoinHandle<()>,
}

/// An answer, and the process it is from.
type Reply = (i32, Result<Vec<SimpleQueryMessage>, Error>);

/// A statement under way.
struct Running {
    session: Session,
    statement: Statement,
    waits_since: Option<Instant>,
    /// It has looked for a deadlock since it began to wait.
    looked: bool,
}

/// The state of one history.
#[derive(Default)]
struct Play {
    /// By process.
    running: BTreeMap<i32, Running>,
    /// Processes whose clients have gone.
    orphans: BTreeSet<i32>,
}

impl<'s> Real<'s> {
    /// Makes a database of that name.
    pub async fn new(server: &'s Postgres, database: &str) -> Result<Real<'s>, Broken> {
        let (reply, replies) = unbounded_channel();
        let (creator, connection) = tokio_postgres::connect(&server.address("postgres"), NoTls).await?;
        tokio::spawn(connection);
        creator.batch_execute(&format!("create database {database}")).await?;
        let (monitor, connection) = tokio_postgres::connect(&server.address(database), NoTls).await?;
        tokio::spawn(connection);
        Ok(Real {
            server,
            database: database.to_string(),
            monitor,
            sessions: BTreeMap::new(),
            hurry: HURRY,
            replies,
            reply,
        })
    }

    /// Plays a history from its beginning to its end, and takes its tables away again.
    pub async fn play(&mut self, history: &History, compiled: &Compiled, scans: Scans) -> Result<Transcript, Broken> {
        loop {
            self.set_up(history, scans).await?;
            let played = self.steps(history, compiled).await;
            let rows = match &played {
                Ok(Some(_)) => Some(self.rows(history).await?),
                _ => None,
            };
            self.clear(history).await?;
            match (played?, rows) {
                (Some(records), Some(rows)) => return Ok(Transcript { records, rows }),
                // The machine was too slow for this history to be in a hurry.
                _ => self.hurry *= 2,
            }
        }
    }

    async fn set_up(&mut self, history: &History, scans: Scans) -> Result<(), Broken> {
        let mut sql = String::new();
        for line in &history.setup {
            let create = if line.starts_with("table ") { "create " } else { "" };
            sql += &format!("{create}{line};\n");
        }
        self.monitor.batch_execute(&sql).await?;
        let timeout = match history.pace {
            Pace::Hurried => self.hurry,
            Pace::Unhurried => SHORT,
        };
        let scans = match scans {
            Scans::Planned => "on",
            Scans::ByKey => "off",
        };
        let settings = format!(
            "set deadlock_timeout = {}; set enable_seqscan = {scans}; set enable_bitmapscan = {scans}",
            timeout.as_millis()
        );
        for session in history.sessions() {
            self.connect(session).await?;
            if let Some(connection) = self.sessions.get(&session) {
                connection.client.batch_execute(&settings).await?;
            }
        }
        Ok(())
    }

    /// A connection for a session that has none.
    async fn connect(&mut self, session: Session) -> Result<(), Broken> {
        if self.sessions.contains_key(&session) {
            return Ok(());
        }
        let (client, connection) = tokio_postgres::connect(&self.server.address(&self.database), NoTls).await?;
        let task = tokio::spawn(async move {
            // Its end is seen by whoever uses the client.
            let _ = connection.await;
        });
        let pid = client.query_one("select pg_backend_pid()", &[]).await?.get(0);
        let client = std::sync::Arc::new(client);
        self.sessions.insert(session, Connection { client, pid, task });
        Ok(())
    }

    /// None: a waiter may have looked for a deadlock too early.
    async fn steps(&mut self, history: &History, compiled: &Compiled) -> Result<Option<Vec<Record>>, Broken> {
        let closing = super::closing(history);
        let mut play = Play::default();
        let mut records = Vec::new();
        for (position, step) in history.steps.iter().chain(&closing).enumerate() {
            let mut record = Record::default();
            let running = play.running.values().any(|running| running.session == step.session);
            if running && step.action != Action::Vanish {
                record.busy = true;
            } else {
                match (&step.action, compiled.statement(position)) {
                    (Action::Sql(sql), Some(statement)) => self.send(step.session, sql, statement, &mut play)?,
                    (Action::Sql(_), None) => {}
                    (Action::End, _) => self.end(history, step.session).await?,
                    (Action::Vanish, _) => self.vanish(history, step.session, &mut play).await?,
                }
                if !self.rest(history.pace, &mut play, &mut record).await? {
                    self.abandon(&mut play).await?;
                    return Ok(None);
                }
            }
            record.waiting = play.running.values().map(|running| running.session).collect();
            records.push(record);
        }
        self.abandon(&mut play).await?;
        Ok(Some(records))
    }

    fn send(&self, session: Session, sql: &str, statement: &Statement, play: &mut Play) -> Result<(), Broken> {
        let connection = self.sessions.get(&session).ok_or("no such session")?;
        let (client, reply, pid) = (connection.client.clone(), self.reply.clone(), connection.pid);
        let sql = sql.to_string();
        tokio::spawn(async move {
            // Nobody listens any more once the history is over.
            let _ = reply.send((pid, client.simple_query(&sql).await));
        });
        let running = Running {
            session,
            statement: statement.clone(),
            waits_since: None,
            looked: false,
        };
        play.running.insert(pid, running);
        Ok(())
    }

    /// Waits until nothing moves. False: in a hurry, but somebody has waited too long for that.
    async fn rest(&mut self, pace: Pace, play: &mut Play, record: &mut Record) -> Result<bool, Broken> {
        let start = Instant::now();
        let mut passes = pace == Pace::Unhurried;
        let mut looked = false;
        while start.elapsed() < PATIENCE {
            self.take_replies(play, record);
            if play.running.is_empty() && play.orphans.is_empty() {
                return Ok(true);
            }
            let waits = self.waits(play).await?;
            if self.take_replies(play, record) {
                looked = false;
                continue;
            }
            let Some(waits) = waits else { continue };
            let now = Instant::now();
            for running in play.running.values_mut() {
                running.waits_since.get_or_insert(now);
            }
            if is_circle(&waits) {
                let fresh = play.running.values().filter(|running| !running.looked);
                let oldest = fresh.filter_map(|running| running.waits_since).min();
                let since = oldest.map_or(Duration::ZERO, |oldest| now.saturating_duration_since(oldest));
                if pace == Pace::Hurried && !passes && since > self.hurry / 2 && self.hurry < HURRY_MAX {
                    return Ok(false);
                }
                passes = true;
                looked = false;
                tokio::time::sleep(Duration::from_millis(1)).await;
                continue;
            }
            // Everybody who waits has the time to look before the next step, where that is the pace or a circle took it.
            if !passes || looked {
                play.running.values_mut().for_each(|running| running.looked |= looked);
                return Ok(true);
            }
            let timeout = if pace == Pace::Hurried {
                self.hurry + LOOKED
            } else {
                LOOKED
            };
            tokio::time::sleep(timeout).await;
            looked = true;
        }
        Err(format!("a step did not come to rest within {PATIENCE:?}").into())
    }

    /// Whom each process that is not done waits for; none if one of them is on its way.
    async fn waits(&self, play: &mut Play) -> Result<Option<BTreeMap<i32, Vec<i32>>>, Broken> {
        let pids: Vec<i32> = play.running.keys().chain(&play.orphans).copied().collect();
        let query = "select pid, pg_blocking_pids(pid), \
             exists (select from pg_stat_activity as activity where activity.pid = asked.pid) \
             from unnest($1::int[]) as asked (pid)";
        let mut waits = BTreeMap::new();
        let mut all = true;
        for row in self.monitor.query(query, &[&pids]).await? {
            let (pid, blockers, alive): (i32, Vec<i32>, bool) = (row.get(0), row.get(1), row.get(2));
            match blockers.is_empty() {
                true if !alive => drop(play.orphans.remove(&pid)),
                true => {
                    all = false;
                    if let Some(running) = play.running.get_mut(&pid) {
                        (running.waits_since, running.looked) = (None, false);
                    }
                }
                false => drop(waits.insert(pid, blockers)),
            }
        }
        Ok(all.then_some(waits))
    }

    /// Notes what has been answered; true if anything has.
    fn take_replies(&mut self, play: &mut Play, record: &mut Record) -> bool {
        let mut any = false;
        while let Ok((pid, reply)) = self.replies.try_recv() {
            if let Some(running) = play.running.remove(&pid) {
                record
                    .answers
                    .insert(running.session, answer(&running.statement, reply));
                any = true;
            }
        }
        any
    }

    /// The server ends a session, and is done when it is gone.
    async fn end(&mut self, history: &History, session: Session) -> Result<(), Broken> {
        if let Some(connection) = self.sessions.remove(&session) {
            self.terminate(connection.pid).await?;
        }
        self.reconnect(history, session).await
    }

    async fn terminate(&self, pid: i32) -> Result<(), Broken> {
        let start = Instant::now();
        self.monitor.execute("select pg_terminate_backend($1)", &[&pid]).await?;
        let gone = "select not exists (select from pg_stat_activity where pid = $1)";
        while !self.monitor.query_one(gone, &[&pid]).await?.get::<_, bool>(0) {
            if start.elapsed() > PATIENCE {
                return Err(format!("process {pid} does not end").into());
            }
        }
        Ok(())
    }

    /// The client's socket closes without a word.
    async fn vanish(&mut self, history: &History, session: Session, play: &mut Play) -> Result<(), Broken> {
        if let Some(connection) = self.sessions.remove(&session) {
            connection.task.abort();
            play.running.remove(&connection.pid);
            play.orphans.insert(connection.pid);
        }
        self.reconnect(history, session).await
    }

    async fn reconnect(&mut self, history: &History, session: Session) -> Result<(), Broken> {
        self.connect(session).await?;
        let timeout = if history.pace == Pace::Hurried {
            self.hurry
        } else {
            SHORT
        };
        if let Some(connection) = self.sessions.get(&session) {
            let set = format!("set deadlock_timeout = {}", timeout.as_millis());
            connection.client.batch_execute(&set).await?;
        }
        Ok(())
    }

    /// Ends what is still under way.
    async fn abandon(&mut self, play: &mut Play) -> Result<(), Broken> {
        for pid in play.running.keys().chain(&play.orphans) {
            self.terminate(*pid).await?;
        }
        let gone = |connection: &Connection| play.running.contains_key(&connection.pid);
        self.sessions.retain(|_, connection| !gone(connection));
        while self.replies.try_recv().is_ok() {}
        Ok(())
    }

    async fn rows(&self, history: &History) -> Result<BTreeMap<String, Vec<Cells>>, Broken> {
        let mut all = BTreeMap::new();
        for table in history.tables() {
            let found = self.monitor.simple_query(&format!("select * from {table}")).await?;
            let mut rows = cells(&found);
            rows.sort();
            all.insert(table.to_string(), rows);
        }
        Ok(all)
    }

    async fn clear(&mut self, history: &History) -> Result<(), Broken> {
        for connection in self.sessions.values() {
            connection.client.batch_execute("rollback").await?;
        }
        let tables: Vec<&str> = history.tables().collect();
        self.monitor
            .batch_execute(&format!("drop table {}", tables.join(", ")))
            .await?;
        Ok(())
    }
}

/// How PostgreSQL finds rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scans {
    /// As it plans: small tables are read as a whole, in a sequence that its documentation leaves open.
    Planned,
    /// By the index of a key that the statement names, in the sequence of the keys.
    ByKey,
}

fn is_circle(waits: &BTreeMap<i32, Vec<i32>>) -> bool {
    let reaches_itself = |start: i32| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<i32> = waits.get(&start).cloned().unwrap_or_default();
        while let Some(next) = open.pop() {
            if next == start {
                return true;
            }
            if seen.insert(next) {
                open.extend(waits.get(&next).into_iter().flatten());
            }
        }
        false
    };
    waits.keys().any(|start| reaches_itself(*start))
}

fn answer(statement: &Statement, reply: Result<Vec<SimpleQueryMessage>, Error>) -> Answer {
    let messages = match reply {
        Ok(messages) => messages,
        Err(error) => {
            return match error.as_db_error() {
                Some(error) => {
                    let code = error.code().code();
                    let known = if CODES.contains(&code) { code } else { OTHER };
                    Answer::Failed(known.to_string(), error.message().to_string())
                }
                None => Answer::Failed("broken".to_string(), error.to_string()),
            };
        }
    };
    let count = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::CommandComplete(count) => Some(*count),
        _ => None,
    });
    let returns = match statement {
        Statement::Select(_) => true,
        Statement::Insert(insert) => insert.returning.is_some(),
        Statement::Update(update) => update.returning.is_some(),
        Statement::Delete(delete) => delete.returning.is_some(),
        _ => return Answer::Ok,
    };
    match returns {
        true => Answer::Rows(in_sequence(statement, cells(&messages))),
        false => Answer::Count(count.unwrap_or(0)),
    }
}

fn cells(messages: &[SimpleQueryMessage]) -> Vec<Cells> {
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let cells = |row: &tokio_postgres::SimpleQueryRow| {
        let cell = |position| row.get(position).unwrap_or("null").to_string();
        (0..row.len()).map(cell).collect()
    };
    rows.map(cells).collect()
}
