//! What is known about the type of an expression before anything runs.

use crate::expression::SqlType;
use crate::value::{Name, Value};
use std::rc::Rc;

/// How deep lists and rows are followed; what lies deeper is [`Type::Any`].
const DEPTH_MAX: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Only null so far: fits everything.
    Nothing,
    /// Not known, or different at different times.
    Any,
    Int,
    Text,
    Bool,
    Time,
    Interval,
    Receipt,
    /// What an asynchronous publish gives.
    Handle,
    Row(Shape),
    List(Rc<Type>),
}

/// The fields of a row.
pub type Shape = Rc<[(Name, Type)]>;

impl Type {
    pub fn list(items: Type) -> Type {
        Type::List(Rc::new(items))
    }

    /// As PostgreSQL names it.
    pub fn name(&self) -> &'static str {
        match self {
            Type::Nothing => "null",
            Type::Any => "unknown",
            Type::Int => "int",
            Type::Text => "text",
            Type::Bool => "boolean",
            Type::Time => "timestamptz",
            Type::Interval => "interval",
            Type::Receipt => "receipt",
            Type::Handle => "publish handle",
            Type::Row(_) => "row",
            Type::List(_) => "list",
        }
    }

    pub fn is_known(&self) -> bool {
        !matches!(self, Type::Nothing | Type::Any)
    }

    /// True if values of both can be the same kind of value, as far as is known.
    pub fn fits(&self, other: &Type) -> bool {
        !self.is_known() || !other.is_known() || self.name() == other.name()
    }

    /// What is known of a value that is either of both.
    pub fn join(&self, other: &Type) -> Type {
        match (self, other) {
            (Type::Nothing, known) | (known, Type::Nothing) => known.clone(),
            (Type::List(a), Type::List(b)) => Type::list(a.join(b)),
            (Type::Row(a), Type::Row(b)) => join_shapes(a, b),
            (a, b) if a == b => a.clone(),
            _ => Type::Any,
        }
    }

    /// The same without what lies too deep, so that a list that is appended to itself has an end.
    pub fn flattened(self) -> Type {
        self.cut(DEPTH_MAX)
    }

    fn cut(self, depth: usize) -> Type {
        match self {
            Type::Row(_) | Type::List(_) if depth == 0 => Type::Any,
            Type::List(items) => Type::list((*items).clone().cut(depth - 1)),
            Type::Row(shape) => {
                let fields = shape
                    .iter()
                    .map(|(name, kind)| (name.clone(), kind.clone().cut(depth - 1)));
                Type::Row(fields.collect())
            }
            other => other,
        }
    }
}

fn join_shapes(a: &Shape, b: &Shape) -> Type {
    let same = a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.0 == b.0);
    if !same {
        return Type::Any;
    }
    let fields = a.iter().zip(b.iter()).map(|(a, b)| (a.0.clone(), a.1.join(&b.1)));
    Type::Row(fields.collect())
}

impl From<SqlType> for Type {
    fn from(kind: SqlType) -> Type {
        match kind {
            SqlType::Int | SqlType::BigInt => Type::Int,
            SqlType::Text => Type::Text,
            SqlType::Boolean => Type::Bool,
            SqlType::Timestamptz => Type::Time,
            SqlType::Interval => Type::Interval,
        }
    }
}

/// The type of a literal.
pub fn of_value(value: &Value) -> Type {
    match value {
        Value::Null => Type::Nothing,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Text(_) => Type::Text,
        Value::Time(_) => Type::Time,
        Value::Interval(_) => Type::Interval,
        Value::Receipt { .. } => Type::Receipt,
        Value::Handle(_) => Type::Handle,
        Value::Row(_) | Value::List(_) => Type::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_keeps_what_both_have() {
        let row = |kind: Type| Type::Row([(Name::from("id"), kind)].into());
        assert_eq!(Type::Nothing.join(&Type::Int), Type::Int);
        assert_eq!(Type::Int.join(&Type::Text), Type::Any);
        assert_eq!(
            Type::list(row(Type::Int)).join(&Type::list(row(Type::Text))),
            Type::list(row(Type::Any))
        );
        assert_eq!(row(Type::Int).join(&Type::list(Type::Int)), Type::Any);
    }

    #[test]
    fn endless_types_are_cut() {
        let mut list = Type::Int;
        for _ in 0..10 {
            list = Type::list(list).flattened();
        }
        let again = Type::list(list.clone()).flattened();
        assert_eq!(again, list);
    }
}
