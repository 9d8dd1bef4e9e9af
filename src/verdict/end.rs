//! Promises about the end alone: `value (select …) = …` (wrong value) and `at most n SET` (growth).

use super::evidence::Rows;
use super::items::{Left, at_end, events, lives, meant};
use super::subject::whole;
use super::{Broken, Court, Seen};
use crate::expression::{Expr, evaluate};
use crate::fact::{EventId, INITIAL};
use crate::program::{Kind, Relation, Set};
use crate::sql::Select;
use crate::value::Value;

/// The first field of the select's first row (null if there is none) must equal the promised value. What fails to be
/// evaluated equals nothing; null is what a sum over no rows gives and may be promised.
pub(super) fn value(court: &Court<'_>, database: u16, select: &Select, equals: &Expr) -> Vec<Broken> {
    let rows = court.evidence.select(database, select);
    let found = rows.map(|rows| {
        rows.first()
            .and_then(|row| row.values().first().cloned())
            .unwrap_or(Value::Null)
    });
    let scope = Rows::at(court.evidence.now());
    let promised = evaluate(equals, &scope);
    if let (Ok(found), Ok(promised)) = (&found, &promised)
        && found == promised
    {
        return Vec::new();
    }
    let relation = Relation::Table {
        database,
        table: select.table,
    };
    let facts = court.evidence.facts(relation).iter();
    vec![Broken {
        kind: Kind::WrongValue,
        subject: whole(relation),
        facts: facts
            .filter(|fact| fact.stamp != INITIAL)
            .map(|fact| fact.stamp.event)
            .collect(),
        messages: Vec::new(),
        seen: Seen::Values {
            found: found.unwrap_or(Value::Null),
            promised: promised.unwrap_or(Value::Null),
        },
    }]
}

/// The set must not hold more than `allowed` at the end.
pub(super) fn at_most(court: &Court<'_>, allowed: i64, set: &Set) -> Vec<Broken> {
    let all = at_end(court, set.relation);
    let left: Vec<&Left> = meant(court, set, &all).collect();
    let limit = usize::try_from(allowed).unwrap_or(0);
    let Some(first_too_many) = left.get(limit) else {
        return Vec::new();
    };
    vec![Broken {
        kind: Kind::Growth,
        subject: whole(set.relation),
        facts: made(court, set.relation, first_too_many.identity).into_iter().collect(),
        messages: Vec::new(),
        seen: Seen::Size {
            found: left.len(),
            allowed,
        },
    }]
}

/// The event that made a row, unless it was there before the run.
fn made(court: &Court<'_>, relation: Relation, identity: u64) -> Option<EventId> {
    let lives = lives(relation, court.evidence);
    events(lives.get(&identity)?.first_chunk::<1>()?).next()
}
