//! Events as lines of text, and the controls of the play head.

use super::timeline::event_class;
use super::{BlockClass, Halves, Shown};
use crate::app::designs::{Seen, is_compared};
use crate::app::model::{Head, Model, Tab};
use crate::app::update::head_position;
use crate::app::words::sentences;
use crate::fact::EventId;
use crate::link::Position;
use crate::words::{instance_name, instant};
use std::rc::Rc;

/// One event as a sentence. A click sends [`crate::app::message::Message::GoTo`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    pub event: EventId,
    /// "10.003 s".
    pub time: String,
    /// "Relay#2"; empty for what a party does by itself. The text names it too.
    pub actor: String,
    /// "Relay: publish-events, first time".
    pub text: String,
    pub class: BlockClass,
    /// The event the play head stands on.
    pub at_head: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controls {
    pub playing: bool,
    pub at_start: bool,
    pub at_end: bool,
    /// "10.003 s · Relay: publish events, ok" or "end, after 15.2 s".
    pub label: String,
    /// For a range input: 0 = before the first column (or instant), `max` = the end.
    pub value: Halves,
    pub max: Halves,
    /// They count the common instants of designs side by side.
    pub common: bool,
}

/// Lines of the list at most, around the play head.
const LINES_MAX: usize = 400;

/// One event as a line.
pub(super) fn line(shown: &Shown<'_>, id: EventId) -> Option<EventLine> {
    let event = shown.run.trace.events.get(id as usize)?;
    Some(EventLine {
        event: id,
        time: instant(event.at, shown.language),
        actor: event
            .instance
            .map_or_else(String::new, |instance| instance_name(instance, shown.program)),
        text: shown.explain(event),
        class: event_class(event),
        at_head: shown.at_head() == Some(id),
    })
}

/// The list, while somebody looks at it.
pub(super) fn lines(shown: &Shown<'_>) -> Rc<[EventLine]> {
    if shown.model.tab != Tab::Events {
        return Rc::new([]);
    }
    let all = shown.run.trace.events.len();
    let head = match shown.model.head {
        Head::After(happened) => happened as usize,
        Head::End => all,
    };
    let from = head.saturating_sub(LINES_MAX / 2).min(all.saturating_sub(LINES_MAX));
    let to = (from + LINES_MAX).min(all);
    // A trace numbers its events with 32 bits.
    (from..to).filter_map(|id| line(shown, id as EventId)).collect()
}

pub(super) fn controls(shown: &Shown<'_>) -> Controls {
    if let Some(seen) = shown.model.comparison.seen().filter(|_| is_compared(shown.model)) {
        return common_controls(shown.model, seen);
    }
    let trace = &shown.run.trace;
    let event = shown.at_head().and_then(|id| trace.events.get(id as usize));
    let label = match (shown.model.head, event) {
        (Head::End, _) => sentences::state_at_end(shown.language, trace.ended_at),
        (Head::After(_), Some(event)) => format!("{} · {}", instant(event.at, shown.language), shown.explain(event)),
        (Head::After(_), None) => sentences::state_at_start(shown.language).to_owned(),
    };
    Controls {
        playing: shown.model.playing,
        at_start: shown.model.head == Head::After(0),
        at_end: shown.model.head == Head::End,
        label,
        value: head_position(shown.model),
        max: shown.run.columns.end(),
        common: false,
    }
}

/// The play head that designs side by side have in common.
pub(super) fn common_controls(model: &Model, seen: &Seen) -> Controls {
    let instants = &seen.lockstep.instants;
    let (head, happened) = (model.comparison.head(), seen.lockstep.happened(model.comparison.head()));
    let at_end = head == Position::End;
    let last = happened.checked_sub(1).and_then(|last| instants.get(last)).copied();
    let halves = |number: usize| Halves::try_from(number).unwrap_or(Halves::MAX);
    Controls {
        playing: model.playing,
        at_start: head == Position::Start,
        at_end,
        label: sentences::lockstep_head(model.language, last, at_end),
        value: halves(happened),
        max: halves(instants.len()),
        common: true,
    }
}
