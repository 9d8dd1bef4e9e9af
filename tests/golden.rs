//! Golden traces and sweeps: how every preset runs, event by event, and what a crash in each of its gaps brings.
//!
//! They change only on request: `UPDATE_GOLDEN=1 cargo test --test golden`, then read the difference.
#![forbid(unsafe_code)]

mod support;

use crashpoint::program::{Fault, Point, RESTART_DEFAULT};
use crashpoint::report::SweepReport;
use crashpoint::simulation::{EVENTS_MAX, run, sweep};
use crashpoint::verdict;
use std::fmt::Write;

#[test]
fn traces() {
    for (id, scenario) in support::presets() {
        let trace = run(&scenario.program, &support::faults(&scenario), EVENTS_MAX);
        support::golden(&format!("traces/{id}.txt"), &trace.canonical());
    }
}

/// `O1 4 healthy, 1 lost`, then each crash point that is not harmless.
#[test]
fn sweeps() {
    let mut text = String::new();
    for (id, scenario) in support::presets() {
        let mut report = SweepReport::new(&scenario);
        let faults = support::faults_of_a_sweep(&scenario);
        let crash = |point: &Point| Fault::Crash(point.clone(), Some(RESTART_DEFAULT));
        sweep(
            &scenario.program,
            &faults,
            &crash,
            EVENTS_MAX,
            &mut |gap, world, ended| {
                report.add(&gap.point, verdict::judge(&scenario, world, ended).first());
            },
        );
        let counts: Vec<String> = report
            .counts
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        writeln!(text, "{id} {}", counts.join(", ")).expect("a String takes everything");
        for point in report.points.iter().filter(|point| point.verdict != "healthy") {
            writeln!(text, "  {} {}", point.verdict, point.point).expect("a String takes everything");
        }
    }
    support::golden("sweeps.txt", &text);
}
