//! The matrix: designs by crash points, for the eye and as a table to take along.

use super::super::Worth;
use crate::app::designs::{Absence, Design, Found, Seen, absence};
use crate::app::fault::Place;
use crate::app::model::{Model, Tab};
use crate::app::played::Played;
use crate::app::presets::in_language;
use crate::app::words::sentences;
use crate::program::{Fault, Kind, Point};
use crate::value::Name;
use crate::verdict;
use crate::words::{kind_word, point_words};
use std::rc::Rc;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// In the sequence of `places`.
    pub groups: Vec<MatrixGroup>,
    pub places: Rc<[MatrixPlace]>,
    pub rows: Rc<[MatrixRow]>,
    /// Crash points that are not among them; mostly empty.
    pub more: String,
    /// What the cells' shapes mean, those that occur: shape, word, class name.
    pub legend: Vec<(char, String, &'static str)>,
}

/// The crash points of one party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixGroup {
    /// "Relay", "Payment#2".
    pub name: String,
    /// How many columns it has.
    pub columns: usize,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixPlace {
    pub point: Point,
    /// "after publish".
    pub label: String,
    /// "Relay crashes after publish-events, first time".
    pub title: String,
    /// The first of its party.
    pub first: bool,
}

/// One design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    pub design: usize,
    pub id: Name,
    pub title: String,
    pub open: bool,
    /// "7 of 9 harmless".
    pub summary: String,
    /// One for each of the places.
    pub cells: Rc<[MatrixCell]>,
}

/// What a crash there brings this design. A click sends [`crate::app::message::Message::OpenDesign`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixCell {
    /// The worth's symbol, '·' where it is not computed, '○' where the run does not come to, '–' where the design has no such point.
    pub symbol: char,
    /// "Lost".
    pub word: String,
    /// "O6. Relay crashes after mark, first time: lost. Order 1003 …".
    pub title: String,
    /// For the class name: the worth's slug, "pending" or "absent".
    pub slug: &'static str,
    /// A crash can fall here.
    pub present: bool,
    /// The open design, with exactly this crash and no other.
    pub current: bool,
}

/// Shown where nothing was computed, where the run does not come to, and where there is nothing to come to.
const OPEN: char = '·';
const NOT_REACHED: char = '○';
const ABSENT: char = '–';

pub(super) fn matrix(model: &Model, seen: &Seen) -> Matrix {
    let places: Vec<&Point> = seen.places.groups.iter().flat_map(|group| &group.points).collect();
    let rows: Rc<[MatrixRow]> = seen
        .list
        .iter()
        .enumerate()
        .map(|(index, design)| row(model, seen, index, design, &places))
        .collect();
    Matrix {
        groups: seen
            .places
            .groups
            .iter()
            .map(|group| MatrixGroup {
                name: party(seen, &group.service, group.instance),
                columns: group.points.len(),
            })
            .collect(),
        legend: legend(&rows),
        places: seen
            .places
            .groups
            .iter()
            .flat_map(|group| group.points.iter().enumerate())
            .map(|(index, point)| MatrixPlace {
                label: sentences::short_place(model.language, &Place::Point(point.clone())),
                title: point_words(point, model.language),
                first: index == 0,
                point: point.clone(),
            })
            .collect(),
        rows,
        more: match seen.places.more {
            0 => String::new(),
            more => sentences::points_more(model.language, more),
        },
    }
}

/// A service's instances are numbered where any design has several.
fn party(seen: &Seen, service: &Name, number: u16) -> String {
    let played = seen.list.iter().filter_map(|design| design.played.as_ref().ok());
    let mut services = played.flat_map(|played| &played.program().services);
    match services.any(|own| own.name == *service && own.instances > 1) {
        true => format!("{service}#{number}"),
        false => service.to_string(),
    }
}

fn row(model: &Model, seen: &Seen, index: usize, design: &Design, places: &[&Point]) -> MatrixRow {
    let played = design.played.as_ref().ok();
    let open = index == seen.open;
    let crash = played.filter(|_| open).and_then(|played| only_crash(played));
    let id: Name = design.id().into();
    let title = played.and_then(|played| in_language(&played.scenario.title, model.language));
    MatrixRow {
        design: index,
        title: title.map_or_else(String::new, |title| title.to_string()),
        open,
        summary: summary(model, design),
        cells: places
            .iter()
            .map(|point| MatrixCell {
                current: crash.as_ref().is_some_and(|crash| is_same(design, crash, point)),
                ..cell(model, design, &id, point)
            })
            .collect(),
        id,
    }
}

/// Two names of the same crash point.
fn is_same(design: &Design, one: &Point, other: &Point) -> bool {
    let Some(swept) = &design.swept else { return false };
    match (swept.at(one), swept.at(other)) {
        (Some(one), Some(other)) => one.point == other.point,
        _ => false,
    }
}

/// Where the one crash of a text stands.
fn only_crash(played: &Played) -> Option<Point> {
    let mut crashes = played.faults.iter().filter_map(|line| match &line.fault {
        Fault::Crash(point, _) => Some(point),
        _ => None,
    });
    let first = crashes.next()?;
    crashes.next().is_none().then(|| first.clone())
}

fn summary(model: &Model, design: &Design) -> String {
    let Some(swept) = &design.swept else {
        return sentences::not_computed(model.language, true).to_owned();
    };
    let count = |is: fn(&Found) -> bool| swept.crashes.iter().filter(|crash| is(&crash.found)).count();
    sentences::matrix_summary(
        model.language,
        count(|found| *found == Found::Healthy),
        count(|found| *found != Found::Pending),
        swept.crashes.len() + swept.more,
    )
}

fn cell(model: &Model, design: &Design, id: &str, point: &Point) -> MatrixCell {
    let language = model.language;
    let place = point_words(point, language);
    let make = |symbol, word: &str, sentence: &str, slug, present| MatrixCell {
        symbol,
        word: word.to_owned(),
        title: sentences::matrix_cell(id, &place, word, sentence),
        slug,
        present,
        current: false,
    };
    let pending = make(
        OPEN,
        sentences::not_computed(language, design.swept.is_none()),
        "",
        "pending",
        true,
    );
    let (Ok(played), Some(swept)) = (&design.played, &design.swept) else {
        return MatrixCell {
            present: false,
            ..pending
        };
    };
    match swept.at(point).map(|crash| &crash.found) {
        Some(Found::Pending) => pending,
        Some(Found::Healthy) => make(
            Worth::Healthy.symbol(),
            kind_word(None, language),
            "",
            Worth::Healthy.slug(),
            true,
        ),
        Some(Found::Finding(finding)) => {
            let worth = Worth::Finding(finding.kind);
            let sentence = verdict::sentence(finding, &played.scenario, language);
            make(
                worth.symbol(),
                kind_word(Some(finding.kind), language),
                &sentence,
                worth.slug(),
                true,
            )
        }
        None => {
            let absence = absence(&Fault::Crash(point.clone(), None), played.program());
            let symbol = match absence {
                Absence::NotReached => NOT_REACHED,
                _ => ABSENT,
            };
            let word = sentences::absent_word(language, absence == Absence::NotReached);
            MatrixCell {
                title: format!("{id}. {}", sentences::absent_here(language, &absence)),
                ..make(symbol, word, "", "absent", false)
            }
        }
    }
}

/// As far as they occur: the worths by their gravity, then what is no worth.
fn legend(rows: &[MatrixRow]) -> Vec<(char, String, &'static str)> {
    let kinds = Kind::ALL.into_iter().map(|kind| Worth::Finding(kind).symbol());
    let sequence: Vec<char> = std::iter::once(Worth::Healthy.symbol())
        .chain(kinds)
        .chain([OPEN, NOT_REACHED, ABSENT])
        .collect();
    let cells = || rows.iter().flat_map(|row| row.cells.iter());
    let first = |symbol: char| cells().find(|cell| cell.symbol == symbol);
    let cells = sequence.into_iter().filter_map(first);
    cells.map(|cell| (cell.symbol, cell.word.clone(), cell.slug)).collect()
}

/// The matrix as a table in Markdown; none while nobody looks at it.
pub fn matrix_table(model: &Model) -> Option<String> {
    let seen = model.comparison.seen().filter(|_| model.tab == Tab::Designs)?;
    let matrix = matrix(model, seen);
    let parties = matrix
        .groups
        .iter()
        .flat_map(|group| std::iter::repeat_n(&group.name, group.columns));
    let heads = parties
        .zip(matrix.places.iter())
        .map(|(party, place)| format!("{party} {}", place.label));
    let mut table = line(std::iter::once(sentences::copy_title(model.language).to_owned()).chain(heads));
    table.push_str(&line((0..=matrix.places.len()).map(|_| "---".to_owned())));
    for row in matrix.rows.iter() {
        let cells = row.cells.iter().map(|cell| format!("{} {}", cell.symbol, cell.word));
        table.push_str(&line(std::iter::once(format!("{} {}", row.id, row.title)).chain(cells)));
    }
    Some(table)
}

/// One line of a Markdown table. A bar within a cell would end it.
fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}
