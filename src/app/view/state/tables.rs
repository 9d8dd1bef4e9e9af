//! Tables and the effects of outside parties.

use super::{
    BTreeMap, Change, Instants, Name, Party, ROWS_MAX, Relation, Row, Shown, Table, TableCell, TableRow, Value, World,
    instance_name, spelled,
};
use crate::app::words::sentences;

pub(super) fn tables(shown: &Shown<'_>, instants: &Instants) -> Vec<Table> {
    let mut tables = Vec::new();
    // Databases and tables have 16-bit numbers.
    for (database, schema) in shown.program.databases.iter().enumerate() {
        let database = database as u16;
        for (table, columns) in schema.tables.iter().enumerate() {
            let mut rows = rows(shown, instants, database, table as u16);
            pending(shown, instants, (database, table as u16), &mut rows);
            let rows = sorted(rows);
            tables.push(Table {
                database: schema.name.to_string(),
                name: columns.name.to_string(),
                columns: columns.names.to_vec(),
                more: more(shown, rows.len()),
                rows: rows.into_iter().take(ROWS_MAX).collect(),
                down: instants.now.down_until(Party::Database(database)).is_some(),
            });
        }
    }
    tables
}

fn more(shown: &Shown<'_>, rows: usize) -> String {
    match rows.checked_sub(ROWS_MAX) {
        Some(more) if more > 0 => sentences::more(shown.language, more),
        _ => String::new(),
    }
}

/// A row and where it stands: rows in the sequence they were made, uncommitted versions below the committed ones.
type Placed = ((u64, u32), TableRow);

fn sorted(mut rows: Vec<Placed>) -> Vec<TableRow> {
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Committed rows, and those that the last event deleted.
fn rows(shown: &Shown<'_>, instants: &Instants, database: u16, table: u16) -> Vec<Placed> {
    let mut before: BTreeMap<u64, Row> = match &instants.before {
        Some(before) => before.rows(database, table).into_iter().collect(),
        None => BTreeMap::new(),
    };
    let compare = instants.before.is_some();
    let mut rows = Vec::new();
    for (identity, row) in instants.now.rows(database, table) {
        let line = match before.remove(&identity) {
            _ if !compare => table_row(shown, &row, None, Change::Same),
            None => table_row(shown, &row, None, Change::Inserted),
            Some(old) if old == row => table_row(shown, &row, None, Change::Same),
            Some(old) => table_row(shown, &row, Some(&old), Change::Updated),
        };
        rows.push(((identity, 0), line));
    }
    // What is left was there before.
    rows.extend(
        before
            .into_iter()
            .map(|(identity, old)| ((identity, 0), table_row(shown, &old, None, Change::Deleted))),
    );
    rows
}

/// Versions that only their own transaction sees.
fn pending(shown: &Shown<'_>, instants: &Instants, (database, table): (u16, u16), rows: &mut Vec<Placed>) {
    let before = instants.before.as_ref().map(|before| before.pending(database, table));
    for pending in instants.now.pending(database, table) {
        let is_delete = pending.after.is_none();
        let Some(row) = pending.after.as_ref().or(pending.before.as_ref()) else {
            continue;
        };
        let known = before.as_ref().and_then(|before| {
            before
                .iter()
                .find(|old| old.identity == pending.identity && old.session == pending.session)
        });
        let is_new = before.is_some() && known.is_none_or(|known| known.after != pending.after);
        let change = match (is_new, is_delete, &pending.before) {
            (false, ..) => Change::Same,
            (true, true, _) => Change::Deleted,
            (true, false, None) => Change::Inserted,
            (true, false, Some(_)) => Change::Updated,
        };
        let mut line = table_row(shown, row, pending.before.as_ref().filter(|_| !is_delete), change);
        line.uncommitted = Some(owner(shown, &instants.now, database, pending.session));
        if is_delete {
            line.change = Change::Deleted;
        }
        rows.push(((pending.identity, 1), line));
    }
}

/// Whose change it is: an instance's, or that of the prepared transaction of this name.
fn owner(shown: &Shown<'_>, world: &World, database: u16, session: u32) -> String {
    if let Some(identifier) = world.database(database).prepared_as(session) {
        return format!("'{identifier}'");
    }
    let instance = world.instance_of(session);
    instance.map_or_else(|| "?".to_owned(), |instance| instance_name(instance, shown.program))
}

fn table_row(shown: &Shown<'_>, row: &Row, old: Option<&Row>, change: Change) -> TableRow {
    let cells = row.values().iter().enumerate().map(|(index, value)| TableCell {
        text: spelled(shown, value),
        is_null: *value == Value::Null,
        changed: old.is_some_and(|old| old.values().get(index) != Some(value)),
    });
    TableRow {
        cells: cells.collect(),
        change,
        uncommitted: None,
    }
}

/// Everything that was done at outside parties so far.
pub(super) fn outsides(shown: &Shown<'_>, instants: &Instants) -> Vec<Table> {
    let outsides = shown.program.outsides.iter().enumerate();
    outsides
        .map(|(index, outside)| {
            let index = index as u16; // outside parties have 16-bit numbers
            let facts = instants.now.facts(Relation::Outside(index));
            let old = instants
                .before
                .as_ref()
                .map_or(facts.len(), |before| before.facts(Relation::Outside(index)).len());
            let change = |position| {
                if position >= old {
                    Change::Inserted
                } else {
                    Change::Same
                }
            };
            let columns: Vec<Name> = outside.record.names.to_vec();
            Table {
                database: String::new(),
                name: outside.record.name.to_string(),
                columns,
                rows: facts
                    .iter()
                    .enumerate()
                    .take(ROWS_MAX)
                    .map(|(position, fact)| table_row(shown, &fact.row, None, change(position)))
                    .collect(),
                more: more(shown, facts.len()),
                down: instants.now.down_until(Party::Outside(index)).is_some(),
            }
        })
        .collect()
}
