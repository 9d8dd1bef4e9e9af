//! What a person (or the browser) can do, and what the application asks of the browser in return.
//!
//! Refuses to know: what any of it does; that is `update`.

use crate::app::finder::{Find, Order};
use crate::app::model::{MarkerId, MarkerKind, NoticeId, Overlay, Tab, Theme};
use crate::app::strikes::Strikes;
use crate::fact::EventId;
use crate::program::{Point, Side};
use crate::value::{Millis, Name};
use crate::words::Language;
use std::rc::Rc;

/// Everything a person can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    // --- what is open
    /// Opens the preset of that id as it is written. Asks first if typed edits would be replaced.
    OpenPreset(Name),
    /// Goes to another design of the same problem; the reader's fault lines go along.
    SwitchVariant(Name),
    /// The fragment of the address, with or without `#` (start of the page, `hashchange`, a pasted link).
    OpenLink(Rc<str>),
    /// The whole text as typed. `typing` edits within one focus of the editor are one undo entry.
    EditText(Rc<str>),
    /// The editor lost focus: the next edit is an undo entry of its own.
    EditDone,
    /// Answers a question notice: replace what is open by what was asked for (also: open the present text of a preset that changed
    /// since its link was made).
    ConfirmReplace(NoticeId),

    /// Another product for a broker; none: it is like no product. An edit of its line.
    SetProfile {
        broker: Name,
        profile: Option<Name>,
    },

    // --- markers
    /// The strip's cell or the lane at a ruler stop (`lane` = index of the lane, `stop` = index within its ruler): puts the lane's marker
    /// there, adds one if the lane has none.
    PutMarker {
        lane: usize,
        stop: usize,
    },
    /// The sort of fault that the strips speak of from now on.
    SetStrikes(Strikes),
    /// Adds one more fault of that sort at the stop, whatever the lane has already.
    AddMarker {
        lane: usize,
        stop: usize,
    },
    /// A click on the gutter of a line (from 1): a crash after the first visit that happened there; a further click on the
    /// same line moves it to the next visit, after the last one it is removed.
    Gutter {
        line: u32,
    },
    /// Puts a marker on a stop of its ruler (a list or the two buttons beside the timeline).
    MoveMarker {
        marker: MarkerId,
        stop: usize,
    },
    /// The non-drag control: `true` = later, `false` = earlier.
    NudgeMarker {
        marker: MarkerId,
        later: bool,
    },
    SelectMarker(Option<MarkerId>),
    Key {
        marker: MarkerId,
        key: MarkerKey,
    },
    SetKind {
        marker: MarkerId,
        kind: MarkerKind,
    },
    SetSide {
        marker: MarkerId,
        side: Side,
    },
    /// None: never.
    SetRestart {
        marker: MarkerId,
        restart: Option<Millis>,
    },
    /// Of a pause, a delay, a down time, a cut.
    SetDuration {
        marker: MarkerId,
        duration: Millis,
    },
    /// `+`: this visit and all later ones.
    SetAllLater {
        marker: MarkerId,
        all: bool,
    },
    RemoveMarker(MarkerId),

    // --- dragging
    /// Pointer down on a marker: freezes the ruler.
    DragStart(MarkerId),
    /// Pointer moved: position on the timeline in half columns from its left end (see [`crate::app::view::Halves`]); may lie outside.
    DragTo(i32),
    /// The answer to [`Effect::RestSoon`]: the marker has not been moved since.
    DragRests,
    /// Pointer up: one undo entry if the marker moved.
    DragEnd,
    /// Escape, or the pointer was taken away: everything as before the drag.
    DragCancel,

    // --- play head
    StepForward,
    StepBack,
    /// To the beginning (before the first event) or to the end.
    ToStart,
    ToEnd,
    /// A position on the timeline in half columns.
    Scrub(i32),
    /// To an event (a click on a block, an event line, a step of a why chain).
    GoTo(EventId),
    PlayPause,
    /// The timer of [`Effect::StartTimer`] ran out.
    Tick,
    /// The answer to [`Effect::GoOnSoon`].
    GoOn,

    // --- an open challenge
    Challenge(Deed),

    // --- the rest
    Undo,
    Redo,
    SetLanguage(Language),
    SetTheme(Theme),
    SelectTab(Tab),
    /// Opens an overlay or, with none, closes it.
    Show(Option<Overlay>),
    /// Shows one finding's chain of events.
    SelectFinding(usize),
    Share,
    /// The browser copied the link (or could not).
    Copied(bool),
    DismissNotice(NoticeId),

    // --- designs side by side
    /// Puts a preset beside the others.
    AddDesign(Name),
    /// Takes the design of that index out; the open one stays.
    RemoveDesign(usize),
    /// A design changes places with its neighbour.
    ShiftDesign {
        design: usize,
        later: bool,
    },
    /// A ready-made comparison, by its index.
    CompareSet(usize),
    /// The designs that the open scenario names as its variants.
    CompareVariants,
    /// Opens a design, with one crash there instead of the reader's crashes if one is named. Asks first if typed edits would be
    /// replaced.
    OpenDesign {
        design: usize,
        crash: Option<Point>,
    },
    /// The common play head, after so many of the common instants.
    GoToInstant(usize),
    /// The matrix goes to the clipboard as a Markdown table.
    CopyMatrix,
    /// The browser copied the matrix (or could not).
    MatrixCopied(bool),
    Find(Find),
}

/// What can be done in an open challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Makes a change of the list, or takes it back: index among the challenge's changes.
    Toggle(usize),
    /// The statement that this line (from 1) belongs to is to be moved.
    Choose(u32),
    /// Moves the chosen statement within its block.
    Move { up: bool },
    /// Puts the smallest set of faults that breaks the design on the timeline, in place of the markers there.
    ShowBroken,
    /// Brings back what the challenge asks, and leaves the rest.
    RestoreQuestion,
    /// Brings back the text that the challenge began with.
    Restart,
    /// "This cannot be closed on our side alone": whose help is needed.
    Claim(Name),
    /// The answer to [`Effect::TrySoon`].
    GoOn,
}

/// Keys that move a focused marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerKey {
    Left,
    Right,
    Home,
    End,
    /// Five stops on: a slider's value grows.
    PageUp,
    /// Five stops back.
    PageDown,
    Delete,
    /// Enter or space: opens the marker's menu.
    Menu,
}

/// What the browser is asked to do after an update. Carried out in sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `history.replaceState`: the address always holds the link of what is open (fragment without `#`).
    ReplaceFragment(String),
    /// `history.pushState`: another scenario was opened; Back returns to the one before.
    PushFragment(String),
    /// The full link's fragment goes to the clipboard (the page puts its own address in front); answer with [`Message::Copied`].
    CopyLink(String),
    /// Remember for the next visit.
    Store(Preference),
    /// Send [`Message::Tick`] after so many milliseconds of real time.
    StartTimer(u32),
    /// Send [`Message::GoOn`] as soon as the page has answered what waits.
    GoOnSoon,
    /// Send [`Message::DragRests`] once this has not been asked for again for about so many milliseconds of real time.
    RestSoon(u32),
    /// Put the keyboard focus on a marker.
    FocusMarker(MarkerId),
    /// Put the keyboard focus on a strip's cell (`lane` = index of the lane, `stop` as in [`Message::PutMarker`]).
    FocusCell { lane: usize, stop: usize },
    /// Put the keyboard focus on the button that shifts a design (index among those side by side) to that side.
    FocusShift { design: usize, later: bool },
    /// Keep this position (half columns) of the timeline in view.
    Reveal(i32),
    /// Send [`Deed::GoOn`] as soon as the page has answered what waits.
    TrySoon,
    /// Put the caret of the program's field at the beginning of a line (from 1), if the field has the focus.
    PutCaret(u32),
    /// Say this in the polite live region.
    Announce(String),
    /// A text goes to the clipboard; answer with [`Message::MatrixCopied`].
    CopyText(String),
    /// Tell the one who searches; answers come as [`Find::Heard`] and [`Find::Failed`].
    Seek(Order),
}

/// What is remembered between visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    Language(Language),
    Theme(Theme),
    FirstDragDone,
    /// Fewest changes with which a challenge was solved: its id, and how many.
    Best(&'static str, u32),
}
