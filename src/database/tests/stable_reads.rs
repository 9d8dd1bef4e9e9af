//! Random interleavings of three sessions at repeatable read against a naive model of snapshots.
//!
//! The model copies all committed rows when a transaction asks for the first time. What this shows: every read is that copy under
//! the transaction's own changes, to its end; nobody commits a change of a row that somebody else has changed and committed
//! meanwhile; and a serialization failure is reported only where somebody has.

use super::support::*;
use crate::database::{Effects, Handled, SessionId};
use crate::expression::ErrorClass;
use crate::sql::Statement;
use crate::value::Value;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::collections::BTreeMap;

type Checked = Result<(), TestCaseError>;

/// A row of the model: key, value, and the number of the version.
type Version = (i64, i64, u32);

/// Rows by an identity of the model's own.
type Rows = BTreeMap<u32, Version>;

#[derive(Clone, Debug)]
enum Action {
    Commit,
    Rollback,
    Read,
    ReadOne(i64),
    Insert(i64, i64),
    InsertOrNothing(i64, i64),
    Add(i64, i64),
    Delete(i64),
}

#[derive(Clone, Debug, Default)]
struct Open {
    snapshot: Rows,
    /// Own changes; none: deleted.
    own: BTreeMap<u32, Option<Version>>,
}

#[derive(Default)]
struct Model {
    committed: Rows,
    open: BTreeMap<SessionId, Open>,
    waiting: BTreeMap<SessionId, (Action, bool)>,
    /// Gives identities and versions.
    counter: u32,
}

const SESSIONS: [SessionId; 3] = [1, 2, 3];
const ROWS: [(i64, i64); 3] = [(1, 10), (2, 20), (3, 30)];

impl Open {
    /// What the transaction sees.
    fn view(&self) -> Rows {
        let mut view = self.snapshot.clone();
        for (identity, version) in &self.own {
            match version {
                Some(version) => view.insert(*identity, *version),
                None => view.remove(identity),
            };
        }
        view
    }

    /// The rows it sees with that key: more than one if the key has become free since its snapshot and it has taken it.
    fn with_key(&self, id: i64) -> Vec<(u32, Version)> {
        self.view().into_iter().filter(|(_, (key, ..))| *key == id).collect()
    }
}

impl Model {
    fn number(&mut self) -> u32 {
        self.counter += 1;
        self.counter
    }

    /// True if somebody has committed a change to a row of the snapshot.
    fn is_outdated(&self, open: &Open, identity: u32) -> bool {
        let seen = open.snapshot.get(&identity);
        seen.is_some() && seen != self.committed.get(&identity)
    }

    fn settle(&mut self, session: SessionId, action: &Action, effects: Effects) -> Checked {
        for woken in &effects.woken {
            if let Some((_, is_woken)) = self.waiting.get_mut(woken) {
                *is_woken = true;
            }
        }
        match effects.handled {
            Handled::Waits => {
                self.waiting.insert(session, (action.clone(), false));
                Ok(())
            }
            Handled::Done(Err(failure)) => {
                let open = self.open.get(&session).cloned().unwrap_or_default();
                let expected = match (failure.class, action) {
                    (ErrorClass::Serialization, Action::Add(id, _) | Action::Delete(id)) => {
                        open.with_key(*id).iter().any(|(row, _)| self.is_outdated(&open, *row))
                    }
                    (ErrorClass::Serialization, Action::InsertOrNothing(id, _)) => {
                        // Whoever has the key now is not who had it in the snapshot.
                        let mut now = self.committed.iter().filter(|(_, (key, ..))| key == id);
                        now.any(|(row, version)| open.snapshot.get(row) != Some(version))
                    }
                    (ErrorClass::Duplicate, Action::Insert(id, _)) => {
                        let own = open.own.values().flatten().any(|(key, ..)| key == id);
                        own || self.committed.values().any(|(key, ..)| key == id)
                    }
                    (ErrorClass::Deadlock, _) => true,
                    _ => false,
                };
                prop_assert!(expected, "{action:?} must not fail with {failure:?}");
                Ok(())
            }
            Handled::Done(Ok(value)) => self.succeed(session, action, &value),
        }
    }

    fn succeed(&mut self, session: SessionId, action: &Action, value: &Value) -> Checked {
        let open = self.open.get(&session).cloned().unwrap_or_default();
        let changed = *value == Value::Int(1);
        match action {
            Action::Commit => return self.commit(&open),
            Action::Rollback => {}
            Action::Read => {
                let mut rows: Vec<(i64, i64)> = open.view().values().map(|(id, v, _)| (*id, *v)).collect();
                // Equal keys stand in the sequence of their identities.
                rows.sort_by_key(|(id, _)| *id);
                prop_assert_eq!(shown(value), rows);
            }
            Action::ReadOne(id) => {
                let rows: Vec<(i64, i64)> = open.with_key(*id).iter().map(|(_, (id, v, _))| (*id, *v)).collect();
                prop_assert_eq!(shown(value), rows);
            }
            Action::Insert(id, v) | Action::InsertOrNothing(id, v) => {
                prop_assert!(
                    changed || !open.with_key(*id).is_empty(),
                    "{id} was left out but is not there"
                );
                if changed {
                    let (identity, version) = (self.number(), self.number());
                    self.own(session).insert(identity, Some((*id, *v, version)));
                }
            }
            Action::Add(id, _) | Action::Delete(id) => {
                let rows = open.with_key(*id);
                prop_assert_eq!(value, &Value::Int(rows.len() as i64));
                for (identity, (key, v, _)) in rows {
                    prop_assert!(!self.is_outdated(&open, identity), "{key} was changed before");
                    let version = self.number();
                    let after = match action {
                        Action::Add(_, n) => Some((key, v + n, version)),
                        _ => None,
                    };
                    self.own(session).insert(identity, after);
                }
            }
        }
        Ok(())
    }

    fn own(&mut self, session: SessionId) -> &mut BTreeMap<u32, Option<Version>> {
        &mut self.open.entry(session).or_default().own
    }

    fn commit(&mut self, open: &Open) -> Checked {
        for (identity, version) in &open.own {
            prop_assert!(!self.is_outdated(open, *identity), "somebody was first");
            match version {
                Some(version) => self.committed.insert(*identity, *version),
                None => self.committed.remove(identity),
            };
        }
        Ok(())
    }
}

fn shown(value: &Value) -> Vec<(i64, i64)> {
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
    match *action {
        Action::Commit => COMMIT,
        Action::Rollback => ROLLBACK,
        Action::Read => all().send(),
        Action::ReadOne(id) => one(id).send(),
        Action::Insert(id, v) => insert(&[(id, v)]),
        Action::InsertOrNothing(id, v) => or_nothing(insert(&[(id, v)]), None),
        Action::Add(id, n) => add(id, n),
        Action::Delete(id) => delete(Some(eq(ID, id))),
    }
}

fn step(bench: &mut Bench, model: &mut Model, session: SessionId, action: &Action) -> Checked {
    let (action, effects) = match model.waiting.get(&session).cloned() {
        Some((waited, true)) => {
            model.waiting.remove(&session);
            (waited, bench.ask_again(session))
        }
        Some((waited, false)) => match bench.database.deadlock(session) {
            Some(effects) => {
                model.waiting.remove(&session);
                (waited, effects)
            }
            None => return Ok(()),
        },
        None => {
            let ends = matches!(action, Action::Commit | Action::Rollback);
            if !ends && !bench.database.in_transaction(session) {
                bench.send(session, REPEATABLE);
                let snapshot = model.committed.clone();
                let own = BTreeMap::new();
                model.open.insert(session, Open { snapshot, own });
            }
            (action.clone(), bench.send(session, statement(action)))
        }
    };
    let failed = matches!(effects.handled, Handled::Done(Err(_)));
    model.settle(session, &action, effects)?;
    if failed {
        let effects = bench.send(session, ROLLBACK);
        model.settle(session, &Action::Rollback, effects)?;
    }
    if !bench.database.in_transaction(session) {
        model.open.remove(&session);
    }
    Ok(())
}

fn action() -> impl Strategy<Value = Action> {
    let id = || 1..6_i64;
    prop_oneof![
        3 => Just(Action::Commit),
        1 => Just(Action::Rollback),
        3 => Just(Action::Read),
        2 => id().prop_map(Action::ReadOne),
        3 => (id(), 1..9_i64).prop_map(|(id, v)| Action::Insert(id, v)),
        2 => (id(), 1..9_i64).prop_map(|(id, v)| Action::InsertOrNothing(id, v)),
        4 => (id(), 1..9_i64).prop_map(|(id, n)| Action::Add(id, n)),
        3 => id().prop_map(Action::Delete),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn reads_are_stable_and_the_first_updater_wins(
        steps in prop::collection::vec((prop::sample::select(&SESSIONS[..]), action()), 1..60),
    ) {
        let (mut bench, mut model) = (Bench::new(&ROWS), Model::default());
        for (id, v) in ROWS {
            let (identity, version) = (model.number(), model.number());
            model.committed.insert(identity, (id, v, version));
        }
        for (session, action) in &steps {
            step(&mut bench, &mut model, *session, action)?;
            let mut rows = bench.rows();
            rows.sort_unstable();
            let mut expected: Vec<(i64, i64)> = model.committed.values().map(|(id, v, _)| (*id, *v)).collect();
            expected.sort_unstable();
            prop_assert_eq!(rows, expected);
        }
    }
}
