//! What a moving marker is measured with: the run without it, and the stops at which it can stand.
//!
//! A moving fault changes everything to its right, also the columns under the finger; the run without it stands still.
//! Refuses to know: pointers, keys, verdicts.

use crate::app::columns::Columns;
use crate::app::fault::{self, Place};
use crate::app::model::MarkerKind;
use crate::app::strikes::{Falls, Strikes};
use crate::app::view::Halves;
use crate::fact::EventId;
use crate::program::{Fault, Point, Program, Side, StepName};
use crate::simulation::Trace;
use crate::simulation::trace::{EventKind, Gap, InstanceId, Visit};
use crate::value::Name;
use std::collections::BTreeMap;

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

/// The name of a visited step. `instances` are those of the program.
pub fn step_name(program: &Program, instances: &[(usize, u16)], visit: &Visit) -> Option<StepName> {
    let (service, instance) = *instances.get(usize::from(visit.instance))?;
    let service = program.services.get(service)?;
    Some(StepName {
        service: service.name.clone(),
        instance,
        step: service.steps.get(usize::from(visit.step))?.clone(),
        visit: visit.visit,
    })
}

/// The stops of a fault in the run without it.
pub fn stops(fault: &Fault, program: &Program, trace: &Trace, columns: &Columns) -> Vec<Stop> {
    let place = fault::place(fault);
    match (Strikes::of(fault), place.step()) {
        (Some(strikes), Some(step)) => match instance(program, &step.service, step.instance) {
            Some(instance) => stops_of(&strikes, instance, program, trace, columns),
            None => Vec::new(),
        },
        _ => times(columns),
    }
}

/// Where faults of a sort can fall upon an instance.
pub fn stops_of(
    strikes: &Strikes,
    instance: InstanceId,
    program: &Program,
    trace: &Trace,
    columns: &Columns,
) -> Vec<Stop> {
    let mut stops = match strikes.falls() {
        Falls::Gaps => gaps(instance, trace, columns),
        Falls::During => visits(strikes, instance, program, trace, columns, |step| {
            Place::Point(Point {
                side: Side::During,
                step,
            })
        }),
        Falls::Steps => visits(strikes, instance, program, trace, columns, Place::Step),
    };
    spread(&mut stops);
    stops
}

/// The gaps of an instance.
fn gaps(instance: InstanceId, trace: &Trace, columns: &Columns) -> Vec<Stop> {
    let own = trace.gaps.iter().filter(|gap| gap.instance == instance);
    let stop = |gap: &Gap| Stop {
        place: Place::Point(gap.point.clone()),
        also: gap.also(),
        position: columns.gap(gap.after, gap.at),
        line: gap.line,
    };
    own.map(stop).collect()
}

/// Every step of the instance, each visit that such a fault can strike.
fn visits(
    strikes: &Strikes,
    instance: InstanceId,
    program: &Program,
    trace: &Trace,
    columns: &Columns,
    place: impl Fn(StepName) -> Place,
) -> Vec<Stop> {
    let instances = instances(program);
    let own = trace.visits.iter().filter(|visit| visit.instance == instance);
    let struck = own.filter(|visit| strikes.reaches(visit.reach));
    let mut struck: BTreeMap<(u16, u32), &Visit> = struck.map(|visit| ((visit.step, visit.visit), visit)).collect();
    // What happens to a request on its way happens when it has just been sent, however long it takes.
    let on_its_way = !matches!(strikes.kind, MarkerKind::LoseReply | MarkerKind::Refuse);
    let mut stops = Vec::new();
    for (id, event) in trace
        .events
        .iter()
        .enumerate()
        .filter(|(_, event)| event.instance == Some(instance))
    {
        let EventKind::Step { step, visit, line, .. } = event.kind else {
            continue;
        };
        let named = struck
            .remove(&(step, visit))
            .and_then(|visit| step_name(program, &instances, visit));
        let Some(named) = named else { continue };
        // A trace numbers its events with 32 bits.
        let id = id as EventId;
        stops.push(Stop {
            place: place(named),
            also: None,
            position: if on_its_way {
                columns.on_its_way(id, event)
            } else {
                columns.middle(id)
            },
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
    spread(&mut stops);
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
