//! The JSON that the command line prints, as one set of types.
//!
//! Everything is listed in a fixed sequence: databases, tables, columns, queues and outside parties as the scenario text
//! states them. Values are written as what they are: numbers, text, `true`, `null`; instants and intervals are whole
//! milliseconds. Refuses to know: how a run is made or judged, and where the JSON goes.

mod state;
mod value;

use crate::program::{Kind, Scenario};
use crate::search::{Answer, Outcome, Progress, Question};
use crate::simulation::Trace;
use crate::verdict::{self, Finding};
use crate::words::Language;
use serde::Serialize;
pub use state::{Messages, Queued};
pub use value::{Entries, Fields};

/// `verdict` where no promise is broken.
const HEALTHY: &str = "healthy";

/// One run and its verdict.
#[derive(Serialize)]
pub struct RunReport {
    pub scenario: String,
    /// The kind of the gravest finding, or `healthy`.
    pub verdict: &'static str,
    /// Gravest first.
    pub findings: Vec<FindingReport>,
    /// Fault lines, as the text writes them, whose place the run did not come to.
    pub not_reached: Vec<String>,
    /// Committed rows at the end, by database and table.
    pub databases: Entries<Entries<Vec<Fields>>>,
    pub queues: Entries<Messages>,
    /// Every effect, by outside party.
    pub outside: Entries<Vec<Fields>>,
    /// How many events the run had.
    pub events: usize,
    /// `rest`, `until` or `bound`.
    pub ended: &'static str,
    pub trace_hash: String,
}

/// One broken promise.
#[derive(Serialize)]
pub struct FindingReport {
    pub kind: &'static str,
    /// `order 1001`.
    pub subject: String,
    pub message: String,
    pub signature: String,
    /// The decisions that made it possible; left out if the run shows none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Numbers of the events behind it, ascending.
    pub events: Vec<u32>,
}

/// What the search for the smallest set of faults came to.
#[derive(Serialize)]
pub struct SearchReport {
    pub scenario: String,
    /// What was let strike.
    pub kinds: Vec<&'static str>,
    /// Faults of a set at most.
    pub faults: usize,
    /// Every order of simultaneous events was tried.
    pub orders: bool,
    /// The kind of the gravest finding of the smallest set; `healthy` if no set broke a promise.
    pub verdict: &'static str,
    /// The smallest set; left out if no set broke a promise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<SetReport>,
    /// Sets of faults that were tried, the empty one included; up to the smallest that broke a promise.
    pub sets: u64,
    /// Of these, sets whose runs the bound on events cut: what they would have come to is not known.
    pub cut: u64,
    /// Events that a run could have.
    pub events_max: u32,
    /// False: the memory for worlds that were seen was used up before every set had been tried.
    pub complete: bool,
    /// Runs that were made to their end, and sets whose end was known without.
    pub runs: u64,
    pub recognised: u64,
}

/// A set of faults that breaks a promise.
#[derive(Serialize)]
pub struct SetReport {
    /// Fault lines, as the text writes them, in the sequence in which they strike.
    pub faults: Vec<String>,
    /// Instants, in milliseconds, at which simultaneous events came in another order than usual.
    pub reordered_at: Vec<i64>,
    /// Fault lines that bring that order about, as far as it is one of requests.
    pub delays: Vec<String>,
    pub subject: String,
    pub message: String,
}

/// What a crash at each point of a run would bring.
#[derive(Serialize)]
pub struct SweepReport {
    pub scenario: String,
    /// In the sequence of the run.
    pub points: Vec<PointReport>,
    /// How many points have each verdict: healthy first, then by gravity; verdicts that no point has are left out.
    pub counts: Entries<usize>,
}

#[derive(Serialize)]
pub struct PointReport {
    /// As a fault line writes it: `after Relay.mark.1`; where other faults than crashes were asked for, the whole line.
    pub point: String,
    pub verdict: &'static str,
}

impl RunReport {
    /// The report of a judged run; `language` is that of the messages and signatures.
    pub fn new(scenario: &Scenario, trace: &Trace, findings: &[Finding], language: Language) -> RunReport {
        let faults = trace.not_reached().filter_map(|index| scenario.faults.get(index));
        RunReport {
            scenario: scenario.id.to_string(),
            verdict: worth(findings.first()),
            findings: findings
                .iter()
                .map(|finding| FindingReport::new(finding, scenario, trace, language))
                .collect(),
            not_reached: faults.map(|line| line.fault.to_string()).collect(),
            databases: state::databases(&scenario.program, &trace.last),
            queues: state::queues(&scenario.program, &trace.last),
            outside: state::outside(&scenario.program, &trace.last),
            events: trace.events.len(),
            ended: trace.ended.name(),
            trace_hash: trace.hash(),
        }
    }
}

impl FindingReport {
    fn new(finding: &Finding, scenario: &Scenario, trace: &Trace, language: Language) -> FindingReport {
        let why = verdict::why(finding, scenario, trace);
        FindingReport {
            kind: finding.kind.name(),
            subject: verdict::subject_label(&finding.subject, &scenario.program),
            message: verdict::sentence(finding, scenario, language),
            signature: why.signature(finding, scenario, language),
            why: why.conclusion(&scenario.program, language),
            events: why.events,
        }
    }
}

impl SweepReport {
    /// A report without points yet.
    pub fn new(scenario: &Scenario) -> SweepReport {
        SweepReport {
            scenario: scenario.id.to_string(),
            points: Vec::new(),
            counts: Entries(Vec::new()),
        }
    }

    /// Adds what a fault at `point` would bring; `gravest` is its gravest finding, none if it has none.
    pub fn add(&mut self, point: &impl ToString, gravest: Option<&Finding>) {
        let verdict = worth(gravest);
        self.points.push(PointReport {
            point: point.to_string(),
            verdict,
        });
        let counts = &mut self.counts.0;
        match counts.iter_mut().find(|(counted, _)| counted == verdict) {
            Some((_, count)) => *count += 1,
            None => {
                counts.push((verdict.to_string(), 1));
                counts.sort_by_key(|(counted, _)| gravity(counted));
            }
        }
    }
}

/// Healthy comes before every kind, the gravest kind next.
fn gravity(verdict: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == verdict)
}

impl SearchReport {
    /// The report of an ended search.
    pub fn new(
        scenario: &Scenario,
        question: &Question,
        answer: &Answer,
        progress: Progress,
        language: Language,
    ) -> SearchReport {
        let smallest = match answer {
            Answer::Broken(outcome) => Some(outcome),
            Answer::None { .. } | Answer::Tried { .. } | Answer::Full { .. } => None,
        };
        SearchReport {
            scenario: scenario.id.to_string(),
            kinds: question.kinds.iter().map(|kind| kind.name()).collect(),
            faults: question.faults_max,
            orders: question.orders,
            verdict: worth(smallest.and_then(|outcome| outcome.gravest.as_deref())),
            smallest: smallest.and_then(|outcome| SetReport::new(outcome, scenario, language)),
            sets: progress.sets,
            cut: progress.cut,
            events_max: question.events_max,
            complete: !matches!(answer, Answer::Full { .. }),
            runs: progress.runs,
            recognised: progress.recognised,
        }
    }
}

impl SetReport {
    fn new(outcome: &Outcome, scenario: &Scenario, language: Language) -> Option<SetReport> {
        let finding = outcome.gravest.as_deref()?;
        let delays = outcome.order.iter().flat_map(|swap| &swap.delays);
        Some(SetReport {
            faults: outcome.faults.iter().map(ToString::to_string).collect(),
            reordered_at: outcome.order.iter().map(|swap| swap.at).collect(),
            delays: delays.map(ToString::to_string).collect(),
            subject: verdict::subject_label(&finding.subject, &scenario.program),
            message: verdict::sentence(finding, scenario, language),
        })
    }
}

/// The gravest finding's kind, or healthy.
fn worth(gravest: Option<&Finding>) -> &'static str {
    gravest.map_or(HEALTHY, |gravest| gravest.kind.name())
}
