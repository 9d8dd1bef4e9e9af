//! Casts (`x::int`), the types of quoted literals, and the types' names in messages.

use super::error;
use crate::expression::{Failure, SqlType};
use crate::value::{Millis, Value};

/// PostgreSQL's name of a value's type; numbers are called integer, whatever their width.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "unknown",
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Text(_) => "text",
        Value::Time(_) => "timestamp with time zone",
        Value::Interval(_) => "interval",
        Value::Row(_) => "record",
        Value::List(_) => "list",
        Value::Receipt { .. } => "receipt",
        Value::Handle(_) => "publish handle",
    }
}

impl SqlType {
    /// The type as PostgreSQL's messages write it.
    pub fn name(self) -> &'static str {
        match self {
            SqlType::Int => "integer",
            SqlType::BigInt => "bigint",
            SqlType::Text => "text",
            SqlType::Boolean => "boolean",
            SqlType::Timestamptz => "timestamp with time zone",
            SqlType::Interval => "interval",
        }
    }
}

/// An explicit cast. Null stays null.
pub(crate) fn cast(value: &Value, kind: SqlType) -> Result<Value, Failure> {
    match (value, kind) {
        (Value::Null, _)
        | (Value::Int(_), SqlType::BigInt)
        | (Value::Bool(_), SqlType::Boolean)
        | (Value::Text(_), SqlType::Text)
        | (Value::Time(_), SqlType::Timestamptz)
        | (Value::Interval(_), SqlType::Interval) => Ok(value.clone()),
        (Value::Int(n), SqlType::Int) => match i32::try_from(*n) {
            Ok(_) => Ok(value.clone()),
            Err(_) => Err(error("integer out of range")),
        },
        (Value::Int(n), SqlType::Boolean) => Ok(Value::Bool(*n != 0)),
        (Value::Bool(known), SqlType::Int) => Ok(Value::Int(i64::from(*known))),
        (Value::Bool(_) | Value::Int(_) | Value::Time(_) | Value::Interval(_), SqlType::Text) => {
            Ok(Value::text(value.to_string()))
        }
        (Value::Text(text), _) => parse(text, kind),
        _ => Err(error(format!(
            "cannot cast type {} to {}",
            type_name(value),
            kind.name()
        ))),
    }
}

/// A quoted literal, typed like the value beside it.
pub(super) fn literal_like(literal: Value, beside: &Value) -> Result<Value, Failure> {
    let kind = match beside {
        Value::Bool(_) => SqlType::Boolean,
        // Any width will do; the message speaks of the usual one.
        Value::Int(_) => return cast(&literal, SqlType::BigInt).or_else(|_| cast(&literal, SqlType::Int)),
        Value::Time(_) => SqlType::Timestamptz,
        Value::Interval(_) => SqlType::Interval,
        _ => return Ok(literal),
    };
    cast(&literal, kind)
}

/// Reads a text as a value of a type.
fn parse(text: &str, kind: SqlType) -> Result<Value, Failure> {
    let trimmed = text.trim_matches(|c: char| c.is_ascii_whitespace());
    let read = match kind {
        SqlType::Int | SqlType::BigInt => return parse_number(text, trimmed, kind),
        SqlType::Text => Some(Value::text(text)),
        SqlType::Boolean => parse_boolean(trimmed).map(Value::Bool),
        SqlType::Interval => parse_interval(trimmed).map(Value::Interval),
        // Virtual time has no calendar, so there is nothing an instant could be read from.
        SqlType::Timestamptz => None,
    };
    read.ok_or_else(|| invalid(text, kind))
}

fn invalid(text: &str, kind: SqlType) -> Failure {
    error(format!("invalid input syntax for type {}: \"{text}\"", kind.name()))
}

fn parse_number(text: &str, trimmed: &str, kind: SqlType) -> Result<Value, Failure> {
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(invalid(text, kind));
    }
    let smallest = if kind == SqlType::Int {
        i64::from(i32::MIN)
    } else {
        i64::MIN
    };
    let largest = if kind == SqlType::Int {
        i64::from(i32::MAX)
    } else {
        i64::MAX
    };
    match trimmed.parse::<i64>() {
        Ok(n) if (smallest..=largest).contains(&n) => Ok(Value::Int(n)),
        _ => Err(error(format!(
            "value \"{text}\" is out of range for type {}",
            kind.name()
        ))),
    }
}

/// Any unambiguous beginning of true, false, yes, no, on, off; 1 and 0.
fn parse_boolean(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let begins = |word: &str, at_least: usize| text.len() >= at_least && word.starts_with(&text);
    if begins("true", 1) || begins("yes", 1) || text == "on" || text == "1" {
        Some(true)
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || text == "0" {
        Some(false)
    } else {
        None
    }
}

/// Numbers with units: `30s`, `1 hour 30 min`, `1.5s`; a bare number is seconds.
fn parse_interval(text: &str) -> Option<Millis> {
    let mut rest = text;
    let mut total: Millis = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let number_end = rest
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+'))
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(number_end);
        let after = after.trim_start();
        let unit_end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        total = total.checked_add(scaled(number, unit_size(unit)?)?)?;
        rest = after.trim_start();
    }
    Some(total)
}

fn unit_size(unit: &str) -> Option<Millis> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => 1,
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => 86_400_000,
        "w" | "week" | "weeks" => 604_800_000,
        _ => return None,
    })
}

/// A decimal number times a unit, in whole milliseconds; smaller fractions are cut off.
fn scaled(number: &str, unit: Millis) -> Option<Millis> {
    let (negative, digits) = match number.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let read = |text: &str| {
        if text.is_empty() {
            Some(0)
        } else {
            text.parse::<i64>().ok()
        }
    };
    let fraction_scale = 10_i64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let part = read(fraction)?.checked_mul(unit)? / fraction_scale;
    let span = read(whole)?.checked_mul(unit)?.checked_add(part)?;
    Some(if negative { -span } else { span })
}
