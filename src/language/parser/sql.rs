//! SQL statements, as PostgreSQL reads them.

use super::expression::{arguments, expression, text_or_variable};
use crate::language::ast::{Delete, Ident, Insert, Item, Qualified, Select, Sql, Update};
use crate::language::cursor::{Cursor, Parsed};
use crate::language::diagnostics::Notion;
use crate::sql::{Isolation, LockWait};

/// One statement; `None` if none starts here.
pub fn statement(cursor: &mut Cursor<'_>) -> Parsed<Option<Sql>> {
    let sql = if cursor.eat("begin") {
        let database = on(cursor)?;
        Sql::Begin(database, isolation(cursor)?)
    } else if cursor.eat("prepare transaction") {
        Sql::PrepareTransaction(text_or_variable(cursor)?, on(cursor)?)
    } else if cursor.eat("commit prepared") {
        Sql::CommitPrepared(text_or_variable(cursor)?, on(cursor)?)
    } else if cursor.eat("rollback prepared") {
        Sql::RollbackPrepared(text_or_variable(cursor)?, on(cursor)?)
    } else if cursor.eat("commit") {
        Sql::Commit(on(cursor)?)
    } else if cursor.eat("rollback to") {
        cursor.eat("savepoint");
        Sql::RollbackTo(cursor.name()?, on(cursor)?)
    } else if cursor.eat("rollback") {
        Sql::Rollback(on(cursor)?)
    } else if cursor.eat("savepoint") {
        Sql::Savepoint(cursor.name()?, on(cursor)?)
    } else if cursor.eat("insert into") {
        Sql::Insert(insert(cursor)?)
    } else if cursor.eat("update") {
        Sql::Update(update(cursor)?)
    } else if cursor.eat("delete from") {
        Sql::Delete(delete(cursor)?)
    } else if cursor.at_word("select") {
        Sql::Select(select(cursor)?)
    } else {
        cursor.eat("select"); // so that a failure names it
        return Ok(None);
    };
    Ok(Some(sql))
}

/// `[on NAME]`.
fn on(cursor: &mut Cursor<'_>) -> Parsed<Option<Ident>> {
    if cursor.eat("on") {
        cursor.name().map(Some)
    } else {
        Ok(None)
    }
}

fn isolation(cursor: &mut Cursor<'_>) -> Parsed<Isolation> {
    if !cursor.eat("isolation level") {
        return Ok(Isolation::ReadCommitted);
    }
    if cursor.eat("read committed") {
        Ok(Isolation::ReadCommitted)
    } else if cursor.eat("repeatable read") {
        Ok(Isolation::RepeatableRead)
    } else if cursor.eat("serializable") {
        Ok(Isolation::Serializable)
    } else {
        Err(cursor.failure())
    }
}

/// `orders` or `shop.orders`.
pub fn qualified(cursor: &mut Cursor<'_>) -> Parsed<Qualified> {
    let first = cursor.name()?;
    if cursor.symbol(".") {
        let name = cursor.field()?;
        return Ok(Qualified {
            owner: Some(first),
            name,
        });
    }
    Ok(Qualified {
        owner: None,
        name: first,
    })
}

/// `select …`, as a statement or in parentheses.
pub fn select(cursor: &mut Cursor<'_>) -> Parsed<Select> {
    let start = cursor.span();
    cursor.require("select")?;
    let items = items(cursor)?;
    cursor.require("from")?;
    let table = qualified(cursor)?;
    let filter = filter(cursor)?;
    let order_by = order_by(cursor)?;
    let limit = if cursor.eat("limit") {
        Some(expression(cursor)?)
    } else {
        None
    };
    Ok(Select {
        span: start,
        table,
        items,
        filter,
        order_by,
        limit,
        lock: lock(cursor),
    })
}

fn items(cursor: &mut Cursor<'_>) -> Parsed<Vec<Item>> {
    let mut items = vec![item(cursor)?];
    while cursor.symbol(",") {
        items.push(item(cursor)?);
    }
    Ok(items)
}

fn item(cursor: &mut Cursor<'_>) -> Parsed<Item> {
    if cursor.symbol("*") {
        return Ok(Item::All);
    }
    let value = expression(cursor)?;
    let alias = if cursor.eat("as") { Some(cursor.name()?) } else { None };
    Ok(Item::Expression(value, alias))
}

fn filter(cursor: &mut Cursor<'_>) -> Parsed<Option<crate::language::ast::Expression>> {
    if cursor.eat("where") {
        expression(cursor).map(Some)
    } else {
        Ok(None)
    }
}

fn order_by(cursor: &mut Cursor<'_>) -> Parsed<Vec<(crate::language::ast::Expression, bool)>> {
    let mut keys = Vec::new();
    if cursor.eat("order by") {
        loop {
            let key = expression(cursor)?;
            let descending = cursor.eat("desc");
            if !descending {
                cursor.eat("asc");
            }
            keys.push((key, descending));
            if !cursor.symbol(",") {
                break;
            }
        }
    }
    Ok(keys)
}

fn lock(cursor: &mut Cursor<'_>) -> Option<LockWait> {
    if !cursor.eat("for update") {
        return None;
    }
    Some(if cursor.eat("nowait") {
        LockWait::NoWait
    } else if cursor.eat("skip locked") {
        LockWait::SkipLocked
    } else {
        LockWait::Wait
    })
}

/// Names in parentheses, behind the opened one.
pub fn columns(cursor: &mut Cursor<'_>) -> Parsed<Vec<Ident>> {
    let mut columns = vec![cursor.name_as(Notion::Column)?];
    while cursor.symbol(",") {
        columns.push(cursor.name_as(Notion::Column)?);
    }
    cursor.require_symbol(")")?;
    Ok(columns)
}

/// Behind `insert into`.
pub fn insert(cursor: &mut Cursor<'_>) -> Parsed<Insert> {
    let table = qualified(cursor)?;
    cursor.require_symbol("(")?;
    let columns = columns(cursor)?;
    cursor.require("values")?;
    let mut rows = Vec::new();
    loop {
        let start = cursor.span();
        cursor.require_symbol("(")?;
        let values = arguments(cursor)?;
        rows.push((start.to(cursor.last_span()), values));
        if !cursor.symbol(",") {
            break;
        }
    }
    let on_conflict = on_conflict(cursor)?;
    Ok(Insert {
        table,
        columns,
        rows,
        on_conflict,
        returning: returning(cursor)?,
    })
}

fn on_conflict(cursor: &mut Cursor<'_>) -> Parsed<Option<(crate::language::diagnostics::Span, Vec<Ident>)>> {
    let start = cursor.span();
    if !cursor.eat("on conflict") {
        return Ok(None);
    }
    let columns = if cursor.symbol("(") {
        columns(cursor)?
    } else {
        Vec::new()
    };
    cursor.require("do nothing")?;
    Ok(Some((start, columns)))
}

fn returning(cursor: &mut Cursor<'_>) -> Parsed<Option<(crate::language::diagnostics::Span, Vec<Item>)>> {
    let start = cursor.span();
    if cursor.eat("returning") {
        Ok(Some((start, items(cursor)?)))
    } else {
        Ok(None)
    }
}

/// Behind `update`.
fn update(cursor: &mut Cursor<'_>) -> Parsed<Update> {
    let table = qualified(cursor)?;
    cursor.require("set")?;
    let mut set = Vec::new();
    loop {
        let column = cursor.name_as(Notion::Column)?;
        cursor.require_symbol("=")?;
        set.push((column, expression(cursor)?));
        if !cursor.symbol(",") {
            break;
        }
    }
    let filter = filter(cursor)?;
    Ok(Update {
        table,
        set,
        filter,
        returning: returning(cursor)?,
    })
}

/// Behind `delete from`.
fn delete(cursor: &mut Cursor<'_>) -> Parsed<Delete> {
    let table = qualified(cursor)?;
    let filter = filter(cursor)?;
    Ok(Delete {
        table,
        filter,
        returning: returning(cursor)?,
    })
}
