//! The conductor's own session at PostgreSQL: makes the schemas of a cell, reads what was committed, and asks who waits.
//!
//! Each table has a trigger that writes old and new row into a log; rows of the log become visible with their transaction's
//! commit, so that what appears after a step is what the step committed.
//! Refuses to know: services, schedules.

use super::decoding;
use super::source;
use super::wire::decode;
use super::worker::row_of;
use crashpoint::expression::SqlType;
use crashpoint::program::{Program, Trigger, TriggerKind};
use crashpoint::sql::TableSchema;
use crashpoint::value::{Row, Value};
use serde_json::Value as Json;
use std::rc::Rc;
use tokio::runtime::Handle;
use tokio_postgres::{Client, Error, NoTls};

pub struct Control {
    runtime: Handle,
    client: Client,
    schemas: Vec<String>,
    /// The slot through which followers read the log, if there are any.
    slot: Option<String>,
    /// Last entry of each log that has been read.
    seen: Vec<Vec<i64>>,
}

/// A committed change of a row: the row before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub number: i64,
    pub table: u16,
    pub before: Option<Row>,
    pub after: Option<Row>,
    /// Which transaction it was part of.
    pub transaction: String,
}

/// What all schemas share: the function that tells virtual time, and the one that logs changes.
pub const SHARED: &str = "
create schema virtual;
create function virtual.now() returns timestamptz language sql stable as
  $$ select coalesce(nullif(current_setting('crash.now', true), ''), '2000-01-01 00:00:00+00')::timestamptz $$;
create function virtual.log_change() returns trigger language plpgsql as $$
begin
  execute format('insert into %I.crash_log (tab, before, after) values ($1, $2, $3)', tg_table_schema)
    using tg_table_name, case when tg_op <> 'INSERT' then to_jsonb(old) end, case when tg_op <> 'DELETE' then to_jsonb(new) end;
  return null;
end $$;
";

impl Control {
    /// Connects and makes one schema for each database of the program. Errors: the server refuses a statement of the text.
    pub fn new(runtime: &Handle, port: u16, cell: &str, text: &str, program: &Program) -> Result<Control, Error> {
        let client = runtime.block_on(connect(port))?;
        let schemas: Vec<String> = program
            .databases
            .iter()
            .map(|db| format!("{cell}_{}", db.name))
            .collect();
        let follows = |trigger: &Trigger| matches!(trigger.kind, TriggerKind::Follow { .. });
        let follows = program.services.iter().flat_map(|of| &of.triggers).any(follows);
        let control = Control {
            runtime: runtime.clone(),
            client,
            schemas,
            slot: follows.then(|| decoding::slot(cell)),
            seen: program.databases.iter().map(|_| Vec::new()).collect(),
        };
        if let Some(slot) = &control.slot {
            // Before the tables: their first rows are in the log, too.
            control.batch(&format!(
                "select pg_create_logical_replication_slot('{slot}', 'test_decoding')"
            ))?;
        }
        for (database, schema) in program.databases.iter().zip(&control.schemas) {
            let mut script = format!(
                "create schema {schema}; set search_path={schema},virtual,pg_catalog; set timezone='UTC';
                 create table crash_log (number bigserial, tab text, before jsonb, after jsonb, tx text default txid_current()::text);"
            );
            for statement in source::schema(text, &database.name) {
                script += &format!("{statement};\n");
            }
            for table in &database.tables {
                if control.slot.is_some() {
                    // Else the log has the key alone of a row that is deleted.
                    script += &format!("alter table {} replica identity full;", table.name);
                }
                script += &format!(
                    "create trigger crash_log after insert or update or delete on {} for each row execute function virtual.log_change();",
                    table.name
                );
            }
            control.batch(&script)?;
        }
        Ok(control)
    }

    /// After the server was down. Errors: it still is.
    pub fn reconnect(&mut self, port: u16) -> Result<(), Error> {
        self.client = self.runtime.block_on(connect(port))?;
        Ok(())
    }

    pub fn schemas(&self) -> &[String] {
        &self.schemas
    }

    fn batch(&self, script: &str) -> Result<(), Error> {
        self.runtime.block_on(self.client.batch_execute(script))
    }

    /// Rows of a table, in the sequence they lie there.
    pub fn rows(&self, database: usize, table: &TableSchema) -> Result<Vec<Row>, Error> {
        let names: Vec<&str> = table.names.iter().map(|name| &**name).collect();
        let select = format!(
            "select {} from {}.{}",
            names.join(", "),
            self.schemas[database],
            table.name
        );
        let rows = self.runtime.block_on(self.client.query(&select, &[]))?;
        Ok(rows.iter().map(row_of).collect())
    }

    /// What was committed since the last question, by transaction, in the sequence of the changes.
    pub fn committed(&mut self, database: usize, program: &Program) -> Result<Vec<Change>, Error> {
        let tables = &program.databases[database].tables;
        let select = format!(
            "select number, tab, before::text, after::text, tx from {}.crash_log where not number = any($1) order by number",
            self.schemas[database]
        );
        let rows = self
            .runtime
            .block_on(self.client.query(&select, &[&self.seen[database]]))?;
        let change = |row: &tokio_postgres::Row| {
            let name: &str = row.get(1);
            let index = tables.iter().position(|table| &*table.name == name)?;
            let read = |at: usize| {
                let json = row.get::<_, Option<&str>>(at)?;
                let fields = serde_json::from_str(json).unwrap_or(Json::Null);
                Some(read_row(&tables[index], &fields))
            };
            Some(Change {
                number: row.get(0),
                table: index as u16,
                before: read(2),
                after: read(3),
                transaction: row.get(4),
            })
        };
        let found: Vec<Change> = rows.iter().filter_map(change).collect();
        self.seen[database].extend(found.iter().map(|change| change.number));
        Ok(found)
    }

    /// True if this server process waits for a lock.
    pub fn waits(&self, pid: i32) -> bool {
        let asked = "select exists (select from pg_locks where pid = $1 and not granted)";
        let answer = self.runtime.block_on(self.client.query_one(asked, &[&pid]));
        answer.is_ok_and(|row| row.get(0))
    }

    /// True while there is a session with this server process.
    pub fn lives(&self, pid: i32) -> bool {
        let asked = "select exists (select from pg_stat_activity where pid = $1)";
        let answer = self.runtime.block_on(self.client.query_one(asked, &[&pid]));
        answer.is_ok_and(|row| row.get(0))
    }

    /// Removes the cell's schemas, with whatever still uses them.
    pub fn clear(&self) {
        if let Some(slot) = &self.slot {
            let _ = self.batch(&format!(
                "select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = '{slot}';
                 select pg_drop_replication_slot('{slot}')"
            ));
        }
        for schema in &self.schemas {
            let _ = self.batch(&format!(
                "select pg_terminate_backend(pid) from pg_locks l join pg_class c on c.oid = l.relation
                 join pg_namespace n on n.oid = c.relnamespace where n.nspname = '{schema}' and pid <> pg_backend_pid();
                 drop schema {schema} cascade"
            ));
        }
    }
}

/// A session of the harness itself.
pub async fn connect(port: u16) -> Result<Client, Error> {
    let mut config = tokio_postgres::Config::new();
    config.host("127.0.0.1").port(port).user("postgres").dbname("postgres");
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// A row with its values as PostgreSQL writes them into JSON.
pub fn read_row(table: &TableSchema, fields: &Json) -> Row {
    let cell = |(name, kind): (&Rc<str>, SqlType)| match (&fields[&**name], kind) {
        (Json::String(text), SqlType::Timestamptz) => Value::Time(instant(text)),
        (Json::String(text), SqlType::Interval) => Value::Interval(interval(text)),
        (value, _) => decode(value),
    };
    let kinds = table.columns.iter().map(|column| column.kind);
    Row::new(table.names.clone(), table.names.iter().zip(kinds).map(cell).collect())
}

/// `2000-01-01T00:00:05.002+00:00`, in UTC, as virtual time.
fn instant(text: &str) -> i64 {
    let number = |from: usize, to: usize| {
        text.get(from..to)
            .and_then(|digits| digits.parse::<i64>().ok())
            .unwrap_or(0)
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let fraction: String = text
        .get(20..)
        .unwrap_or("")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let millis = match text.get(19..20) {
        Some(".") => format!("{fraction:0<3}")[..3].parse().unwrap_or(0),
        _ => 0,
    };
    let of_day = ((number(11, 13) * 60 + number(14, 16)) * 60 + number(17, 19)) * 1_000 + millis;
    (days(year, month, day) - days(2000, 1, 1)) * 86_400_000 + of_day
}

/// `1 day 00:00:01.006`, as PostgreSQL writes an interval without months.
fn interval(text: &str) -> i64 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let days = match words.as_slice() {
        [days, unit, ..] if unit.starts_with("day") => days.parse().unwrap_or(0),
        _ => 0,
    };
    let clock = words
        .last()
        .filter(|word| word.contains(':'))
        .copied()
        .unwrap_or("0:0:0");
    let negative = clock.starts_with('-');
    let parts: Vec<&str> = clock.trim_start_matches('-').split([':', '.']).collect();
    let part = |at: usize| parts.get(at).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or(0);
    let fraction = parts
        .get(3)
        .map_or(0, |digits| format!("{digits:0<3}")[..3].parse().unwrap_or(0));
    let millis = ((part(0) * 60 + part(1)) * 60 + part(2)) * 1_000 + fraction;
    days * 86_400_000 + if negative { -millis } else { millis }
}

/// Days of the Gregorian calendar up to a date, whose years here begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day - 1
}
