//! A challenge that is open: whether the text on the page survives, by how many changes, and what was claimed.
//!
//! A challenge is open while the text's `scenario` line names it, so undo, links and Back come and go with it. It is judged in slices,
//! after every change of the text but not of its markers: they are for looking.
//! Refuses to know: how it is shown, what is remembered and where.

mod claim;
mod count;
mod edits;
mod lines;
mod question;
mod trial;
mod units;

pub use claim::{Answer, Claim};
pub use count::changes;
pub use edits::{Standing, standing, toggled};
pub use question::{Altered, Part, altered, restored};
pub use trial::{Terms, Trial};
pub use units::{moved, unit_at, units};

use crate::app::model::Model;
use crate::challenges::{self, Challenge};
use crate::program::Scenario;
use crate::search::FaultKind;
use crate::simulation;
use crate::verdict;
use std::rc::Rc;

/// Work of one slice: some 1,000 events, 10 ms in Wasm.
const SLICE: u64 = 10_000;

/// Events of the run that counts causes.
const EVENTS_MAX: u32 = 2_000;

/// The fewest changes of a challenge that was rightly said to be nobody's to solve alone.
pub const SAID_SO: u32 = 0;

/// An open challenge and how far it has been brought.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub challenge: &'static Challenge,
    /// The text that was judged, without its markers.
    judged: Rc<str>,
    was_readable: bool,
    pub grade: Grade,
    /// How many changes the text is away from the start.
    pub changes: usize,
    /// The line of the statement that is to be moved.
    pub line: Option<u32>,
    pub claim: Option<Claim>,
    /// The party that has rightly been asked for help.
    pub helper: Option<&'static str>,
}

/// What a text is worth as an answer.
#[derive(Clone, Debug)]
pub enum Grade {
    /// It cannot be read.
    Unreadable,
    /// It asks something else than the challenge.
    Altered(Altered),
    /// Without a fault, less (or more) happens that something was promised for: causes at the start, and now.
    Causes { asked: usize, found: usize },
    /// Under trial, or tried.
    Tried(Box<Trial>),
}

impl Attempt {
    /// Nothing is judged yet.
    fn of(challenge: &'static Challenge, best: Option<u32>) -> Attempt {
        let helper = challenge.changes.iter().find_map(|change| change.help);
        Attempt {
            challenge,
            judged: "".into(),
            was_readable: false,
            grade: Grade::Unreadable,
            changes: 0,
            line: None,
            claim: None,
            helper: helper.filter(|_| best == Some(SAID_SO)),
        }
    }

    /// It survives what it was to survive.
    pub fn is_solved(&self) -> bool {
        matches!(&self.grade, Grade::Tried(trial) if trial.survived())
    }

    /// Something is left to compute.
    pub fn is_busy(&self) -> bool {
        let trial = matches!(&self.grade, Grade::Tried(trial) if !trial.is_done());
        trial || self.is_claiming()
    }

    fn is_claiming(&self) -> bool {
        self.claim.as_ref().is_some_and(|claim| claim.answer.is_none())
    }

    /// Claims that it cannot be solved without this party.
    pub fn say(&mut self, party: &str) {
        self.claim = Some(Claim::of(self.challenge, terms(self.challenge), party));
    }

    /// One slice of what is left to compute. True: something has come out.
    pub fn go_on(&mut self) -> bool {
        if let Some(claim) = self.claim.as_mut().filter(|claim| claim.answer.is_none()) {
            let done = claim.go_on(SLICE);
            if claim.answer == Some(Answer::Right) {
                let party = &*claim.party;
                let mut helps = self.challenge.changes.iter().filter_map(|change| change.help);
                self.helper = helps.find(|help| *help == party);
                // What was refused may be allowed now.
                self.judged = "".into();
            }
            return done;
        }
        match &mut self.grade {
            Grade::Tried(trial) => trial.go_on(SLICE),
            _ => false,
        }
    }

    /// What a wrong claim was told is of no interest once the text is another.
    fn forget_claim(&mut self) {
        let is_right = |claim: &Claim| claim.answer == Some(Answer::Right);
        self.claim = self.claim.take().filter(is_right);
    }

    /// Judges anew if the text is another, markers aside.
    fn judge(&mut self, text: &str, scenario: Option<&Rc<Scenario>>) {
        let judged = lines::without_markers(text);
        if *judged == *self.judged && self.was_readable == scenario.is_some() {
            return;
        }
        self.forget_claim();
        self.changes = changes(self.challenge, &judged);
        self.line = self
            .line
            .filter(|line| units(text).iter().any(|unit| unit.line == *line));
        self.grade = grade(self.challenge, &judged, scenario, self.helper);
        self.was_readable = scenario.is_some();
        self.judged = judged.into();
    }
}

/// What the challenge's text is to survive.
pub fn terms(challenge: &Challenge) -> Terms {
    Terms {
        faults_max: challenge.faults_max,
        kinds: challenge
            .kinds
            .iter()
            .filter_map(|kind| FaultKind::named(kind))
            .collect(),
    }
}

/// What a text is worth before it is tried; `scenario` is what it says, if it can be read.
pub fn grade(challenge: &Challenge, text: &str, scenario: Option<&Rc<Scenario>>, helper: Option<&str>) -> Grade {
    if let Some(altered) = altered(challenge.text, text, helper) {
        return Grade::Altered(altered);
    }
    let Some(scenario) = scenario else {
        return Grade::Unreadable;
    };
    // A handler that does nothing has nothing to lose.
    let start = crate::language::parse(challenge.text).map_or(0, |start| causes(&start));
    let (asked, found) = (start, causes(scenario));
    if asked != found {
        return Grade::Causes { asked, found };
    }
    Grade::Tried(Box::new(Trial::of(scenario.clone(), terms(challenge))))
}

/// How much happens without a fault that something was promised for.
fn causes(scenario: &Scenario) -> usize {
    let trace = simulation::run(&scenario.program, &[], EVENTS_MAX);
    verdict::answers(scenario, &trace.last, trace.ended).len()
}

/// Opens and closes the challenge with the text, and judges what is new. True: there is something to go on with.
pub fn look(model: &mut Model) -> bool {
    let Some(challenge) = challenges::find(&model.played.scenario.id) else {
        model.challenge = None;
        return false;
    };
    let best = model.bests.get(challenge.id).copied();
    let open = model
        .challenge
        .take()
        .filter(|attempt| attempt.challenge.id == challenge.id);
    let mut attempt = open.unwrap_or_else(|| Attempt::of(challenge, best));
    let scenario = (!model.is_outdated()).then_some(&model.played.scenario);
    attempt.judge(&model.text, scenario);
    let busy = attempt.is_busy();
    model.challenge = Some(attempt);
    busy
}
