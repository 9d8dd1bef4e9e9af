//! Does a design survive? The search is asked: without a fault first, then under every fault of some kinds at every place, then under
//! every two.
//!
//! A second fault falls where the first has led to. Bounded, and what was not tried is never called survived.
//! Refuses to know: challenges, words, how sets of faults are searched.

use crate::program::{Fault, Scenario};
use crate::search::{Answer, FaultKind, Outcome, Question, Search};
use crate::verdict::Finding;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// Events of one run. A design that needs more is not one that anybody looks at.
const EVENTS_MAX: u32 = 2_000;

/// Work of a whole trial: some seconds in Wasm.
const WORK_MAX: u64 = 10_000_000;

/// What a design is to survive: every set of up to so many faults of these kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub faults_max: usize,
    pub kinds: Vec<FaultKind>,
}

/// A design under trial.
#[derive(Clone, Debug)]
pub struct Trial {
    scenario: Rc<Scenario>,
    /// None: it is done.
    search: Option<Going>,
    left: u64,
    /// Places where one fault can fall, and those where it does no harm, as far as they were tried.
    pub places: usize,
    pub harmless: usize,
    pub runs: usize,
    /// The smallest set that breaks a promise.
    pub broken: Option<Broken>,
    /// Something was not tried: there was too much of it.
    pub cut: bool,
}

/// A search that is going on. Cloning shares it.
#[derive(Clone)]
struct Going(Rc<RefCell<Search>>);

/// A set of faults under which a promise does not hold.
#[derive(Clone, Debug)]
pub struct Broken {
    pub faults: Vec<Fault>,
    /// The gravest finding; none: the run does not come to an end.
    pub finding: Option<Rc<Finding>>,
}

impl Trial {
    pub fn of(scenario: Rc<Scenario>, terms: Terms) -> Trial {
        let question = Question {
            kinds: terms.kinds,
            faults_max: terms.faults_max,
            // The reader's markers are for looking.
            standing: Vec::new(),
            orders: false,
            events_max: EVENTS_MAX,
            // The first that breaks a promise is not the end: the other places are counted, too.
            whole: true,
        };
        let search = Search::new(scenario.clone(), question);
        Trial {
            scenario,
            search: Some(Going(Rc::new(RefCell::new(search)))),
            left: WORK_MAX,
            places: 0,
            harmless: 0,
            runs: 0,
            broken: None,
            cut: false,
        }
    }

    /// What is on trial.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Tries on for about so much work (an event is some ten). True: it is done.
    pub fn go_on(&mut self, work: u64) -> bool {
        let Some(Going(search)) = self.search.clone() else {
            return true;
        };
        let work = work.min(self.left);
        self.left -= work;
        let mut search = search.borrow_mut();
        let answer = search.go_on(work, &mut |outcome| self.note(outcome));
        let is_over = matches!(answer, Some(Answer::None { .. } | Answer::Tried { .. }));
        let is_known = self.knows_all_of(search.progress().faults);
        let is_cut = matches!(answer, Some(Answer::Full { .. })) || self.left == 0;
        if is_over || is_known || is_cut {
            self.cut = !is_over && !is_known;
            self.search = None;
        }
        self.is_done()
    }

    /// Nothing is left to try, or a smallest set is known and so is, for single faults, where else they do harm.
    pub fn is_done(&self) -> bool {
        self.search.is_none()
    }

    /// It was tried to the end, and every promise held.
    pub fn survived(&self) -> bool {
        self.is_done() && self.broken.is_none() && !self.cut
    }

    /// Sets of so many faults have no more to say.
    fn knows_all_of(&self, faults: usize) -> bool {
        let broken = self.broken.as_ref();
        broken.is_some_and(|broken| broken.faults.len() != 1 || faults > 1)
    }

    /// A set that was tried.
    fn note(&mut self, outcome: &Outcome) {
        let size = outcome.faults.len();
        if self.knows_all_of(size) {
            return;
        }
        self.runs += 1;
        let harmless = outcome.gravest.is_none() && !outcome.cut;
        if size == 1 {
            self.places += 1;
            self.harmless += usize::from(harmless);
        }
        if !harmless && self.broken.is_none() {
            self.broken = Some(Broken {
                faults: outcome.faults.clone(),
                finding: outcome.gravest.clone().filter(|_| !outcome.cut),
            });
        }
    }
}

impl fmt::Debug for Going {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Going({:?})", self.0.borrow().progress())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language, scenarios};

    fn crashes(faults_max: usize) -> Terms {
        Terms {
            faults_max,
            kinds: vec![FaultKind::Crash],
        }
    }

    /// A preset without its own faults, tried to the end.
    fn tried(id: &str, terms: Terms) -> Trial {
        let preset = scenarios::find(id).expect("a preset");
        let scenario = language::parse(preset.text).expect("presets can be read");
        let mut trial = Trial::of(Rc::new(scenario), terms);
        while !trial.go_on(100) {}
        trial
    }

    fn faults(trial: &Trial) -> Vec<String> {
        let broken = trial.broken.as_ref().expect("it breaks");
        broken.faults.iter().map(Fault::to_string).collect()
    }

    #[test]
    fn what_survives_one_crash_was_tried_at_every_place() {
        let trial = tried("O10", crashes(1));
        assert!(trial.survived());
        assert_eq!((trial.places, trial.harmless, trial.runs), (14, 14, 15));
    }

    #[test]
    fn the_place_that_does_harm_is_named_and_the_others_are_counted() {
        let trial = tried("O6", crashes(1));
        assert!(!trial.survived());
        assert_eq!(faults(&trial), ["crash after Relay.mark.1 restart 5s"]);
        assert_eq!((trial.places, trial.harmless), (8, 7));
    }

    #[test]
    fn a_design_that_breaks_by_itself_is_not_tried_further() {
        let trial = tried("P5", crashes(1));
        assert_eq!(faults(&trial), [""; 0]);
        assert_eq!(trial.runs, 1);
    }

    #[test]
    fn two_crashes_do_what_one_cannot() {
        assert!(tried("I12", crashes(1)).survived());
        let trial = tried("I12", crashes(2));
        assert_eq!(faults(&trial).len(), 2);
        let text = faults(&trial).join("; ");
        assert!(text.contains("Intake") && text.contains("Worker"), "{text}");
        assert_eq!(trial.places, trial.harmless);
    }

    #[test]
    fn other_kinds_than_crashes_are_tried_too_each_once() {
        let terms = Terms {
            faults_max: 1,
            kinds: vec![FaultKind::LoseReply],
        };
        let trial = tried("O3", terms);
        assert_eq!(faults(&trial), ["lose reply Relay.publish-events.1"]);
        // Begin, two inserts, commit; select, publish, mark.
        assert_eq!(trial.places, 7);
    }

    #[test]
    fn a_run_without_an_end_is_no_survival() {
        let text = "scenario e\nbroker b\n  queue q lease 1s\nservice S\n  at 0s publish q (id = 1)\nservice R\n  receive q as m\n    fail\npromise at most 9 b.q\n";
        let scenario = language::parse(text).expect("it can be read");
        let mut trial = Trial::of(Rc::new(scenario), crashes(1));
        while !trial.go_on(100) {}
        assert!(!trial.survived());
        assert!(trial.broken.expect("it breaks").finding.is_none());
    }
}
