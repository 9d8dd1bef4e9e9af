//! The search and the map of pairs: what is asked, what comes in, what goes onto the timeline.

use super::{marker, open};
use crate::app::finder::report::Came;
use crate::app::finder::{Find, Order, Stage};
use crate::app::message::Effect;
use crate::app::model::Model;
use crate::app::words::sentences;
use crate::program::Fault;
use crate::search::FAULTS_MAX;

pub(super) fn update(model: &mut Model, find: Find, effects: &mut Vec<Effect>) {
    let finder = &mut model.finder;
    match find {
        Find::Kind(kind, chosen) => finder.choose(kind, chosen),
        Find::UpTo(faults) => finder.faults_max = faults.clamp(1, FAULTS_MAX),
        Find::Orders(all) => finder.orders = all,
        Find::Begin => begin(model, false, effects),
        Find::Map => begin(model, true, effects),
        Find::Pause => effects.extend(finder.stage(Stage::Paused).then_some(Effect::Seek(Order::Pause))),
        Find::GoOn => effects.extend(finder.stage(Stage::Going).then_some(Effect::Seek(Order::GoOn))),
        Find::Cancel => effects.extend(finder.stage(Stage::Cancelled).then_some(Effect::Seek(Order::End))),
        Find::Heard { round, news } => {
            if finder.going().is_none_or(|begun| begun.round != round) {
                return;
            }
            let is_end = news.answer.is_some();
            finder.heard(round, news);
            if is_end {
                effects.push(Effect::Seek(Order::End));
                effects.push(Effect::Announce(crate::app::view::search_announcement(model)));
            } else {
                effects.push(Effect::Seek(Order::Shown));
            }
        }
        Find::Failed { round, why } => finder.failed(round, why),
        Find::Show => {
            let found = finder.begun.as_ref().and_then(|begun| match &begun.answer {
                Some(Came::Broken(set)) => Some(begun.faults_of(set)),
                _ => None,
            });
            put(model, found, effects);
        }
        Find::Look(one, other) => finder.look(one, other),
        Find::Put(one, other) => {
            finder.look(one, other);
            let pair = finder.begun.as_ref().map(|begun| begun.pair(one, other));
            put(model, pair, effects);
        }
    }
}

fn begin(model: &mut Model, map: bool, effects: &mut Vec<Effect>) {
    if marker::may_edit(model) {
        effects.extend(model.finder.begin(&model.text, map).map(Effect::Seek));
    }
}

/// Puts faults on the timeline: one step that can be undone.
fn put(model: &mut Model, faults: Option<Vec<Fault>>, effects: &mut Vec<Effect>) {
    let Some(faults) = faults.filter(|faults| !faults.is_empty()) else {
        return;
    };
    if !marker::may_edit(model) {
        return;
    }
    let text = model.finder.put(&model.text, faults.clone());
    model.selected = None;
    open::edited(model, text.into(), effects);
    let first = model.played.faults.iter().position(|line| faults.contains(&line.fault));
    marker::select(model, first);
}

/// A search belongs to the text it began with: another text ends it. Not while a marker is dragged, which may yet come back.
pub(super) fn follow(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.drag.is_none() && model.finder.follow(&model.text) {
        effects.push(Effect::Seek(Order::End));
        effects.push(Effect::Announce(
            sentences::search_ended_by_edit(model.language).to_owned(),
        ));
    }
}
