//! The designs of one problem under the same faults: what each is worth and what it costs.
//!
//! Looked at on request only: each design is read and run. Refuses to know: how it is shown.

use crate::app::model::{Model, Tab};
use crate::app::played::{Played, Run, bare};
use crate::app::presets::Entry;
use crate::costs::Costs;
use crate::language;
use crate::link::fault_lines;
use crate::program::{Kind, Scenario};
use crate::scenarios;
use crate::value::Name;
use std::rc::Rc;

/// Events of the run of one other design at most.
const EVENTS_MAX: u32 = 20_000;

/// The open design and, after it, the others it names.
#[derive(Clone, Debug)]
pub struct Designs {
    /// What was open when they were looked at.
    pub of: Rc<Played>,
    pub list: Vec<Design>,
}

/// One design and what came out of its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    pub id: Name,
    /// The gravest finding; none: healthy.
    pub worth: Option<Kind>,
    /// The run was cut by the bound on events: the counts are those up to there.
    pub cut: bool,
    /// Faults that its run did not come to.
    pub not_reached: usize,
    pub costs: Costs,
}

/// Another design with the reader's fault lines in place of its own.
pub fn with_faults_of(own: &str, other: &str) -> String {
    let own = fault_lines::split(own).faults;
    let target = fault_lines::split(other);
    let home = target.home();
    // Line ends are the target's: a last line without one would swallow the next.
    let lines: Vec<String> = own.iter().map(|(_, line)| format!("{}\n", line.trim_end())).collect();
    fault_lines::join(&target.others, lines.iter().map(|line| (home, line.as_str())))
}

/// Looks at the designs if somebody wants to see them and what is open has changed. Not while a marker is dragged: the
/// others follow when it is let go.
pub fn look(model: &mut Model) {
    if model.tab != Tab::Designs || model.drag.is_some() {
        return;
    }
    let known = model.designs.as_ref();
    if known.is_none_or(|designs| !Rc::ptr_eq(&designs.of, &model.played)) {
        model.designs = Some(Rc::new(Designs::of(&model.played, &model.presets)));
    }
}

impl Designs {
    fn of(played: &Rc<Played>, presets: &[Entry]) -> Designs {
        let scenario = &played.scenario;
        let mut list = vec![Design::of(scenario, &played.run)];
        let others = scenario.variants.iter().filter(|id| **id != scenario.id);
        let known = others.filter(|id| presets.iter().any(|entry| *entry.preset.id == ***id));
        list.extend(known.filter_map(|id| other(&played.text, id)));
        Designs {
            of: played.clone(),
            list,
        }
    }
}

fn other(own: &str, id: &Name) -> Option<Design> {
    let text = with_faults_of(own, scenarios::find(id)?.text);
    // The reader's own fault lines are good: they have been read. A design that cannot be read with them is left out.
    let scenario = language::parse(&text).ok()?;
    let run = Run::of(&scenario, &bare(&scenario.faults), EVENTS_MAX);
    Some(Design::of(&scenario, &run))
}

impl Design {
    fn of(scenario: &Scenario, run: &Run) -> Design {
        Design {
            id: scenario.id.clone(),
            worth: run.findings.first().map(|finding| finding.kind),
            cut: run.is_cut(),
            not_reached: run.trace.not_reached().count(),
            costs: Costs::of(scenario, &run.trace),
        }
    }
}
