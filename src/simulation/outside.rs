//! Outside parties: banks, mail services. What reaches them happens, and nobody can roll it back.
//!
//! A unique constraint is an idempotency key: a repeat is answered well and has no further effect.

use crate::expression::{ErrorClass, Failure};
use crate::fact::{Change, Fact, Log, Stamp};
use crate::program::Outside;
use crate::value::{Row, Value};
use rpds::RedBlackTreeMap;

/// What an outside party has done so far.
#[derive(Clone, Debug)]
pub(super) struct Record {
    effects: Log<Fact>,
    /// Keys already used: (index of the constraint, values).
    keys: RedBlackTreeMap<(u16, Vec<Value>), ()>,
}

impl Record {
    pub fn new() -> Record {
        Record {
            effects: Log::new(),
            keys: RedBlackTreeMap::new(),
        }
    }

    pub fn facts(&self) -> &Log<Fact> {
        &self.effects
    }

    /// The effect, unless its idempotency key was used before: then the first answer is repeated.
    pub fn call(&mut self, outside: &Outside, row: Row, stamp: Stamp) -> Result<Value, Failure> {
        if let Some(missing) = missing(outside, &row) {
            let detail = format!("{}: {missing} must not be null", outside.record.name);
            return Err(Failure::new(ErrorClass::Refused, detail));
        }
        let keys: Vec<(u16, Vec<Value>)> = keys(outside, &row).collect();
        if keys.iter().any(|key| self.keys.contains_key(key)) {
            return Ok(Value::Null);
        }
        for key in keys {
            self.keys.insert_mut(key, ());
        }
        let identity = self.effects.len() as u64 + 1;
        self.effects.push(Fact {
            identity,
            change: Change::Insert,
            row,
            stamp,
            commit: 0,
        });
        Ok(Value::Null)
    }
}

fn missing<'a>(outside: &'a Outside, row: &Row) -> Option<&'a str> {
    let cells = outside.record.columns.iter().zip(row.values());
    cells
        .into_iter()
        .find(|(column, value)| column.not_null && **value == Value::Null)
        .map(|(column, _)| &*column.name)
}

fn keys<'a>(outside: &'a Outside, row: &'a Row) -> impl Iterator<Item = (u16, Vec<Value>)> + 'a {
    outside.record.uniques.iter().enumerate().filter_map(|(index, unique)| {
        let values: Vec<Value> = unique
            .columns
            .iter()
            .map(|c| row.values()[usize::from(*c)].clone())
            .collect();
        (!values.contains(&Value::Null)).then_some((index as u16, values))
    })
}
