//! Transactions: begin, commit, rollback, savepoints, and the undo log behind them.
//!
//! Everything a transaction does to the tables goes through `lock`, `change` and `claim`, so that taking back is walking the undo log
//! backwards and committing is walking it forwards. As in PostgreSQL an error undoes the transaction (back to its last
//! savepoint) and frees its locks at once; what remains until `rollback` is a session that refuses every statement.

use super::index::Claim;
use super::table::Pending;
use super::{Database, SessionId};
use crate::expression::{ErrorClass, Failure};
use crate::fact::{INITIAL, Stamp};
use crate::value::{Millis, Name, Row, Value};
use rpds::Vector;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transaction {
    /// Begun by `begin`; otherwise it is the transaction of a single statement.
    pub explicit: bool,
    /// What `now()` says.
    pub started: Millis,
    /// An error has undone it; every statement is refused until rollback.
    pub aborted: bool,
    undo: Vector<Undo>,
    savepoints: Vec<Savepoint>,
}

#[derive(Clone, Debug, PartialEq)]
struct Savepoint {
    name: Name,
    /// Length of the undo log when it was set.
    mark: usize,
}

/// One thing a transaction did, with what is needed to take it back.
#[derive(Clone, Debug, PartialEq)]
enum Undo {
    Lock {
        table: u16,
        identity: u64,
    },
    Change {
        table: u16,
        identity: u64,
        before: Option<Pending>,
        after: Option<Row>,
    },
    Claim {
        table: u16,
        unique: usize,
        key: Value,
        before: Option<Claim>,
    },
}

impl Transaction {
    pub(super) fn new(explicit: bool, started: Millis) -> Transaction {
        Transaction {
            explicit,
            started,
            aborted: false,
            undo: Vector::new(),
            savepoints: Vec::new(),
        }
    }
}

impl Database {
    /// Locks a row that nobody else has locked.
    pub(super) fn lock(&mut self, session: SessionId, table: u16, identity: u64) {
        let Some(found) = self.table_mut(table) else { return };
        if found.locks.insert(identity, session).is_none() {
            self.note(session, Undo::Lock { table, identity });
        }
    }

    /// Gives a row its new version; none deletes it.
    pub(super) fn change(&mut self, session: SessionId, table: u16, identity: u64, after: Option<Row>) {
        let Some(found) = self.table_mut(table) else { return };
        let row = after.clone();
        let before = found.pending.insert(identity, Pending { session, row });
        let undo = Undo::Change {
            table,
            identity,
            before,
            after,
        };
        self.note(session, undo);
    }

    /// Takes a key of a unique index for a row.
    pub(super) fn claim(&mut self, session: SessionId, table: u16, unique: usize, key: Value, identity: u64) {
        let Some(index) = self.table_mut(table).and_then(|table| table.uniques.get_mut(unique)) else {
            return;
        };
        let before = index.claims.insert(key.clone(), Claim { session, identity });
        let undo = Undo::Claim {
            table,
            unique,
            key,
            before,
        };
        self.note(session, undo);
    }

    fn note(&mut self, session: SessionId, undo: Undo) {
        if let Some(transaction) = self.transaction_mut(session) {
            transaction.undo.push_back_mut(undo);
        }
    }

    /// Makes a transaction's changes permanent, in the sequence it made them, and ends it. An aborted one rolls back.
    pub(super) fn commit(&mut self, session: SessionId, stamp: Stamp) -> Vec<SessionId> {
        if self.is_aborted(session) {
            return self.rollback(session);
        }
        let Some(transaction) = self.end_transaction(session) else {
            return Vec::new();
        };
        let changes = transaction.undo.iter().any(|undo| matches!(undo, Undo::Change { .. }));
        if changes && stamp != INITIAL {
            self.commits += 1;
        }
        for undo in transaction.undo.iter() {
            self.make_permanent(undo, stamp);
        }
        self.wake(session)
    }

    fn make_permanent(&mut self, undo: &Undo, stamp: Stamp) {
        let commit = self.commits;
        match undo {
            Undo::Lock { table, identity } => {
                if let Some(table) = self.table_mut(*table) {
                    table.locks.remove(identity);
                }
            }
            Undo::Change {
                table, identity, after, ..
            } => {
                if let Some(table) = self.table_mut(*table) {
                    table.pending.remove(identity);
                    table.commit(*identity, after.clone(), stamp, commit);
                }
            }
            Undo::Claim { table, unique, key, .. } => {
                if let Some(index) = self.table_mut(*table).and_then(|table| table.uniques.get_mut(*unique)) {
                    index.claims.remove(key);
                }
            }
        }
    }

    /// Takes everything back and ends the transaction.
    pub(super) fn rollback(&mut self, session: SessionId) -> Vec<SessionId> {
        self.undo_to(session, 0);
        self.end_transaction(session);
        self.wake(session)
    }

    /// After an error: back to the last savepoint, and refuse everything until rollback.
    pub(super) fn abort(&mut self, session: SessionId) -> Vec<SessionId> {
        let Some(transaction) = self.transaction_mut(session) else {
            return Vec::new();
        };
        if !transaction.explicit {
            return self.rollback(session);
        }
        transaction.aborted = true;
        let mark = transaction.savepoints.last().map_or(0, |savepoint| savepoint.mark);
        self.undo_to(session, mark);
        self.wake(session)
    }

    /// Sets a savepoint. One of the same name stays, hidden behind the new one.
    pub(super) fn savepoint(&mut self, session: SessionId, name: &Name) -> Result<(), Failure> {
        let Some(transaction) = self.transaction_mut(session) else {
            return Err(outside_transaction("SAVEPOINT"));
        };
        transaction.savepoints.push(Savepoint {
            name: Rc::clone(name),
            mark: transaction.undo.len(),
        });
        Ok(())
    }

    /// Takes back what was done since the savepoint, its locks included; the savepoint itself stays.
    pub(super) fn rollback_to(&mut self, session: SessionId, name: &Name) -> Result<Vec<SessionId>, Failure> {
        let Some(transaction) = self.transaction_mut(session) else {
            return Err(outside_transaction("ROLLBACK TO SAVEPOINT"));
        };
        let Some(position) = transaction
            .savepoints
            .iter()
            .rposition(|savepoint| savepoint.name == *name)
        else {
            let detail = format!("savepoint \"{name}\" does not exist");
            return Err(Failure::new(ErrorClass::Error, detail));
        };
        transaction.savepoints.truncate(position + 1);
        transaction.aborted = false;
        let mark = transaction.savepoints.last().map_or(0, |savepoint| savepoint.mark);
        self.undo_to(session, mark);
        Ok(self.wake(session))
    }

    fn undo_to(&mut self, session: SessionId, mark: usize) {
        while let Some(undo) = self.pop_undo(session, mark) {
            match undo {
                Undo::Lock { table, identity } => {
                    if let Some(table) = self.table_mut(table) {
                        table.locks.remove(&identity);
                    }
                }
                Undo::Change {
                    table,
                    identity,
                    before,
                    ..
                } => {
                    if let Some(table) = self.table_mut(table) {
                        match before {
                            Some(pending) => table.pending.insert(identity, pending),
                            None => table.pending.remove(&identity),
                        };
                    }
                }
                Undo::Claim {
                    table,
                    unique,
                    key,
                    before,
                } => {
                    if let Some(index) = self.table_mut(table).and_then(|table| table.uniques.get_mut(unique)) {
                        match before {
                            Some(claim) => index.claims.insert(key, claim),
                            None => index.claims.remove(&key),
                        };
                    }
                }
            }
        }
    }

    fn pop_undo(&mut self, session: SessionId, mark: usize) -> Option<Undo> {
        let undo = &mut self.transaction_mut(session)?.undo;
        if undo.len() <= mark {
            return None;
        }
        let last = undo.last().cloned();
        undo.drop_last_mut();
        last
    }
}

fn outside_transaction(statement: &str) -> Failure {
    let detail = format!("{statement} can only be used in transaction blocks");
    Failure::new(ErrorClass::Error, detail)
}
