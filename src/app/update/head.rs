//! The play head: where in the run the state is looked at.

use super::{designs, readdress};
use crate::app::designs as comparison;
use crate::app::message::{Effect, Message};
use crate::app::model::{Head, Model};
use crate::fact::EventId;
use crate::link::{self, Position};
use crate::simulation::trace::{Event, EventKind};

/// Real time between two events while playing.
const TICK_MS: u32 = 600;

pub(super) fn update(model: &mut Model, message: &Message, effects: &mut Vec<Effect>) {
    match message {
        Message::StepForward => step(model, true),
        Message::StepBack => step(model, false),
        Message::ToStart => put(model, Head::After(0)),
        Message::ToEnd => put(model, Head::End),
        Message::Scrub(position) => scrub(model, *position),
        Message::GoTo(event) => go_to(model, *event),
        Message::PlayPause => return play_or_pause(model, effects),
        Message::Tick => return tick(model, effects),
        _ => return,
    }
    model.playing = false;
    moved(model, effects);
}

/// The play head as a link carries it.
pub(super) fn shared(model: &Model) -> link::View {
    link::View {
        play_head: match model.head {
            Head::After(events) => Some(events),
            Head::End => None,
        },
    }
}

/// The play head of a link. One beyond the end of the run stands at its end.
pub(super) fn from_shared(view: &link::View, events: usize) -> Head {
    match view.play_head {
        Some(happened) if (happened as usize) < events => Head::After(happened),
        _ => Head::End,
    }
}

/// Keeps the play head within another run.
pub(super) fn clamp(model: &mut Model) {
    if let Head::After(happened) = model.head
        && happened as usize >= model.played.run.trace.events.len()
    {
        model.head = Head::End;
    }
}

pub(super) fn moved(model: &mut Model, effects: &mut Vec<Effect>) {
    readdress(model, effects);
    effects.push(Effect::Reveal(position(model)));
}

/// Where the play head stands on the timeline.
pub(crate) fn position(model: &Model) -> i32 {
    let columns = &model.played.run.columns;
    match model.head {
        Head::End => columns.end(),
        Head::After(happened) => columns.after(happened.checked_sub(1)),
    }
}

/// After so many of all events.
pub(crate) fn so_many(happened: usize, all: usize) -> Head {
    // A trace numbers its events with 32 bits.
    if happened >= all {
        Head::End
    } else {
        Head::After(happened as u32)
    }
}

/// Right after an event.
fn after(model: &Model, event: EventId) -> Head {
    so_many((event as usize).saturating_add(1), model.played.run.trace.events.len())
}

/// The common play head of designs side by side goes along.
fn put(model: &mut Model, head: Head) {
    model.head = head;
    if comparison::is_compared(model) {
        let position = comparison::position_of(model);
        model.comparison.put_head(position);
    }
}

fn go_to(model: &mut Model, event: EventId) {
    put(model, after(model, event));
    let at = model.played.run.trace.events.get(event as usize).map(|event| event.at);
    // The open design's last event need not be that of the others.
    if let (Some(at), true) = (at, comparison::is_compared(model)) {
        let at = u64::try_from(at).unwrap_or(0);
        model.comparison.put_head(Position::At(at));
    }
}

fn scrub(model: &mut Model, position: i32) {
    let columns = &model.played.run.columns;
    let head = match columns.event_before(position) {
        _ if position >= columns.end() => Head::End,
        Some(event) => after(model, event),
        None => Head::After(0),
    };
    put(model, head);
}

/// To the next or previous event that changes anything.
fn step(model: &mut Model, forward: bool) {
    if comparison::is_compared(model) {
        return designs::step(model, forward);
    }
    let events = &model.played.run.trace.events;
    let all = events.len();
    let now = match model.head {
        Head::After(happened) => happened as usize,
        Head::End => all,
    };
    let is_stop = |event: &Event| !matches!(event.kind, EventKind::Idle { .. });
    let next = if forward {
        events
            .iter()
            .enumerate()
            .skip(now)
            .find(|(_, event)| is_stop(event))
            .map_or(all, |(index, _)| index + 1)
    } else {
        let before = events.get(..now.saturating_sub(1)).unwrap_or_default();
        before.iter().rposition(is_stop).map_or(0, |index| index + 1)
    };
    model.head = so_many(next, all);
}

fn play_or_pause(model: &mut Model, effects: &mut Vec<Effect>) {
    model.playing = !model.playing;
    if model.playing {
        if is_at_end(model) {
            put(model, Head::After(0));
        }
        effects.push(Effect::StartTimer(TICK_MS));
    }
    moved(model, effects);
}

/// Nothing comes any more: of designs side by side, in none.
pub(crate) fn is_at_end(model: &Model) -> bool {
    match comparison::is_compared(model) {
        true => model.comparison.head() == Position::End,
        false => model.head == Head::End,
    }
}

fn tick(model: &mut Model, effects: &mut Vec<Effect>) {
    if !model.playing {
        return;
    }
    step(model, true);
    if is_at_end(model) {
        model.playing = false;
    } else {
        effects.push(Effect::StartTimer(TICK_MS));
    }
    moved(model, effects);
}
