//! Markers: every change is an edit of a fault line in the text.

use super::{notice, open};
use crate::app::drag::Drag;
use crate::app::fault::{self, Place};
use crate::app::lanes::{self, LaneOf};
use crate::app::message::{Effect, MarkerKey, Message, Preference};
use crate::app::model::{MarkerId, MarkerKind, Model, NoticeWhat, Overlay};
use crate::app::ruler::Stop;
use crate::app::strikes::Strikes;
use crate::app::survey::{self, Strip};
use crate::language::edit;
use crate::program::{Fault, Instruction, Point, RESTART_DEFAULT, Side, StepName};

/// Real time without a move after which a dragged marker rests, and everything is shown again.
const REST_MS: u32 = 100;

/// Stops that a page key goes.
const PAGE: isize = 5;

pub(super) fn select(model: &mut Model, marker: Option<MarkerId>) {
    model.selected = marker.filter(|marker| *marker < model.played.faults.len());
    survey::look_at_selected(model);
}

/// Another sort of fault for the strips. A selected marker of another sort is not what they speak of any more.
pub(super) fn set_strikes(model: &mut Model, strikes: Strikes) {
    if strikes == model.strikes {
        return;
    }
    let selected = model.selected.and_then(|marker| model.played.faults.get(marker));
    if selected.is_some_and(|line| Strikes::of(&line.fault).as_ref() != Some(&strikes)) {
        model.selected = None;
    }
    model.strikes = strikes;
    survey::look(model);
}

/// The lane's marker goes to the stop, or a fault is added there.
pub(super) fn put(model: &mut Model, lane: usize, stop: usize, effects: &mut Vec<Effect>) {
    let Some(strip) = strip(model, lane) else { return };
    match strip.marker {
        Some(marker) => move_to(model, marker, stop, effects),
        None => add_at(model, lane, stop, effects),
    }
}

pub(super) fn add_at(model: &mut Model, lane: usize, stop: usize, effects: &mut Vec<Effect>) {
    let found = strip(model, lane).and_then(|strip| strip.stops.get(stop));
    if let Some(fault) = found.and_then(|stop| model.strikes.at(&stop.place)) {
        add(model, &fault, effects);
    }
}

fn strip(model: &Model, lane: usize) -> Option<&Strip> {
    match lanes::of(&model.played).get(lane)? {
        LaneOf::Instance(instance) => model.survey.strips.get(usize::from(*instance)),
        _ => None,
    }
}

fn add(model: &mut Model, fault: &Fault, effects: &mut Vec<Effect>) {
    if !may_edit(model) {
        return;
    }
    let (text, _) = edit::insert(&model.text, fault);
    open::edited(model, text.into(), effects);
    let added = model.played.faults.iter().rposition(|line| line.fault == *fault);
    select(model, added);
    effects.extend(added.map(Effect::FocusMarker));
}

/// A crash after the first visit that happened on a line; then after the next; after the last none.
pub(super) fn gutter(model: &mut Model, line: u32, effects: &mut Vec<Effect>) {
    if let Some(marker) = crash_on_line(model, line) {
        let ruler = &model.survey.rulers[marker]; // there is one for each marker
        let later = ruler.now.map_or(0, |now| now + 1);
        let next = ruler
            .stops
            .iter()
            .enumerate()
            .skip(later)
            .find(|(_, stop)| is_after_line(stop, line));
        return match next.map(|(index, _)| index) {
            Some(stop) => move_to(model, marker, stop, effects),
            None => remove(model, marker, effects),
        };
    }
    let mut gaps = model.played.run.trace.gaps.iter();
    let happened = gaps
        .find(|gap| gap.line == line && gap.point.side == Side::After)
        .map(|gap| gap.point.clone());
    if let Some(point) = happened.or_else(|| first_visit(model, line)) {
        add(model, &Fault::Crash(point, Some(RESTART_DEFAULT)), effects);
    }
}

fn is_after_line(stop: &Stop, line: u32) -> bool {
    stop.line == line && matches!(&stop.place, Place::Point(point) if point.side == Side::After)
}

/// The crash that stands after a line's step: the selected one first.
fn crash_on_line(model: &Model, line: u32) -> Option<MarkerId> {
    let stands = |marker: &MarkerId| {
        let Some(fault) = model.played.faults.get(*marker).map(|line| &line.fault) else {
            return false;
        };
        let Some(ruler) = model.survey.rulers.get(*marker) else {
            return false;
        };
        if fault::kind(fault) != MarkerKind::Crash {
            return false;
        }
        match ruler.now.and_then(|now| ruler.stops.get(now)) {
            Some(stop) => is_after_line(stop, line),
            None => first_visit(model, line).is_some_and(|point| fault::place(fault) == Place::Point(point)),
        }
    };
    let selected = model.selected.filter(|marker| stands(marker));
    selected.or_else(|| (0..model.played.faults.len()).find(|marker| stands(marker)))
}

/// After the first visit of the step on a line, whether it happens or not.
fn first_visit(model: &Model, line: u32) -> Option<Point> {
    model.played.program().services.iter().find_map(|service| {
        let step = service.code.iter().find_map(|instruction| match instruction {
            Instruction::Step { step, line: own, .. } if *own == line => service.steps.get(usize::from(*step)),
            _ => None,
        })?;
        let step = StepName {
            service: service.name.clone(),
            instance: 1,
            step: step.clone(),
            visit: 1,
        };
        Some(Point {
            side: Side::After,
            step,
        })
    })
}

pub(super) fn move_to(model: &mut Model, marker: MarkerId, stop: usize, effects: &mut Vec<Effect>) {
    let place = model
        .survey
        .rulers
        .get(marker)
        .and_then(|ruler| ruler.stops.get(stop))
        .map(|stop| stop.place.clone());
    if let (Some(place), Some(line)) = (place, model.played.faults.get(marker)) {
        let fault = fault::moved(&line.fault, &place);
        set(model, marker, &fault, effects);
    }
}

/// By so many stops, as far as there are any. A marker that is not reached goes to the first or last one.
pub(super) fn nudge(model: &mut Model, marker: MarkerId, by: isize, effects: &mut Vec<Effect>) {
    let Some(ruler) = model.survey.rulers.get(marker) else {
        return;
    };
    let Some(last) = ruler.stops.len().checked_sub(1) else {
        return;
    };
    let stop = match ruler.now {
        Some(now) => now.saturating_add_signed(by).min(last),
        None if by < 0 => last,
        None => 0,
    };
    move_to(model, marker, stop, effects);
}

pub(super) fn key(model: &mut Model, marker: MarkerId, key: MarkerKey, effects: &mut Vec<Effect>) {
    match key {
        MarkerKey::Left => nudge(model, marker, -1, effects),
        MarkerKey::Right => nudge(model, marker, 1, effects),
        MarkerKey::PageDown => nudge(model, marker, -PAGE, effects),
        MarkerKey::PageUp => nudge(model, marker, PAGE, effects),
        MarkerKey::Home => nudge(model, marker, isize::MIN, effects),
        MarkerKey::End => nudge(model, marker, isize::MAX, effects),
        MarkerKey::Delete => remove(model, marker, effects),
        MarkerKey::Menu => {
            select(model, Some(marker));
            model.overlay = model.selected.map(Overlay::Menu);
        }
    }
}

/// What the menu changes.
pub(super) fn change(model: &mut Model, message: &Message, effects: &mut Vec<Effect>) {
    let fault_of = |marker: MarkerId| model.played.faults.get(marker).map(|line| &line.fault);
    let changed = match *message {
        Message::SetKind { marker, kind } => fault_of(marker)
            .and_then(|fault| fault::changed(fault, kind, model.played.program()))
            .map(|fault| (marker, fault)),
        Message::SetSide { marker, side } => fault_of(marker)
            .and_then(|fault| fault::on_side(fault, side))
            .map(|fault| (marker, fault)),
        Message::SetRestart { marker, restart } => fault_of(marker)
            .and_then(|fault| fault::restarting(fault, restart))
            .map(|fault| (marker, fault)),
        Message::SetDuration { marker, duration } => fault_of(marker)
            .and_then(|fault| fault::lasting(fault, duration))
            .map(|fault| (marker, fault)),
        Message::SetAllLater { marker, all } => fault_of(marker)
            .and_then(|fault| fault::repeated(fault, all))
            .map(|fault| (marker, fault)),
        _ => None,
    };
    if let Some((marker, fault)) = changed {
        set(model, marker, &fault, effects);
    }
}

fn set(model: &mut Model, marker: MarkerId, fault: &Fault, effects: &mut Vec<Effect>) {
    if !may_edit(model) {
        return;
    }
    let Some(line) = model.played.faults.get(marker).map(|line| line.line) else {
        return;
    };
    let text = edit::replace(&model.text, line, fault);
    model.selected = Some(marker);
    model.strikes = Strikes::of(fault).unwrap_or_else(|| model.strikes.clone());
    open::edited(model, text.into(), effects);
    select(model, Some(marker));
    reveal(model, marker, effects);
}

fn reveal(model: &Model, marker: MarkerId, effects: &mut Vec<Effect>) {
    let ruler = model.survey.rulers.get(marker);
    let stop = ruler.and_then(|ruler| ruler.stops.get(ruler.now?));
    effects.extend(stop.map(|stop| Effect::Reveal(stop.position)));
}

pub(super) fn remove(model: &mut Model, marker: MarkerId, effects: &mut Vec<Effect>) {
    let Some(line) = model.played.faults.get(marker).map(|line| line.line) else {
        return;
    };
    if !may_edit(model) {
        return;
    }
    model.selected = None;
    model.overlay = None;
    let place = cell_of(model, marker);
    let text = edit::remove(&model.text, line);
    open::edited(model, text.into(), effects);
    // Who works with keys goes on from there: with the next marker or, without one, where the last one stood.
    effects.extend(match model.played.faults.len().checked_sub(1) {
        Some(last) => Some(Effect::FocusMarker(marker.min(last))),
        None => place.map(|(lane, stop)| Effect::FocusCell { lane, stop }),
    });
}

/// The lane and stop a marker on an instance's lane stands on. Its ruler is the run without it, so both are there once it is gone.
fn cell_of(model: &Model, marker: MarkerId) -> Option<(usize, usize)> {
    let instance = survey::instance_of(&model.played, marker)?;
    let lane = LaneOf::Instance(instance);
    let index = lanes::of(&model.played).iter().position(|other| *other == lane)?;
    Some((index, model.survey.rulers.get(marker)?.now.unwrap_or(0)))
}

/// Lines can be edited for the reader only in a text without errors: which line is which is not known otherwise.
pub(super) fn may_edit(model: &mut Model) -> bool {
    if model.is_outdated() {
        notice(model, NoticeWhat::ErrorsFirst);
        return false;
    }
    true
}

// --- Dragging -----------------------------------------------------------------------------------------------------

pub(super) fn start_drag(model: &mut Model, marker: MarkerId) {
    if !may_edit(model) {
        return;
    }
    model.overlay = None;
    model.playing = false;
    select(model, Some(marker));
    model.drag = Drag::start(model, marker);
}

pub(super) fn drag_to(model: &mut Model, position: i32, effects: &mut Vec<Effect>) {
    let Some(mut drag) = model.drag.take() else { return };
    if let Some(played) = drag.to(position, model) {
        effects.push(Effect::RestSoon(REST_MS));
        model.text = played.text.clone();
        model.played = played;
        model.finding = 0;
        super::head::clamp(model);
    }
    model.drag = Some(drag);
}

/// One step that can be undone, whatever way the marker went.
pub(super) fn end_drag(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(drag) = model.drag.take() else { return };
    let (marker, moved) = (drag.marker, drag.has_moved());
    let text = model.text.clone();
    let (before, head) = drag.before();
    model.played = before;
    model.text = model.played.text.clone();
    model.head = head;
    if !moved {
        return;
    }
    if !model.first_drag_done {
        model.first_drag_done = true;
        effects.push(Effect::Store(Preference::FirstDragDone));
    }
    open::edited(model, text, effects);
    select(model, Some(marker));
}

pub(super) fn cancel_drag(model: &mut Model) {
    if let Some(drag) = model.drag.take() {
        let (before, head) = drag.before();
        model.text = before.text.clone();
        model.played = before;
        model.head = head;
        model.finding = 0;
    }
}
