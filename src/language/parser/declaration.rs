//! The scenario's head and its parties: databases, brokers, outside parties.

use super::{Parser, expression, sql, twice};
use crate::expression::SqlType;
use crate::language::ast::{
    Broker, Column, Database, Exhausted, File, Head, Insert, Outside, Queue, Table, TableUnique, Topic,
};
use crate::language::cursor::{Cursor, Parsed};
use crate::language::diagnostics::Notion;
use crate::language::limits::PARTITIONS_MAX;
use crate::language::lines::Line;
use crate::program::{Dedupe, Stale, Unroutable};
use crate::value::Name;
use std::rc::Rc;

impl Parser {
    /// Behind `scenario`.
    pub(super) fn scenario(&mut self, file: &mut File, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
        if file.scenario.id.is_some() {
            return Err(twice("scenario", cursor));
        }
        let id = cursor.hyphenated(Notion::Id)?;
        cursor.finish()?;
        file.scenario.id = Some(id.text);
        let head = &mut file.scenario;
        for child in &line.children {
            self.check_indentation(child);
            let mut cursor = Cursor::new(child.tokens.clone());
            if child.broken | self.continues(&mut cursor, child) {
                continue;
            }
            let read = head_line(head, &mut cursor).and_then(|()| cursor.finish());
            self.keep(read);
        }
        Ok(())
    }

    /// Behind `database`.
    pub(super) fn database(&mut self, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<Database> {
        let name = cursor.name()?;
        cursor.finish()?;
        enum Entry {
            Table(Table),
            Insert(Insert),
        }
        let entries = self.declarations(&line.children, |cursor| {
            if cursor.eat("table") {
                let name = cursor.name()?;
                table(cursor, name).map(Entry::Table)
            } else if cursor.eat("insert into") {
                sql::insert(cursor).map(Entry::Insert)
            } else {
                Err(cursor.failure())
            }
        });
        let mut database = Database {
            name,
            tables: Vec::new(),
            initial: Vec::new(),
        };
        for entry in entries {
            match entry {
                Entry::Table(table) => database.tables.push(table),
                Entry::Insert(insert) => database.initial.push(insert),
            }
        }
        Ok(database)
    }

    /// Behind `broker`.
    pub(super) fn broker(&mut self, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<Broker> {
        let name = cursor.name()?;
        let profile = match cursor.eat("like") {
            true => Some(cursor.hyphenated(Notion::Name)?),
            false => None,
        };
        cursor.finish()?;
        enum Entry {
            Queue(Queue),
            Topic(Topic),
        }
        let entries = self.declarations(&line.children, |cursor| {
            if cursor.eat("queue") {
                queue(cursor).map(Entry::Queue)
            } else if cursor.eat("topic") {
                topic(cursor).map(Entry::Topic)
            } else {
                Err(cursor.failure())
            }
        });
        let mut broker = Broker {
            name,
            profile,
            queues: Vec::new(),
            topics: Vec::new(),
        };
        for entry in entries {
            match entry {
                Entry::Queue(queue) => broker.queues.push(queue),
                Entry::Topic(topic) => broker.topics.push(topic),
            }
        }
        Ok(broker)
    }
}

/// A line below `scenario`.
fn head_line(head: &mut Head, cursor: &mut Cursor<'_>) -> Parsed<()> {
    if cursor.eat("title") {
        translated(&mut head.title, cursor)
    } else if cursor.eat("about") {
        translated(&mut head.about, cursor)
    } else if cursor.eat("variants") {
        loop {
            head.variants.push(cursor.hyphenated(Notion::Id)?.text);
            if !cursor.symbol(",") {
                return Ok(());
            }
        }
    } else if cursor.eat("report") {
        head.reports.push(cursor.quoted()?);
        Ok(())
    } else if cursor.eat("system") {
        once("system", &mut head.system, cursor, Cursor::quoted)
    } else if cursor.eat("pattern") {
        once("pattern", &mut head.pattern, cursor, Cursor::quoted)
    } else if cursor.eat("until") {
        once("until", &mut head.until, cursor, Cursor::span_of_time)
    } else {
        Err(cursor.failure())
    }
}

/// `en "…"`, once per language.
fn translated(texts: &mut Vec<(Name, Rc<str>)>, cursor: &mut Cursor<'_>) -> Parsed<()> {
    let language = cursor.name_as(Notion::LanguageCode)?;
    if texts.iter().any(|(known, _)| *known == language.text) {
        return Err(twice(&language.text, cursor));
    }
    texts.push((language.text, cursor.quoted()?));
    Ok(())
}

/// Reads what may stand once.
fn once<'t, T>(
    clause: &str,
    place: &mut Option<T>,
    cursor: &mut Cursor<'t>,
    read: impl FnOnce(&mut Cursor<'t>) -> Parsed<T>,
) -> Parsed<()> {
    if place.is_some() {
        return Err(twice(clause, cursor));
    }
    *place = Some(read(cursor)?);
    Ok(())
}

/// Behind the name: columns and constraints in parentheses.
fn table(cursor: &mut Cursor<'_>, name: crate::language::ast::Ident) -> Parsed<Table> {
    let mut table = Table {
        name,
        columns: Vec::new(),
        uniques: Vec::new(),
    };
    cursor.require_symbol("(")?;
    loop {
        if cursor.eat("primary key") {
            let columns = constraint_columns(cursor)?;
            table.uniques.push(TableUnique { columns, primary: true });
        } else if cursor.eat("unique") {
            let columns = constraint_columns(cursor)?;
            table.uniques.push(TableUnique {
                columns,
                primary: false,
            });
        } else {
            column(cursor, &mut table)?;
        }
        if !cursor.symbol(",") {
            break;
        }
    }
    cursor.require_symbol(")")?;
    Ok(table)
}

fn constraint_columns(cursor: &mut Cursor<'_>) -> Parsed<Vec<crate::language::ast::Ident>> {
    cursor.require_symbol("(")?;
    sql::columns(cursor)
}

fn column(cursor: &mut Cursor<'_>, table: &mut Table) -> Parsed<()> {
    let name = cursor.name_as(Notion::Column)?;
    let (kind, serial) = if cursor.eat("serial") {
        (SqlType::Int, true)
    } else if cursor.eat("bigserial") {
        (SqlType::BigInt, true)
    } else {
        (expression::sql_type(cursor)?, false)
    };
    let mut column = Column {
        name,
        kind,
        serial,
        not_null: serial,
        default: None,
    };
    loop {
        let columns = || vec![column.name.clone()];
        if cursor.eat("primary key") {
            let columns = columns();
            table.uniques.push(TableUnique { columns, primary: true });
        } else if cursor.eat("unique") {
            let columns = columns();
            table.uniques.push(TableUnique {
                columns,
                primary: false,
            });
        } else if cursor.eat("not null") {
            column.not_null = true;
        } else if cursor.eat("default") {
            once("default", &mut column.default, cursor, expression::expression)?;
        } else if !cursor.eat("null") {
            break;
        }
    }
    table.columns.push(column);
    Ok(())
}

/// Behind `queue`.
fn queue(cursor: &mut Cursor<'_>) -> Parsed<Queue> {
    let mut queue = Queue {
        name: cursor.name()?,
        lease: None,
        attempts: None,
        exhausted: None,
        stale: None,
        volatile: false,
        grouped: false,
        dedupe: None,
        capacity: None,
        expires: None,
        expired_are_dropped: false,
        ack_timeout: None,
        again_in_turn: false,
        partitions: None,
        session: None,
    };
    loop {
        if cursor.eat("lease") {
            once("lease", &mut queue.lease, cursor, Cursor::span_of_time)?;
        } else if cursor.eat("attempts") {
            once("attempts", &mut queue.attempts, cursor, |c| c.count(1, 1_000_000))?;
        } else if cursor.eat("dead") {
            once("dead", &mut queue.exhausted, cursor, |c| {
                sql::qualified(c).map(Exhausted::Dead)
            })?;
        } else if cursor.eat("drop") {
            once("drop", &mut queue.exhausted, cursor, |_| Ok(Exhausted::Drop))?;
        } else if cursor.eat("keep") {
            once("keep", &mut queue.exhausted, cursor, |_| Ok(Exhausted::Keep))?;
        } else if cursor.eat("stale") {
            once("stale", &mut queue.stale, cursor, stale)?;
        } else if cursor.eat("volatile") {
            queue.volatile = true;
        } else if cursor.eat("grouped") {
            queue.grouped = true;
        } else if cursor.eat("dedupe") {
            once("dedupe", &mut queue.dedupe, cursor, dedupe)?;
        } else if cursor.eat("capacity") {
            once("capacity", &mut queue.capacity, cursor, |c| c.count(1, 1_000_000))?;
        } else if cursor.eat("expires") {
            once("expires", &mut queue.expires, cursor, Cursor::span_of_time)?;
        } else if cursor.eat("partitions") {
            once("partitions", &mut queue.partitions, cursor, |c| {
                c.count(1, PARTITIONS_MAX)
            })?;
        } else {
            return Ok(queue);
        }
    }
}

fn stale(cursor: &mut Cursor<'_>) -> Parsed<Stale> {
    if cursor.eat("refused") {
        Ok(Stale::Refused)
    } else if cursor.eat("accepted") {
        Ok(Stale::Accepted)
    } else if cursor.eat("ignored") {
        Ok(Stale::Ignored)
    } else if cursor.eat("steals") {
        Ok(Stale::Steals)
    } else if cursor.eat("closes") {
        Ok(Stale::Closes)
    } else {
        Err(cursor.failure())
    }
}

fn dedupe(cursor: &mut Cursor<'_>) -> Parsed<Dedupe> {
    match cursor.eat("while queued") {
        true => Ok(Dedupe::WhileQueued),
        false => cursor.span_of_time().map(Dedupe::Within),
    }
}

fn unroutable(cursor: &mut Cursor<'_>) -> Parsed<Unroutable> {
    if cursor.eat("refused") {
        Ok(Unroutable::Refused)
    } else if cursor.eat("confirmed") {
        Ok(Unroutable::Confirmed)
    } else {
        Err(cursor.failure())
    }
}

/// Behind `topic`.
fn topic(cursor: &mut Cursor<'_>) -> Parsed<Topic> {
    let name = cursor.name()?;
    let mut queues = Vec::new();
    if cursor.eat("to") {
        loop {
            queues.push(sql::qualified(cursor)?);
            if !cursor.symbol(",") {
                break;
            }
        }
    }
    let unroutable = match cursor.eat("unroutable") {
        true => Some(unroutable(cursor)?),
        false => None,
    };
    Ok(Topic {
        name,
        queues,
        unroutable,
    })
}

/// Behind `outside`.
pub(super) fn outside(cursor: &mut Cursor<'_>) -> Parsed<Outside> {
    let name = cursor.name()?;
    let record = table(cursor, name)?;
    let takes = if cursor.eat("takes") { cursor.time()? } else { 0 };
    cursor.finish()?;
    Ok(Outside { record, takes })
}
