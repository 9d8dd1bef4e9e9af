//! The SQL subset as data: schemas and statements with every name resolved.
//!
//! Written by `language`, executed by `database`. PostgreSQL 15 accepts the text these came from as it stands.
//! Refuses to know: how a statement is executed, and which service sends it.

use crate::expression::{Expr, SqlType};
use crate::value::{Name, Value};
use std::rc::Rc;

/// A table, or an outside party's record of effects.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSchema {
    pub name: Name,
    /// The columns' names, shared by all rows of the table.
    pub names: Rc<[Name]>,
    pub columns: Vec<Column>,
    /// Unique constraints in text sequence, the primary key among them.
    pub uniques: Vec<Unique>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: Name,
    pub kind: SqlType,
    pub not_null: bool,
    pub default: Default,
}

/// What a column gets when an insert does not name it.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    Null,
    Expr(Expr),
    /// `serial`, `bigserial`: the next value of the column's own sequence, from 1, never given back.
    Serial,
}

/// A unique index. PostgreSQL's name for it is shown in messages (`orders_pkey`, `inbox_consumer_message_id_key`).
#[derive(Clone, Debug, PartialEq)]
pub struct Unique {
    pub name: Name,
    pub columns: Vec<u16>,
    pub primary: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseSchema {
    pub name: Name,
    pub tables: Vec<TableSchema>,
    /// Rows that are there before time 0, in text sequence: table and full row with defaults applied at load.
    pub initial: Vec<Insert>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Begin(Isolation),
    Commit,
    Rollback,
    Savepoint(Name),
    RollbackTo(Name),
    /// The first half of a two-phase commit: its identifier, a text or a parameter.
    PrepareTransaction(Expr),
    CommitPrepared(Expr),
    RollbackPrepared(Expr),
    Select(Rc<Select>),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// Index into the database's tables.
    pub table: u16,
    pub items: Items,
    pub filter: Option<Expr>,
    pub order_by: Vec<OrderBy>,
    pub limit: Option<Expr>,
    pub lock: Option<LockWait>,
}

/// Select items or a returning clause: expressions and the names their values get.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    pub names: Rc<[Name]>,
    pub exprs: Vec<Expr>,
    /// True if any item aggregates: then there is exactly one result row.
    pub aggregates: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OrderBy {
    pub expr: Expr,
    pub descending: bool,
}

/// What `for update` does about a row that another transaction has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWait {
    Wait,
    NoWait,
    SkipLocked,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub table: u16,
    /// The named columns; the others get their default.
    pub columns: Vec<u16>,
    pub rows: Vec<Vec<Expr>>,
    pub on_conflict: Option<OnConflict>,
    pub returning: Option<Items>,
}

/// `on conflict [(columns)] do nothing`.
#[derive(Clone, Debug, PartialEq)]
pub struct OnConflict {
    /// Index into the table's uniques; none: any of them.
    pub unique: Option<u16>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub table: u16,
    pub set: Vec<(u16, Expr)>,
    pub filter: Option<Expr>,
    pub returning: Option<Items>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    pub table: u16,
    pub filter: Option<Expr>,
    pub returning: Option<Items>,
}

impl Select {
    /// Every expression of it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let order_by = self.order_by.iter().map(|by| &by.expr);
        let items = self.items.exprs.iter();
        items.chain(&self.filter).chain(order_by).chain(&self.limit)
    }
}

impl Statement {
    /// Every expression of the statement.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Statement::Select(select) => select.exprs().collect(),
            Statement::Insert(insert) => {
                let values = insert.rows.iter().flatten();
                values.chain(items(&insert.returning)).collect()
            }
            Statement::Update(update) => {
                let new = update.set.iter().map(|(_, expr)| expr);
                update
                    .filter
                    .iter()
                    .chain(new)
                    .chain(items(&update.returning))
                    .collect()
            }
            Statement::Delete(delete) => delete.filter.iter().chain(items(&delete.returning)).collect(),
            Statement::PrepareTransaction(identifier)
            | Statement::CommitPrepared(identifier)
            | Statement::RollbackPrepared(identifier) => vec![identifier],
            Statement::Begin(_)
            | Statement::Commit
            | Statement::Rollback
            | Statement::Savepoint(_)
            | Statement::RollbackTo(_) => Vec::new(),
        }
    }

    /// True for statements that change rows (insert, update, delete).
    pub fn writes(&self) -> bool {
        matches!(self, Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_))
    }
}

impl TableSchema {
    /// The position of a column by name.
    pub fn column(&self, name: &str) -> Option<u16> {
        let position = self.names.iter().position(|n| &**n == name)?;
        u16::try_from(position).ok()
    }
}

fn items(items: &Option<Items>) -> impl Iterator<Item = &Expr> {
    items.iter().flat_map(|items| &items.exprs)
}

/// A bound parameter list: the values of a statement's `:variables`, taken when it was sent.
pub type Parameters = Rc<[Value]>;
