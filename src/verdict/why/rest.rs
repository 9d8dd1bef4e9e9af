//! Why something came too early or too late, or is left at the end.

use super::lost::prepares;
use super::reason::{Point, Reason};
use super::scene::{Message, Scene, Touch};
use super::twice::came_again;
use crate::expression::ErrorClass;
use crate::fact::{Change, EventId, Fact, INITIAL};
use crate::program::{Instruction, Relation, Request};
use crate::simulation::trace::{EventKind, InstanceId, Outcome};
use crate::sql::Statement;
use crate::value::Row;
use crate::verdict::{Finding, Held, Subject};
use std::collections::BTreeMap;

/// An effect whose cause was not there yet, or never came.
pub(super) fn phantom(scene: &Scene<'_>, effect: &Subject) -> Option<Point> {
    let made = effect.made?;
    let who = scene.who(made)?;
    let cut = scene.cut(&scene.pass(made));
    Some(Point {
        reason: Reason::SentBeforeCommit(who),
        events: [made].into_iter().chain(cut).collect(),
    })
}

/// An item that came after a later one.
pub(super) fn out_of_order(scene: &Scene<'_>, late: &Subject, overtaker: &Subject) -> Option<Point> {
    let (late, overtaker) = (late.made?, overtaker.made?);
    let (who, by) = (scene.who(late)?, scene.who(overtaker)?);
    if who != by {
        let mut events = scene.up_to(late);
        events.extend(scene.up_to(overtaker));
        return Some(Point {
            reason: Reason::Overtaken(by, who),
            events,
        });
    }
    if let Some(point) = arrived_later(scene, late, overtaker) {
        return Some(point);
    }
    let (delivered, message) = scene.delivery(late)?;
    let first = scene.since(0).find(|(_, event)| is_delivery(&event.kind, message))?.0;
    if first == delivered {
        return None;
    }
    let mut events = vec![first];
    events.extend(
        came_again(scene, message, first, delivered)
            .into_iter()
            .flat_map(|point| point.events),
    );
    Some(Point {
        reason: Reason::CameBackLater(scene.who(first)?),
        events,
    })
}

/// The receiver took them as they came: they were sent in another sequence, or by two at once.
fn arrived_later(scene: &Scene<'_>, late: EventId, overtaker: EventId) -> Option<Point> {
    let sent = |id| {
        let (_, message) = scene.delivery(id)?;
        scene.message(message)?.0
    };
    let (late_sent, overtaker_sent) = (sent(late)?, sent(overtaker)?);
    let (who, by) = (scene.who(late_sent)?, scene.who(overtaker_sent)?);
    if overtaker_sent > late_sent {
        return None;
    }
    let reason = match who == by {
        true => Reason::ArrivedLater(scene.who(late)?),
        false => Reason::Overtaken(by, who),
    };
    Some(Point {
        reason,
        events: vec![overtaker_sent, late_sent],
    })
}

/// Something that is left: whose it was, or what always fails.
pub(super) fn left(scene: &Scene<'_>, finding: &Finding, held: &Held) -> Option<Point> {
    if let Some(point) = in_doubt(scene) {
        return Some(point);
    }
    match held.subject.relation {
        relation @ Relation::Table { .. } => lock_held(scene, &held.subject)
            .or_else(|| owner_died(scene, &held.subject))
            .or_else(|| stops_there(scene, relation)),
        _ => finding.messages.iter().find_map(|message| tried(scene, *message)),
    }
}

/// What became of the attempts at a message.
fn tried(scene: &Scene<'_>, message: Message) -> Option<Point> {
    always_fails(scene, message)
        .or_else(|| holds_on(scene, message))
        .or_else(|| never_confirmed(scene, message))
}

/// Why the first attempt at a message was not the last.
fn never_confirmed(scene: &Scene<'_>, message: Message) -> Option<Point> {
    let mut deliveries = scene.since(0).filter(|(_, event)| is_delivery(&event.kind, message));
    let (first, second) = (deliveries.next()?.0, deliveries.next()?.0);
    came_again(scene, message, first, second)
}

/// A row whose last change was made by a process that died afterwards.
fn owner_died(scene: &Scene<'_>, row: &Subject) -> Option<Point> {
    let facts = scene.evidence.facts(row.relation).iter();
    let last = facts.filter(|fact| Some(&fact.row) == row.row.as_ref()).last()?;
    if last.stamp == INITIAL {
        return None;
    }
    let taken = last.stamp.event;
    let who = scene.who(taken)?;
    let cut = scene.cut(&scene.pass(taken))?;
    let reason = match last.change {
        Change::Update => Reason::OwnerDied(who, row.relation),
        _ => Reason::LeftBehind(who, row.relation),
    };
    Some(Point {
        reason,
        events: vec![taken, cut],
    })
}

/// A message whose holder renews its lease again and again.
fn holds_on(scene: &Scene<'_>, message: Message) -> Option<Point> {
    let delivered = scene
        .since(0)
        .filter(|(_, event)| is_delivery(&event.kind, message))
        .last()?;
    let who = delivered.1.instance?;
    // A step without a request of the pass is a renewal.
    let renewed = scene.since(delivered.0).filter(|(id, event)| {
        event.instance == Some(who) && scene.handled(*id) == Some(message) && scene.request(*id).is_none()
    });
    let renewed = renewed.last()?.0;
    Some(Point {
        reason: Reason::HoldsOn(who),
        events: vec![delivered.0, renewed],
    })
}

/// A value that is wrong because two read it before either had written.
pub(super) fn wrong_value(scene: &Scene<'_>, relation: Relation) -> Option<Point> {
    let facts: Vec<&Fact> = scene.evidence.facts(relation).iter().collect();
    let updates = facts
        .iter()
        .filter(|fact| fact.change == Change::Update && fact.stamp != INITIAL);
    updates.clone().zip(updates.skip(1)).find_map(|(one, other)| {
        let (one_at, other_at) = (one.stamp.event, other.stamp.event);
        let (who, by) = (scene.who(one_at)?, scene.who(other_at)?);
        let read = scene.up_to(other_at).into_iter().find(|id| {
            *id < one_at && matches!(scene.touches(*id), Some((table, Touch::Reads)) if table == relation)
        })?;
        (one.identity == other.identity && who != by).then(|| Point {
            reason: Reason::BothRead(who, by, relation),
            events: vec![read, one_at, other_at],
        })
    })
}

/// A table that only grows.
pub(super) fn growth(scene: &Scene<'_>, relation: Relation) -> Option<Point> {
    let Relation::Table { database, table } = relation else {
        return None;
    };
    let deletes = |instruction: &Instruction| {
        matches!(instruction, Instruction::Step { request: Request::Sql { database: d, statement: Statement::Delete(delete), .. }, .. }
            if (*d, delete.table) == (database, table))
    };
    let any = scene
        .program
        .services
        .iter()
        .any(|service| service.code.iter().any(deletes));
    (!any).then(|| Point {
        reason: Reason::NeverDeleted(relation),
        events: Vec::new(),
    })
}

/// A message that was tried again and again, and never with success.
fn always_fails(scene: &Scene<'_>, message: Message) -> Option<Point> {
    let mut failures: BTreeMap<InstanceId, Vec<EventId>> = BTreeMap::new();
    for (id, event) in scene.since(0) {
        if matches!(event.kind, EventKind::PassFailed { .. })
            && scene.delivery(id).is_some_and(|(_, of)| of == message)
            && let Some(who) = event.instance
        {
            failures.entry(who).or_default().push(id);
        }
    }
    let times: usize = failures.values().map(Vec::len).sum();
    let (who, events) = failures.into_iter().max_by_key(|(_, events)| events.len())?;
    let times = u32::try_from(times).unwrap_or(u32::MAX);
    // Who cannot be reached today may be reached tomorrow.
    let away = events.iter().all(|id| was_away(scene, *id));
    let limited = scene
        .program
        .queues
        .get(usize::from(message.0))
        .is_some_and(|queue| queue.attempts.is_some());
    let reason = match (limited, away) {
        (false, _) => Reason::FailsWithoutEnd(who, times),
        (true, true) => Reason::TriedInVain(who, times),
        (true, false) => Reason::AlwaysFails(who, times),
    };
    // The first and the last tell enough.
    let events = events.first().into_iter().chain(events.last()).copied().collect();
    (times > 1).then_some(Point { reason, events })
}

fn was_away(scene: &Scene<'_>, gave_up: EventId) -> bool {
    matches!(scene.event(gave_up).map(|event| &event.kind), Some(EventKind::PassFailed { failure, .. })
        if matches!(failure.class, ErrorClass::Unreachable | ErrorClass::Timeout))
}

/// A poller of a table that failed at a step again and again while the row waited.
fn stops_there(scene: &Scene<'_>, relation: Relation) -> Option<Point> {
    let mut failures: BTreeMap<(InstanceId, u16), Vec<EventId>> = BTreeMap::new();
    for (id, event) in scene.since(0) {
        if let (EventKind::Step { step, .. }, Some(Outcome::Failed(_)), Some(who)) =
            (&event.kind, scene.outcome(id), event.instance)
        {
            failures.entry((who, *step)).or_default().push(id);
        }
    }
    let reads = |instance: InstanceId| {
        scene.service(instance).is_some_and(|service| {
            service.code.iter().any(|instruction| match instruction {
                Instruction::Step { request, .. } => selects(request, relation),
                _ => false,
            })
        })
    };
    let ((who, _), events) = failures
        .into_iter()
        .filter(|((who, _), events)| events.len() > 1 && reads(*who))
        .max_by_key(|(_, events)| events.len())?;
    let times = u32::try_from(events.len()).unwrap_or(u32::MAX);
    // The first and the last tell enough.
    let events = events.first().into_iter().chain(events.last()).copied().collect();
    Some(Point {
        reason: Reason::StopsThere(who, times),
        events,
    })
}

fn selects(request: &Request, relation: Relation) -> bool {
    matches!(request, Request::Sql { database, statement: Statement::Select(select), .. }
        if relation == Relation::Table { database: *database, table: select.table })
}

/// An open transaction that has changed the row and whose lock others wait for.
fn lock_held(scene: &Scene<'_>, row: &Subject) -> Option<Point> {
    let relation = row.relation;
    let Relation::Table { database, table } = relation else {
        return None;
    };
    let changing = scene.evidence.changing(database, table);
    let rows = scene.evidence.rows(database, table);
    let is_row = |(identity, other): &&(u64, Row)| Some(other) == row.row.as_ref() && changing.contains(identity);
    if !scene.evidence.waits() || !rows.iter().any(|row| is_row(&row)) {
        return None;
    }
    // Of each instance its last step there: an earlier one's transaction has ended, or the last is part of it too.
    let mut last: BTreeMap<InstanceId, EventId> = BTreeMap::new();
    for (id, event) in scene.since(0) {
        if let Some(who) = event.instance
            && scene.touches(id).is_some_and(|(table, _)| table == relation)
            && matches!(scene.outcome(id), Some(Outcome::Ok | Outcome::Rows(_)))
        {
            last.insert(who, id);
        }
    }
    let (who, id) = last.into_iter().find(|(_, id)| is_open(scene, *id))?;
    Some(Point {
        reason: Reason::LockHeld(who, relation),
        events: vec![id],
    })
}

/// The step is part of a transaction that nobody has ended.
fn is_open(scene: &Scene<'_>, id: EventId) -> bool {
    let statement = |id: &EventId| match scene.request(*id) {
        Some(Request::Sql { statement, .. }) => Some(statement),
        _ => None,
    };
    let pass = scene.pass(id);
    let began = scene
        .up_to(id)
        .iter()
        .any(|id| matches!(statement(id), Some(Statement::Begin(_))));
    let ended = |id: &EventId| {
        matches!(
            statement(id),
            Some(Statement::Commit | Statement::Rollback | Statement::PrepareTransaction(_))
        )
    };
    began && !pass.iter().any(ended) && scene.cut(&pass).is_none()
}

/// A transaction that was prepared and is still there.
fn in_doubt(scene: &Scene<'_>) -> Option<Point> {
    if !scene.evidence.waits() {
        return None;
    }
    let prepared = scene
        .since(0)
        .filter(|(id, _)| matches!(scene.outcome(*id), Some(Outcome::Ok)) && scene.request(*id).is_some_and(prepares));
    let (prepared, event) = prepared.last()?;
    let who = event.instance?;
    let cut = scene.cut(&scene.pass(prepared))?;
    Some(Point {
        reason: Reason::InDoubt(who),
        events: vec![prepared, cut],
    })
}

fn is_delivery(kind: &EventKind, message: Message) -> bool {
    matches!(kind, EventKind::Delivery { queue, message: number, .. } if (*queue, u64::from(*number)) == message)
}
