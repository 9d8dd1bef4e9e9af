//! Random interleavings of three serializable sessions: what has committed must be the outcome of a serial order.
//!
//! Goal: no anomaly of snapshot isolation gets through, whatever the statements, waits, deadlocks, savepoints and preparations.
//! Method: brute force. There must be a sequence of the committed transactions in which a naive map gives every answer they
//! got, and the rows that are left at the end. Answers that say a key is taken are left out: PostgreSQL notes nothing of them.

use super::support::*;
use crate::database::{Handled, SessionId};
use crate::expression::ErrorClass;
use crate::sql::Statement;
use crate::value::Value;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::collections::BTreeMap;

type Rows = BTreeMap<i64, i64>;
type Checked = Result<(), TestCaseError>;

#[derive(Clone, Debug)]
enum Action {
    Commit,
    Rollback,
    Prepare,
    /// Commits the oldest prepared transaction.
    CommitPrepared,
    Ask(Ask),
}

#[derive(Clone, Debug, PartialEq)]
enum Ask {
    Read,
    ReadOne(i64),
    ReadBelow(i64),
    Insert(i64, i64),
    /// In a savepoint: a duplicate does not end the transaction.
    TryInsert(i64, i64),
    InsertOrNothing(i64, i64),
    Add(i64, i64),
    AddBelow(i64, i64),
    Rename(i64, i64),
    Delete(i64),
    DeleteBelow(i64),
}

/// A transaction: what it asked, and what it heard.
type Transaction = Vec<(Ask, String)>;

#[derive(Clone)]
struct World {
    bench: Bench,
    open: BTreeMap<SessionId, Transaction>,
    /// What a session waits with, and whether it has been woken.
    waiting: BTreeMap<SessionId, (Ask, bool)>,
    prepared: Vec<(String, Transaction)>,
    committed: Vec<Transaction>,
}

const SESSIONS: [SessionId; 3] = [1, 2, 3];
/// Commits what others have prepared.
const COORDINATOR: SessionId = 4;
const ROWS: [(i64, i64); 3] = [(1, 10), (2, 20), (3, 30)];

impl World {
    fn new() -> World {
        World {
            bench: Bench::new(&ROWS),
            open: BTreeMap::new(),
            waiting: BTreeMap::new(),
            prepared: Vec::new(),
            committed: Vec::new(),
        }
    }

    fn step(&mut self, session: SessionId, action: &Action) {
        match self.waiting.get(&session).cloned() {
            Some((ask, true)) => {
                self.waiting.remove(&session);
                let effects = self.bench.ask_again(session);
                self.settle(session, ask, effects);
            }
            Some((ask, false)) => {
                if let Some(effects) = self.bench.database.deadlock(session) {
                    self.waiting.remove(&session);
                    self.settle(session, ask, effects);
                }
            }
            None => self.act(session, action),
        }
    }

    fn act(&mut self, session: SessionId, action: &Action) {
        match action {
            Action::Commit => {
                let transaction = self.open.remove(&session);
                let effects = self.bench.send(session, COMMIT);
                self.wake(&effects.woken);
                if effects.handled == Handled::Done(Ok(Value::Null)) {
                    self.committed.extend(transaction);
                }
            }
            Action::Rollback => self.roll_back(session),
            Action::Prepare => {
                let Some(transaction) = self.open.remove(&session) else {
                    return;
                };
                let identifier = format!("{session}-{}", self.committed.len() + self.prepared.len());
                let effects = self.bench.send(session, prepare(&identifier));
                self.wake(&effects.woken);
                if effects.handled == Handled::Done(Ok(Value::Null)) {
                    self.prepared.push((identifier, transaction));
                }
            }
            Action::CommitPrepared => {
                if self.prepared.is_empty() {
                    return;
                }
                let (identifier, transaction) = self.prepared.remove(0);
                let effects = self.bench.send(COORDINATOR, commit_prepared(&identifier));
                assert_eq!(
                    effects.handled,
                    Handled::Done(Ok(Value::Null)),
                    "what is prepared commits"
                );
                self.wake(&effects.woken);
                self.committed.push(transaction);
            }
            Action::Ask(ask) => {
                if !self.open.contains_key(&session) {
                    self.bench.send(session, SERIALIZABLE);
                    self.open.insert(session, Vec::new());
                }
                if matches!(ask, Ask::TryInsert(..)) {
                    self.bench.send(session, savepoint("s"));
                }
                let effects = self.bench.send(session, statement(ask));
                self.settle(session, ask.clone(), effects);
            }
        }
    }

    fn settle(&mut self, session: SessionId, ask: Ask, effects: crate::database::Effects) {
        self.wake(&effects.woken);
        let heard = match effects.handled {
            Handled::Waits => {
                self.waiting.insert(session, (ask, false));
                return;
            }
            Handled::Done(Ok(value)) => shown(&value),
            Handled::Done(Err(failure)) => {
                if failure.class != ErrorClass::Duplicate || !matches!(ask, Ask::TryInsert(..)) {
                    return self.roll_back(session);
                }
                let effects = self.bench.send(session, rollback_to("s"));
                self.wake(&effects.woken);
                "duplicate".to_string()
            }
        };
        self.open.entry(session).or_default().push((ask, heard));
    }

    fn roll_back(&mut self, session: SessionId) {
        self.open.remove(&session);
        let effects = self.bench.send(session, ROLLBACK);
        self.wake(&effects.woken);
    }

    fn wake(&mut self, woken: &[SessionId]) {
        for session in woken {
            if let Some((_, woken)) = self.waiting.get_mut(session) {
                *woken = true;
            }
        }
    }

    /// Ends everything that is open, and asks for the serial order.
    fn end(&mut self) -> Checked {
        for _ in 0..20 {
            for session in SESSIONS {
                self.act(COORDINATOR, &Action::CommitPrepared);
                self.step(session, &Action::Commit);
            }
        }
        prop_assert!(self.waiting.is_empty(), "nobody wakes {:?}", self.waiting);
        prop_assert!(self.prepared.is_empty());
        prop_assert_eq!(self.bench.database.serializable.remembered(), 0);
        let left: Rows = self.bench.rows().into_iter().collect();
        prop_assert_eq!(left.len(), self.bench.rows().len(), "no key twice");
        let mut todo: Vec<&Transaction> = self.committed.iter().collect();
        prop_assert!(
            has_serial_order(&ROWS.into(), &mut todo, &left),
            "no serial order gives {:#?} and leaves {:?}",
            self.committed,
            left
        );
        Ok(())
    }
}

/// True if some sequence of the transactions gives what each heard, and leaves these rows.
fn has_serial_order(rows: &Rows, todo: &mut Vec<&Transaction>, left: &Rows) -> bool {
    if todo.is_empty() {
        return rows == left;
    }
    for position in 0..todo.len() {
        let next = todo.remove(position);
        let mut after = rows.clone();
        let fits = |(ask, heard): &(Ask, String)| is_unnoted(ask, heard) || answer(&mut after, ask) == *heard;
        if next.iter().all(fits) && has_serial_order(&after, todo, left) {
            return true;
        }
        todo.insert(position, next);
    }
    false
}

/// That a key is taken: as in PostgreSQL this is not noted, so no serial order need give it. It has changed nothing.
fn is_unnoted(ask: &Ask, heard: &str) -> bool {
    heard == "duplicate" || (matches!(ask, Ask::InsertOrNothing(..)) && heard == "0")
}

/// What a map answers.
fn answer(rows: &mut Rows, ask: &Ask) -> String {
    let listed = |rows: Vec<(i64, i64)>| {
        let rows: Vec<String> = rows.into_iter().map(|(id, v)| format!("{id} {v}")).collect();
        rows.join(",")
    };
    match *ask {
        Ask::Read => listed(rows.iter().map(|(id, v)| (*id, *v)).collect()),
        Ask::ReadOne(id) => listed(rows.get(&id).map(|v| (id, *v)).into_iter().collect()),
        Ask::ReadBelow(bound) => listed(
            rows.iter()
                .map(|(id, v)| (*id, *v))
                .filter(|(_, v)| *v < bound)
                .collect(),
        ),
        Ask::Insert(id, _) if rows.contains_key(&id) => "duplicate".into(),
        Ask::TryInsert(id, _) if rows.contains_key(&id) => "duplicate".into(),
        Ask::InsertOrNothing(id, _) if rows.contains_key(&id) => "0".into(),
        Ask::Insert(id, v) | Ask::TryInsert(id, v) | Ask::InsertOrNothing(id, v) => {
            rows.insert(id, v);
            "1".into()
        }
        Ask::Add(id, n) => match rows.get_mut(&id) {
            Some(v) => {
                *v += n;
                "1".into()
            }
            None => "0".into(),
        },
        Ask::AddBelow(bound, n) => {
            let below = rows.values_mut().filter(|v| **v < bound);
            below.map(|v| *v += n).count().to_string()
        }
        Ask::Rename(id, to) if rows.contains_key(&id) && rows.contains_key(&to) => "duplicate".into(),
        Ask::Rename(id, to) => match rows.remove(&id) {
            Some(v) => {
                rows.insert(to, v);
                "1".into()
            }
            None => "0".into(),
        },
        Ask::Delete(id) => usize::from(rows.remove(&id).is_some()).to_string(),
        Ask::DeleteBelow(bound) => {
            let before = rows.len();
            rows.retain(|_, v| *v >= bound);
            (before - rows.len()).to_string()
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::List(rows) => {
            let rows: Vec<String> = rows.iter().map(|row| row.to_string().replace(", ", " ")).collect();
            rows.join(",")
        }
        value => value.to_string(),
    }
}

fn statement(ask: &Ask) -> Statement {
    match *ask {
        Ask::Read => all().send(),
        Ask::ReadOne(id) => one(id).send(),
        Ask::ReadBelow(bound) => all().filtered(less(V, bound)).send(),
        Ask::Insert(id, v) | Ask::TryInsert(id, v) => insert(&[(id, v)]),
        Ask::InsertOrNothing(id, v) => or_nothing(insert(&[(id, v)]), None),
        Ask::Add(id, n) => add(id, n),
        Ask::AddBelow(bound, n) => update(&[(V, plus(V, n))], Some(less(V, bound))),
        Ask::Rename(id, to) => update(&[(ID, int(to))], Some(eq(ID, id))),
        Ask::Delete(id) => delete(Some(eq(ID, id))),
        Ask::DeleteBelow(bound) => delete(Some(less(V, bound))),
    }
}

fn action() -> impl Strategy<Value = Action> {
    let id = || 1..6_i64;
    let ask = prop_oneof![
        2 => Just(Ask::Read),
        4 => id().prop_map(Ask::ReadOne),
        1 => (5..40_i64).prop_map(Ask::ReadBelow),
        2 => (id(), 1..9_i64).prop_map(|(id, v)| Ask::Insert(id, v)),
        1 => (id(), 1..9_i64).prop_map(|(id, v)| Ask::TryInsert(id, v)),
        1 => (id(), 1..9_i64).prop_map(|(id, v)| Ask::InsertOrNothing(id, v)),
        4 => (id(), 1..9_i64).prop_map(|(id, n)| Ask::Add(id, n)),
        1 => (5..40_i64, 1..9_i64).prop_map(|(bound, n)| Ask::AddBelow(bound, n)),
        1 => (id(), id()).prop_filter("another key", |(id, to)| id != to).prop_map(|(id, to)| Ask::Rename(id, to)),
        2 => id().prop_map(Ask::Delete),
        1 => (5..15_i64).prop_map(Ask::DeleteBelow),
    ];
    prop_oneof![
        4 => Just(Action::Commit),
        1 => Just(Action::Rollback),
        1 => Just(Action::Prepare),
        1 => Just(Action::CommitPrepared),
        12 => ask.prop_map(Action::Ask),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_commits_is_in_a_serial_order(
        steps in prop::collection::vec((prop::sample::select(&SESSIONS[..]), action()), 1..30),
        midway in 0..30_usize,
    ) {
        let mut world = World::new();
        let mut cloned = None;
        for (number, (session, action)) in steps.iter().enumerate() {
            if number == midway {
                cloned = Some(world.clone());
            }
            world.step(*session, action);
        }
        world.end()?;
        if let Some(mut clone) = cloned {
            for (session, action) in &steps[midway..] {
                clone.step(*session, action);
            }
            clone.end()?;
            prop_assert_eq!(clone.bench.database, world.bench.database, "a clone comes to the same end");
        }
    }
}
