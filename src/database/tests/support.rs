//! Statements in few words, and a bench that sends them.

use crate::database::{Database, Effects, Handled, SessionId};
use crate::expression::{ErrorClass, Expr, Failure, Operator, SqlType};
use crate::fact::Stamp;
use crate::sql::*;
use crate::value::{Name, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// `create table t (id int primary key, v int not null, u text unique)`
pub const T: u16 = 0;
/// `create table s (id serial primary key, body text not null default 'none')`
pub const S: u16 = 1;

pub const ID: u16 = 0;
pub const V: u16 = 1;
pub const U: u16 = 2;

fn column(name: &str, kind: SqlType, not_null: bool, default: Default) -> Column {
    Column {
        name: name.into(),
        kind,
        not_null,
        default,
    }
}

fn table(name: &str, columns: Vec<Column>, uniques: Vec<(&str, Vec<u16>)>) -> TableSchema {
    TableSchema {
        name: name.into(),
        names: columns.iter().map(|column| Rc::clone(&column.name)).collect(),
        columns,
        uniques: uniques
            .into_iter()
            .enumerate()
            .map(|(position, (name, columns))| Unique {
                name: name.into(),
                columns,
                primary: position == 0,
            })
            .collect(),
    }
}

pub fn schema() -> DatabaseSchema {
    let t = table(
        "t",
        vec![
            column("id", SqlType::Int, true, Default::Null),
            column("v", SqlType::Int, true, Default::Null),
            column("u", SqlType::Text, false, Default::Null),
        ],
        vec![("t_pkey", vec![ID]), ("t_u_key", vec![U])],
    );
    let s = table(
        "s",
        vec![
            column("id", SqlType::Int, true, Default::Serial),
            column("body", SqlType::Text, true, Default::Expr(text("none"))),
        ],
        vec![("s_pkey", vec![ID])],
    );
    DatabaseSchema {
        name: "db".into(),
        tables: vec![t, s],
        initial: Vec::new(),
    }
}

pub fn int(n: i64) -> Expr {
    Expr::Literal(Value::Int(n))
}

pub fn text(text: &str) -> Expr {
    Expr::Literal(Value::text(text))
}

pub fn null() -> Expr {
    Expr::Literal(Value::Null)
}

pub fn col(column: u16) -> Expr {
    Expr::Column { depth: 0, column }
}

pub fn op(left: Expr, operator: Operator, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}

pub fn eq(column: u16, n: i64) -> Expr {
    op(col(column), Operator::Equal, int(n))
}

pub fn less(column: u16, n: i64) -> Expr {
    op(col(column), Operator::Less, int(n))
}

pub fn plus(column: u16, n: i64) -> Expr {
    op(col(column), Operator::Add, int(n))
}

pub fn items(columns: &[u16]) -> Items {
    Items {
        names: columns.iter().map(|column| Name::from(format!("c{column}"))).collect(),
        exprs: columns.iter().map(|column| col(*column)).collect(),
        aggregates: false,
    }
}

pub fn from(table: u16, columns: &[u16]) -> Select {
    Select {
        table,
        items: items(columns),
        filter: None,
        order_by: Vec::new(),
        limit: None,
        lock: None,
    }
}

impl Select {
    pub fn filtered(mut self, filter: Expr) -> Select {
        self.filter = Some(filter);
        self
    }
    pub fn by(mut self, column: u16, descending: bool) -> Select {
        self.order_by.push(OrderBy {
            expr: col(column),
            descending,
        });
        self
    }
    pub fn first(mut self, n: i64) -> Select {
        self.limit = Some(int(n));
        self
    }
    pub fn locking(mut self, wait: LockWait) -> Select {
        self.lock = Some(wait);
        self
    }
    pub fn send(self) -> Statement {
        Statement::Select(Rc::new(self))
    }
}

/// `insert into t values (id, v), …`, u is null.
pub fn insert(rows: &[(i64, i64)]) -> Statement {
    insert_into(
        T,
        &[ID, V],
        rows.iter().map(|(id, v)| vec![int(*id), int(*v)]).collect(),
    )
}

/// `insert into t values (id, v, u)`
pub fn insert_u(id: i64, v: i64, u: &str) -> Statement {
    insert_into(T, &[ID, V, U], vec![vec![int(id), int(v), text(u)]])
}

pub fn insert_into(table: u16, columns: &[u16], rows: Vec<Vec<Expr>>) -> Statement {
    Statement::Insert(Insert {
        table,
        columns: columns.to_vec(),
        rows,
        on_conflict: None,
        returning: None,
    })
}

/// `… on conflict [(that unique)] do nothing`
pub fn or_nothing(statement: Statement, unique: Option<u16>) -> Statement {
    let Statement::Insert(mut insert) = statement else {
        panic!("no insert")
    };
    insert.on_conflict = Some(OnConflict { unique });
    Statement::Insert(insert)
}

pub fn returning(statement: Statement, columns: &[u16]) -> Statement {
    let returning = Some(items(columns));
    match statement {
        Statement::Insert(insert) => Statement::Insert(Insert { returning, ..insert }),
        Statement::Update(update) => Statement::Update(Update { returning, ..update }),
        Statement::Delete(delete) => Statement::Delete(Delete { returning, ..delete }),
        other => panic!("{other:?} returns nothing"),
    }
}

pub fn update(set: &[(u16, Expr)], filter: Option<Expr>) -> Statement {
    Statement::Update(Update {
        table: T,
        set: set.to_vec(),
        filter,
        returning: None,
    })
}

/// `update t set v = v + n where id = id`
pub fn add(id: i64, n: i64) -> Statement {
    update(&[(V, plus(V, n))], Some(eq(ID, id)))
}

pub fn delete(filter: Option<Expr>) -> Statement {
    Statement::Delete(Delete {
        table: T,
        filter,
        returning: None,
    })
}

pub const BEGIN: Statement = Statement::Begin(Isolation::ReadCommitted);
pub const REPEATABLE: Statement = Statement::Begin(Isolation::RepeatableRead);
pub const SERIALIZABLE: Statement = Statement::Begin(Isolation::Serializable);
pub const COMMIT: Statement = Statement::Commit;
pub const ROLLBACK: Statement = Statement::Rollback;

pub fn savepoint(name: &str) -> Statement {
    Statement::Savepoint(name.into())
}

pub fn rollback_to(name: &str) -> Statement {
    Statement::RollbackTo(name.into())
}

pub fn prepare(identifier: &str) -> Statement {
    Statement::PrepareTransaction(text(identifier))
}

pub fn commit_prepared(identifier: &str) -> Statement {
    Statement::CommitPrepared(text(identifier))
}

pub fn rollback_prepared(identifier: &str) -> Statement {
    Statement::RollbackPrepared(text(identifier))
}

/// `select * from t where id = id`
pub fn one(id: i64) -> Select {
    from(T, &[ID, V]).filtered(eq(ID, id))
}

/// `select * from t for update` and the like, by id.
pub fn all() -> Select {
    from(T, &[ID, V]).by(ID, false)
}

/// A database and the statements its sessions are in the middle of. Each statement happens a second after the one before.
#[derive(Clone)]
pub struct Bench {
    pub schema: DatabaseSchema,
    pub database: Database,
    sent: BTreeMap<SessionId, Statement>,
    seconds: u32,
}

impl Bench {
    /// With the rows (id, v) in t.
    pub fn new(rows: &[(i64, i64)]) -> Bench {
        let mut schema = schema();
        if !rows.is_empty() {
            let Statement::Insert(initial) = insert(rows) else {
                panic!("no insert")
            };
            schema.initial.push(initial);
        }
        Bench {
            database: Database::new(&schema).expect("initial rows are good"),
            schema,
            sent: BTreeMap::new(),
            seconds: 0,
        }
    }

    fn stamp(&mut self) -> Stamp {
        self.seconds += 1;
        Stamp {
            event: self.seconds,
            at: i64::from(self.seconds) * 1000,
        }
    }

    /// Sends a statement.
    pub fn send(&mut self, session: SessionId, statement: impl Into<Statement>) -> Effects {
        let (stamp, statement) = (self.stamp(), statement.into());
        let effects = self.database.execute(&self.schema, session, &statement, &[], stamp);
        self.sent.insert(session, statement);
        effects
    }

    /// Asks a session again.
    pub fn ask_again(&mut self, session: SessionId) -> Effects {
        let (stamp, statement) = (self.stamp(), self.sent[&session].clone());
        self.database.resume(&self.schema, session, &statement, &[], stamp)
    }

    /// Sends a statement and writes its answer: `ok`, a number of rows, `[rows]`, `waits`, `class: detail`, and ` wakes …`.
    pub fn run(&mut self, session: SessionId, statement: impl Into<Statement>) -> String {
        answer(self.send(session, statement))
    }

    /// Asks a session again and writes its answer.
    pub fn resume(&mut self, session: SessionId) -> String {
        answer(self.ask_again(session))
    }

    /// The waiter looks for a deadlock.
    pub fn deadlock(&mut self, session: SessionId) -> String {
        self.database.deadlock(session).map_or("none".to_string(), answer)
    }

    /// The committed rows (id, v).
    pub fn rows(&self) -> Vec<(i64, i64)> {
        let number = |value: Option<&Value>| match value {
            Some(Value::Int(n)) => *n,
            other => panic!("{other:?} is no number"),
        };
        let rows = self.database.rows(T);
        rows.map(|(_, row)| (number(row.values().first()), number(row.values().get(1))))
            .collect()
    }

    /// The commit log of a table: change, commit number and row.
    pub fn facts(&self, table: u16) -> Vec<String> {
        let facts = self.database.facts(table);
        let fact = |fact: &crate::fact::Fact| {
            format!(
                "{} {}: {}",
                fact.change.name(),
                fact.commit,
                Value::Row(fact.row.clone())
            )
        };
        facts.iter().map(fact).collect()
    }
}

impl From<Select> for Statement {
    fn from(select: Select) -> Statement {
        select.send()
    }
}

fn answer(effects: Effects) -> String {
    let mut answer = match effects.handled {
        Handled::Waits => "waits".to_string(),
        Handled::Done(Ok(Value::Null)) => "ok".to_string(),
        Handled::Done(Ok(Value::List(rows))) => {
            let rows: Vec<String> = rows.iter().map(|row| row.to_string().replace(", ", " ")).collect();
            format!("[{}]", rows.join(", "))
        }
        Handled::Done(Ok(value)) => value.to_string(),
        Handled::Done(Err(failure)) => failed(&failure),
    };
    for (position, session) in effects.woken.iter().enumerate() {
        answer += if position == 0 { " wakes " } else { " " };
        answer += &session.to_string();
    }
    answer
}

fn failed(failure: &Failure) -> String {
    let class = match failure.class {
        ErrorClass::Error => "error",
        ErrorClass::Duplicate => "duplicate",
        ErrorClass::Deadlock => "deadlock",
        ErrorClass::Aborted => "aborted",
        ErrorClass::Refused => "refused",
        ErrorClass::Serialization => "serialization",
        other => panic!("{other:?} is none of a database's classes"),
    };
    format!("{class}: {}", failure.detail)
}

pub const ABORTED: &str = "aborted: current transaction is aborted, commands ignored until end of transaction block";
