//! What became of a message that should have led to an effect: who acknowledged it, and why that one could.

use super::super::reason::{Point, Reason};
use super::super::scene::{Message, Touch, there_before};
use super::Lost;
use crate::expression::ErrorClass;
use crate::fact::{EventId, Fact, INITIAL};
use crate::program::Relation;
use crate::simulation::trace::{EventKind, InstanceId, Outcome, Party};
use crate::value::Value;

impl Lost<'_, '_> {
    /// What became of a message that should have led to the effect.
    pub(super) fn fate(&self, message: Message) -> Option<Point> {
        let scene = self.scene;
        let mut last = None;
        for (id, event) in scene.since(0) {
            let gone = match &event.kind {
                EventKind::Step { outcome, .. } => {
                    matches!(outcome, Outcome::Ok | Outcome::ReplyLost { .. })
                        && scene.handled(id) == Some(message)
                        && scene.is_ack(id)
                }
                EventKind::Exhausted {
                    queue,
                    message: number,
                    dead: None,
                }
                | EventKind::Expired {
                    queue,
                    message: number,
                    dead: None,
                } => (*queue, u64::from(*number)) == message,
                _ => false,
            };
            if gone {
                last = Some(id);
            }
        }
        let Some(gone) = last else {
            return self.not_kept(message);
        };
        if !scene.is_ack(gone) {
            let expired = scene
                .event(gone)
                .is_some_and(|event| matches!(event.kind, EventKind::Expired { .. }));
            return Some(Point {
                reason: if expired {
                    Reason::Expired(message.0)
                } else {
                    Reason::GivenUp
                },
                events: vec![gone],
            });
        }
        self.acknowledged(gone, message)
    }

    /// Nobody took it: the broker lost it.
    fn not_kept(&self, message: Message) -> Option<Point> {
        let queue = self
            .scene
            .program
            .queues
            .get(usize::from(message.0))
            .filter(|queue| queue.volatile)?;
        let accepted = self.scene.message(message)?.0?;
        let down = self.scene.since(accepted).find(|(_, event)| {
            matches!(event.kind, EventKind::Down { party: Party::Broker(broker), .. } if broker == queue.broker)
        })?;
        Some(Point {
            reason: Reason::NotKept(message.0),
            events: vec![down.0],
        })
    }

    /// The acknowledgement came when its delivery was over and another instance had the message.
    fn acked_for_another(&self, ack: EventId, message: Message, who: InstanceId) -> Option<Point> {
        let scene = self.scene;
        let (delivered, _) = scene.delivery(ack)?;
        let again = scene.between(delivered, ack).find(|(_, event)| {
            matches!(event.kind, EventKind::Delivery { queue, message: number, .. } if (queue, u64::from(number)) == message)
        })?;
        let other = again.1.instance?;
        let mut events = vec![again.0, ack];
        events.extend(scene.cut(&scene.pass(again.0)));
        Some(Point {
            reason: Reason::AckedForAnother(who, other),
            events,
        })
    }

    fn acknowledged(&self, ack: EventId, message: Message) -> Option<Point> {
        let scene = self.scene;
        let who = scene.who(ack)?;
        if let Some(point) = self.acked_for_another(ack, message, who) {
            return Some(point);
        }
        let pass = scene.pass(ack);
        let before = pass.iter().copied().filter(|id| *id < ack);
        if let Some(point) = before.rev().find_map(|id| self.refused_by_a_row(id, message, who)) {
            return Some(point);
        }
        let failed = pass.iter().copied().take_while(|id| *id < ack);
        let failed = failed
            .filter(|id| matches!(scene.outcome(*id), Some(Outcome::Failed(_))))
            .last();
        if let Some(failed) = failed {
            return Some(Point {
                reason: Reason::AckedAfterFailure(who),
                events: vec![failed, ack],
            });
        }
        if let Some(cut) = scene.cut(&pass) {
            return Some(Point {
                reason: Reason::AckedFirst(who),
                events: vec![ack, cut],
            });
        }
        if !scene.makes(scene.service(who)?, self.effect) {
            return Some(Point {
                reason: Reason::TakenByAnother(who),
                events: vec![ack],
            });
        }
        let (first, attempt) = scene.since(0).find_map(|(id, event)| {
            let this = matches!(event.kind, EventKind::Delivery { queue, message: number, .. } if (queue, u64::from(number)) == message);
            this.then(|| (id, scene.pass(id)))
        })?;
        let cut = scene.cut(&attempt).filter(|_| first < ack && !attempt.contains(&ack))?;
        Some(Point {
            reason: Reason::TakenForCopy(who),
            events: vec![cut, ack],
        })
    }

    /// A statement that found a row in its way: who wrote that row?
    fn refused_by_a_row(&self, id: EventId, message: Message, who: InstanceId) -> Option<Point> {
        let scene = self.scene;
        let (relation, touch) = scene.touches(id)?;
        let found = match (touch, scene.outcome(id)?) {
            (Touch::Inserts, Outcome::Failed(failure)) => failure.class == ErrorClass::Duplicate,
            (Touch::Inserts, Outcome::Rows(n)) => *n == 0,
            (Touch::Reads, Outcome::Rows(n)) => *n > 0 && scene.makes(scene.service(who)?, relation),
            _ => false,
        };
        if !found {
            return None;
        }
        let row = self.in_the_way(relation, id, message)?;
        let written = row.stamp.event;
        let by = scene.who(written).filter(|_| row.stamp != INITIAL)?;
        let pass = scene.pass(written);
        let same = scene
            .delivery(written)
            .is_some_and(|(_, other)| self.is_copy(other, message));
        if !same {
            let mut events = scene.up_to(written);
            events.push(id);
            return Some(Point {
                reason: Reason::KeyTaken(by, who, relation),
                events,
            });
        }
        let mut events = vec![written, id];
        if by != who && pass.iter().any(|later| *later > id) {
            events.extend(pass.last());
            return Some(Point {
                reason: Reason::AckedWhileAtWork(who, by),
                events,
            });
        }
        events.extend(scene.cut(&pass));
        Some(Point {
            reason: Reason::RecordedAlone(by, relation),
            events,
        })
    }

    /// The same message, or one with the same id from the same queue.
    fn is_copy(&self, one: Message, other: Message) -> bool {
        let id = |message| self.scene.message(message).and_then(|(_, row)| row.get("id").cloned());
        one == other || one.0 == other.0 && id(one).is_some_and(|id_of_one| Some(id_of_one) == id(other))
    }

    /// The row that a statement met: of those that were there the one that has most in common with the message.
    fn in_the_way(&self, relation: Relation, before: EventId, message: Message) -> Option<&Fact> {
        let scene = self.scene;
        let (_, fields) = scene.message(message)?;
        let common = |fact: &&Fact| {
            let values = fact.row.values().iter();
            values
                .filter(|value| **value != Value::Null && fields.values().contains(value))
                .count()
        };
        there_before(scene, relation, before).into_iter().max_by_key(common)
    }
}
