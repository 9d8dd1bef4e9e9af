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

pub use crate::simulation::{FaultKind, KEPT_MAX, Swap};

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
    /// Every order of simultaneous events is tried, too; only where not the [`whole`](Question::whole) is asked for.
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
    /// The faults, and with them the shortest delays that bring about the order of simultaneous events it was found in, as far as
    /// that is one of requests: a run by itself takes the usual order.
    pub fn faults_in_order(&self) -> Vec<Fault> {
        let delays = self.order.iter().flat_map(|swap| &swap.delays);
        self.faults.iter().chain(delays).cloned().collect()
    }

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
    /// Sets tried so far, of any size: the empty one too, and a set once for each order that was followed to its end or to a
    /// state that had been seen.
    pub sets: u64,
    /// Of these, runs that were made to their end, and those whose end was known because their world had been seen.
    pub runs: u64,
    pub recognised: u64,
    /// Sets that break a promise.
    pub broken: u64,
    /// Sets whose run was cut by the bound on events.
    pub cut: u64,
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
    /// The memory for worlds that were seen is used up ([`KEPT_MAX`]); all sets of up to so many faults have been tried.
    Full { up_to: usize },
}

/// A search that is going on.
pub struct Search {
    scenario: Rc<Scenario>,
    question: Question,
    level: Explorer<Worth>,
    progress: Progress,
    /// Of the levels before.
    before: Progress,
    /// Sets of smaller sizes.
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
        let level = explorer(&scenario, &question);
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
        let mut left = work;
        loop {
            let before = self.level.counts().work;
            let over = self.level_goes_on(left, each);
            left = left.saturating_sub(self.level.counts().work - before);
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
        let broken = self.smallest.clone().filter(|_| !self.question.whole);
        let full = self.level.is_full().then_some(Answer::Full {
            up_to: self.progress.faults.saturating_sub(1),
        });
        broken.map(Answer::Broken).or(full)
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
        let (whole, progress, smallest) = (self.question.whole, &mut self.progress, &mut self.smallest);
        let mut heard = |found: &Found<Worth>| {
            let outcome = Outcome {
                faults: found.faults.clone(),
                order: found.order.clone(),
                gravest: found.worth.gravest.clone(),
                cut: found.worth.cut,
            };
            let broken = outcome.gravest.is_some();
            progress.broken += u64::from(broken);
            progress.cut += u64::from(outcome.cut);
            each(&outcome);
            if broken && smallest.is_none() {
                *smallest = Some(outcome);
            }
            if broken && !whole { Enough::Yes } else { Enough::No }
        };
        let over = self.level.go_on(work, &mut judge, &mut heard);
        self.note(over);
        over
    }

    fn note(&mut self, over: bool) {
        let (counts, before) = (self.level.counts(), self.before);
        let progress = &mut self.progress;
        progress.runs = before.runs + counts.runs;
        progress.recognised = before.recognised + counts.recognised;
        progress.sets = progress.runs + progress.recognised;
        progress.done = counts.expanded;
        // In other orders a set begins more than once.
        progress.of = progress.of.max(counts.expanded);
        if over {
            // Beginnings within what was recognised are not counted one by one.
            progress.done = progress.of;
        }
    }

    fn next_level(&mut self) {
        self.before = self.progress;
        self.progress.faults += 1;
        self.progress.done = 0;
        // Each set of the size before is the beginning of larger ones.
        self.progress.of = self.progress.sets - self.sets;
        self.sets = self.progress.sets;
        self.level.begin_anew(self.progress.faults);
    }
}

/// Begins with the empty set.
fn explorer(scenario: &Scenario, question: &Question) -> Explorer<Worth> {
    let plan = Plan {
        kinds: question.kinds.clone(),
        faults: 0,
        standing: question.standing.clone(),
        events_max: question.events_max,
        compared: compared(scenario),
        orders: question.orders && !question.whole,
        reduce: true,
        recognise: true,
    };
    Explorer::new(&scenario.program, plan)
}

/// The relations whose facts one promise compares, for [`Plan::compared`].
pub fn compared(scenario: &Scenario) -> Vec<Vec<Relation>> {
    let relations = |promise: &Promise| match &promise.kind {
        PromiseKind::Each { effect, cause, .. } => vec![effect.relation, cause.relation],
        PromiseKind::InOrder { set, .. } => vec![set.relation],
        // What is left at the end has no sequence.
        PromiseKind::No(_) | PromiseKind::AtMost(..) | PromiseKind::Value { .. } => Vec::new(),
    };
    scenario.promises.iter().map(relations).collect()
}
