//! The verdict: one sentence, all findings, and why.

use super::{Finding, Shown, Verdict, Worth, events};
use crate::app::words::sentences;
use crate::simulation::trace::Ended;
use crate::verdict;
use crate::words::kind_word;

pub(super) fn verdict(shown: &Shown<'_>) -> Verdict {
    let findings = &shown.run.findings;
    let worth = findings
        .first()
        .map_or(Worth::Healthy, |finding| Worth::Finding(finding.kind));
    let selected = shown.model.finding.min(findings.len().saturating_sub(1));
    Verdict {
        worth,
        symbol: worth.symbol(),
        word: word(shown).to_owned(),
        sentence: sentence(shown),
        findings: findings
            .iter()
            .enumerate()
            .map(|(index, found)| finding(shown, found, index == selected))
            .collect(),
        selected,
        ended: ended(shown),
        outdated: shown.model.is_outdated(),
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

fn finding(shown: &Shown<'_>, finding: &verdict::Finding, with_why: bool) -> Finding {
    let scenario = &shown.model.played.scenario;
    let why = || {
        verdict::why(finding, &shown.run.trace)
            .into_iter()
            .filter_map(|event| events::line(shown, event))
            .collect()
    };
    Finding {
        kind: finding.kind,
        symbol: Worth::Finding(finding.kind).symbol(),
        word: kind_word(Some(finding.kind), shown.language).to_owned(),
        sentence: verdict::sentence(finding, scenario, shown.language),
        subject: verdict::subject_label(&finding.subject, shown.program),
        signature: verdict::signature(finding, scenario, shown.language),
        line: finding.line,
        why: if with_why { why() } else { Vec::new() },
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
    Some(sentences::cut_run(shown.language, trace.ended_at, bound))
}
