//! Why: the events of the trace that brought a finding about.
//!
//! The chain follows three rules, for every kind and scenario alike:
//! 1. each fact of the finding, and what happened to the messages that carried it, with the chain of causes behind it;
//! 2. every fault that struck a process on one of these chains after it came in: until the end where something is missing,
//!    until the last fact where everything is there (a duplicate needs no later crash);
//! 3. the time a party was down or cut off, if a step on a chain failed because of it.
//!
//! It ends at the decision that made the finding possible: `twice`, `lost` and `rest` look for it in what the trace and the
//! parties' facts show, and add the events that decided.

mod lost;
mod reason;
mod rest;
mod scene;
mod sign;
mod twice;

use super::{Finding, Seen, signature};
use crate::expression::ErrorClass;
use crate::fact::EventId;
use crate::program::{Destination, Kind, Program, Scenario};
use crate::simulation::Trace;
use crate::simulation::trace::{Event, EventKind, InstanceId, Outcome};
use crate::words::Language;
use reason::Point;
use scene::Scene;
use sign::Sign;
use std::collections::{BTreeMap, BTreeSet};

/// Longer stories keep their facts, their beginning and their end.
const SHOWN_MAX: usize = 200;

/// Why a finding came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The events behind it, ascending, each once.
    pub events: Vec<EventId>,
    points: Vec<Point>,
    signs: Vec<Sign>,
}

impl Why {
    /// The decisions that made it possible, in a sentence each; empty where the trace shows none.
    pub fn conclusion(&self, program: &Program, language: Language) -> String {
        let mut sentences: Vec<String> = Vec::new();
        for point in &self.points {
            let sentence = point.reason.sentence(program, language);
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        sentences.join(" ")
    }

    /// What an operator would see: the signs that only the trace and other tables show, then the finding's own signature.
    pub fn signature(&self, finding: &Finding, scenario: &Scenario, language: Language) -> String {
        let signs = self.signs.iter().map(|sign| sign.words(&scenario.program, language));
        let own = signature(finding, scenario, language);
        signs.chain([own]).collect::<Vec<String>>().join("; ")
    }
}

/// Explains a finding. `trace` is that of the run that was judged.
pub fn why(finding: &Finding, scenario: &Scenario, trace: &Trace) -> Why {
    let scene = Scene {
        program: &trace.program,
        events: &trace.events,
        evidence: &trace.last,
    };
    explained(finding, scenario, &scene)
}

/// Points of an explanation at most; more would be the story again.
const POINTS_MAX: usize = 3;

pub(super) fn explained(finding: &Finding, scenario: &Scenario, scene: &Scene<'_>) -> Why {
    let mut points = points(finding, scenario, scene);
    points.truncate(POINTS_MAX);
    let promise = scenario.promises.get(finding.promise).map(|promise| &promise.kind);
    let signs = sign::signs(scene, finding, promise, &points);
    let decisive: Vec<EventId> = points.iter().flat_map(|point| point.events.iter().copied()).collect();
    Why {
        events: behind(finding, &decisive, scene.events),
        points,
        signs,
    }
}

fn points(finding: &Finding, scenario: &Scenario, scene: &Scene<'_>) -> Vec<Point> {
    let promise = scenario.promises.get(finding.promise).map(|promise| &promise.kind);
    match &finding.seen {
        Seen::Pairing {
            cause, effects, held, ..
        } => match (finding.kind, cause, held, promise) {
            (Kind::Phantom, ..) => rest::phantom(scene, &finding.subject).into_iter().collect(),
            (Kind::Duplicate, ..) => twice::points(scene, effects),
            (_, _, Some(held), _) => rest::left(scene, finding, held).into_iter().collect(),
            (Kind::Lost, Some(cause), None, Some(promise)) => lost::points(scene, finding, promise, cause),
            _ => Vec::new(),
        },
        Seen::Left(held) => rest::left(scene, finding, held).into_iter().collect(),
        Seen::Sequence { late, overtaker, .. } => rest::out_of_order(scene, late, overtaker).into_iter().collect(),
        Seen::Size { .. } => rest::growth(scene, finding.subject.relation).into_iter().collect(),
        Seen::Values { .. } => rest::wrong_value(scene, finding.subject.relation).into_iter().collect(),
    }
}

/// The chain of events behind a finding; `decisive` are those that its explanation names.
pub(super) fn behind(finding: &Finding, decisive: &[EventId], events: &[Event]) -> Vec<EventId> {
    let mut story = Story {
        events,
        told: BTreeSet::new(),
    };
    for fact in &finding.facts {
        story.trace_back(*fact);
    }
    for event in story.carried(&finding.messages) {
        story.trace_back(event);
    }
    let until = match finding.kind {
        Kind::Duplicate | Kind::OutOfOrder | Kind::Growth => finding.facts.last().copied(),
        _ => None,
    };
    for event in story.strikes(until.unwrap_or(EventId::MAX)) {
        story.trace_back(event);
    }
    for event in decisive {
        story.trace_back(*event);
    }
    story.told.extend(story.outages());
    shorten(story.told, &finding.facts)
}

struct Story<'a> {
    events: &'a [Event],
    told: BTreeSet<EventId>,
}

impl Story<'_> {
    fn event(&self, id: EventId) -> Option<&Event> {
        self.events.get(usize::try_from(id).ok()?)
    }

    /// An event, its cause, the cause's cause… A chain ends where another one that is already told goes on.
    fn trace_back(&mut self, id: EventId) {
        let mut next = Some(id);
        while let Some(id) = next {
            next = match self.event(id) {
                Some(event) if !self.told.contains(&id) => event.cause.filter(|cause| *cause < id),
                _ => return,
            };
            self.told.insert(id);
        }
    }

    fn numbered(&self) -> impl Iterator<Item = (EventId, &Event)> {
        (0..).zip(self.events)
    }

    /// What happened to these messages: deliveries, acks, ends of leases.
    fn carried(&self, messages: &[(u16, u64)]) -> Vec<EventId> {
        let messages: BTreeSet<(u16, u64)> = messages.iter().copied().collect();
        if messages.is_empty() {
            return Vec::new();
        }
        let about = |event: &Event| message(&event.kind).is_some_and(|message| messages.contains(&message));
        self.numbered()
            .filter(|(_, event)| about(event))
            .map(|(id, _)| id)
            .collect()
    }

    /// Faults up to `until` that struck a process after its first event in the story; and the restarts after them.
    fn strikes(&self, until: EventId) -> Vec<EventId> {
        let mut entered: BTreeMap<InstanceId, EventId> = BTreeMap::new();
        for id in &self.told {
            if let Some(instance) = self.event(*id).and_then(|event| event.instance) {
                entered.entry(instance).or_insert(*id);
            }
        }
        let (mut strikes, mut struck) = (Vec::new(), BTreeSet::new());
        for (id, event) in self.numbered().take_while(|(id, _)| *id <= until) {
            let Some(instance) = event.instance else { continue };
            let inside = entered.get(&instance).is_some_and(|first| *first <= id);
            let over = matches!(event.kind, EventKind::Restart | EventKind::Resume) && struck.remove(&instance);
            if inside && is_fault(&event.kind) {
                struck.insert(instance);
                strikes.push(id);
            } else if over {
                strikes.push(id);
            }
        }
        strikes
    }

    /// Times of outage in which a step of the story failed to reach its party.
    fn outages(&self) -> Vec<EventId> {
        let told = self.told.iter().filter_map(|id| self.event(*id));
        let failed: Vec<i64> = told
            .filter(|event| missed_its_party(&event.kind))
            .map(|event| event.at)
            .collect();
        let outages = self.numbered().filter(|(_, event)| {
            let (EventKind::Down { until, .. } | EventKind::Cut { until, .. }) = event.kind else {
                return false;
            };
            // A time-out comes after the outage that caused it; a refusal to connect comes during it.
            failed.iter().any(|at| event.at <= *at && *at <= until)
        });
        outages.map(|(id, _)| id).collect()
    }
}

/// The message an event is about.
fn message(kind: &EventKind) -> Option<(u16, u64)> {
    let (queue, message) = match kind {
        EventKind::Step { message, .. } => (*message)?,
        EventKind::Delivery { queue, message, .. }
        | EventKind::LeaseEnded { queue, message }
        | EventKind::Returned { queue, message }
        | EventKind::Exhausted { queue, message, .. }
        | EventKind::Expired { queue, message, .. }
        | EventKind::Discarded {
            destination: Destination::Queue(queue),
            copy_of: Some(message),
        }
        | EventKind::Acknowledged { queue, message }
        | EventKind::Due { queue, message } => (*queue, *message),
        _ => return None,
    };
    Some((queue, u64::from(message)))
}

fn is_fault(kind: &EventKind) -> bool {
    match kind {
        EventKind::Crash { .. } | EventKind::Exit { .. } | EventKind::Pause { .. } => true,
        EventKind::Step { outcome, .. } => matches!(outcome, Outcome::RequestLost { .. } | Outcome::ReplyLost { .. }),
        _ => false,
    }
}

fn missed_its_party(kind: &EventKind) -> bool {
    let EventKind::Step {
        outcome: Outcome::Failed(failure),
        ..
    } = kind
    else {
        return false;
    };
    matches!(failure.class, ErrorClass::Unreachable | ErrorClass::Timeout)
}

fn shorten(told: BTreeSet<EventId>, facts: &[EventId]) -> Vec<EventId> {
    if told.len() <= SHOWN_MAX {
        return told.into_iter().collect();
    }
    let half = SHOWN_MAX / 2;
    let first = told.iter().take(half).copied();
    let last = told.iter().rev().take(half).copied();
    let facts = facts.iter().take(half).copied();
    let kept: BTreeSet<EventId> = first.chain(last).chain(facts).collect();
    kept.into_iter().collect()
}
