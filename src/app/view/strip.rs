//! The strip under an instance's lane: what a fault at each stop would bring.

use super::timeline::value_text;
use super::{Halves, Shown, Worth};
use crate::app::columns::COLUMNS_MAX;
use crate::app::fault::{self, Place};
use crate::app::model::{MarkerId, MarkerKind};
use crate::app::ruler::Stop;
use crate::app::survey::{self, Tried};
use crate::app::words::sentences;
use crate::program::{Fault, Kind};
use crate::simulation::trace::InstanceId;
use crate::verdict;
use crate::words::kind_word;
use std::rc::Rc;

/// Under an instance's lane: what a fault at each stop of the ruler would bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The marker that a click moves; none: a click adds a fault.
    pub marker: Option<MarkerId>,
    pub cells: Rc<[Cell]>,
    /// The cell the marker stands on: index into `cells`.
    pub current: Option<usize>,
    /// Another marker has left its place: what was computed with it there says nothing any more.
    pub stale: bool,
    /// "4 of 5 crash points of Shop are harmless, 1 loses an order."
    pub summary: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Index of the stop within the lane's ruler, for [`crate::app::message::Message::PutMarker`].
    pub stop: usize,
    pub position: Halves,
    /// None: not computed, or never reached.
    pub worth: Option<Worth>,
    /// For class names and tests: the worth's, "pending" or "unreached".
    pub slug: &'static str,
    /// The worth's symbol, '·' or '–'.
    pub symbol: char,
    /// "lost".
    pub word: String,
    /// "Crash after Shop.commit.1: lost. Order 1001 is saved and paid; …"
    pub title: String,
}

/// What happens after the columns that are shown has no cells either.
const LAST: Halves = 2 * (COLUMNS_MAX as Halves + 1);

/// Shown where nothing was computed.
const OPEN: char = '·';

/// Shown where the fault would find nobody any more: another strikes first.
const UNREACHED: char = '–';

pub(super) fn strip(shown: &Shown<'_>, instance: InstanceId, who: &str) -> Option<Strip> {
    let strip = shown.model.survey.strips.get(usize::from(instance))?;
    let fault = strip
        .marker
        .and_then(|marker| shown.model.played.faults.get(marker))
        .map(|line| &line.fault);
    let dragged = shown.model.drag.as_ref();
    let is_stale = dragged.is_some_and(|drag| drag.at.is_some() && strip.marker != Some(drag.marker));
    let now = match (strip.marker, dragged) {
        (Some(marker), Some(drag)) if drag.marker == marker => drag.at.or(drag.ruler.now),
        (Some(marker), _) => shown.model.survey.rulers.get(marker).and_then(|ruler| ruler.now),
        (None, _) => None,
    };
    let has_all = strip.stops.last().is_none_or(|stop| stop.position <= LAST);
    if let Some(before) = before(shown, who).filter(|before| has_all && before.stale == is_stale) {
        return Some(Strip {
            current: now,
            ..before.clone()
        });
    }
    let cells: Rc<[Cell]> = strip
        .stops
        .iter()
        .zip(&strip.tried)
        .enumerate()
        .filter(|(index, (stop, _))| stop.position <= LAST || now == Some(*index))
        .map(|(index, (stop, tried))| {
            let tried = tried.as_ref().filter(|_| !is_stale);
            cell(shown, fault, (index, stop), tried)
        })
        .collect();
    Some(Strip {
        marker: strip.marker,
        current: cells.iter().position(|cell| now == Some(cell.stop)),
        stale: is_stale,
        cells,
        summary: if is_stale {
            String::new()
        } else {
            count(shown, &[strip], Some(who))
        },
    })
}

/// The strip one step of a drag before: the survey is frozen in between, so its cells are the same.
fn before<'a>(shown: &Shown<'a>, who: &str) -> Option<&'a Strip> {
    let lane = shown.before?.lanes.iter().find(|lane| lane.name == who);
    lane?.strip.as_ref()
}

fn cell(shown: &Shown<'_>, fault: Option<&Fault>, (index, stop): (usize, &Stop), tried: Option<&Tried>) -> Cell {
    let language = shown.language;
    let worth = tried.filter(|tried| tried.reached).map(|tried| {
        tried
            .gravest
            .as_ref()
            .map_or(Worth::Healthy, |finding| Worth::Finding(finding.kind))
    });
    let (slug, symbol) = match (worth, tried) {
        (Some(worth), _) => (worth.slug(), worth.symbol()),
        (None, Some(_)) => ("unreached", UNREACHED),
        (None, None) => ("pending", OPEN),
    };
    let word = match tried {
        Some(tried) if tried.reached => kind_word(tried.gravest.as_ref().map(|finding| finding.kind), language),
        Some(_) => sentences::never_reached(language),
        None => sentences::not_computed(language, shown.model.ahead.is_some()),
    };
    let sentence = match tried {
        Some(Tried {
            gravest: Some(finding),
            reached: true,
            ..
        }) => verdict::sentence(finding, &shown.model.played.scenario, language),
        _ => String::new(),
    };
    let separator = if sentence.is_empty() { "" } else { " " };
    Cell {
        stop: index,
        position: stop.position,
        worth,
        slug,
        symbol,
        title: format!("{}: {word}.{separator}{sentence}", there(shown, fault, &stop.place)),
        word: word.to_owned(),
    }
}

/// "Shop crashes after commit, first time".
fn there(shown: &Shown<'_>, fault: Option<&Fault>, place: &Place) -> String {
    let fault = match fault {
        Some(fault) => Some(fault::moved(fault, place)),
        None => shown.model.strikes.at(place),
    };
    fault.map_or_else(String::new, |fault| value_text(shown, &fault))
}

/// "4 of 5 crash points of Shop are harmless, 1 loses order 1001." Empty if there is nothing to count. What is open is said to be.
pub(super) fn count(shown: &Shown<'_>, strips: &[&survey::Strip], who: Option<&str>) -> String {
    let all = || strips.iter().flat_map(|strip| &strip.tried);
    let open = all().filter(|tried| tried.is_none()).count();
    let (tried, unreached): (Vec<&Tried>, Vec<&Tried>) = all().flatten().partition(|tried| tried.reached);
    let groups = Kind::ALL.into_iter().filter_map(|kind| {
        let of_kind = tried
            .iter()
            .filter_map(|tried| tried.gravest.as_ref())
            .filter(|finding| finding.kind == kind);
        let mut subjects: Vec<String> = of_kind
            .map(|finding| verdict::subject_label(&finding.subject, shown.program))
            .collect();
        let number = subjects.len();
        subjects.sort();
        subjects.dedup();
        let subject = if subjects.len() == 1 { subjects.pop() } else { None };
        (number > 0).then_some((kind, number, subject))
    });
    let groups: Vec<_> = groups.collect();
    let is_crash = shown.model.strikes.kind == MarkerKind::Crash;
    let mut sentences: Vec<String> = Vec::new();
    if !tried.is_empty() {
        sentences.push(sentences::summary(shown.language, is_crash, who, tried.len(), &groups));
    }
    if !unreached.is_empty() {
        sentences.push(sentences::unreached_points(shown.language, unreached.len()));
    }
    if open > 0 {
        let is_coming = shown.model.ahead.is_some();
        sentences.push(sentences::open_points(shown.language, open, is_coming));
    }
    sentences.join(" ")
}
