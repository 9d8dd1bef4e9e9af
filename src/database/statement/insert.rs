//! `insert`, with `on conflict do nothing`.

use super::{Executor, Stop, store};
use crate::database::snapshot::too_late;
use crate::expression::{Failure, evaluate};
use crate::sql::{Default, Insert, Items, OnConflict};
use crate::value::{Row, Value};

impl Executor<'_> {
    pub(super) fn insert(&mut self, insert: &Insert) -> Result<Value, Stop> {
        let table = insert.table;
        while self.progress.position < insert.rows.len() {
            let identity = match self.progress.stored {
                Some((identity, _)) => identity,
                None => {
                    let row = match self.progress.prepared.take() {
                        Some(row) => row,
                        None => self.new_row(insert)?,
                    };
                    if self.is_in_the_way(insert, &row)? {
                        self.progress.position += 1;
                        continue;
                    }
                    let Some(identity) = self.next_identity(table) else {
                        break;
                    };
                    self.change(table, identity, None, Some(row))?;
                    identity
                }
            };
            self.progress.stored = Some((identity, None));
            self.claim_keys(table, identity, None)?;
            self.done(table, identity, insert.returning.as_ref())?;
        }
        Ok(self.answer(insert.returning.as_ref()))
    }

    /// A stored row has all its keys: on to the next.
    pub(super) fn done(&mut self, table: u16, identity: u64, returning: Option<&Items>) -> Result<(), Failure> {
        let found = self.database.table(table);
        if let Some(row) = found
            .and_then(|found| found.visible(Some(self.session), identity))
            .cloned()
        {
            self.count(returning, &row)?;
        }
        self.progress.stored = None;
        self.progress.position += 1;
        Ok(())
    }

    /// The row at hand with all its values. Numbers taken from sequences are gone, whatever becomes of the row.
    fn new_row(&mut self, insert: &Insert) -> Result<Row, Failure> {
        let exprs = insert.rows.get(self.progress.position).map_or(&[][..], |exprs| exprs);
        let columns = self.table_schema(insert.table)?.columns.len();
        let mut values = Vec::with_capacity(columns);
        for position in 0..columns {
            let named = insert
                .columns
                .iter()
                .position(|column| usize::from(*column) == position);
            let value = match named.and_then(|named| exprs.get(named)) {
                Some(expr) => {
                    let value = evaluate(expr, &self.reader.around(&self.scope))?;
                    match self.table_schema(insert.table)?.columns.get(position) {
                        Some(column) => store::assign(column, expr, value)?,
                        None => value,
                    }
                }
                None => self.default(insert.table, position)?,
            };
            values.push(value);
        }
        store::row(self.table_schema(insert.table)?, values)
    }

    fn default(&mut self, table: u16, position: usize) -> Result<Value, Failure> {
        let schema = self.table_schema(table)?;
        let Some(column) = schema.columns.get(position) else {
            return Ok(Value::Null);
        };
        match &column.default {
            Default::Null => Ok(Value::Null),
            Default::Expr(expr) => store::assign(column, expr, evaluate(expr, &self.reader.around(&self.scope))?),
            Default::Serial => {
                let sequence = self
                    .database
                    .table(table)
                    .and_then(|found| found.sequences.get(position))
                    .copied();
                let next = store::next_of_sequence(schema, column, sequence.unwrap_or(0))?;
                let place = self
                    .database
                    .table_mut(table)
                    .and_then(|found| found.sequences.get_mut(position));
                if let Some(place) = place {
                    *place = next;
                }
                Ok(Value::Int(next))
            }
        }
    }

    fn next_identity(&mut self, table: u16) -> Option<u64> {
        let found = self.database.table_mut(table)?;
        let identity = found.next;
        found.next += 1;
        Some(identity)
    }

    /// True if `on conflict` says to leave the row out. Waits for a rival that may take one of its keys. A transaction's snapshot
    /// that does not show what is in the way fails.
    fn is_in_the_way(&mut self, insert: &Insert, row: &Row) -> Result<bool, Stop> {
        let Some(OnConflict { unique: only }) = insert.on_conflict else {
            return Ok(false);
        };
        let keys: Vec<(usize, Value)> = match self.database.table(insert.table) {
            Some(found) => found
                .uniques
                .iter()
                .enumerate()
                .filter(|(position, _)| only.is_none_or(|only| usize::from(only) == *position))
                .filter_map(|(position, index)| Some((position, index.key(row)?)))
                .collect(),
            None => Vec::new(),
        };
        for (unique, key) in keys {
            match self.holder(insert.table, unique, &key, None) {
                Ok(None) => {}
                Ok(Some(holder)) if self.database.sees_newest(self.session, insert.table, holder) => return Ok(true),
                Ok(Some(_)) => return Err(too_late("update").into()),
                Err(fails @ Stop::Fails(_)) => return Err(fails),
                Err(waits) => {
                    self.progress.prepared = Some(row.clone());
                    return Err(waits);
                }
            }
        }
        Ok(false)
    }
}
