//! The play head: where in the run the state is looked at.

use super::readdress;
use crate::app::message::{Effect, Message};
use crate::app::model::{Head, Model};
use crate::fact::EventId;
use crate::link;
use crate::simulation::trace::{Event, EventKind};

/// Real time between two events while playing.
const TICK_MS: u32 = 600;

pub(super) fn update(model: &mut Model, message: &Message, effects: &mut Vec<Effect>) {
    match message {
        Message::StepForward => step(model, true),
        Message::StepBack => step(model, false),
        Message::ToStart => model.head = Head::After(0),
        Message::ToEnd => model.head = Head::End,
        Message::Scrub(position) => scrub(model, *position),
        Message::GoTo(event) => model.head = after(model, *event),
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

fn moved(model: &mut Model, effects: &mut Vec<Effect>) {
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

/// Right after an event.
fn after(model: &Model, event: EventId) -> Head {
    let events = model.played.run.trace.events.len();
    match event.saturating_add(1) {
        happened if (happened as usize) < events => Head::After(happened),
        _ => Head::End,
    }
}

fn scrub(model: &mut Model, position: i32) {
    let columns = &model.played.run.columns;
    model.head = match columns.event_before(position) {
        _ if position >= columns.end() => Head::End,
        Some(event) => after(model, event),
        None => Head::After(0),
    };
}

/// To the next or previous event that changes anything.
fn step(model: &mut Model, forward: bool) {
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
    // A trace numbers its events with 32 bits.
    model.head = if next >= all {
        Head::End
    } else {
        Head::After(next as u32)
    };
}

fn play_or_pause(model: &mut Model, effects: &mut Vec<Effect>) {
    model.playing = !model.playing;
    if model.playing {
        if model.head == Head::End {
            model.head = Head::After(0);
        }
        effects.push(Effect::StartTimer(TICK_MS));
    }
    moved(model, effects);
}

fn tick(model: &mut Model, effects: &mut Vec<Effect>) {
    if !model.playing {
        return;
    }
    step(model, true);
    if model.head == Head::End {
        model.playing = false;
    } else {
        effects.push(Effect::StartTimer(TICK_MS));
    }
    moved(model, effects);
}
