//! What a search costs, as ratios within one run: against the same runs made one by one, and against a model checker.

#![allow(clippy::disallowed_types, reason = "a benchmark measures real time")]

#[path = "../tests/oracle/model.rs"]
mod model;
#[path = "../tests/oracle/scenario.rs"]
mod scenario;

use crashpoint::program::{Fault, Scenario};
use crashpoint::simulation::{Enough, Explorer, FaultKind, Found, Plan, World, end_of};
use crashpoint::{language, scenarios, search, verdict};
use std::time::{Duration, Instant};

/// Events of one run at most; endless runs would drown all others.
const EVENTS_MAX: u32 = 5_000;
/// Each figure is the median of so many.
const TIMES: usize = 5;

/// The parts named, or both.
fn main() {
    let parts: [(&str, fn()); 2] = [("sharing", sharing), ("checker", checker)];
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for (name, part) in parts {
        if asked.is_empty() || asked.iter().any(|word| word == name) {
            part();
        }
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn timed<T>(work: impl Fn() -> T) -> (T, Duration) {
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let result = work();
        times.push(start.elapsed());
        if times.len() == TIMES {
            return (result, median(times));
        }
    }
}

/// Every set of so many crashes of every preset: with shared beginnings and recognised worlds, and each run by itself.
fn sharing() {
    println!("sets of crashes over all presets (aim: singles 0.6, pairs 0.45 of the same runs one by one)");
    let presets: Vec<Scenario> = scenarios::all()
        .iter()
        .filter_map(|preset| language::parse(preset.text).ok())
        .collect();
    let sizes: [(&[usize], &str); 3] = [(&[1], "singles"), (&[2], "pairs"), (&[0, 1, 2], "none, singles, pairs")];
    for (faults, name) in sizes {
        let (mut together, mut alone, mut sets) = (Duration::ZERO, Duration::ZERO, 0);
        let mut ratios = Vec::new();
        for scenario in &presets {
            let (found, shared) = timed(|| explored(scenario, faults));
            let ((), single) = timed(|| {
                for faults in &found {
                    let (world, ended) = end_of(&scenario.program, faults, EVENTS_MAX);
                    std::hint::black_box(verdict::judge(scenario, &world, ended));
                }
            });
            if !found.is_empty() {
                ratios.push(shared.as_secs_f64() / single.as_secs_f64());
            }
            together += shared;
            alone += single;
            sets += found.len();
        }
        ratios.sort_by(f64::total_cmp);
        println!(
            "  {name}: {sets} sets, {:.2} in all, {:.2} at the median preset ({:.1} ms against {:.1} ms)",
            together.as_secs_f64() / alone.as_secs_f64(),
            ratios[ratios.len() / 2],
            together.as_secs_f64() * 1e3,
            alone.as_secs_f64() * 1e3,
        );
    }
}

fn explored(scenario: &Scenario, sizes: &[usize]) -> Vec<Vec<Fault>> {
    let plan = Plan {
        kinds: vec![FaultKind::Crash],
        faults: 0,
        standing: Vec::new(),
        events_max: EVENTS_MAX,
        compared: search::compared(scenario),
        orders: false,
        reduce: true,
        recognise: true,
    };
    let mut explorer = Explorer::new(&scenario.program, plan);
    let mut sets = Vec::new();
    let mut judge = |world: &World, ended| verdict::judge(scenario, world, ended).len();
    let mut each = |found: &Found<usize>| {
        sets.push(found.faults.clone());
        Enough::No
    };
    for faults in sizes {
        explorer.begin_anew(*faults);
        while !explorer.go_on(u64::MAX, &mut judge, &mut each) {}
    }
    sets
}

/// Outbox and inbox, all orders, up to two crashes: the whole question.
fn checker() {
    println!("outbox and inbox, every order, up to two crashes (aim: a ratio below 1 at equal outcomes)");
    for orders in 3..=model::ORDERS_MAX {
        let start = Instant::now();
        let (expected, states) = model::Outbox::new(orders, 2).outcomes();
        let checked = start.elapsed();
        let text = scenario::scenario(orders);
        let start = Instant::now();
        let (found, counts) = scenario::outcomes(&text, orders, 2, true);
        let ours = start.elapsed();
        assert_eq!(found, expected, "the outcomes differ with {orders} orders");
        println!(
            "  {orders} orders: {} outcomes, ratio {:.2} ({:.2} s with {} runs and {} worlds; model checker {:.2} s, {states} states)",
            found.len(),
            ours.as_secs_f64() / checked.as_secs_f64(),
            ours.as_secs_f64(),
            counts.runs,
            counts.worlds,
            checked.as_secs_f64(),
        );
    }
}
