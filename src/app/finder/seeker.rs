//! The one who searches: does what was asked in slices, and says what is new after each.
//!
//! Refuses to know: where it lives (in a worker) and how its news go out.

use super::Worth;
use super::report::{Ask, Came, News};
use crate::app::played::bare;
use crate::language;
use crate::program::Fault;
use crate::search::{Answer, Outcome, Question, Search};
use crate::simulation::{self, trace::Ended};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Work of a whole search: minutes in Wasm.
const WORK_MAX: u64 = 400_000_000;

/// The same where the run without a further fault does not come to an end: hardly any with one will.
const WORK_CUT: u64 = 500_000;

/// Events of one run where they have no end.
const ENDLESS: u32 = 2_000;

/// Events by which the run without a further fault has to come to its end.
const USUAL_MAX: u32 = 20_000;

/// A search in the making.
pub struct Seeker {
    search: Search,
    whole: bool,
    /// Numbers of the faults that were reported.
    known: BTreeMap<String, usize>,
    left: u64,
}

impl Seeker {
    /// # Errors
    /// What is wrong with the text: it was not read by this program before.
    pub fn begin(ask: &Ask) -> Result<Seeker, String> {
        let scenario = language::parse(&ask.text).map_err(|found| format!("{found:?}"))?;
        let usual = simulation::run(&scenario.program, &bare(&scenario.faults), USUAL_MAX);
        let ends = usual.ended != Ended::Bound;
        let events = u32::try_from(usual.events.len()).unwrap_or(USUAL_MAX);
        let question = Question {
            kinds: ask.kinds.clone(),
            faults_max: ask.faults_max.clamp(1, crate::search::FAULTS_MAX),
            standing: bare(&scenario.faults),
            orders: ask.orders,
            // A fault may make a run longer, but not many times as long. The command line's sweep says the same.
            events_max: if ends { 4 * events + 10_000 } else { ENDLESS },
            whole: ask.whole,
        };
        let left = if ends { WORK_MAX } else { WORK_CUT };
        Ok(Seeker {
            search: Search::new(Rc::new(scenario), question),
            whole: ask.whole,
            known: BTreeMap::new(),
            left,
        })
    }

    /// Goes on for about so much work (an event is some ten). After an answer there is no more.
    pub fn go_on(&mut self, work: u64) -> News {
        let mut news = News::default();
        let work = work.min(self.left);
        self.left -= work;
        let (known, whole) = (&mut self.known, self.whole);
        let mut each = |outcome: &Outcome| {
            if whole {
                let worth = match (outcome.kind(), outcome.cut) {
                    (_, true) => Worth::Cut,
                    (Some(kind), false) => Worth::Broken(kind),
                    (None, false) => Worth::Healthy,
                };
                let set = numbered(known, &outcome.faults, &mut news.faults);
                news.sets.push((set, worth));
            }
        };
        let answer = self.search.go_on(work, &mut each);
        news.answer = match answer {
            Some(Answer::Broken(outcome)) => {
                let faults = outcome.faults_in_order();
                Some(Came::Broken(numbered(known, &faults, &mut news.faults)))
            }
            Some(Answer::None { up_to }) => Some(Came::None { up_to }),
            Some(Answer::Tried { up_to }) => Some(Came::Tried { up_to }),
            Some(Answer::Full { .. }) => Some(Came::OutOfMemory),
            None => (self.left == 0).then_some(Came::OutOfWork),
        };
        news.progress = self.search.progress();
        news
    }
}

/// The numbers of faults; those without one get the next.
fn numbered(known: &mut BTreeMap<String, usize>, faults: &[Fault], new: &mut Vec<Fault>) -> Vec<usize> {
    let number = |fault: &Fault| {
        let next = known.len();
        *known.entry(fault.to_string()).or_insert_with(|| {
            new.push(fault.clone());
            next
        })
    };
    faults.iter().map(number).collect()
}
