//! The verdict: one sentence, all findings, and why.

use super::{EventLine, Shown, events};
use crate::app::words::sentences;
use crate::program::Kind;
use crate::simulation::trace::Ended;
use crate::verdict;
use crate::words::kind_word;
use std::rc::Rc;

/// The sentence everything is about. Shape and word carry it; colour only repeats it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub worth: Worth,
    /// One character: see [`Worth::symbol`].
    pub symbol: char,
    /// "Lost", "Healthy".
    pub word: String,
    /// "Order 1001 is saved and paid; nothing will ever be shipped."
    pub sentence: String,
    /// "The run was cut at 60 s", "… at 1,000,000 events"; none for a run that came to rest.
    pub ended: Option<String>,
    /// The text has errors: what is shown belongs to the last text without.
    pub outdated: bool,
}

/// What stands behind the sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// Gravest first; the first is the one the sentence speaks of. Empty when healthy.
    pub list: Vec<Finding>,
    /// Findings that are not among them; nobody reads hundreds.
    pub more: usize,
    /// Which finding's chain is open.
    pub selected: usize,
}

impl Findings {
    /// The finding whose chain is open.
    pub fn open(&self) -> Option<&Finding> {
        self.list.get(self.selected)
    }
}

/// What a run is worth: healthy, or its gravest finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    Healthy,
    Finding(Kind),
}

impl Worth {
    /// A shape for each, readable without colour.
    pub fn symbol(self) -> char {
        match self {
            Worth::Healthy => '✓',
            Worth::Finding(Kind::Phantom) => '?',
            Worth::Finding(Kind::Lost) => '✗',
            Worth::Finding(Kind::Duplicate) => '≡',
            Worth::Finding(Kind::WrongValue) => '≠',
            Worth::Finding(Kind::OutOfOrder) => '⇅',
            Worth::Finding(Kind::Stuck) => '■',
            Worth::Finding(Kind::Blocked) => '‖',
            Worth::Finding(Kind::DeadLettered) => '†',
            Worth::Finding(Kind::Growth) => '↗',
        }
    }

    /// Stable and language-free, for class names and tests: "healthy", "lost", "wrong-value".
    pub fn slug(self) -> &'static str {
        match self {
            Worth::Healthy => "healthy",
            Worth::Finding(Kind::WrongValue) => "wrong-value",
            Worth::Finding(Kind::OutOfOrder) => "out-of-order",
            Worth::Finding(kind) => kind.name(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    pub symbol: char,
    pub word: String,
    pub sentence: String,
    /// "order 1001".
    pub subject: String,
    /// What an operator would see afterwards; may be empty.
    pub signature: String,
    /// Line of the promise that is broken.
    pub line: u32,
    /// The decisions that made it possible, a sentence each; may be empty. Filled for the gravest and the selected finding only.
    pub conclusion: String,
    /// The chain of events behind it, oldest first. Filled for the selected finding only.
    pub why: Rc<[EventLine]>,
}

/// Findings that are shown, the gravest.
const FINDINGS_SHOWN: usize = 24;

pub(super) fn verdict(shown: &Shown<'_>) -> Verdict {
    let worth = shown
        .run
        .findings
        .first()
        .map_or(Worth::Healthy, |finding| Worth::Finding(finding.kind));
    Verdict {
        worth,
        symbol: worth.symbol(),
        word: word(shown).to_owned(),
        sentence: sentence(shown),
        ended: ended(shown),
        outdated: shown.model.is_outdated(),
    }
}

pub(super) fn findings(shown: &Shown<'_>) -> Findings {
    let findings = &shown.run.findings;
    let selected = shown
        .model
        .finding
        .min(findings.len().min(FINDINGS_SHOWN).saturating_sub(1));
    Findings {
        list: findings
            .iter()
            .take(FINDINGS_SHOWN)
            .enumerate()
            .map(|(index, found)| finding(shown, found, index == 0, index == selected))
            .collect(),
        more: findings.len().saturating_sub(FINDINGS_SHOWN),
        selected,
    }
}

fn word(shown: &Shown<'_>) -> &'static str {
    kind_word(shown.run.findings.first().map(|finding| finding.kind), shown.language)
}

fn sentence(shown: &Shown<'_>) -> String {
    let scenario = &shown.model.played.scenario;
    match shown.run.findings.first() {
        Some(finding) => verdict::sentence(finding, scenario, shown.language),
        None => verdict::healthy(scenario, shown.language),
    }
}

/// "Lost. Order 1001 …".
pub(super) fn announcement(shown: &Shown<'_>) -> String {
    format!("{}. {}", word(shown), sentence(shown))
}

fn finding(shown: &Shown<'_>, finding: &verdict::Finding, is_gravest: bool, is_selected: bool) -> Finding {
    let scenario = &shown.model.played.scenario;
    let why = (is_gravest || is_selected).then(|| verdict::why(finding, scenario, &shown.run.trace));
    let signature = match &why {
        Some(why) => why.signature(finding, scenario, shown.language),
        None => verdict::signature(finding, scenario, shown.language),
    };
    let conclusion = why.as_ref().map(|why| why.conclusion(shown.program, shown.language));
    let chain = why.filter(|_| is_selected).into_iter().flat_map(|why| why.events);
    Finding {
        kind: finding.kind,
        symbol: Worth::Finding(finding.kind).symbol(),
        word: kind_word(Some(finding.kind), shown.language).to_owned(),
        sentence: verdict::sentence(finding, scenario, shown.language),
        subject: verdict::subject_label(&finding.subject, shown.program),
        signature,
        line: finding.line,
        conclusion: conclusion.unwrap_or_default(),
        why: chain.filter_map(|event| events::line(shown, event)).collect(),
    }
}

fn ended(shown: &Shown<'_>) -> Option<String> {
    let trace = &shown.run.trace;
    let bound = match trace.ended {
        Ended::Rest => return None,
        Ended::Until => None,
        // A trace numbers its events with 32 bits.
        Ended::Bound => Some(trace.events.len() as u32),
    };
    Some(match &shown.model.longer {
        Some(longer) => sentences::still_running(shown.language, longer.events().max(bound.unwrap_or(0))),
        None => sentences::cut_run(shown.language, trace.ended_at, bound),
    })
}
