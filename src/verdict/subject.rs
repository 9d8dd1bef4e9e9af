//! Which row a finding is about, and what identifies it to a reader.

use super::evidence::Evidence;
use super::items::Item;
use super::{Court, Subject};
use crate::expression::Expr;
use crate::program::{Instruction, Program, Relation, Request};
use crate::sql::{Statement, TableSchema};
use crate::value::{Name, Row, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// For each relation with a key of several columns those that tell its rows apart.
pub(super) type Telling = RefCell<BTreeMap<Relation, Rc<[u16]>>>;

impl Court<'_> {
    /// The subject for a row of a relation.
    pub(super) fn subject(&self, relation: Relation, row: &Row) -> Subject {
        let (keys, key) = match schema(&self.scenario.program, relation) {
            Some(schema) => self.keys(schema, relation, row),
            None => {
                let key = message_key(row);
                (vec![key.clone()], key)
            }
        };
        Subject {
            relation,
            key,
            keys,
            name: None,
            row: Some(row.clone()),
            made: None,
        }
    }

    /// The subject for something that was in a set: its first version there.
    pub(super) fn item(&self, relation: Relation, item: &Item) -> Subject {
        Subject {
            made: item.since().event(),
            ..self.subject(relation, item.row())
        }
    }

    /// All values of a row's key, and those that are shown.
    fn keys(&self, schema: &TableSchema, relation: Relation, row: &Row) -> (Vec<Value>, Value) {
        let columns = key_columns(schema);
        if let [only] = columns {
            let key = cell(row, *only);
            return (vec![key.clone()], key);
        }
        let keys = columns.iter().map(|column| cell(row, *column)).collect();
        let telling = self.telling(columns, relation);
        let key = match *telling {
            [only] => cell(row, only),
            _ => Value::Row(part(schema, &telling, row)),
        };
        (keys, key)
    }

    /// The key columns that tell the rows of a relation apart, past and present; all of them if none does.
    fn telling(&self, key: &[u16], relation: Relation) -> Rc<[u16]> {
        if let Some(known) = self.telling.borrow().get(&relation) {
            return Rc::clone(known);
        }
        let columns = varying(&self.scenario.program, relation, key);
        let found: Rc<[u16]> = telling(&columns, source(relation), self.evidence).into();
        self.telling.borrow_mut().insert(relation, Rc::clone(&found));
        found
    }
}

fn telling(columns: &[u16], relation: Relation, evidence: &dyn Evidence) -> Vec<u16> {
    let facts = evidence.facts(relation);
    let differs = |column: &u16| {
        let mut values = facts.iter().map(|fact| fact.row.values().get(usize::from(*column)));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let differing: Vec<u16> = columns.iter().copied().filter(differs).collect();
    if differing.is_empty() || columns.len() == 1 {
        columns.to_vec()
    } else {
        differing
    }
}

/// True if every insert of the text gives the column the same value, whatever it is about.
fn is_constant(program: &Program, database: u16, table: u16, column: u16) -> bool {
    let initial = program
        .databases
        .get(usize::from(database))
        .map(|schema| &schema.initial);
    let sent = program
        .services
        .iter()
        .flat_map(|service| &service.code)
        .filter_map(|instruction| match instruction {
            Instruction::Step {
                request:
                    Request::Sql {
                        database: d,
                        statement: Statement::Insert(insert),
                        ..
                    },
                ..
            } if *d == database => Some(insert),
            _ => None,
        });
    let inserts = initial
        .into_iter()
        .flatten()
        .chain(sent)
        .filter(|insert| insert.table == table);
    let mut given = inserts.flat_map(|insert| {
        let position = insert.columns.iter().position(|named| *named == column);
        insert
            .rows
            .iter()
            .map(move |row| match position.and_then(|position| row.get(position)) {
                Some(Expr::Literal(value)) => Some(value),
                _ => None,
            })
    });
    match given.next() {
        Some(Some(first)) => given.all(|value| value == Some(first)),
        _ => false,
    }
}

/// The relation whose log of facts holds these rows.
fn source(relation: Relation) -> Relation {
    match relation {
        Relation::Changes { database, table } => Relation::Table { database, table },
        relation => relation,
    }
}

/// A row's key without what every row of the text has in common.
pub(super) fn shown_key(program: &Program, relation: Relation, row: &Row) -> Value {
    let Some(schema) = schema(program, relation) else {
        return message_key(row);
    };
    match varying(program, relation, key_columns(schema)).as_slice() {
        [only] => cell(row, *only),
        columns => Value::Row(part(schema, columns, row)),
    }
}

/// The key columns to which not every insert of the text gives the same value; all of them if each is constant.
fn varying(program: &Program, relation: Relation, key: &[u16]) -> Vec<u16> {
    let constant = |column: u16| match relation {
        Relation::Table { database, table } | Relation::Changes { database, table } => {
            is_constant(program, database, table, column)
        }
        _ => false,
    };
    let varying: Vec<u16> = key.iter().copied().filter(|column| !constant(*column)).collect();
    if varying.is_empty() { key.to_vec() } else { varying }
}

/// The subject for a relation as a whole.
pub(super) fn whole(relation: Relation) -> Subject {
    Subject {
        relation,
        key: Value::Null,
        keys: Vec::new(),
        name: None,
        row: None,
        made: None,
    }
}

/// The columns of the primary key, else of the first unique constraint, else the first column.
fn key_columns(schema: &TableSchema) -> &[u16] {
    let primary = schema.uniques.iter().find(|unique| unique.primary);
    let unique = primary.or(schema.uniques.first());
    match unique.map(|unique| unique.columns.as_slice()) {
        Some(columns) if !columns.is_empty() => columns,
        _ => &[0],
    }
}

/// A message's id; without one its key or body.
pub(super) fn message_key(row: &Row) -> Value {
    let known = ["id", "key", "body"].iter().filter_map(|name| row.get(name));
    let mut given = known.filter(|value| **value != Value::Null);
    given.next().cloned().unwrap_or(Value::Null)
}

fn cell(row: &Row, column: u16) -> Value {
    row.values().get(usize::from(column)).cloned().unwrap_or(Value::Null)
}

/// A row's values in some columns.
fn part(schema: &TableSchema, columns: &[u16], row: &Row) -> Row {
    let names = columns
        .iter()
        .filter_map(|column| schema.names.get(usize::from(*column)));
    let names: Rc<[Name]> = names.cloned().collect();
    Row::new(names, columns.iter().map(|column| cell(row, *column)).collect())
}

/// The columns of a table or of an outside party's record; messages have none.
pub(super) fn schema(program: &Program, relation: Relation) -> Option<&TableSchema> {
    match relation {
        Relation::Table { database, table } | Relation::Changes { database, table } => program
            .databases
            .get(usize::from(database))?
            .tables
            .get(usize::from(table)),
        Relation::Outside(outside) => Some(&program.outsides.get(usize::from(outside))?.record),
        Relation::Queue(_) | Relation::Dead(_) => None,
    }
}
