//! Finding the rows that go together under a condition, without trying every pair.
//!
//! `a.x = f(b) and …` is an equality whose sides speak of one row each: the right rows are kept under the value of their
//! side and looked up by the value of the other. `or` gives several such ways in. The whole condition is then evaluated
//! on each candidate, so the way in can only save time, never change the answer.

use super::evidence::Rows;
use crate::expression::{Expr, Function, Operator, Slot, evaluate, is_true};
use crate::value::{Millis, Row, Value};
use std::collections::BTreeMap;

/// The right rows of a condition, ready to be asked for the partners of a left row.
pub(super) struct Join<'a> {
    condition: Option<&'a Expr>,
    left: Slot,
    right: Slot,
    now: Millis,
    rows: Vec<Row>,
    ways: Vec<Way<'a>>,
}

/// One alternative of the condition (the whole of it, if it has no `or`).
struct Way<'a> {
    /// The sides of its equalities that speak of the left row alone.
    left_keys: Vec<&'a Expr>,
    /// What it asks of the left row alone.
    left_filters: Vec<&'a Expr>,
    /// Right rows (by position) under the values of the equalities' other sides.
    index: BTreeMap<Vec<Value>, Vec<usize>>,
}

impl<'a> Join<'a> {
    /// Prepares `rows`; the condition speaks of them as `right` and of the rows asked for later as `left`. Without a
    /// condition all rows go together.
    pub fn new(condition: Option<&'a Expr>, left: Slot, right: Slot, now: Millis, rows: Vec<Row>) -> Join<'a> {
        let mut join = Join {
            condition,
            left,
            right,
            now,
            rows,
            ways: Vec::new(),
        };
        join.ways = match condition {
            None => vec![join.way(&[])],
            Some(condition) => flatten(condition, Operator::Or)
                .into_iter()
                .map(|alternative| join.way(&flatten(alternative, Operator::And)))
                .collect(),
        };
        join
    }

    /// Positions of the right rows that go together with `row`, ascending.
    pub fn partners(&self, row: &Row) -> Vec<usize> {
        let scope = self.scope(self.left, row);
        let mut found: Vec<usize> = Vec::new();
        for way in &self.ways {
            if !holds(&way.left_filters, &scope) {
                continue;
            }
            let Some(candidates) = key(&way.left_keys, &scope).and_then(|key| way.index.get(&key)) else {
                continue;
            };
            found.extend(candidates.iter().filter(|candidate| self.matches(&scope, **candidate)));
        }
        if self.ways.len() > 1 {
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    fn matches(&self, scope: &Rows<'_>, candidate: usize) -> bool {
        let Some(row) = self.rows.get(candidate) else {
            return false;
        };
        let scope = scope.with(self.right, row);
        self.condition
            .is_none_or(|condition| is_true(condition, &scope) == Ok(true))
    }

    fn scope<'r>(&self, slot: Slot, row: &'r Row) -> Rows<'r> {
        Rows::at(self.now).with(slot, row)
    }

    fn way(&self, conjuncts: &[&'a Expr]) -> Way<'a> {
        let (mut left_keys, mut right_keys) = (Vec::new(), Vec::new());
        let (mut left_filters, mut right_filters) = (Vec::new(), Vec::new());
        for conjunct in conjuncts {
            if let Some((left, right)) = self.equality(conjunct) {
                left_keys.push(left);
                right_keys.push(right);
            } else if speaks_only_of(conjunct, self.left) {
                left_filters.push(*conjunct);
            } else if speaks_only_of(conjunct, self.right) {
                right_filters.push(*conjunct);
            }
        }
        let mut index: BTreeMap<Vec<Value>, Vec<usize>> = BTreeMap::new();
        for (position, row) in self.rows.iter().enumerate() {
            let scope = self.scope(self.right, row);
            if holds(&right_filters, &scope)
                && let Some(key) = key(&right_keys, &scope)
            {
                index.entry(key).or_default().push(position);
            }
        }
        Way {
            left_keys,
            left_filters,
            index,
        }
    }

    fn equality(&self, conjunct: &'a Expr) -> Option<(&'a Expr, &'a Expr)> {
        equality(conjunct, self.left, self.right)
    }
}

/// The sides of `left side = right side` (written either way round), if each speaks of one row alone.
pub(super) fn equality(conjunct: &Expr, left: Slot, right: Slot) -> Option<(&Expr, &Expr)> {
    let Expr::Binary(Operator::Equal, a, b) = conjunct else {
        return None;
    };
    if speaks_only_of(a, left) && speaks_only_of(b, right) {
        Some((a, b))
    } else if speaks_only_of(b, left) && speaks_only_of(a, right) {
        Some((b, a))
    } else {
        None
    }
}

/// The operands of a chain of `and`, or of `or`.
pub(super) fn flatten(expr: &Expr, operator: Operator) -> Vec<&Expr> {
    let (mut open, mut parts) = (vec![expr], Vec::new());
    while let Some(next) = open.pop() {
        match next {
            Expr::Binary(found, a, b) if *found == operator => open.extend([&**b, &**a]),
            part => parts.push(part),
        }
    }
    parts
}

/// The values of a key; none where one is null (equal to nothing) or fails.
fn key(exprs: &[&Expr], scope: &Rows<'_>) -> Option<Vec<Value>> {
    exprs
        .iter()
        .map(|expr| evaluate(expr, scope).ok().filter(|value| *value != Value::Null))
        .collect()
}

fn holds(filters: &[&Expr], scope: &Rows<'_>) -> bool {
    filters.iter().all(|filter| is_true(filter, scope) == Ok(true))
}

/// True if the value depends on nothing but the row in `slot`, and on that row.
fn speaks_only_of(expr: &Expr, slot: Slot) -> bool {
    let mut named = false;
    let only = depends_on_rows(expr, &mut |found| {
        named |= found == slot;
        found == slot
    });
    only && named
}

/// True if the value depends on nothing but locals of which `allowed` approves (asked for each of them).
fn depends_on_rows(expr: &Expr, allowed: &mut dyn FnMut(Slot) -> bool) -> bool {
    match expr {
        Expr::Local(slot) => allowed(*slot),
        Expr::Literal(_) | Expr::EmptyList | Expr::Me => true,
        Expr::Field(of, _) | Expr::Not(of) | Expr::Negate(of) | Expr::IsNull(of) | Expr::Cast(of, _) => {
            depends_on_rows(of, allowed)
        }
        Expr::Binary(_, a, b) | Expr::InValue(a, b) => depends_on_rows(a, allowed) && depends_on_rows(b, allowed),
        Expr::InList(of, items) => {
            depends_on_rows(of, allowed) && items.iter().all(|item| depends_on_rows(item, allowed))
        }
        Expr::Call(Function::Fresh, _)
        | Expr::Column { .. }
        | Expr::Memory(_)
        | Expr::Parameter(_)
        | Expr::InSelect(..)
        | Expr::Exists(_)
        | Expr::Scalar(_)
        | Expr::Aggregate(..) => false,
        Expr::Call(_, arguments) => arguments.iter().all(|argument| depends_on_rows(argument, allowed)),
    }
}
