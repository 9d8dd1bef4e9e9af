//! What is shown, as plain values: a pure function of the model.
//!
//! Positions are *half columns* of the timeline: a column of 44 px holds one effect; column `c` begins at `2 * c` and its
//! middle is `2 * c + 1`. All texts are in the reader's language, ready to be shown.
//! Every struct is `Eq`, so a component whose part did not change need not be drawn again.
//!
//! Refuses to know: pixels, elements, styles.

mod events;
mod header;
mod menu;
mod notices;
mod program;
mod state;
mod strip;
mod timeline;
mod verdict;

use crate::app::lanes::{self, LaneOf};
use crate::app::message::Message;
use crate::app::model::{Head, MarkerId, MarkerKind, Model, NoticeId, Overlay, Tab, Theme};
use crate::app::played::Run;
use crate::app::ruler;
use crate::fact::EventId;
use crate::program::{Fault, Kind};
use crate::simulation::trace::Event;
use crate::value::Name;
use crate::words::{self, Language};
use std::rc::Rc;

/// What the model looks like.
pub fn view(model: &Model) -> View {
    let shown = Shown::of(model);
    View {
        language: model.language,
        theme: model.theme,
        header: Rc::new(header::header(model)),
        verdict: Rc::new(verdict::verdict(&shown)),
        timeline: Rc::new(timeline::timeline(&shown)),
        controls: Rc::new(events::controls(&shown)),
        program: Rc::new(program::program(&shown)),
        state: Rc::new(state::state(&shown)),
        events: events::lines(&shown),
        notices: notices::notices(model),
        share: Rc::new(header::share(model)),
        tab: model.tab,
        overlay: model.overlay,
        picker: header::picker(model),
        menu: menu::menu(&shown).map(Rc::new),
    }
}

/// The verdict as the live region says it.
pub(crate) fn verdict_announcement(model: &Model) -> String {
    verdict::announcement(&Shown::of(model))
}

/// What all parts of the view look at.
struct Shown<'a> {
    model: &'a Model,
    language: Language,
    program: &'a crate::program::Program,
    run: &'a Run,
    faults: Vec<Fault>,
    lanes: Vec<LaneOf>,
    /// Service index and number of each instance.
    instances: Vec<(usize, u16)>,
}

impl<'a> Shown<'a> {
    fn of(model: &'a Model) -> Shown<'a> {
        Shown {
            model,
            language: model.language,
            program: model.played.program(),
            run: &model.played.run,
            faults: model.played.bare_faults(),
            lanes: lanes::of(&model.played),
            instances: ruler::instances(model.played.program()),
        }
    }

    fn lane(&self, of: LaneOf) -> Option<usize> {
        self.lanes.iter().position(|lane| *lane == of)
    }

    /// The event the play head stands on; none at the beginning and at the end.
    fn at_head(&self) -> Option<EventId> {
        match self.model.head {
            Head::After(happened) => happened.checked_sub(1),
            Head::End => None,
        }
    }

    fn explain(&self, event: &Event) -> String {
        words::explain(event, self.program, &self.faults, self.language)
    }
}

/// A position on the timeline in half columns (22 px each) from its left end.
pub type Halves = i32;

/// The whole page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub language: Language,
    pub theme: Theme,
    pub header: Rc<Header>,
    pub verdict: Rc<Verdict>,
    pub timeline: Rc<Timeline>,
    pub controls: Rc<Controls>,
    pub program: Rc<Program>,
    pub state: Rc<State>,
    /// The events as text, some hundred around the play head. Filled only while [`Tab::Events`] is chosen.
    pub events: Rc<[EventLine]>,
    pub notices: Rc<[Notice]>,
    pub share: Rc<Share>,
    /// Which of the panels a narrow page shows, and which is open beside the program on a wide one.
    pub tab: Tab,
    pub overlay: Option<Overlay>,
    /// Filled only while [`Overlay::Picker`] is open.
    pub picker: Rc<[PickerGroup]>,
    /// The open marker menu, if any.
    pub menu: Option<Rc<MarkerMenu>>,
}

// --- Header -------------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub id: Name,
    pub title: String,
    /// One or two sentences; may be empty.
    pub about: String,
    /// Address of the public report the scenario retells.
    pub report: Option<Rc<str>>,
    /// The other designs of the same problem; the open one is not among them.
    pub variants: Vec<Variant>,
    /// The text differs from its preset by more than its fault lines, or is nobody's preset.
    pub edited: bool,
    pub can_undo: bool,
    pub can_redo: bool,
}

/// "Same crash with an outbox": a click sends [`Message::SwitchVariant`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub id: Name,
    pub title: String,
}

// --- Verdict ------------------------------------------------------------------------------------------------------

/// The sentence everything is about. Shape and word carry it; colour only repeats it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub worth: Worth,
    /// One character: see [`Worth::symbol`].
    pub symbol: char,
    /// "Lost", "Healthy".
    pub word: String,
    /// "Order 1001 is saved and paid; nothing will ever be shipped."
    pub sentence: String,
    /// Gravest first; the first is the one the sentence speaks of. Empty when healthy.
    pub findings: Vec<Finding>,
    /// Which finding's chain is open.
    pub selected: usize,
    /// "The run was cut at 60 s", "… at 1,000,000 events"; none for a run that came to rest.
    pub ended: Option<String>,
    /// The text has errors: what is shown belongs to the last text without.
    pub outdated: bool,
}

/// What a run is worth: healthy, or its gravest finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    Healthy,
    Finding(Kind),
}

impl Worth {
    /// A shape for each, readable without colour.
    pub fn symbol(self) -> char {
        match self {
            Worth::Healthy => '✓',
            Worth::Finding(Kind::Phantom) => '?',
            Worth::Finding(Kind::Lost) => '✗',
            Worth::Finding(Kind::Duplicate) => '≡',
            Worth::Finding(Kind::WrongValue) => '≠',
            Worth::Finding(Kind::OutOfOrder) => '⇅',
            Worth::Finding(Kind::Stuck) => '■',
            Worth::Finding(Kind::Blocked) => '‖',
            Worth::Finding(Kind::DeadLettered) => '†',
            Worth::Finding(Kind::Growth) => '↗',
        }
    }

    /// Stable and language-free, for class names and tests: "healthy", "lost", "wrong-value".
    pub fn slug(self) -> &'static str {
        match self {
            Worth::Healthy => "healthy",
            Worth::Finding(Kind::WrongValue) => "wrong-value",
            Worth::Finding(Kind::OutOfOrder) => "out-of-order",
            Worth::Finding(kind) => kind.name(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    pub symbol: char,
    pub word: String,
    pub sentence: String,
    /// "order 1001".
    pub subject: String,
    /// What an operator would see afterwards; may be empty.
    pub signature: String,
    /// Line of the promise that is broken.
    pub line: u32,
    /// The chain of events behind it, oldest first. Filled for the selected finding only.
    pub why: Vec<EventLine>,
}

/// One event as a sentence. A click sends [`Message::GoTo`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    pub event: EventId,
    /// "10.003 s".
    pub time: String,
    /// "Relay#2"; empty for what a party does by itself. The text names it too.
    pub actor: String,
    /// "Relay: publish-events, first time".
    pub text: String,
    pub class: BlockClass,
    /// The event the play head stands on.
    pub at_head: bool,
}

// --- Timeline -----------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// Width in columns: the longer of the run and any ruler, so that a drag never changes the width under the finger.
    pub columns: u32,
    pub ticks: Rc<[Tick]>,
    pub lanes: Vec<Lane>,
    pub arrows: Rc<[Arrow]>,
    pub markers: Vec<Marker>,
    /// Markers whose place does not exist in this run.
    pub not_reached: Vec<NotReached>,
    /// Where the play head's line stands.
    pub head: Halves,
    /// "crash, drag me" on this marker, until the first drag.
    pub hint: Option<MarkerId>,
    pub dragging: bool,
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
    /// Messages that found no row ("+ 40"); empty if none.
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

/// Under an instance's lane: what a fault at each stop of the ruler would bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The marker that a click moves; none: a click adds a crash.
    pub marker: Option<MarkerId>,
    pub cells: Rc<[Cell]>,
    /// "4 of 5 crash points of Shop are harmless, 1 loses an order."
    pub summary: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Index of the stop within the lane's ruler, for [`Message::PutMarker`].
    pub stop: usize,
    pub position: Halves,
    /// None: not computed.
    pub worth: Option<Worth>,
    /// The worth's symbol, or '·'.
    pub symbol: char,
    /// "lost".
    pub word: String,
    /// "Crash after Shop.commit.1: lost. Order 1001 is saved and paid; …"
    pub title: String,
    /// The marker stands here.
    pub current: bool,
}

/// The menu of one marker. Each entry is a button that sends its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerMenu {
    pub marker: MarkerId,
    pub title: String,
    pub groups: Vec<MenuGroup>,
    pub remove: Entry,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuGroup {
    /// "What happens", "Where", "Restart".
    pub label: String,
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub label: String,
    pub message: Message,
    pub checked: bool,
}

// --- Play head ----------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controls {
    pub playing: bool,
    pub at_start: bool,
    pub at_end: bool,
    /// "10.003 s · Relay: publish events, ok" or "end, after 15.2 s".
    pub label: String,
    /// For a range input: 0 = before the first column, `max` = the end.
    pub value: Halves,
    pub max: Halves,
}

// --- Program ------------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The text as typed.
    pub text: Rc<str>,
    pub lines: Rc<[Line]>,
    /// Diagnostics that name no line of the text, or all of them in sequence for a summary.
    pub diagnostics: Rc<[Diagnostic]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// The whole line, cut into pieces; concatenated they are the line.
    pub pieces: Rc<[Piece]>,
    pub gutter: Gutter,
    /// Instances whose step at or last before the play head is this line.
    pub at_head: Vec<String>,
    /// Messages of errors in this line.
    pub errors: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub class: PieceClass,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceClass {
    Plain,
    Keyword,
    /// SQL's own words.
    Sql,
    Text,
    Number,
    Comment,
    /// `mark:` in front of a statement.
    Label,
    /// A word of a fault line.
    Fault,
}

impl PieceClass {
    pub fn slug(self) -> &'static str {
        match self {
            PieceClass::Plain => "plain",
            PieceClass::Keyword => "keyword",
            PieceClass::Sql => "sql",
            PieceClass::Text => "text",
            PieceClass::Number => "number",
            PieceClass::Comment => "comment",
            PieceClass::Label => "label",
            PieceClass::Fault => "fault",
        }
    }
}

/// What stands left of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gutter {
    Nothing,
    /// A step: a click sends [`Message::Gutter`]. `visits` of them happened in this run; `markers` stand on it.
    Step {
        visits: u32,
        markers: Vec<MarkerId>,
        title: String,
    },
    /// A fault line: a click selects its marker.
    Fault(MarkerId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub message: String,
}

// --- State at the play head ---------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// "at 10.003 s: Relay: publish-events, first time".
    pub title: String,
    pub tables: Vec<Table>,
    pub queues: Vec<Queue>,
    /// Outside parties' effects, as tables.
    pub outsides: Vec<Table>,
    pub instances: Vec<Instance>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// "shop"; empty for outside parties.
    pub database: String,
    pub name: String,
    pub columns: Vec<Name>,
    pub rows: Vec<TableRow>,
    /// Rows that are not listed ("… 940 more rows"); empty if none.
    pub more: String,
    /// The database or party does not answer now.
    pub down: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    pub cells: Vec<TableCell>,
    /// Relative to the event before the play head.
    pub change: Change,
    /// The instance whose open transaction wrote it; nobody else sees it yet.
    pub uncommitted: Option<String>,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCell {
    pub text: String,
    pub is_null: bool,
    pub changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Same,
    Inserted,
    Updated,
    /// Shown struck through for this one event.
    Deleted,
}

impl Change {
    pub fn slug(self) -> &'static str {
        match self {
            Change::Same => "same",
            Change::Inserted => "inserted",
            Change::Updated => "updated",
            Change::Deleted => "deleted",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    pub broker: String,
    pub name: String,
    /// It is some queue's dead-letter queue.
    pub dead_letter: bool,
    pub messages: Vec<QueueMessage>,
    /// Messages that are not listed; empty if none.
    pub more: String,
    pub down: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueMessage {
    pub id: String,
    pub body: String,
    pub place: MessagePlace,
    /// "ready", "in flight, Warehouse, until 40.002 s".
    pub text: String,
    pub deliveries: u32,
    pub change: Change,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePlace {
    Ready,
    InFlight,
    Delayed,
    /// Lies there and is delivered no more.
    Dead,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub name: String,
    pub condition: Condition,
    /// "up", "down until 5.008 s", "paused until …".
    pub text: String,
    /// Variables and values; empty while it is down.
    pub memory: Vec<(Name, String)>,
    pub changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Up,
    Down,
    Paused,
}

// --- The rest -----------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickerGroup {
    /// "Outbox", "Reported bugs".
    pub title: String,
    pub presets: Vec<PresetEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetEntry {
    pub id: Name,
    pub title: String,
    pub about: String,
    pub open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The fragment without `#`; empty while the text cannot be put in a link.
    pub fragment: Rc<str>,
    pub class: LinkClass,
    /// "1,024 characters: fits everywhere".
    pub text: String,
    /// "Copied" was said for the present link.
    pub copied: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkClass {
    /// A preset with moved markers.
    Short,
    /// Fits in every messenger and mail (2,000 characters at most).
    Medium,
    /// Some programs cut it.
    Long,
    /// Too long for a link.
    None,
}

/// Something to read; an error never takes away what was open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: NoticeId,
    pub kind: NoticeKind,
    pub text: String,
    /// Ways on.
    pub actions: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    Information,
    Question,
    Error,
}
