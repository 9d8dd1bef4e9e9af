//! Why something was sent twice, or came from two messages.

use super::super::reason::{Point, Reason};
use super::super::scene::{Message, Scene, Touch};
use super::{Twice, came_again};
use crate::expression::{ErrorClass, Expr, Function, Slot};
use crate::fact::{Change, EventId};
use crate::program::{Instruction, Place, Request};
use crate::simulation::trace::{InstanceId, Outcome};
use crate::value::{Row, Value};

impl Twice<'_, '_> {
    /// Two messages, one effect each.
    pub(super) fn two_messages(&self, one: Message, other: Message) -> Vec<Point> {
        let scene = self.scene;
        let (Some((one_at, one_row)), Some((other_at, other_row))) = (scene.message(one), scene.message(other)) else {
            return self.sent_back();
        };
        let (Some(one_at), Some(other_at)) = (one_at, other_at) else {
            return Vec::new();
        };
        let same_id = one_row.get("id") == other_row.get("id") && one_row.get("id") != Some(&Value::Null);
        if !(same_id || equal_but_for_id(one_row, other_row)) || one.0 != other.0 {
            return self.both_read(self.first, self.second).into_iter().collect();
        }
        let mut points = self.sent_again(one_at, other_at);
        if same_id {
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
    pub(super) fn sent_again(&self, one: EventId, other: EventId) -> Vec<Point> {
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
    pub(super) fn both_read(&self, one: EventId, other: EventId) -> Option<Point> {
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

/// The effect of a step whose sender does not know of it.
fn unanswered(scene: &Scene<'_>, id: EventId) -> bool {
    match scene.outcome(id) {
        Some(Outcome::ReplyLost { .. }) => true,
        Some(Outcome::Failed(failure)) => failure.class == ErrorClass::Timeout,
        _ => false,
    }
}

/// The same message again, or a copy under another id: everything that its sender set is equal.
pub(in super::super) fn equal_but_for_id(one: &Row, other: &Row) -> bool {
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
