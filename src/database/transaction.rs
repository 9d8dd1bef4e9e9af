//! Transactions: begin, commit, rollback, savepoints, and the undo log behind them.
//!
//! Everything a transaction does to the tables goes through `lock`, `change` and `claim`, so that taking back is walking the undo log
//! backwards and committing is walking it forwards. As in PostgreSQL an error undoes the transaction (back to its last
//! savepoint) and frees its locks at once; what remains until `rollback` is a session that refuses every statement.

use super::fingerprint::take_down_pending;
use super::index::Claim;
use super::serializable::Member;
use super::table::{Pending, Table};
use super::{Database, Effects, SessionId};
use crate::expression::{ErrorClass, Failure};
use crate::fact::{INITIAL, Stamp};
use crate::fingerprint::Fingerprint;
use crate::sql::Isolation;
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
    pub isolation: Isolation,
    /// A statement has asked for rows: the isolation level cannot change any more.
    pub queried: bool,
    /// The tables when its first statement began; none at read committed.
    pub snapshot: Option<Rc<[Rc<Table>]>>,
    /// What a serializable transaction is in the book of reads and writes, from its first statement on.
    pub member: Option<Member>,
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
pub(super) enum Undo {
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
    /// Begun by `begin`.
    pub(super) fn begun(isolation: Isolation, started: Millis) -> Transaction {
        Transaction {
            explicit: true,
            isolation,
            ..Transaction::single(started)
        }
    }

    /// Takes down what it has done and could take back, and its savepoints; `row` says which row a table's identity means.
    pub(super) fn take_down_undo(&self, row: impl Fn(&mut Fingerprint, u16, u64), print: &mut Fingerprint) {
        print.count(self.undo.len());
        for undo in self.undo.iter() {
            match undo {
                Undo::Lock { table, identity } => {
                    print.number(1u8);
                    row(print, *table, *identity);
                }
                Undo::Change {
                    table,
                    identity,
                    before,
                    after,
                } => {
                    print.number(2u8);
                    row(print, *table, *identity);
                    print.optional(before.as_ref(), take_down_pending);
                    print.optional(after.as_ref(), |print, row| print.values(row));
                }
                Undo::Claim {
                    table,
                    unique,
                    key,
                    before,
                } => {
                    print.number(3u8);
                    print.number(*table);
                    print.count(*unique);
                    print.value(key);
                    print.optional(before.as_ref(), |print, claim| {
                        print.session(claim.session);
                        row(print, *table, claim.identity);
                    });
                }
            }
        }
        print.count(self.savepoints.len());
        for savepoint in &self.savepoints {
            print.text(&savepoint.name);
            print.count(savepoint.mark);
        }
    }

    /// That of a single statement.
    pub(super) fn single(started: Millis) -> Transaction {
        Transaction {
            explicit: false,
            started,
            aborted: false,
            isolation: Isolation::ReadCommitted,
            queried: false,
            snapshot: None,
            member: None,
            undo: Vector::new(),
            savepoints: Vec::new(),
        }
    }

    /// How much there is to take back.
    pub(super) fn length(&self) -> usize {
        self.undo.len()
    }

    /// What it has done, in sequence.
    pub(super) fn done(&self) -> impl Iterator<Item = &Undo> {
        self.undo.iter()
    }

    pub(super) fn has_savepoints(&self) -> bool {
        !self.savepoints.is_empty()
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

    /// `commit`. An aborted transaction rolls back, and so does one that must fail for the sake of a serial order.
    pub(super) fn commit_if_serial(&mut self, session: SessionId, stamp: Stamp) -> Effects {
        if self.is_aborted(session) {
            return Effects::done(Ok(Value::Null), self.rollback(session));
        }
        let ready = self
            .member(session)
            .map_or(Ok(()), |member| self.serializable.prepare(member));
        match ready {
            Ok(()) => Effects::done(Ok(Value::Null), self.commit(session, stamp)),
            Err(failure) => Effects::done(Err(failure), self.rollback(session)),
        }
    }

    /// Makes a transaction's changes permanent, in the sequence it made them, and ends it.
    pub(super) fn commit(&mut self, session: SessionId, stamp: Stamp) -> Vec<SessionId> {
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
        if let Some(member) = transaction.member {
            self.serializable.commit(member);
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
        if let Some(member) = self.end_transaction(session).and_then(|transaction| transaction.member) {
            self.serializable.forget(member);
        }
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
        let savepoint = transaction.savepoints.last().map(|savepoint| savepoint.mark);
        self.undo_to(session, savepoint.unwrap_or(0));
        if savepoint.is_none() {
            self.let_go(session);
        }
        self.wake(session)
    }

    /// Nothing brings an aborted transaction without savepoints back: it needs no snapshot, and nobody is concurrent with it.
    fn let_go(&mut self, session: SessionId) {
        let Some(transaction) = self.transaction_mut(session) else {
            return;
        };
        transaction.snapshot = None;
        if let Some(member) = transaction.member.take() {
            self.serializable.forget(member);
        }
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
        if let Some(member) = self.member(session) {
            self.serializable.undo_to(member, mark);
        }
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

pub(super) fn no_block(statement: &str) -> Failure {
    let detail = format!("{statement} cannot run inside a transaction block");
    Failure::new(ErrorClass::Error, detail)
}
