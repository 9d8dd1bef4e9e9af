//! What the strips still have to learn: runs with a fault at each stop, made in slices, so that the page answers in between.
//!
//! A marker that is moved is tried by whole runs, which are kept for its drag; a fault that is added by a sweep, which runs
//! what all have in common once. Refuses to know: timers (each slice is asked for), and how the strips are shown.

use crate::app::fault::{self, Place};
use crate::app::model::MarkerId;
use crate::app::played::{Played, Run};
use crate::app::ruler;
use crate::app::strikes::{Falls, Strikes};
use crate::app::survey::{Survey, Tried, events_max};
use crate::program::{Fault, Point, Scenario, Side, StepName};
use crate::simulation::trace::Ended;
use crate::simulation::{Running, Spot, Sweep, World};
use crate::verdict;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::rc::Rc;

/// Work of one slice: some 1,000 events, 5 to 50 ms in Wasm.
pub const SLICE: u64 = 10_000;

/// Work of all slices: what has not come out after some seconds is left open.
const WORK_MAX: u64 = 8_000_000;

/// The same where the run itself does not come to an end within reach: hardly any with a fault will.
const WORK_CUT: u64 = 200_000;

/// What is still to be tried. Cloning shares it.
#[derive(Clone)]
pub struct Ahead(Rc<RefCell<Work>>);

struct Work {
    scenario: Rc<Scenario>,
    jobs: VecDeque<Job>,
    left: u64,
}

enum Job {
    /// A marker moved to a stop of its strip.
    Move(Move),
    /// A fault added at each stop of all strips that move no marker.
    Add(Box<Add>),
}

struct Move {
    /// Index of the strip.
    strip: usize,
    marker: MarkerId,
    stop: usize,
    faults: Vec<Fault>,
    events_max: u32,
    running: Option<Box<Running>>,
}

struct Add {
    strikes: Strikes,
    faults: Vec<Fault>,
    events_max: u32,
    /// Strip and stop of each place.
    stops: BTreeMap<(Side, StepName), (usize, usize)>,
    instances: Vec<(usize, u16)>,
    sweep: Option<Sweep>,
}

/// What came out: strip, stop, and what a fault there brings.
type Found = (usize, usize, Tried);

impl Ahead {
    /// Everything that the strips lack.
    pub fn of(played: &Played, survey: &Survey, strikes: &Strikes) -> Ahead {
        let mut jobs = VecDeque::new();
        for (index, strip) in survey.strips.iter().enumerate() {
            let Some(marker) = strip.marker else { continue };
            let open = (0..strip.stops.len()).filter(|stop| matches!(strip.tried.get(*stop), Some(None)));
            jobs.extend(open.filter_map(|stop| Move::of(played, survey, (index, marker), stop).map(Job::Move)));
        }
        jobs.extend(Add::of(played, survey, strikes).map(|add| Job::Add(Box::new(add))));
        Ahead(Rc::new(RefCell::new(Work {
            scenario: played.scenario.clone(),
            jobs,
            left: if played.run.is_cut() { WORK_CUT } else { WORK_MAX },
        })))
    }

    /// Does about so much work and writes down what came out. True: nothing is left, or it would take too long.
    pub fn go_on(&self, work: u64, survey: &mut Survey) -> bool {
        let mut found = Vec::new();
        let done = self.0.borrow_mut().go_on(work, &mut found);
        for (strip, stop, tried) in found {
            let place = survey.strips.get_mut(strip).and_then(|strip| strip.tried.get_mut(stop));
            if let Some(place) = place {
                *place = Some(tried);
            }
        }
        done
    }
}

impl Work {
    fn go_on(&mut self, work: u64, found: &mut Vec<Found>) -> bool {
        let mut work = work.min(self.left);
        self.left -= work;
        while let Some(job) = self.jobs.front_mut() {
            if work == 0 {
                return self.left == 0;
            }
            let done = match job {
                Job::Move(one) => one.go_on(&self.scenario, &mut work, found),
                Job::Add(all) => all.go_on(&self.scenario, &mut work, found),
            };
            if done {
                self.jobs.pop_front();
            }
        }
        true
    }
}

impl Move {
    /// None if the run without the marker does not come to an end within reach.
    fn of(played: &Played, survey: &Survey, (strip, marker): (usize, MarkerId), stop: usize) -> Option<Move> {
        let ruler = survey.rulers.get(marker).filter(|ruler| !ruler.run.is_cut())?;
        let there = fault::moved(&played.faults.get(marker)?.fault, &ruler.stops.get(stop)?.place);
        Some(Move {
            strip,
            marker,
            stop,
            faults: played.faults_with(marker, Some(there)),
            events_max: events_max(ruler.run.trace.events.len()),
            running: None,
        })
    }

    fn go_on(&mut self, scenario: &Rc<Scenario>, work: &mut u64, found: &mut Vec<Found>) -> bool {
        let running = self
            .running
            .get_or_insert_with(|| Box::new(Running::start(&scenario.program, &self.faults, self.events_max)));
        let before = running.work_done();
        let done = running.go_on(*work);
        *work = work.saturating_sub(running.work_done() - before);
        if !done {
            return false;
        }
        if let Some(trace) = self.running.take().map(|running| running.into_trace())
            && trace.ended != Ended::Bound
        {
            let run = Rc::new(Run::judged(scenario, trace));
            found.push((self.strip, self.stop, Tried::of(run, self.marker)));
        }
        true
    }
}

impl Add {
    /// None if there is no stop.
    fn of(played: &Played, survey: &Survey, strikes: &Strikes) -> Option<Add> {
        let mut stops = BTreeMap::new();
        let strips = survey
            .strips
            .iter()
            .enumerate()
            .filter(|(_, strip)| strip.marker.is_none());
        for (index, strip) in strips {
            let named = strip.stops.iter().enumerate();
            stops.extend(named.filter_map(|(stop, there)| Some((key(&there.place)?, (index, stop)))));
        }
        if stops.is_empty() {
            return None;
        }
        Some(Add {
            strikes: strikes.clone(),
            faults: played.bare_faults(),
            events_max: events_max(played.run.trace.events.len()),
            stops,
            instances: ruler::instances(played.program()),
            sweep: None,
        })
    }

    fn go_on(&mut self, scenario: &Rc<Scenario>, work: &mut u64, found: &mut Vec<Found>) -> bool {
        let program = &scenario.program;
        let sweep = self
            .sweep
            .get_or_insert_with(|| Sweep::start(program, &self.faults, self.events_max));
        let (strikes, stops, instances) = (&self.strikes, &self.stops, &self.instances);
        let place_of = |spot: &Spot| match (spot, strikes.falls()) {
            (Spot::Gap(gap), Falls::Gaps) => Some(Place::Point(gap.point.clone())),
            (Spot::Visit(visit), Falls::During) => Some(Place::Point(Point {
                side: Side::During,
                step: ruler::step_name(program, instances, visit)?,
            })),
            (Spot::Visit(visit), Falls::Steps) => Some(Place::Step(ruler::step_name(program, instances, visit)?)),
            _ => None,
        };
        let fault_at = |spot: &Spot| {
            let place = place_of(spot)?;
            stops.get(&key(&place)?)?;
            strikes.at(&place)
        };
        let mut each = |spot: &Spot, world: &World, ended| {
            let stop = place_of(spot).and_then(|place| stops.get(&key(&place)?));
            if let (Some((strip, stop)), false) = (stop, ended == Ended::Bound) {
                let gravest = verdict::judge(scenario, world, ended).into_iter().next();
                let tried = Tried {
                    gravest,
                    reached: world.last_fault_has_struck(),
                    run: None,
                };
                found.push((*strip, *stop, tried));
            }
        };
        let before = sweep.work_done();
        let done = sweep.go_on(*work, &fault_at, &mut each);
        *work = work.saturating_sub((sweep.work_done() - before).max(1));
        done
    }
}

/// What tells places of one sort apart; none for a time.
fn key(place: &Place) -> Option<(Side, StepName)> {
    match place {
        Place::Point(point) => Some((point.side, point.step.clone())),
        Place::Step(step) => Some((Side::During, step.clone())),
        Place::At(_) => None,
    }
}

impl fmt::Debug for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ahead")
    }
}
