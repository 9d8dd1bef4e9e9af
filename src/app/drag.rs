//! A marker under the pointer: from a frozen ruler, one finished result after the other.
//!
//! Refuses to know: pointers and pixels; positions are half columns.

use crate::app::fault;
use crate::app::model::{Head, MarkerId, Model};
use crate::app::played::{Played, Run};
use crate::app::ruler;
use crate::app::survey::{self, Ruler};
use crate::app::view::Halves;
use std::rc::Rc;

/// A drag from pointer down to pointer up.
#[derive(Clone, Debug)]
pub struct Drag {
    pub marker: MarkerId,
    pub ruler: Ruler,
    /// The stop under the pointer; none as long as the marker has not been moved.
    pub at: Option<usize>,
    /// What was played before, for coming back.
    before: Rc<Played>,
    head: Head,
    /// What was played at each stop, once it was needed.
    played: Vec<Option<Rc<Played>>>,
}

impl Drag {
    /// Takes hold of a marker of what is played; none if it has no place on the timeline.
    pub fn start(model: &Model, marker: MarkerId) -> Option<Drag> {
        let ruler = model.survey.rulers.get(marker)?.clone();
        if ruler.stops.is_empty() {
            return None;
        }
        Some(Drag {
            marker,
            at: None,
            before: model.played.clone(),
            head: model.head,
            played: vec![None; ruler.stops.len()],
            ruler,
        })
    }

    /// Moves to the stop nearest to a position. Returns what is to be shown, if that is another stop than before.
    pub fn to(&mut self, position: Halves, model: &Model) -> Option<Rc<Played>> {
        let stop = ruler::nearest(&self.ruler.stops, position)?;
        let present = self.at.or(self.ruler.now);
        if present == Some(stop) {
            return None;
        }
        self.at = Some(stop);
        if self.ruler.now == Some(stop) {
            return Some(self.before.clone());
        }
        if let Some(Some(played)) = self.played.get(stop) {
            return Some(played.clone());
        }
        let played = Rc::new(self.play(stop, model)?);
        self.played[stop] = Some(played.clone()); // one for each stop, and the nearest is one of them
        Some(played)
    }

    fn play(&self, stop: usize, model: &Model) -> Option<Played> {
        let fault = fault::moved(
            &self.before.faults.get(self.marker)?.fault,
            &self.ruler.stops.get(stop)?.place,
        );
        let run = self.tried(stop, model).unwrap_or_else(|| {
            let faults = self.before.faults_with(self.marker, Some(fault.clone()));
            // Letting go runs it as far as it may go.
            let events_max = survey::events_max(self.ruler.run.trace.events.len());
            Rc::new(Run::of(&self.before.scenario, &faults, events_max))
        });
        self.before.with_fault(self.marker, &fault, run)
    }

    /// The run that the strip was made of, if it was kept.
    fn tried(&self, stop: usize, model: &Model) -> Option<Rc<Run>> {
        let strip = model
            .survey
            .strips
            .iter()
            .find(|strip| strip.marker == Some(self.marker))?;
        strip.tried.get(stop)?.as_ref()?.run.clone()
    }

    /// The marker is somewhere else than at the beginning.
    pub fn has_moved(&self) -> bool {
        self.at.is_some() && self.at != self.ruler.now
    }

    /// What was played and where the play head stood before.
    pub fn before(self) -> (Rc<Played>, Head) {
        (self.before, self.head)
    }
}
