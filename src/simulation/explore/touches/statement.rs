//! What a statement touches: alone, within a transaction, and when the transaction ends.
//!
//! Read committed sees nothing that another transaction has not committed, so an open insert and a select do not meet. A database
//! of which more than that has to be known (other isolation levels, prepared transactions) counts as one thing.

use super::{Map, NOTHING, OfStatement, OfTable, Touches, statement_of};
use crate::expression::Expr;
use crate::program::{Instruction, Program, Service};
use crate::sql::{Isolation, Select, Statement, TableSchema};

/// What a transaction holds until it ends, and what its commit adds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct End {
    pub held: u128,
    pub committed: u128,
}

impl Map {
    pub(super) fn statements_of(&self, program: &Program, service: &Service) -> Vec<Option<OfStatement>> {
        let ends: Vec<End> = (0..self.databases.len() as u16)
            .map(|database| self.end(program, service, database))
            .collect();
        let statement = |instruction: &Instruction| {
            let (database, statement) = statement_of(instruction)?;
            Some(self.statement_of(program, database, statement, ends[usize::from(database)]))
        };
        service.code.iter().map(statement).collect()
    }

    /// What the end of any of a service's transactions touches.
    pub(super) fn end(&self, program: &Program, service: &Service, database: u16) -> End {
        let own = service.code.iter().filter_map(statement_of);
        let own = own.filter(|(of, _)| *of == database).map(|(_, statement)| statement);
        own.fold(End::default(), |end, statement| {
            let change = self.change(program, database, statement);
            End {
                held: end.held | change.held,
                committed: end.committed | change.committed,
            }
        })
    }

    fn statement_of(&self, program: &Program, database: u16, statement: &Statement, end: End) -> OfStatement {
        let both = |touches| OfStatement {
            database,
            alone: touches,
            within: touches,
        };
        if self.databases[usize::from(database)].strict {
            return both(self.database(database));
        }
        match statement {
            // Nobody sees it but its session.
            Statement::Begin(_) | Statement::Savepoint(_) => both(NOTHING),
            Statement::Commit => both(Touches::writing(end.held | end.committed)),
            Statement::Rollback | Statement::RollbackTo(_) => both(Touches::writing(end.held)),
            _ => {
                let reads = self.reads(database, statement);
                let change = self.change(program, database, statement);
                let touches = |writes| Touches { reads, writes };
                OfStatement {
                    database,
                    alone: touches(change.held | change.committed),
                    // Where it fails it ends the transaction.
                    within: touches(change.held | end.held),
                }
            }
        }
    }

    /// The rows that a statement looks at, its sub-selects' among them.
    fn reads(&self, database: u16, statement: &Statement) -> u128 {
        let tables = &self.databases[usize::from(database)].tables;
        let rows = |table: u16| tables[usize::from(table)].rows;
        let own = match statement {
            Statement::Select(select) => rows(select.table),
            Statement::Update(update) => rows(update.table),
            Statement::Delete(delete) => rows(delete.table),
            // It looks for keys only.
            _ => 0,
        };
        sub_selects(statement)
            .iter()
            .fold(own, |all, select| all | rows(select.table))
    }

    fn change(&self, program: &Program, database: u16, statement: &Statement) -> End {
        let table = |table: u16| self.databases[usize::from(database)].tables[usize::from(table)];
        let schema = |table: u16| &program.databases[usize::from(database)].tables[usize::from(table)];
        let written = |of: OfTable, held| End {
            held,
            committed: of.rows | of.facts,
        };
        let mut change = match statement {
            Statement::Select(select) if select.lock.is_some() => End {
                held: table(select.table).locks,
                committed: 0,
            },
            Statement::Insert(insert) => {
                let of = table(insert.table);
                written(of, of.keys)
            }
            Statement::Update(update) => {
                let of = table(update.table);
                let keys = update
                    .set
                    .iter()
                    .any(|(column, _)| is_key(schema(update.table), *column));
                written(of, of.locks | if keys { of.keys } else { 0 })
            }
            Statement::Delete(delete) => {
                let of = table(delete.table);
                written(of, of.locks | of.keys)
            }
            _ => End::default(),
        };
        for select in sub_selects(statement).iter().filter(|select| select.lock.is_some()) {
            change.held |= table(select.table).locks;
        }
        change
    }
}

/// All sub-selects of a statement, at any depth.
fn sub_selects(statement: &Statement) -> Vec<&Select> {
    let mut found = Vec::new();
    for expr in statement.exprs() {
        collect_sub_selects(expr, &mut found);
    }
    found
}

fn collect_sub_selects<'e>(expr: &'e Expr, found: &mut Vec<&'e Select>) {
    let mut selects = Vec::new();
    expr.visit(&mut |inner| selects.extend(inner.sub_select()));
    for select in selects {
        found.push(select);
        for inner in select.exprs() {
            collect_sub_selects(inner, found);
        }
    }
}

fn is_key(schema: &TableSchema, column: u16) -> bool {
    schema.uniques.iter().any(|unique| unique.columns.contains(&column))
}

/// Snapshots and what is concurrent with what; transactions that outlive their session.
pub(super) fn needs_more(statement: &Statement) -> bool {
    match statement {
        Statement::Begin(isolation) => *isolation != Isolation::ReadCommitted,
        Statement::PrepareTransaction(_) | Statement::CommitPrepared(_) | Statement::RollbackPrepared(_) => true,
        _ => false,
    }
}
