//! A follower reads the log of changes over its task's session, and asks there from where it goes on.
//!
//! Refuses to know: when there is news.

use super::super::wire::{Event, encode};
use super::super::{decoding, source};
use super::program::Interpreter;
use super::request::Problem;
use super::say;
use super::sessions::{Connection, Party, Sessions};
use super::sql::Postgres;
use crashpoint::program::{After, TriggerKind};
use crashpoint::sql::TableSchema;
use crashpoint::value::{Row, Value};
use std::rc::Rc;

/// Where a follower finds its position: it knows it, or asks its database.
pub enum First {
    Known(u32),
    Asks(u16, String),
}

impl Interpreter {
    pub fn first_position(&self, trigger: u16) -> First {
        let trigger = &self.service().triggers[usize::from(trigger)];
        match &trigger.kind {
            TriggerKind::Follow {
                after: Some(After::Expr(expr)),
                ..
            } => First::Known(number(&self.value(&[], expr).unwrap_or(Value::Null))),
            TriggerKind::Follow {
                database,
                after: Some(After::Select(_)),
                ..
            } => {
                let select = source::position(self.text(), trigger.line);
                select.map_or(First::Known(0), |select| First::Asks(*database, select))
            }
            _ => First::Known(0),
        }
    }
}

fn number(value: &Value) -> u32 {
    match value {
        Value::Int(number) => u32::try_from(*number).unwrap_or(0),
        _ => 0,
    }
}

impl Sessions {
    pub fn position(self: &Rc<Self>, task: u32, first: First) {
        let sessions = Rc::clone(self);
        tokio::task::spawn_local(async move {
            let position = match first {
                First::Known(position) => position,
                First::Asks(database, select) => {
                    let rows = sessions.rows(task, database, &select).await.unwrap_or_default();
                    let value = rows.first().and_then(|row| row.values().first());
                    value.map_or(0, number)
                }
            };
            say(&Event::Positioned { task, position });
        });
    }

    pub fn change(self: &Rc<Self>, task: u32, trigger: u16, position: u32) {
        let sessions = Rc::clone(self);
        tokio::task::spawn_local(async move {
            let change = sessions.look(task, trigger, position).await;
            let change = change.map(|row| encode(&Value::Row(row)));
            say(&Event::Changed { task, change });
        });
    }

    async fn look(&self, task: u32, trigger: u16, position: u32) -> Option<Row> {
        let service = &self.program.services[self.init.service];
        let TriggerKind::Follow { database, table, .. } = service.triggers[usize::from(trigger)].kind else {
            return None;
        };
        let peek = decoding::peek(&decoding::slot(self.init.prefix.trim_end_matches('_')));
        let rows = self.rows(task, database, &peek).await.ok()?;
        let data = |row: &Row| row.values().first().map(ToString::to_string);
        let lines: Vec<String> = rows.iter().filter_map(data).collect();
        let table: &TableSchema = &self.program.databases[usize::from(database)].tables[usize::from(table)];
        let (_, schema) = &self.init.databases[usize::from(database)];
        decoding::change(&lines, schema, table, position)
    }

    async fn rows(&self, task: u32, database: u16, select: &str) -> Result<Vec<Row>, Problem> {
        match self.connection(task, Party::Database(database)).await? {
            Connection::Postgres(postgres) => Postgres::rows(&postgres, select).await,
            _ => Ok(Vec::new()),
        }
    }
}
