//! The smallest set of faults that breaks a promise: all sets of one fault, then all of two, and so on.
//!
//! Says what it has covered and never more: each set of up to so many faults of the chosen kinds, at every place where such a
//! fault can strike in a run under the others. Can be stopped and gone on with at any time.
//! Refuses to know: texts, pages, threads.

use crate::program::{Fault, Kind, Promise, PromiseKind, Relation, Scenario};
use crate::simulation::trace::Ended;
use crate::simulation::{Enough, Explorer, Found, Plan, World};
use crate::verdict::{self, Finding};
use std::rc::Rc;

pub use crate::simulation::{FaultKind, Swap};

/// Faults of a set at most.
pub const FAULTS_MAX: usize = 3;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// What may strike.
    pub kinds: Vec<FaultKind>,
    /// Faults of a set at most, up to [`FAULTS_MAX`].
    pub faults_max: usize,
    /// Faults that every run has beside.
    pub standing: Vec<Fault>,
    /// Every order of simultaneous events is tried, too.
    pub orders: bool,
    /// Events of one run at most.
    pub events_max: u32,
    /// Every set is tried; else the search ends with the first that breaks a promise.
    pub whole: bool,
}

/// A set of faults and what it brings.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// In the sequence in which they strike.
    pub faults: Vec<Fault>,
    /// Where simultaneous events came in another order than usual ([`Question::orders`]).
    pub order: Vec<Swap>,
    /// The gravest finding; none: healthy, unless the run was cut.
    pub gravest: Option<Rc<Finding>>,
    /// The run was cut by the bound on events: what it would have come to is not known.
    pub cut: bool,
}

impl Outcome {
    /// The kind of the gravest finding.
    pub fn kind(&self) -> Option<Kind> {
        self.gravest.as_ref().map(|finding| finding.kind)
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Faults of the sets that are being tried.
    pub faults: usize,
    /// Beginnings of sets (all faults but the last) that are done with, and all there are.
    pub done: u64,
    pub of: u64,
    /// Sets tried so far, of any size, and how many of them had breaks.
    pub sets: u64,
    pub broken: u64,
    /// Sets whose run was cut by the bound on events.
    pub cut: u64,
    /// Runs that were made, and sets whose end was known because their world had been seen.
    pub runs: u64,
    pub recognised: u64,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// This set breaks a promise, and no smaller one does; an empty one: without any fault.
    Broken(Outcome),
    /// No set of up to so many faults does.
    None { up_to: usize },
    /// Every set has been tried ([`Question::whole`]), and some do.
    Tried { up_to: usize },
}

/// A search that is going on.
pub struct Search {
    scenario: Rc<Scenario>,
    question: Question,
    level: Explorer<Worth>,
    progress: Progress,
    /// Of the levels before.
    before: Progress,
    /// Sets of the present size.
    sets: u64,
    smallest: Option<Outcome>,
}

/// What an end is worth.
#[derive(Clone, Debug, PartialEq)]
struct Worth {
    gravest: Option<Rc<Finding>>,
    cut: bool,
}

impl Search {
    pub fn new(scenario: Rc<Scenario>, question: Question) -> Search {
        let level = level(&scenario, &question, 0);
        Search {
            scenario,
            question,
            level,
            progress: Progress {
                of: 1,
                ..Progress::default()
            },
            before: Progress::default(),
            sets: 0,
            smallest: None,
        }
    }

    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Goes on for about so much work (an event is some ten); `each` gets every set that was tried, the empty one first. The
    /// answer, when there is one; asked again it is the same.
    pub fn go_on(&mut self, work: u64, each: &mut dyn FnMut(&Outcome)) -> Option<Answer> {
        if let Some(answer) = self.answered() {
            return Some(answer);
        }
        let until = self.level.counts().work.saturating_add(work);
        loop {
            let left = until.saturating_sub(self.level.counts().work);
            let over = self.level_goes_on(left, each);
            if let Some(answer) = self.answered() {
                return Some(answer);
            }
            if !over {
                return None;
            }
            if self.progress.faults >= self.question.faults_max {
                return Some(self.all_tried());
            }
            self.next_level();
            if left == 0 {
                return None;
            }
        }
    }

    fn answered(&self) -> Option<Answer> {
        let broken = self.smallest.clone().filter(|_| !self.question.whole)?;
        Some(Answer::Broken(broken))
    }

    fn all_tried(&self) -> Answer {
        let up_to = self.question.faults_max;
        match self.smallest {
            Some(_) => Answer::Tried { up_to },
            None => Answer::None { up_to },
        }
    }

    /// True: all sets of this size have been tried.
    fn level_goes_on(&mut self, work: u64, each: &mut dyn FnMut(&Outcome)) -> bool {
        let scenario = &self.scenario;
        let mut judge = |world: &World, ended: Ended| {
            let mut findings = verdict::judge(scenario, world, ended).into_iter();
            Worth {
                gravest: findings.next().map(Rc::new),
                cut: ended == Ended::Bound,
            }
        };
        let (whole, sets, progress, smallest) = (
            self.question.whole,
            &mut self.sets,
            &mut self.progress,
            &mut self.smallest,
        );
        let mut heard = |found: &Found<Worth>| {
            let outcome = Outcome {
                faults: found.faults.clone(),
                order: found.order.clone(),
                gravest: found.worth.gravest.clone(),
                cut: found.worth.cut,
            };
            let broken = outcome.gravest.is_some();
            *sets += 1;
            progress.sets += 1;
            progress.broken += u64::from(broken);
            progress.cut += u64::from(outcome.cut);
            each(&outcome);
            if broken && smallest.is_none() {
                *smallest = Some(outcome);
            }
            if broken && !whole { Enough::Yes } else { Enough::No }
        };
        let over = self.level.go_on(work, &mut judge, &mut heard);
        let counts = self.level.counts();
        self.progress.done = counts.expanded;
        self.progress.runs = self.before.runs + counts.runs;
        self.progress.recognised = self.before.recognised + counts.recognised;
        over
    }

    fn next_level(&mut self) {
        self.before = self.progress;
        self.progress.faults += 1;
        self.progress.done = 0;
        // Each set of the size before is the beginning of larger ones.
        self.progress.of = self.sets;
        self.sets = 0;
        self.level = level(&self.scenario, &self.question, self.progress.faults);
    }
}

fn level(scenario: &Scenario, question: &Question, faults: usize) -> Explorer<Worth> {
    let plan = Plan {
        kinds: question.kinds.clone(),
        faults,
        standing: question.standing.clone(),
        events_max: question.events_max,
        orders: question.orders.then(|| compared(scenario)),
        reduce: true,
        recognise: true,
    };
    Explorer::new(&scenario.program, plan)
}

/// The relations whose facts one promise compares.
fn compared(scenario: &Scenario) -> Vec<Vec<Relation>> {
    let relations = |promise: &Promise| match &promise.kind {
        PromiseKind::Each { effect, cause, .. } => vec![effect.relation, cause.relation],
        PromiseKind::InOrder { set, .. } => vec![set.relation],
        // What is left at the end has no sequence.
        PromiseKind::No(_) | PromiseKind::AtMost(..) | PromiseKind::Value { .. } => Vec::new(),
    };
    scenario.promises.iter().map(relations).collect()
}
