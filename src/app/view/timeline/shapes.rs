//! What the timeline consists of.

use crate::app::model::{MarkerId, MarkerKind};
use crate::app::view::{Halves, Strikes, Strip};
use crate::fact::EventId;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// Width in columns: the longer of the run and any ruler, so that a drag never changes the width under the finger.
    pub columns: u32,
    pub ticks: Rc<[Tick]>,
    pub lanes: Rc<[Lane]>,
    pub arrows: Rc<[Arrow]>,
    pub markers: Vec<Marker>,
    /// Markers whose place does not exist in this run.
    pub not_reached: Vec<NotReached>,
    /// Where the play head's line stands.
    pub head: Halves,
    /// "crash, drag me" on this marker, until the first drag.
    pub hint: Option<MarkerId>,
    pub dragging: bool,
    /// What the strips speak of.
    pub strikes: Strikes,
    /// Events beyond the last column that is drawn ("… and 3,200 more events").
    pub cut: Option<String>,
}

/// What stands above a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick {
    pub column: u32,
    /// "10.003 s", or "⋯ 9.9 s" over a break.
    pub label: String,
    /// The column is an idle span, shrunk to one column.
    pub is_break: bool,
    /// "3 idle polls"; empty if none.
    pub title: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// A process: steps, down times, markers, strip.
    Instance,
    /// What lies in a queue, as bars.
    Queue,
    /// An outside party's effects.
    Outside,
    /// Shown only where something happens to it (down, cut).
    Database,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// "Shop", "Relay#2", "events".
    pub name: String,
    pub kind: LaneKind,
    /// For screen readers: "Shop, service", "events, queue of rabbit".
    pub title: String,
    /// In sequence of columns.
    pub blocks: Rc<[Block]>,
    pub spans: Rc<[Span]>,
    /// Messages, in rows; queue lanes only.
    pub bars: Rc<[Bar]>,
    /// Rows of bars that are needed; at least 1.
    pub rows: u32,
    /// Messages that found no row or, below the last one shown, instances without a lane ("… and 40 more"); empty if none.
    pub more: String,
    /// Instance lanes only.
    pub strip: Option<Strip>,
}

/// One step (or one thing that happened to the lane) in one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub event: EventId,
    pub column: u32,
    /// Where its request was sent, `2 * column` at most: further left if it waited or took long.
    pub from: Halves,
    /// Where its answer was received, `2 * column + 2` at least; equal to it if it never was.
    pub to: Halves,
    /// "commit", "publish", "↻".
    pub label: String,
    /// Second line: "events", "orders", "evt-1003"; may be empty.
    pub detail: String,
    pub class: BlockClass,
    /// The whole story in one sentence: "Shop: commit, first time, at 7 ms: ok".
    pub title: String,
    pub at_head: bool,
}

/// What a block or event line looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockClass {
    Ok,
    /// A step that changes something for good: commit, publish, call, ack.
    Effect,
    Error,
    /// Request or reply lost, or the party did not answer.
    Lost,
    /// Its process was dead when the effect came.
    Orphan,
    /// A message or change reached the lane.
    Delivery,
    /// Crash, restart, exit, pause, down.
    Fault,
    /// What a party does by itself: a lease ends, a message returns.
    Party,
    /// Idle polls and the like.
    Quiet,
}

impl BlockClass {
    /// For class names.
    pub fn slug(self) -> &'static str {
        match self {
            BlockClass::Ok => "ok",
            BlockClass::Effect => "effect",
            BlockClass::Error => "error",
            BlockClass::Lost => "lost",
            BlockClass::Orphan => "orphan",
            BlockClass::Delivery => "delivery",
            BlockClass::Fault => "fault",
            BlockClass::Party => "party",
            BlockClass::Quiet => "quiet",
        }
    }
}

/// A stretch of a lane: hatched while the process is down, dotted while it is paused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub kind: SpanKind,
    pub from: Halves,
    pub to: Halves,
    /// "down for 5 s".
    pub title: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    Down,
    Paused,
    Cut,
}

/// A message on its queue's lane, from acceptance to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Its row within the lane, from 0.
    pub row: u32,
    /// The message's id.
    pub label: String,
    pub from: Halves,
    pub to: Halves,
    /// Stretches in which a receiver holds it.
    pub held: Vec<(Halves, Halves)>,
    pub end: BarEnd,
    /// "evt-1003, accepted at 10.002 s, delivered twice, acknowledged at …".
    pub title: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarEnd {
    /// Acknowledged.
    Done,
    /// Still there at the end of the run.
    Open,
    /// Moved to a dead-letter queue, dropped or lost with its broker.
    Dead,
}

/// From a publish to the queue, from the queue to its receiver, from a call to the one called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    pub from_lane: usize,
    pub from: Halves,
    pub to_lane: usize,
    pub to: Halves,
    pub kind: ArrowKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowKind {
    Publish,
    Delivery,
    Call,
}

/// A fault on the timeline: a slider (`role="slider"`) over the stops of its ruler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    pub id: MarkerId,
    pub lane: usize,
    pub position: Halves,
    pub kind: MarkerKind,
    /// One character: see [`MarkerKind::symbol`].
    pub symbol: char,
    /// Accessible name: "crash of Relay".
    pub label: String,
    /// `aria-valuetext`: "Relay crashes after publish-events, first time".
    pub value_text: String,
    /// `aria-valuemax`; `aria-valuemin` is 0.
    pub max: usize,
    /// `aria-valuenow`: index of its stop.
    pub now: usize,
    pub selected: bool,
    pub dragging: bool,
    /// "before publish": what the phone's control says between its two buttons.
    pub short: String,
    /// Labels of the stop to the left and to the right; none at the ends.
    pub earlier: Option<String>,
    pub later: Option<String>,
    /// The fault line of the text.
    pub line: u32,
}

/// A fault that this run does not get to; its line is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReached {
    pub id: MarkerId,
    /// "not reached: crash after Shop.publish-events.1".
    pub text: String,
    pub line: u32,
    pub selected: bool,
}
