//! Designs side by side: which ones, which of them is open, their common play head, their matrix on the clipboard.
//!
//! Refuses to know: how they are run.

use super::{head, marker, notice, open, readdress};
use crate::app::designs::{self, Comparison, SETS, Set};
use crate::app::message::{Effect, Message};
use crate::app::model::{Asked, Model, NoticeWhat, Tab};
use crate::link::{Compared, Position};
use crate::program::Point;
use crate::scenarios;
use std::rc::Rc;

pub(super) fn update(model: &mut Model, message: &Message, effects: &mut Vec<Effect>) {
    match message {
        Message::AddDesign(id) => add(model, id, effects),
        Message::RemoveDesign(index) => {
            model.comparison.remove(*index);
            readdress(model, effects);
        }
        Message::ShiftDesign { design, later } => {
            model.comparison.shift(*design, *later);
            readdress(model, effects);
            let design = if *later { design + 1 } else { design.saturating_sub(1) };
            effects.push(Effect::FocusShift { design, later: *later });
        }
        Message::CompareSet(index) => compare(model, *index, effects),
        Message::CompareVariants => {
            let head = model.comparison.head();
            model.comparison = Comparison::default();
            model.comparison.put_head(head);
            readdress(model, effects);
        }
        Message::OpenDesign { design, crash } => open_design(model, *design, crash.as_ref(), effects),
        Message::GoToInstant(happened) => {
            model.playing = false;
            go_to_instant(model, *happened);
            head::moved(model, effects);
        }
        Message::CopyMatrix => effects.extend(crate::app::view::matrix_table(model).map(Effect::CopyText)),
        Message::MatrixCopied(done) => copied(model, *done, effects),
        _ => {}
    }
}

/// Another panel; the address says whether designs are compared, and Back returns.
pub(super) fn select_tab(model: &mut Model, tab: Tab, effects: &mut Vec<Effect>) {
    if tab == model.tab {
        return;
    }
    let was = designs::is_compared(model);
    model.tab = tab;
    designs::follow(model);
    let is = designs::is_compared(model);
    if is {
        let head = designs::position_of(model);
        model.comparison.put_head(head);
    }
    if was != is && model.drag.is_none() {
        open::push_address(model, effects);
    }
}

/// The presets' dialog stays open: one adds several.
fn add(model: &mut Model, id: &str, effects: &mut Vec<Effect>) {
    let Some(preset) = scenarios::find(id) else {
        return notice(model, NoticeWhat::UnknownPreset(id.into()));
    };
    model.comparison.add(preset.text);
    if !model.comparison.has_room() {
        model.overlay = None;
    }
    readdress(model, effects);
}

/// A ready-made comparison. What is open stays open if it is one of its designs; else the first is opened.
pub(super) fn compare(model: &mut Model, index: usize, effects: &mut Vec<Effect>) {
    let Some(Set { ids, .. }) = SETS.get(index) else { return };
    let texts: Vec<&'static str> = ids
        .iter()
        .filter_map(|id| scenarios::find(id).map(|preset| preset.text))
        .collect();
    let own = &model.played.scenario.id;
    let head = model.comparison.head();
    if let Some(place) = ids.iter().position(|id| *id == &**own) {
        model.comparison = Comparison::of(&texts, place);
        model.comparison.put_head(head);
        return readdress(model, effects);
    }
    let Some(first) = texts.first() else { return };
    if model.unsaved {
        return notice(model, NoticeWhat::Replace(Asked::Set(index)));
    }
    model.comparison = Comparison::of(&texts, 0);
    open::replace(model, (*first).into(), effects);
}

/// Opens what a link to a comparison carries.
pub(super) fn show_linked(model: &mut Model, compared: &Compared, effects: &mut Vec<Effect>) {
    let Some(text) = compared.texts.get(compared.open) else {
        return;
    };
    model.overlay = None;
    model.tab = Tab::Designs;
    model.comparison = Comparison::linked(compared);
    open::take(model, text);
    readdress(model, effects);
    effects.push(Effect::Announce(crate::app::view::verdict_announcement(model)));
}

fn open_design(model: &mut Model, index: usize, crash: Option<&Point>, effects: &mut Vec<Effect>) {
    let Some(source) = model.comparison.texts().get(index) else {
        return;
    };
    let is_open = index == model.comparison.open();
    let text: Rc<str> = match crash {
        Some(point) => {
            let restart = designs::restart(&model.played.bare_faults());
            designs::with_crash(&model.played.text, source, point, restart).into()
        }
        None if is_open => return,
        None => designs::with_faults_of(&model.played.text, source).into(),
    };
    if is_open {
        if model.is_outdated() {
            return notice(model, NoticeWhat::ErrorsFirst);
        }
        open::edited(model, text, effects);
    } else if model.unsaved {
        return notice(model, NoticeWhat::Replace(Asked::Design(text)));
    } else {
        open::replace(model, text, effects);
    }
    select_crash(model, crash);
}

fn select_crash(model: &mut Model, crash: Option<&Point>) {
    let Some(point) = crash else { return };
    let stands = |fault: &crate::program::Fault| matches!(fault, crate::program::Fault::Crash(own, _) if own == point);
    let selected = model.played.faults.iter().position(|line| stands(&line.fault));
    marker::select(model, selected);
}

// --- The common play head ---------------------------------------------------------------------------------------------

/// To the next or previous common instant.
pub(super) fn step(model: &mut Model, forward: bool) {
    let Some(happened) = happened(model) else { return };
    let next = if forward {
        happened + 1
    } else {
        happened.saturating_sub(1)
    };
    go_to_instant(model, next);
}

fn happened(model: &Model) -> Option<usize> {
    let seen = model.comparison.seen()?;
    Some(seen.lockstep.happened(model.comparison.head()))
}

fn go_to_instant(model: &mut Model, happened: usize) {
    if let Some(seen) = model.comparison.seen() {
        let position = seen.lockstep.position(happened);
        put(model, position);
    }
}

/// Moves both play heads, the common one and the open design's own.
pub(super) fn put(model: &mut Model, position: Position) {
    model.comparison.put_head(position);
    model.head = designs::head_at(model, position);
}

// --- The matrix -------------------------------------------------------------------------------------------------------

fn copied(model: &mut Model, done: bool, effects: &mut Vec<Effect>) {
    model.comparison.copied = done;
    if done {
        let words = crate::app::words::ui(model.language);
        effects.push(Effect::Announce(words.matrix_copied.to_owned()));
    } else {
        notice(model, NoticeWhat::CopyFailed);
    }
}
