//! What the command line prints.

use crate::fact::EventId;
use crate::program::{Fault, Scenario};
use crate::report::{SearchReport, SetReport, SweepReport};
use crate::search::KEPT_MAX;
use crate::simulation::Trace;
use crate::verdict::{self, Finding};
use crate::words::{Language, explain, instant};
use crate::{language, scenarios};
use serde::Serialize;
use std::io::{self, Write};

/// A line a preset: id, gravest expectation, title.
pub(super) fn list(out: &mut impl Write) -> io::Result<()> {
    for preset in scenarios::all() {
        let title = language::parse(preset.text)
            .ok()
            .and_then(|scenario| title(&scenario))
            .unwrap_or_default();
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
    writeln!(
        out,
        "{}: {}",
        scenario.id,
        verdict::headline(findings, scenario, language)
    )?;
    for finding in findings {
        writeln!(
            out,
            "  {}: {}",
            finding.kind.name(),
            verdict::sentence(finding, scenario, language)
        )?;
        let why = verdict::why(finding, scenario, trace);
        writeln!(out, "    signature: {}", why.signature(finding, scenario, language))?;
        let conclusion = why.conclusion(&scenario.program, language);
        if !conclusion.is_empty() {
            writeln!(out, "    why: {conclusion}")?;
        }
        events(out, scenario, trace, why.events)?;
    }
    for index in trace.not_reached() {
        let line = &scenario.faults[index];
        writeln!(out, "  not reached: {} (line {})", line.fault, line.line)?;
    }
    let ended_at = instant(trace.ended_at, language);
    writeln!(
        out,
        "  {} events, ended by {} at {ended_at}",
        trace.events.len(),
        trace.ended.name()
    )
}

/// `what` the points are: crash points, or faults.
pub(super) fn sweep(out: &mut impl Write, report: &SweepReport, what: &str) -> io::Result<()> {
    writeln!(out, "{}", report.scenario)?;
    for point in &report.points {
        writeln!(out, "  {:<14} {}", point.verdict, point.point)?;
    }
    let counts: Vec<String> = report
        .counts
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    writeln!(out, "  {} {what}: {}", report.points.len(), counts.join(", "))
}

pub(super) fn search(out: &mut impl Write, report: &SearchReport) -> io::Result<()> {
    let (kinds, orders) = (
        report.kinds.join(", "),
        if report.orders { ", in all orders" } else { "" },
    );
    match &report.smallest {
        None if !report.complete => writeln!(
            out,
            "{}: stopped, the memory for {KEPT_MAX} worlds and sets is used up; what was tried breaks no promise",
            report.scenario
        )?,
        None => writeln!(
            out,
            "{}: no set of up to {} faults ({kinds}) breaks a promise",
            report.scenario, report.faults
        )?,
        Some(set) => broken(out, report, set)?,
    }
    writeln!(
        out,
        "  {} sets tried{orders}: {} runs, {} ends known without",
        report.sets, report.runs, report.recognised
    )?;
    if report.cut > 0 {
        let (cut, most) = (report.cut, report.events_max);
        writeln!(
            out,
            "  {cut} of them were cut after {most} events: what they would have come to is not known"
        )?;
    }
    Ok(())
}

fn broken(out: &mut impl Write, report: &SearchReport, set: &SetReport) -> io::Result<()> {
    let (id, verdict) = (&report.scenario, report.verdict);
    match set.faults.len() {
        0 => writeln!(out, "{id}: {verdict} without any fault")?,
        1 => writeln!(out, "{id}: {verdict} by one fault")?,
        2 => writeln!(out, "{id}: {verdict} by these two faults, and by no single one")?,
        n => writeln!(out, "{id}: {verdict} by these {n} faults, and by no fewer")?,
    }
    for fault in &set.faults {
        writeln!(out, "  {fault}")?;
    }
    for at in &set.reordered_at {
        writeln!(
            out,
            "  with another order of what happens at {}",
            instant(*at, Language::En)
        )?;
    }
    for delay in &set.delays {
        writeln!(out, "    as by: {delay}")?;
    }
    writeln!(out, "  {}", set.message)
}

/// One event a line, as the page lists them.
pub(super) fn trace(out: &mut impl Write, scenario: &Scenario, trace: &Trace) -> io::Result<()> {
    events(out, scenario, trace, 0..trace.events.len() as u32)?;
    let ended_at = instant(trace.ended_at, Language::En);
    writeln!(out, "{} ended by {} at {ended_at}", scenario.id, trace.ended.name())
}

/// Writes an event a line: number, time, words.
fn events(
    out: &mut impl Write,
    scenario: &Scenario,
    trace: &Trace,
    shown: impl IntoIterator<Item = EventId>,
) -> io::Result<()> {
    let faults: Vec<Fault> = scenario.faults.iter().map(|line| line.fault.clone()).collect();
    for id in shown {
        let Some(event) = trace.events.get(id as usize) else {
            continue;
        };
        let at = instant(event.at, Language::En);
        let said = explain(event, &trace.program, &faults, Language::En);
        writeln!(out, "{id:>8} {at:>14}  {said}")?;
    }
    Ok(())
}
