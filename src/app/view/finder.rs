//! The search and the map of pairs, as shown.

use super::timeline::value_text;
use super::{Shown, Worth};
use crate::app::finder::report::Came;
use crate::app::finder::{self, Begun, Stage};
use crate::app::model::{Model, Tab};
use crate::app::words::sentences::{self, FinderWords};
use crate::program::Fault;
use crate::search::{FAULTS_MAX, FaultKind};
use crate::verdict;
use crate::words::{Language, kind_word};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Positions of a map that are drawn at most.
const POSITIONS_MAX: usize = 160;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finder {
    pub kinds: Vec<KindChoice>,
    /// Faults of a set at most: the chosen number, and all to choose from.
    pub up_to: usize,
    pub sizes: Vec<usize>,
    pub orders: bool,
    /// Neither can be begun: the text has errors, or nothing may strike.
    pub locked: bool,
    pub going: bool,
    pub paused: bool,
    /// What it is doing, or why it ended without an answer; empty before the first search.
    pub stage: String,
    /// "Sets of two: 412 of 1,225 beginnings; …".
    pub progress: String,
    /// Beginnings that are done, and all.
    pub share: (u64, u64),
    /// Empty without one.
    pub answer: String,
    pub worth: Option<Worth>,
    pub can_show: bool,
    pub of_earlier: bool,
    pub map: Option<Rc<Map>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindChoice {
    pub kind: FaultKind,
    pub label: String,
    pub chosen: bool,
}

/// The triangle of pairs: rows are the later, columns the earlier of two positions; on the edge each alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    pub size: usize,
    pub groups: Vec<Group>,
    /// Row and column that are looked at.
    pub look: (usize, usize),
    /// What they are and bring.
    pub sentence: String,
    /// More positions than are drawn; empty if not.
    pub cut: String,
}

/// All cells that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// For class names and tests: "lost", "pending", "impossible", "cut".
    pub slug: &'static str,
    pub symbol: char,
    pub word: String,
    /// How many there are.
    pub count: usize,
    pub stretches: Vec<Stretch>,
}

/// Cells of one row that stand side by side and are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub row: usize,
    pub columns: Range<usize>,
}

pub(super) fn finder(shown: &Shown<'_>) -> Rc<Finder> {
    let (model, language) = (shown.model, shown.language);
    if model.tab != Tab::Finder {
        return Rc::default();
    }
    let finder = &model.finder;
    let kind = |kind: FaultKind| KindChoice {
        kind,
        label: sentences::strikes(language, &kind.into()),
        chosen: finder.kinds.contains(&kind),
    };
    let mut view = Finder {
        kinds: FaultKind::ALL.map(kind).into(),
        up_to: finder.faults_max,
        sizes: (1..=FAULTS_MAX).collect(),
        orders: finder.orders,
        locked: model.is_outdated() || finder.kinds.is_empty(),
        ..Finder::default()
    };
    if let Some(begun) = &finder.begun {
        tell(shown, begun, &mut view);
    }
    Rc::new(view)
}

/// What a search is doing or came to, as the live region says it.
pub(super) fn announcement(model: &Model) -> String {
    let shown = Shown::of(model);
    let begun = model.finder.begun.as_deref();
    begun.and_then(|begun| answer(&shown, begun)).unwrap_or_default()
}

fn tell(shown: &Shown<'_>, begun: &Begun, view: &mut Finder) {
    view.going = !begun.stage.is_over();
    view.paused = begun.stage == Stage::Paused;
    view.stage = sentences::search_stage(shown.language, &begun.stage);
    let found = matches!(begun.answer, Some(Came::Broken(_)));
    view.progress = sentences::search_progress(shown.language, &begun.progress, found);
    view.share = match begun.stage {
        Stage::Answered => (1, 1),
        _ => (begun.progress.done, begun.progress.of),
    };
    view.of_earlier = begun.of_earlier;
    view.answer = answer(shown, begun).unwrap_or_default();
    view.worth = begun.answer.as_ref().map(|came| match came {
        Came::Broken(_) => begun
            .finding
            .as_ref()
            .map_or(Worth::Healthy, |finding| Worth::Finding(finding.kind)),
        Came::None { .. } | Came::Tried { .. } | Came::OutOfWork | Came::OutOfMemory => Worth::Healthy,
    });
    view.worth = view.worth.filter(|_| {
        !matches!(
            begun.answer,
            Some(Came::Tried { .. } | Came::OutOfWork | Came::OutOfMemory)
        )
    });
    view.can_show = matches!(&begun.answer, Some(Came::Broken(set)) if !set.is_empty());
    if begun.ask.whole && begun.pairs.size() > 0 {
        view.map = Some(Rc::new(map(shown, begun)));
    }
}

fn answer(shown: &Shown<'_>, begun: &Begun) -> Option<String> {
    let (language, progress) = (shown.language, &begun.progress);
    let said = match begun.answer.as_ref()? {
        Came::Broken(set) => {
            let (order, faults): (Vec<Fault>, Vec<Fault>) = begun.faults_of(set).into_iter().partition(is_of_order);
            let said =
                |faults: &[Fault]| -> Vec<String> { faults.iter().map(|fault| value_text(shown, fault)).collect() };
            let broken = sentences::search_broken(language, &said(&faults), &brings(begun, language));
            let order = sentences::search_order(language, &said(&order));
            [broken, order].join(" ").trim_end().to_owned()
        }
        Came::None { up_to } => sentences::search_none(language, *up_to, progress, begun.ask.orders),
        Came::Tried { .. } => sentences::search_tried(language, progress),
        Came::OutOfWork => sentences::search_out_of_work(language, progress),
        Came::OutOfMemory => sentences::search_out_of_memory(language, progress),
    };
    let cut = sentences::search_cut(language, progress.cut);
    Some(if cut.is_empty() { said } else { format!("{said} {cut}") })
}

/// The shortest delay stands for another order of simultaneous events; as a fault, a delay is long.
fn is_of_order(fault: &Fault) -> bool {
    matches!(fault, Fault::Delay(_, 1))
}

/// "Lost. Order 1001 is saved and paid; …"
fn brings(begun: &Begun, language: Language) -> String {
    begun.finding.as_ref().map_or_else(String::new, |finding| {
        let word = kind_word(Some(finding.kind), language);
        format!("{word}. {}", verdict::sentence(finding, &begun.scenario, language))
    })
}

// --- The map ------------------------------------------------------------------------------------------------------

/// A cell's worth, where one is known; else whether it is still to come.
type Cell = (Option<finder::Worth>, bool);

fn map(shown: &Shown<'_>, begun: &Begun) -> Map {
    let words = sentences::finder(shown.language);
    let all = begun.pairs.size();
    let size = all.min(POSITIONS_MAX);
    let group = |(cell, stretches): (Cell, Vec<Stretch>)| {
        let (slug, symbol, word) = look_of(cell, words, shown.language);
        Group {
            slug,
            symbol,
            word,
            count: stretches.iter().map(|stretch| stretch.columns.len()).sum(),
            stretches,
        }
    };
    Map {
        size,
        groups: alike(begun, size).into_iter().map(group).collect(),
        look: begun.look,
        sentence: sentence(shown, begun, words),
        cut: if size < all {
            sentences::pairs_cut(shown.language, size, all)
        } else {
            String::new()
        },
    }
}

/// The cells by their worth.
fn alike(begun: &Begun, size: usize) -> BTreeMap<Cell, Vec<Stretch>> {
    let mut groups: BTreeMap<Cell, Vec<Stretch>> = BTreeMap::new();
    for row in 0..size {
        let mut start = 0;
        while start <= row {
            let own = cell(begun, row, start);
            let is_other = |column: &usize| cell(begun, row, *column) != own;
            let end = (start + 1..=row).find(is_other).unwrap_or(row + 1);
            groups.entry(own).or_default().push(Stretch {
                row,
                columns: start..end,
            });
            start = end;
        }
    }
    groups
}

fn cell(begun: &Begun, row: usize, column: usize) -> Cell {
    let worth = begun.pairs.get(row, column);
    (
        worth,
        worth.is_none() && !matches!(begun.answer, Some(Came::None { .. } | Came::Tried { .. })),
    )
}

fn look_of(cell: Cell, words: &FinderWords, language: Language) -> (&'static str, char, String) {
    let known = |worth: Worth, kind| (worth.slug(), worth.symbol(), kind_word(kind, language).to_owned());
    match cell {
        (Some(finder::Worth::Healthy), _) => known(Worth::Healthy, None),
        (Some(finder::Worth::Broken(kind)), _) => known(Worth::Finding(kind), Some(kind)),
        (Some(finder::Worth::Cut), _) => ("cut", '…', words.cut.to_owned()),
        (None, true) => ("pending", '·', words.pending.to_owned()),
        (None, false) => ("impossible", ' ', words.impossible.to_owned()),
    }
}

/// "Relay crashes after publish-events, first time; Warehouse crashes …: Lost. Order 1001 …"
fn sentence(shown: &Shown<'_>, begun: &Begun, words: &FinderWords) -> String {
    let (row, column) = begun.look;
    let faults: Vec<Fault> = begun.pair(row, column);
    let faults: Vec<String> = faults.iter().map(|fault| value_text(shown, fault)).collect();
    let cell = cell(begun, row, column);
    let brings = match cell.0 {
        Some(finder::Worth::Broken(_)) => brings(begun, shown.language),
        _ => String::new(),
    };
    let worth = if brings.is_empty() {
        format!("{}.", look_of(cell, words, shown.language).2)
    } else {
        brings
    };
    format!("{}: {worth}", faults.join("; "))
}
