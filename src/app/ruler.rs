//! What a moving marker is measured with: the run without it, and the stops at which it can stand.
//!
//! A moving fault changes everything to its right, also the columns under the finger; the run without it stands still.
//! Refuses to know: pointers, keys, verdicts.

use crate::app::columns::Columns;
use crate::app::fault::{self, Place};
use crate::app::view::Halves;
use crate::fact::EventId;
use crate::program::{Fault, Point, Program, Side, StepName};
use crate::simulation::Trace;
use crate::simulation::trace::{Event, EventKind, InstanceId};
use crate::value::Name;

/// A place where the marker can stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub place: Place,
    /// The other name of the same gap.
    pub also: Option<Point>,
    pub position: Halves,
    /// Line of the step that the place is named after; 0 for a time.
    pub line: u32,
}

/// The instances of a program: service index and number (from 1), by [`InstanceId`].
pub fn instances(program: &Program) -> Vec<(usize, u16)> {
    let numbered = program.services.iter().enumerate();
    numbered
        .flat_map(|(index, service)| (1..=service.instances).map(move |number| (index, number)))
        .collect()
}

/// The instance a step name speaks of.
pub fn instance(program: &Program, service: &Name, number: u16) -> Option<InstanceId> {
    let mut before: InstanceId = 0;
    for candidate in &program.services {
        if candidate.name == *service {
            return (1..=candidate.instances).contains(&number).then(|| before + number - 1);
        }
        before += candidate.instances;
    }
    None
}

/// The stops of a fault in the run without it.
pub fn stops(fault: &Fault, program: &Program, trace: &Trace, columns: &Columns) -> Vec<Stop> {
    let strikes_at = |id, event: &Event| match fault {
        // What happens to a request on its way happens when it has just been sent, however long it takes.
        Fault::Crash(..) | Fault::Pause(..) | Fault::LoseRequest(_) | Fault::Delay(..) => columns.on_its_way(id, event),
        _ => columns.middle(id),
    };
    let mut stops = match fault::place(fault) {
        Place::Point(Point {
            side: Side::During,
            step,
        }) => steps(&step, program, trace, strikes_at, |step| {
            Place::Point(Point {
                side: Side::During,
                step,
            })
        }),
        Place::Point(Point { step, .. }) => match instance(program, &step.service, step.instance) {
            Some(instance) => gaps(instance, trace, columns),
            None => Vec::new(),
        },
        Place::Step(step) => steps(&step, program, trace, strikes_at, Place::Step),
        Place::At(_) => times(columns),
    };
    spread(&mut stops);
    stops
}

/// The gaps of an instance: where a crash can fall.
pub fn gaps(instance: InstanceId, trace: &Trace, columns: &Columns) -> Vec<Stop> {
    let own = trace.gaps.iter().filter(|gap| gap.instance == instance);
    let mut stops: Vec<Stop> = own
        .map(|gap| Stop {
            place: Place::Point(gap.point.clone()),
            also: gap.also(),
            position: columns.gap(gap.after, gap.at),
            line: gap.line,
        })
        .collect();
    spread(&mut stops);
    stops
}

/// Every step of the instance that `of` names, each visit.
fn steps(
    of: &StepName,
    program: &Program,
    trace: &Trace,
    position: impl Fn(EventId, &Event) -> Halves,
    place: impl Fn(StepName) -> Place,
) -> Vec<Stop> {
    let Some(instance) = instance(program, &of.service, of.instance) else {
        return Vec::new();
    };
    let Some(service) = program.services.iter().find(|service| service.name == of.service) else {
        return Vec::new();
    };
    let mut stops = Vec::new();
    for (id, event) in trace.events.iter().enumerate() {
        let EventKind::Step { step, visit, line, .. } = event.kind else {
            continue;
        };
        if event.instance != Some(instance) || visit == 0 {
            continue;
        }
        let Some(name) = service.steps.get(usize::from(step)) else {
            continue;
        };
        let named = StepName {
            service: of.service.clone(),
            instance: of.instance,
            step: name.clone(),
            visit,
        };
        stops.push(Stop {
            place: place(named),
            also: None,
            // A trace numbers its events with 32 bits.
            position: position(id as u32, event),
            line,
        });
    }
    stops
}

/// Every instant at which something happens.
fn times(columns: &Columns) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    for column in columns.iter().filter(|column| column.event.is_some()) {
        let place = Place::At(column.at);
        if stops.last().is_some_and(|last| last.place == place) {
            continue;
        }
        let position = columns.at_time(column.at - 1);
        stops.push(Stop {
            place,
            also: None,
            position,
            line: 0,
        });
    }
    stops
}

/// Keeps stops apart: each stands at least half a column right of the one before.
fn spread(stops: &mut [Stop]) {
    let mut least = Halves::MIN;
    for stop in stops {
        stop.position = stop.position.max(least);
        least = stop.position + 1;
    }
}

/// The stop a fault stands on, by either name of its gap.
pub fn stop_of(fault: &Fault, stops: &[Stop]) -> Option<usize> {
    let place = fault::place(fault);
    stops.iter().position(|stop| match &place {
        Place::Point(point) => stop.place == place || stop.also.as_ref() == Some(point),
        Place::Step(_) => stop.place == place,
        Place::At(at) => matches!(stop.place, Place::At(other) if other >= *at),
    })
}

/// The stop nearest to a position; the earlier one of two. None without stops.
pub fn nearest(stops: &[Stop], position: Halves) -> Option<usize> {
    let distances = stops.iter().map(|stop| stop.position.abs_diff(position));
    distances
        .enumerate()
        .min_by_key(|(_, distance)| *distance)
        .map(|(index, _)| index)
}
