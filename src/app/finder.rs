//! Every crash: the search for the smallest set of faults that breaks a promise, and the map of all pairs.
//!
//! The search itself goes on elsewhere ([`seeker`], in a worker); here stands what was asked, how far it has come, and what came
//! out. It belongs to the text it began with: the open one without its crashes and pauses, and without what was put on the
//! timeline from here. Its other faults stand in every run.
//! Refuses to know: threads, the browser, how it is shown.

mod pairs;
pub mod report;
pub mod seeker;

pub use pairs::{Pairs, Worth};

use crate::app::finder::report::{Ask, Came, News};
use crate::app::played::{EVENTS_AT_ONCE, Run, bare};
use crate::language::{self, edit};
use crate::program::{Fault, Scenario};
use crate::search::{FaultKind, Progress};
use crate::simulation::trace::Ended;
use crate::verdict::Finding;
use std::rc::Rc;

/// What a person can do here, and what the one who searches says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Find {
    /// Whether faults of this kind are tried.
    Kind(FaultKind, bool),
    /// Faults of a set at most.
    UpTo(usize),
    /// Every order of simultaneous events, too.
    Orders(bool),
    /// Looks for the smallest set.
    Begin,
    /// Tries all pairs.
    Map,
    Pause,
    GoOn,
    Cancel,
    /// From the search of that round.
    Heard {
        round: u32,
        news: News,
    },
    /// It cannot go on, or could not begin; why, in words of the browser's or the program's own.
    Failed {
        round: u32,
        why: String,
    },
    /// Puts the set that was found on the timeline.
    Show,
    /// Looks at a pair of positions (or at one alone).
    Look(usize, usize),
    /// Puts a pair on the timeline.
    Put(usize, usize),
}

impl Find {
    /// It changes what the search shows, and nothing else on the page.
    pub fn is_of_search(&self) -> bool {
        matches!(self, Find::Heard { .. } | Find::Failed { .. } | Find::Look(..))
    }
}

/// What the one who searches is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Begins a search in the place of any other.
    Begin {
        round: u32,
        ask: Ask,
    },
    Pause,
    GoOn,
    /// What it said last is on the page: it may say what is new since.
    Shown,
    /// Away with it.
    End,
}

/// What is asked next, and the last search.
#[derive(Clone, Debug)]
pub struct Finder {
    /// In the sequence of [`FaultKind::ALL`].
    pub kinds: Vec<FaultKind>,
    pub faults_max: usize,
    pub orders: bool,
    pub begun: Option<Rc<Begun>>,
    rounds: u32,
    /// What was put on the timeline from here.
    shown: Vec<Fault>,
    /// The text that was last held against the search's.
    looked_at: Rc<str>,
}

/// A search: going on, or over.
#[derive(Clone, Debug)]
pub struct Begun {
    pub round: u32,
    pub ask: Ask,
    pub scenario: Rc<Scenario>,
    pub stage: Stage,
    /// The open text is another than the one that was searched.
    pub of_earlier: bool,
    pub progress: Progress,
    /// Every fault that was tried, in the sequence in which they were come by.
    pub faults: Vec<Fault>,
    pub pairs: Pairs,
    pub answer: Option<Came>,
    /// What the found set, or the pair that is looked at, brings.
    pub finding: Option<Finding>,
    pub look: (usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nothing was heard yet.
    Starting,
    Going,
    Paused,
    /// It came to its answer.
    Answered,
    Cancelled,
    /// The text was changed.
    Edited,
    Failed(String),
}

impl Stage {
    pub fn is_over(&self) -> bool {
        !matches!(self, Stage::Starting | Stage::Going | Stage::Paused)
    }
}

impl Default for Finder {
    fn default() -> Finder {
        Finder {
            kinds: vec![FaultKind::Crash, FaultKind::LoseReply],
            faults_max: 2,
            orders: false,
            begun: None,
            rounds: 0,
            shown: Vec::new(),
            looked_at: "".into(),
        }
    }
}

impl Finder {
    pub fn choose(&mut self, kind: FaultKind, chosen: bool) {
        let kept = |each: &FaultKind| {
            if *each == kind {
                chosen
            } else {
                self.kinds.contains(each)
            }
        };
        self.kinds = FaultKind::ALL.into_iter().filter(kept).collect();
    }

    /// The search that goes on, if one does.
    pub fn going(&self) -> Option<&Begun> {
        self.begun.as_deref().filter(|begun| !begun.stage.is_over())
    }

    fn begun_mut(&mut self) -> Option<&mut Begun> {
        self.begun.as_mut().map(Rc::make_mut)
    }

    /// Begins a search of a text without errors. None: there is nothing to try.
    pub fn begin(&mut self, text: &Rc<str>, map: bool) -> Option<Order> {
        let text_of: Rc<str> = self.base(text).into();
        let scenario = Rc::new(language::parse(&text_of).ok()?);
        if self.kinds.is_empty() {
            return None;
        }
        self.rounds += 1;
        let ask = Ask {
            text: text_of,
            kinds: self.kinds.clone(),
            faults_max: if map { 2 } else { self.faults_max },
            orders: self.orders,
            whole: map,
        };
        self.looked_at = text.clone();
        self.begun = Some(Rc::new(Begun {
            round: self.rounds,
            ask: ask.clone(),
            scenario,
            stage: Stage::Starting,
            of_earlier: false,
            progress: Progress::default(),
            faults: Vec::new(),
            pairs: Pairs::default(),
            answer: None,
            finding: None,
            look: (0, 0),
        }));
        Some(Order::Begin {
            round: self.rounds,
            ask,
        })
    }

    /// The search's next stage. False: none goes on, or it is at that stage.
    pub fn stage(&mut self, stage: Stage) -> bool {
        let may = self.going().is_some_and(|begun| begun.stage != stage);
        if may && let Some(begun) = self.begun_mut() {
            begun.stage = stage;
        }
        may
    }

    /// Takes in what the search of a round says; another round's says nothing any more.
    pub fn heard(&mut self, round: u32, news: News) {
        if self.going().is_some_and(|begun| begun.round == round)
            && let Some(begun) = self.begun_mut()
        {
            begun.hear(news);
        }
    }

    pub fn failed(&mut self, round: u32, why: String) {
        if self.going().is_some_and(|begun| begun.round == round) {
            self.stage(Stage::Failed(why));
        }
    }

    /// Looks at a pair of the map.
    pub fn look(&mut self, one: usize, other: usize) {
        if let Some(begun) = self.begun_mut()
            && one.max(other) < begun.faults.len()
            && begun.look != (one, other)
        {
            begun.look = (one, other);
            begun.finding = begun.finding_of(&begun.pair(one, other));
        }
    }

    /// The text with these faults in the place of its crashes and pauses and of what was put there before.
    pub fn put(&mut self, text: &str, faults: Vec<Fault>) -> String {
        let base = self.base(text);
        self.shown = faults;
        let put = |text: String, fault: &Fault| edit::insert(&text, fault).0;
        self.shown.iter().fold(base, put)
    }

    /// Holds the open text against the one that was searched. True: a search went on, and is over now.
    pub fn follow(&mut self, text: &Rc<str>) -> bool {
        if self.begun.is_none() || Rc::ptr_eq(text, &self.looked_at) {
            return false;
        }
        self.looked_at = text.clone();
        let base = self.base(text);
        let Some(begun) = self.begun_mut() else { return false };
        begun.of_earlier = !lines(&base).eq(lines(&begun.ask.text));
        begun.of_earlier && self.stage(Stage::Edited)
    }

    fn base(&self, text: &str) -> String {
        let moves = |fault: &Fault| matches!(fault, Fault::Crash(..) | Fault::Pause(..)) || self.shown.contains(fault);
        let lines = edit::fault_lines(text);
        let out = lines.iter().rev().filter(|line| moves(&line.fault));
        out.fold(text.to_owned(), |text, line| edit::remove(&text, line.line))
    }
}

/// What counts of a text: blank lines come and go with fault lines.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty())
}

impl Begun {
    fn hear(&mut self, news: News) {
        if self.stage == Stage::Starting {
            self.stage = Stage::Going;
        }
        self.progress = news.progress;
        self.faults.extend(news.faults);
        self.pairs.grow(self.faults.len());
        for (set, worth) in news.sets {
            self.pairs.set(&set, worth);
        }
        if let Some(came) = news.answer {
            self.stage = Stage::Answered;
            if let Came::Broken(set) = &came {
                self.finding = self.finding_of(&self.faults_of(set));
            }
            if self.ask.whole {
                self.finding = self.finding_of(&self.pair(self.look.0, self.look.1));
            }
            self.answer = Some(came);
        }
    }

    /// The faults of these numbers.
    pub fn faults_of(&self, set: &[usize]) -> Vec<Fault> {
        set.iter()
            .filter_map(|index| self.faults.get(*index).cloned())
            .collect()
    }

    /// The faults of a pair; of one with itself that one.
    pub fn pair(&self, one: usize, other: usize) -> Vec<Fault> {
        let (first, second) = (one.min(other), one.max(other));
        let both = [first, second];
        self.faults_of(if first == second { &both[..1] } else { &both })
    }

    /// What a set brings, from a run of its own. None: nothing, or it does not come to an end while the page waits.
    fn finding_of(&self, faults: &[Fault]) -> Option<Finding> {
        let mut all = bare(&self.scenario.faults);
        all.extend_from_slice(faults);
        let run = Run::of(&self.scenario, &all, EVENTS_AT_ONCE);
        run.findings
            .into_iter()
            .next()
            .filter(|_| run.trace.ended != Ended::Bound)
    }
}
