//! `select … for update`.

use super::{Executor, Purpose, Stop};
use crate::database::read::Query;
use crate::expression::{ErrorClass, Failure};
use crate::sql::{LockWait, Select};
use crate::value::Row;

impl Executor<'_> {
    /// Locks rows in the sequence the select puts them in until its limit is full. Rows that are skipped, gone or match no longer
    /// do not count, and a row that has changed meanwhile keeps the place its old version had.
    pub(super) fn select_and_lock(&mut self, select: &Select) -> Result<Vec<Row>, Stop> {
        if select.items.aggregates {
            let detail = "FOR UPDATE is not allowed with aggregate functions";
            return Err(Failure::new(ErrorClass::Error, detail).into());
        }
        let limit = self.reader.limit(select, &self.scope)?;
        let purpose = Purpose::Lock(select.lock.unwrap_or(LockWait::Wait));
        while self.progress.result.len() < limit {
            let Some(seen) = self.next_row(select, limit)? else {
                break;
            };
            if let Some(row) = self.lock_matching(select.table, select.filter.as_ref(), &seen, purpose)? {
                let row = self.reader.project(&select.items, &row, &self.scope)?;
                self.progress.result.push(row);
            }
            self.progress.position += 1;
        }
        Ok(std::mem::take(&mut self.progress.result))
    }

    /// The row at hand. Rows are looked up as many as the limit says, and twice as many whenever those do not fill it.
    fn next_row(&mut self, select: &Select, limit: usize) -> Result<Option<(u64, Row)>, Failure> {
        while self.progress.position >= self.progress.rows.len() && self.progress.rows.len() >= self.progress.wanted {
            self.progress.wanted = self.progress.wanted.saturating_mul(2).max(limit);
            self.progress.rows = self.reader.find(Query::of(select), self.progress.wanted, &self.scope)?;
            if self.progress.wanted == usize::MAX {
                break;
            }
        }
        Ok(self.progress.rows.get(self.progress.position).cloned())
    }
}
