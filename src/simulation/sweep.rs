//! The sweep: one run, branched in every gap, with a fault in each branch.
//!
//! A branch is a clone of the running world from just before the gap: what led there is not run again, and the fault
//! strikes by the same mechanism as one that stands in the text.

use super::kernel::{Budget, Kernel, Recorder, begin};
use super::run::run_on;
use super::trace::{Ended, Event, Gap, InstanceId};
use super::world::World;
use crate::fact::EventId;
use crate::program::{Fault, Point, Program};
use crate::value::{Millis, Name};
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
    let budget = Budget::events(events_max);
    let mut recorder = Gaps::default();
    let mut world = begin(program, faults);
    Kernel {
        program,
        world: &mut world,
        recorder: &mut recorder,
        budget,
    }
    .start();
    loop {
        let before = world.agenda.next_may_open_gap().then(|| world.clone());
        let ended = Kernel {
            program,
            world: &mut world,
            recorder: &mut recorder,
            budget,
        }
        .turn();
        for gap in recorder.0.drain(..) {
            let Some(before) = &before else { continue };
            let mut branch = before.clone();
            branch.arm(program, &fault_at(&gap.point));
            let ended = run_on(program, &mut branch, budget);
            each(&gap, &branch, ended);
        }
        if ended.is_some() {
            return;
        }
    }
}

/// Keeps the gaps of the last turn.
#[derive(Default)]
struct Gaps(Vec<Gap>);

impl Recorder for Gaps {
    fn event(&mut self, _: Event) {}
    fn replied(&mut self, _: EventId, _: Millis) {}
    fn idle(&mut self, _: EventId, _: u32, _: Millis) {}
    fn gap(&mut self, gap: Gap) {
        self.0.push(gap);
    }
    fn next(&mut self, _: InstanceId, _: &Name, _: u32) {}
}
