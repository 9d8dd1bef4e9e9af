//! An open challenge: changes of its list, lines that move, claims, and the slices of its judgement.

use super::open;
use crate::app::challenge::{self, Attempt, SAID_SO};
use crate::app::message::{Deed, Effect, Preference};
use crate::app::model::Model;
use crate::app::view::challenge_announcement;
use crate::language::edit;
use crate::link::fault_lines;

pub(super) fn update(model: &mut Model, deed: &Deed, effects: &mut Vec<Effect>) {
    let Some(attempt) = &mut model.challenge else { return };
    match deed {
        Deed::Toggle(index) => {
            if let Some(change) = attempt.challenge.changes.get(*index)
                && let Some(text) = challenge::toggled(&model.text, change)
            {
                open::edited(model, text.into(), effects);
            }
        }
        Deed::Choose(line) => attempt.line = challenge::unit_at(&model.text, *line).map(|unit| unit.line),
        Deed::Move { up } => {
            if let Some((text, line)) = attempt.line.and_then(|line| challenge::moved(&model.text, line, *up)) {
                attempt.line = Some(line);
                open::edited(model, text.into(), effects);
                effects.push(Effect::PutCaret(line));
            }
        }
        Deed::ShowBroken => show_broken(model, effects),
        Deed::RestoreQuestion => {
            let text = challenge::restored(attempt.challenge.text, &model.text, attempt.helper);
            open::edited(model, text.into(), effects);
        }
        Deed::Restart => {
            let text = attempt.challenge.text;
            open::edited(model, text.into(), effects);
        }
        Deed::Claim(party) => attempt.say(party),
        Deed::GoOn => go_on(model, effects),
    }
}

/// The faults that break it, instead of the markers that are there.
fn show_broken(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(Attempt {
        grade: challenge::Grade::Tried(trial),
        ..
    }) = &model.challenge
    else {
        return;
    };
    let Some(broken) = &trial.broken else { return };
    let text = fault_lines::split(&model.text).others.concat();
    let text = broken
        .faults
        .iter()
        .fold(text, |text, fault| edit::insert(&text, fault).0);
    open::edited(model, text.into(), effects);
}

/// One slice; what has come out of it is said and remembered.
fn go_on(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(attempt) = &mut model.challenge else { return };
    if !attempt.go_on() {
        return;
    }
    let changes = match attempt.claim.as_ref().and_then(|claim| claim.answer) {
        Some(challenge::Answer::Right) => Some(SAID_SO),
        // A text has far fewer than 2^32 lines.
        _ => attempt.is_solved().then_some(attempt.changes as u32),
    };
    let id = attempt.challenge.id;
    let best = model.bests.get(id).copied();
    if let Some(changes) = changes.filter(|changes| best.is_none_or(|best| *changes < best)) {
        model.bests.insert(id.to_owned(), changes);
        effects.push(Effect::Store(Preference::Best(id, changes)));
    }
    effects.push(Effect::Announce(challenge_announcement(model)));
}

/// The challenge opens, closes and is judged with the text.
pub(super) fn look(model: &mut Model, effects: &mut Vec<Effect>) {
    if challenge::look(model) {
        effects.push(Effect::TrySoon);
    }
}
