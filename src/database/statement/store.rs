//! What a column accepts: types, ranges, not null, sequences.

use crate::expression::{ErrorClass, Expr, Failure, SqlType, cast, type_name};
use crate::sql::{Column, TableSchema};
use crate::value::{Row, Value};
use std::rc::Rc;

/// The value as the column stores it. A quoted literal is read as the column's type, a number is checked against its range, and
/// anything can be stored as text; nothing else is converted.
pub(super) fn assign(column: &Column, expr: &Expr, value: Value) -> Result<Value, Failure> {
    match (&value, column.kind) {
        (Value::Null, _)
        | (Value::Int(_), SqlType::BigInt)
        | (Value::Text(_), SqlType::Text)
        | (Value::Bool(_), SqlType::Boolean)
        | (Value::Time(_), SqlType::Timestamptz)
        | (Value::Interval(_), SqlType::Interval) => Ok(value),
        (Value::Int(_), SqlType::Int)
        | (Value::Int(_) | Value::Bool(_) | Value::Time(_) | Value::Interval(_), SqlType::Text) => {
            cast(&value, column.kind)
        }
        (Value::Text(_), kind) if matches!(expr, Expr::Literal(_)) => cast(&value, kind),
        _ => Err(Failure::new(
            ErrorClass::Error,
            format!(
                "column \"{}\" is of type {} but expression is of type {}",
                column.name,
                column.kind.name(),
                type_name(&value)
            ),
        )),
    }
}

/// The finished row, if every column that must has a value.
pub(super) fn row(schema: &TableSchema, values: Vec<Value>) -> Result<Row, Failure> {
    let missing = schema
        .columns
        .iter()
        .zip(&values)
        .enumerate()
        .find(|(position, (column, value))| **value == Value::Null && must_have_value(schema, *position, column));
    match missing {
        Some((_, (column, _))) => Err(Failure::new(
            ErrorClass::Error,
            format!(
                "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                column.name, schema.name
            ),
        )),
        None => Ok(Row::new(Rc::clone(&schema.names), values)),
    }
}

/// `not null`, which serial columns and those of a primary key are without saying so.
fn must_have_value(schema: &TableSchema, position: usize, column: &Column) -> bool {
    let in_primary_key = || {
        let mut primary = schema.uniques.iter().filter(|unique| unique.primary);
        primary.any(|unique| unique.columns.iter().any(|column| usize::from(*column) == position))
    };
    column.not_null || column.default == crate::sql::Default::Serial || in_primary_key()
}

/// The number after `last` in a column's sequence.
pub(super) fn next_of_sequence(schema: &TableSchema, column: &Column, last: i64) -> Result<i64, Failure> {
    let largest = if column.kind == SqlType::Int {
        i64::from(i32::MAX)
    } else {
        i64::MAX
    };
    match last.checked_add(1).filter(|next| *next <= largest) {
        Some(next) => Ok(next),
        None => Err(Failure::new(
            ErrorClass::Error,
            format!(
                "nextval: reached maximum value of sequence \"{}_{}_seq\" ({largest})",
                schema.name, column.name
            ),
        )),
    }
}
