//! What is shown, as plain values: a pure function of the model.
//!
//! Positions are *half columns* of the timeline: a column of 44 px holds one effect; column `c` begins at `2 * c` and its
//! middle is `2 * c + 1`. All texts are in the reader's language, ready to be shown.
//! Every struct is `Eq`, so a component whose part did not change need not be drawn again.
//!
//! Refuses to know: pixels, elements, styles.

mod brokers;
mod challenge;
mod designs;
mod events;
mod finder;
mod header;
mod menu;
mod notices;
mod program;
mod state;
mod strikes;
mod strip;
mod timeline;
mod verdict;

pub use brokers::{Broker, BrokerChoice, BrokerNote, BrokerRule, Brokers, DocumentPage};
pub use challenge::{Challenge, Choice, Outcome, Statement};
pub use designs::{
    COSTS, Column, Count, Designs, InstantEntry, InstantRow, Matrix, MatrixCell, MatrixGroup, MatrixPlace, MatrixRow,
    Series, Set, cost_names, matrix_table,
};
pub use events::{Controls, EventLine};
pub use finder::{Finder, Group, KindChoice, Map, Stretch};
pub use header::{Header, LinkClass, PickerGroup, PresetEntry, Share, Variant};
pub use menu::{Entry, MarkerMenu, MenuGroup};
pub use notices::{Notice, NoticeKind};
pub use program::{Diagnostic, Gutter, Line, Piece, PieceClass, Program};
pub use state::{Change, Condition, Instance, MessagePlace, Queue, QueueMessage, State, Table, TableCell, TableRow};
pub use strikes::{Strikes, StrikesChoice};
pub use strip::{Cell, Strip};
pub use timeline::{
    Arrow, ArrowKind, Bar, BarEnd, Block, BlockClass, Lane, LaneKind, Marker, NotReached, Span, SpanKind, Tick,
    Timeline,
};
pub use verdict::{Finding, Findings, Verdict, Worth};

use crate::app::lanes::{self, LaneOf};
use crate::app::model::{Head, Model, Overlay, Tab, Theme};
use crate::app::played::{Played, Run};
use crate::app::ruler;
use crate::fact::EventId;
use crate::program::Fault;
use crate::simulation::trace::Event;
use crate::words::{self, Language};
use std::rc::Rc;

/// What the model looks like.
pub fn view(model: &Model) -> View {
    let shown = Shown::of(model);
    let timeline = Rc::new(timeline::timeline(&shown));
    View {
        language: model.language,
        theme: model.theme,
        header: Rc::new(header::header(model)),
        verdict: Rc::new(verdict::verdict(&shown)),
        findings: Rc::new(verdict::findings(&shown)),
        faults: timeline.clone(),
        timeline,
        controls: Rc::new(events::controls(&shown)),
        program: Rc::new(program::program(&shown)),
        state: Rc::new(state::state(&shown)),
        brokers: Rc::new(brokers::brokers(model)),
        events: events::lines(&shown),
        designs: designs::designs(model),
        finder: finder::finder(&shown),
        challenge: challenge::challenge(&shown).map(Rc::new),
        notices: notices::notices(model),
        share: Rc::new(header::share(model)),
        tab: model.tab,
        overlay: model.overlay,
        picker: header::picker(model),
        menu: menu::menu(&shown).map(Rc::new),
    }
}

/// What the model looks like while a marker is under way, one step after `before`. What one looks at then follows each step: the
/// verdict's sentence and the timeline. What one reads stays as it was until the marker rests.
pub fn view_moving(model: &Model, before: &View) -> View {
    let shown = Shown {
        before: Some(&before.timeline),
        ..Shown::of(model)
    };
    View {
        verdict: Rc::new(verdict::verdict(&shown)),
        timeline: Rc::new(timeline::timeline(&shown)),
        ..before.clone()
    }
}

/// What the model looks like after a message of the search ([`is_of_search`](crate::app::finder::Find::is_of_search)): all but
/// the search is as it was `before`. Of a large scenario the whole view takes so long that a page which made it at each news
/// would do nothing else.
pub fn view_searching(model: &Model, before: &View) -> View {
    View {
        finder: finder::finder(&Shown::of(model)),
        ..before.clone()
    }
}

/// The verdict as the live region says it.
pub(crate) fn verdict_announcement(model: &Model) -> String {
    verdict::announcement(&Shown::of(model))
}

/// What a search came to as the live region says it.
pub(crate) fn search_announcement(model: &Model) -> String {
    finder::announcement(model)
}

/// What has come out in the open challenge, as the live region says it.
pub(crate) fn challenge_announcement(model: &Model) -> String {
    challenge::announcement(&Shown::of(model))
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
    /// What was shown one step of a drag before.
    before: Option<&'a Timeline>,
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
            before: None,
        }
    }

    /// A design beside the open one. It has no lanes.
    fn of_played(model: &'a Model, played: &'a Played) -> Shown<'a> {
        Shown {
            program: played.program(),
            run: &played.run,
            faults: played.bare_faults(),
            lanes: Vec::new(),
            instances: ruler::instances(played.program()),
            model,
            language: model.language,
            before: None,
        }
    }

    fn lane(&self, of: LaneOf) -> Option<usize> {
        self.lanes.iter().position(|lane| *lane == of)
    }

    /// The events that have a place on the timeline; a long run has many more.
    fn drawn(&self) -> &'a [Event] {
        let events = &self.run.trace.events;
        events.get(..self.run.columns.drawn()).unwrap_or(events)
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
    pub findings: Rc<Findings>,
    pub timeline: Rc<Timeline>,
    /// The timeline whose markers are shown in words beside it.
    pub faults: Rc<Timeline>,
    pub controls: Rc<Controls>,
    pub program: Rc<Program>,
    pub state: Rc<State>,
    pub brokers: Rc<Brokers>,
    /// The events as text, some hundred around the play head. Filled only while [`Tab::Events`] is chosen.
    pub events: Rc<[EventLine]>,
    /// Designs side by side. Filled only while [`Tab::Designs`] is chosen.
    pub designs: Rc<Designs>,
    /// Filled only while [`Tab::Finder`] is chosen.
    pub finder: Rc<Finder>,
    /// The challenge that the open text belongs to.
    pub challenge: Option<Rc<Challenge>>,
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
