//! Who waits for whom: waits, wake-ups, deadlocks.
//!
//! A wait remembers what it is for and the statement that goes on afterwards. Whom it waits for is asked of the tables each
//! time, so it is never out of date. Refuses to know: time. The caller counts the second after which a waiter looks for a deadlock.

use super::index::Conflict;
use super::statement::Execution;
use super::{Database, SessionId};
use crate::value::Value;
use std::collections::BTreeSet;

/// A session that waits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wait {
    /// Number of the wait: the sequence in which sessions began to wait.
    pub since: u64,
    pub target: Target,
    /// The session whose transaction was in the way when the wait began.
    pub on: SessionId,
    /// Reported as woken already.
    pub woken: bool,
    /// The statement as far as it got.
    pub execution: Execution,
}

/// What a session waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A row lock.
    Row { table: u16, identity: u64 },
    /// The outcome of the transaction that has changed or claimed the holder of a key; `own` is the row that shall get the key.
    Key {
        table: u16,
        unique: usize,
        key: Value,
        own: Option<u64>,
    },
}

impl Database {
    /// The session that keeps another from a target; none if nobody does.
    fn blocker(&self, session: SessionId, target: &Target) -> Option<SessionId> {
        match target {
            Target::Row { table, identity } => {
                let holder = *self.table(*table)?.locks.get(identity)?;
                (holder != session).then_some(holder)
            }
            Target::Key {
                table,
                unique,
                key,
                own,
            } => match self.table(*table)?.conflict(*unique, key, session, *own)? {
                Conflict::Open(rival) => Some(rival),
                Conflict::Duplicate(_) => None,
            },
        }
    }

    /// The sessions that waited for `session` and need not any more, in the sequence they began to wait. Each is named once.
    pub(super) fn wake(&mut self, session: SessionId) -> Vec<SessionId> {
        let mut free: Vec<(u64, SessionId)> = self
            .waits()
            .filter(|(waiter, wait)| {
                wait.on == session && !wait.woken && self.blocker(*waiter, &wait.target) != Some(session)
            })
            .map(|(waiter, wait)| (wait.since, waiter))
            .collect();
        free.sort_unstable();
        for (_, waiter) in &free {
            if let Some(wait) = self.session_mut(*waiter).waiting.as_mut() {
                wait.woken = true;
            }
        }
        free.into_iter().map(|(_, waiter)| waiter).collect()
    }

    /// The sessions a waiting session waits for; none if it does not wait or nobody is in its way any more.
    ///
    /// As in PostgreSQL the first waiter for a row waits for the row's holder, and those behind it wait for the first.
    pub fn waiting_for(&self, session: SessionId) -> Vec<SessionId> {
        let Some(wait) = self.session(session).and_then(|found| found.waiting.as_ref()) else {
            return Vec::new();
        };
        let Some(holder) = self.blocker(session, &wait.target) else {
            return Vec::new();
        };
        let ahead = self
            .waits()
            .filter(|(_, other)| other.since < wait.since && other.target == wait.target)
            .min_by_key(|(_, other)| other.since);
        match (&wait.target, ahead) {
            (Target::Row { .. }, Some((first, _))) => vec![first],
            _ => vec![holder],
        }
    }

    /// True if a session waits, over others, for itself.
    pub(super) fn waits_for_itself(&self, session: SessionId) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = self.waiting_for(session);
        while let Some(next) = open.pop() {
            if next == session {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.waiting_for(next));
            }
        }
        false
    }

    /// The sessions in whose way a session's transaction was when their waits began.
    pub(super) fn waiters_on(&self, session: SessionId) -> Vec<SessionId> {
        let on = self.waits().filter(|(_, wait)| wait.on == session);
        on.map(|(waiter, _)| waiter).collect()
    }

    fn waits(&self) -> impl Iterator<Item = (SessionId, &Wait)> {
        self.sessions
            .iter()
            .filter_map(|(session, found)| Some((*session, found.waiting.as_ref()?)))
    }
}
