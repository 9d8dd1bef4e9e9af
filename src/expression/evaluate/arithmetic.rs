//! `+`, `-`, `*`, unary minus and `||`, checked: an overflow is an error, never a wrong number.

use super::cast::{literal_like, type_name};
use super::{error, is_quoted, no_operator};
use crate::expression::{Expr, Failure, Operator};
use crate::value::Value;

/// A quoted literal beside a number is a number, beside an instant or an interval it is an interval.
pub(super) fn typed_literals(left: &Expr, l: Value, right: &Expr, r: Value) -> Result<(Value, Value), Failure> {
    let like = |literal: Value, other: &Value| match other {
        Value::Time(_) => literal_like(literal, &Value::Interval(0)),
        _ => literal_like(literal, other),
    };
    Ok(match (is_quoted(left), is_quoted(right)) {
        (true, false) => (like(l, &r)?, r),
        (false, true) => {
            let r = like(r, &l)?;
            (l, r)
        }
        _ => (l, r),
    })
}

pub(super) fn compute(operator: Operator, left: &Value, right: &Value) -> Result<Value, Failure> {
    use Value::{Int, Interval, Null, Time};
    let (result, range): (Option<Value>, &str) = match (operator, left, right) {
        (_, Null, _) | (_, _, Null) => (Some(Null), ""),
        (Operator::Add, Int(a), Int(b)) => (a.checked_add(*b).map(Int), "bigint"),
        (Operator::Subtract, Int(a), Int(b)) => (a.checked_sub(*b).map(Int), "bigint"),
        (Operator::Multiply, Int(a), Int(b)) => (a.checked_mul(*b).map(Int), "bigint"),
        (Operator::Add, Time(a), Interval(b)) | (Operator::Add, Interval(a), Time(b)) => {
            (a.checked_add(*b).map(Time), "timestamp")
        }
        (Operator::Subtract, Time(a), Interval(b)) => (a.checked_sub(*b).map(Time), "timestamp"),
        (Operator::Subtract, Time(a), Time(b)) => (a.checked_sub(*b).map(Interval), "interval"),
        (Operator::Add, Interval(a), Interval(b)) => (a.checked_add(*b).map(Interval), "interval"),
        (Operator::Subtract, Interval(a), Interval(b)) => (a.checked_sub(*b).map(Interval), "interval"),
        (Operator::Multiply, Interval(a), Int(b)) | (Operator::Multiply, Int(a), Interval(b)) => {
            (a.checked_mul(*b).map(Interval), "interval")
        }
        _ => return Err(no_operator(operator, left, right)),
    };
    result.ok_or_else(|| error(format!("{range} out of range")))
}

pub(super) fn negate(value: &Value) -> Result<Value, Failure> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Int(n) => n
            .checked_neg()
            .map(Value::Int)
            .ok_or_else(|| error("bigint out of range")),
        Value::Interval(span) => match span.checked_neg() {
            Some(span) => Ok(Value::Interval(span)),
            None => Err(error("interval out of range")),
        },
        other => Err(error(format!("operator does not exist: - {}", type_name(other)))),
    }
}

/// A longer text is an error (PostgreSQL's limit is 1 GB): a loop that doubles one would use up all memory.
const TEXT_BYTES_MAX: usize = 10_000;

/// `||`: one side must be text, the other is written out; null propagates.
pub(super) fn concatenate(left: &Value, right: &Value) -> Result<Value, Failure> {
    match (left, right) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::List(_) | Value::Row(_), _) | (_, Value::List(_) | Value::Row(_)) => {
            Err(no_operator(Operator::Concatenate, left, right))
        }
        (Value::Text(_), _) | (_, Value::Text(_)) => {
            let text = format!("{left}{right}");
            if text.len() > TEXT_BYTES_MAX {
                return Err(error(format!("a text has at most {TEXT_BYTES_MAX} bytes")));
            }
            Ok(Value::text(text))
        }
        _ => Err(no_operator(Operator::Concatenate, left, right)),
    }
}
