//! A transactional database in memory: tables, unique indexes, sessions, row locks, waits, a commit log.
//!
//! PostgreSQL 15 is the reference. At its default level, read committed, every statement sees what was committed when it began;
//! one that has waited keeps that snapshot and re-reads only the row it waited for. At repeatable read the first statement's
//! snapshot is the whole transaction's, and of two that change a row the first to commit wins (`snapshot`). Serializable adds
//! that whatever commits is the outcome of some serial order (`serializable`). A prepared transaction belongs to no session any
//! more and outlives everybody (`prepared`).
//!
//! Versions of rows are kept by nobody but the snapshots that show them.
//!
//! The database is a value: a clone shares all rows and costs a handful of reference counts at any size. It does nothing by
//! itself: a caller sends one statement of one session at a time, and asks again for sessions that were reported as woken.
//! Refuses to know: services, brokers, faults, and time other than the stamps it is given.

mod fingerprint;
mod index;
mod locks;
mod prepared;
mod read;
mod serializable;
mod snapshot;
mod statement;
mod table;
mod transaction;
mod tree;

use crate::expression::{ErrorClass, Failure, Scope};
use crate::fact::{Fact, INITIAL, Log, Stamp};
use crate::sql::{DatabaseSchema, Select, Statement};
use crate::value::{Name, Row, Value};
use locks::Wait;
use prepared::identifier;
use read::Reader;
use serializable::Serializable;
use statement::{Execution, Stop};
use std::cell::Cell;
use std::rc::Rc;
use table::Table;
use transaction::Transaction;
use tree::Tree;

/// A connection of a client. Numbers are the caller's choice; a number never seen before is a new, idle session.
pub type SessionId = u32;

/// The session that loads the initial rows.
const LOADER: SessionId = SessionId::MAX;

/// A database: its committed state and its open sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct Database {
    tables: Vec<Rc<Table>>,
    sessions: Tree<SessionId, Rc<Session>>,
    /// The sessions that prepared transactions have been moved to.
    prepared: Tree<Name, SessionId>,
    serializable: Serializable,
    /// Number of the last commit that changed rows.
    commits: u32,
    /// Number of the last wait.
    waits: u64,
    /// Rows that statements have looked at.
    visited: u64,
}

/// What a session is in the middle of.
#[derive(Clone, Debug, Default, PartialEq)]
struct Session {
    transaction: Option<Transaction>,
    waiting: Option<Wait>,
}

/// What a statement brought about.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    pub handled: Handled,
    /// Other sessions whose wait may be over, in the sequence they began to wait. They wait until they are resumed.
    pub woken: Vec<SessionId>,
}

/// The answer to a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Handled {
    /// A list of rows for `select` and `returning`, the number of rows for other changes, null for the rest.
    Done(Result<Value, Failure>),
    /// The statement waits for another session's transaction; it goes on when it is resumed.
    Waits,
}

/// A row that an open transaction has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingRow {
    pub identity: u64,
    /// Whose transaction it is.
    pub session: SessionId,
    /// The committed version; none for an insert.
    pub before: Option<Row>,
    /// The new version; none for a delete.
    pub after: Option<Row>,
}

impl Database {
    /// A database with its initial rows, stamped [`INITIAL`]. Errors are those of the initial inserts.
    pub fn new(schema: &DatabaseSchema) -> Result<Database, Failure> {
        let mut database = Database {
            tables: schema.tables.iter().map(|table| Rc::new(Table::new(table))).collect(),
            sessions: Tree::new(),
            prepared: Tree::new(),
            serializable: Serializable::new(),
            commits: 0,
            waits: 0,
            visited: 0,
        };
        for insert in &schema.initial {
            let statement = Statement::Insert(insert.clone());
            // Nothing else is open, so an initial insert never waits.
            if let Handled::Done(Err(failure)) = database.execute(schema, LOADER, &statement, &[], INITIAL).handled {
                return Err(failure);
            }
        }
        database.close(LOADER);
        Ok(database)
    }

    /// Executes one statement of a session that does not wait. Outside `begin` it is a transaction of its own.
    ///
    /// As in PostgreSQL a second `begin`, and `commit` or `rollback` outside a transaction, do nothing and are no errors; `commit`
    /// of a transaction that an error has aborted rolls back, and is no error either.
    pub fn execute(
        &mut self,
        schema: &DatabaseSchema,
        session: SessionId,
        statement: &Statement,
        parameters: &[Value],
        stamp: Stamp,
    ) -> Effects {
        if self.is_aborted(session) && !ends_transaction(statement) {
            return Effects::failed(Failure::new(
                ErrorClass::Aborted,
                "current transaction is aborted, commands ignored until end of transaction block",
            ));
        }
        match statement {
            Statement::Begin(level) => {
                let set = match self.in_transaction(session) {
                    true => self.set_isolation(session, *level),
                    false => {
                        self.session_mut(session).transaction = Some(Transaction::begun(*level, stamp.at));
                        Ok(())
                    }
                };
                self.finish(session, set.map(|()| Value::Null), stamp)
            }
            Statement::Commit => self.commit_if_serial(session, stamp),
            Statement::Rollback => Effects::done(Ok(Value::Null), self.rollback(session)),
            Statement::Savepoint(name) => {
                let set = self.savepoint(session, name);
                self.finish(session, set.map(|()| Value::Null), stamp)
            }
            Statement::RollbackTo(name) => match self.rollback_to(session, name) {
                Ok(woken) => Effects::done(Ok(Value::Null), woken),
                Err(failure) => self.finish(session, Err(failure), stamp),
            },
            Statement::PrepareTransaction(id) => self.prepare(session, identifier(id, parameters, stamp)),
            Statement::CommitPrepared(id) | Statement::RollbackPrepared(id) => {
                let commits = matches!(statement, Statement::CommitPrepared(_));
                match self.end_prepared(session, identifier(id, parameters, stamp), commits, stamp) {
                    Ok(woken) => Effects::done(Ok(Value::Null), woken),
                    Err(failure) => self.finish(session, Err(failure), stamp),
                }
            }
            Statement::Select(_) | Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => {
                self.session_mut(session)
                    .transaction
                    .get_or_insert_with(|| Transaction::single(stamp.at));
                let execution = Execution::new(self.snapshot(session));
                self.run(schema, session, statement, parameters, stamp, execution, None)
            }
        }
    }

    /// Goes on with the statement of a session that waits; statement and parameters are those it was executed with.
    pub fn resume(
        &mut self,
        schema: &DatabaseSchema,
        session: SessionId,
        statement: &Statement,
        parameters: &[Value],
        stamp: Stamp,
    ) -> Effects {
        match self.session_mut(session).waiting.take() {
            Some(mut wait) => {
                let execution = std::mem::take(&mut wait.execution);
                self.run(schema, session, statement, parameters, stamp, execution, Some(wait))
            }
            None => self.execute(schema, session, statement, parameters, stamp),
        }
    }

    /// The client has gone: an open transaction rolls back. Returns the woken sessions, oldest wait first.
    ///
    /// A session that waits goes on waiting, as PostgreSQL's do: close it when its statement is done.
    pub fn close(&mut self, session: SessionId) -> Vec<SessionId> {
        if self.session(session).is_some_and(|found| found.waiting.is_some()) {
            return Vec::new();
        }
        let woken = self.rollback(session);
        self.sessions.remove(&session);
        woken
    }

    /// To be called once, a second after a session began to wait: if its wait is part of a circle it is the victim, its statement
    /// fails and its transaction is aborted. None: it goes on waiting, or does not wait.
    pub fn deadlock(&mut self, session: SessionId) -> Option<Effects> {
        if !self.waits_for_itself(session) {
            return None;
        }
        self.session_mut(session).waiting = None;
        let woken = self.abort(session);
        let failure = Failure::new(ErrorClass::Deadlock, "deadlock detected");
        Some(Effects::done(Err(failure), woken))
    }

    /// The server dies: all sessions end, nothing uncommitted stays. Committed rows, prepared transactions and the state of sequences do.
    pub fn down(&mut self) {
        let prepared: Vec<SessionId> = self.prepared.iter().map(|(_, holder)| *holder).collect();
        for table in &mut self.tables {
            Rc::make_mut(table).forget_open(|session| prepared.contains(&session));
        }
        let (sessions, mut kept) = (std::mem::replace(&mut self.sessions, Tree::new()), Tree::new());
        for (session, found) in sessions.iter() {
            match found.transaction.as_ref() {
                _ if prepared.contains(session) => drop(kept.insert(*session, Rc::clone(found))),
                Some(transaction) => transaction
                    .member
                    .into_iter()
                    .for_each(|member| self.serializable.forget(member)),
                None => {}
            }
        }
        self.sessions = kept;
    }

    /// True between `begin` and its end, whether aborted or not, and while a single statement waits.
    pub fn in_transaction(&self, session: SessionId) -> bool {
        self.session(session).is_some_and(|found| found.transaction.is_some())
    }

    /// True if an error has aborted the session's transaction, so that it waits for its rollback.
    pub fn is_aborted(&self, session: SessionId) -> bool {
        let transaction = self.session(session).and_then(|found| found.transaction.as_ref());
        transaction.is_some_and(|transaction| transaction.aborted)
    }

    /// The committed rows of a table with their identities, in the sequence of their inserts.
    pub fn rows(&self, table: u16) -> impl Iterator<Item = (u64, &Row)> {
        self.table(table).into_iter().flat_map(|table| table.rows(None))
    }

    /// What open transactions have changed in a table, by identity.
    pub fn pending(&self, table: u16) -> Vec<PendingRow> {
        let Some(table) = self.table(table) else {
            return Vec::new();
        };
        let changes = table.pending.iter().map(|(identity, pending)| PendingRow {
            identity: *identity,
            session: pending.session,
            before: table.heap.get(identity).cloned(),
            after: pending.row.clone(),
        });
        // A row inserted and deleted by the same open transaction was never there.
        changes
            .filter(|row| row.before.is_some() || row.after.is_some())
            .collect()
    }

    /// The locked rows of a table and who holds them, by identity. Rows with pending changes are among them, save inserted ones.
    pub fn locked(&self, table: u16) -> Vec<(u64, SessionId)> {
        let locks = self.table(table).into_iter().flat_map(|table| table.locks.iter());
        locks.map(|(identity, session)| (*identity, *session)).collect()
    }

    /// The commit log of a table: every committed insert, update and delete.
    ///
    /// As in PostgreSQL's write-ahead log, changes stand in the sequence their transaction made them, each transaction's together
    /// at its commit: a row inserted and updated by one transaction has two facts with the same commit number, and a row
    /// inserted and deleted by one transaction has two as well.
    ///
    /// # Panics
    /// If the schema has no such table.
    pub fn facts(&self, table: u16) -> &Log<Fact> {
        // Tables are numbered by the schema that the database was made from, and never go.
        &self.tables[usize::from(table)].facts
    }

    /// The rows a select finds in the committed state. `outer` gives variables and the time; locks are not taken.
    pub fn select(&self, select: &Select, outer: &dyn Scope) -> Result<Vec<Row>, Failure> {
        Reader::new(&self.tables, None, &[], &Cell::new(0)).select(select, outer)
    }

    /// How many rows its statements have looked at so far: the work it has done.
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// Runs a statement and ends its transaction if that is its own.
    #[allow(clippy::too_many_arguments)]
    fn run(
        &mut self,
        schema: &DatabaseSchema,
        session: SessionId,
        statement: &Statement,
        parameters: &[Value],
        stamp: Stamp,
        mut execution: Execution,
        waited: Option<Wait>,
    ) -> Effects {
        let outcome = execution.run(self, schema, session, statement, parameters);
        self.visited += execution.visited.take();
        let outcome = match (outcome, self.note_reads(session, execution.reads.take())) {
            (outcome @ Err(Stop::Fails(_)), _) | (outcome, Ok(())) => outcome,
            (_, Err(failure)) => Err(Stop::Fails(failure)),
        };
        match outcome {
            Ok(value) => {
                drop(execution);
                self.finish(session, Ok(value), stamp)
            }
            Err(Stop::Fails(failure)) => self.finish(session, Err(failure), stamp),
            Err(Stop::Waits(target, on)) => {
                // Whoever waits on for the same thing keeps its place.
                let since = match waited {
                    Some(wait) if wait.target == target => wait.since,
                    _ => {
                        self.waits += 1;
                        self.waits
                    }
                };
                self.session_mut(session).waiting = Some(Wait {
                    since,
                    target,
                    on,
                    woken: false,
                    execution,
                });
                Effects {
                    handled: Handled::Waits,
                    woken: Vec::new(),
                }
            }
        }
    }

    /// After a statement: commits if it was a transaction of its own, aborts if it failed.
    fn finish(&mut self, session: SessionId, result: Result<Value, Failure>, stamp: Stamp) -> Effects {
        let explicit = self
            .session(session)
            .and_then(|found| found.transaction.as_ref())
            .is_none_or(|transaction| transaction.explicit);
        let woken = match (&result, explicit) {
            (Ok(_), true) => Vec::new(),
            (Ok(_), false) => self.commit(session, stamp),
            (Err(_), _) => self.abort(session),
        };
        Effects::done(result, woken)
    }

    fn table(&self, table: u16) -> Option<&Table> {
        self.tables.get(usize::from(table)).map(|table| &**table)
    }

    fn table_mut(&mut self, table: u16) -> Option<&mut Table> {
        self.tables.get_mut(usize::from(table)).map(Rc::make_mut)
    }

    fn session(&self, session: SessionId) -> Option<&Session> {
        self.sessions.get(&session).map(|found| &**found)
    }

    fn session_mut(&mut self, session: SessionId) -> &mut Session {
        Rc::make_mut(self.sessions.get_or_insert_with(session, Default::default))
    }

    fn transaction_mut(&mut self, session: SessionId) -> Option<&mut Transaction> {
        self.session_mut(session).transaction.as_mut()
    }

    fn end_transaction(&mut self, session: SessionId) -> Option<Transaction> {
        self.session_mut(session).transaction.take()
    }
}

/// What an aborted transaction still accepts.
fn ends_transaction(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::Commit | Statement::Rollback | Statement::RollbackTo(_) | Statement::PrepareTransaction(_)
    )
}

impl Effects {
    fn done(result: Result<Value, Failure>, woken: Vec<SessionId>) -> Effects {
        Effects {
            handled: Handled::Done(result),
            woken,
        }
    }

    fn failed(failure: Failure) -> Effects {
        Effects::done(Err(failure), Vec::new())
    }
}

#[cfg(test)]
mod tests;
