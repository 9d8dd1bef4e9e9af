//! Native benchmark: `cargo bench --bench engine`. Prints figures and ratios of one run; judges nothing.
//!
//! 1. A relay that deletes what it sent, for 1,000, 10,000 and 100,000 orders: time, ratio to the ten times smaller run, bytes an event
//!    with the whole trace kept (events, checkpoints, the last world).
//! 2. Every preset: run + verdict, and its single-crash sweep + verdicts, beside the largest.

#![allow(clippy::disallowed_types, reason = "a benchmark measures real time")]

use crashpoint::program::{Fault, Point, RESTART_DEFAULT};
use crashpoint::simulation::{run, sweep};
use crashpoint::{language, scenarios, verdict};
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Counts the bytes that are allocated at the moment.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged; the counter is only read for the report.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATED.fetch_add(size, Ordering::Relaxed);
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    growth();
    presets();
}

/// One order every 100 ms, a relay every second that sends up to 100 rows and deletes each.
fn relay(orders: u32) -> String {
    format!(
        "scenario relay
database shop
  table orders (id int primary key, total int not null)
  table outbox (id int primary key, event text not null)
broker rabbit
  queue events lease 30s
service Shop on shop
  memory n = 0
  at 0s times {orders} every 100ms
    n = n + 1
    begin
    insert into orders (id, total) values (:n, 120)
    insert into outbox (id, event) values (:n, 'OrderPlaced ' || :n)
    commit
service Relay on shop
  every 1s
    rows = select id, event from outbox order by id limit 100
    for row in rows
      publish events (id = row.id, body = row.event)
      delete from outbox where id = :row.id
service Warehouse
  receive events as m
    ack m
promise one rabbit.events for each shop.orders matching effect.id = cause.id
"
    )
}

fn growth() {
    println!(
        "a relay that deletes what it sent\n{:>8} {:>9} {:>9} {:>7} {:>13}",
        "orders", "events", "ms", "ratio", "bytes/event"
    );
    let mut before: Option<Duration> = None;
    for orders in [1_000, 10_000, 100_000] {
        let scenario = language::parse(&relay(orders)).unwrap_or_else(|found| panic!("{found:?}"));
        let allocated = ALLOCATED.load(Ordering::Relaxed);
        let start = Instant::now();
        let trace = run(&scenario.program, &[], u32::MAX);
        let took = start.elapsed();
        let bytes = ALLOCATED.load(Ordering::Relaxed) - allocated;
        let events = trace.events.len();
        let ratio = before.map_or_else(String::new, |before| {
            format!("{:.1}", took.as_secs_f64() / before.as_secs_f64())
        });
        println!(
            "{orders:>8} {events:>9} {:>9.1} {ratio:>7} {:>13.0}",
            took.as_secs_f64() * 1e3,
            bytes as f64 / events as f64
        );
        before = Some(took);
        let start = Instant::now();
        let findings = verdict::judge(&scenario, &trace.last, trace.ended);
        println!(
            "{:>18} verdict {:.1} ms, {} findings",
            "",
            start.elapsed().as_secs_f64() * 1e3,
            findings.len()
        );
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn timed(work: impl Fn()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    median((0..31).map(once).collect())
}

fn presets() {
    println!(
        "\npresets, medians of 31\n{:<10} {:>9} {:>10} {:>7}",
        "preset", "run µs", "sweep µs", "ratio"
    );
    for preset in scenarios::all() {
        let scenario = language::parse(preset.text).unwrap_or_else(|found| panic!("{}: {found:?}", preset.id));
        let faults: Vec<Fault> = scenario.faults.iter().map(|line| line.fault.clone()).collect();
        let one = timed(|| {
            let trace = run(&scenario.program, &faults, 1_000_000);
            black_box(verdict::judge(&scenario, &trace.last, trace.ended));
        });
        let crash = |point: &Point| Fault::Crash(point.clone(), Some(RESTART_DEFAULT));
        let whole = timed(|| {
            sweep(&scenario.program, &[], &crash, 1_000_000, &mut |_, world, ended| {
                black_box(verdict::judge(&scenario, world, ended));
            });
        });
        println!("{:<10} {one:>9.1} {whole:>10.1} {:>7.1}", preset.id, whole / one);
    }
}
