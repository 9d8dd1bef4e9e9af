//! What the command line prints.

use crate::program::Scenario;
use crate::report::SweepReport;
use crate::simulation::Trace;
use crate::verdict::{self, Finding};
use crate::words::Language;
use crate::{language, scenarios};
use serde::Serialize;
use std::io::{self, Write};

/// A line a preset: id, gravest expectation, title.
pub(super) fn list(out: &mut impl Write) -> io::Result<()> {
    for preset in scenarios::all() {
        let title = language::parse(preset.text).ok().and_then(|scenario| title(&scenario)).unwrap_or_default();
        writeln!(out, "{:<10} {title}", preset.id)?;
    }
    Ok(())
}

fn title(scenario: &Scenario) -> Option<String> {
    let english = scenario.title.iter().find(|(code, _)| &**code == "en");
    english.or(scenario.title.first()).map(|(_, title)| title.to_string())
}

pub(super) fn json(out: &mut impl Write, report: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, report)?;
    writeln!(out)
}

pub(super) fn run(out: &mut impl Write, scenario: &Scenario, trace: &Trace, findings: &[Finding]) -> io::Result<()> {
    let language = Language::En;
    writeln!(out, "{}: {}", scenario.id, verdict::headline(findings, scenario, language))?;
    for finding in findings {
        writeln!(out, "  {}: {}", finding.kind.name(), verdict::sentence(finding, scenario, language))?;
        writeln!(out, "    signature: {}", verdict::signature(finding, scenario, trace, language))?;
        for event in verdict::why(finding, trace) {
            writeln!(out, "    {}", verdict::explain(trace, event, language))?;
        }
    }
    for index in trace.not_reached() {
        let line = &scenario.faults[index];
        writeln!(out, "  not reached: {} (line {})", line.fault, line.line)?;
    }
    writeln!(out, "  {} events, ended by {} at {}", trace.events.len(), trace.ended.name(), seconds(trace.ended_at))
}

pub(super) fn sweep(out: &mut impl Write, report: &SweepReport) -> io::Result<()> {
    writeln!(out, "{}", report.scenario)?;
    for point in &report.points {
        writeln!(out, "  {:<14} {}", point.verdict, point.point)?;
    }
    let counts: Vec<String> = report.counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    writeln!(out, "  {} crash points: {}", report.points.len(), counts.join(", "))
}

/// One event a line, as the page lists them.
pub(super) fn trace(out: &mut impl Write, scenario: &Scenario, trace: &Trace) -> io::Result<()> {
    for event in 0..trace.events.len() as u32 {
        writeln!(out, "{}", verdict::explain(trace, event, Language::En))?;
    }
    writeln!(out, "{} ended by {} at {}", scenario.id, trace.ended.name(), seconds(trace.ended_at))
}

fn seconds(at: i64) -> String {
    format!("{}.{:03} s", at / 1000, at % 1000)
}
