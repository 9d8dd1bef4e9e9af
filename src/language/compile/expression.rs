//! Expressions: names resolved by where the expression stands, types checked where they are known.

mod functions;
mod names;
mod operands;

use super::symbols::{Symbols, table_shape};
use super::types::{self, Shape, Type};
use super::variables::Variables;
use crate::expression::{Aggregate, Expr};
use crate::language::ast::{Expression, Ident, Node};
use crate::language::diagnostics::{Diagnostic, Problem, Span};
use crate::value::{Name, Value};

/// What names outside SQL mean.
#[derive(Clone, Copy)]
pub enum Names<'a> {
    /// Nothing: defaults, initial rows, the first values of memory.
    Constant,
    /// Variables of the program.
    Program(&'a Variables),
    /// Rows of a promise: bare names, `effect.` and `cause.`, as far as there are such rows.
    Promise(Rows<'a>),
}

#[derive(Clone, Copy, Default)]
pub struct Rows<'a> {
    pub own: Option<&'a Shape>,
    pub effect: Option<&'a Shape>,
    pub cause: Option<&'a Shape>,
}

/// A compiled expression and its type.
#[derive(Clone, Debug)]
pub struct Typed {
    pub expr: Expr,
    pub kind: Type,
}

/// Compiles the expressions of one statement.
pub struct Compiler<'a> {
    pub symbols: &'a Symbols,
    pub names: Names<'a>,
    pub diagnostics: &'a mut Vec<Diagnostic>,
    /// Set inside SQL.
    pub sql: Option<InSql>,
    /// The values that the statement binds when it is sent.
    pub parameters: Vec<(Expr, Type)>,
    /// SQL of the statement compares with `now()`.
    pub compares_now: bool,
    /// The select items at hand hold an aggregate.
    pub aggregated: bool,
    /// Columns of the select items at hand that stand outside aggregates.
    pub bare: Vec<Ident>,
}

/// What columns mean in SQL.
#[derive(Clone, Default)]
pub struct InSql {
    pub database: u16,
    /// Tables of the selects around the expression, innermost last.
    pub tables: Vec<u16>,
    pub aggregates: Aggregates,
}

/// Aggregates stand in select items only, and not within each other.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Aggregates {
    #[default]
    Refused,
    Allowed,
    Inside,
}

impl<'a> Compiler<'a> {
    pub fn new(symbols: &'a Symbols, names: Names<'a>, diagnostics: &'a mut Vec<Diagnostic>) -> Compiler<'a> {
        Compiler {
            symbols,
            names,
            diagnostics,
            sql: None,
            parameters: Vec::new(),
            compares_now: false,
            aggregated: false,
            bare: Vec::new(),
        }
    }

    pub fn report(&mut self, span: Span, problem: Problem) -> Typed {
        self.diagnostics.push(Diagnostic::new(span, problem));
        Typed {
            expr: Expr::Literal(Value::Null),
            kind: Type::Any,
        }
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> Typed {
        self.diagnostics.push(diagnostic);
        Typed {
            expr: Expr::Literal(Value::Null),
            kind: Type::Any,
        }
    }

    /// An expression of any type.
    pub fn any(&mut self, expression: &Expression) -> Typed {
        let span = expression.span;
        match &*expression.node {
            Node::Literal(value) => Typed {
                kind: types::of_value(value),
                expr: Expr::Literal(value.clone()),
            },
            Node::EmptyList if self.sql.is_some() => self.report(span, unknown_in_sql("[]")),
            Node::EmptyList => typed(Expr::EmptyList, Type::list(Type::Nothing)),
            Node::Name(path) => self.name(path, span),
            Node::Variable(path) => self.variable(path, span),
            Node::Me(colon) => self.me(*colon, span),
            Node::Not(operand) => {
                let operand = self.condition(operand);
                typed(Expr::Not(Box::new(operand)), Type::Bool)
            }
            Node::Negate(operand) => self.negation(operand),
            Node::Binary(operator, left, right) => self.binary(*operator, left, right, span),
            Node::IsNull(operand, negated) => {
                let is_null = Expr::IsNull(Box::new(self.any(operand).expr));
                let expr = if *negated {
                    Expr::Not(Box::new(is_null))
                } else {
                    is_null
                };
                typed(expr, Type::Bool)
            }
            Node::InList(item, list) => self.in_list(item, list, span),
            Node::InValue(item, list) => self.in_value(item, list),
            Node::InSelect(item, select) => self.in_select(item, select, span),
            Node::Exists(select) => self.exists(select, span),
            Node::Scalar(select) => self.scalar(select, span),
            Node::Cast(operand, kind) => self.cast(operand, *kind, span),
            Node::Call(name, arguments) => self.call(name, arguments, span),
            Node::CountAll => self.aggregate(Aggregate::Count, None, span),
        }
    }
}

pub fn typed(expr: Expr, kind: Type) -> Typed {
    Typed { expr, kind }
}

/// The shape of a table's rows.
pub fn shape_of(symbols: &Symbols, database: u16, table: u16) -> Vec<(Name, Type)> {
    symbols.table_schema(database, table).map_or_else(Vec::new, table_shape)
}

/// Something that SQL has no word for.
fn unknown_in_sql(text: &str) -> Problem {
    Problem::Expected {
        found: Some(text.to_owned()),
        expected: vec![crate::language::diagnostics::What::A(
            crate::language::diagnostics::Notion::Expression,
        )],
        near: None,
    }
}
