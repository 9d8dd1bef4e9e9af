//! The head of a design's column: what it is, what it is worth, what it costs, what it lacks.

use super::super::timeline::value_text;
use super::super::{Shown, Worth, header};
use crate::app::designs::{Absence, Design, Seen};
use crate::app::mistake::Mistake;
use crate::app::model::Model;
use crate::app::played::Played;
use crate::app::presets::in_language;
use crate::app::words::{Words, sentences};
use crate::costs::Costs;
use crate::program::Fault;
use crate::value::Name;
use crate::verdict;
use crate::words::{Language, kind_word};
use std::rc::Rc;

/// One design's column. A click on another than the open one sends [`crate::app::message::Message::OpenDesign`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Index of the design.
    pub design: usize,
    pub id: Name,
    pub title: String,
    pub open: bool,
    /// It differs from its preset by more than fault lines, or is nobody's preset.
    pub edited: bool,
    /// None: the text cannot be read.
    pub worth: Option<Worth>,
    /// "✗ Lost"; of a text that cannot be read, empty.
    pub verdict: String,
    /// "Order 1001 is saved and paid; …", or what is wrong with the text.
    pub sentence: String,
    /// Faults that this design lacks or does not come to, a run that was cut.
    pub notes: Vec<String>,
    /// As [`cost_names`] names them; empty where there is nothing to count.
    pub costs: [String; COSTS],
}

/// How many sorts of costs are told.
pub const COSTS: usize = 6;

/// What the costs are called.
pub fn cost_names(words: &'static Words) -> [&'static str; COSTS] {
    [
        words.writes,
        words.messages,
        words.redeliveries,
        words.rows_kept,
        words.delay,
        words.last_effect,
    ]
}

pub(super) fn columns(model: &Model, seen: &Seen) -> Rc<[Column]> {
    let designs = seen.list.iter().enumerate();
    designs
        .map(|(index, design)| column(model, seen, index, design))
        .collect()
}

fn column(model: &Model, seen: &Seen, index: usize, design: &Design) -> Column {
    let open = index == seen.open;
    match &design.played {
        Ok(played) => read(model, index, open, design, played),
        Err(mistakes) => Column {
            design: index,
            id: design.id().into(),
            title: String::new(),
            open,
            edited: true,
            worth: None,
            verdict: String::new(),
            sentence: unreadable(model.language, mistakes),
            notes: Vec::new(),
            costs: Default::default(),
        },
    }
}

fn read(model: &Model, index: usize, open: bool, design: &Design, played: &Played) -> Column {
    let language = model.language;
    let scenario = &played.scenario;
    let gravest = played.run.findings.first();
    let worth = gravest.map_or(Worth::Healthy, |finding| Worth::Finding(finding.kind));
    let kind = gravest.map(|finding| finding.kind);
    let title = in_language(&scenario.title, language);
    Column {
        design: index,
        id: scenario.id.clone(),
        title: title.map_or_else(|| scenario.id.to_string(), |title| title.to_string()),
        open,
        edited: header::is_edited(model, &played.text, &scenario.id),
        worth: Some(worth),
        verdict: format!("{} {}", worth.symbol(), kind_word(kind, language)),
        sentence: match gravest {
            Some(finding) => verdict::sentence(finding, scenario, language),
            None => verdict::healthy(scenario, language),
        },
        notes: notes(model, design, played),
        costs: costs(language, &design.costs),
    }
}

fn unreadable(language: Language, mistakes: &[Mistake]) -> String {
    let first = mistakes.first();
    first.map_or_else(String::new, |mistake| {
        format!(
            "{} {}: {}",
            crate::app::words::ui(language).line,
            mistake.line(),
            mistake.text(language)
        )
    })
}

fn notes(model: &Model, design: &Design, played: &Played) -> Vec<String> {
    let shown = Shown::of_played(model, played);
    let note = |(fault, absence): (Fault, Absence)| {
        sentences::absent_note(model.language, &absence, &value_text(&shown, &fault))
    };
    let mut notes: Vec<String> = design.absences().into_iter().map(note).collect();
    if played.run.is_cut() {
        notes.push(sentences::design_cut(model.language).to_owned());
    }
    notes
}

fn costs(language: Language, costs: &Costs) -> [String; COSTS] {
    [
        per_cause(language, costs),
        costs.messages.to_string(),
        costs.redeliveries.to_string(),
        match (costs.rows.at_end, costs.rows.most) {
            (end, most) if most > end => format!("{end} ({most})"),
            (end, _) => end.to_string(),
        },
        delay(language, costs),
        costs
            .effects_at
            .last()
            .map_or_else(String::new, |at| sentences::span(language, *at)),
    ]
}

/// Writes for each cause, rounded to a tenth; the total where there are no causes.
fn per_cause(language: Language, costs: &Costs) -> String {
    let tenths = (costs.writes * 20 + costs.causes).checked_div(costs.causes * 2);
    match tenths {
        None => costs.writes.to_string(),
        Some(tenths) if tenths % 10 == 0 => (tenths / 10).to_string(),
        Some(tenths) => format!("{}{}{}", tenths / 10, sentences::point(language), tenths % 10),
    }
}

/// From a cause to its effect: "9 ms", "2 ms – 10 s"; empty without effects.
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
