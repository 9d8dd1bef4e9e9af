//! Random interleavings of three sessions against a naive model that knows no locks, no snapshots and no waiting.
//!
//! The model is a map of committed rows and, for each open transaction, the list of what its statements say they have done. At a
//! commit it re-applies that list to the committed rows, one transaction after the other. What this shows:
//! - no lost update and no half transaction: the committed rows are those of the committed transactions re-applied one after the other
//!   in the sequence of their commits, each as a whole, and nothing of all others;
//! - results of finished transactions fit: each row they returned from a change or a locking select has the value that the model has
//!   at that moment and still at the commit, and each plain select shows the committed rows with the session's own changes upon them;
//! - a duplicate is reported only for a key that is there, and a key is never given twice;
//! - nobody waits for ever: when all transactions have ended, every waiter has been woken or was a deadlock's victim.
//!
//! It does not predict who waits, nor what a statement skips after a wait: the scripts in the other files do.

use super::support::*;
use crate::database::{Effects, Handled, SessionId};
use crate::expression::ErrorClass;
use crate::sql::{LockWait, Statement};
use crate::value::Value;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::collections::{BTreeMap, BTreeSet};

type Rows = BTreeMap<i64, i64>;
type Checked = Result<(), TestCaseError>;

#[derive(Clone, Debug)]
enum Action {
    Begin,
    Commit,
    Rollback,
    Savepoint,
    RollbackTo,
    Close,
    Read,
    ReadOne(i64),
    Insert(i64, i64),
    InsertOrNothing(i64, i64),
    Add(i64, i64),
    AddBelow(i64, i64),
    Rename(i64, i64),
    Delete(i64),
    Lock { limit: i64, wait: LockWait },
}

/// What a statement says it has done.
#[derive(Clone, Debug)]
enum Done {
    Insert(i64, i64),
    Add(i64, i64),
    Rename(i64, i64),
    Delete(i64),
    /// Locked the row and seen this value.
    Saw(i64, i64),
}

#[derive(Clone, Debug, Default)]
struct Open {
    explicit: bool,
    aborted: bool,
    done: Vec<Done>,
    savepoints: Vec<usize>,
}

#[derive(Clone)]
struct World {
    bench: Bench,
    committed: Rows,
    open: BTreeMap<SessionId, Open>,
    /// The action a session waits with, and whether it has been woken.
    waiting: BTreeMap<SessionId, (Action, bool)>,
}

const SESSIONS: [SessionId; 3] = [1, 2, 3];

impl World {
    fn new() -> World {
        let rows = [(1, 10), (2, 20), (3, 30), (4, 40)];
        World {
            bench: Bench::new(&rows),
            committed: rows.into(),
            open: BTreeMap::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// One step of a session: it goes on with what it waits for, or does something new.
    fn step(&mut self, session: SessionId, action: &Action) -> Checked {
        match self.waiting.get(&session).cloned() {
            Some((waited, true)) => {
                let effects = self.bench.ask_again(session);
                self.waiting.remove(&session);
                self.settle(session, &waited, effects, true)
            }
            Some((_, false)) => match self.bench.database.deadlock(session) {
                Some(effects) => {
                    self.waiting.remove(&session);
                    self.wake(&effects.woken)?;
                    prop_assert!(
                        matches!(&effects.handled, Handled::Done(Err(failure)) if failure.class == ErrorClass::Deadlock)
                    );
                    self.abort(session);
                    Ok(())
                }
                None => Ok(()),
            },
            None => self.act(session, action),
        }
    }

    fn act(&mut self, session: SessionId, action: &Action) -> Checked {
        let effects = match action {
            Action::Close => {
                let woken = self.bench.database.close(session);
                self.open.remove(&session);
                return self.wake(&woken);
            }
            action => self.bench.send(session, statement(action)),
        };
        self.settle(session, action, effects, false)
    }

    fn wake(&mut self, woken: &[SessionId]) -> Checked {
        for session in woken {
            let waiter = self.waiting.get_mut(session);
            prop_assert!(
                matches!(waiter, Some((_, false))),
                "{session} is woken but does not wait"
            );
            if let Some((_, is_woken)) = waiter {
                *is_woken = true;
            }
        }
        Ok(())
    }

    fn settle(&mut self, session: SessionId, action: &Action, effects: Effects, waited: bool) -> Checked {
        self.wake(&effects.woken)?;
        match effects.handled {
            Handled::Waits => {
                self.open.entry(session).or_default();
                self.waiting.insert(session, (action.clone(), false));
                Ok(())
            }
            Handled::Done(Err(failure)) => {
                self.check_failure(session, action, failure.class)?;
                self.abort(session);
                Ok(())
            }
            Handled::Done(Ok(value)) => self.succeed(session, action, &value, waited),
        }
    }

    fn check_failure(&self, session: SessionId, action: &Action, class: ErrorClass) -> Checked {
        let aborted = self.open.get(&session).is_some_and(|open| open.aborted);
        let expected = match (class, action) {
            (ErrorClass::Aborted, _) => aborted,
            (ErrorClass::Duplicate, Action::Insert(id, _) | Action::Rename(_, id)) => {
                self.view(session)?.contains_key(id)
            }
            (ErrorClass::Refused, Action::Lock { wait, .. }) => *wait == LockWait::NoWait,
            (ErrorClass::Error, Action::Savepoint | Action::RollbackTo) => true,
            _ => false,
        };
        prop_assert!(expected, "{action:?} must not fail with {class:?}");
        Ok(())
    }

    fn abort(&mut self, session: SessionId) {
        match self.open.get_mut(&session) {
            Some(open) if open.explicit => {
                if !open.aborted {
                    open.done.truncate(open.savepoints.last().copied().unwrap_or(0));
                }
                open.aborted = true;
            }
            _ => {
                self.open.remove(&session);
            }
        }
    }

    fn succeed(&mut self, session: SessionId, action: &Action, value: &Value, waited: bool) -> Checked {
        match action {
            Action::Begin => {
                self.open.entry(session).or_default().explicit = true;
                return Ok(());
            }
            Action::Commit => return self.commit(session),
            Action::Rollback => {
                self.open.remove(&session);
                return Ok(());
            }
            Action::Savepoint => {
                let open = self.open.entry(session).or_default();
                open.savepoints.push(open.done.len());
                return Ok(());
            }
            Action::RollbackTo => {
                let open = self.open.entry(session).or_default();
                open.done.truncate(open.savepoints.last().copied().unwrap_or(0));
                open.aborted = false;
                return Ok(());
            }
            _ => {}
        }
        let done = self.reported(session, action, value, waited)?;
        let open = self.open.entry(session).or_default();
        open.done.extend(done);
        if !open.explicit {
            return self.commit(session);
        }
        self.view(session).map(|_| ())
    }

    /// What a statement's result says it has done; the result is checked against the rows as the session sees them.
    fn reported(
        &self,
        session: SessionId,
        action: &Action,
        value: &Value,
        waited: bool,
    ) -> Result<Vec<Done>, TestCaseError> {
        let view = self.view(session)?;
        let changed = *value == Value::Int(1);
        let misses = |id: &i64| changed || waited || !view.contains_key(id);
        Ok(match action {
            Action::Insert(id, v) => vec![Done::Insert(*id, *v)],
            Action::InsertOrNothing(id, v) if changed => vec![Done::Insert(*id, *v)],
            Action::InsertOrNothing(id, _) => {
                prop_assert!(view.contains_key(id), "{id} was left out but is not there");
                Vec::new()
            }
            Action::Add(id, n) => {
                prop_assert!(misses(id), "{id} is there but was not changed");
                if changed { vec![Done::Add(*id, *n)] } else { Vec::new() }
            }
            Action::Rename(id, to) => {
                prop_assert!(misses(id), "{id} is there but was not renamed");
                if changed {
                    vec![Done::Rename(*id, *to)]
                } else {
                    Vec::new()
                }
            }
            Action::Delete(id) => {
                prop_assert!(misses(id), "{id} is there but was not deleted");
                if changed { vec![Done::Delete(*id)] } else { Vec::new() }
            }
            Action::AddBelow(_, n) => pairs(value)
                .into_iter()
                .flat_map(|(id, v)| [Done::Add(id, *n), Done::Saw(id, v)])
                .collect(),
            Action::Lock { limit, .. } => {
                let rows = pairs(value);
                prop_assert!(rows.len() <= usize::try_from(*limit).unwrap_or(0));
                rows.into_iter().map(|(id, v)| Done::Saw(id, v)).collect()
            }
            Action::Read => {
                prop_assert_eq!(pairs(value), view.into_iter().collect::<Vec<_>>());
                Vec::new()
            }
            Action::ReadOne(id) => {
                let expected: Vec<(i64, i64)> = view.get(id).map(|v| (*id, *v)).into_iter().collect();
                prop_assert_eq!(pairs(value), expected);
                Vec::new()
            }
            _ => Vec::new(),
        })
    }

    fn commit(&mut self, session: SessionId) -> Checked {
        let Some(open) = self.open.remove(&session) else {
            return Ok(());
        };
        if !open.aborted {
            apply(&open.done, &mut self.committed)?;
        }
        prop_assert_eq!(self.bench.rows().into_iter().collect::<Rows>(), self.committed.clone());
        Ok(())
    }

    /// The committed rows with a session's own changes upon them.
    fn view(&self, session: SessionId) -> Result<Rows, TestCaseError> {
        let mut rows = self.committed.clone();
        if let Some(open) = self.open.get(&session) {
            apply(&open.done, &mut rows)?;
        }
        Ok(rows)
    }

    /// Ends everything. Whoever still waits when all others are done must be in a deadlock.
    fn end(&mut self) -> Checked {
        // In each round at least one session ends its transaction, loses a deadlock or gets what it waited for.
        for _ in 0..20 {
            for session in SESSIONS {
                self.step(session, &Action::Commit)?;
            }
        }
        prop_assert!(self.waiting.is_empty(), "nobody wakes {:?}", self.waiting);
        for session in SESSIONS {
            self.step(session, &Action::Close)?;
        }
        prop_assert_eq!(self.bench.rows().into_iter().collect::<Rows>(), self.committed.clone());
        self.check_nothing_is_left()
    }

    fn check_nothing_is_left(&self) -> Checked {
        let database = &self.bench.database;
        prop_assert!(database.sessions.iter().next().is_none());
        for table in &database.tables {
            prop_assert!(table.pending.iter().next().is_none());
            prop_assert!(table.locks.iter().next().is_none());
            for index in &table.uniques {
                prop_assert!(index.claims.iter().next().is_none());
                let keys = table
                    .heap
                    .iter()
                    .filter_map(|(identity, row)| Some((index.key(row)?, *identity)));
                let held = index.holders.iter().map(|(key, identity)| (key.clone(), *identity));
                prop_assert_eq!(keys.collect::<BTreeSet<_>>(), held.collect::<BTreeSet<_>>());
            }
        }
        self.check_log()
    }

    /// The commit log, replayed, gives the rows; commit numbers ascend by one.
    fn check_log(&self) -> Checked {
        let (mut rows, mut last) = (BTreeMap::new(), 0);
        for fact in self.bench.database.facts(T).iter() {
            prop_assert!(fact.commit == last || fact.commit == last + 1);
            last = fact.commit;
            match fact.change {
                crate::fact::Change::Insert => prop_assert!(rows.insert(fact.identity, fact.row.clone()).is_none()),
                crate::fact::Change::Update => prop_assert!(rows.insert(fact.identity, fact.row.clone()).is_some()),
                crate::fact::Change::Delete => prop_assert_eq!(rows.remove(&fact.identity), Some(fact.row.clone())),
            }
        }
        let committed = self
            .bench
            .database
            .rows(T)
            .map(|(identity, row)| (identity, row.clone()));
        prop_assert_eq!(rows, committed.collect::<BTreeMap<_, _>>());
        Ok(())
    }
}

fn apply(done: &[Done], rows: &mut Rows) -> Checked {
    for done in done {
        match *done {
            Done::Insert(id, v) => prop_assert_eq!(rows.insert(id, v), None, "{} is given twice", id),
            Done::Add(id, n) => match rows.get_mut(&id) {
                Some(v) => *v += n,
                None => prop_assert!(false, "{} was changed but is not there", id),
            },
            Done::Rename(from, to) => {
                let moved = rows.remove(&from);
                prop_assert!(moved.is_some(), "{} was renamed but is not there", from);
                prop_assert_eq!(moved.and_then(|v| rows.insert(to, v)), None, "{} is given twice", to);
            }
            Done::Delete(id) => prop_assert!(rows.remove(&id).is_some(), "{} was deleted but is not there", id),
            Done::Saw(id, v) => prop_assert_eq!(rows.get(&id), Some(&v), "{} has changed under its lock", id),
        }
    }
    Ok(())
}

/// Rows of two numbers.
fn pairs(value: &Value) -> Vec<(i64, i64)> {
    let pair = |row: &Value| match row {
        Value::Row(row) => match row.values() {
            [Value::Int(id), Value::Int(v)] => (*id, *v),
            other => panic!("not two numbers: {other:?}"),
        },
        other => panic!("no row: {other:?}"),
    };
    match value {
        Value::List(rows) => rows.iter().map(pair).collect(),
        other => panic!("no rows: {other:?}"),
    }
}

fn statement(action: &Action) -> Statement {
    match action {
        Action::Begin => BEGIN,
        Action::Commit => COMMIT,
        Action::Rollback | Action::Close => ROLLBACK,
        Action::Savepoint => savepoint("s"),
        Action::RollbackTo => rollback_to("s"),
        Action::Read => all().send(),
        Action::ReadOne(id) => from(T, &[ID, V]).filtered(eq(ID, *id)).send(),
        Action::Insert(id, v) => insert(&[(*id, *v)]),
        Action::InsertOrNothing(id, v) => or_nothing(insert(&[(*id, *v)]), None),
        Action::Add(id, n) => add(*id, *n),
        Action::AddBelow(id, n) => returning(update(&[(V, plus(V, *n))], Some(less(ID, *id))), &[ID, V]),
        Action::Rename(id, to) => update(&[(ID, int(*to))], Some(eq(ID, *id))),
        Action::Delete(id) => delete(Some(eq(ID, *id))),
        Action::Lock { limit, wait } => all().first(*limit).locking(*wait).send(),
    }
}

fn action() -> impl Strategy<Value = Action> {
    let id = || 1..7_i64;
    prop_oneof![
        4 => Just(Action::Begin),
        3 => Just(Action::Commit),
        1 => Just(Action::Rollback),
        1 => Just(Action::Savepoint),
        1 => Just(Action::RollbackTo),
        1 => Just(Action::Close),
        2 => Just(Action::Read),
        1 => id().prop_map(Action::ReadOne),
        3 => (id(), 1..9_i64).prop_map(|(id, v)| Action::Insert(id, v)),
        2 => (id(), 1..9_i64).prop_map(|(id, v)| Action::InsertOrNothing(id, v)),
        4 => (id(), 1..9_i64).prop_map(|(id, n)| Action::Add(id, n)),
        2 => (id(), 1..9_i64).prop_map(|(id, n)| Action::AddBelow(id, n)),
        2 => (id(), id()).prop_filter("another key", |(from, to)| from != to).prop_map(|(from, to)| Action::Rename(from, to)),
        2 => id().prop_map(Action::Delete),
        2 => (1..4_i64, prop_oneof![Just(LockWait::Wait), Just(LockWait::NoWait), Just(LockWait::SkipLocked)])
            .prop_map(|(limit, wait)| Action::Lock { limit, wait }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_interleaving_is_as_good_as_its_commits_one_after_the_other(
        steps in prop::collection::vec((prop::sample::select(&SESSIONS[..]), action()), 1..80),
        midway in 0..80_usize,
    ) {
        let mut world = World::new();
        let mut cloned = None;
        for (number, (session, action)) in steps.iter().enumerate() {
            if number == midway {
                cloned = Some((world.clone(), world.bench.rows()));
            }
            world.step(*session, action)?;
        }
        world.end()?;
        if let Some((mut clone, rows)) = cloned {
            prop_assert_eq!(clone.bench.rows(), rows, "the clone is untouched by what the original went on to do");
            for (session, action) in &steps[midway..] {
                clone.step(*session, action)?;
            }
            clone.end()?;
            prop_assert_eq!(clone.bench.database, world.bench.database, "and comes to the same end");
        }
    }
}
