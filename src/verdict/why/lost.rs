//! Why something never came: what became of the messages and rows that held the cause.

mod fate;

use super::reason::{Point, Reason};
use super::scene::{Message, Scene, Touch};
use crate::fact::{Change, EventId, INITIAL};
use crate::program::{Count, PromiseKind, Relation, Request};
use crate::simulation::trace::{EventKind, Outcome};
use crate::sql::Statement;
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
        (true, true) => lost.never_sent().or_else(|| lost.unheard()).into_iter().collect(),
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

    /// A publish in the background failed, and its sender had gone on without the answer.
    fn unheard(&self) -> Option<Point> {
        let scene = self.scene;
        let failed = scene.since(self.cause.made?).map(|(id, _)| id).find(|id| {
            let background = matches!(scene.request(*id), Some(Request::Publish { asynchronous: true, .. }));
            let failed = matches!(
                scene.outcome(*id),
                Some(Outcome::RequestLost { .. } | Outcome::Failed(_))
            );
            background && failed
        })?;
        Some(Point {
            reason: Reason::AnswerNotAwaited(scene.who(failed)?),
            events: vec![failed],
        })
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
