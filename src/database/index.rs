//! Unique indexes: which row holds a key, and which keys open transactions have taken.
//!
//! Refuses to know: who waits for whom, and what is done about a conflict.

use super::tree::Tree;
use super::{SessionId, table::Table};
use crate::expression::SqlType;
use crate::sql::{TableSchema, Unique};
use crate::value::{Row, Value};
use std::rc::Rc;

/// One unique index. A key is the value of its only column, or the list of the values of several.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Index {
    pub columns: Rc<[(u16, SqlType)]>,
    pub primary: bool,
    /// The committed row of each key.
    pub holders: Tree<Value, u64>,
    /// Keys that open transactions have given to rows. A claim lasts until its transaction ends, even if the row goes before.
    pub claims: Tree<Value, Claim>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    pub session: SessionId,
    /// The row that got the key last.
    pub identity: u64,
}

/// Why a key cannot be taken now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conflict {
    /// This row has it for good.
    Duplicate(u64),
    /// It depends on how this session's transaction ends.
    Open(SessionId),
}

impl Index {
    pub(super) fn new(unique: &Unique, table: &TableSchema) -> Index {
        let kind = |column: &u16| {
            table
                .columns
                .get(usize::from(*column))
                .map(|found| (*column, found.kind))
        };
        Index {
            columns: unique.columns.iter().filter_map(kind).collect(),
            primary: unique.primary,
            holders: Tree::new(),
            claims: Tree::new(),
        }
    }

    /// The row's key; none if a column is null, for nulls never conflict.
    pub(super) fn key(&self, row: &Row) -> Option<Value> {
        let value = |(column, _): &(u16, SqlType)| row.values().get(usize::from(*column)).cloned();
        key_of(self.columns.iter().map(value).collect::<Option<Vec<Value>>>()?)
    }
}

/// The key that these values of an index's columns make; none if one is null.
pub(super) fn key_of(mut values: Vec<Value>) -> Option<Value> {
    if values.contains(&Value::Null) {
        return None;
    }
    match values.len() {
        1 => values.pop(),
        _ => Some(Value::List(Rc::new(values))),
    }
}

impl Table {
    /// What keeps a session from giving a key to its row `own` (none: a row that does not exist yet).
    ///
    /// A row that an open transaction has changed in any way counts as undecided, as in PostgreSQL, whose index finds the old
    /// version with an open change upon it; a row that is only locked is simply there.
    pub(super) fn conflict(
        &self,
        unique: usize,
        key: &Value,
        session: SessionId,
        own: Option<u64>,
    ) -> Option<Conflict> {
        let index = self.uniques.get(unique)?;
        let has_key = |row: Option<&Row>| row.and_then(|row| index.key(row)).as_ref() == Some(key);
        if let Some(claim) = index.claims.get(key) {
            if claim.session != session {
                return Some(Conflict::Open(claim.session));
            }
            if Some(claim.identity) != own && has_key(self.visible(Some(session), claim.identity)) {
                return Some(Conflict::Duplicate(claim.identity));
            }
        }
        let holder = index.holders.get(key).filter(|holder| Some(**holder) != own)?;
        match self.pending.get(holder) {
            Some(pending) if pending.session != session => Some(Conflict::Open(pending.session)),
            Some(pending) if !has_key(pending.row.as_ref()) => None,
            _ => Some(Conflict::Duplicate(*holder)),
        }
    }
}
