//! Inserts, updates and deletes.

use super::super::expression::{Compiler, InSql};
use super::super::symbols::{check_twice, number, unknown};
use super::super::types::Type;
use crate::expression::Expr;
use crate::language::ast::{self, Expression, Ident};
use crate::language::diagnostics::{Problem, Span, Thing};
use crate::sql::{Delete, Insert, OnConflict, Statement, Update};

impl Compiler<'_> {
    pub(super) fn columns(&mut self, database: u16, table: u16, names: &[&Ident]) -> Vec<Option<u16>> {
        check_twice(Thing::Column, names, self.diagnostics);
        let Some(schema) = self.symbols.table_schema(database, table) else {
            return Vec::new(); // the table was found a moment ago
        };
        let mut columns = Vec::new();
        for name in names {
            let column = schema.column(&name.text);
            if column.is_none() {
                self.diagnostics
                    .push(unknown(Thing::Column, name, schema.names.to_vec()));
            }
            columns.push(column);
        }
        columns
    }

    /// A value for a column, in SQL's scope as it is set.
    pub(super) fn column_value(&mut self, database: u16, table: u16, column: Option<u16>, value: &Expression) -> Expr {
        let column = column.and_then(|column| self.schema(database, table)?.columns.get(usize::from(column)));
        match column.map(|column| (column.name.clone(), column.kind)) {
            Some((name, kind)) => self.stored(value, &name, kind),
            None => self.any(value).expr,
        }
    }

    pub(in crate::language::compile) fn insert(
        &mut self,
        database: u16,
        table: u16,
        insert: &ast::Insert,
    ) -> Option<(Insert, Type)> {
        let idents: Vec<&Ident> = insert.columns.iter().collect();
        let columns = self.columns(database, table, &idents);
        // The values of an insert see no columns.
        let before = self.sql.replace(InSql {
            database,
            ..InSql::default()
        });
        let mut rows = Vec::new();
        for (span, values) in &insert.rows {
            if values.len() != columns.len() {
                let (columns, values) = (columns.len(), values.len());
                self.report(*span, Problem::ValueCount { columns, values });
            }
            let pairs = columns.iter().zip(values);
            rows.push(
                pairs
                    .map(|(column, value)| self.column_value(database, table, *column, value))
                    .collect(),
            );
        }
        self.sql = before;
        let on_conflict = match &insert.on_conflict {
            None => None,
            Some((span, names)) => Some(self.on_conflict(database, table, *span, names)?),
        };
        let before = self.enter(database, table);
        let (returning, kind) = self.returning(database, table, insert.returning.as_ref());
        self.sql = before;
        let columns = columns.into_iter().collect::<Option<Vec<u16>>>()?;
        let insert = Insert {
            table,
            columns,
            rows,
            on_conflict,
            returning,
        };
        Some((insert, kind))
    }

    /// Without columns any unique constraint; else the one on exactly these columns.
    pub(super) fn on_conflict(&mut self, database: u16, table: u16, span: Span, names: &[Ident]) -> Option<OnConflict> {
        if names.is_empty() {
            return Some(OnConflict { unique: None });
        }
        let columns = self.columns(database, table, &names.iter().collect::<Vec<_>>());
        let mut wanted = columns.into_iter().collect::<Option<Vec<u16>>>()?;
        wanted.sort_unstable();
        let uniques = self.schema(database, table).map_or(&[][..], |schema| &schema.uniques);
        let found = uniques.iter().position(|unique| {
            let mut columns = unique.columns.clone();
            columns.sort_unstable();
            columns == wanted
        });
        if found.is_none() {
            self.report(span, Problem::NoUnique);
        }
        Some(OnConflict {
            unique: found.map(number),
        })
    }

    pub(super) fn update(&mut self, database: u16, table: u16, update: &ast::Update) -> Option<(Statement, Type)> {
        let idents: Vec<&Ident> = update.set.iter().map(|(name, _)| name).collect();
        let columns = self.columns(database, table, &idents);
        let before = self.enter(database, table);
        let mut set = Vec::new();
        for (column, (_, value)) in columns.iter().zip(&update.set) {
            let value = self.column_value(database, table, *column, value);
            set.extend(column.map(|column| (column, value)));
        }
        let filter = update.filter.as_ref().map(|filter| self.condition(filter));
        let (returning, kind) = self.returning(database, table, update.returning.as_ref());
        self.sql = before;
        let update = Update {
            table,
            set,
            filter,
            returning,
        };
        Some((Statement::Update(update), kind))
    }

    pub(super) fn delete(&mut self, database: u16, table: u16, delete: &ast::Delete) -> Option<(Statement, Type)> {
        let before = self.enter(database, table);
        let filter = delete.filter.as_ref().map(|filter| self.condition(filter));
        let (returning, kind) = self.returning(database, table, delete.returning.as_ref());
        self.sql = before;
        let delete = Delete {
            table,
            filter,
            returning,
        };
        Some((Statement::Delete(delete), kind))
    }
}
