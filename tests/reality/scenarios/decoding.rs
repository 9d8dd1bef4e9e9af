//! PostgreSQL's own log of changes, as its plugin `test_decoding` writes it.
//!
//! Refuses to know: who follows it, and how far.

use super::control::read_row;
use crashpoint::sql::TableSchema;
use crashpoint::value::{Name, Row, Value};
use serde_json::{Map, Value as Json};
use std::rc::Rc;

/// What a cell's replication slot is called.
pub fn slot(cell: &str) -> String {
    format!("{cell}_log")
}

/// What the log has, from the beginning: it is looked at and not taken, as followers keep their position themselves.
pub fn peek(slot: &str) -> String {
    format!("select data from pg_logical_slot_peek_changes('{slot}', null, null)")
}

/// The change of a table behind so many others: its row, what happened to it, and the commit's and its own number.
pub fn change(lines: &[String], schema: &str, table: &TableSchema, position: u32) -> Option<Row> {
    let (of_table, of_schema) = (format!("table {schema}.{}: ", table.name), format!("table {schema}."));
    let (mut commit, mut counted, mut found) = (0, false, 0);
    for line in lines {
        if line.starts_with("BEGIN") {
            counted = false;
        } else if line.starts_with(&of_schema) && !line.contains(".crash_log: ") {
            commit += i64::from(!std::mem::replace(&mut counted, true));
        }
        let Some((verb, tuple)) = line.strip_prefix(&of_table).and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        found += 1;
        if found == position + 1 {
            let tuple = tuple.split_once("new-tuple: ").map_or(tuple, |(_, new)| new);
            let row = read_row(table, &Json::Object(fields(tuple)));
            return Some(with(row, &verb.to_lowercase(), commit, i64::from(found)));
        }
    }
    None
}

fn with(row: Row, verb: &str, commit: i64, number: i64) -> Row {
    let extra = ["change", "commit", "row"].map(Name::from);
    let names: Rc<[Name]> = row.names().iter().cloned().chain(extra).collect();
    let mut values = row.values().to_vec();
    values.extend([Value::text(verb), Value::Int(commit), Value::Int(number)]);
    Row::new(names, values)
}

/// `id[integer]:1 body[text]:'it''s'`
fn fields(tuple: &str) -> Map<String, Json> {
    let (mut fields, mut rest) = (Map::new(), tuple.trim_start_matches("old-key: "));
    while let Some((name, typed)) = rest.split_once('[') {
        let Some((_, value)) = typed.split_once("]:") else {
            break;
        };
        let (value, behind) = match value.strip_prefix('\'') {
            Some(quoted) => text(quoted),
            None => bare(value),
        };
        fields.insert(name.trim().to_string(), value);
        rest = behind;
    }
    fields
}

/// Up to the quote that is not doubled.
fn text(quoted: &str) -> (Json, &str) {
    let mut from = 0;
    while let Some(at) = quoted[from..].find('\'').map(|at| at + from) {
        if !quoted[at + 1..].starts_with('\'') {
            return (Json::String(quoted[..at].replace("''", "'")), &quoted[at + 1..]);
        }
        from = at + 2;
    }
    (Json::String(quoted.to_string()), "")
}

fn bare(value: &str) -> (Json, &str) {
    let end = value.find(' ').unwrap_or(value.len());
    (serde_json::from_str(&value[..end]).unwrap_or(Json::Null), &value[end..])
}
