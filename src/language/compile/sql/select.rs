//! Selects, as statements and within expressions.

use super::super::expression::{Aggregates, Compiler, Names, Typed, typed};
use super::super::operators::{self, Callee};
use super::super::symbols::number;
use super::super::types::{Shape, Type};
use crate::expression::{Aggregate, Expr, Operator};
use crate::language::ast::{self, Expression, Item, Node};
use crate::language::diagnostics::{Problem, Span};
use crate::sql::{Items, OrderBy, Select};
use crate::value::Name;
use std::rc::Rc;

impl Compiler<'_> {
    /// A select on a table of this database, and the shape of its rows.
    pub fn select(&mut self, database: u16, select: &ast::Select) -> Option<(Select, Shape)> {
        let table = match self.symbols.table(&[database], &select.table, None) {
            Ok((_, table)) => table,
            Err(problem) => {
                self.diagnostics.push(problem);
                return None;
            }
        };
        let before = self.enter(database, table);
        let (items, shape) = self.items(database, table, &select.items);
        let filter = select.filter.as_ref().map(|filter| self.condition(filter));
        let order_by = select.order_by.iter().map(|(key, descending)| OrderBy {
            expr: self.order_key(key, &select.items),
            descending: *descending,
        });
        let order_by = order_by.collect();
        let limit = select.limit.as_ref().map(|limit| self.wanted(limit, &Type::Int));
        self.sql = before;
        if items.aggregates && select.lock.is_some() {
            self.report(select.span, Problem::LockedAggregate);
        }
        let select = Select {
            table,
            items,
            filter,
            order_by,
            limit,
            lock: select.lock,
        };
        Some((select, shape))
    }

    /// A key of `order by`: the name of an item comes before a column's.
    pub(super) fn order_key(&mut self, key: &Expression, items: &[Item]) -> Expr {
        if let Node::Name(path) = &*key.node
            && let [name] = path.as_slice()
        {
            for item in items {
                if let Item::Expression(value, Some(alias)) = item
                    && alias.text == name.text
                {
                    return self.any(value).expr;
                }
            }
        }
        self.any(key).expr
    }

    /// Select items or a returning clause, with the tables entered.
    pub(super) fn items(&mut self, database: u16, table: u16, items: &[Item]) -> (Items, Shape) {
        let (aggregated, bare) = (std::mem::take(&mut self.aggregated), std::mem::take(&mut self.bare));
        self.set_aggregates(Aggregates::Allowed);
        let mut names = Vec::new();
        let mut values = Vec::new();
        for item in items {
            match item {
                Item::All => self.all_columns(database, table, &mut names, &mut values),
                Item::Expression(value, alias) => {
                    names.push(
                        alias
                            .as_ref()
                            .map_or_else(|| item_name(value), |alias| alias.text.clone()),
                    );
                    values.push(self.any(value));
                }
            }
        }
        self.set_aggregates(Aggregates::Refused);
        let aggregates = std::mem::replace(&mut self.aggregated, aggregated);
        let found = std::mem::replace(&mut self.bare, bare);
        if let Some(column) = found.first().filter(|_| aggregates) {
            self.report(column.span, Problem::Ungrouped(column.text.clone()));
        }
        let shape = names
            .iter()
            .cloned()
            .zip(values.iter().map(|value| value.kind.clone()))
            .collect();
        let items = Items {
            names: names.into(),
            exprs: values.into_iter().map(|value| value.expr).collect(),
            aggregates,
        };
        (items, shape)
    }

    pub(super) fn all_columns(&mut self, database: u16, table: u16, names: &mut Vec<Name>, values: &mut Vec<Typed>) {
        let columns = self.schema(database, table).map_or(&[][..], |schema| &schema.columns);
        for (index, column) in columns.iter().enumerate() {
            let expr = Expr::Column {
                depth: 0,
                column: number(index),
            };
            names.push(column.name.clone());
            values.push(typed(expr, column.kind.into()));
        }
    }

    /// What a statement gives: its returned rows, or a count.
    pub(super) fn returning(
        &mut self,
        database: u16,
        table: u16,
        returning: Option<&(Span, Vec<Item>)>,
    ) -> (Option<Items>, Type) {
        let Some((span, items)) = returning else {
            return (None, Type::Int);
        };
        let (items, shape) = self.items(database, table, items);
        if items.aggregates {
            self.report(*span, Problem::AggregateHere);
        }
        (Some(items), Type::list(Type::Row(shape)))
    }

    /// A select within an expression; only SQL can hold one.
    pub(super) fn sub_select(&mut self, select: &ast::Select, span: Span) -> Option<(Rc<Select>, Shape)> {
        let Some(sql) = &self.sql else {
            let problem = match self.names {
                Names::Program(_) => Problem::SelectInProgram,
                _ => Problem::SelectHere,
            };
            self.report(span, problem);
            return None;
        };
        let database = sql.database;
        if matches!(self.names, Names::Constant) {
            self.report(span, Problem::SelectHere);
            return None;
        }
        let (select, shape) = self.select(database, select)?;
        Some((Rc::new(select), shape))
    }

    /// The type of the only column.
    pub(super) fn one_column(&mut self, shape: &Shape, span: Span) -> Type {
        match &**shape {
            [(_, kind)] => kind.clone(),
            several => {
                let count = several.len();
                self.report(span, Problem::OneColumn(count)).kind
            }
        }
    }

    pub(in crate::language::compile) fn in_select(
        &mut self,
        item: &Expression,
        select: &ast::Select,
        span: Span,
    ) -> Typed {
        let mut value = self.any(item);
        let Some((select, shape)) = self.sub_select(select, span) else {
            return typed(Expr::Literal(crate::value::Value::Null), Type::Any);
        };
        let kind = self.one_column(&shape, span);
        self.adapt(&mut value, &kind, item.span);
        if operators::result(Operator::Equal, &value.kind, &kind).is_none() {
            let problem = Problem::Operator {
                operator: "=",
                left: value.kind.name(),
                right: Some(kind.name()),
            };
            return self.report(span, problem);
        }
        typed(Expr::InSelect(Box::new(value.expr), select), Type::Bool)
    }

    pub(in crate::language::compile) fn exists(&mut self, select: &ast::Select, span: Span) -> Typed {
        match self.sub_select(select, span) {
            Some((select, _)) => typed(Expr::Exists(select), Type::Bool),
            None => typed(Expr::Literal(crate::value::Value::Null), Type::Any),
        }
    }

    pub(in crate::language::compile) fn scalar(&mut self, select: &ast::Select, span: Span) -> Typed {
        match self.sub_select(select, span) {
            Some((select, shape)) => {
                let kind = self.one_column(&shape, span);
                typed(Expr::Scalar(select), kind)
            }
            None => typed(Expr::Literal(crate::value::Value::Null), Type::Any),
        }
    }
}

/// The name that PostgreSQL gives a select item.
pub(super) fn item_name(item: &Expression) -> Name {
    match &*item.node {
        Node::Name(path) => path.last().map_or_else(unnamed, |last| last.text.clone()),
        Node::Cast(inner, _) => item_name(inner),
        Node::CountAll => Name::from("count"),
        Node::Call(name, _) => match operators::function(&name.text) {
            Some(Callee::Aggregate(Aggregate::Count)) => Name::from("count"),
            _ => Name::from(name.text.to_ascii_lowercase()),
        },
        Node::Exists(_) => Name::from("exists"),
        Node::Scalar(select) => match select.items.first() {
            Some(Item::Expression(_, Some(alias))) => alias.text.clone(),
            Some(Item::Expression(value, None)) => item_name(value),
            _ => unnamed(),
        },
        _ => unnamed(),
    }
}

pub(super) fn unnamed() -> Name {
    Name::from("?column?")
}
