//! A whole run and its trace: every event, every gap, and the world at any event.

use super::kernel::{Budget, Kernel, Recorder, begin};
use super::trace::{Ended, Event, EventKind, Gap, InstanceId, Visit};
use super::world::World;
use crate::fact::EventId;
use crate::program::{Fault, Program};
use crate::value::{Millis, Name};
use std::rc::Rc;

/// Events a run may have in the page.
pub const EVENTS_MAX: u32 = 1_000_000;

/// Events between two kept worlds after so many events: a world that is kept holds on to what has changed since, so long runs
/// keep fewer. Going to an event re-runs at most this many, 1 to 2 ms in Wasm for the middle step.
fn checkpoint_distance(events: u32) -> u32 {
    match events {
        0..1_000 => 64,
        1_000..10_000 => 256,
        _ => 1_024,
    }
}

/// What a run was, immutable.
#[derive(Clone, Debug)]
pub struct Trace {
    pub program: Rc<Program>,
    pub events: Vec<Event>,
    /// In the sequence of the run.
    pub gaps: Vec<Gap>,
    /// In the sequence in which they began to count.
    pub visits: Vec<Visit>,
    /// Per fault the event of its first strike; none: not reached.
    pub struck: Vec<Option<EventId>>,
    pub ended: Ended,
    pub ended_at: Millis,
    /// The world at the end.
    pub last: World,
    checkpoints: Vec<World>,
    budget: u32,
}

/// Runs a program under faults until it rests, reaches its `until`, or has had `events_max` events.
pub fn run(program: &Rc<Program>, faults: &[Fault], events_max: u32) -> Trace {
    let mut running = Running::start(program, faults, events_max);
    while !running.go_on(u64::MAX) {}
    running.into_trace()
}

/// A run in the making: for callers that have something else to do between two stretches of a long run.
pub struct Running {
    program: Rc<Program>,
    events_max: u32,
    recorder: Keeper,
    world: World,
    checkpoints: Vec<World>,
    checkpoint_at: u32,
    ended: Option<Ended>,
}

impl Running {
    /// As [`run()`], before anything has happened.
    pub fn start(program: &Rc<Program>, faults: &[Fault], events_max: u32) -> Running {
        let mut running = Running {
            program: Rc::clone(program),
            events_max,
            recorder: Keeper::default(),
            world: begin(program, faults),
            checkpoints: Vec::new(),
            checkpoint_at: checkpoint_distance(0),
            ended: None,
        };
        running.checkpoints.push(running.world.clone());
        running
    }

    fn kernel(&mut self) -> Kernel<'_> {
        Kernel {
            program: &self.program,
            world: &mut self.world,
            recorder: &mut self.recorder,
            budget: Budget::events(self.events_max),
        }
    }

    /// Goes on for about so much work (an event is some ten, an idle poll or an instruction about one). True: the run has ended.
    pub fn go_on(&mut self, work: u64) -> bool {
        let until = self.world.work_done().saturating_add(work);
        while self.ended.is_none() && self.world.work_done() < until {
            self.ended = self.kernel().turn();
            if self.world.events >= self.checkpoint_at {
                self.checkpoints.push(self.world.clone());
                self.checkpoint_at = self.world.events + checkpoint_distance(self.world.events);
            }
        }
        self.ended.is_some()
    }

    /// Work so far, as [`Running::go_on`] counts it.
    pub fn work_done(&self) -> u64 {
        self.world.work_done()
    }

    /// Events so far.
    pub fn events(&self) -> u32 {
        self.world.events
    }

    /// The trace; of a run that has not ended, one that was cut here.
    pub fn into_trace(mut self) -> Trace {
        // While it grew, each list had room for up to twice as many; a trace is kept for long.
        self.recorder.events.shrink_to_fit();
        self.recorder.gaps.shrink_to_fit();
        self.recorder.visits.shrink_to_fit();
        Trace {
            program: self.program,
            events: self.recorder.events,
            gaps: self.recorder.gaps,
            visits: self.recorder.visits,
            struck: self
                .world
                .struck
                .iter()
                .map(|struck| reached(*struck, self.world.events))
                .collect(),
            ended: self.ended.unwrap_or(Ended::Bound),
            ended_at: self.world.now,
            last: self.world,
            checkpoints: self.checkpoints,
            budget: self.events_max,
        }
    }
}

/// A strike stands at the event it brings about. A delay may outlast the run: it stands at the last event then.
fn reached(struck: Option<EventId>, events: EventId) -> Option<EventId> {
    Some(struck?.min(events.checked_sub(1)?))
}

impl Trace {
    /// The world right after an event (and whatever else happened in the same instant of the agenda).
    pub fn world_at(&self, event: EventId) -> World {
        if event.saturating_add(1) >= self.last.events {
            return self.last.clone();
        }
        let later = self.checkpoints.partition_point(|world| world.events <= event);
        let mut world = self.checkpoints[later.saturating_sub(1)].clone();
        let budget = Budget::events(self.budget);
        while world.events <= event {
            let kernel = &mut Kernel {
                program: &self.program,
                world: &mut world,
                recorder: &mut Silent,
                budget,
            };
            if kernel.turn().is_some() {
                break;
            }
        }
        world
    }

    /// The world before anything has happened.
    pub fn world_at_start(&self) -> World {
        // `run` keeps the world after its start as the first checkpoint.
        self.checkpoints[0].clone()
    }

    /// What it took to make it, counted in events: idle polls and loops without requests cost too and leave none.
    pub fn cost(&self) -> usize {
        let quiet = self.last.work_done() / Budget::WORK_AN_EVENT;
        self.events.len().max(usize::try_from(quiet).unwrap_or(usize::MAX))
    }

    /// Indices of the faults that the run did not get to.
    pub fn not_reached(&self) -> impl Iterator<Item = usize> + '_ {
        self.struck
            .iter()
            .enumerate()
            .filter(|(_, struck)| struck.is_none())
            .map(|(index, _)| index)
    }
}

/// As [`run()`], of which only the end is wanted: the world there, and why it ended.
pub fn end_of(program: &Rc<Program>, faults: &[Fault], events_max: u32) -> (World, Ended) {
    let mut world = begin(program, faults);
    let ended = run_on(program, &mut world, Budget::events(events_max));
    (world, ended)
}

/// Runs a world on to its end without keeping anything.
pub(super) fn run_on(program: &Program, world: &mut World, budget: Budget) -> Ended {
    loop {
        if let Some(ended) = (Kernel {
            program,
            world,
            recorder: &mut Silent,
            budget,
        })
        .turn()
        {
            return ended;
        }
    }
}

#[derive(Default)]
struct Keeper {
    events: Vec<Event>,
    gaps: Vec<Gap>,
    visits: Vec<Visit>,
}

impl Recorder for Keeper {
    fn event(&mut self, event: Event) {
        self.events.push(event);
    }
    fn replied(&mut self, event: EventId, at: Millis) {
        if let Some(event) = self.events.get_mut(event as usize) {
            event.replied_at = Some(at);
        }
    }
    fn idle(&mut self, event: EventId, polls: u32, until: Millis) {
        if let Some(event) = self.events.get_mut(event as usize) {
            event.kind = EventKind::Idle { polls, until };
        }
    }
    fn gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }
    fn next(&mut self, instance: InstanceId, step: &Name, visit: u32) {
        if let Some(gap) = self.gaps.iter_mut().rev().find(|gap| gap.instance == instance) {
            gap.next.get_or_insert_with(|| (step.clone(), visit));
        }
    }
    fn visit(&mut self, visit: Visit) {
        self.visits.push(visit);
    }
}

/// Keeps nothing: for branches whose end alone matters.
pub(super) struct Silent;

impl Recorder for Silent {
    fn event(&mut self, _: Event) {}
    fn replied(&mut self, _: EventId, _: Millis) {}
    fn idle(&mut self, _: EventId, _: u32, _: Millis) {}
    fn gap(&mut self, _: Gap) {}
    fn next(&mut self, _: InstanceId, _: &Name, _: u32) {}
}
