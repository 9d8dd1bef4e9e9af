//! Transactions on a broker: `begin on rabbit` and its like, where the name behind `on` is a broker's.

use super::super::expression::{Compiler, Names};
use super::super::service::ServiceCompiler;
use crate::expression::Expr;
use crate::language::ast::{Expression, Ident, Sql, Statement};
use crate::language::diagnostics::Problem;
use crate::program::{Request, TransactionAction};
use crate::sql::Isolation;
use crate::value::Name;

impl ServiceCompiler<'_> {
    /// The broker that a statement about a transaction speaks to; none if it speaks to a database.
    pub(super) fn broker_of(&self, sql: &Sql) -> Option<u16> {
        let name = party(sql)?;
        let position = self
            .symbols
            .brokers
            .iter()
            .position(|broker| broker.name == name.text)?;
        u16::try_from(position).ok()
    }

    pub(super) fn broker_transaction(&mut self, statement: &Statement, broker: u16, sql: &Sql) {
        let (name, action) = match sql {
            Sql::Begin(_, Isolation::ReadCommitted) => ("begin", TransactionAction::Begin),
            Sql::Begin(..) => return self.databases_only(statement, broker, "isolation level"),
            Sql::Savepoint(..) => return self.databases_only(statement, broker, "savepoint"),
            Sql::RollbackTo(..) => return self.databases_only(statement, broker, "rollback to"),
            Sql::Commit(_) => ("commit", TransactionAction::Commit),
            Sql::Rollback(_) => ("rollback", TransactionAction::Rollback),
            Sql::PrepareTransaction(identifier, _) => {
                let identifier = self.identifier(identifier);
                ("prepare-transaction", TransactionAction::Prepare(identifier))
            }
            Sql::CommitPrepared(identifier, _) => {
                let identifier = self.identifier(identifier);
                ("commit-prepared", TransactionAction::CommitPrepared(identifier))
            }
            Sql::RollbackPrepared(identifier, _) => {
                let identifier = self.identifier(identifier);
                ("rollback-prepared", TransactionAction::RollbackPrepared(identifier))
            }
            Sql::Select(_) | Sql::Insert(_) | Sql::Update(_) | Sql::Delete(_) => return, // they name no party: `party`
        };
        let step = self.step(statement.label.as_ref(), name);
        let request = Request::Transaction { broker, action };
        self.emit_step(step, statement.span.line, request, None, super::Type::Nothing);
    }

    /// What a prepared transaction is called: a text, or a variable's value with its colon, as in SQL.
    fn identifier(&mut self, identifier: &Expression) -> Expr {
        let mut compiler = Compiler::new(self.symbols, Names::Program(&self.variables), self.diagnostics);
        let value = compiler.identifier(identifier);
        match value {
            Expr::Parameter(index) => {
                let bound = compiler.parameters.into_iter().nth(usize::from(index));
                bound.map_or(value, |(expr, _)| expr)
            }
            other => other,
        }
    }

    fn databases_only(&mut self, statement: &Statement, broker: u16, words: &'static str) {
        let broker = self.symbols.brokers.get(usize::from(broker));
        let broker = broker.map_or_else(|| Name::from(""), |broker| broker.name.clone());
        self.report(statement.span, Problem::DatabasesOnly { words, broker });
    }
}

/// The name behind `on`.
fn party(sql: &Sql) -> Option<&Ident> {
    match sql {
        Sql::Begin(on, _)
        | Sql::Commit(on)
        | Sql::Rollback(on)
        | Sql::Savepoint(_, on)
        | Sql::RollbackTo(_, on)
        | Sql::PrepareTransaction(_, on)
        | Sql::CommitPrepared(_, on)
        | Sql::RollbackPrepared(_, on) => on.as_ref(),
        Sql::Select(_) | Sql::Insert(_) | Sql::Update(_) | Sql::Delete(_) => None,
    }
}
