//! The sweep: one run, branched at every place where a fault may strike, with a fault in each branch.
//!
//! A branch is a clone of the running world from just before the place: what led there is not run again, and the fault
//! strikes by the same mechanism as one that stands in the text. A fault that is named after a step (a lost reply, say) is
//! armed before the request leaves, or, where a step counts only from its answer, before the answer is made.

use super::kernel::{Budget, Kernel, Recorder, begin};
use super::run::Silent;
use super::trace::{Ended, Event, Gap, InstanceId, Visit};
use super::world::World;
use crate::fact::EventId;
use crate::program::{Fault, Point, Program};
use crate::value::{Millis, Name};
use std::collections::VecDeque;
use std::rc::Rc;

/// Runs `program` under `faults` and, for every gap of that run, once more with `fault_at` that gap in addition. `each` gets
/// the gap and the end of the run that has the fault, in the sequence of the gaps.
pub fn sweep(
    program: &Rc<Program>,
    faults: &[Fault],
    fault_at: &dyn Fn(&Point) -> Fault,
    events_max: u32,
    each: &mut dyn FnMut(&Gap, &World, Ended),
) {
    let mut sweep = Sweep::start(program, faults, events_max);
    let at_gaps = |spot: &Spot| match spot {
        Spot::Gap(gap) => Some(fault_at(&gap.point)),
        Spot::Visit(_) => None,
    };
    let mut gaps = |spot: &Spot, world: &World, ended| {
        if let Spot::Gap(gap) = spot {
            each(gap, world, ended);
        }
    };
    while !sweep.go_on(u64::MAX, &at_gaps, &mut gaps) {}
}

/// A place where one more fault may strike.
#[derive(Clone, Debug, PartialEq)]
pub enum Spot {
    /// Between two steps.
    Gap(Gap),
    /// A step itself: its request, its answer, the process while it waits.
    Visit(Visit),
}

/// A sweep in the making: for callers that have something else to do between two stretches of it.
pub struct Sweep {
    program: Rc<Program>,
    budget: Budget,
    world: World,
    /// From before the last turn.
    before: World,
    /// Of the last turn, not yet branched at.
    spots: VecDeque<Spot>,
    branch: Option<(Spot, World)>,
    ended: bool,
    work_done: u64,
}

impl Sweep {
    /// Before anything has happened. The run and each branch have `events_max` events at most.
    pub fn start(program: &Rc<Program>, faults: &[Fault], events_max: u32) -> Sweep {
        let budget = Budget::events(events_max);
        let world = begin(program, faults);
        Sweep {
            program: Rc::clone(program),
            budget,
            before: world.clone(),
            world,
            spots: VecDeque::new(),
            branch: None,
            ended: false,
            work_done: 0,
        }
    }

    /// Work so far, as [`Sweep::go_on`] counts it.
    pub fn work_done(&self) -> u64 {
        self.work_done
    }

    /// Goes on for about so much work (an event is some ten, an idle poll or an instruction about one). True: all is done.
    ///
    /// `fault_at` says which fault is tried at a spot, if any; `each` gets the spot and the end of the run that has the fault,
    /// in the sequence of the spots.
    pub fn go_on(
        &mut self,
        work: u64,
        fault_at: &dyn Fn(&Spot) -> Option<Fault>,
        each: &mut dyn FnMut(&Spot, &World, Ended),
    ) -> bool {
        let mut left = work;
        let done = self.go_on_within(&mut left, fault_at, each);
        self.work_done = self.work_done.saturating_add(work - left);
        done
    }

    fn go_on_within(
        &mut self,
        left: &mut u64,
        fault_at: &dyn Fn(&Spot) -> Option<Fault>,
        each: &mut dyn FnMut(&Spot, &World, Ended),
    ) -> bool {
        while *left > 0 {
            if let Some((spot, mut world)) = self.branch.take() {
                match turns(&self.program, &mut world, self.budget, left) {
                    Some(ended) => each(&spot, &world, ended),
                    None => self.branch = Some((spot, world)),
                }
            } else if let Some(spot) = self.spots.pop_front() {
                self.branch = fault_at(&spot).map(|fault| {
                    let mut world = self.before.clone();
                    world.arm(&self.program, &fault);
                    (spot, world)
                });
            } else if self.ended {
                return true;
            } else {
                self.turn(left);
            }
        }
        false
    }

    /// One entry of the agenda of the run without a further fault.
    fn turn(&mut self, left: &mut u64) {
        self.before = self.world.clone();
        let mut spots = Spots::default();
        let ended = Kernel {
            program: &self.program,
            world: &mut self.world,
            recorder: &mut spots,
            budget: self.budget,
        }
        .turn();
        *left = left.saturating_sub(self.world.work_done() - self.before.work_done());
        self.spots = spots.0;
        self.ended = ended.is_some();
    }
}

/// Runs on to the end, or as far as the work goes.
fn turns(program: &Program, world: &mut World, budget: Budget, left: &mut u64) -> Option<Ended> {
    let until = world.work_done().saturating_add(*left);
    let mut ended = None;
    while ended.is_none() && world.work_done() < until {
        ended = Kernel {
            program,
            world,
            recorder: &mut Silent,
            budget,
        }
        .turn();
    }
    *left = until.saturating_sub(world.work_done());
    ended
}

/// Keeps the spots of the last turn.
#[derive(Default)]
struct Spots(VecDeque<Spot>);

impl Recorder for Spots {
    fn event(&mut self, _: Event) {}
    fn replied(&mut self, _: EventId, _: Millis) {}
    fn idle(&mut self, _: EventId, _: u32, _: Millis) {}
    fn gap(&mut self, gap: Gap) {
        self.0.push_back(Spot::Gap(gap));
    }
    fn next(&mut self, _: InstanceId, _: &Name, _: u32) {}
    fn visit(&mut self, visit: Visit) {
        self.0.push_back(Spot::Visit(visit));
    }
}
