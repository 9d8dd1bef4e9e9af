//! Expressions: names resolved by where the expression stands, types checked where they are known.

use super::operators::{self, Callee};
use super::symbols::{Symbols, table_shape, unknown};
use super::types::{self, Shape, Type};
use super::variables::Variables;
use crate::expression::{Aggregate, Expr, Function, Operator, Slot, SqlType};
use crate::language::ast::{Expression, Ident, Node};
use crate::language::diagnostics::{Diagnostic, Problem, Span, Thing};
use crate::program::{CAUSE, EFFECT, OWN, Place};
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

    // --- Names ------------------------------------------------------------------------------------------------

    fn name(&mut self, path: &[Ident], span: Span) -> Typed {
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
    fn variable(&mut self, path: &[Ident], span: Span) -> Typed {
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

    fn parameter(&mut self, value: Typed) -> Typed {
        let known = self.parameters.iter().position(|(expr, _)| *expr == value.expr);
        let index = known.unwrap_or_else(|| {
            self.parameters.push((value.expr, value.kind.clone()));
            self.parameters.len() - 1
        });
        typed(Expr::Parameter(Slot::try_from(index).unwrap_or(Slot::MAX)), value.kind)
    }

    fn me(&mut self, colon: bool, span: Span) -> Typed {
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

    fn program_name(&mut self, variables: &Variables, path: &[Ident]) -> Typed {
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
    fn fields(&mut self, start: Typed, owner: &Ident, fields: &[Ident]) -> Typed {
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

    fn promise_name(&mut self, rows: Rows<'_>, path: &[Ident], span: Span) -> Typed {
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
    fn column(&mut self, path: &[Ident], span: Span) -> Typed {
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

    fn is_variable(&self, name: &str) -> bool {
        matches!(self.names, Names::Program(variables) if variables.find(name).is_some())
    }

    // --- Operators --------------------------------------------------------------------------------------------

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

    fn negation(&mut self, operand: &Expression) -> Typed {
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

    fn binary(&mut self, operator: Operator, left: &Expression, right: &Expression, span: Span) -> Typed {
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
                operator: operators::symbol(operator),
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

    fn in_list(&mut self, item: &Expression, list: &[Expression], span: Span) -> Typed {
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
    fn in_value(&mut self, item: &Expression, list: &Expression) -> Typed {
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

    fn cast(&mut self, operand: &Expression, kind: SqlType, span: Span) -> Typed {
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

    // --- Functions --------------------------------------------------------------------------------------------

    fn call(&mut self, name: &Ident, arguments: &[Expression], span: Span) -> Typed {
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

    fn function(&mut self, function: Function, name: &Ident, arguments: &[Expression]) -> Typed {
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
    fn measured(&mut self, expression: &Expression) -> Expr {
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

    fn coalesce(&mut self, arguments: &[Expression]) -> (Vec<Expr>, Type) {
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

    fn aggregate(&mut self, kind: Aggregate, argument: Option<&Expression>, span: Span) -> Typed {
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
