//! One table: committed rows, what open transactions have changed, row locks, sequences, the commit log.
//!
//! Committed rows change only at commit, so a clone is a snapshot. Refuses to know: transactions' beginnings and ends.

use super::SessionId;
use super::index::Index;
use super::tree::{Iter, Tree};
use crate::fact::{Change, Fact, Log, Stamp};
use crate::sql::TableSchema;
use crate::value::Row;
use std::iter::Peekable;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    /// Committed rows by identity, which is the sequence of their inserts.
    pub heap: Tree<u64, Row>,
    /// The newest version of each row that an open transaction has inserted, updated or deleted.
    pub pending: Tree<u64, Pending>,
    /// Who has locked a row, until the transaction ends. Inserted rows need no lock: nobody else sees them.
    pub locks: Tree<u64, SessionId>,
    pub uniques: Vec<Index>,
    /// The last number each column's sequence has given; 0 at first, and for columns without one.
    pub sequences: Vec<i64>,
    /// The identity of the next row that is inserted.
    pub next: u64,
    pub facts: Log<Fact>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    pub session: SessionId,
    /// None: deleted.
    pub row: Option<Row>,
}

impl Table {
    pub(super) fn new(schema: &TableSchema) -> Table {
        Table {
            heap: Tree::new(),
            pending: Tree::new(),
            locks: Tree::new(),
            uniques: schema.uniques.iter().map(|unique| Index::new(unique, schema)).collect(),
            sequences: vec![0; schema.columns.len()],
            next: 1,
            facts: Log::new(),
        }
    }

    /// The rows as they were in an earlier `snapshot` of the table, under what open transactions have changed by now.
    /// For reading only: it has no locks, sequences and facts.
    pub(super) fn as_of(&self, snapshot: &Table) -> Table {
        let index = |(now, then): (&Index, &Index)| Index {
            columns: Rc::clone(&now.columns),
            primary: now.primary,
            holders: then.holders.clone(),
            claims: now.claims.clone(),
        };
        Table {
            heap: snapshot.heap.clone(),
            pending: self.pending.clone(),
            locks: Tree::new(),
            uniques: self.uniques.iter().zip(&snapshot.uniques).map(index).collect(),
            sequences: Vec::new(),
            next: snapshot.next,
            facts: Log::new(),
        }
    }

    /// The version of a row that a session sees: its own pending one, else the committed one. No session: committed.
    pub(super) fn visible(&self, session: Option<SessionId>, identity: u64) -> Option<&Row> {
        match self.pending.get(&identity) {
            Some(pending) if Some(pending.session) == session => pending.row.as_ref(),
            _ => self.heap.get(&identity),
        }
    }

    /// All rows a session sees, in the sequence of their inserts.
    pub(super) fn rows(&self, session: Option<SessionId>) -> Rows<'_> {
        Rows {
            heap: self.heap.iter().peekable(),
            pending: self.pending.iter().peekable(),
            session,
        }
    }

    /// Makes one change of a transaction permanent.
    pub(super) fn commit(&mut self, identity: u64, after: Option<Row>, stamp: Stamp, commit: u32) {
        let before = match &after {
            Some(row) => self.heap.insert(identity, row.clone()),
            None => self.heap.remove(&identity),
        };
        for index in &mut self.uniques {
            let (old, new) = (
                before.as_ref().and_then(|row| index.key(row)),
                after.as_ref().and_then(|row| index.key(row)),
            );
            if old != new {
                // Another row may have taken the old key since: a transaction may move keys around.
                if let Some(old) = old
                    && index.holders.get(&old) == Some(&identity)
                {
                    index.holders.remove(&old);
                }
                if let Some(new) = new {
                    index.holders.insert(new, identity);
                }
            }
        }
        let change = match (&before, &after) {
            (None, _) => Change::Insert,
            (Some(_), Some(_)) => Change::Update,
            (Some(_), None) => Change::Delete,
        };
        if let Some(row) = after.or(before) {
            self.facts.push(Fact {
                identity,
                change,
                row,
                stamp,
                commit,
            });
        }
    }

    /// Forgets what sessions have open that do not stay; sequences and identities go on.
    pub(super) fn forget_open(&mut self, stays: impl Fn(SessionId) -> bool) {
        self.pending.retain(|pending| stays(pending.session));
        self.locks.retain(|session| stays(*session));
        for index in &mut self.uniques {
            index.claims.retain(|claim| stays(claim.session));
        }
    }
}

/// Merges committed rows with a session's own, by identity.
pub(super) struct Rows<'a> {
    heap: Peekable<Iter<'a, u64, Row>>,
    pending: Peekable<Iter<'a, u64, Pending>>,
    session: Option<SessionId>,
}

impl<'a> Iterator for Rows<'a> {
    type Item = (u64, &'a Row);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let own = loop {
                match self.pending.peek() {
                    Some((_, pending)) if Some(pending.session) != self.session => self.pending.next(),
                    other => break other.map(|(identity, pending)| (**identity, pending.row.as_ref())),
                };
            };
            let committed = self.heap.peek().map(|(identity, row)| (**identity, *row));
            match (own, committed) {
                (Some((identity, row)), committed) if committed.is_none_or(|(other, _)| identity <= other) => {
                    self.pending.next();
                    if committed.is_some_and(|(other, _)| identity == other) {
                        self.heap.next();
                    }
                    if let Some(row) = row {
                        return Some((identity, row));
                    }
                }
                (_, Some(found)) => {
                    self.heap.next();
                    return Some(found);
                }
                (_, None) => return None,
            }
        }
    }
}
