//! Sweeps: every fault by itself, listed; or the smallest set of faults that breaks a promise, searched for.

use super::arguments::{Source, Strikes};
use super::{Found, Trouble, output, parse, read};
use crate::program::{Fault, Scenario};
use crate::report::{SearchReport, SweepReport};
use crate::search::{FaultKind, Question, Search};
use crate::simulation::end_of;
use crate::simulation::trace::Ended;
use crate::words::Language;
use std::io::Write;
use std::rc::Rc;

/// A run that does not end by itself is swept with so many events at most: more of them, once for each fault, would take hours.
const ENDLESS: u32 = 2_000;

/// The text's own crash and pause lines are left out, its other faults are kept.
pub(super) fn sweep(
    source: &Source,
    events_max: u32,
    strikes: &Strikes,
    json: bool,
    out: &mut impl Write,
) -> Result<Found, Trouble> {
    let scenario = Rc::new(parse(&read(source)?, source)?);
    let stays = |fault: &&Fault| !matches!(fault, Fault::Crash(..) | Fault::Pause(..));
    let faults = scenario.faults.iter().map(|line| &line.fault);
    let standing: Vec<Fault> = faults.filter(stays).cloned().collect();
    let question = Question {
        kinds: strikes.kinds.clone().unwrap_or_else(|| vec![FaultKind::Crash]),
        faults_max: strikes.faults_max.unwrap_or(1),
        orders: strikes.orders,
        events_max: longest(&scenario, &standing, source, events_max)?,
        standing,
        whole: false,
    };
    if strikes.faults_max.is_some() || strikes.orders {
        search(&scenario, question, json, out)
    } else {
        list(&scenario, question, strikes, json, out)
    }
}

/// Events that a run under faults may have: four times what the run without has, and some thousand. A sweep has many runs, and a
/// fault can make one endless.
fn longest(scenario: &Scenario, standing: &[Fault], source: &Source, events_max: u32) -> Result<u32, Trouble> {
    let (world, ended) = end_of(&scenario.program, standing, events_max);
    if ended == Ended::Bound && events_max > ENDLESS {
        return Err(Trouble::Input(format!(
            "{source}: without crashes the run has not ended after {events_max} events, and a sweep would run it anew for each gap: \
             give the text an `until`, or the sweep `--events {ENDLESS}` at most"
        )));
    }
    let usual = world.event_count();
    Ok(events_max.min(usual.saturating_mul(4).saturating_add(10_000)))
}

fn list(
    scenario: &Rc<Scenario>,
    question: Question,
    strikes: &Strikes,
    json: bool,
    out: &mut impl Write,
) -> Result<Found, Trouble> {
    let mut report = SweepReport::new(scenario);
    let mut search = Search::new(
        scenario.clone(),
        Question {
            whole: true,
            ..question
        },
    );
    let mut add = |outcome: &crate::search::Outcome| {
        if let [fault] = &*outcome.faults {
            match (fault, &strikes.kinds) {
                (Fault::Crash(point, _), None) => report.add(point, outcome.gravest.as_deref()),
                _ => report.add(fault, outcome.gravest.as_deref()),
            }
        }
    };
    while search.go_on(u64::MAX, &mut add).is_none() {}
    match (json, &strikes.kinds) {
        (true, _) => output::json(out, &report)?,
        (false, None) => output::sweep(out, &report, "crash points")?,
        (false, Some(_)) => output::sweep(out, &report, "faults")?,
    }
    let healthy = report.points.iter().all(|point| point.verdict == "healthy");
    Ok(found(!healthy))
}

fn search(scenario: &Rc<Scenario>, question: Question, json: bool, out: &mut impl Write) -> Result<Found, Trouble> {
    let mut search = Search::new(scenario.clone(), question.clone());
    let answer = loop {
        if let Some(answer) = search.go_on(u64::MAX, &mut |_| {}) {
            break answer;
        }
    };
    let report = SearchReport::new(scenario, &question, &answer, search.progress(), Language::En);
    if json {
        output::json(out, &report)?;
    } else {
        output::search(out, &report)?;
    }
    Ok(found(report.smallest.is_some() || report.cut > 0 || !report.complete))
}

fn found(something: bool) -> Found {
    match something {
        true => Found::Something,
        false => Found::Nothing,
    }
}
