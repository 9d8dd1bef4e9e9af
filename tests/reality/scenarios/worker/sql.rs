//! One session at a real PostgreSQL.
//!
//! Virtual time reaches it as a setting that the function `now()` of its search path reads; it is set before each transaction.
//! Refuses to know: what the statements mean.

use super::super::wire::encode;
use super::request::Problem;
use crashpoint::expression::ErrorClass;
use crashpoint::sql::Statement;
use crashpoint::value::{Name, Row, Value};
use serde_json::Value as Json;
use std::cell::Cell;
use std::error::Error as _;
use std::future::Future;
use std::rc::Rc;
use std::time::{Duration, SystemTime};
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Client, Error, NoTls};

/// The first instant of virtual time, in seconds since 1970: the year 2000.
pub const EPOCH: u64 = 946_684_800;

/// How long a statement waits before PostgreSQL looks for a deadlock: one virtual second.
pub const DEADLOCK: &str = "300ms";

pub struct Postgres {
    client: Client,
    pid: i32,
    in_transaction: Cell<bool>,
}

impl Postgres {
    pub async fn connect(port: u16, schema: &str) -> Result<Postgres, Problem> {
        let mut config = tokio_postgres::Config::new();
        config.host("127.0.0.1").port(port).user("postgres").dbname("postgres");
        config.options(format!(
            "-c search_path={schema},virtual,pg_catalog -c timezone=UTC -c deadlock_timeout={DEADLOCK}"
        ));
        let (client, connection) = config.connect(NoTls).await.map_err(Problem::unreachable)?;
        tokio::spawn(connection);
        let row = client.query_one("select pg_backend_pid()", &[]).await;
        let pid = row.map_err(Problem::unreachable)?.get(0);
        let in_transaction = Cell::new(false);
        Ok(Postgres {
            client,
            pid,
            in_transaction,
        })
    }

    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub async fn run(
        &self,
        sql: &str,
        statement: &Statement,
        gate: impl Future<Output = ()>,
        running: impl FnOnce(i32),
    ) -> Result<Json, Problem> {
        use Statement::{Begin, Commit, PrepareTransaction, Rollback};
        let yields = yields_rows(statement);
        let prepared = match yields {
            Some(_) => Some(self.client.prepare(sql).await.map_err(problem)?),
            None => None,
        };
        gate.await;
        running(self.pid);
        let answer = match prepared {
            Some(prepared) if yields == Some(true) => {
                self.client.query(&prepared, &[]).await.map(|rows| encode(&list(&rows)))
            }
            Some(prepared) => {
                let changed = self.client.execute(&prepared, &[]).await;
                changed.map(|count| encode(&Value::Int(count as i64)))
            }
            None => self.client.batch_execute(sql).await.map(|()| Json::Null),
        };
        match statement {
            Begin(_) => self.in_transaction.set(answer.is_ok()),
            Commit | Rollback | PrepareTransaction(_) => self.in_transaction.set(false),
            _ => {}
        }
        answer.map_err(problem)
    }

    /// Asks nothing and waits for the answer, behind those of all that was asked before.
    pub async fn calm(&self) {
        // A session that is gone says so at the next statement.
        let _ = self.client.batch_execute("").await;
    }

    /// What a question beside the program yields.
    pub async fn rows(&self, select: &str) -> Result<Vec<Row>, Problem> {
        let rows = self.client.query(select, &[]).await.map_err(problem)?;
        Ok(rows.iter().map(row_of).collect())
    }

    /// Sets the instant that `now()` tells, unless a transaction has its own already.
    pub async fn set_now(&self, instant: &str) {
        if !self.in_transaction.get() && !self.client.is_closed() {
            let set = format!("select set_config('crash.now', ({instant})::timestamptz::text, false)");
            // A session that is gone says so at the statement itself.
            let _ = self.client.batch_execute(&set).await;
        }
    }

    /// What the pass left open is rolled back.
    pub async fn end_pass(&self) {
        if self.in_transaction.replace(false) && !self.client.is_closed() {
            let _ = self.client.batch_execute("rollback").await;
        }
    }
}

/// Whether a statement answers with rows or with their number; none: with neither.
fn yields_rows(statement: &Statement) -> Option<bool> {
    match statement {
        Statement::Select(_) => Some(true),
        Statement::Insert(insert) => Some(insert.returning.is_some()),
        Statement::Update(update) => Some(update.returning.is_some()),
        Statement::Delete(delete) => Some(delete.returning.is_some()),
        _ => None,
    }
}

fn problem(error: Error) -> Problem {
    let Some(state) = error.code() else {
        return Problem::unknown(error);
    };
    let class = match state.code() {
        "23505" => ErrorClass::Duplicate,
        "40001" => ErrorClass::Serialization,
        "40P01" => ErrorClass::Deadlock,
        "25P02" => ErrorClass::Aborted,
        "55P03" => ErrorClass::Refused,
        "57P01" | "57P02" => ErrorClass::Timeout,
        _ => ErrorClass::Error,
    };
    let detail = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    Problem::new(class, detail)
}

fn list(rows: &[tokio_postgres::Row]) -> Value {
    Value::List(Rc::new(rows.iter().map(|row| Value::Row(row_of(row))).collect()))
}

/// A row with values of the language.
pub fn row_of(row: &tokio_postgres::Row) -> Row {
    let names: Rc<[Name]> = row.columns().iter().map(|column| Name::from(column.name())).collect();
    let cells = (0..row.len()).map(|at| row.get::<_, Option<Cell_>>(at).map_or(Value::Null, |cell| cell.0));
    Row::new(names, cells.collect())
}

/// A cell of one of the types that the language has.
struct Cell_(Value);

impl<'a> FromSql<'a> for Cell_ {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Cell_, Box<dyn std::error::Error + Sync + Send>> {
        let value = match *kind {
            Type::BOOL => Value::Bool(bool::from_sql(kind, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Value::Int(i64::from_sql(kind, raw)?),
            Type::TIMESTAMPTZ => Value::Time(instant(SystemTime::from_sql(kind, raw)?)),
            Type::INTERVAL => Value::Interval(interval(raw)),
            _ => Value::text(<&str>::from_sql(kind, raw)?),
        };
        Ok(Cell_(value))
    }

    fn accepts(kind: &Type) -> bool {
        let known = [Type::BOOL, Type::INT4, Type::INT8, Type::TIMESTAMPTZ, Type::INTERVAL];
        known.contains(kind) || <&str>::accepts(kind)
    }
}

fn instant(at: SystemTime) -> i64 {
    let epoch = SystemTime::UNIX_EPOCH + Duration::from_secs(EPOCH);
    match at.duration_since(epoch) {
        Ok(since) => since.as_millis() as i64,
        Err(before) => -(before.duration().as_millis() as i64),
    }
}

/// Microseconds, days and months, each big-endian; the language has no months.
fn interval(raw: &[u8]) -> i64 {
    let part = |from: usize, to: usize| raw[from..to].iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    let (micros, days) = (part(0, 8) as i64, part(8, 12) as u32 as i32);
    micros / 1_000 + i64::from(days) * 86_400_000
}
