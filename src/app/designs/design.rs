//! One design of a comparison: its run under the common faults, what it costs, and what crashes elsewhere would bring.
//!
//! Refuses to know: the other designs.

use super::matrix::Swept;
use super::{Seen, with_faults_of};
use crate::app::fault::{self, Place};
use crate::app::lanes;
use crate::app::mistake::Mistake;
use crate::app::played::{EVENTS_AT_ONCE, Played};
use crate::costs::Costs;
use crate::program::{Fault, Program, StepName};
use crate::value::Name;
use std::rc::Rc;

/// One design and what came out of its run.
#[derive(Clone, Debug)]
pub struct Design {
    /// As it stands in the comparison.
    source: Rc<str>,
    /// With the common faults.
    pub text: Rc<str>,
    /// What is wrong with a text that came with a link.
    pub played: Result<Rc<Played>, Rc<[Mistake]>>,
    pub costs: Costs,
    /// None: not yet computed.
    pub swept: Option<Rc<Swept>>,
}

/// Why a fault has no place in a design's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    NoService(Name),
    NoInstance(StepName),
    NoStep(StepName),
    NoParty(Name),
    /// It has the place, but this run does not come to it.
    NotReached,
}

impl Design {
    /// The open one.
    pub fn opened(played: &Rc<Played>, before: Option<&Seen>) -> Design {
        let known = before.and_then(|before| before.list.iter().find(|design| design.has(played)));
        let swept = known.and_then(|design| design.swept.clone());
        Design {
            source: played.text.clone(),
            text: played.text.clone(),
            costs: match known {
                Some(design) if design.is_run_of(played) => design.costs.clone(),
                _ => Costs::of(&played.scenario, &played.run.trace),
            },
            swept,
            played: Ok(played.clone()),
        }
    }

    /// Another one, under the open one's faults. What was run before is not run again.
    pub fn beside(source: &Rc<str>, open: &Played, before: Option<&Seen>) -> Rc<Design> {
        let text: Rc<str> = with_faults_of(&open.text, source).into();
        if let Some(known) = before.and_then(|before| before.design(&text)) {
            return match known.source == *source {
                true => known.clone(),
                false => Rc::new(Design {
                    source: source.clone(),
                    ..(**known).clone()
                }),
            };
        }
        let mut design = Design {
            source: source.clone(),
            played: Played::of(text.clone(), EVENTS_AT_ONCE).map(Rc::new).map_err(Rc::from),
            text,
            costs: Costs::default(),
            swept: None,
        };
        if let Ok(played) = &design.played {
            design.costs = Costs::of(&played.scenario, &played.run.trace);
            let known = before.and_then(|before| before.list.iter().find(|design| design.has(played)));
            design.swept = known.and_then(|known| known.swept.clone());
        }
        Rc::new(design)
    }

    /// What it calls itself.
    pub fn id(&self) -> &str {
        super::scenario_id(&self.source)
    }

    pub fn is_of(&self, source: &str) -> bool {
        *self.source == *source
    }

    /// What is played is this design's very run.
    fn is_run_of(&self, played: &Played) -> bool {
        self.played.as_ref().is_ok_and(|own| Rc::ptr_eq(&own.run, &played.run))
    }

    /// The same program under the same faults but crashes: the same crashes bring the same.
    fn has(&self, played: &Played) -> bool {
        let swept = self.swept.as_ref();
        swept.is_some_and(|swept| swept.is_of(played))
            && self
                .played
                .as_ref()
                .is_ok_and(|own| super::same_design(&own.text, &played.text))
    }

    pub fn is_unswept(&self) -> bool {
        self.swept.is_none() && self.played.is_ok()
    }

    /// Computes what a crash at each point brings.
    pub fn sweep(&mut self) {
        if let Ok(played) = &self.played {
            self.swept = Some(Rc::new(Swept::of(played)));
        }
    }

    /// The faults that its run does not get to, each with the reason.
    pub fn absences(&self) -> Vec<(Fault, Absence)> {
        let Ok(played) = &self.played else { return Vec::new() };
        let missed = played.run.trace.not_reached();
        let faults = missed.filter_map(|index| played.faults.get(index));
        faults
            .map(|line| (line.fault.clone(), absence(&line.fault, played.program())))
            .collect()
    }
}

/// Why a fault that was not reached was not.
pub fn absence(fault: &Fault, program: &Rc<Program>) -> Absence {
    if let Place::Point(point) = fault::place(fault)
        && let Some(absence) = no_step(&point.step, program)
    {
        return absence;
    }
    if let Place::Step(step) = fault::place(fault)
        && let Some(absence) = no_step(&step, program)
    {
        return absence;
    }
    let parties = match fault {
        Fault::Down(party, ..) => vec![party],
        Fault::Cut(one, other, ..) => vec![one, other],
        _ => Vec::new(),
    };
    let unknown = parties.into_iter().find(|party| lanes::party(program, party).is_none());
    unknown.map_or(Absence::NotReached, |party| Absence::NoParty(party.clone()))
}

fn no_step(step: &StepName, program: &Program) -> Option<Absence> {
    let Some(service) = program.services.iter().find(|service| service.name == step.service) else {
        return Some(Absence::NoService(step.service.clone()));
    };
    if !service.steps.contains(&step.step) {
        return Some(Absence::NoStep(step.clone()));
    }
    (step.instance > service.instances).then(|| Absence::NoInstance(step.clone()))
}
