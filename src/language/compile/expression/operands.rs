//! Operators, and the types that values take where they meet.

use super::super::operators::{self};
use super::super::types::Type;
use super::{Compiler, Typed, typed};
use crate::expression::{Expr, Function, Operator, SqlType};
use crate::language::ast::Expression;
use crate::language::diagnostics::{Problem, Span};
use crate::value::{Name, Value};

impl Compiler<'_> {
    /// A condition: true or false, or, outside SQL, a list or row that is there or not.
    pub fn condition(&mut self, expression: &Expression) -> Expr {
        let mut condition = self.any(expression);
        self.adapt(&mut condition, &Type::Bool, expression.span);
        let in_sql = self.sql.is_some();
        let good = match &condition.kind {
            Type::Bool | Type::Nothing | Type::Any => true,
            Type::List(_) | Type::Row(_) => !in_sql,
            _ => false,
        };
        if !good {
            let problem = Problem::WrongType {
                wanted: "boolean",
                found: condition.kind.name(),
            };
            self.report(expression.span, problem);
        }
        condition.expr
    }

    pub(super) fn negation(&mut self, operand: &Expression) -> Typed {
        let value = self.any(operand);
        if !matches!(value.kind, Type::Int | Type::Interval | Type::Any | Type::Nothing) {
            let problem = Problem::Operator {
                operator: "-",
                left: value.kind.name(),
                right: None,
            };
            return self.report(operand.span, problem);
        }
        typed(Expr::Negate(Box::new(value.expr)), value.kind)
    }

    pub(super) fn binary(&mut self, operator: Operator, left: &Expression, right: &Expression, span: Span) -> Typed {
        if matches!(operator, Operator::And | Operator::Or) {
            let (left, right) = (self.condition(left), self.condition(right));
            return typed(Expr::Binary(operator, Box::new(left), Box::new(right)), Type::Bool);
        }
        let (mut a, mut b) = (self.any(left), self.any(right));
        if operator != Operator::Concatenate {
            let (kind_a, kind_b) = (a.kind.clone(), b.kind.clone());
            self.adapt(&mut a, &kind_b, left.span);
            self.adapt(&mut b, &kind_a, right.span);
        }
        if operators::is_comparison(operator) && self.sql.is_some() {
            self.compares_now |= mentions_now(&a.expr) || mentions_now(&b.expr);
        }
        let Some(kind) = operators::result(operator, &a.kind, &b.kind) else {
            let problem = Problem::Operator {
                operator: operator.symbol(),
                left: a.kind.name(),
                right: Some(b.kind.name()),
            };
            return self.report(span, problem);
        };
        typed(Expr::Binary(operator, Box::new(a.expr), Box::new(b.expr)), kind)
    }

    /// Gives a quoted literal the type that its surroundings want, as PostgreSQL does.
    pub fn adapt(&mut self, value: &mut Typed, wanted: &Type, span: Span) {
        let Expr::Literal(Value::Text(text)) = &value.expr else {
            return;
        };
        if !matches!(wanted, Type::Int | Type::Bool | Type::Interval | Type::Time) {
            return;
        }
        match operators::read_literal(text, wanted) {
            Some(literal) => *value = typed(Expr::Literal(literal), wanted.clone()),
            None => {
                let problem = Problem::BadLiteral {
                    text: text.to_string(),
                    wanted: wanted.name(),
                };
                *value = self.report(span, problem);
            }
        }
    }

    /// A value to be stored in a column, as PostgreSQL assigns it: anything can become a text.
    pub fn stored(&mut self, expression: &Expression, column: &Name, kind: SqlType) -> Expr {
        let mut value = self.any(expression);
        let wanted = Type::from(kind);
        self.adapt(&mut value, &wanted, expression.span);
        match &value.kind {
            found if found.fits(&wanted) => value.expr,
            Type::Int | Type::Bool | Type::Time | Type::Interval if kind == SqlType::Text => {
                Expr::Cast(Box::new(value.expr), SqlType::Text)
            }
            found => {
                let problem = Problem::ColumnType {
                    column: column.clone(),
                    column_type: wanted.name(),
                    found: found.name(),
                };
                self.report(expression.span, problem).expr
            }
        }
    }

    /// An expression that must be of this type, as far as is known.
    pub fn wanted(&mut self, expression: &Expression, wanted: &Type) -> Expr {
        let mut value = self.any(expression);
        self.adapt(&mut value, wanted, expression.span);
        if value.kind.fits(wanted) {
            return value.expr;
        }
        let problem = Problem::WrongType {
            wanted: wanted.name(),
            found: value.kind.name(),
        };
        self.report(expression.span, problem).expr
    }

    pub(super) fn in_list(&mut self, item: &Expression, list: &[Expression], span: Span) -> Typed {
        let mut value = self.any(item);
        let mut items: Vec<Typed> = list.iter().map(|item| self.any(item)).collect();
        let known = items
            .iter()
            .fold(value.kind.clone(), |known, item| match known.is_known() {
                true => known,
                false => item.kind.clone(),
            });
        self.adapt(&mut value, &known, item.span);
        for (other, place) in items.iter_mut().zip(list) {
            self.adapt(other, &value.kind.clone(), place.span);
            if operators::result(Operator::Equal, &value.kind, &other.kind).is_none() {
                let problem = Problem::Operator {
                    operator: "=",
                    left: value.kind.name(),
                    right: Some(other.kind.name()),
                };
                return self.report(span, problem);
            }
        }
        let items = items.into_iter().map(|item| item.expr).collect();
        typed(Expr::InList(Box::new(value.expr), items), Type::Bool)
    }

    /// `x in rows`: items of a list, or the first fields of its rows.
    pub(super) fn in_value(&mut self, item: &Expression, list: &Expression) -> Typed {
        let item = self.any(item);
        let place = list.span;
        let list = self.any(list);
        if !matches!(list.kind, Type::List(_) | Type::Any | Type::Nothing) {
            let problem = Problem::WrongType {
                wanted: "list",
                found: list.kind.name(),
            };
            return self.report(place, problem);
        }
        typed(Expr::InValue(Box::new(item.expr), Box::new(list.expr)), Type::Bool)
    }

    pub(super) fn cast(&mut self, operand: &Expression, kind: SqlType, span: Span) -> Typed {
        let value = self.any(operand);
        if !operators::can_cast(&value.kind, kind) {
            let problem = Problem::Operator {
                operator: "::",
                left: value.kind.name(),
                right: Some(Type::from(kind).name()),
            };
            return self.report(span, problem);
        }
        typed(Expr::Cast(Box::new(value.expr), kind), kind.into())
    }
}

/// True if `now()` is part of the expression.
fn mentions_now(expr: &Expr) -> bool {
    match expr {
        Expr::Call(Function::Now, _) => true,
        Expr::Call(_, arguments) => arguments.iter().any(mentions_now),
        Expr::Binary(_, left, right) => mentions_now(left) || mentions_now(right),
        Expr::Negate(inner) | Expr::Not(inner) | Expr::Cast(inner, _) => mentions_now(inner),
        _ => false,
    }
}
