//! Expressions: one type for SQL, for the program and for promises, evaluated against a [`Scope`].
//!
//! SQL's rules hold everywhere: three-valued logic, no silent conversion between numbers and text.
//! Refuses to know: where a column, a variable or a sub-select gets its values; the scope answers that.

use crate::sql::Select;
use crate::value::{Millis, Name, Row, Value};
use std::rc::Rc;

mod evaluate;
mod visit;

pub use evaluate::{aggregate, evaluate, is_true};
pub(crate) use evaluate::{cast, type_name};

/// A slot of a task's local variables, of an instance's memory, or of a statement's parameters.
pub type Slot = u16;

/// An expression with every name resolved.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Literal(Value),
    /// A column of the row at hand; depth 0 is the innermost select, 1 the one around it.
    Column {
        depth: u8,
        column: u16,
    },
    /// A variable of the task; in promises [`crate::program::EFFECT`], `CAUSE` and `OWN`.
    Local(Slot),
    /// A variable of the instance, shared by its tasks and lost with the process.
    Memory(Slot),
    /// A value bound when the statement was sent (`:row.id`).
    Parameter(Slot),
    /// `rows.id`: the field of a row, or of a list's first row; null where there is none.
    Field(Box<Expr>, Name),
    /// `self`: the instance's name, `Relay#1`.
    Me,
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `is null` (`is not null` is its negation).
    IsNull(Box<Expr>),
    /// `x in (a, b)`.
    InList(Box<Expr>, Vec<Expr>),
    /// `x in list`: the list is a variable; its items, or its rows' first fields, are compared.
    InValue(Box<Expr>, Box<Expr>),
    /// `x in (select …)`.
    InSelect(Box<Expr>, Rc<Select>),
    Exists(Rc<Select>),
    /// `(select …)`: the first field of the only row, null if there is none.
    Scalar(Rc<Select>),
    /// `x::int`.
    Cast(Box<Expr>, SqlType),
    Call(Function, Vec<Expr>),
    /// An aggregate over the rows of a select; `count(*)` has no argument.
    Aggregate(Aggregate, Option<Box<Expr>>),
    /// `[]`.
    EmptyList,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Concatenate,
    Add,
    Subtract,
    Multiply,
}

impl Operator {
    /// As the text writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Operator::And => "and",
            Operator::Or => "or",
            Operator::Equal => "=",
            Operator::NotEqual => "<>",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Concatenate => "||",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// In SQL the start of the transaction, elsewhere the present instant.
    Now,
    /// `split_part(text, delimiter, n)`, n from 1, negative from the end.
    SplitPart,
    Coalesce,
    /// Characters of a text, or items of a list.
    Length,
    /// `fresh('pay')` = pay-1, pay-2, …: a new name each time, for the whole run. Not in SQL.
    Fresh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    Count,
    Sum,
    Min,
    Max,
}

/// Column types, as PostgreSQL names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlType {
    /// `int`, `integer`, `serial`: 32 bits.
    Int,
    /// `bigint`, `bigserial`: 64 bits.
    BigInt,
    Text,
    Boolean,
    Timestamptz,
    Interval,
}

/// Why a request or an expression failed; `on CLASS` lines catch it by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorClass {
    /// A unique violation (SQLSTATE 23505).
    Duplicate,
    /// 40001.
    Serialization,
    /// 40P01.
    Deadlock,
    /// A statement in a transaction that an earlier error has aborted (25P02).
    Aborted,
    /// The party said no: nack, stale handle, unroutable, lock not available (55P03).
    Refused,
    /// Certainly not done.
    Unreachable,
    /// Outcome unknown.
    Timeout,
    /// Any other error of a statement or an expression. `on error` catches every class.
    Error,
}

/// A failed request or expression: its class, and what an operator would read in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub class: ErrorClass,
    pub detail: Rc<str>,
}

impl Failure {
    pub fn new(class: ErrorClass, detail: impl AsRef<str>) -> Failure {
        Failure {
            class,
            detail: Rc::from(detail.as_ref()),
        }
    }
}

/// Where an expression gets its values from. A method that makes no sense in a place keeps its default: null, or no rows.
pub trait Scope {
    fn column(&self, _depth: u8, _column: u16) -> Value {
        Value::Null
    }
    fn local(&self, _slot: Slot) -> Value {
        Value::Null
    }
    fn memory(&self, _slot: Slot) -> Value {
        Value::Null
    }
    fn parameter(&self, _slot: Slot) -> Value {
        Value::Null
    }
    fn me(&self) -> Value {
        Value::Null
    }
    fn now(&self) -> Millis {
        0
    }
    /// The next number of `fresh(prefix)`, from 1.
    fn fresh(&self, _prefix: &str) -> i64 {
        1
    }
    /// The rows of a sub-select whose enclosing row is this scope's.
    fn select(&self, _select: &Select) -> Result<Vec<Row>, Failure> {
        Ok(Vec::new())
    }
}
