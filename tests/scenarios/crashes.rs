//! Crashes other than those a preset states: one in each of its gaps, or those of another design.

use crate::finished::{BUDGET, Finished, faults, run_under, scenario};
use crashpoint::language;
use crashpoint::program::{Fault, Kind, Point, RESTART_DEFAULT};
use crashpoint::scenarios;
use crashpoint::simulation::sweep;
use crashpoint::verdict;

/// The kind a crash in each gap would bring, in the sequence of the gaps. The text's own crashes and pauses are left out, its
/// other faults (a lost acknowledgement, an outage) are not.
fn sweep_of(id: &str) -> Vec<(Point, Option<Kind>)> {
    let scenario = scenario(id);
    let mut kept = faults(&scenario);
    kept.retain(|fault| !matches!(fault, Fault::Crash(..) | Fault::Pause(..)));
    let mut cells = Vec::new();
    let crash = |point: &Point| Fault::Crash(point.clone(), Some(RESTART_DEFAULT));
    sweep(&scenario.program, &kept, &crash, BUDGET, &mut |gap, world, ended| {
        let gravest = verdict::judge(&scenario, world, ended)
            .first()
            .map(|finding| finding.kind);
        cells.push((gap.point.clone(), gravest));
    });
    assert!(!cells.is_empty(), "{id} has crash points");
    cells
}

/// The gaps of one service with the kind a crash there would bring.
pub fn strip(id: &str, service: &str) -> Vec<(String, Option<Kind>)> {
    let mut cells = sweep_of(id);
    cells.retain(|(point, _)| &*point.step.service == service);
    assert!(!cells.is_empty(), "{id}: {service} has crash points");
    cells
        .into_iter()
        .map(|(point, kind)| (point.to_string(), kind))
        .collect()
}

/// The points where a crash breaks a promise.
pub fn breaks(id: &str) -> Vec<(String, Kind)> {
    let cells = sweep_of(id).into_iter();
    cells
        .filter_map(|(point, kind)| Some((point.to_string(), kind?)))
        .collect()
}

/// The points of a service where a crash breaks a promise.
pub fn breaks_of(id: &str, service: &str) -> Vec<(String, Kind)> {
    let cells = strip(id, service).into_iter();
    cells.filter_map(|(point, kind)| Some((point, kind?))).collect()
}

/// One design under the faults that another's text states.
pub fn under_faults_of(id: &str, other: &str) -> Finished {
    let stated = faults(&scenario(other));
    run_under(scenario(id), &stated)
}

/// A preset with one more fault line.
pub fn with_fault(id: &str, line: &str) -> Finished {
    let preset = scenarios::find(id).unwrap_or_else(|| panic!("no preset {id}"));
    let text = format!("{}\n{line}\n", preset.text);
    let scenario = language::parse(&text).unwrap_or_else(|errors| panic!("{id}: {errors:?}"));
    let faults = faults(&scenario);
    run_under(scenario, &faults)
}

/// All points of a preset at which a crash breaks it, each with this kind.
pub struct Breaks {
    pub id: &'static str,
    pub kind: Kind,
    pub points: &'static [&'static str],
}

/// Compares with the sweep of each preset. Two services may reach their points at the same time, so the sequence is left open.
pub fn check_breaks(expected: &[Breaks]) {
    for Breaks { id, kind, points } in expected {
        let mut found = breaks(id);
        let mut expected: Vec<(String, Kind)> = points.iter().map(|point| ((*point).to_owned(), *kind)).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{id}");
    }
}

/// No crash breaks these.
pub fn check_unbroken(ids: &[&str]) {
    for id in ids {
        assert_eq!(breaks(id), [], "{id}");
    }
}

/// A design, the preset whose faults it meets (all of them strike), and the kinds found.
pub fn check_under_faults(cases: &[(&str, &str, &[Kind])]) {
    for (id, other, kinds) in cases {
        let finished = under_faults_of(id, other);
        let reached = finished.trace.struck.iter().all(Option::is_some);
        assert!(reached, "{id}: the faults of {other} strike");
        assert_eq!(finished.kinds(), *kinds, "{id} under the faults of {other}");
    }
}
