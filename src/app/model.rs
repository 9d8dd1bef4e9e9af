//! What is open and how it is looked at.
//!
//! Refuses to know: how it changes (`update`) and how it is shown (`view`).

use crate::words::Language;

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
}

impl Tab {
    pub const ALL: [Tab; 4] = [Tab::State, Tab::Program, Tab::Why, Tab::Events];
}

/// What lies over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    Picker,
    /// The language's grammar and the keys.
    Help,
    Menu(MarkerId),
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
}
