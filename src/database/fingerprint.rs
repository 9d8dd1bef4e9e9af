//! What of a database matters for what comes: for telling equal worlds.
//!
//! Rows are taken in the sequence of their inserts, not by their identities, which count what was rolled back too. What open
//! transactions have done and could undo is taken exactly.

use super::table::Table;
use super::{Database, Session};
use crate::fingerprint::Fingerprint;
use std::collections::BTreeSet;

impl Database {
    /// How many facts all tables have.
    pub fn fact_count(&self) -> usize {
        self.tables.iter().map(|table| table.facts.len()).sum()
    }

    /// Takes down everything that a later statement, or somebody who looks, can tell apart, the facts excepted (see
    /// [`Database::facts`]).
    pub fn take_down(&self, print: &mut Fingerprint) {
        for table in &self.tables {
            table.take_down(print);
        }
        print.number(self.commits);
        for (session, state) in self.sessions.iter().filter(|(_, state)| !state.is_idle()) {
            print.session(*session);
            print.shown(state);
        }
        if self.prepared.iter().next().is_some() {
            print.shown(&self.prepared);
        }
        if !self.serializable.is_empty() {
            print.shown(&self.serializable);
        }
    }
}

impl Session {
    fn is_idle(&self) -> bool {
        self.transaction.is_none() && self.waiting.is_none()
    }
}

impl Table {
    fn take_down(&self, print: &mut Fingerprint) {
        let pending: BTreeSet<u64> = self.pending.iter().map(|(identity, _)| *identity).collect();
        let committed = self.heap.iter().map(|(identity, _)| *identity);
        // Who has locked a row that is gone holds nothing up.
        let identities: BTreeSet<u64> = committed.chain(pending).collect();
        print.count(identities.len());
        for identity in &identities {
            print.optional(self.heap.get(identity), |print, row| print.values(row));
            print.optional(self.pending.get(identity), |print, pending| {
                print.session(pending.session);
                print.optional(pending.row.as_ref(), |print, row| print.values(row));
            });
            print.optional(self.locks.get(identity), |print, holder| print.session(*holder));
        }
        for sequence in &self.sequences {
            print.integer(*sequence);
        }
        for claim in self.uniques.iter().flat_map(|index| index.claims.iter()) {
            print.shown(&claim.0);
            print.session(claim.1.session);
            print.number(claim.1.identity);
        }
    }
}
