//! What is open and how it is looked at.
//!
//! Refuses to know: how it changes (`update`) and how it is shown (`view`).

use crate::app::ahead::Ahead;
use crate::app::challenge::Attempt;
use crate::app::designs::Comparison;
use crate::app::drag::Drag;
use crate::app::finder::Finder;
use crate::app::history::{History, Past};
use crate::app::longer::Longer;
use crate::app::mistake::Mistake;
use crate::app::played::Played;
use crate::app::presets::Entry;
use crate::app::strikes::Strikes;
use crate::app::survey::Survey;
use crate::link::{Compared, LinkError, Shared};
use crate::value::Name;
use crate::words::Language;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Everything the page knows. Cloning it is cheap: what is large is shared.
#[derive(Clone, Debug)]
pub struct Model {
    /// As typed: the source of everything.
    pub text: Rc<str>,
    /// What is wrong with it. Then [`Model::played`] belongs to the last text without errors.
    pub mistakes: Rc<[Mistake]>,
    pub played: Rc<Played>,
    /// The rest of a run that was too long to be made at once, in the making.
    pub longer: Option<Longer>,
    /// Rulers and strips of what is played.
    pub survey: Rc<Survey>,
    /// What the strips still have to learn, in the making.
    pub ahead: Option<Ahead>,
    /// The sort of fault that the strips speak of.
    pub strikes: Strikes,
    pub head: Head,
    pub playing: bool,
    pub selected: Option<MarkerId>,
    /// Index of the finding whose chain is open.
    pub finding: usize,
    pub drag: Option<Drag>,
    pub history: History,
    /// Typed edits that nobody has shared or put aside knowingly.
    pub unsaved: bool,
    pub first_drag_done: bool,
    pub notices: Vec<Notice>,
    pub next_notice: NoticeId,
    pub language: Language,
    pub theme: Theme,
    pub tab: Tab,
    pub overlay: Option<Overlay>,
    /// The fragment of what is open, as of the last change that was not part of a drag; empty if no link can hold it.
    pub link: Rc<str>,
    /// The present link was copied.
    pub copied: bool,
    /// Designs side by side.
    pub comparison: Comparison,
    /// Every preset.
    pub presets: Rc<[Entry]>,
    pub finder: Finder,
    /// The challenge that the open text belongs to.
    pub challenge: Option<Attempt>,
    /// Fewest changes with which each challenge was solved.
    pub bests: BTreeMap<String, u32>,
}

impl Model {
    /// What one step back would have to restore.
    pub fn past(&self) -> Past {
        Past {
            text: self.text.clone(),
            head: self.head,
        }
    }

    /// Something is being made in slices, and nothing under the finger would change by it.
    pub fn has_more_to_do(&self) -> bool {
        self.drag.is_none() && (self.longer.is_some() || self.ahead.is_some())
    }

    /// The text has errors, so what is shown belongs to an earlier one.
    pub fn is_outdated(&self) -> bool {
        !self.mistakes.is_empty()
    }
}

/// Where the play head stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Head {
    /// So many events have happened.
    After(u32),
    End,
}

/// Something to read that waits to be dismissed or answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: NoticeId,
    pub what: NoticeWhat,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeWhat {
    BrokenLink(LinkError),
    /// What is open cannot be put in a link.
    NoLink(LinkError),
    UnknownPreset(Name),
    /// Shall this replace the reader's own text?
    Replace(Asked),
    /// Markers cannot be moved while the text has errors.
    ErrorsFirst,
    CopyFailed,
}

/// What was asked for while the reader's own text was open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Preset(Name),
    /// Another design, with the reader's fault lines.
    Variant(Name),
    Link(Shared),
    /// One of the designs side by side, with its faults.
    Design(Rc<str>),
    /// A ready-made comparison, by its index.
    Set(usize),
    Comparison(Compared),
}

/// Number of a fault line among the text's fault lines, from 0: a marker is its line.
pub type MarkerId = usize;

/// Number of a notice, never given twice.
pub type NoticeId = u32;

/// The kinds of faults a marker can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkerKind {
    Crash,
    Pause,
    LoseRequest,
    LoseReply,
    Refuse,
    Delay,
    /// A database, broker or outside party does not answer.
    Down,
    Cut,
}

impl MarkerKind {
    /// Those a marker on a step or gap can be changed into.
    pub const ON_STEPS: [MarkerKind; 6] = [
        MarkerKind::Crash,
        MarkerKind::Pause,
        MarkerKind::LoseRequest,
        MarkerKind::LoseReply,
        MarkerKind::Refuse,
        MarkerKind::Delay,
    ];

    /// A shape for each.
    pub fn symbol(self) -> char {
        match self {
            MarkerKind::Crash => '⚡',
            MarkerKind::Pause => '⏸',
            MarkerKind::LoseRequest => '⇥',
            MarkerKind::LoseReply => '⇤',
            MarkerKind::Refuse => '⊘',
            MarkerKind::Delay => '⧗',
            MarkerKind::Down => '▽',
            MarkerKind::Cut => '✂',
        }
    }

    /// For class names and tests.
    pub fn slug(self) -> &'static str {
        match self {
            MarkerKind::Crash => "crash",
            MarkerKind::Pause => "pause",
            MarkerKind::LoseRequest => "lose-request",
            MarkerKind::LoseReply => "lose-reply",
            MarkerKind::Refuse => "refuse",
            MarkerKind::Delay => "delay",
            MarkerKind::Down => "down",
            MarkerKind::Cut => "cut",
        }
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

    /// As stored and as `data-theme` says it.
    pub fn slug(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub fn from_slug(slug: &str) -> Option<Theme> {
        Theme::ALL.into_iter().find(|theme| theme.slug() == slug)
    }
}

/// The panels below the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Tab {
    #[default]
    State,
    Program,
    Why,
    Events,
    /// The designs of the problem side by side: what each is worth and costs.
    Designs,
    /// Every crash: the smallest set of faults that breaks a promise, and the map of all pairs.
    Finder,
}

impl Tab {
    pub const ALL: [Tab; 6] = [
        Tab::State,
        Tab::Program,
        Tab::Why,
        Tab::Events,
        Tab::Designs,
        Tab::Finder,
    ];
}

/// What lies over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    Picker,
    /// The keys and the manual.
    Help,
    Menu(MarkerId),
    /// The presets, to be put beside what is open.
    Adding,
}

/// What the browser knows when the page opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Remembered, or the browser's; see `Language::from_code`.
    pub language: Language,
    pub theme: Theme,
    /// The address's fragment, with or without `#`; may be empty.
    pub fragment: String,
    /// The hint on the first marker is needed no more.
    pub first_drag_done: bool,
    /// Fewest changes with which each challenge was solved, as far as it is remembered.
    pub bests: BTreeMap<String, u32>,
}
