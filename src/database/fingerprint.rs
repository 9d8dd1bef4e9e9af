//! What of a database matters for what comes: for telling equal worlds.
//!
//! Rows count by their place among those inserted, not by their identities, which count what was rolled back too. Committed rows
//! are not taken down: the facts determine them.

use super::table::{Pending, Table};
use super::transaction::Transaction;
use super::{Database, Session};
use crate::fingerprint::Fingerprint;
use crate::value::Row;
use std::rc::Rc;

impl Database {
    /// Takes down everything that a later statement, or somebody who looks, can tell apart, the facts (see
    /// [`Database::facts`]) and what follows from them excepted.
    pub fn take_down(&self, print: &mut Fingerprint) {
        for table in &self.tables {
            table.take_down(print);
        }
        for (session, state) in self.sessions.iter().filter(|(_, state)| !state.is_idle()) {
            print.session(*session);
            state.take_down(&self.tables, print);
        }
        if !self.prepared.is_empty() {
            print.shown(&self.prepared);
        }
        if !self.serializable.is_empty() {
            print.shown(&self.serializable);
        }
    }

    /// Takes down which rows open transactions have changed: what there is beside committed rows for somebody who looks.
    pub fn take_down_left(&self, print: &mut Fingerprint) {
        for table in &self.tables {
            print.count(table.pending.iter().count());
            table
                .pending
                .iter()
                .for_each(|(identity, _)| print.count(table.place(*identity)));
        }
    }
}

impl Session {
    fn is_idle(&self) -> bool {
        self.transaction.is_none() && self.waiting.is_none()
    }

    fn take_down(&self, tables: &[Rc<Table>], print: &mut Fingerprint) {
        match (&self.transaction, &self.waiting) {
            (Some(transaction), None) if transaction.is_plain() => transaction.take_down(tables, print),
            // Snapshots, marks and half-done statements: exactly, which two worlds rarely share.
            _ => print.shown(self),
        }
    }
}

impl Transaction {
    /// Sees what is committed, and nothing else.
    fn is_plain(&self) -> bool {
        self.snapshot.is_none() && self.member.is_none()
    }

    fn take_down(&self, tables: &[Rc<Table>], print: &mut Fingerprint) {
        print.flag(self.explicit);
        print.flag(self.aborted);
        print.flag(self.queried);
        print.instant(self.started);
        print.number(self.isolation as u64);
        self.take_down_undo(
            |print, table, identity| {
                print.number(table);
                print.optional(tables.get(usize::from(table)), |print, table| {
                    print.count(table.place(identity));
                });
            },
            print,
        );
    }
}

impl Table {
    fn take_down(&self, print: &mut Fingerprint) {
        for (identity, pending) in self.pending.iter() {
            print.count(self.place(*identity));
            print.flag(self.heap.get(identity).is_some());
            take_down_pending(print, pending);
        }
        print.flag(false);
        // Who has locked a row that is gone holds nothing up.
        for (identity, holder) in self.locks.iter().filter(|(id, _)| self.heap.get(id).is_some()) {
            print.count(self.place(*identity));
            print.session(*holder);
        }
        print.flag(true);
        for sequence in &self.sequences {
            print.integer(*sequence);
        }
        for claim in self.uniques.iter().flat_map(|index| index.claims.iter()) {
            print.value(claim.0);
            print.session(claim.1.session);
            print.count(self.place(claim.1.identity));
        }
    }

    /// How many rows were inserted before this one and are still there.
    fn place(&self, identity: u64) -> usize {
        let committed = self.heap.iter().take_while(|(id, _)| **id < identity).count();
        let pending = self.pending.iter().take_while(|(id, _)| **id < identity);
        committed + pending.filter(|(id, _)| self.heap.get(id).is_none()).count()
    }
}

pub(super) fn take_down_pending(print: &mut Fingerprint, pending: &Pending) {
    print.session(pending.session);
    print.optional(pending.row.as_ref(), |print, row: &Row| print.values(row));
}
