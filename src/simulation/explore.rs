//! Runs under every set of so many faults: one run, branched wherever another fault can strike, each branch branched anew.
//!
//! A set of faults is a path: in a run under the set one fault strikes first, and up to there the run is that without faults;
//! then the next. So each set is come by once, and the sets that begin alike share the run up to where they part (a branch is a
//! clone of the world from just before). A world that equals one from which everything was tried already is not run again
//! (`seen`), be it one of a smaller set. Depth first: what is kept is one world for each fault of the set that is being tried.
//!
//! Where every order of simultaneous entries of the agenda is asked for, a run branches also where another order can matter
//! (`orders`).
//!
//! Refuses to know: what an end is worth. A caller judges it.

mod candidates;
mod orders;
mod seen;
mod touches;

pub use candidates::{DURATION_DEFAULT, FaultKind};
pub use orders::Swap;
pub use seen::KEPT_MAX;

use super::agenda::Key;
use super::fault::Armed;
use super::fingerprint::FactsTaken;
use super::kernel::{Budget, Kernel, Recorder, begin};
use super::run::Silent;
use super::trace::Ended;
use super::world::World;
use crate::program::{Fault, Program, Relation};
use crate::value::Millis;
use candidates::Places;
use orders::Orders;
use seen::{Look, Mark, Seen};
use std::rc::Rc;

/// Work after which a world is compared again, at first; then after so much more each time: branches that have not met for long
/// rarely do.
const LOOK_AGAIN: u64 = 20;

/// That part of all work may be spent on comparisons without success.
const LOOKING_SHARE: u64 = 32;

/// Milliseconds without anything on the agenda after which a world is compared with those that have been seen.
const CALM: Millis = 100;

/// What is to be tried.
#[derive(Clone, Debug)]
pub struct Plan {
    pub kinds: Vec<FaultKind>,
    /// Faults of each set.
    pub faults: usize,
    /// Faults that every run has.
    pub standing: Vec<Fault>,
    /// Events of one run at most.
    pub events_max: u32,
    /// The groups of relations whose facts are compared with one another when an end is judged.
    pub compared: Vec<Vec<Relation>>,
    /// Every order of simultaneous entries, too. Then only sets whose runs were made are reported: every end of a world that had
    /// been seen has been reported for another set.
    pub orders: bool,
    /// False: also orders of entries that commute are tried. For tests.
    pub reduce: bool,
    /// False: worlds are not compared. For tests.
    pub recognise: bool,
}

/// A set of faults, in the sequence in which they strike, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<V> {
    pub faults: Vec<Fault>,
    /// Where it took another order of simultaneous entries than a run by itself takes; not known of a world that had been seen.
    pub order: Vec<Swap>,
    pub worth: V,
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs that were made to their end.
    pub runs: u64,
    /// Sets whose end is known because the world was one that had been seen; with every order, how often one had been seen.
    pub recognised: u64,
    /// First parts of sets (all faults but the last) from which every last fault has been tried.
    pub expanded: u64,
    /// Worlds that are kept to be recognised.
    pub worlds: usize,
    /// Work done: events count some ten, see [`super::Running::go_on`].
    pub work: u64,
}

/// What comparing worlds has cost, and what it has saved.
#[derive(Clone, Copy, Debug, Default)]
struct Looking {
    spent: u64,
    saved: u64,
}

impl Looking {
    /// A world with few faults is always worth a look: it is one of few, and many may come to meet it. Others are compared as
    /// long as that saves more than it costs; some of the work is spent on finding out.
    fn pays(self, faults: usize, left: usize, work: u64) -> bool {
        left > 0 || faults < 2 || self.spent <= self.saved + work / LOOKING_SHARE
    }
}

/// The exploration of one plan.
pub struct Explorer<V> {
    program: Rc<Program>,
    plan: Plan,
    budget: Budget,
    orders: Option<Orders>,
    /// Of a run that has not begun.
    no_facts: Rc<FactsTaken>,
    looking: Looking,
    /// Some of the kinds strike in turns that open no gap.
    anywhere: bool,
    stack: Vec<Frame<V>>,
    seen: Seen<V>,
    counts: Counts,
}

/// A run that is being made.
struct Frame<V> {
    world: World,
    /// As far as they were taken down when the world was last compared.
    facts: Rc<FactsTaken>,
    /// Added to the standing ones.
    faults: Vec<Fault>,
    /// Faults that may still be added.
    left: usize,
    /// In its first turn the fault strikes for which it was branched off; what could have struck before is no business of its.
    passed: usize,
    /// The world before the last turn, and what could have struck in it.
    before: Option<World>,
    candidates: std::vec::IntoIter<(usize, Fault)>,
    /// Entries of the agenda that may have to go first instead of the one that has.
    alternatives: std::vec::IntoIter<Key>,
    /// Has branched off and not made a turn. Its first turn's alternatives are its parent's.
    new: bool,
    order: Vec<Swap>,
    /// There were several orders, and another one may have led to the same world.
    meets: bool,
    /// It goes on from a parent in another order.
    reordered: bool,
    /// Sets found so far, and the list of them where they are listed.
    sets: u64,
    found: Vec<Rc<Found<V>>>,
    marks: Vec<Mark>,
    /// The work done when the world may be compared again, and how much after that.
    look_at: u64,
    look_after: u64,
}

impl<V: Clone> Explorer<V> {
    pub fn new(program: &Rc<Program>, plan: Plan) -> Explorer<V> {
        let faults = plan.faults;
        let budget = Budget::events(plan.events_max);
        let compared = orders::merged(&plan.compared);
        let mut explorer = Explorer {
            program: Rc::clone(program),
            orders: plan
                .orders
                .then(|| Orders::new(program, &compared, &plan.kinds, budget)),
            no_facts: Rc::new(FactsTaken::new(program, &compared)),
            looking: Looking::default(),
            anywhere: plan
                .kinds
                .iter()
                .any(|kind| !matches!(kind, FaultKind::Crash | FaultKind::Pause)),
            plan,
            budget,
            stack: Vec::new(),
            seen: Seen::default(),
            counts: Counts::default(),
        };
        explorer.begin_anew(faults);
        explorer
    }

    pub fn counts(&self) -> Counts {
        Counts {
            worlds: self.seen.worlds(),
            ..self.counts
        }
    }

    /// Begins anew, with sets of so many faults; the worlds that were seen are still known.
    pub fn begin_anew(&mut self, faults: usize) {
        self.plan.faults = faults;
        self.counts = Counts::default();
        let world = begin(&self.program, &self.plan.standing);
        self.stack = vec![Frame {
            new: false,
            ..Frame::new(world, Rc::clone(&self.no_facts), Vec::new(), faults, 0)
        }];
    }

    /// No more worlds can be kept: what is left would be tried without recognising any, and might take for ever.
    pub fn is_full(&self) -> bool {
        self.seen.is_full()
    }

    /// Goes on for about so much work, or until `each` says that it is enough. `judge` says what an end is worth, once for all ends
    /// with the same facts and the same left; `each` gets every set of faults that was tried. True: everything has been tried.
    pub fn go_on(
        &mut self,
        work: u64,
        judge: &mut dyn FnMut(&World, Ended) -> V,
        each: &mut dyn FnMut(&Found<V>) -> Enough,
    ) -> bool {
        let until = self.counts.work.saturating_add(work);
        while let Some(frame) = self.stack.last_mut() {
            if self.counts.work >= until || self.seen.is_full() {
                return false;
            }
            if let Some((index, fault)) = frame.candidates.next() {
                let branch = frame.branch(&self.program, index, fault);
                self.stack.push(branch);
                continue;
            }
            if let Some(key) = frame.alternatives.next() {
                let branch = frame.in_other_order(&self.program, key);
                self.stack.push(branch);
                continue;
            }
            let mut heard = Heard { each, enough: false };
            let over = self.advance(judge, &mut heard);
            let enough = heard.enough;
            if over {
                self.finish();
            }
            if enough {
                return false;
            }
        }
        true
    }

    /// Some turns of the frame on top. True: it is at its end, or goes on as one that was seen.
    fn advance(&mut self, judge: &mut dyn FnMut(&World, Ended) -> V, heard: &mut Heard<V>) -> bool {
        let Some(frame) = self.stack.last_mut() else {
            return true;
        };
        if self.plan.recognise
            && (frame.meets || frame.is_calm() && self.looking.pays(frame.faults.len(), frame.left, self.counts.work))
        {
            frame.meets = false;
            let extent = frame.extent();
            self.looking.spent += extent;
            self.counts.work += extent;
            Rc::make_mut(&mut frame.facts).go_on(&frame.world);
            let look = frame.look(self.plan.orders, self.counts.work);
            match self.seen.look(&self.program, look) {
                seen::Known::Yes {
                    sets,
                    found: known,
                    work,
                } => {
                    self.looking.saved += work;
                    // Sets in all their orders would be too many to count.
                    let sets = if self.orders.is_some() { 1 } else { sets };
                    self.counts.recognised += sets;
                    frame.sets += sets;
                    known.iter().for_each(|found| heard.hear(found));
                    frame.found.extend(known);
                    return true;
                }
                seen::Known::Not(mark) => frame.marks.extend(mark),
            }
            frame.look_later();
        }
        let branches = frame.left > 0 && (self.anywhere || frame.world.agenda.next_may_open_gap());
        let tied = self.orders.is_some() && frame.world.agenda.is_tied();
        let before = (branches || tied).then(|| frame.world.clone());
        let done = frame.world.work_done();
        let ended = if branches {
            let mut places = Places::default();
            let ended = frame.turn(&self.program, self.budget, &mut places);
            let candidates = places.candidates(&self.program, &self.plan.kinds);
            let passed = std::mem::take(&mut frame.passed);
            let candidates: Vec<(usize, Fault)> = candidates.into_iter().enumerate().skip(passed).collect();
            frame.candidates = candidates.into_iter();
            ended
        } else {
            frame.turn(&self.program, self.budget, &mut Silent)
        };
        self.counts.work += frame.world.work_done() - done;
        if std::mem::take(&mut frame.new) {
            frame.meets = frame.reordered;
        } else if let (Some(orders), Some(before)) = (&self.orders, &before) {
            let alternatives = match self.plan.reduce {
                true => orders.alternatives(&self.program, before, &frame.world, frame.left > 0),
                false => before.coming().into_iter().skip(1).map(|(key, _)| key).collect(),
            };
            frame.meets = tied && !(alternatives.is_empty() && frame.order.is_empty());
            frame.alternatives = alternatives.into_iter();
        }
        frame.before = before;
        let Some(ended) = ended else { return false };
        if frame.left == 0 && frame.all_struck(self.plan.standing.len()) {
            self.counts.runs += 1;
            let worth = match self.plan.recognise {
                true => {
                    Rc::make_mut(&mut frame.facts).go_on(&frame.world);
                    let end = frame.world.end_fingerprint(ended, &frame.facts);
                    self.seen.worth_of(end, || judge(&frame.world, ended))
                }
                false => judge(&frame.world, ended),
            };
            frame.sets += 1;
            let found = Rc::new(Found {
                faults: frame.faults.clone(),
                order: frame.order.clone(),
                worth,
            });
            heard.hear(&found);
            if self.orders.is_none() {
                frame.found.push(found);
            }
        }
        true
    }

    fn finish(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        self.counts.expanded += u64::from(frame.left == 1);
        let sets = frame.sets;
        let found = self.seen.keep(frame.marks, sets, frame.found, self.counts.work);
        // What was found from the start, without any fault, nobody asks for again.
        if let Some(parent) = self.stack.last_mut() {
            parent.sets += sets;
        }
        if let Some(parent) = self.stack.last_mut().filter(|parent| !parent.faults.is_empty()) {
            parent.found.extend(found.iter().cloned());
        }
    }
}

impl<V> Frame<V> {
    fn new(world: World, facts: Rc<FactsTaken>, faults: Vec<Fault>, left: usize, passed: usize) -> Frame<V> {
        Frame {
            world,
            facts,
            faults,
            left,
            passed,
            before: None,
            candidates: Vec::new().into_iter(),
            alternatives: Vec::new().into_iter(),
            new: true,
            order: Vec::new(),
            meets: false,
            reordered: false,
            sets: 0,
            found: Vec::new(),
            marks: Vec::new(),
            look_at: 0,
            look_after: LOOK_AGAIN,
        }
    }

    /// The run that has this fault too: the `index`th that could have struck in the last turn.
    fn branch(&self, program: &Program, index: usize, fault: Fault) -> Frame<V> {
        // Candidates come from a turn before which the world was kept.
        let mut world = self.before.as_ref().unwrap_or(&self.world).clone();
        world.arm(program, &fault);
        let mut faults = self.faults.clone();
        faults.push(fault);
        Frame {
            order: self.order.clone(),
            ..Frame::new(world, Rc::clone(&self.facts), faults, self.left - 1, index + 1)
        }
    }

    /// The run in which another entry of the last instant goes first.
    fn in_other_order(&self, program: &Program, key: Key) -> Frame<V> {
        let mut world = self.before.as_ref().unwrap_or(&self.world).clone();
        let mut order = self.order.clone();
        order.push(Swap::before(program, &world, key));
        world.agenda.bring_forward(key);
        Frame {
            order,
            reordered: true,
            ..Frame::new(world, Rc::clone(&self.facts), self.faults.clone(), self.left, 0)
        }
    }

    fn turn(&mut self, program: &Program, budget: Budget, recorder: &mut dyn Recorder) -> Option<Ended> {
        Kernel {
            program,
            world: &mut self.world,
            recorder,
            budget,
        }
        .turn()
    }

    /// The faults added have all struck: else it is a smaller set, which has been tried.
    fn all_struck(&self, standing: usize) -> bool {
        self.world.struck[standing..].iter().all(Option::is_some)
    }

    /// Nothing happens for a while: a good time to look whether the world is a known one, since branches meet when things have
    /// calmed down. Nobody meets a world that has all its faults before it.
    fn is_calm(&self) -> bool {
        let next = self.world.agenda.next_at();
        let meets = self.left == 0 || !self.faults.is_empty();
        let calm = meets && next.is_some_and(|at| at - self.world.now >= CALM);
        calm && self.world.work_done() >= self.look_at && self.world.last_fault_has_struck()
    }

    fn look_later(&mut self) {
        self.look_at = self.world.work_done() + self.look_after;
        self.look_after += LOOK_AGAIN;
    }

    /// About how much there is to take down: what a comparison costs, in the work of a run.
    fn extent(&self) -> u64 {
        (self.world.agenda.len() + self.world.tasks.size() + self.facts.missing(&self.world)) as u64
    }

    fn look(&self, any_order: bool, work: u64) -> Look<'_> {
        Look {
            work,
            world: &self.world,
            facts: &self.facts,
            any_order,
            left: self.left,
            faults: &self.faults,
            sets: self.sets,
            found: self.found.len(),
        }
    }
}

impl World {
    /// One more fault. It must stand at a point that has not been passed.
    pub(super) fn arm(&mut self, program: &Program, fault: &Fault) {
        Rc::make_mut(&mut self.armed).push(Armed::resolve(program, fault));
        Rc::make_mut(&mut self.struck).push(None);
    }
}

/// Whom to tell of what is found.
struct Heard<'a, V> {
    each: &'a mut dyn FnMut(&Found<V>) -> Enough,
    enough: bool,
}

impl<V> Heard<'_, V> {
    fn hear(&mut self, found: &Found<V>) {
        self.enough |= (self.each)(found) == Enough::Yes;
    }
}

/// Whether a caller has heard enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enough {
    No,
    Yes,
}
