//! Functions and aggregates.

use super::cast::type_name;
use super::{error, evaluate};
use crate::expression::{Aggregate, Expr, Failure, Function, Scope};
use crate::value::Value;

pub(super) fn call(function: Function, arguments: &[Expr], scope: &dyn Scope) -> Result<Value, Failure> {
    match function {
        Function::Now => Ok(Value::Time(scope.now())),
        Function::Coalesce => coalesce(arguments, scope),
        Function::SplitPart => {
            let values = values_of(arguments, scope)?;
            match values.as_slice() {
                [Value::Text(text), Value::Text(delimiter), Value::Int(n)] => split_part(text, delimiter, *n),
                [_, _, _] if values.contains(&Value::Null) => Ok(Value::Null),
                _ => Err(no_function("split_part", &values)),
            }
        }
        Function::Length => {
            let values = values_of(arguments, scope)?;
            match values.as_slice() {
                [Value::Null] => Ok(Value::Null),
                [Value::Text(text)] => Ok(count(text.chars().count())),
                [Value::List(items)] => Ok(count(items.len())),
                _ => Err(no_function("length", &values)),
            }
        }
        Function::Fresh => {
            let values = values_of(arguments, scope)?;
            match values.as_slice() {
                [Value::Text(prefix)] => Ok(Value::text(format!("{prefix}-{}", scope.fresh(prefix)))),
                _ => Err(no_function("fresh", &values)),
            }
        }
    }
}

fn values_of(arguments: &[Expr], scope: &dyn Scope) -> Result<Vec<Value>, Failure> {
    arguments.iter().map(|argument| evaluate(argument, scope)).collect()
}

fn no_function(name: &str, arguments: &[Value]) -> Failure {
    let types: Vec<&str> = arguments.iter().map(type_name).collect();
    error(format!("function {name}({}) does not exist", types.join(", ")))
}

fn count(items: usize) -> Value {
    Value::Int(i64::try_from(items).unwrap_or(i64::MAX))
}

fn coalesce(arguments: &[Expr], scope: &dyn Scope) -> Result<Value, Failure> {
    for argument in arguments {
        let value = evaluate(argument, scope)?;
        if value != Value::Null {
            return Ok(value);
        }
    }
    Ok(Value::Null)
}

/// The n-th field, from 1, negative from the end; empty where there is none. An empty delimiter splits nothing.
fn split_part(text: &str, delimiter: &str, n: i64) -> Result<Value, Failure> {
    let parts: Vec<&str> = match (text, delimiter) {
        ("", _) => Vec::new(),
        (_, "") => vec![text],
        _ => text.split(delimiter).collect(),
    };
    let distance = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
    let found = match n {
        0 => return Err(error("field position must not be zero")),
        1.. => parts.get(distance - 1),
        _ => parts
            .len()
            .checked_sub(distance)
            .and_then(|position| parts.get(position)),
    };
    Ok(Value::text(found.copied().unwrap_or("")))
}

/// The aggregate of `values`, nulls left out. For `count(*)` give one value that is not null for each row.
/// None at all: 0 for count, null for the others.
pub fn aggregate(kind: Aggregate, values: &[Value]) -> Result<Value, Failure> {
    let known = || values.iter().filter(|value| **value != Value::Null);
    match kind {
        Aggregate::Count => Ok(count(known().count())),
        Aggregate::Sum => known().try_fold(Value::Null, |sum, value| match (&sum, value) {
            (Value::Null, Value::Int(_) | Value::Interval(_)) => Ok(value.clone()),
            (Value::Int(a), Value::Int(b)) => match a.checked_add(*b) {
                Some(sum) => Ok(Value::Int(sum)),
                None => Err(error("bigint out of range")),
            },
            (Value::Interval(a), Value::Interval(b)) => match a.checked_add(*b) {
                Some(sum) => Ok(Value::Interval(sum)),
                None => Err(error("interval out of range")),
            },
            _ => Err(no_function("sum", std::slice::from_ref(value))),
        }),
        Aggregate::Min => ordered("min", known()).map(|values| values.min().cloned().unwrap_or(Value::Null)),
        Aggregate::Max => ordered("max", known()).map(|values| values.max().cloned().unwrap_or(Value::Null)),
    }
}

/// The values, if `min` and `max` exist for their type.
fn ordered<'a>(
    name: &str,
    mut values: impl Iterator<Item = &'a Value> + Clone,
) -> Result<impl Iterator<Item = &'a Value>, Failure> {
    let has_order = |value: &&Value| {
        matches!(
            value,
            Value::Int(_) | Value::Text(_) | Value::Time(_) | Value::Interval(_)
        )
    };
    let all = values.clone();
    match values.find(|value| !has_order(value)) {
        Some(other) => Err(no_function(name, std::slice::from_ref(other))),
        None => Ok(all),
    }
}

/// An aggregate outside a select: over a list, or over the first fields of its rows. Selects fold theirs before.
pub(super) fn aggregate_of_list(kind: Aggregate, of: Option<&Expr>, scope: &dyn Scope) -> Result<Value, Failure> {
    match of.map(|of| evaluate(of, scope)).transpose()? {
        Some(Value::List(items)) => {
            let values: Vec<Value> = items
                .iter()
                .map(|item| match item {
                    Value::Row(row) => super::first_field(row),
                    other => other.clone(),
                })
                .collect();
            aggregate(kind, &values)
        }
        _ => Err(error("aggregate functions are not allowed here")),
    }
}
