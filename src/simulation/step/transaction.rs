//! Transactions on a broker: what their statements carry, and what the broker makes of them.

use super::super::kernel::Kernel;
use super::super::world::{Payload, TaskId};
use crate::broker::Happened;
use crate::expression::{ErrorClass, Expr, Failure};
use crate::program::TransactionAction;
use crate::value::{Name, Value};

impl Kernel<'_> {
    pub(super) fn transaction_payload(&mut self, id: TaskId, action: &TransactionAction) -> Result<Payload, Failure> {
        match action {
            TransactionAction::Begin | TransactionAction::Commit | TransactionAction::Rollback => Ok(Payload::Nothing),
            TransactionAction::Prepare(identifier)
            | TransactionAction::CommitPrepared(identifier)
            | TransactionAction::RollbackPrepared(identifier) => {
                self.identifier(id, identifier).map(Payload::Identifier)
            }
        }
    }

    fn identifier(&mut self, id: TaskId, identifier: &Expr) -> Result<Name, Failure> {
        match self.evaluate_in(id, identifier)? {
            Value::Text(text) => Ok(text),
            Value::Null => {
                let detail = "a transaction identifier must not be null";
                Err(Failure::new(ErrorClass::Error, detail))
            }
            other => Ok(other.to_string().into()),
        }
    }

    /// The broker begins or ends a task's transaction. The answer is the first message that was published by that.
    pub(super) fn transact(
        &mut self,
        id: TaskId,
        broker: u16,
        action: &TransactionAction,
        payload: Payload,
        happened: &mut Vec<Happened>,
    ) -> Result<Option<(u16, u32)>, Failure> {
        let (program, stamp) = (self.program, self.stamp());
        let queues = &program.queues;
        let state = &mut self.world.broker;
        match (action, payload) {
            (TransactionAction::Begin, _) => state.begin(broker, id).map(|()| None),
            (TransactionAction::Commit, _) => state.commit(queues, broker, id, stamp, happened),
            (TransactionAction::Rollback, _) => {
                state.rollback(broker, id);
                Ok(None)
            }
            (TransactionAction::Prepare(_), Payload::Identifier(identifier)) => {
                let schema = &program.brokers[usize::from(broker)];
                if !schema.two_phase {
                    let detail = format!("broker {} has no two-phase commit", schema.name);
                    return Err(Failure::new(ErrorClass::Refused, detail));
                }
                state.prepare(queues, broker, id, &identifier).map(|()| None)
            }
            (TransactionAction::CommitPrepared(_), Payload::Identifier(identifier)) => {
                state.commit_prepared(queues, broker, &identifier, stamp, happened)
            }
            (TransactionAction::RollbackPrepared(_), Payload::Identifier(identifier)) => {
                let answer = state.rollback_prepared(queues, broker, &identifier, stamp, happened);
                answer.map(|()| None)
            }
            _ => Err(Failure::new(ErrorClass::Error, "the statement names no transaction")),
        }
    }
}
