//! The timeline: columns, lanes, markers, play head.

use super::Shown;
use crate::app::columns::Column;
use crate::app::fault::{self, Place};
use crate::app::lanes::{self, LaneOf};
use crate::app::model::MarkerId;
use crate::app::ruler::{self, Stop};
use crate::app::survey::Ruler;
use crate::app::update::head_position;
use crate::app::view::{Halves, strikes, strip};
use crate::app::words::sentences::{self, LaneWord};
use crate::program::{Fault, Point, Side};
use crate::words::instant;

mod bars;
mod blocks;
mod shapes;
mod spans;

pub(super) use blocks::{Natures, event_class, words as block_words};
pub use shapes::{
    Arrow, ArrowKind, Bar, BarEnd, Block, BlockClass, Lane, LaneKind, Marker, NotReached, Span, SpanKind, Tick,
    Timeline,
};

pub(super) fn timeline(shown: &Shown<'_>) -> Timeline {
    let columns = &shown.run.columns;
    let steps = blocks::Natures::of(shown.program);
    let (lanes, arrows) = lanes(shown, &steps);
    let (markers, not_reached) = markers(shown);
    Timeline {
        columns: width(shown),
        ticks: columns
            .iter()
            .zip(0..)
            .map(|(column, index)| tick(shown, column, index))
            .collect(),
        lanes: lanes.into(),
        arrows: arrows.into(),
        hint: markers
            .first()
            .filter(|_| !shown.model.first_drag_done)
            .map(|marker| marker.id),
        markers,
        not_reached,
        head: head_position(shown.model),
        dragging: shown.model.drag.is_some(),
        strikes: strikes::strikes(shown),
        cut: (columns.cut > 0).then(|| sentences::cut_columns(shown.language, columns.cut)),
    }
}

/// The longest of the run, the rulers and what the strips tried, and one column for what stands at the right end: a drag does not
/// change the width under the finger.
fn width(shown: &Shown<'_>) -> u32 {
    let survey = &shown.model.survey;
    let rulers = survey.rulers.iter().map(|ruler| ruler.run.columns.len());
    let tried = survey.strips.iter().flat_map(|strip| &strip.tried).flatten();
    let tried = tried
        .filter_map(|tried| tried.run.as_ref())
        .map(|run| run.columns.len());
    rulers.chain(tried).max().unwrap_or(0).max(shown.run.columns.len()) + 1
}

fn tick(shown: &Shown<'_>, column: &Column, index: u32) -> Tick {
    let is_break = column.event.is_none();
    Tick {
        column: index,
        label: match is_break {
            true => format!("⋯ {}", sentences::rough_span(shown.language, column.idle)),
            false => instant(column.at, shown.language),
        },
        is_break,
        title: match column.polls {
            0 => String::new(),
            polls => sentences::idle_polls(shown.language, polls),
        },
    }
}

fn lanes(shown: &Shown<'_>, steps: &blocks::Natures) -> (Vec<Lane>, Vec<Arrow>) {
    let mut arrows = Vec::new();
    let mut blocks = blocks::blocks(shown, steps, &mut arrows);
    let mut spans = spans::spans(shown);
    let instances = lanes::instances(&shown.model.played);
    let lane = |(index, of): (usize, &LaneOf)| {
        let (bars, rows, more) = match of {
            LaneOf::Queue(queue) => bars::bars(shown, steps, *queue),
            LaneOf::Instance(instance) => match lanes::hidden_after(shown.program, &instances, *instance) {
                0 => (Vec::new(), 1, String::new()),
                hidden => (Vec::new(), 1, sentences::more(shown.language, hidden)),
            },
            _ => (Vec::new(), 1, String::new()),
        };
        let name = lanes::name(shown.model.played.program(), *of);
        Lane {
            title: title(shown, &name, *of),
            kind: match of {
                LaneOf::Instance(_) => LaneKind::Instance,
                LaneOf::Queue(_) => LaneKind::Queue,
                LaneOf::Outside(_) => LaneKind::Outside,
                LaneOf::Database(_) => LaneKind::Database,
            },
            blocks: std::mem::take(&mut blocks[index]).into(), // one list for each lane
            spans: std::mem::take(&mut spans[index]).into(),   // likewise
            bars: bars.into(),
            rows,
            more,
            strip: match of {
                LaneOf::Instance(instance) => strip::strip(shown, *instance, &name),
                _ => None,
            },
            name,
        }
    };
    let lanes = shown.lanes.iter().enumerate().map(lane).collect();
    (lanes, arrows)
}

fn title(shown: &Shown<'_>, name: &str, lane: LaneOf) -> String {
    let word = match lane {
        LaneOf::Instance(_) => LaneWord::Service,
        LaneOf::Queue(queue) => {
            let queue = shown.program.queues.get(usize::from(queue));
            let broker = queue.and_then(|queue| shown.program.brokers.get(usize::from(queue.broker)));
            LaneWord::Queue(broker.map_or("", |broker| &broker.name))
        }
        LaneOf::Outside(_) => LaneWord::Outside,
        LaneOf::Database(_) => LaneWord::Database,
    };
    sentences::lane(shown.language, name, word)
}

// --- Markers ------------------------------------------------------------------------------------------------------

fn markers(shown: &Shown<'_>) -> (Vec<Marker>, Vec<NotReached>) {
    let mut markers = Vec::new();
    let mut not_reached = Vec::new();
    for (id, line) in shown.model.played.faults.iter().enumerate() {
        match marker(shown, id, &line.fault, line.line) {
            Some(marker) => markers.push(marker),
            None => not_reached.push(NotReached {
                id,
                text: sentences::not_reached(shown.language, &value_text(shown, &line.fault)),
                line: line.line,
                selected: shown.model.selected == Some(id),
            }),
        }
    }
    (markers, not_reached)
}

/// A marker on the timeline; none if the run does not get to it.
fn marker(shown: &Shown<'_>, id: MarkerId, fault: &Fault, line: u32) -> Option<Marker> {
    let lane = lane_of(shown, fault)?;
    let (ruler, now) = measured(shown, id)?;
    let dragging = shown.model.drag.as_ref().is_some_and(|drag| drag.marker == id);
    let position = match now.and_then(|now| ruler.stops.get(now)) {
        Some(stop) if dragging || struck(shown, id).is_some() => stop.position,
        _ => fallback(shown, fault, struck(shown, id)?),
    };
    let kind = fault::kind(fault);
    let neighbour = |by: isize| {
        let stop = ruler.stops.get(now?.checked_add_signed(by)?)?;
        Some(stop_label(shown, stop))
    };
    Some(Marker {
        id,
        lane,
        position,
        kind,
        symbol: kind.symbol(),
        label: marker_title(shown, fault),
        value_text: value_text(shown, fault),
        max: ruler.stops.len().saturating_sub(1),
        now: now.unwrap_or(0),
        selected: shown.model.selected == Some(id),
        dragging,
        short: sentences::short_place(shown.language, &fault::place(fault)),
        earlier: neighbour(-1),
        later: neighbour(1),
        line,
    })
}

/// The ruler a marker is measured with, and the stop it stands on; frozen while it is dragged.
fn measured<'a>(shown: &'a Shown<'_>, id: MarkerId) -> Option<(&'a Ruler, Option<usize>)> {
    match &shown.model.drag {
        Some(drag) if drag.marker == id => Some((&drag.ruler, drag.at.or(drag.ruler.now))),
        _ => {
            let ruler = shown.model.survey.rulers.get(id)?;
            Some((ruler, ruler.now))
        }
    }
}

fn struck(shown: &Shown<'_>, id: MarkerId) -> Option<u32> {
    shown.run.trace.struck.get(id).copied().flatten()
}

/// Where a fault that stands on no stop of its ruler struck in the run.
fn fallback(shown: &Shown<'_>, fault: &Fault, struck: u32) -> Halves {
    match fault::place(fault) {
        Place::Step(_) | Place::Point(Point { side: Side::During, .. }) => shown.run.columns.middle(struck),
        _ => shown.run.columns.before(struck),
    }
}

/// The lane a fault stands on: its instance's, or that of the party it names.
fn lane_of(shown: &Shown<'_>, fault: &Fault) -> Option<usize> {
    let place = fault::place(fault);
    if let Some(step) = place.step() {
        let instance = ruler::instance(shown.program, &step.service, step.instance)?;
        return shown.lane(LaneOf::Instance(instance));
    }
    let parties = match fault {
        Fault::Down(party, ..) => vec![party],
        Fault::Cut(one, other, ..) => vec![one, other],
        _ => Vec::new(),
    };
    let known = parties.into_iter().filter_map(|name| lanes::party(shown.program, name));
    known
        .flat_map(|party| lanes::of_party(shown.program, &shown.lanes, party))
        .next()
}

/// The accessible name of a fault's marker.
pub(super) fn marker_title(shown: &Shown<'_>, fault: &Fault) -> String {
    sentences::marker_label(shown.language, fault::kind(fault), &who(shown, fault))
}

/// The process or party a fault is about.
fn who(shown: &Shown<'_>, fault: &Fault) -> String {
    match (fault, fault::place(fault).step()) {
        (Fault::Down(party, ..), _) => party.to_string(),
        (Fault::Cut(one, ..), _) => one.to_string(),
        (_, Some(step)) => match ruler::instance(shown.program, &step.service, step.instance) {
            Some(instance) => crate::words::instance_name(instance, shown.program),
            None => step.service.to_string(),
        },
        (_, None) => String::new(),
    }
}

/// What the slider's value is read as. The restart belongs to the menu.
pub(super) fn value_text(shown: &Shown<'_>, fault: &Fault) -> String {
    sentences::fault(shown.language, fault, &who(shown, fault))
}

fn stop_label(shown: &Shown<'_>, stop: &Stop) -> String {
    sentences::short_place(shown.language, &stop.place)
}

/// An arrow straight down or up at one position.
fn arrow(from_lane: usize, to_lane: usize, at: Halves, kind: ArrowKind) -> Arrow {
    Arrow {
        from_lane,
        from: at,
        to_lane,
        to: at,
        kind,
    }
}

/// Shown for what has no message of its own.
fn message_id(shown: &Shown<'_>, queue: u16, message: u32) -> String {
    let facts = shown.run.trace.last.facts(crate::program::Relation::Queue(queue));
    // A queue numbers its messages from 1 in the sequence it accepted them; a message that was moved here may be another's.
    let found = message.checked_sub(1).and_then(|index| facts.get(index as usize));
    let found = found.filter(|fact| fact.identity == u64::from(message));
    let found = found.or_else(|| facts.iter().find(|fact| fact.identity == u64::from(message)));
    let id = found.and_then(|fact| {
        fact.row
            .get("id")
            .filter(|id| **id != crate::value::Value::Null)
            .cloned()
    });
    id.map_or_else(|| format!("#{message}"), |id| id.to_string())
}
