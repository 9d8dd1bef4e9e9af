//! Why something happened twice: why the message came again and was not known, or why it was sent again.

mod again;
mod sender;

pub(super) use again::came_again;
pub(super) use sender::equal_but_for_id;

use super::reason::{Point, Reason};
use super::scene::{Scene, Touch};
use crate::fact::{Change, EventId};
use crate::program::{Relation, Request};
use crate::simulation::trace::Outcome;
use crate::value::Row;
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
