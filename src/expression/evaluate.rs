//! Evaluation of expressions by PostgreSQL's rules.
//!
//! Types are those of the values at hand: an operand of the wrong type is an error when it is met (PostgreSQL finds it when it
//! plans the statement), and integers are 64 bits wide until they are cast or stored. A quoted literal takes the type of the
//! value it meets (`id = '5'`), as PostgreSQL's literals of unknown type do; no other text becomes a number by itself.
//! `and` and `or` stop at the first operand that decides.

mod arithmetic;
mod cast;
mod function;

pub(crate) use cast::{cast, type_name};
pub use function::aggregate;

use super::{ErrorClass, Expr, Failure, Operator, Scope};
use crate::value::{Name, Row, Value};
use std::cmp::Ordering;

/// The value of an expression in a scope. Errors: type mismatch, failed cast, overflow (class `Error`).
pub fn evaluate(expr: &Expr, scope: &dyn Scope) -> Result<Value, Failure> {
    Ok(match expr {
        Expr::Literal(value) => value.clone(),
        Expr::Column { depth, column } => scope.column(*depth, *column),
        Expr::Local(slot) => scope.local(*slot),
        Expr::Memory(slot) => scope.memory(*slot),
        Expr::Parameter(slot) => scope.parameter(*slot),
        Expr::Field(of, name) => field(evaluate(of, scope)?, name)?,
        Expr::Me => scope.me(),
        Expr::Not(of) => unknown_or(truth(&evaluate(of, scope)?, "NOT")?.map(|known| !known)),
        Expr::Negate(of) => arithmetic::negate(&evaluate(of, scope)?)?,
        Expr::Binary(Operator::And, left, right) => either(left, right, scope, false)?,
        Expr::Binary(Operator::Or, left, right) => either(left, right, scope, true)?,
        Expr::Binary(operator, left, right) => binary(*operator, left, right, scope)?,
        Expr::IsNull(of) => Value::Bool(evaluate(of, scope)? == Value::Null),
        Expr::InList(needle, items) => in_list(needle, items, scope)?,
        Expr::InValue(needle, list) => in_value(needle, list, scope)?,
        Expr::InSelect(needle, select) => {
            let rows = scope.select(select)?;
            is_in(needle, rows.iter().map(first_field), scope)?
        }
        Expr::Exists(select) => Value::Bool(!scope.select(select)?.is_empty()),
        Expr::Scalar(select) => match scope.select(select)?.as_slice() {
            [] => Value::Null,
            [row] => first_field(row),
            _ => return Err(error("more than one row returned by a subquery used as an expression")),
        },
        Expr::Cast(of, kind) => cast(&evaluate(of, scope)?, *kind)?,
        Expr::Call(function, arguments) => function::call(*function, arguments, scope)?,
        Expr::Aggregate(kind, of) => function::aggregate_of_list(*kind, of.as_deref(), scope)?,
        Expr::EmptyList => Value::List(Default::default()),
    })
}

/// SQL's condition: true only if the value is true; null and false are not. Errors for a value that is no boolean.
pub fn is_true(expr: &Expr, scope: &dyn Scope) -> Result<bool, Failure> {
    Ok(truth(&evaluate(expr, scope)?, "WHERE")? == Some(true))
}

/// An error of class `Error`.
fn error(detail: impl AsRef<str>) -> Failure {
    Failure::new(ErrorClass::Error, detail)
}

/// Three-valued truth: none is unknown. Lists and rows count as the language's `if` counts them.
fn truth(value: &Value, place: &str) -> Result<Option<bool>, Failure> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(known) => Ok(Some(*known)),
        Value::List(_) | Value::Row(_) => Ok(Some(value.is_truthy())),
        other => Err(error(format!(
            "argument of {place} must be type boolean, not type {}",
            type_name(other)
        ))),
    }
}

fn unknown_or(known: Option<bool>) -> Value {
    known.map_or(Value::Null, Value::Bool)
}

/// `or` (decided by true) and `and` (decided by false).
fn either(left: &Expr, right: &Expr, scope: &dyn Scope, decides: bool) -> Result<Value, Failure> {
    let place = if decides { "OR" } else { "AND" };
    let left = truth(&evaluate(left, scope)?, place)?;
    if left == Some(decides) {
        return Ok(Value::Bool(decides));
    }
    let right = truth(&evaluate(right, scope)?, place)?;
    Ok(match (left, right) {
        (_, Some(known)) if known == decides => Value::Bool(decides),
        (Some(_), Some(_)) => Value::Bool(!decides),
        _ => Value::Null,
    })
}

fn binary(operator: Operator, left: &Expr, right: &Expr, scope: &dyn Scope) -> Result<Value, Failure> {
    let (l, r) = (evaluate(left, scope)?, evaluate(right, scope)?);
    let holds: fn(Ordering) -> bool = match operator {
        Operator::Equal => Ordering::is_eq,
        Operator::NotEqual => Ordering::is_ne,
        Operator::Less => Ordering::is_lt,
        Operator::LessOrEqual => Ordering::is_le,
        Operator::Greater => Ordering::is_gt,
        Operator::GreaterOrEqual => Ordering::is_ge,
        Operator::Concatenate => return arithmetic::concatenate(&l, &r),
        _ => {
            let (l, r) = arithmetic::typed_literals(left, l, right, r)?;
            return arithmetic::compute(operator, &l, &r);
        }
    };
    let (l, r) = typed_literals(left, l, right, r)?;
    Ok(unknown_or(compare(operator, &l, &r)?.map(holds)))
}

/// Quoted literals of unknown type take the type of the other operand.
fn typed_literals(left: &Expr, l: Value, right: &Expr, r: Value) -> Result<(Value, Value), Failure> {
    Ok(match (is_quoted(left), is_quoted(right)) {
        (true, false) => (cast::literal_like(l, &r)?, r),
        (false, true) => {
            let r = cast::literal_like(r, &l)?;
            (l, r)
        }
        _ => (l, r),
    })
}

fn is_quoted(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(Value::Text(_)))
}

/// How two values of one type compare; unknown if either is null.
fn compare(operator: Operator, left: &Value, right: &Value) -> Result<Option<Ordering>, Failure> {
    use Value::{Bool, Int, Interval, Null, Receipt, Text, Time};
    match (left, right) {
        (Null, _) | (_, Null) => Ok(None),
        (Bool(_), Bool(_))
        | (Int(_), Int(_))
        | (Text(_), Text(_))
        | (Time(_), Time(_))
        | (Interval(_), Interval(_))
        | (Receipt { .. }, Receipt { .. }) => Ok(Some(left.cmp(right))),
        _ => Err(no_operator(operator, left, right)),
    }
}

/// PostgreSQL's `operator does not exist: integer = text`.
fn no_operator(operator: Operator, left: &Value, right: &Value) -> Failure {
    let sign = operator.symbol();
    error(format!(
        "operator does not exist: {} {sign} {}",
        type_name(left),
        type_name(right)
    ))
}

/// The field of a row or of a list's first row; null where there is none.
fn field(of: Value, name: &Name) -> Result<Value, Failure> {
    match of {
        Value::Null => Ok(Value::Null),
        Value::Row(row) => Ok(row.get(name).cloned().unwrap_or(Value::Null)),
        Value::List(items) => items
            .first()
            .map_or(Ok(Value::Null), |first| field(first.clone(), name)),
        other => Err(error(format!(
            "cannot read field \"{name}\" of a value of type {}",
            type_name(&other)
        ))),
    }
}

fn first_field(row: &Row) -> Value {
    row.values().first().cloned().unwrap_or(Value::Null)
}

fn in_list(needle: &Expr, items: &[Expr], scope: &dyn Scope) -> Result<Value, Failure> {
    let mut unknown = false;
    for item in items {
        match binary(Operator::Equal, needle, item, scope)? {
            Value::Bool(true) => return Ok(Value::Bool(true)),
            Value::Null => unknown = true,
            _ => {}
        }
    }
    Ok(unknown_or((!unknown).then_some(false)))
}

/// The list is a variable's value: its items, or its rows' first fields, are compared.
fn in_value(needle: &Expr, list: &Expr, scope: &dyn Scope) -> Result<Value, Failure> {
    match evaluate(list, scope)? {
        Value::Null => Ok(Value::Null),
        Value::List(items) => {
            let values = items.iter().map(|item| match item {
                Value::Row(row) => first_field(row),
                other => other.clone(),
            });
            is_in(needle, values, scope)
        }
        other => Err(error(format!(
            "IN needs a list, not a value of type {}",
            type_name(&other)
        ))),
    }
}

/// True if a value equals the needle, unknown if one might, else false (so for no values at all).
fn is_in(needle: &Expr, values: impl Iterator<Item = Value>, scope: &dyn Scope) -> Result<Value, Failure> {
    let wanted = evaluate(needle, scope)?;
    let mut unknown = false;
    for value in values {
        let wanted = match is_quoted(needle) {
            true => cast::literal_like(wanted.clone(), &value)?,
            false => wanted.clone(),
        };
        match compare(Operator::Equal, &wanted, &value)? {
            Some(Ordering::Equal) => return Ok(Value::Bool(true)),
            None => unknown = true,
            Some(_) => {}
        }
    }
    Ok(unknown_or((!unknown).then_some(false)))
}

#[cfg(test)]
mod tests;
