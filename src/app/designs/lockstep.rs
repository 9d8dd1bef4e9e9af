//! The instants at which anything happens in any of the designs: the rows of their common timeline.
//!
//! Refuses to know: what happens at them.

use super::Design;
use crate::link::Position;
use crate::simulation::trace::{Event, EventKind};
use crate::value::Millis;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Instants that are shown at most.
const INSTANTS_MAX: usize = 300;

/// The common instants of several runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lockstep {
    /// Ascending.
    pub instants: Rc<[Millis]>,
    /// Later ones that are not among them.
    pub more: usize,
}

impl Lockstep {
    pub fn of(designs: &[Rc<Design>]) -> Lockstep {
        let runs = designs.iter().filter_map(|design| design.played.as_ref().ok());
        let all: BTreeSet<Millis> = runs
            .flat_map(|played| played.run.trace.events.iter())
            .filter(|event| is_shown(event))
            .map(|event| event.at)
            .collect();
        Lockstep {
            more: all.len().saturating_sub(INSTANTS_MAX),
            instants: all.into_iter().take(INSTANTS_MAX).collect(),
        }
    }

    /// How many of the instants have happened.
    pub fn happened(&self, head: Position) -> usize {
        match head {
            Position::Start => 0,
            Position::End => self.instants.len(),
            Position::At(at) => {
                let at = Millis::try_from(at).unwrap_or(Millis::MAX);
                self.instants.partition_point(|instant| *instant <= at)
            }
        }
    }

    /// The play head after so many instants.
    pub fn position(&self, happened: usize) -> Position {
        match happened.checked_sub(1) {
            None => Position::Start,
            Some(_) if happened >= self.instants.len() => Position::End,
            // Runs begin at 0.
            Some(last) => Position::At(self.instants.get(last).map_or(0, |at| u64::try_from(*at).unwrap_or(0))),
        }
    }
}

/// Passes that find nothing are no news.
pub fn is_shown(event: &Event) -> bool {
    !matches!(event.kind, EventKind::Idle { .. })
}
