//! The designs of one problem side by side, in words and numbers, and their effects over time.

use super::Worth;
use crate::app::designs;
use crate::app::model::{Model, Tab};
use crate::app::presets::in_language;
use crate::app::words::sentences;
use crate::costs::Costs;
use crate::value::{Millis, Name};
use crate::words::{Language, kind_word};
use std::rc::Rc;

/// Curves in one chart at most; more cannot be told apart.
const CURVES_MAX: usize = 6;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Designs {
    /// The open one first.
    pub list: Vec<Design>,
    /// One for each design that has effects; empty if none has two or more.
    pub curves: Vec<Series>,
    /// The time at the chart's right end, its label, and the most effects of a design.
    pub until: Millis,
    pub until_label: String,
    pub most: usize,
    /// A marker is on its way: the numbers are those from before.
    pub pending: bool,
}

/// One row of the table. A click on another than the open one sends [`crate::app::message::Message::SwitchVariant`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    pub id: Name,
    pub title: String,
    pub open: bool,
    pub worth: Worth,
    /// "✗ Lost".
    pub verdict: String,
    /// "a fault is not reached here", "cut"; mostly empty.
    pub note: String,
    /// Rows written for each cause: "2", "1.5"; the total where there are no causes.
    pub writes: String,
    pub messages: String,
    pub redeliveries: String,
    /// Rows at the end, and at the most where that was more: "3 (5)".
    pub rows: String,
    /// From a cause to its effect: "9 ms", "2 ms – 10 s"; empty without effects.
    pub delay: String,
    /// When the last effect came; empty without effects.
    pub last: String,
}

/// How many effects there were at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    pub id: Name,
    /// When each effect came, ascending.
    pub at: Vec<Millis>,
}

pub(super) fn designs(model: &Model) -> Rc<Designs> {
    let Some(designs) = model.designs.as_ref().filter(|_| model.tab == Tab::Designs) else {
        return Rc::default();
    };
    let curves: Vec<Series> = designs
        .list
        .iter()
        .filter(|design| !design.costs.effects_at.is_empty())
        .take(CURVES_MAX)
        .map(|design| Series {
            id: design.id.clone(),
            at: design.costs.effects_at.clone(),
        })
        .collect();
    let most = curves.iter().map(|curve| curve.at.len()).max().unwrap_or(0);
    let until = curves
        .iter()
        .filter_map(|curve| curve.at.last())
        .max()
        .copied()
        .unwrap_or(0);
    Rc::new(Designs {
        list: designs.list.iter().map(|found| design(model, found)).collect(),
        // A single effect is a time, and that is in the table.
        curves: if most > 1 { curves } else { Vec::new() },
        until,
        until_label: sentences::span(model.language, until),
        most,
        pending: model.drag.is_some(),
    })
}

fn design(model: &Model, found: &designs::Design) -> Design {
    let language = model.language;
    let open = found.id == model.played.scenario.id;
    let preset = model.presets.iter().find(|entry| *entry.preset.id == *found.id);
    let titles = match preset {
        Some(entry) if !open => &entry.told().title,
        _ => &model.played.scenario.title,
    };
    let worth = found.worth.map_or(Worth::Healthy, Worth::Finding);
    let costs = &found.costs;
    Design {
        id: found.id.clone(),
        title: in_language(titles, language).map_or_else(|| found.id.to_string(), |title| title.to_string()),
        open,
        worth,
        verdict: format!("{} {}", worth.symbol(), kind_word(found.worth, language)),
        note: sentences::design_note(language, found.not_reached, found.cut),
        writes: per_cause(language, costs),
        messages: costs.messages.to_string(),
        redeliveries: costs.redeliveries.to_string(),
        rows: match (costs.rows.at_end, costs.rows.most) {
            (end, most) if most > end => format!("{end} ({most})"),
            (end, _) => end.to_string(),
        },
        delay: delay(language, costs),
        last: costs
            .effects_at
            .last()
            .map_or_else(String::new, |at| sentences::span(language, *at)),
    }
}

/// Writes for each cause, rounded to a tenth.
fn per_cause(language: Language, costs: &Costs) -> String {
    let tenths = (costs.writes * 20 + costs.causes).checked_div(costs.causes * 2);
    match tenths {
        None => costs.writes.to_string(),
        Some(tenths) if tenths % 10 == 0 => (tenths / 10).to_string(),
        Some(tenths) => format!("{}{}{}", tenths / 10, sentences::point(language), tenths % 10),
    }
}

fn delay(language: Language, costs: &Costs) -> String {
    match (costs.delays.first(), costs.delays.last()) {
        (Some(least), Some(most)) if least != most => format!(
            "{} – {}",
            sentences::span(language, *least),
            sentences::span(language, *most)
        ),
        (Some(all), _) => sentences::span(language, *all),
        _ => String::new(),
    }
}
