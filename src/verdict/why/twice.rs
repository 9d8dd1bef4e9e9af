//! Why something happened twice: why the message came again and was not known, or why it was sent again.

use super::reason::{Point, Reason};
use super::scene::{Message, Scene, Touch};
use crate::expression::{ErrorClass, Expr, Function, Slot};
use crate::fact::{Change, EventId};
use crate::program::{Instruction, Place, Relation, Request};
use crate::simulation::trace::{EventKind, InstanceId, Outcome};
use crate::value::{Row, Value};
use crate::verdict::Subject;

/// The reasons for the second effect of a cause.
pub(super) fn points(scene: &Scene<'_>, effects: &[Subject]) -> Vec<Point> {
    let Some((first, second)) = first_two(effects) else {
        return Vec::new();
    };
    let Some(relation) = effects.first().map(|effect| effect.relation) else {
        return Vec::new();
    };
    let twice = Twice {
        scene,
        relation,
        first,
        second,
    };
    match (scene.delivery(first), scene.delivery(second)) {
        (Some((one, message)), Some((other, again))) if message == again => {
            if one == other {
                return twice.sent_again(first, second);
            }
            let mut points: Vec<Point> = came_again(scene, message, one, other).into_iter().collect();
            points.extend(twice.unknown(true));
            points
        }
        (Some((_, one)), Some((_, other))) => twice.two_messages(one, other),
        _ => twice.sent_again(first, second),
    }
}

/// The events of the first two effects.
pub(super) fn first_two(effects: &[Subject]) -> Option<(EventId, EventId)> {
    let mut made: Vec<EventId> = effects.iter().filter_map(|effect| effect.made).collect();
    made.sort_unstable();
    Some((*made.first()?, *made.get(1)?))
}

/// Why a message was delivered again after `one`, at the latest as `other`.
pub(super) fn came_again(scene: &Scene<'_>, message: Message, one: EventId, other: EventId) -> Option<Point> {
    let is_message = |queue: u16, number: u32| (queue, u64::from(number)) == message;
    let mut released = None;
    for (id, event) in scene.between(one, other) {
        match event.kind {
            EventKind::LeaseEnded { queue, message: m } | EventKind::Returned { queue, message: m }
                if is_message(queue, m) =>
            {
                released = Some(id);
                break;
            }
            _ => {}
        }
    }
    let who = scene.who(one)?;
    let pass = scene.pass(one);
    let until = released.unwrap_or(other);
    let found = |reason, events: Vec<EventId>| {
        Some(Point {
            reason,
            events: events.into_iter().chain(released).collect(),
        })
    };
    if let Some(death) = scene.death(who, one, until) {
        return found(Reason::DiedUnacknowledged(who), vec![death]);
    }
    let lost = |id: &&EventId| {
        scene.is_ack(**id)
            && matches!(
                scene.outcome(**id),
                Some(Outcome::RequestLost { .. } | Outcome::ReplyLost { .. })
            )
    };
    if let Some(ack) = pass.iter().filter(|id| **id < until).find(lost) {
        return found(Reason::AckLost(who), vec![*ack]);
    }
    let gave_up = pass.iter().filter(|id| **id < until).find(|id| {
        scene
            .event(**id)
            .is_some_and(|event| matches!(event.kind, EventKind::PassFailed { .. }))
    });
    if let Some(gave_up) = gave_up {
        return found(Reason::FailedUnacknowledged(who), vec![*gave_up]);
    }
    let frozen = scene
        .between(one, until)
        .find(|(_, event)| event.instance == Some(who) && matches!(event.kind, EventKind::Pause { .. }));
    if let Some((pause, _)) = frozen {
        return found(Reason::LeaseEndedWhileFrozen(who), vec![pause]);
    }
    let hung_up = scene
        .between(one, until.saturating_add(1))
        .find(|(_, event)| event.instance == Some(who) && matches!(event.kind, EventKind::Disconnected { .. }));
    if let Some((hung_up, _)) = hung_up {
        return found(Reason::HungUp(who), vec![hung_up]);
    }
    // A step after the end of the lease: its holder was alive and at work.
    let after = pass.iter().copied().find(|id| *id > until);
    let after = released.and(after)?;
    let released_at = scene.event(until)?.at;
    let begun = pass
        .iter()
        .skip(1)
        .any(|id| scene.event(*id).is_some_and(|event| event.sent_at <= released_at));
    let reason = match begun {
        true => Reason::LeaseEndedAtWork(who),
        false => Reason::LeaseEndedInLine(who),
    };
    found(reason, vec![after])
}

struct Twice<'a, 's> {
    scene: &'a Scene<'s>,
    relation: Relation,
    first: EventId,
    second: EventId,
}

impl Twice<'_, '_> {
    /// Why the second attempt did not know of the first; `again`: it is the same message that came again.
    fn unknown(&self, again: bool) -> Vec<Point> {
        let scene = self.scene;
        let (first, second) = (scene.pass(self.first), scene.up_to(self.second));
        let Some(who) = scene.who(self.second) else {
            return Vec::new();
        };
        let asked = self.asked(&second);
        let recorded = self.recorded(&first, &asked);
        if let Some(point) = self.forgotten(&recorded) {
            return vec![point];
        }
        for (table, looked) in &asked {
            let written = recorded.iter().find(|(relation, ..)| relation == table);
            match written {
                Some((_, _, written)) if written > looked => {
                    let both = if again {
                        None
                    } else {
                        self.both_read(self.first, self.second)
                    };
                    return vec![both.unwrap_or(Point {
                        reason: Reason::AskedTooEarly(who, *table),
                        events: vec![*looked, *written],
                    })];
                }
                Some(_) => {}
                None => return self.first_left_no_trace(*table, &first),
            }
        }
        if !asked.is_empty() {
            return Vec::new();
        }
        let remembers = scene.service(who).is_some_and(|service| !service.memory.is_empty());
        let began = second.first().copied().unwrap_or(self.second);
        let reason = match (remembers, scene.death(who, self.first, self.second), began < self.first) {
            (true, Some(_), _) => Reason::MemoryGone(who),
            (true, None, true) => Reason::MemoryTooLate(who),
            _ => Reason::KeepsNoRecord(who),
        };
        vec![Point {
            reason,
            events: Vec::new(),
        }]
    }

    /// The tables in which the second attempt looked for the first, or which could have refused it, and when.
    fn asked(&self, second: &[EventId]) -> Vec<(Relation, EventId)> {
        let own = |relation| relation == self.relation || self.is_changes_of(relation);
        let touched = second.iter().filter_map(|id| {
            let (relation, touch) = self.scene.touches(*id)?;
            // A table that the service never writes tells it nothing about what it has done.
            let service = self.scene.service(self.scene.who(*id)?)?;
            if !self.scene.makes(service, relation) {
                return None;
            }
            let asks = match touch {
                Touch::Reads => matches!(self.scene.outcome(*id), Some(Outcome::Rows(0))) || !own(relation),
                Touch::Inserts => !own(relation) && self.is_unique(relation),
                Touch::Changes => false,
            };
            asks.then_some((relation, *id))
        });
        touched.collect()
    }

    fn is_changes_of(&self, relation: Relation) -> bool {
        matches!((self.relation, relation), (Relation::Changes { database, table }, Relation::Table { database: d, table: t })
            if (database, table) == (d, t))
    }

    /// A key that the text gives its rows, other than a number the database draws.
    fn is_unique(&self, relation: Relation) -> bool {
        let schema = crate::verdict::subject::schema(self.scene.program, relation);
        schema.is_some_and(|schema| {
            schema.uniques.iter().any(|unique| {
                unique.columns.iter().all(|column| {
                    let column = schema.columns.get(usize::from(*column));
                    column.is_some_and(|column| column.default != crate::sql::Default::Serial)
                })
            })
        })
    }

    /// Rows that the first attempt committed in these tables.
    fn recorded(&self, first: &[EventId], asked: &[(Relation, EventId)]) -> Vec<(Relation, u64, EventId)> {
        let facts = first.iter().flat_map(|id| {
            let facts = self.scene.facts_of(*id).into_iter();
            facts.map(move |(relation, fact)| (relation, fact.identity, fact.change, *id))
        });
        let facts = facts.filter(|(relation, _, change, _)| {
            *change != Change::Delete && asked.iter().any(|(table, _)| table == relation)
        });
        facts
            .map(|(relation, identity, _, id)| (relation, identity, id))
            .collect()
    }

    /// A row of the first attempt that somebody deleted before the second.
    fn forgotten(&self, recorded: &[(Relation, u64, EventId)]) -> Option<Point> {
        recorded.iter().find_map(|(relation, identity, _)| {
            let by = deleted(self.scene, *relation, *identity, self.second)?;
            Some(Point {
                reason: Reason::Forgotten(self.scene.who(by)?, *relation),
                events: vec![by],
            })
        })
    }

    /// The effect was there, what should have told of it was not.
    fn first_left_no_trace(&self, table: Relation, first: &[EventId]) -> Vec<Point> {
        let Some(who) = self.scene.who(self.first) else {
            return Vec::new();
        };
        let began = first.iter().filter(|id| **id < self.first).any(|id| self.is_begin(*id));
        let ended = first
            .iter()
            .any(|id| *id < self.first && !self.scene.facts_of(*id).is_empty());
        let outside = !matches!(self.relation, Relation::Table { .. } | Relation::Changes { .. });
        let reason = if began && !ended && outside {
            Reason::RolledBackAround(who)
        } else {
            Reason::NotYetRecorded(who, table)
        };
        vec![Point {
            reason,
            events: vec![self.first],
        }]
    }

    fn is_begin(&self, id: EventId) -> bool {
        matches!(
            self.scene.request(id),
            Some(Request::Sql {
                statement: crate::sql::Statement::Begin(_),
                ..
            })
        )
    }

    /// Two messages, one effect each.
    fn two_messages(&self, one: Message, other: Message) -> Vec<Point> {
        let scene = self.scene;
        let (Some((one_at, one_row)), Some((other_at, other_row))) = (scene.message(one), scene.message(other)) else {
            return self.sent_back();
        };
        let (Some(one_at), Some(other_at)) = (one_at, other_at) else {
            return Vec::new();
        };
        if !equal_but_for_id(one_row, other_row) || one.0 != other.0 {
            return self.both_read(self.first, self.second).into_iter().collect();
        }
        let mut points = self.sent_again(one_at, other_at);
        if one_row.get("id") == other_row.get("id") {
            points.extend(self.unknown(false));
            return points;
        }
        if let Some(who) = scene.who(other_at) {
            let reason = match draws_id(scene, other_at) {
                true => Reason::DrawnPerAttempt(who),
                false => Reason::OtherId(who),
            };
            points.push(Point {
                reason,
                events: vec![one_at, other_at],
            });
        }
        points
    }

    /// The second message was never accepted: somebody moved the first one back.
    fn sent_back(&self) -> Vec<Point> {
        let scene = self.scene;
        let Some((delivered, _)) = scene.delivery(self.second) else {
            return Vec::new();
        };
        let moved = scene.event(delivered).and_then(|event| event.cause);
        let moved = moved.filter(|id| matches!(scene.request(*id), Some(Request::Redrive { .. })));
        let by = moved.and_then(|id| Some((id, scene.who(id)?)));
        let back = by.map(|(id, who)| Point {
            reason: Reason::SentBack(who),
            events: vec![id],
        });
        back.into_iter().chain(self.unknown(true)).collect()
    }

    /// Somebody took the row that the first attempt had taken, while that one was still at work.
    fn taken_over(&self, one: EventId, other: EventId) -> Option<Point> {
        let scene = self.scene;
        let (who, by) = (scene.who(one)?, scene.who(other)?);
        let changed = |until: EventId| {
            let pass = scene.up_to(until).into_iter();
            pass.flat_map(|id| {
                let facts = scene.facts_of(id).into_iter();
                facts
                    .filter(|(_, fact)| fact.change == Change::Update)
                    .map(move |(relation, fact)| (relation, fact.identity, id))
            })
            .collect::<Vec<_>>()
        };
        let (first, second) = (changed(one), changed(other));
        second.iter().find_map(|(relation, identity, taken)| {
            let earlier = first.iter().find(|(r, i, _)| (r, i) == (relation, identity))?;
            (earlier.2 < *taken && *taken < one && who != by).then(|| {
                let released = scene.evidence.facts(*relation).iter().filter(|fact| {
                    fact.identity == *identity && earlier.2 < fact.stamp.event && fact.stamp.event < *taken
                });
                let released = released.map(|fact| fact.stamp.event);
                Point {
                    reason: Reason::TakenOver(by, who, *relation),
                    events: [earlier.2, *taken].into_iter().chain(released).collect(),
                }
            })
        })
    }

    /// Why the sender of `one` sent again.
    fn sent_again(&self, one: EventId, other: EventId) -> Vec<Point> {
        let scene = self.scene;
        let (Some(who), Some(again_by)) = (scene.who(one), scene.who(other)) else {
            return Vec::new();
        };
        if one == other {
            return Vec::new();
        }
        let point = |reason, events| vec![Point { reason, events }];
        if unanswered(scene, one) {
            return point(Reason::AnswerLost(who), vec![one, other]);
        }
        if let (Some((d, m)), Some((e, n))) = (scene.delivery(one), scene.delivery(other))
            && m == n
            && d != e
        {
            return came_again(scene, m, d, e).into_iter().collect();
        }
        let pass = scene.pass(one);
        if pass.contains(&other) {
            return Vec::new();
        }
        if let Some(found) = self.taken_over(one, other).or_else(|| self.both_read(one, other)) {
            return vec![found];
        }
        let sends = matches!(
            scene.request(one),
            Some(Request::Publish { .. } | Request::CallOutside { .. } | Request::CallService { .. })
        );
        let (failed, died) = match sends {
            true => (Reason::SentThenFailed(who), Reason::SentThenDied(who)),
            false => (Reason::DidThenFailed(who), Reason::DidThenDied(who)),
        };
        match scene
            .cut(&pass)
            .filter(|cut| *cut < other && alike(scene, who, again_by))
        {
            Some(cut) if pass.contains(&cut) => point(failed, vec![cut]),
            Some(cut) => point(died, vec![cut]),
            None => Vec::new(),
        }
    }

    /// Two instances read a table, and each wrote only after the other had read.
    fn both_read(&self, one: EventId, other: EventId) -> Option<Point> {
        let scene = self.scene;
        let (a, b) = (scene.who(one)?, scene.who(other)?);
        if a == b {
            return None;
        }
        let reads = |until: EventId| {
            let pass = scene.up_to(until).into_iter();
            pass.filter_map(|id| match scene.touches(id) {
                Some((relation, Touch::Reads)) => Some((relation, id)),
                _ => None,
            })
            .collect::<Vec<_>>()
        };
        let (of_a, of_b) = (reads(one), reads(other));
        let shared = of_b.iter().find_map(|(relation, b_read)| {
            let (_, a_read) = of_a.iter().find(|(other, _)| other == relation)?;
            (*b_read < one && *a_read < other).then_some((*relation, *a_read, *b_read))
        });
        let (relation, a_read, b_read) = shared?;
        Some(Point {
            reason: Reason::BothRead(a, b, relation),
            events: vec![a_read, b_read],
        })
    }
}

/// Instances of one service: what one leaves undone the other does.
fn alike(scene: &Scene<'_>, one: InstanceId, other: InstanceId) -> bool {
    let name = |instance| scene.service(instance).map(|service| &service.name);
    name(one).is_some() && name(one) == name(other)
}

/// The event that deleted a row, if it came before `before`.
fn deleted(scene: &Scene<'_>, relation: Relation, identity: u64, before: EventId) -> Option<EventId> {
    let mut facts = scene.evidence.facts(relation).iter();
    facts
        .find(|fact| fact.identity == identity && fact.change == Change::Delete && fact.stamp.event < before)
        .map(|fact| fact.stamp.event)
}

/// The row that an event deleted and that a pass had inserted.
pub(super) fn deleted_by(scene: &Scene<'_>, relation: Relation, by: EventId, pass: &[EventId]) -> Option<Row> {
    let deleted = scene.facts_of(by).into_iter().find(|(table, fact)| {
        let made = |id: &EventId| {
            let facts = scene.facts_of(*id);
            facts
                .iter()
                .any(|(other, made)| other == table && made.identity == fact.identity)
        };
        *table == relation && fact.change == Change::Delete && pass.iter().any(made)
    });
    deleted.map(|(_, fact)| fact.row.clone())
}

/// The effect of a step whose sender does not know of it.
fn unanswered(scene: &Scene<'_>, id: EventId) -> bool {
    match scene.outcome(id) {
        Some(Outcome::ReplyLost { .. }) => true,
        Some(Outcome::Failed(failure)) => failure.class == ErrorClass::Timeout,
        _ => false,
    }
}

/// The same message again, or a copy under another id: everything that its sender set is equal.
pub(super) fn equal_but_for_id(one: &Row, other: &Row) -> bool {
    let mut named = false;
    let equal = one.fields().all(|(name, value)| {
        if &**name == "id" {
            return true;
        }
        named |= *value != Value::Null;
        other.get(name) == Some(value)
    });
    equal && named
}

/// The id of a publish is made anew each time it is sent: in its line, or in the variable that the line names.
fn draws_id(scene: &Scene<'_>, publish: EventId) -> bool {
    let Some(Request::Publish { fields, .. }) = scene.request(publish) else {
        return false;
    };
    let Some((_, id)) = fields.iter().find(|(name, _)| &**name == "id") else {
        return false;
    };
    let service = scene.who(publish).and_then(|who| scene.service(who));
    let named = |slot: Slot| {
        let code = service.map_or(&[][..], |service| &service.code);
        code.iter().any(|instruction| {
            matches!(instruction, Instruction::Set { place: Place::Local(to), value, .. } if *to == slot && draws(value))
        })
    };
    match id {
        Expr::Local(slot) => named(*slot),
        expr => draws(expr),
    }
}

fn draws(expr: &Expr) -> bool {
    match expr {
        Expr::Call(Function::Fresh, _) => true,
        Expr::Call(_, arguments) => arguments.iter().any(draws),
        Expr::Binary(_, a, b) => draws(a) || draws(b),
        Expr::Cast(of, _) | Expr::Negate(of) => draws(of),
        _ => false,
    }
}
