//! SQL statements: tables and columns resolved, values checked against columns.

use super::expression::{Aggregates, Compiler, InSql, Names, Typed, typed};
use super::operators::{self, Callee};
use super::symbols::{Symbols, check_twice, number, unknown};
use super::types::{Shape, Type};
use crate::expression::{Aggregate, Expr, Operator};
use crate::language::ast::{self, Expression, Ident, Item, Node, Sql};
use crate::language::diagnostics::{Diagnostic, Problem, Span, Thing};
use crate::sql::{Delete, Insert, Items, OnConflict, OrderBy, Select, Statement, TableSchema, Update};
use crate::value::Name;
use std::rc::Rc;

/// A compiled statement.
pub struct Compiled {
    pub database: u16,
    pub statement: Statement,
    /// What it gives: a list of rows, or a count.
    pub kind: Type,
    /// The step's name.
    pub step: String,
}

/// Rows that are there before time 0.
pub fn initial(
    database: u16,
    inserts: &[ast::Insert],
    symbols: &Symbols,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Insert> {
    let mut initial = Vec::new();
    for insert in inserts {
        if let Some((span, _)) = &insert.returning {
            diagnostics.push(Diagnostic::new(*span, Problem::NoReturningHere));
        }
        let mut compiler = Compiler::new(symbols, Names::Constant, diagnostics);
        match symbols.table(&[database], &insert.table, None) {
            Ok((database, table)) => initial.extend(compiler.insert(database, table, insert).map(|(insert, _)| insert)),
            Err(problem) => diagnostics.push(problem),
        }
    }
    initial
}

impl Compiler<'_> {
    /// A statement of a service that is on `databases`. None if it is wrong (reported).
    pub fn sql(&mut self, sql: &Sql, databases: &[u16], service: &Name, span: Span) -> Option<Compiled> {
        let (database, statement, kind, step) = match sql {
            Sql::Begin(on, level) => (on, Statement::Begin(*level), Type::Nothing, "begin"),
            Sql::Commit(on) => (on, Statement::Commit, Type::Nothing, "commit"),
            Sql::Rollback(on) => (on, Statement::Rollback, Type::Nothing, "rollback"),
            Sql::Savepoint(name, on) => (on, Statement::Savepoint(name.text.clone()), Type::Nothing, "savepoint"),
            Sql::RollbackTo(name, on) => (
                on,
                Statement::RollbackTo(name.text.clone()),
                Type::Nothing,
                "rollback-to",
            ),
            _ => return self.rows(sql, databases, service),
        };
        let database = self.transaction_database(database.as_ref(), databases, service, step, span)?;
        Some(Compiled {
            database,
            statement,
            kind,
            step: step.to_owned(),
        })
    }

    /// The database that `begin`, `commit` and their like speak to.
    fn transaction_database(
        &mut self,
        on: Option<&Ident>,
        databases: &[u16],
        service: &Name,
        word: &str,
        span: Span,
    ) -> Option<u16> {
        let found = match (on, databases) {
            (Some(name), _) => self.symbols.database(name).and_then(|database| {
                let problem = || {
                    let (service, table, database) = (service.clone(), name.text.clone(), name.text.clone());
                    Problem::NotOn {
                        service,
                        table,
                        database,
                    }
                };
                let is_on = databases.contains(&database);
                is_on
                    .then_some(database)
                    .ok_or_else(|| Diagnostic::new(name.span, problem()))
            }),
            (None, [one]) => Ok(*one),
            (None, []) => {
                let service = service.clone();
                Err(Diagnostic::new(span, Problem::OnNone { service }))
            }
            (None, several) => {
                let schemas = several
                    .iter()
                    .filter_map(|index| self.symbols.databases.get(usize::from(*index)));
                let choices = schemas.map(|schema| Name::from(format!("{word} on {}", schema.name)));
                let problem = Problem::Ambiguous {
                    thing: Thing::Database,
                    name: Name::from(word),
                    choices: choices.collect(),
                };
                Err(Diagnostic::new(span, problem))
            }
        };
        found.map_err(|problem| self.diagnostics.push(problem)).ok()
    }

    /// Statements on a table.
    fn rows(&mut self, sql: &Sql, databases: &[u16], service: &Name) -> Option<Compiled> {
        let (table, verb) = match sql {
            Sql::Insert(insert) => (&insert.table, "insert"),
            Sql::Update(update) => (&update.table, "update"),
            Sql::Delete(delete) => (&delete.table, "delete"),
            Sql::Select(select) => (&select.table, "select"),
            _ => return None, // handled by the caller
        };
        let (database, index) = match self.symbols.table(databases, table, Some(service)) {
            Ok(found) => found,
            Err(problem) => {
                self.diagnostics.push(problem);
                return None;
            }
        };
        let (statement, kind) = match sql {
            Sql::Insert(insert) => {
                let (insert, kind) = self.insert(database, index, insert)?;
                (Statement::Insert(insert), kind)
            }
            Sql::Update(update) => self.update(database, index, update)?,
            Sql::Delete(delete) => self.delete(database, index, delete)?,
            Sql::Select(select) => {
                let (select, shape) = self.select(database, select)?;
                (Statement::Select(Rc::new(select)), Type::list(Type::Row(shape)))
            }
            _ => return None, // as above
        };
        let step = format!("{verb}-{}", table.name.text);
        Some(Compiled {
            database,
            statement,
            kind,
            step,
        })
    }

    /// Enters a table: its columns have names here. Gives back what was before.
    fn enter(&mut self, database: u16, table: u16) -> Option<InSql> {
        let before = self.sql.take();
        let mut tables = before.as_ref().map_or_else(Vec::new, |sql| sql.tables.clone());
        tables.push(table);
        self.sql = Some(InSql {
            database,
            tables,
            aggregates: Aggregates::Refused,
        });
        before
    }

    fn schema(&self, database: u16, table: u16) -> Option<&TableSchema> {
        self.symbols.table_schema(database, table)
    }

    // --- Select -----------------------------------------------------------------------------------------------

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
    fn order_key(&mut self, key: &Expression, items: &[Item]) -> Expr {
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
    fn items(&mut self, database: u16, table: u16, items: &[Item]) -> (Items, Shape) {
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

    fn all_columns(&mut self, database: u16, table: u16, names: &mut Vec<Name>, values: &mut Vec<Typed>) {
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
    fn returning(&mut self, database: u16, table: u16, returning: Option<&(Span, Vec<Item>)>) -> (Option<Items>, Type) {
        let Some((span, items)) = returning else {
            return (None, Type::Int);
        };
        let (items, shape) = self.items(database, table, items);
        if items.aggregates {
            self.report(*span, Problem::AggregateHere);
        }
        (Some(items), Type::list(Type::Row(shape)))
    }

    // --- Sub-selects ------------------------------------------------------------------------------------------

    /// A select within an expression; only SQL can hold one.
    fn sub_select(&mut self, select: &ast::Select, span: Span) -> Option<(Rc<Select>, Shape)> {
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
    fn one_column(&mut self, shape: &Shape, span: Span) -> Type {
        match &**shape {
            [(_, kind)] => kind.clone(),
            several => {
                let count = several.len();
                self.report(span, Problem::OneColumn(count)).kind
            }
        }
    }

    pub(super) fn in_select(&mut self, item: &Expression, select: &ast::Select, span: Span) -> Typed {
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

    pub(super) fn exists(&mut self, select: &ast::Select, span: Span) -> Typed {
        match self.sub_select(select, span) {
            Some((select, _)) => typed(Expr::Exists(select), Type::Bool),
            None => typed(Expr::Literal(crate::value::Value::Null), Type::Any),
        }
    }

    pub(super) fn scalar(&mut self, select: &ast::Select, span: Span) -> Typed {
        match self.sub_select(select, span) {
            Some((select, shape)) => {
                let kind = self.one_column(&shape, span);
                typed(Expr::Scalar(select), kind)
            }
            None => typed(Expr::Literal(crate::value::Value::Null), Type::Any),
        }
    }

    // --- Changes ----------------------------------------------------------------------------------------------

    fn columns(&mut self, database: u16, table: u16, names: &[&Ident]) -> Vec<Option<u16>> {
        check_twice(Thing::Column, names, self.diagnostics);
        let Some(schema) = self.symbols.table_schema(database, table) else {
            return Vec::new(); // the table was found a moment ago
        };
        let mut columns = Vec::new();
        for name in names {
            let column = schema.column(&name.text);
            if column.is_none() {
                self.diagnostics
                    .push(unknown(Thing::Column, name, schema.names.to_vec()));
            }
            columns.push(column);
        }
        columns
    }

    /// A value for a column, in SQL's scope as it is set.
    fn column_value(&mut self, database: u16, table: u16, column: Option<u16>, value: &Expression) -> Expr {
        let column = column.and_then(|column| self.schema(database, table)?.columns.get(usize::from(column)));
        match column.map(|column| (column.name.clone(), column.kind)) {
            Some((name, kind)) => self.stored(value, &name, kind),
            None => self.any(value).expr,
        }
    }

    pub(super) fn insert(&mut self, database: u16, table: u16, insert: &ast::Insert) -> Option<(Insert, Type)> {
        let idents: Vec<&Ident> = insert.columns.iter().collect();
        let columns = self.columns(database, table, &idents);
        // The values of an insert see no columns.
        let before = self.sql.replace(InSql {
            database,
            ..InSql::default()
        });
        let mut rows = Vec::new();
        for (span, values) in &insert.rows {
            if values.len() != columns.len() {
                let (columns, values) = (columns.len(), values.len());
                self.report(*span, Problem::ValueCount { columns, values });
            }
            let pairs = columns.iter().zip(values);
            rows.push(
                pairs
                    .map(|(column, value)| self.column_value(database, table, *column, value))
                    .collect(),
            );
        }
        self.sql = before;
        let on_conflict = match &insert.on_conflict {
            None => None,
            Some((span, names)) => Some(self.on_conflict(database, table, *span, names)?),
        };
        let before = self.enter(database, table);
        let (returning, kind) = self.returning(database, table, insert.returning.as_ref());
        self.sql = before;
        let columns = columns.into_iter().collect::<Option<Vec<u16>>>()?;
        let insert = Insert {
            table,
            columns,
            rows,
            on_conflict,
            returning,
        };
        Some((insert, kind))
    }

    /// Without columns any unique constraint; else the one on exactly these columns.
    fn on_conflict(&mut self, database: u16, table: u16, span: Span, names: &[Ident]) -> Option<OnConflict> {
        if names.is_empty() {
            return Some(OnConflict { unique: None });
        }
        let columns = self.columns(database, table, &names.iter().collect::<Vec<_>>());
        let mut wanted = columns.into_iter().collect::<Option<Vec<u16>>>()?;
        wanted.sort_unstable();
        let uniques = self.schema(database, table).map_or(&[][..], |schema| &schema.uniques);
        let found = uniques.iter().position(|unique| {
            let mut columns = unique.columns.clone();
            columns.sort_unstable();
            columns == wanted
        });
        if found.is_none() {
            self.report(span, Problem::NoUnique);
        }
        Some(OnConflict {
            unique: found.map(number),
        })
    }

    fn update(&mut self, database: u16, table: u16, update: &ast::Update) -> Option<(Statement, Type)> {
        let idents: Vec<&Ident> = update.set.iter().map(|(name, _)| name).collect();
        let columns = self.columns(database, table, &idents);
        let before = self.enter(database, table);
        let mut set = Vec::new();
        for (column, (_, value)) in columns.iter().zip(&update.set) {
            let value = self.column_value(database, table, *column, value);
            set.extend(column.map(|column| (column, value)));
        }
        let filter = update.filter.as_ref().map(|filter| self.condition(filter));
        let (returning, kind) = self.returning(database, table, update.returning.as_ref());
        self.sql = before;
        let update = Update {
            table,
            set,
            filter,
            returning,
        };
        Some((Statement::Update(update), kind))
    }

    fn delete(&mut self, database: u16, table: u16, delete: &ast::Delete) -> Option<(Statement, Type)> {
        let before = self.enter(database, table);
        let filter = delete.filter.as_ref().map(|filter| self.condition(filter));
        let (returning, kind) = self.returning(database, table, delete.returning.as_ref());
        self.sql = before;
        let delete = Delete {
            table,
            filter,
            returning,
        };
        Some((Statement::Delete(delete), kind))
    }
}

/// The name that PostgreSQL gives a select item.
fn item_name(item: &Expression) -> Name {
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

fn unnamed() -> Name {
    Name::from("?column?")
}
