//! Design by crash point: what one crash at each point brings, instead of the reader's crashes and beside the other faults.
//!
//! Computed by the sweep, bounded as the strips are: what would take too long is left open and shown as such.
//! Refuses to know: words, positions on a screen.

use super::Design;
use crate::app::played::{EVENTS_AT_ONCE, Played};
use crate::app::survey;
use crate::program::{Fault, Point, RESTART_DEFAULT};
use crate::simulation;
use crate::simulation::trace::Ended;
use crate::value::{Millis, Name};
use crate::verdict::{self, Finding};
use std::rc::Rc;

/// Events of all tried runs of one design together at most: some 100 ms in Wasm.
const WORK_MAX: usize = 20_000;

/// Points that are shown at most.
const POINTS_MAX: usize = 120;

/// Points of one design that are kept at most. One with more of them is too long to be tried.
const KEPT_MAX: usize = 200;

/// What one crash at each point of a design brings.
#[derive(Clone, Debug)]
pub struct Swept {
    /// The faults beside the crash.
    beside: Vec<Fault>,
    restart: Option<Millis>,
    /// In the sequence of the run without a crash.
    pub crashes: Vec<Crash>,
    /// Later ones that are not among them.
    pub more: usize,
}

#[derive(Clone, Debug)]
pub struct Crash {
    pub point: Point,
    /// The other name of the same gap: *before* the next step.
    also: Option<Point>,
    pub found: Found,
}

/// What came of a crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It was not computed.
    Pending,
    Healthy,
    /// The gravest finding.
    Finding(Box<Finding>),
}

impl Swept {
    pub fn of(played: &Played) -> Swept {
        let (beside, restart) = beside(played);
        let program = played.program();
        let without = simulation::run(program, &beside, EVENTS_AT_ONCE);
        let mut crashes: Vec<Crash> = without
            .gaps
            .iter()
            .take(KEPT_MAX)
            .map(|gap| Crash {
                point: gap.point.clone(),
                also: gap.also(),
                found: Found::Pending,
            })
            .collect();
        let is_whole = without.ended != Ended::Bound && without.gaps.len() <= KEPT_MAX;
        if is_whole && crashes.len().saturating_mul(without.cost()) <= WORK_MAX {
            let crash = |point: &Point| Fault::Crash(point.clone(), restart);
            let budget = survey::events_max(without.events.len());
            // Gaps come in the sequence of the trace, and the crashes were made in it.
            let mut next = crashes.iter_mut();
            simulation::sweep(program, &beside, &crash, budget, &mut |_, world, ended| {
                if let (Some(crash), false) = (next.next(), ended == Ended::Bound) {
                    let gravest = verdict::judge(&played.scenario, world, ended).into_iter().next();
                    crash.found = gravest.map_or(Found::Healthy, |finding| Found::Finding(Box::new(finding)));
                }
            });
        }
        Swept {
            beside,
            restart,
            more: without.gaps.len() - crashes.len(),
            crashes,
        }
    }

    /// It was computed with the same faults; whether the design is the same, the caller knows.
    pub fn is_of(&self, played: &Played) -> bool {
        beside(played) == (self.beside.clone(), self.restart)
    }

    /// The crash at a point, by either of its names.
    pub fn at(&self, point: &Point) -> Option<&Crash> {
        let is_there = |crash: &&Crash| crash.point == *point || crash.also.as_ref() == Some(point);
        self.crashes.iter().find(is_there)
    }
}

/// The faults that are no crashes, and after how long a crash ends: as the first of the reader's does.
fn beside(played: &Played) -> (Vec<Fault>, Option<Millis>) {
    let is_crash = |fault: &Fault| matches!(fault, Fault::Crash(..));
    let faults = played.bare_faults();
    (
        faults.iter().filter(|fault| !is_crash(fault)).cloned().collect(),
        restart(&faults),
    )
}

/// After how long a process is started again; none: never.
pub fn restart(faults: &[Fault]) -> Option<Millis> {
    let first = faults.iter().find_map(|fault| match fault {
        Fault::Crash(_, restart) => Some(*restart),
        _ => None,
    });
    first.unwrap_or(Some(RESTART_DEFAULT))
}

/// The crash points of all designs, those of one instance side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub groups: Vec<Group>,
    /// Points that are not among them.
    pub more: usize,
}

/// The crash points of one instance in a sequence that suits every design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub service: Name,
    pub instance: u16,
    pub points: Vec<Point>,
}

impl Places {
    /// The points that have been computed or are at least known.
    pub fn of(designs: &[Rc<Design>]) -> Places {
        let mut groups: Vec<Group> = Vec::new();
        for swept in designs.iter().filter_map(|design| design.swept.as_deref()) {
            for crash in &swept.crashes {
                let step = &crash.point.step;
                if !groups.iter().any(|group| group.is_of(&crash.point)) {
                    let place = groups
                        .iter()
                        .rposition(|group| group.service == step.service && group.instance < step.instance);
                    groups.insert(
                        place.map_or(groups.len(), |place| place + 1),
                        Group {
                            service: step.service.clone(),
                            instance: step.instance,
                            points: Vec::new(),
                        },
                    );
                }
            }
            for group in &mut groups {
                let own = swept.crashes.iter().map(|crash| &crash.point);
                let own: Vec<&Point> = own.filter(|point| group.is_of(point)).collect();
                merge(&mut group.points, &own);
            }
        }
        let swept = designs.iter().filter_map(|design| design.swept.as_deref());
        let mut places = Places {
            more: swept.map(|swept| swept.more).sum(),
            groups,
        };
        places.shorten();
        places
    }

    /// Where there are too many, the parties that have most lose most.
    fn shorten(&mut self) {
        let shown =
            |groups: &[Group], each: usize| groups.iter().map(|group| group.points.len().min(each)).sum::<usize>();
        let before = shown(&self.groups, usize::MAX);
        self.groups.truncate(POINTS_MAX);
        let each = (1..=POINTS_MAX)
            .rev()
            .find(|each| shown(&self.groups, *each) <= POINTS_MAX);
        for group in &mut self.groups {
            group.points.truncate(each.unwrap_or(1));
        }
        self.more += before - shown(&self.groups, usize::MAX);
    }
}

impl Group {
    fn is_of(&self, point: &Point) -> bool {
        self.service == point.step.service && self.instance == point.step.instance
    }
}

/// Adds a design's points to those of the others: what is new stands behind the point it follows in its own design.
fn merge(all: &mut Vec<Point>, own: &[&Point]) {
    let mut place = 0;
    for point in own {
        match all.iter().position(|known| known == *point) {
            Some(known) => place = place.max(known + 1),
            None => {
                all.insert(place, (*point).clone());
                place += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Side, StepName};

    fn points(steps: &str) -> Vec<Point> {
        let point = |step: &str| Point {
            side: Side::After,
            step: StepName {
                service: "A".into(),
                instance: 1,
                step: step.into(),
                visit: 1,
            },
        };
        steps.split(' ').map(point).collect()
    }

    fn merged(designs: &[&str]) -> String {
        let mut all = Vec::new();
        for design in designs {
            let own = points(design);
            merge(&mut all, &own.iter().collect::<Vec<&Point>>());
        }
        let names: Vec<&str> = all.iter().map(|point| &*point.step.step).collect();
        names.join(" ")
    }

    #[test]
    fn what_one_design_has_more_stands_where_it_does_it() {
        assert_eq!(
            merged(&["begin insert commit", "begin insert note commit"]),
            "begin insert note commit"
        );
        assert_eq!(
            merged(&["select publish mark", "select mark publish"]),
            "select publish mark"
        );
        assert_eq!(merged(&["b c", "a b", "c d"]), "a b c d");
    }
}
