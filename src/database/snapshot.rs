//! Snapshots of transactions: repeatable read and serializable.
//!
//! A snapshot is the list of tables when it was taken; they are persistent, so it costs one reference count and, as long as it is
//! kept, what has changed since. The transaction's own changes are read from the latest tables. Whether a row has changed since is
//! seen from its version: every change makes a new one, even if its values are the same.

use super::serializable::Mark;
use super::table::Table;
use super::{Database, SessionId};
use crate::expression::{ErrorClass, Failure};
use crate::sql::Isolation;
use crate::value::{Row, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What others have committed about a row since a transaction's snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Since {
    Nothing,
    Changed,
    Deleted,
}

impl Database {
    /// The tables as a statement of a session sees them that begins now. The first takes its transaction's snapshot.
    pub(super) fn snapshot(&mut self, session: SessionId) -> Vec<Rc<Table>> {
        let tables = self.tables.clone();
        let Some(transaction) = self.transaction_mut(session) else {
            return tables;
        };
        transaction.queried = true;
        if transaction.isolation == Isolation::ReadCommitted {
            return tables;
        }
        let Some(snapshot) = transaction.snapshot.clone() else {
            transaction.snapshot = Some(tables.as_slice().into());
            if transaction.isolation == Isolation::Serializable {
                let member = self.serializable.begin();
                if let Some(transaction) = self.transaction_mut(session) {
                    transaction.member = Some(member);
                }
            }
            return tables;
        };
        let seen = |(now, then): (&Rc<Table>, &Rc<Table>)| match Rc::ptr_eq(now, then) {
            true => Rc::clone(now),
            false => Rc::new(now.as_of(then)),
        };
        tables.iter().zip(&*snapshot).map(seen).collect()
    }

    /// What has become of a row of the session's snapshot. Without one, and for its own rows and changes, nothing.
    pub(super) fn since_snapshot(&self, session: SessionId, table: u16, identity: u64) -> Since {
        let (Some(then), Some(now)) = (self.seen(session, table), self.table(table)) else {
            return Since::Nothing;
        };
        // A row with an own change was the snapshot's when it changed, and is locked since.
        let own = now
            .pending
            .get(&identity)
            .is_some_and(|pending| pending.session == session);
        match (then.heap.get(&identity), now.heap.get(&identity)) {
            (Some(old), Some(new)) if !own && !old.is_same(new) => Since::Changed,
            (Some(_), None) if !own => Since::Deleted,
            _ => Since::Nothing,
        }
    }

    /// True if the newest version of a row is in the session's snapshot, or its own.
    pub(super) fn sees_newest(&self, session: SessionId, table: u16, identity: u64) -> bool {
        let (Some(then), Some(now)) = (self.seen(session, table), self.table(table)) else {
            return true;
        };
        let own = now
            .pending
            .get(&identity)
            .is_some_and(|pending| pending.session == session);
        own || match (then.heap.get(&identity), now.heap.get(&identity)) {
            (Some(old), Some(new)) => old.is_same(new),
            _ => false,
        }
    }

    fn seen(&self, session: SessionId, table: u16) -> Option<&Table> {
        let transaction = self.session(session)?.transaction.as_ref()?;
        let snapshot = transaction.snapshot.as_ref()?;
        snapshot.get(usize::from(table)).map(|table| &**table)
    }

    /// Notes what a serializable transaction has read, and whether it has met any row there.
    pub(super) fn note_reads(&mut self, session: SessionId, marks: BTreeSet<Mark>, met: bool) -> Result<(), Failure> {
        match self.member(session) {
            Some(member) if !marks.is_empty() => self.serializable.read(member, marks, met),
            _ => Ok(()),
        }
    }

    /// Notes that a serializable transaction is about to turn one version of a row into another.
    pub(super) fn note_write(
        &mut self,
        session: SessionId,
        table: u16,
        before: Option<&Row>,
        after: Option<&Row>,
    ) -> Result<(), Failure> {
        let Some(member) = self.member(session) else {
            return Ok(());
        };
        let mut marks = vec![Mark::Table(table)];
        let uniques = self.table(table).map_or(&[][..], |found| &found.uniques);
        for (unique, index) in uniques.iter().enumerate() {
            let keys = [before, after].into_iter().flatten().filter_map(|row| index.key(row));
            marks.extend(keys.map(|key| Mark::Key { table, unique, key }));
        }
        let position = self
            .transaction_mut(session)
            .map_or(0, |transaction| transaction.length());
        self.serializable.write(member, marks, position)
    }

    /// Notes that a serializable transaction has found a key free that it wants.
    pub(super) fn note_free_key(
        &mut self,
        session: SessionId,
        table: u16,
        unique: usize,
        key: &Value,
    ) -> Result<(), Failure> {
        let Some(member) = self.member(session) else {
            return Ok(());
        };
        let key = key.clone();
        self.serializable.meet(member, &Mark::Key { table, unique, key })
    }

    /// The session's serializable transaction, from its first statement on.
    pub(super) fn member(&self, session: SessionId) -> Option<super::serializable::Member> {
        self.session(session)?.transaction.as_ref()?.member
    }

    /// `begin isolation level …` within a transaction sets its level, as long as nothing has been asked.
    pub(super) fn set_isolation(&mut self, session: SessionId, level: Isolation) -> Result<(), Failure> {
        let Some(transaction) = self.transaction_mut(session) else {
            return Ok(());
        };
        // `begin` alone changes nothing.
        if level == Isolation::ReadCommitted || level == transaction.isolation {
            return Ok(());
        }
        let reason = if transaction.queried {
            "must be called before any query"
        } else if transaction.has_savepoints() {
            "must not be called in a subtransaction"
        } else {
            transaction.isolation = level;
            return Ok(());
        };
        let detail = format!("SET TRANSACTION ISOLATION LEVEL {reason}");
        Err(Failure::new(ErrorClass::Error, detail))
    }
}

/// SQLSTATE 40001: somebody else was first.
pub(super) fn too_late(what: &str) -> Failure {
    let detail = format!("could not serialize access due to concurrent {what}");
    Failure::new(ErrorClass::Serialization, detail)
}
