//! Statements that read and change rows, executed so that they can wait midway and go on later.
//!
//! A statement fixes its rows in its snapshot first and then takes them one by one: lock, look at the newest version, change.
//! How far it got is data ([`Execution`]). Sub-selects that lock (`… for update skip locked` inside an `update`) run before it.

mod change;
mod insert;
mod select;
mod store;

use super::index::Conflict;
use super::locks::Target;
use super::read::{Found, Reader, StatementScope, lookup};
use super::serializable::Mark;
use super::snapshot::{Since, too_late};
use super::table::Table;
use super::{Database, SessionId};
use crate::expression::{ErrorClass, Expr, Failure};
use crate::sql::{DatabaseSchema, Items, LockWait, Select, Statement, TableSchema};
use crate::value::{Row, Value};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A statement as far as it got.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Execution {
    /// The tables when the statement began: what it sees.
    snapshot: Vec<Rc<Table>>,
    /// The locking sub-selects that are done.
    locked: Vec<Found>,
    progress: Progress,
    /// Rows looked at since the last go.
    pub(super) visited: Cell<u64>,
    /// What it has read since the last go, if its transaction is serializable.
    pub(super) reads: RefCell<BTreeSet<Mark>>,
}

/// How far the statement, or the locking sub-select that is next, has got.
#[derive(Clone, Debug, Default, PartialEq)]
struct Progress {
    /// The rows to take, as the snapshot shows them.
    rows: Vec<(u64, Row)>,
    /// How many rows were asked for; fewer in `rows` means there are no more.
    wanted: usize,
    /// How many rows are done; of an insert, how many rows of `values`.
    position: usize,
    /// Rows changed.
    count: i64,
    /// Rows of the result.
    result: Vec<Row>,
    /// An insert's row that has its values and waits for a rival before it is stored.
    prepared: Option<Row>,
    /// A row that is stored and still has to get its keys in the unique indexes, and its version before.
    stored: Option<(u64, Option<Row>)>,
}

/// Why a statement does not go on.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Fails(Failure),
    /// For a target that this session holds.
    Waits(Target, SessionId),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Fails(failure)
    }
}

/// A row that a statement wants to lock.
enum Locked {
    /// Locked; the newest version.
    Held(Row),
    /// Deleted meanwhile.
    Gone,
    /// Left alone, because another session holds it.
    Skipped,
}

/// What a statement wants a row's lock for.
#[derive(Clone, Copy)]
enum Purpose {
    Change,
    /// `for update`.
    Lock(LockWait),
}

/// One go at a statement.
struct Executor<'a> {
    database: &'a mut Database,
    schema: &'a DatabaseSchema,
    session: SessionId,
    reader: Reader<'a>,
    scope: StatementScope<'a>,
    progress: &'a mut Progress,
}

impl Execution {
    pub(super) fn new(snapshot: Vec<Rc<Table>>) -> Execution {
        Execution {
            snapshot,
            ..Execution::default()
        }
    }

    /// Goes on until the statement is done, fails or has to wait.
    pub(super) fn run(
        &mut self,
        database: &mut Database,
        schema: &DatabaseSchema,
        session: SessionId,
        statement: &Statement,
        parameters: &[Value],
    ) -> Result<Value, Stop> {
        let now = database
            .transaction_mut(session)
            .map_or(0, |transaction| transaction.started);
        let reads = database.member(session).map(|_| &self.reads);
        let waiting_selects = locking_sub_selects(statement);
        for select in waiting_selects.into_iter().skip(self.locked.len()) {
            let rows = Executor {
                database,
                schema,
                session,
                reader: Reader::new(&self.snapshot, Some(session), &self.locked, &self.visited).noting(reads),
                scope: StatementScope { parameters, now },
                progress: &mut self.progress,
            }
            .select_and_lock(&select)?;
            self.locked.push((select, rows));
            self.progress = Progress::default();
        }
        let mut executor = Executor {
            database,
            schema,
            session,
            reader: Reader::new(&self.snapshot, Some(session), &self.locked, &self.visited).noting(reads),
            scope: StatementScope { parameters, now },
            progress: &mut self.progress,
        };
        match statement {
            Statement::Select(select) if select.lock.is_some() => Ok(list(executor.select_and_lock(select)?)),
            Statement::Select(select) => Ok(list(executor.reader.select(select, &executor.scope)?)),
            Statement::Insert(insert) => executor.insert(insert),
            Statement::Update(update) => executor.update(update),
            Statement::Delete(delete) => executor.delete(delete),
            // These change no rows and never come here.
            Statement::Begin(_)
            | Statement::Commit
            | Statement::Rollback
            | Statement::Savepoint(_)
            | Statement::RollbackTo(_)
            | Statement::PrepareTransaction(_)
            | Statement::CommitPrepared(_)
            | Statement::RollbackPrepared(_) => Ok(Value::Null),
        }
    }
}

impl Executor<'_> {
    fn table_schema(&self, table: u16) -> Result<&TableSchema, Failure> {
        let found = self.schema.tables.get(usize::from(table));
        found.ok_or_else(|| Failure::new(ErrorClass::Error, format!("there is no table number {table}")))
    }

    /// Locks a row and looks at its newest version. In a transaction's snapshot the first to change a row wins, at once or after the
    /// wait for it: who comes later fails, even where it would skip a row that is merely locked.
    fn lock_row(&mut self, table: u16, identity: u64, purpose: Purpose) -> Result<Locked, Stop> {
        match (self.database.since_snapshot(self.session, table, identity), purpose) {
            (Since::Nothing, _) => {}
            (Since::Deleted, Purpose::Change) => return Err(too_late("delete").into()),
            (Since::Changed | Since::Deleted, _) => return Err(too_late("update").into()),
        }
        let wait = match purpose {
            Purpose::Change => LockWait::Wait,
            Purpose::Lock(wait) => wait,
        };
        let Some(found) = self.database.table(table) else {
            return Ok(Locked::Gone);
        };
        let holder = found.locks.get(&identity).copied();
        match (holder.filter(|holder| *holder != self.session), wait) {
            (Some(holder), LockWait::Wait) => return Err(Stop::Waits(Target::Row { table, identity }, holder)),
            (Some(_), LockWait::SkipLocked) => return Ok(Locked::Skipped),
            (Some(_), LockWait::NoWait) => {
                let name = &self.table_schema(table)?.name;
                let detail = format!("could not obtain lock on row in relation \"{name}\"");
                return Err(Failure::new(ErrorClass::Refused, detail).into());
            }
            (None, _) => {}
        }
        let Some(newest) = found.visible(Some(self.session), identity).cloned() else {
            return Ok(Locked::Gone);
        };
        if holder.is_none() {
            self.database.lock(self.session, table, identity);
        }
        Ok(Locked::Held(newest))
    }

    /// Locks the next row for good and gives its newest version, if that still matches. A row that matches no longer stays locked,
    /// as in PostgreSQL.
    fn lock_matching(
        &mut self,
        table: u16,
        filter: Option<&Expr>,
        seen: &(u64, Row),
        purpose: Purpose,
    ) -> Result<Option<Row>, Stop> {
        match self.lock_row(table, seen.0, purpose)? {
            Locked::Held(newest) if newest == seen.1 => Ok(Some(newest)),
            Locked::Held(newest) => {
                let matches = self.reader.matches(filter, &newest, &self.scope)?;
                Ok(matches.then_some(newest))
            }
            Locked::Gone | Locked::Skipped => Ok(None),
        }
    }

    /// Gives a row its new version; none deletes it.
    fn change(&mut self, table: u16, identity: u64, before: Option<&Row>, after: Option<Row>) -> Result<(), Failure> {
        self.database.note_write(self.session, table, before, after.as_ref())?;
        self.database.change(self.session, table, identity, after);
        Ok(())
    }

    /// Gets the keys of a stored row in all unique indexes, one after the other; keys it had before it has already.
    fn claim_keys(&mut self, table: u16, identity: u64, before: Option<&Row>) -> Result<(), Stop> {
        let uniques = self.database.table(table).map_or(0, |found| found.uniques.len());
        for unique in 0..uniques {
            let Some(key) = self.new_key(table, unique, identity, before) else {
                continue;
            };
            self.check_key(table, unique, &key, Some(identity))?;
            self.database.claim(self.session, table, unique, key, identity);
        }
        Ok(())
    }

    /// The key a stored row has and its version before had not.
    fn new_key(&self, table: u16, unique: usize, identity: u64, before: Option<&Row>) -> Option<Value> {
        let found = self.database.table(table)?;
        let index = found.uniques.get(unique)?;
        let key = index.key(found.visible(Some(self.session), identity)?)?;
        (before.and_then(|row| index.key(row)).as_ref() != Some(&key)).then_some(key)
    }

    /// Waits for a rival that may take the key, and fails if it is taken.
    fn check_key(&mut self, table: u16, unique: usize, key: &Value, own: Option<u64>) -> Result<(), Stop> {
        if self.holder(table, unique, key, own)?.is_none() {
            return Ok(());
        }
        let uniques = &self.table_schema(table)?.uniques;
        let constraint = uniques.get(unique).map_or("", |unique| &unique.name);
        let detail = format!("duplicate key value violates unique constraint \"{constraint}\"");
        Err(Failure::new(ErrorClass::Duplicate, detail).into())
    }

    /// The row that keeps the row `own` from getting a key. Waits for a rival that may take it.
    fn holder(&mut self, table: u16, unique: usize, key: &Value, own: Option<u64>) -> Result<Option<u64>, Stop> {
        let found = self.database.table(table);
        match found.and_then(|found| found.conflict(unique, key, self.session, own)) {
            None => {
                self.database.note_free_key(self.session, table, unique, key)?;
                Ok(None)
            }
            Some(Conflict::Duplicate(holder)) => Ok(Some(holder)),
            Some(Conflict::Open(rival)) => {
                let key = key.clone();
                let target = Target::Key {
                    table,
                    unique,
                    key,
                    own,
                };
                Err(Stop::Waits(target, rival))
            }
        }
    }

    /// A row is done: counts it, and notes what `returning` wants of it.
    fn count(&mut self, returning: Option<&Items>, row: &Row) -> Result<(), Failure> {
        if let Some(items) = returning {
            let projected = self.reader.project(items, row, &self.scope)?;
            self.progress.result.push(projected);
        }
        self.progress.count += 1;
        Ok(())
    }

    /// The answer of a statement that changes rows.
    fn answer(&mut self, returning: Option<&Items>) -> Value {
        match returning {
            Some(_) => list(std::mem::take(&mut self.progress.result)),
            None => Value::Int(self.progress.count),
        }
    }
}

fn list(rows: Vec<Row>) -> Value {
    Value::List(Rc::new(rows.into_iter().map(Value::Row).collect()))
}

/// The sub-selects of a statement that lock rows and do not depend on its rows, inner ones first.
fn locking_sub_selects(statement: &Statement) -> Vec<Rc<Select>> {
    let mut found = Vec::new();
    for expr in statement.exprs() {
        collect_locking(expr, &mut found);
    }
    found
}

fn collect_locking(expr: &Expr, found: &mut Vec<Rc<Select>>) {
    let mut selects = Vec::new();
    expr.visit(&mut |inner| selects.extend(inner.sub_select()));
    for select in selects {
        select.exprs().for_each(|inner| collect_locking(inner, found));
        if select.lock.is_some() && !lookup::depends_on_outer_row(select) {
            found.push(Rc::clone(select));
        }
    }
}
