//! Two-phase commit: transactions that are prepared and belong to no client any more.
//!
//! A prepared transaction keeps its changes, locks and keys under a session of its own, which nobody can reach, until somebody
//! commits it or rolls it back by its identifier. It outlives its client and the server's death.
//! PostgreSQL refuses to prepare unless `max_prepared_transactions` is set; this server has it set.

use super::read::StatementScope;
use super::transaction::{Undo, no_block};
use super::{Database, Effects, LOADER, Session, SessionId};
use crate::expression::{ErrorClass, Expr, Failure, evaluate};
use crate::fact::Stamp;
use crate::value::{Name, Value};
use std::rc::Rc;

/// Bytes of the longest identifier.
const LONGEST: usize = 199;

impl Database {
    /// The identifiers of the prepared transactions, sorted. Nobody knows how they end, and what they have locked stays locked.
    pub fn in_doubt(&self) -> impl Iterator<Item = &Name> {
        self.prepared.iter().map(|(identifier, _)| identifier)
    }

    /// The identifier of the prepared transaction that a session stands for, as it shows up among the holders of locks.
    pub fn prepared_as(&self, session: SessionId) -> Option<&Name> {
        let mut all = self.prepared.iter();
        all.find(|(_, holder)| **holder == session)
            .map(|(identifier, _)| identifier)
    }

    /// `prepare transaction`. Outside a transaction it does nothing, an aborted one it rolls back; if it fails the transaction is gone.
    pub(super) fn prepare(&mut self, session: SessionId, identifier: Result<Name, Failure>) -> Effects {
        if !self.in_transaction(session) || self.is_aborted(session) {
            return Effects::done(Ok(Value::Null), self.rollback(session));
        }
        let checked = identifier.and_then(|identifier| self.check_identifier(identifier));
        let ready = checked.and_then(|identifier| match self.member(session) {
            Some(member) => self.serializable.prepare(member).map(|()| identifier),
            None => Ok(identifier),
        });
        match ready {
            Ok(identifier) => {
                self.detach(session, identifier);
                Effects::done(Ok(Value::Null), Vec::new())
            }
            Err(failure) => Effects::done(Err(failure), self.rollback(session)),
        }
    }

    fn check_identifier(&self, identifier: Name) -> Result<Name, Failure> {
        let problem = if identifier.len() > LONGEST {
            "too long"
        } else if self.prepared.get(&identifier).is_some() {
            "already in use"
        } else {
            return Ok(identifier);
        };
        let detail = format!("transaction identifier \"{identifier}\" is {problem}");
        Err(Failure::new(ErrorClass::Error, detail))
    }

    /// `commit prepared`, `rollback prepared`: ends somebody's transaction. The answer is the woken sessions.
    pub(super) fn end_prepared(
        &mut self,
        session: SessionId,
        identifier: Result<Name, Failure>,
        commits: bool,
        stamp: Stamp,
    ) -> Result<Vec<SessionId>, Failure> {
        if self.in_transaction(session) {
            return Err(no_block(if commits {
                "COMMIT PREPARED"
            } else {
                "ROLLBACK PREPARED"
            }));
        }
        let identifier = identifier?;
        let Some(holder) = self.prepared.remove(&identifier) else {
            let detail = format!("prepared transaction with identifier \"{identifier}\" does not exist");
            return Err(Failure::new(ErrorClass::Error, detail));
        };
        let woken = match commits {
            true => self.commit(holder, stamp),
            false => self.rollback(holder),
        };
        self.sessions.remove(&holder);
        Ok(woken)
    }

    /// Moves a session's transaction, and all it holds, to a session of its own.
    fn detach(&mut self, session: SessionId, identifier: Name) {
        let Some(mut transaction) = self.end_transaction(session) else {
            return;
        };
        let holder = self.free_session();
        for undo in transaction.done() {
            self.hand_over(undo, holder);
        }
        // It is never read from again.
        transaction.snapshot = None;
        self.sessions.insert(
            holder,
            Rc::new(Session {
                transaction: Some(transaction),
                waiting: None,
            }),
        );
        for waiter in self.waiters_on(session) {
            if let Some(wait) = self.session_mut(waiter).waiting.as_mut() {
                wait.on = holder;
            }
        }
        self.prepared.insert(identifier, holder);
    }

    fn hand_over(&mut self, undo: &Undo, holder: SessionId) {
        match undo {
            Undo::Lock { table, identity } => {
                if let Some(table) = self.table_mut(*table) {
                    table.locks.insert(*identity, holder);
                }
            }
            Undo::Change { table, identity, .. } => {
                let Some(table) = self.table_mut(*table) else { return };
                if let Some(mut pending) = table.pending.get(identity).cloned() {
                    pending.session = holder;
                    table.pending.insert(*identity, pending);
                }
            }
            Undo::Claim { table, unique, key, .. } => {
                let found = self.table_mut(*table).and_then(|table| table.uniques.get_mut(*unique));
                let Some(index) = found else { return };
                if let Some(mut claim) = index.claims.get(key).cloned() {
                    claim.session = holder;
                    index.claims.insert(key.clone(), claim);
                }
            }
        }
    }

    /// The highest number below the loader's that is not in use: callers count from below.
    fn free_session(&self) -> SessionId {
        let mut free = LOADER - 1;
        while self.sessions.get(&free).is_some() {
            free -= 1;
        }
        free
    }
}

/// The value of an identifier's expression.
pub(super) fn identifier(expr: &Expr, parameters: &[Value], stamp: Stamp) -> Result<Name, Failure> {
    match evaluate(
        expr,
        &StatementScope {
            parameters,
            now: stamp.at,
        },
    )? {
        Value::Text(text) => Ok(text),
        Value::Null => Err(Failure::new(
            ErrorClass::Error,
            "a transaction identifier must not be null",
        )),
        other => Ok(other.to_string().into()),
    }
}
