//! Designs side by side: a column for each with outcome, costs, state and what it did at each common instant; the matrix of
//! crash points; effects over time.

use super::Controls;
use super::events;
use crate::app::designs::{self, Comparison, SETS, Seen};
use crate::app::model::{Model, Tab};
use crate::app::words::sentences;
use crate::value::{Millis, Name};
use std::rc::Rc;

mod column;
mod matrix;
mod rows;
mod state;

pub use column::{COSTS, Column, cost_names};
pub use matrix::{Matrix, MatrixCell, MatrixGroup, MatrixPlace, MatrixRow, matrix_table};
pub use rows::{Entry as InstantEntry, Row as InstantRow};
pub use state::Count;

/// Curves in one chart at most; more cannot be told apart.
const CURVES_MAX: usize = 6;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Designs {
    pub columns: Rc<[Column]>,
    /// What the designs did, instant by instant.
    pub rows: Rc<[InstantRow]>,
    /// Instants that are not among them; mostly empty.
    pub more: String,
    /// For each design what there is at the play head.
    pub states: Rc<[Rc<[Count]>]>,
    /// So many of the rows have happened at the play head.
    pub happened: usize,
    /// The common play head; none where nothing is beside the open design.
    pub controls: Option<Rc<Controls>>,
    pub matrix: Rc<Matrix>,
    pub sets: Rc<[Set]>,
    /// The open scenario's variants, if it names any. A click sends [`crate::app::message::Message::CompareVariants`].
    pub variants: Option<Set>,
    /// There is room for one more.
    pub has_room: bool,
    /// One for each design that has effects; empty if none has two or more.
    pub curves: Vec<Series>,
    /// The time at the chart's right end, its label, and the most effects of a design.
    pub until: Millis,
    pub until_label: String,
    pub most: usize,
    /// A marker is on its way: what is shown is that from before.
    pub pending: bool,
    /// "Copied" was said for the present matrix.
    pub copied: bool,
}

/// A ready-made comparison. A click sends [`crate::app::message::Message::CompareSet`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// "Outbox: O1, O2, O3".
    pub title: String,
    /// It is what is compared.
    pub chosen: bool,
}

/// How many effects there were at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    pub id: Name,
    /// When each effect came, ascending.
    pub at: Vec<Millis>,
}

pub(super) fn designs(model: &Model) -> Rc<Designs> {
    let comparison = &model.comparison;
    let Some(seen) = comparison.seen().filter(|_| model.tab == Tab::Designs) else {
        return Rc::default();
    };
    let curves = curves(seen);
    let most = curves.iter().map(|curve| curve.at.len()).max().unwrap_or(0);
    let until = curves.iter().filter_map(|curve| curve.at.last()).max().copied();
    let until = until.unwrap_or(0);
    Rc::new(Designs {
        columns: column::columns(model, seen),
        rows: rows::rows(model, seen),
        more: match seen.lockstep.more {
            0 => String::new(),
            more => sentences::instants_more(model.language, more),
        },
        states: state::states(model, seen),
        happened: seen.lockstep.happened(comparison.head()),
        controls: designs::is_compared(model).then(|| Rc::new(events::common_controls(model, seen))),
        matrix: Rc::new(matrix::matrix(model, seen)),
        sets: sets(model, comparison),
        variants: variants(model, comparison),
        has_room: comparison.has_room(),
        // A single effect is a time, and that is in the table.
        curves: if most > 1 { curves } else { Vec::new() },
        until,
        until_label: sentences::span(model.language, until),
        most,
        pending: model.drag.is_some(),
        copied: comparison.copied,
    })
}

fn curves(seen: &Seen) -> Vec<Series> {
    let series = |design: &Rc<designs::Design>| {
        let played = design.played.as_ref().ok()?;
        let at = design.costs.effects_at.clone();
        (!at.is_empty()).then(|| Series {
            id: played.scenario.id.clone(),
            at,
        })
    };
    seen.list.iter().filter_map(series).take(CURVES_MAX).collect()
}

fn variants(model: &Model, comparison: &Comparison) -> Option<Set> {
    let scenario = &model.played.scenario;
    let is_known = |id: &Name| *id != scenario.id && model.presets.iter().any(|entry| *entry.preset.id == **id);
    scenario.variants.iter().any(is_known).then(|| Set {
        title: sentences::variants_title(model.language, &scenario.id),
        chosen: comparison.is_named(),
    })
}

fn sets(model: &Model, comparison: &Comparison) -> Rc<[Set]> {
    let ids: Vec<&str> = comparison
        .texts()
        .iter()
        .map(|text| designs::scenario_id(text))
        .collect();
    SETS.iter()
        .map(|set| Set {
            title: sentences::set_title(model.language, set.folder, set.ids),
            chosen: ids == set.ids,
        })
        .collect()
}
