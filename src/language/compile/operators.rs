//! What operators and functions do to types, as PostgreSQL has it.

use super::types::Type;
use crate::expression::{Aggregate, Function, Operator, SqlType};
use crate::language::interval;
use crate::value::Value;

pub fn is_comparison(operator: Operator) -> bool {
    use Operator::*;
    matches!(
        operator,
        Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual
    )
}

/// The type of `left operator right`; none if there is no such operator. Conditions are checked elsewhere.
pub fn result(operator: Operator, left: &Type, right: &Type) -> Option<Type> {
    use Operator::*;
    match operator {
        And | Or => Some(Type::Bool),
        Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual => comparison(left, right),
        Concatenate => concatenation(left, right),
        Add | Subtract | Multiply => arithmetic(operator, left, right),
    }
}

fn comparison(left: &Type, right: &Type) -> Option<Type> {
    let comparable = |kind: &Type| !matches!(kind, Type::List(_) | Type::Row(_));
    (comparable(left) && comparable(right) && left.fits(right)).then_some(Type::Bool)
}

/// One side must be a text; the other is written as one.
fn concatenation(left: &Type, right: &Type) -> Option<Type> {
    let scalar = |kind: &Type| !matches!(kind, Type::List(_) | Type::Row(_) | Type::Receipt | Type::Handle);
    let may_be_text = |kind: &Type| *kind == Type::Text || !kind.is_known();
    let possible = scalar(left) && scalar(right) && (may_be_text(left) || may_be_text(right));
    possible.then_some(Type::Text)
}

fn arithmetic(operator: Operator, left: &Type, right: &Type) -> Option<Type> {
    use Type::{Int, Interval, Time};
    let known: &[(Type, Type, Type)] = match operator {
        Operator::Add => &[
            (Int, Int, Int),
            (Time, Interval, Time),
            (Interval, Time, Time),
            (Interval, Interval, Interval),
        ],
        Operator::Subtract => &[
            (Int, Int, Int),
            (Time, Interval, Time),
            (Time, Time, Interval),
            (Interval, Interval, Interval),
        ],
        _ => &[(Int, Int, Int), (Int, Interval, Interval), (Interval, Int, Interval)],
    };
    let mut possible = known
        .iter()
        .filter(|(a, b, _)| a.fits(left) && b.fits(right))
        .map(|(_, _, result)| result);
    let first = possible.next()?;
    let same = possible.all(|result| result == first);
    Some(if same { first.clone() } else { Type::Any })
}

/// True if PostgreSQL has the cast.
pub fn can_cast(from: &Type, to: SqlType) -> bool {
    match (from, to) {
        (Type::Nothing | Type::Any, _) | (Type::Text, _) => true,
        (Type::Row(_) | Type::List(_) | Type::Receipt | Type::Handle, _) => false,
        (_, SqlType::Text) => true,
        (Type::Int, SqlType::Boolean) | (Type::Bool, SqlType::Int) => true,
        (from, to) => from.fits(&Type::from(to)),
    }
}

/// A quoted literal is of no type until its surroundings give it one. None if it cannot be read as that type.
pub fn read_literal(text: &str, wanted: &Type) -> Option<Value> {
    let text = text.trim();
    match wanted {
        Type::Int => text.parse().ok().map(Value::Int),
        Type::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "on" | "1" => Some(Value::Bool(true)),
            "false" | "f" | "no" | "off" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        Type::Interval => interval::parse(text).map(Value::Interval),
        _ => None,
    }
}

/// What a name before `(` calls.
#[derive(Clone, Copy)]
pub enum Callee {
    Function(Function),
    Aggregate(Aggregate),
}

pub const FUNCTIONS: [(&str, Callee); 9] = [
    ("now", Callee::Function(Function::Now)),
    ("split_part", Callee::Function(Function::SplitPart)),
    ("coalesce", Callee::Function(Function::Coalesce)),
    ("length", Callee::Function(Function::Length)),
    ("fresh", Callee::Function(Function::Fresh)),
    ("count", Callee::Aggregate(Aggregate::Count)),
    ("sum", Callee::Aggregate(Aggregate::Sum)),
    ("min", Callee::Aggregate(Aggregate::Min)),
    ("max", Callee::Aggregate(Aggregate::Max)),
];

/// The function of this name, whatever its case.
pub fn function(name: &str) -> Option<Callee> {
    let found = FUNCTIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, callee)| *callee)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_follows_postgresql() {
        use Operator::*;
        assert_eq!(result(Subtract, &Type::Time, &Type::Time), Some(Type::Interval));
        assert_eq!(result(Add, &Type::Time, &Type::Time), None);
        assert_eq!(result(Add, &Type::Int, &Type::Text), None);
        assert_eq!(result(Add, &Type::Any, &Type::Int), Some(Type::Int));
        assert_eq!(result(Add, &Type::Any, &Type::Interval), Some(Type::Any));
        assert_eq!(result(Concatenate, &Type::Int, &Type::Int), None);
        assert_eq!(result(Concatenate, &Type::Int, &Type::Text), Some(Type::Text));
        assert_eq!(result(Equal, &Type::Int, &Type::Text), None);
    }
}
