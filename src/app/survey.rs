//! Looks ahead: where each marker can stand, and what a fault at each stop would bring.
//!
//! Made anew after every change, frozen during a drag. Bounded: what would take too long is left open and shown as such.
//! Refuses to know: positions on a screen, words.

use crate::app::fault;
use crate::app::lanes;
use crate::app::model::{MarkerId, MarkerKind};
use crate::app::played::{Played, Run};
use crate::app::ruler::{self, Stop};
use crate::program::{Fault, Point, RESTART_DEFAULT};
use crate::simulation;
use crate::simulation::trace::{Ended, InstanceId};
use crate::verdict::{self, Finding};
use std::rc::Rc;

/// Events of all rulers' and tried runs together at most: some 100 ms in Wasm. A scenario of the usual size needs some thousand.
const WORK_MAX: usize = 20_000;

/// Events of one tried run, unless the run without the fault has more.
const TRIED_MAX: usize = 5_000;

/// Events that a ruler's run may have when nothing is left of the work: a text may have very many markers.
const RULER_MIN: usize = 200;

/// Runs with more events than this are judged and not kept.
const KEEP_MAX: usize = 2_000;

/// The rulers and strips of what is played.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// One for each marker.
    pub rulers: Vec<Ruler>,
    /// One for each instance; empty for those without a lane.
    pub strips: Vec<Strip>,
}

/// What a marker is measured with.
#[derive(Clone, Debug)]
pub struct Ruler {
    /// The run without the marker.
    pub run: Rc<Run>,
    pub stops: Rc<[Stop]>,
    /// Where the marker stands, if it stands on a stop.
    pub now: Option<usize>,
}

/// What a fault at each stop of an instance brings.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    /// The marker that is moved from stop to stop; none: a crash is added.
    pub marker: Option<MarkerId>,
    pub stops: Rc<[Stop]>,
    /// For each stop; none: not computed.
    pub tried: Vec<Option<Tried>>,
}

/// A run with a fault at one stop.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The gravest finding; none: healthy.
    pub gravest: Option<Finding>,
    /// Kept if it is small and was made as a whole.
    pub run: Option<Rc<Run>>,
}

impl Survey {
    /// Looks ahead from what is played. A selected marker is the one its lane's strip speaks of.
    pub fn of(played: &Played, selected: Option<MarkerId>) -> Survey {
        let mut work = WORK_MAX;
        let mut survey = Survey {
            rulers: rulers(played, &mut work),
            strips: Vec::new(),
        };
        let shown = lanes::instances(played);
        for instance in 0..ruler::instances(played.program()).len() {
            // Programs have far fewer instances than 65,536: their number is the sum of 16-bit counts, checked when read.
            let instance = instance as InstanceId;
            let strip = match strip_marker(played, selected, instance) {
                Some(marker) => survey.moved(played, marker, &mut work),
                None if shown.contains(&instance) => untried(played, instance),
                None => Strip::default(),
            };
            survey.strips.push(strip);
        }
        sweep(played, &mut survey.strips, work);
        survey
    }

    /// The same after another marker was selected: only a lane whose strip speaks of another marker now is looked at again.
    pub fn select(&self, played: &Played, selected: Option<MarkerId>) -> Option<Survey> {
        let unchanged = self.strips.iter().enumerate().all(|(instance, strip)| {
            // As in `of`.
            strip.marker == strip_marker(played, selected, instance as InstanceId)
        });
        (!unchanged).then(|| Survey::of(played, selected))
    }

    /// The strip of a marker that is moved from stop to stop.
    fn moved(&self, played: &Played, marker: MarkerId, work: &mut usize) -> Strip {
        let ruler = &self.rulers[marker]; // there is one for each marker
        let fault = &played.faults[marker].fault;
        let tried = ruler.stops.iter().enumerate().map(|(index, stop)| {
            if ruler.now == Some(index) {
                return Some(Tried::of(played.run.clone()));
            }
            let faults = played.faults_with(marker, Some(fault::moved(fault, &stop.place)));
            attempt(played, &faults, &ruler.run, work)
        });
        Strip {
            marker: Some(marker),
            stops: ruler.stops.clone(),
            tried: tried.collect(),
        }
    }
}

impl Tried {
    fn of(run: Rc<Run>) -> Tried {
        let keep = run.trace.events.len() <= KEEP_MAX;
        Tried {
            gravest: run.findings.first().cloned(),
            run: keep.then_some(run),
        }
    }
}

fn rulers(played: &Played, work: &mut usize) -> Vec<Ruler> {
    let ruler = |(marker, line): (usize, &crate::program::FaultLine)| {
        let faults = played.faults_with(marker, None);
        let events_max = u32::try_from(RULER_MIN.max(*work)).unwrap_or(u32::MAX);
        let run = Rc::new(Run::of(&played.scenario, &faults, played.events_max.min(events_max)));
        *work = work.saturating_sub(run.trace.cost());
        let stops = ruler::stops(&line.fault, played.program(), &run.trace, &run.columns);
        let now = ruler::stop_of(&line.fault, &stops);
        Ruler {
            run,
            stops: stops.into(),
            now,
        }
    };
    played.faults.iter().enumerate().map(ruler).collect()
}

/// One run, if there is work left for it and it comes to an end within reach.
fn attempt(played: &Played, faults: &[Fault], without: &Run, work: &mut usize) -> Option<Tried> {
    let events_max = events_max(without.trace.events.len());
    if *work < without.trace.cost() {
        return None;
    }
    let run = Run::of(&played.scenario, faults, events_max);
    *work = work.saturating_sub(run.trace.cost());
    (!run.is_cut()).then(|| Tried::of(Rc::new(run)))
}

/// A fault may make a run longer, but one that becomes many times as long is not waited for.
pub fn events_max(usual: usize) -> u32 {
    let longer = (4 * usual + 5_000).min(TRIED_MAX.max(usual));
    u32::try_from(longer).unwrap_or(u32::MAX)
}

/// The strip of an instance without a marker to move, to be filled by [`sweep`].
fn untried(played: &Played, instance: InstanceId) -> Strip {
    let stops: Rc<[Stop]> = ruler::gaps(instance, &played.run.trace, &played.run.columns).into();
    Strip {
        marker: None,
        tried: vec![None; stops.len()],
        stops,
    }
}

/// Adds a crash in every gap of the instances whose strips move no marker.
fn sweep(played: &Played, strips: &mut [Strip], work: usize) {
    let trace = &played.run.trace;
    let gaps: usize = strips
        .iter()
        .filter(|strip| strip.marker.is_none())
        .map(|strip| strip.stops.len())
        .sum();
    if gaps == 0 || gaps.saturating_mul(trace.cost()) > work {
        return;
    }
    let mut next = vec![0; strips.len()];
    let budget = events_max(trace.events.len());
    let crash = |point: &Point| Fault::Crash(point.clone(), Some(RESTART_DEFAULT));
    simulation::sweep(
        played.program(),
        &played.bare_faults(),
        &crash,
        budget,
        &mut |gap, world, ended| {
            let instance = usize::from(gap.instance);
            let (Some(strip), Some(index)) = (strips.get_mut(instance), next.get_mut(instance)) else {
                return;
            };
            // Gaps come in the sequence of the trace, and the stops were made in it.
            let tried = strip.tried.get_mut(*index);
            *index += 1;
            if let (None, Some(tried), false) = (strip.marker, tried, ended == Ended::Bound) {
                let gravest = verdict::judge(&played.scenario, world, ended).into_iter().next();
                *tried = Some(Tried { gravest, run: None });
            }
        },
    );
}

/// The marker that an instance's strip speaks of: the selected one if it stands there, else its first crash.
fn strip_marker(played: &Played, selected: Option<MarkerId>, instance: InstanceId) -> Option<MarkerId> {
    let stands = |marker: &MarkerId| instance_of(played, *marker) == Some(instance);
    let crash = |marker: &MarkerId| fault::kind(&played.faults[*marker].fault) == MarkerKind::Crash; // in range
    selected
        .filter(|marker| stands(marker))
        .or_else(|| (0..played.faults.len()).find(|marker| stands(marker) && crash(marker)))
}

/// The instance whose step a marker is named after.
pub fn instance_of(played: &Played, marker: MarkerId) -> Option<InstanceId> {
    let place = fault::place(&played.faults.get(marker)?.fault);
    let step = place.step()?;
    ruler::instance(played.program(), &step.service, step.instance)
}
