//! Why something never came: what became of the messages and rows that held the cause.

use super::reason::{Point, Reason};
use super::scene::{Message, Scene, Touch, there_before};
use crate::expression::ErrorClass;
use crate::fact::{Change, EventId, Fact, INITIAL};
use crate::program::{Count, PromiseKind, Relation, Request};
use crate::simulation::trace::{EventKind, InstanceId, Outcome, Party};
use crate::sql::Statement;
use crate::value::Value;
use crate::verdict::{Finding, Subject};
use std::collections::BTreeSet;

/// The reasons for a cause's having no effect.
pub(super) fn points(scene: &Scene<'_>, finding: &Finding, promise: &PromiseKind, cause: &Subject) -> Vec<Point> {
    let PromiseKind::Each {
        effect,
        waiting,
        count: Count::One | Count::AtLeastOne,
        ..
    } = promise
    else {
        return Vec::new();
    };
    let lost = Lost {
        scene,
        effect: effect.relation,
        cause,
    };
    if let Some(late) = lost.committed_late() {
        return vec![late];
    }
    let mut messages: BTreeSet<Message> = finding.messages.iter().copied().collect();
    let places: Vec<Relation> = waiting.iter().map(|set| set.relation).collect();
    if let Some((taken, relation, identity)) = lost.taken(finding, &places) {
        // Who sends before it marks hands the cause on: the message shows what became of it.
        let sent: Vec<Message> = scene.up_to(taken).into_iter().filter_map(|id| lost.sent(id)).collect();
        if sent.is_empty() {
            // A row that is gone tells less than the acknowledgement of the message behind it.
            let deleted = lost.deletes(taken, relation, identity);
            let fates = messages
                .iter()
                .filter(|_| deleted)
                .take(LOOKED_AT_MAX)
                .filter_map(|message| lost.fate(*message));
            let fates: Vec<Point> = fates.collect();
            return match fates.is_empty() {
                true => vec![lost.closed(taken, relation, identity)],
                false => fates,
            };
        }
        messages.extend(sent);
    }
    messages.extend(lost.sent_after_the_cause());
    if let Some(discarded) = lost.discarded(finding) {
        return vec![discarded];
    }
    let points: Vec<Point> = messages
        .iter()
        .take(LOOKED_AT_MAX)
        .filter_map(|message| lost.fate(*message))
        .collect();
    match (points.is_empty(), messages.is_empty()) {
        (false, _) => points,
        (true, false) => Vec::new(),
        (true, true) => lost.never_sent().into_iter().collect(),
    }
}

/// Messages and facts of one finding that are followed through the run at most; equal causes may have thousands.
const LOOKED_AT_MAX: usize = 16;

struct Lost<'a, 's> {
    scene: &'a Scene<'s>,
    effect: Relation,
    cause: &'a Subject,
}

impl Lost<'_, '_> {
    /// A row that became visible after rows with later numbers, when a reader had already gone past it.
    fn committed_late(&self) -> Option<Point> {
        let scene = self.scene;
        let (relation @ Relation::Table { .. }, Some(committed)) = (self.cause.relation, self.cause.made) else {
            return None;
        };
        let own = scene
            .facts_of(committed)
            .into_iter()
            .find(|(table, fact)| *table == relation && Some(&fact.row) == self.cause.row.as_ref())?;
        let earlier = scene.evidence.facts(relation).iter().find(|fact| {
            fact.identity > own.1.identity
                && fact.change == Change::Insert
                && fact.stamp != INITIAL
                && fact.stamp.event < committed
        })?;
        let read = scene.between(earlier.stamp.event, committed).find(|(id, _)| {
            scene.touches(*id) == Some((relation, Touch::Reads))
                && matches!(scene.outcome(*id), Some(Outcome::Rows(n)) if *n > 0)
        })?;
        let reader = read.1.instance?;
        let mut events = vec![earlier.stamp.event];
        // What it did with what it read moved it past the row.
        events.extend(scene.pass(read.0));
        events.push(committed);
        Some(Point {
            reason: Reason::CommittedLate(reader, relation),
            events,
        })
    }

    /// The last change of a row that once held the cause, if somebody else than its maker made it.
    fn taken(&self, finding: &Finding, places: &[Relation]) -> Option<(EventId, Relation, u64)> {
        let changes = finding.facts.iter().flat_map(|id| {
            let facts = self.scene.facts_of(*id).into_iter();
            facts.map(move |(relation, fact)| (*id, relation, fact))
        });
        let changes = changes.filter(|(_, relation, fact)| {
            let held = places.contains(relation) || *relation == self.cause.relation;
            held && fact.change != Change::Insert && !matches!(relation, Relation::Queue(_))
        });
        let (id, relation, fact) = changes.max_by_key(|(id, ..)| *id)?;
        Some((id, relation, fact.identity))
    }

    /// Somebody took the cause from where it waited, and did not turn it into its effect.
    fn closed(&self, by: EventId, relation: Relation, identity: u64) -> Point {
        let scene = self.scene;
        let who = scene.who(by).unwrap_or_default();
        let pass = scene.pass(by);
        let service = scene.service(who);
        let makes = service.is_some_and(|service| scene.makes(service, self.effect) || service.code.iter().any(sends));
        let cut = scene.cut(&pass).filter(|_| makes);
        let deleted = self.deletes(by, relation, identity);
        if let Some(cut) = cut {
            let sends = service.is_some_and(|service| service.code.iter().any(sends));
            let reason = match (sends, deleted) {
                (true, false) => Reason::MarkedFirst(who, relation),
                (true, true) => Reason::DeletedFirst(who, relation),
                (false, _) => Reason::MarkedBeforeDone(who, relation),
            };
            return Point {
                reason,
                events: vec![by, cut],
            };
        }
        let earlier = scene
            .evidence
            .facts(relation)
            .iter()
            .filter(|fact| fact.identity == identity && fact.change == Change::Update && fact.stamp.event < by);
        let holder = earlier.filter_map(|fact| Some((fact.stamp.event, scene.who(fact.stamp.event)?)));
        match holder.last().filter(|(_, holder)| *holder != who) {
            Some((taken, holder)) => Point {
                reason: Reason::ClosedForAnother(who, holder, relation),
                events: vec![taken, by],
            },
            None => Point {
                reason: match deleted {
                    true => Reason::DeletedUnsent(who, relation),
                    false => Reason::ClosedWithoutEffect(who, relation),
                },
                events: vec![by],
            },
        }
    }

    fn deletes(&self, by: EventId, relation: Relation, identity: u64) -> bool {
        let facts = self.scene.facts_of(by);
        facts
            .iter()
            .any(|(table, fact)| (*table, fact.identity, fact.change) == (relation, identity, Change::Delete))
    }

    /// The message that a step sent, if it was accepted.
    fn sent(&self, id: EventId) -> Option<Message> {
        matches!(self.scene.request(id)?, Request::Publish { .. })
            .then(|| self.scene.handled(id))
            .flatten()
    }

    /// What the pass that committed the cause sent afterwards.
    fn sent_after_the_cause(&self) -> Vec<Message> {
        let Some(made) = self.cause.made else {
            return Vec::new();
        };
        if matches!(self.cause.relation, Relation::Queue(_) | Relation::Dead(_)) {
            return Vec::new();
        }
        let pass = self.scene.pass(made).into_iter();
        pass.filter_map(|id| self.sent(id)).collect()
    }

    /// What the sender was told is accepted, and what was not stored.
    fn discarded(&self, finding: &Finding) -> Option<Point> {
        let scene = self.scene;
        let passes: BTreeSet<EventId> = finding
            .facts
            .iter()
            .take(LOOKED_AT_MAX)
            .flat_map(|fact| scene.pass(*fact))
            .collect();
        let discarded = scene.since(*passes.first()?).find(|(_, event)| {
            matches!(event.kind, EventKind::Discarded { .. })
                && event.cause.is_some_and(|cause| passes.contains(&cause))
        })?;
        let publish = discarded.1.cause?;
        let who = scene.who(publish)?;
        let reason = match discarded.1.kind {
            EventKind::Discarded { copy_of: None, .. } => Reason::Unroutable(who),
            _ => Reason::DiscardedAsCopy(who),
        };
        Some(Point {
            reason,
            events: vec![publish, discarded.0],
        })
    }

    /// What became of a message that should have led to the effect.
    fn fate(&self, message: Message) -> Option<Point> {
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

    /// Nothing was sent and nothing waits: what stopped the pass that committed the cause?
    fn never_sent(&self) -> Option<Point> {
        let scene = self.scene;
        let made = self.cause.made?;
        if matches!(self.cause.relation, Relation::Queue(_) | Relation::Dead(_)) {
            return None;
        }
        let who = scene.who(made)?;
        let pass = scene.pass(made);
        let failed = pass.iter().copied().filter(|id| *id > made).find(|id| {
            matches!(
                scene.outcome(*id),
                Some(Outcome::RequestLost { .. } | Outcome::Failed(_))
            )
        });
        let cut = scene.cut(&pass);
        if let Some(failed) = failed {
            let died = cut.filter(|cut| !pass.contains(cut));
            let reason = match died {
                Some(_) => Reason::RepeatedFromMemory(who),
                None => Reason::NotRepeated(who),
            };
            return Some(Point {
                reason,
                events: [failed].into_iter().chain(died).collect(),
            });
        }
        let cut = cut?;
        Some(Point {
            reason: Reason::NothingRemembers(who),
            events: vec![made, cut],
        })
    }
}

/// An instruction that hands something on to others.
fn sends(instruction: &crate::program::Instruction) -> bool {
    matches!(
        instruction,
        crate::program::Instruction::Step {
            request: Request::Publish { .. } | Request::CallOutside { .. } | Request::CallService { .. },
            ..
        }
    )
}

/// A step that prepares a transaction for a decision to come.
pub(super) fn prepares(request: &Request) -> bool {
    matches!(
        request,
        Request::Sql {
            statement: Statement::PrepareTransaction(_),
            ..
        }
    )
}
