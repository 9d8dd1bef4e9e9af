//! A text without errors, its run, and what the run is worth.
//!
//! Refuses to know: how it is looked at.

use crate::app::columns::Columns;
use crate::app::highlight;
use crate::app::mistake::Mistake;
use crate::app::view::Piece;
use crate::language;
use crate::language::edit;
use crate::program::{Fault, FaultLine, Program, Scenario};
use crate::simulation::trace::Ended;
use crate::simulation::{self, Trace};
use crate::verdict::{self, Finding};
use std::rc::Rc;

/// Events of a run that is made at once, while the page waits. A longer one is made in slices ([`crate::app::longer`]); what
/// looks ahead (strips, drags) has this bound.
pub const EVENTS_AT_ONCE: u32 = 5_000;

/// A text that was read, run and judged.
#[derive(Clone, Debug)]
pub struct Played {
    pub text: Rc<str>,
    pub scenario: Rc<Scenario>,
    /// The scenario's faults, a moved one moved.
    pub faults: Rc<[FaultLine]>,
    pub run: Rc<Run>,
    /// Events the run may have had.
    pub events_max: u32,
    /// The text's lines, coloured.
    pub lines: Rc<[Rc<[Piece]>]>,
}

/// A run and what it is worth.
#[derive(Clone, Debug)]
pub struct Run {
    pub trace: Trace,
    /// Gravest first.
    pub findings: Vec<Finding>,
    pub columns: Columns,
}

impl Run {
    /// Runs and judges a scenario under faults.
    pub fn of(scenario: &Scenario, faults: &[Fault], events_max: u32) -> Run {
        Run::judged(scenario, simulation::run(&scenario.program, faults, events_max))
    }

    /// Judges a trace of the scenario.
    pub fn judged(scenario: &Scenario, trace: Trace) -> Run {
        let findings = verdict::judge(scenario, &trace.last, trace.ended);
        let columns = Columns::of(&trace.events);
        Run {
            trace,
            findings,
            columns,
        }
    }

    /// It was cut by the bound on events.
    pub fn is_cut(&self) -> bool {
        self.trace.ended == Ended::Bound
    }
}

impl Played {
    /// Reads, runs and judges a text.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn of(text: Rc<str>, events_max: u32) -> Result<Played, Vec<Mistake>> {
        let scenario =
            language::parse(&text).map_err(|found| found.into_iter().map(Mistake::Text).collect::<Vec<_>>())?;
        if let Some(mistake) = Mistake::in_rows(&text, &scenario.program) {
            return Err(vec![mistake]);
        }
        let scenario = Rc::new(scenario);
        let faults: Rc<[FaultLine]> = scenario.faults.clone().into();
        let run = Rc::new(Run::of(&scenario, &bare(&faults), events_max));
        let lines = text.lines().map(highlight::line).collect();
        Ok(Played {
            text,
            scenario,
            faults,
            run,
            events_max,
            lines,
        })
    }

    pub fn program(&self) -> &Rc<Program> {
        &self.scenario.program
    }

    /// The faults without their lines.
    pub fn bare_faults(&self) -> Vec<Fault> {
        bare(&self.faults)
    }

    /// The faults with one in another's place; `None` leaves it out.
    pub fn faults_with(&self, marker: usize, instead: Option<Fault>) -> Vec<Fault> {
        let mut faults = self.bare_faults();
        match instead {
            Some(fault) if marker < faults.len() => faults[marker] = fault,
            None if marker < faults.len() => {
                faults.remove(marker);
            }
            _ => {}
        }
        faults
    }

    /// The same text with one fault line changed, and a run that was made for it.
    pub fn with_fault(&self, marker: usize, fault: &Fault, run: Rc<Run>) -> Option<Played> {
        let line = self.faults.get(marker)?.line;
        let mut faults = self.faults.to_vec();
        faults.get_mut(marker)?.fault = fault.clone();
        let text: Rc<str> = edit::replace(&self.text, line, fault).into();
        let index = (line as usize).checked_sub(1)?;
        let mut lines = self.lines.to_vec();
        *lines.get_mut(index)? = highlight::line(text.lines().nth(index)?);
        if lines.len() != text.lines().count() {
            // The fault had gone over several lines.
            lines = text.lines().map(highlight::line).collect();
        }
        Some(Played {
            text,
            lines: lines.into(),
            scenario: self.scenario.clone(),
            faults: faults.into(),
            run,
            events_max: self.events_max,
        })
    }
}

/// Faults without their lines.
pub(in crate::app) fn bare(faults: &[FaultLine]) -> Vec<Fault> {
    faults.iter().map(|line| line.fault.clone()).collect()
}
