//! Signs: what an operator would see afterwards in tables, queues and logs, beyond what the promise itself speaks of.
//!
//! A row that says the work is done, a redelivery although the receiver was alive, two messages that differ in their ids only: each is
//! found in the end of the run and in its trace.

mod words;

use super::reason::{Point, Reason};
use super::scene::Scene;
use super::twice::{deleted_by, equal_but_for_id, first_two};
use crate::fact::{EventId, Fact};
use crate::program::{CAUSE, EFFECT, OWN, PromiseKind, Relation};
use crate::simulation::trace::InstanceId;
use crate::sql::Default as ColumnDefault;
use crate::value::{Millis, Name, Row, Value};
use crate::verdict::signature::wanted;
use crate::verdict::{Finding, Held, Seen, Subject, subject};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Sign {
    /// A row that tells of the cause, and those of its columns that changed in the course of time.
    Row(Relation, Value, Vec<(Name, Value)>),
    /// How often a message was handed out although its receiver was alive.
    Redelivered(Value, usize),
    /// Messages of a queue that differ in their ids only.
    Copies(Relation, Value, Value),
    /// A row by which a copy is known: when it was deleted, and how long before the second effect.
    Deleted(Relation, Value, Millis, Millis),
    /// Acknowledged at this time, without an effect.
    Acknowledged(Value, Millis),
    /// The owner of a row and when it died.
    OwnerDied(InstanceId, Millis),
    /// An earlier message of the queue that is handed out again and again, and how often so far.
    BehindHead(Value, u32),
    /// Messages behind the first one that have never been handed out; the key they share with it.
    Behind(usize, Option<Value>),
}

/// The signs of a finding.
pub(super) fn signs(
    scene: &Scene<'_>,
    finding: &Finding,
    promise: Option<&PromiseKind>,
    points: &[Point],
) -> Vec<Sign> {
    let mut signs = Vec::new();
    match &finding.seen {
        Seen::Pairing {
            cause: Some(cause),
            effects,
            held: None,
            ..
        } if effects.is_empty() => signs.extend(rows_about(scene, cause, promise)),
        Seen::Pairing {
            effects, held: None, ..
        } => signs.extend(copies(scene, effects)),
        Seen::Pairing { held: Some(held), .. } | Seen::Left(held) => signs.extend(about_held(scene, finding, held)),
        _ => {}
    }
    for point in points {
        signs.extend(of_point(scene, finding, point));
    }
    signs
}

fn of_point(scene: &Scene<'_>, finding: &Finding, point: &Point) -> Option<Sign> {
    let at = |id: Option<&EventId>| id.and_then(|id| scene.event(*id)).map(|event| event.at);
    match point.reason {
        Reason::LeaseEndedAtWork(_)
        | Reason::LeaseEndedInLine(_)
        | Reason::LeaseEndedWhileFrozen(_)
        | Reason::HungUp(_) => {
            let (_, second) = first_two(effects(finding))?;
            let (delivered, message) = scene.delivery(second)?;
            let times = scene.deliveries(message, delivered);
            Some(Sign::Redelivered(message_id(scene, message)?, times))
        }
        Reason::Forgotten(_, relation) => {
            let (first, second) = first_two(effects(finding))?;
            let deleted = *point.events.first()?;
            let row = deleted_by(scene, relation, deleted, &scene.pass(first))?;
            let (deleted_at, again) = (scene.event(deleted)?.at, scene.event(second)?.at);
            Some(Sign::Deleted(
                relation,
                subject::shown_key(scene.program, relation, &row),
                deleted_at,
                again - deleted_at,
            ))
        }
        Reason::AckedFirst(_) => {
            let (_, message) = scene.delivery(*point.events.first()?)?;
            Some(Sign::Acknowledged(
                message_id(scene, message)?,
                at(point.events.first())?,
            ))
        }
        Reason::OwnerDied(who, _) => Some(Sign::OwnerDied(who, at(point.events.last())?)),
        _ => None,
    }
}

fn effects(finding: &Finding) -> &[Subject] {
    match &finding.seen {
        Seen::Pairing { effects, .. } => effects,
        _ => &[],
    }
}

fn message_id(scene: &Scene<'_>, message: (u16, u64)) -> Option<Value> {
    Some(subject::message_key(scene.message(message)?.1))
}

/// Rows at the end, in tables other than the cause's and the effect's, that bear what names the cause.
fn rows_about(scene: &Scene<'_>, cause: &Subject, promise: Option<&PromiseKind>) -> Vec<Sign> {
    let Some(PromiseKind::Each {
        effect,
        matching,
        waiting,
        ..
    }) = promise
    else {
        return Vec::new();
    };
    let mut names: BTreeSet<Value> = cause.keys.iter().cloned().collect();
    if let Some(row) = &cause.row {
        let filters = waiting.iter().filter_map(|set| set.filter.as_ref());
        names.extend(filters.filter_map(|filter| Some(wanted(filter, CAUSE, row, OWN)?.1)));
        names.extend(wanted(matching, CAUSE, row, EFFECT).map(|(_, value)| value));
    }
    names.retain(|name| matches!(name, Value::Text(_) | Value::Int(_)));
    let mut signs = Vec::new();
    for relation in scene.tables() {
        let Relation::Table { database, table } = relation else {
            continue;
        };
        if relation == cause.relation || relation == effect.relation {
            continue;
        }
        for (identity, row) in scene.evidence.rows(database, table) {
            if bears(scene, relation, &row, &names) {
                signs.push(row_sign(scene, relation, identity, &row));
            }
        }
    }
    signs
}

/// A text anywhere in the row; a number only where the text of the scenario gives it to a key.
fn bears(scene: &Scene<'_>, relation: Relation, row: &Row, names: &BTreeSet<Value>) -> bool {
    let Some(schema) = subject::schema(scene.program, relation) else {
        return false;
    };
    let keys: BTreeSet<u16> = schema
        .uniques
        .iter()
        .flat_map(|unique| unique.columns.iter().copied())
        .collect();
    (0u16..).zip(row.values()).any(|(column, value)| {
        let drawn = schema
            .columns
            .get(usize::from(column))
            .is_some_and(|column| column.default == ColumnDefault::Serial);
        let telling = matches!(value, Value::Text(_)) || keys.contains(&column) && !drawn;
        telling && names.contains(value)
    })
}

fn row_sign(scene: &Scene<'_>, relation: Relation, identity: u64, row: &Row) -> Sign {
    let versions: Vec<&Fact> = scene
        .evidence
        .facts(relation)
        .iter()
        .filter(|fact| fact.identity == identity)
        .collect();
    let changed = row.fields().filter(|(name, value)| {
        let was = |fact: &&Fact| fact.row.get(name) != Some(*value);
        matches!(value, Value::Text(_) | Value::Bool(_)) && versions.iter().any(was)
    });
    let changed = changed.map(|(name, value)| (name.clone(), value.clone())).collect();
    Sign::Row(relation, subject::shown_key(scene.program, relation, row), changed)
}

/// Two effects that come from two messages of equal content.
fn copies(scene: &Scene<'_>, effects: &[Subject]) -> Option<Sign> {
    let (first, second) = first_two(effects)?;
    let (one, other) = (scene.delivery(first)?.1, scene.delivery(second)?.1);
    let (one_row, other_row) = (scene.message(one)?.1, scene.message(other)?.1);
    let ids = (one_row.get("id")?.clone(), other_row.get("id")?.clone());
    let copies = one != other && one.0 == other.0 && ids.0 != ids.1 && equal_but_for_id(one_row, other_row);
    copies.then_some(Sign::Copies(Relation::Queue(one.0), ids.0, ids.1))
}

fn about_held(scene: &Scene<'_>, finding: &Finding, held: &Held) -> Option<Sign> {
    match held.subject.relation {
        Relation::Table { database, table } => {
            let rows = scene.evidence.rows(database, table);
            let row = held.subject.row.as_ref()?;
            let (identity, row) = rows.iter().find(|(_, other)| other == row)?;
            match row_sign(scene, held.subject.relation, *identity, row) {
                Sign::Row(_, _, changed) if changed.is_empty() => None,
                sign => Some(sign),
            }
        }
        Relation::Queue(queue) if held.deliveries > 0 => {
            let queued = scene.evidence.messages(queue);
            let head = queued
                .iter()
                .find(|message| finding.messages.contains(&(queue, message.identity)))?;
            // Where messages are kept back, only those wait for this one.
            let kept_back = queued.iter().any(|message| message.held_back);
            let behind: Vec<&Row> = queued
                .iter()
                .filter(|message| message.identity > head.identity && message.deliveries == 0)
                .filter(|message| message.held_back || !kept_back)
                .map(|message| &message.row)
                .collect();
            let key = head.row.get("key").filter(|key| **key != Value::Null);
            let same = key.filter(|key| behind.iter().all(|row| row.get("key") == Some(*key)));
            (!behind.is_empty()).then(|| Sign::Behind(behind.len(), same.cloned()))
        }
        Relation::Queue(queue) => hidden(scene, finding, queue),
        _ => None,
    }
}

/// What lies before a message that nobody has had yet.
fn hidden(scene: &Scene<'_>, finding: &Finding, queue: u16) -> Option<Sign> {
    let queued = scene.evidence.messages(queue);
    let itself = queued
        .iter()
        .find(|message| finding.messages.contains(&(queue, message.identity)))?;
    let mut before = queued.iter().filter(|message| message.identity < itself.identity);
    let head = before.rfind(|message| message.deliveries > 1)?;
    Some(Sign::BehindHead(subject::message_key(&head.row), head.deliveries))
}
