//! `update` and `delete`.

use super::{Executor, Purpose, Stop, store};
use crate::database::read::Query;
use crate::expression::{Expr, Failure, evaluate};
use crate::sql::{Delete, Update};
use crate::value::{Row, Value};

impl Executor<'_> {
    pub(super) fn update(&mut self, update: &Update) -> Result<Value, Stop> {
        let (table, filter) = (update.table, update.filter.as_ref());
        self.find_rows(table, filter)?;
        while let Some(seen) = self.progress.rows.get(self.progress.position).cloned() {
            let (identity, before) = match self.progress.stored.clone() {
                Some(stored) => stored,
                None => {
                    // As in PostgreSQL the new version is made of what the statement sees, before the lock; a bad one fails at once.
                    let planned = self.updated(update, &seen.1)?;
                    let Some(before) = self.lock_matching(table, filter, &seen, Purpose::Change)? else {
                        self.progress.position += 1;
                        continue;
                    };
                    let after = match before == seen.1 {
                        true => planned,
                        false => self.updated(update, &before)?,
                    };
                    self.change(table, seen.0, Some(&before), Some(after))?;
                    (seen.0, Some(before))
                }
            };
            self.progress.stored = Some((identity, before.clone()));
            self.claim_keys(table, identity, before.as_ref())?;
            self.done(table, identity, update.returning.as_ref())?;
        }
        Ok(self.answer(update.returning.as_ref()))
    }

    pub(super) fn delete(&mut self, delete: &Delete) -> Result<Value, Stop> {
        let (table, filter) = (delete.table, delete.filter.as_ref());
        self.find_rows(table, filter)?;
        while let Some(seen) = self.progress.rows.get(self.progress.position).cloned() {
            if let Some(row) = self.lock_matching(table, filter, &seen, Purpose::Change)? {
                self.change(table, seen.0, Some(&row), None)?;
                self.count(delete.returning.as_ref(), &row)?;
            }
            self.progress.position += 1;
        }
        Ok(self.answer(delete.returning.as_ref()))
    }

    /// Fixes the rows a change is about, once.
    fn find_rows(&mut self, table: u16, filter: Option<&Expr>) -> Result<(), Failure> {
        if self.progress.wanted == 0 {
            self.progress.wanted = usize::MAX;
            let query = Query {
                table,
                filter,
                order_by: &[],
            };
            self.progress.rows = self.reader.find(query, usize::MAX, &self.scope)?;
        }
        Ok(())
    }

    /// The row's next version; every expression sees the version before.
    fn updated(&self, update: &Update, before: &Row) -> Result<Row, Failure> {
        let schema = self.table_schema(update.table)?;
        let scope = self.reader.scope(before, &self.scope);
        let mut values = before.values().to_vec();
        for (position, expr) in &update.set {
            let column = schema.columns.get(usize::from(*position));
            if let (Some(column), Some(place)) = (column, values.get_mut(usize::from(*position))) {
                *place = store::assign(column, expr, evaluate(expr, &scope)?)?;
            }
        }
        store::row(schema, values)
    }
}
