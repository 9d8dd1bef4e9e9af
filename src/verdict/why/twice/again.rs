//! Why a message came again: what became of the delivery before.

use super::super::reason::{Point, Reason};
use super::super::scene::{Message, Scene};
use crate::fact::EventId;
use crate::simulation::trace::{EventKind, Outcome};

/// Why a message was delivered again after `one`, at the latest as `other`.
pub(in super::super) fn came_again(scene: &Scene<'_>, message: Message, one: EventId, other: EventId) -> Option<Point> {
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
