//! Names in expressions: variables, columns, the rows of a promise.

use super::super::symbols::unknown;
use super::super::types::{Shape, Type};
use super::super::variables::Variables;
use super::{Aggregates, Compiler, Names, Rows, Typed, typed, unknown_in_sql};
use crate::expression::{Expr, Slot};
use crate::language::ast::Ident;
use crate::language::diagnostics::{Problem, Span, Thing};
use crate::program::{CAUSE, EFFECT, OWN, Place};
use crate::value::{Name, Value};

impl Compiler<'_> {
    pub(super) fn name(&mut self, path: &[Ident], span: Span) -> Typed {
        if self.sql.is_some() {
            return self.column(path, span);
        }
        match self.names {
            Names::Constant => match path.first() {
                Some(first) => self.report(span, Problem::NoVariableHere(first.text.clone())),
                None => typed(Expr::Literal(Value::Null), Type::Any),
            },
            Names::Program(variables) => self.program_name(variables, path),
            Names::Promise(rows) => self.promise_name(rows, path, span),
        }
    }

    /// `:a.b`.
    pub(super) fn variable(&mut self, path: &[Ident], span: Span) -> Typed {
        let Some(first) = path.first() else {
            return typed(Expr::Literal(Value::Null), Type::Any); // a path is never empty
        };
        if self.sql.is_none() {
            return self.report(span, Problem::Colon(first.text.clone()));
        }
        let Names::Program(variables) = self.names else {
            return self.report(span, Problem::NoVariableHere(first.text.clone()));
        };
        let value = self.program_name(variables, path);
        self.parameter(value)
    }

    pub(super) fn parameter(&mut self, value: Typed) -> Typed {
        let known = self.parameters.iter().position(|(expr, _)| *expr == value.expr);
        let index = known.unwrap_or_else(|| {
            self.parameters.push((value.expr, value.kind.clone()));
            self.parameters.len() - 1
        });
        typed(Expr::Parameter(Slot::try_from(index).unwrap_or(Slot::MAX)), value.kind)
    }

    pub(super) fn me(&mut self, colon: bool, span: Span) -> Typed {
        let me = typed(Expr::Me, Type::Text);
        match (self.sql.is_some(), colon) {
            (true, true) => match self.names {
                Names::Program(_) => self.parameter(me),
                _ => self.report(span, Problem::NoVariableHere(Name::from("self"))),
            },
            (true, false) => self.report(span, Problem::NoColon(Name::from("self"))),
            (false, true) => self.report(span, Problem::Colon(Name::from("self"))),
            (false, false) => me,
        }
    }

    pub(super) fn program_name(&mut self, variables: &Variables, path: &[Ident]) -> Typed {
        let Some((first, fields)) = path.split_first() else {
            return typed(Expr::Literal(Value::Null), Type::Any); // a path is never empty
        };
        let Some((place, kind)) = variables.find(&first.text) else {
            return self.fail(unknown(Thing::Variable, first, variables.known()));
        };
        let expr = match place {
            Place::Local(slot) => Expr::Local(slot),
            Place::Memory(slot) => Expr::Memory(slot),
        };
        let start = typed(expr, kind.clone());
        self.fields(start, first, fields)
    }

    /// `.b.c` behind a value.
    pub(super) fn fields(&mut self, start: Typed, owner: &Ident, fields: &[Ident]) -> Typed {
        let mut value = start;
        let mut owner = owner;
        for field in fields {
            let row = match &value.kind {
                Type::List(items) => (**items).clone(),
                other => other.clone(),
            };
            let kind = match row {
                Type::Nothing | Type::Any => Type::Any,
                Type::Row(shape) => match shape.iter().find(|(name, _)| *name == field.text) {
                    Some((_, kind)) => kind.clone(),
                    None => {
                        let known = shape.iter().map(|(name, _)| name.clone()).collect();
                        return self.fail(unknown(Thing::Field, field, known));
                    }
                },
                other => {
                    let problem = Problem::NoFields {
                        name: owner.text.clone(),
                        found: other.name(),
                    };
                    return self.report(owner.span, problem);
                }
            };
            value = typed(Expr::Field(Box::new(value.expr), field.text.clone()), kind);
            owner = field;
        }
        value
    }

    pub(super) fn promise_name(&mut self, rows: Rows<'_>, path: &[Ident], span: Span) -> Typed {
        let Some((first, fields)) = path.split_first() else {
            return typed(Expr::Literal(Value::Null), Type::Any); // a path is never empty
        };
        let row = |slot: Slot, shape: &Shape| typed(Expr::Local(slot), Type::Row(shape.clone()));
        let named = [("effect", EFFECT, rows.effect), ("cause", CAUSE, rows.cause)];
        if !fields.is_empty() {
            for (name, slot, shape) in named {
                if let (true, Some(shape)) = (&*first.text == name, shape) {
                    return self.fields(row(slot, shape), first, fields);
                }
            }
        }
        match rows.own {
            Some(shape) => self.fields(row(OWN, shape), first, path),
            None if rows.effect.is_some() || rows.cause.is_some() => {
                self.report(span, Problem::NoRow(first.text.clone()))
            }
            None => self.report(span, Problem::NoVariableHere(first.text.clone())),
        }
    }

    /// A column of the select at hand, or of one around it.
    pub(super) fn column(&mut self, path: &[Ident], span: Span) -> Typed {
        let (table, name) = match path {
            [name] => (None, name),
            [table, name] => (Some(table), name),
            _ => return self.report(span, unknown_in_sql("a.b.c")),
        };
        let Some(sql) = self.sql.clone() else {
            return typed(Expr::Literal(Value::Null), Type::Any); // called inside SQL only
        };
        let mut known = Vec::new();
        let mut table_known = table.is_none();
        for (depth, index) in sql.tables.iter().rev().enumerate() {
            let Some(schema) = self.symbols.table_schema(sql.database, *index) else {
                continue;
            };
            if table.is_some_and(|table| table.text != schema.name) {
                continue;
            }
            table_known = true;
            if let Some(column) = schema.column(&name.text) {
                let kind = schema
                    .columns
                    .get(usize::from(column))
                    .map_or(Type::Any, |c| c.kind.into());
                let depth = u8::try_from(depth).unwrap_or(u8::MAX); // bounded by the nesting of expressions
                if depth == 0 && sql.aggregates == Aggregates::Allowed {
                    self.bare.push(name.clone());
                }
                return typed(Expr::Column { depth, column }, kind);
            }
            known.extend(schema.names.iter().cloned());
        }
        match table.filter(|_| !table_known) {
            Some(table) => {
                let tables = sql
                    .tables
                    .iter()
                    .filter_map(|index| self.symbols.table_schema(sql.database, *index));
                let tables = tables.map(|schema| schema.name.clone()).collect();
                if self.is_variable(&table.text) {
                    return self.report(span, Problem::NoColon(table.text.clone()));
                }
                self.fail(unknown(Thing::Table, table, tables))
            }
            None if self.is_variable(&name.text) => self.report(span, Problem::NoColon(name.text.clone())),
            None => self.fail(unknown(Thing::Column, name, known)),
        }
    }

    pub(super) fn is_variable(&self, name: &str) -> bool {
        matches!(self.names, Names::Program(variables) if variables.find(name).is_some())
    }
}
