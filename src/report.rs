//! The JSON that the command line prints, as one set of types.
//!
//! Everything is listed in a fixed sequence: databases, tables, columns, queues and outside parties as the scenario text
//! states them. Values are written as what they are: numbers, text, `true`, `null`; instants and intervals are whole
//! milliseconds. Refuses to know: how a run is made or judged, and where the JSON goes.

mod state;
mod value;

use crate::program::{Kind, Point, Scenario};
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
    /// As a fault line writes it: `after Relay.mark.1`.
    pub point: String,
    pub verdict: &'static str,
}

impl RunReport {
    /// The report of a judged run; `language` is that of the messages and signatures.
    pub fn new(scenario: &Scenario, trace: &Trace, findings: &[Finding], language: Language) -> RunReport {
        let faults = trace.not_reached().filter_map(|index| scenario.faults.get(index));
        RunReport {
            scenario: scenario.id.to_string(),
            verdict: worth(findings),
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

    /// Adds what a crash at `point` would bring.
    pub fn add(&mut self, point: &Point, findings: &[Finding]) {
        let verdict = worth(findings);
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

/// The gravest finding's kind, or healthy.
fn worth(findings: &[Finding]) -> &'static str {
    findings.first().map_or(HEALTHY, |gravest| gravest.kind.name())
}
