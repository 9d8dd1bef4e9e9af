//! Does a design survive? Without a fault first, then under every fault of some kinds in every gap, then under every two.
//!
//! The gaps of a run under a fault are those of that run: a second fault falls where the first has led to. Bounded, and what was not
//! tried is never called survived.
//! Refuses to know: challenges, words.

use crate::app::fault;
use crate::app::model::MarkerKind;
use crate::program::{Fault, RESTART_DEFAULT, Scenario};
use crate::simulation::trace::Ended;
use crate::simulation::{self, Trace};
use crate::verdict::{self, Finding};
use std::collections::VecDeque;
use std::rc::Rc;

/// Events of one run. A design that needs more is not one that anybody looks at.
const EVENTS_MAX: u32 = 2_000;

/// Runs at most: some seconds in Wasm.
const RUNS_MAX: usize = 5_000;

/// What a design is to survive: every set of up to so many faults of these kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub faults_max: usize,
    pub kinds: Vec<MarkerKind>,
}

/// A design under trial.
#[derive(Clone, Debug)]
pub struct Trial {
    scenario: Rc<Scenario>,
    terms: Terms,
    /// Sets of faults that have not been tried, smaller ones first.
    open: VecDeque<Vec<Fault>>,
    /// Places where one fault can fall, and those where it does no harm, as far as they were tried.
    pub places: usize,
    pub harmless: usize,
    pub runs: usize,
    /// The smallest set that breaks a promise.
    pub broken: Option<Broken>,
    /// Something was not tried: there was too much of it.
    pub cut: bool,
}

/// A set of faults under which a promise does not hold.
#[derive(Clone, Debug)]
pub struct Broken {
    pub faults: Vec<Fault>,
    /// The gravest finding; none: the run does not come to an end.
    pub finding: Option<Finding>,
}

impl Trial {
    pub fn of(scenario: Rc<Scenario>, terms: Terms) -> Trial {
        Trial {
            scenario,
            terms,
            open: VecDeque::from([Vec::new()]),
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

    /// Tries on until about so many events have happened. True: it is done.
    pub fn go_on(&mut self, events: usize) -> bool {
        let mut happened = 0;
        while happened < events && !self.is_done() {
            let Some(faults) = self.open.pop_front() else { break };
            happened += self.attempt(faults);
        }
        self.is_done()
    }

    /// Nothing is left to try, or a smallest set is known and so is, for single faults, where else they do harm.
    pub fn is_done(&self) -> bool {
        match (&self.broken, self.open.front()) {
            (_, None) => true,
            (Some(broken), Some(next)) => broken.faults.len() != 1 || next.len() > 1,
            (None, Some(_)) => false,
        }
    }

    /// It was tried to the end, and every promise held.
    pub fn survived(&self) -> bool {
        self.is_done() && self.broken.is_none() && !self.cut
    }

    /// One run; the events that it had.
    fn attempt(&mut self, faults: Vec<Fault>) -> usize {
        let trace = simulation::run(&self.scenario.program, &faults, EVENTS_MAX);
        let cost = trace.cost();
        self.runs += 1;
        let endless = trace.ended == Ended::Bound;
        let finding = verdict::judge(&self.scenario, &trace.last, trace.ended)
            .into_iter()
            .next();
        let harmless = finding.is_none() && !endless;
        self.harmless += usize::from(harmless && faults.len() == 1);
        if harmless {
            self.extend(&trace, &faults);
        } else if self.broken.is_none() {
            let finding = finding.filter(|_| !endless);
            self.broken = Some(Broken { faults, finding });
        }
        cost
    }

    /// One more fault, wherever it can fall after the last one.
    fn extend(&mut self, trace: &Trace, faults: &[Fault]) {
        if faults.len() >= self.terms.faults_max || self.broken.is_some() {
            return;
        }
        let last = trace.struck.last().copied().flatten();
        let later = trace
            .gaps
            .iter()
            .filter(|gap| last.is_none_or(|last| gap.after.is_some_and(|after| after >= last)));
        let mut added: Vec<Fault> = Vec::new();
        for gap in later {
            let crash = Fault::Crash(gap.point.clone(), Some(RESTART_DEFAULT));
            for kind in &self.terms.kinds {
                let one = match kind {
                    MarkerKind::Crash => Some(crash.clone()),
                    kind => fault::changed(&crash, *kind, &self.scenario.program),
                };
                // Before a step and after it, a lost request is the same one.
                added.extend(one.filter(|one| !added.contains(one) && !faults.contains(one)));
            }
        }
        if faults.is_empty() {
            self.places = added.len();
        }
        let room = RUNS_MAX.saturating_sub(self.runs + self.open.len());
        self.cut |= added.len() > room;
        let sets = added
            .into_iter()
            .take(room)
            .map(|one| faults.iter().cloned().chain([one]).collect());
        self.open.extend(sets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language, scenarios};

    fn crashes(faults_max: usize) -> Terms {
        Terms {
            faults_max,
            kinds: vec![MarkerKind::Crash],
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
            kinds: vec![MarkerKind::LoseReply],
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
