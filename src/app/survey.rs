//! Looks ahead: where each marker can stand, and what a fault at each stop would bring.
//!
//! Made anew after every change, frozen during a drag. What would take too long at once is left open, shown as such, and
//! filled in by slices ([`crate::app::ahead`]). Refuses to know: positions on a screen, words.

use crate::app::ahead::Ahead;
use crate::app::fault;
use crate::app::lanes;
use crate::app::model::{MarkerId, Model};
use crate::app::played::{Played, Run};
use crate::app::ruler::{self, Stop};
use crate::app::strikes::Strikes;
use crate::simulation::trace::InstanceId;
use crate::verdict::Finding;
use std::rc::Rc;

/// Events of all rulers' and tried runs that are made at once: some 100 ms in Wasm. A scenario of the usual size needs some
/// thousand.
const AT_ONCE: usize = 20_000;

/// The same where the run itself had to be cut: a slice's worth.
const AT_ONCE_CUT: usize = 1_000;

/// Work of an event, as runs count it.
const WORK_AN_EVENT: u64 = 10;

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
    /// The marker that is moved from stop to stop; none: a fault is added.
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
    /// The fault has struck. Where another strikes first, it may find nobody any more.
    pub reached: bool,
    /// Kept if it is small and was made as a whole.
    pub run: Option<Rc<Run>>,
}

impl Survey {
    /// Looks ahead from what is played, as far as it can be done at once; the rest is to be gone on with.
    pub fn of(played: &Played, selected: Option<MarkerId>, strikes: &Strikes) -> (Survey, Option<Ahead>) {
        let mut events = AT_ONCE;
        let rulers = rulers(played, &mut events);
        let shown = lanes::instances(played);
        let strip = |instance: usize| {
            // Programs have far fewer instances than 65,536: their number is the sum of 16-bit counts, checked when read.
            let instance = instance as InstanceId;
            match strip_marker(played, selected, strikes, instance) {
                Some(marker) => moved(played, marker, &rulers),
                None if shown.contains(&instance) => untried(played, strikes, instance),
                None => Strip::default(),
            }
        };
        let strips = (0..ruler::instances(played.program()).len()).map(strip).collect();
        let mut survey = Survey { rulers, strips };
        let ahead = Ahead::of(played, &survey, strikes);
        if played.run.is_cut() {
            // It took long by itself.
            events = events.min(AT_ONCE_CUT);
        }
        // As many events as a run may have fit into 64 bits.
        let done = ahead.go_on(events as u64 * WORK_AN_EVENT, &mut survey);
        (survey, (!done).then_some(ahead))
    }

    /// Whether another strip speaks of another marker once this one is selected.
    fn changes(&self, played: &Played, selected: Option<MarkerId>, strikes: &Strikes) -> bool {
        self.strips.iter().enumerate().any(|(instance, strip)| {
            // As in `of`.
            strip.marker != strip_marker(played, selected, strikes, instance as InstanceId)
        })
    }
}

/// Looks ahead from what is played now.
pub fn look(model: &mut Model) {
    let (survey, ahead) = Survey::of(&model.played, model.selected, &model.strikes);
    model.survey = Rc::new(survey);
    model.ahead = ahead;
}

/// After another marker was selected: the strips speak of its sort of fault, and its lane's of it.
pub fn look_at_selected(model: &mut Model) {
    let selected = model.selected.and_then(|marker| model.played.faults.get(marker));
    let strikes = selected.and_then(|line| Strikes::of(&line.fault));
    let others = strikes.filter(|strikes| *strikes != model.strikes);
    let is_other = others.is_some();
    model.strikes = others.unwrap_or_else(|| model.strikes.clone());
    if is_other || model.survey.changes(&model.played, model.selected, &model.strikes) {
        look(model);
    }
}

impl Tried {
    /// What the run with a marker at the stop came to.
    pub fn of(run: Rc<Run>, marker: MarkerId) -> Tried {
        let keep = run.trace.events.len() <= KEEP_MAX;
        Tried {
            gravest: run.findings.first().cloned(),
            reached: run.trace.struck.get(marker).is_some_and(Option::is_some),
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

/// A fault may make a run longer, but one that becomes many times as long is not waited for.
pub fn events_max(usual: usize) -> u32 {
    let longer = (4 * usual + 5_000).min(TRIED_MAX.max(usual));
    u32::try_from(longer).unwrap_or(u32::MAX)
}

/// The strip of a marker that is moved from stop to stop. Where it stands, the run is known.
fn moved(played: &Played, marker: MarkerId, rulers: &[Ruler]) -> Strip {
    let ruler = &rulers[marker]; // there is one for each marker
    let known = |stop| (ruler.now == Some(stop)).then(|| Tried::of(played.run.clone(), marker));
    Strip {
        marker: Some(marker),
        stops: ruler.stops.clone(),
        tried: (0..ruler.stops.len()).map(known).collect(),
    }
}

/// The strip of an instance without a marker to move.
fn untried(played: &Played, strikes: &Strikes, instance: InstanceId) -> Strip {
    let run = &played.run;
    let stops: Rc<[Stop]> = ruler::stops_of(strikes, instance, played.program(), &run.trace, &run.columns).into();
    Strip {
        marker: None,
        tried: vec![None; stops.len()],
        stops,
    }
}

/// The marker that an instance's strip speaks of: of those of its sort that stand there the selected one, else the first.
fn strip_marker(
    played: &Played,
    selected: Option<MarkerId>,
    strikes: &Strikes,
    instance: InstanceId,
) -> Option<MarkerId> {
    let of_sort = |marker: &MarkerId| {
        let line = played.faults.get(*marker);
        instance_of(played, *marker) == Some(instance)
            && line.and_then(|line| Strikes::of(&line.fault)).as_ref() == Some(strikes)
    };
    selected
        .filter(of_sort)
        .or_else(|| (0..played.faults.len()).find(of_sort))
}

/// The instance whose step a marker is named after.
pub fn instance_of(played: &Played, marker: MarkerId) -> Option<InstanceId> {
    let place = fault::place(&played.faults.get(marker)?.fault);
    let step = place.step()?;
    ruler::instance(played.program(), &step.service, step.instance)
}
