//! Which row a finding is about, and what identifies it to a reader.

use super::Subject;
use crate::program::{Program, Relation};
use crate::sql::TableSchema;
use crate::value::{Row, Value};

/// The subject for a row of a relation.
pub(super) fn subject(program: &Program, relation: Relation, row: &Row) -> Subject {
    Subject {
        relation,
        key: key(program, relation, row),
        row: Some(row.clone()),
    }
}

/// The subject for a relation as a whole.
pub(super) fn whole(relation: Relation) -> Subject {
    Subject {
        relation,
        key: Value::Null,
        row: None,
    }
}

/// A row's first primary-key column, else the first column of its first unique constraint, else its first column. A
/// message's id; without one its key or body.
fn key(program: &Program, relation: Relation, row: &Row) -> Value {
    if let Some(schema) = schema(program, relation) {
        let primary = schema.uniques.iter().find(|unique| unique.primary);
        let unique = primary.or(schema.uniques.first());
        let column = unique.and_then(|unique| unique.columns.first()).copied().unwrap_or(0);
        return row.values().get(usize::from(column)).cloned().unwrap_or(Value::Null);
    }
    let known = ["id", "key", "body"].iter().filter_map(|name| row.get(name));
    let mut given = known.filter(|value| **value != Value::Null);
    given.next().cloned().unwrap_or(Value::Null)
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
