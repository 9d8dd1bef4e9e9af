//! Calls of functions and aggregates.

use super::super::operators::{self, Callee};
use super::super::symbols::unknown;
use super::super::types::Type;
use super::{Aggregates, Compiler, Typed, typed};
use crate::expression::{Aggregate, Expr, Function};
use crate::language::ast::{Expression, Ident};
use crate::language::diagnostics::{Problem, Span, Thing};
use crate::value::{Name, Value};

impl Compiler<'_> {
    pub(super) fn call(&mut self, name: &Ident, arguments: &[Expression], span: Span) -> Typed {
        match operators::function(&name.text) {
            Some(Callee::Function(function)) => self.function(function, name, arguments),
            Some(Callee::Aggregate(kind)) => match arguments {
                [argument] => self.aggregate(kind, Some(argument), span),
                _ => self.argument_count(name, 1, arguments.len()),
            },
            None => {
                let handlers = self.symbols.services.iter().flat_map(|service| &service.handlers);
                if handlers.into_iter().any(|handler| handler.name == name.text) {
                    return self.report(name.span, Problem::HandlerInExpression(name.text.clone()));
                }
                let known = operators::FUNCTIONS
                    .iter()
                    .map(|(known, _)| Name::from(*known))
                    .collect();
                self.fail(unknown(Thing::Function, name, known))
            }
        }
    }

    pub fn argument_count(&mut self, name: &Ident, wanted: usize, found: usize) -> Typed {
        let problem = Problem::ArgumentCount {
            name: name.text.clone(),
            wanted,
            found,
        };
        self.report(name.span, problem)
    }

    pub(super) fn function(&mut self, function: Function, name: &Ident, arguments: &[Expression]) -> Typed {
        let wanted = match function {
            Function::Now => 0,
            Function::SplitPart => 3,
            Function::Coalesce => arguments.len().max(1),
            Function::Length | Function::Fresh => 1,
        };
        if arguments.len() != wanted {
            return self.argument_count(name, wanted, arguments.len());
        }
        let (exprs, kind) = match (function, arguments) {
            (Function::SplitPart, [text, delimiter, n]) => {
                let text = self.wanted(text, &Type::Text);
                let delimiter = self.wanted(delimiter, &Type::Text);
                (vec![text, delimiter, self.wanted(n, &Type::Int)], Type::Text)
            }
            (Function::Fresh, _) if self.sql.is_some() => return self.report(name.span, Problem::FreshInSql),
            (Function::Fresh, [prefix]) => (vec![self.wanted(prefix, &Type::Text)], Type::Text),
            (Function::Length, [of]) => (vec![self.measured(of)], Type::Int),
            (Function::Coalesce, _) => self.coalesce(arguments),
            _ => (Vec::new(), Type::Time),
        };
        typed(Expr::Call(function, exprs), kind)
    }

    /// What has a length: a text or a list.
    pub(super) fn measured(&mut self, expression: &Expression) -> Expr {
        let value = self.any(expression);
        if !matches!(value.kind, Type::Text | Type::List(_) | Type::Any | Type::Nothing) {
            let problem = Problem::WrongType {
                wanted: "text",
                found: value.kind.name(),
            };
            self.report(expression.span, problem);
        }
        value.expr
    }

    pub(super) fn coalesce(&mut self, arguments: &[Expression]) -> (Vec<Expr>, Type) {
        let mut values: Vec<Typed> = arguments.iter().map(|argument| self.any(argument)).collect();
        let is_literal = |value: &&Typed| matches!(value.expr, Expr::Literal(Value::Text(_)));
        let firm = values.iter().filter(|value| !is_literal(value));
        let firm = firm.fold(Type::Nothing, |known, value| known.join(&value.kind));
        for (value, place) in values.iter_mut().zip(arguments) {
            self.adapt(value, &firm, place.span);
            if !value.kind.fits(&firm) {
                let problem = Problem::WrongType {
                    wanted: firm.name(),
                    found: value.kind.name(),
                };
                self.report(place.span, problem);
            }
        }
        let kind = values
            .iter()
            .fold(Type::Nothing, |known, value| known.join(&value.kind));
        (values.into_iter().map(|value| value.expr).collect(), kind)
    }

    pub(super) fn aggregate(&mut self, kind: Aggregate, argument: Option<&Expression>, span: Span) -> Typed {
        let state = self.sql.as_ref().map(|sql| sql.aggregates);
        if state != Some(Aggregates::Allowed) {
            return self.report(span, Problem::AggregateHere);
        }
        self.set_aggregates(Aggregates::Inside);
        let argument = argument.map(|argument| (self.any(argument), argument.span));
        self.set_aggregates(Aggregates::Allowed);
        self.aggregated = true;
        let result = match (kind, &argument) {
            (Aggregate::Count, _) | (_, None) => Type::Int,
            (_, Some((value, _))) => value.kind.clone(),
        };
        if let (Aggregate::Sum, Some((value, place))) = (kind, &argument)
            && !matches!(value.kind, Type::Int | Type::Interval | Type::Any | Type::Nothing)
        {
            let problem = Problem::WrongType {
                wanted: "int",
                found: value.kind.name(),
            };
            return self.report(*place, problem);
        }
        typed(
            Expr::Aggregate(kind, argument.map(|(value, _)| Box::new(value.expr))),
            result,
        )
    }

    pub fn set_aggregates(&mut self, state: Aggregates) {
        if let Some(sql) = &mut self.sql {
            sql.aggregates = state;
        }
    }
}
