//! SQL statements: tables and columns resolved, values checked against columns.

mod changes;
mod select;

use super::expression::{Aggregates, Compiler, InSql, Names};
use super::symbols::Symbols;
use super::types::Type;
use crate::expression::Expr;
use crate::language::ast::{self, Ident, Sql};
use crate::language::diagnostics::{Diagnostic, Problem, Span, Thing};
use crate::sql::{Insert, Statement, TableSchema};
use crate::value::Name;
use std::rc::Rc;

/// A compiled statement.
pub struct Compiled {
    pub database: u16,
    pub statement: Statement,
    /// What it gives: a list of rows, or a count.
    pub kind: Type,
    /// The step's name.
    pub step: String,
}

/// Rows that are there before time 0.
pub fn initial(
    database: u16,
    inserts: &[ast::Insert],
    symbols: &Symbols,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Insert> {
    let mut initial = Vec::new();
    for insert in inserts {
        if let Some((span, _)) = &insert.returning {
            diagnostics.push(Diagnostic::new(*span, Problem::NoReturningHere));
        }
        let mut compiler = Compiler::new(symbols, Names::Constant, diagnostics);
        match symbols.table(&[database], &insert.table, None) {
            Ok((database, table)) => initial.extend(compiler.insert(database, table, insert).map(|(insert, _)| insert)),
            Err(problem) => diagnostics.push(problem),
        }
    }
    initial
}

impl Compiler<'_> {
    /// A statement of a service that is on `databases`. None if it is wrong (reported).
    pub fn sql(&mut self, sql: &Sql, databases: &[u16], service: &Name, span: Span) -> Option<Compiled> {
        let (database, statement, kind, step) = match sql {
            Sql::Begin(on, level) => (on, Statement::Begin(*level), Type::Nothing, "begin"),
            Sql::Commit(on) => (on, Statement::Commit, Type::Nothing, "commit"),
            Sql::Rollback(on) => (on, Statement::Rollback, Type::Nothing, "rollback"),
            Sql::Savepoint(name, on) => (on, Statement::Savepoint(name.text.clone()), Type::Nothing, "savepoint"),
            Sql::RollbackTo(name, on) => (
                on,
                Statement::RollbackTo(name.text.clone()),
                Type::Nothing,
                "rollback-to",
            ),
            Sql::PrepareTransaction(identifier, on) => {
                let statement = Statement::PrepareTransaction(self.identifier(identifier));
                (on, statement, Type::Nothing, "prepare-transaction")
            }
            Sql::CommitPrepared(identifier, on) => {
                let statement = Statement::CommitPrepared(self.identifier(identifier));
                (on, statement, Type::Nothing, "commit-prepared")
            }
            Sql::RollbackPrepared(identifier, on) => {
                let statement = Statement::RollbackPrepared(self.identifier(identifier));
                (on, statement, Type::Nothing, "rollback-prepared")
            }
            _ => return self.rows(sql, databases, service),
        };
        let database = self.transaction_database(database.as_ref(), databases, service, step, span)?;
        Some(Compiled {
            database,
            statement,
            kind,
            step: step.to_owned(),
        })
    }

    /// What a prepared transaction is called: a text, or a variable's value.
    pub fn identifier(&mut self, identifier: &ast::Expression) -> Expr {
        let before = self.sql.replace(InSql::default());
        let value = self.any(identifier).expr;
        self.sql = before;
        value
    }

    /// The database that `begin`, `commit` and their like speak to.
    fn transaction_database(
        &mut self,
        on: Option<&Ident>,
        databases: &[u16],
        service: &Name,
        word: &str,
        span: Span,
    ) -> Option<u16> {
        let found = match (on, databases) {
            (Some(name), _) => self.symbols.database(name).and_then(|database| {
                let problem = || {
                    let (service, table, database) = (service.clone(), name.text.clone(), name.text.clone());
                    Problem::NotOn {
                        service,
                        table,
                        database,
                    }
                };
                let is_on = databases.contains(&database);
                is_on
                    .then_some(database)
                    .ok_or_else(|| Diagnostic::new(name.span, problem()))
            }),
            (None, [one]) => Ok(*one),
            (None, []) => {
                let service = service.clone();
                Err(Diagnostic::new(span, Problem::OnNone { service }))
            }
            (None, several) => {
                let schemas = several
                    .iter()
                    .filter_map(|index| self.symbols.databases.get(usize::from(*index)));
                let choices = schemas.map(|schema| Name::from(format!("{word} on {}", schema.name)));
                let problem = Problem::Ambiguous {
                    thing: Thing::Database,
                    name: Name::from(word),
                    choices: choices.collect(),
                };
                Err(Diagnostic::new(span, problem))
            }
        };
        found.map_err(|problem| self.diagnostics.push(problem)).ok()
    }

    /// Statements on a table.
    fn rows(&mut self, sql: &Sql, databases: &[u16], service: &Name) -> Option<Compiled> {
        let (table, verb) = match sql {
            Sql::Insert(insert) => (&insert.table, "insert"),
            Sql::Update(update) => (&update.table, "update"),
            Sql::Delete(delete) => (&delete.table, "delete"),
            Sql::Select(select) => (&select.table, "select"),
            _ => return None, // handled by the caller
        };
        let (database, index) = match self.symbols.table(databases, table, Some(service)) {
            Ok(found) => found,
            Err(problem) => {
                self.diagnostics.push(problem);
                return None;
            }
        };
        let (statement, kind) = match sql {
            Sql::Insert(insert) => {
                let (insert, kind) = self.insert(database, index, insert)?;
                (Statement::Insert(insert), kind)
            }
            Sql::Update(update) => self.update(database, index, update)?,
            Sql::Delete(delete) => self.delete(database, index, delete)?,
            Sql::Select(select) => {
                let (select, shape) = self.select(database, select)?;
                (Statement::Select(Rc::new(select)), Type::list(Type::Row(shape)))
            }
            _ => return None, // as above
        };
        let step = format!("{verb}-{}", table.name.text);
        Some(Compiled {
            database,
            statement,
            kind,
            step,
        })
    }

    /// Enters a table: its columns have names here. Gives back what was before.
    fn enter(&mut self, database: u16, table: u16) -> Option<InSql> {
        let before = self.sql.take();
        let mut tables = before.as_ref().map_or_else(Vec::new, |sql| sql.tables.clone());
        tables.push(table);
        self.sql = Some(InSql {
            database,
            tables,
            aggregates: Aggregates::Refused,
        });
        before
    }

    fn schema(&self, database: u16, table: u16) -> Option<&TableSchema> {
        self.symbols.table_schema(database, table)
    }
}
