//! Native benchmark: `cargo bench --bench engine`. Prints figures and ratios of one run; judges nothing.
//!
//! 1. Relays, for 1,000, 10,000 and 100,000 orders: time, ratio to the ten times smaller run, bytes an event with the whole
//!    trace kept (events, gaps, checkpoints, the last world), and the verdict. Aims for the relay that deletes what it sent: the
//!    ratio at most 12, at most 400 bytes an event.
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
    let sizes = [1_000, 10_000, 100_000];
    growth("a relay that deletes what it sent", Relay::deletes, &sizes);
    growth("the same, and nobody acknowledges", Relay::unacknowledged, &sizes);
    // Each pass looks at every row that was ever marked, as without an index for those that were not: the square.
    growth("a relay that marks what it sent", Relay::marks, &sizes[..2]);
    presets();
}

/// One order every 100 ms, and a relay that sends up to 100 rows every second.
struct Relay {
    orders: u32,
    /// Of the scenario's head.
    until: String,
    lease: String,
    /// Which rows are to be sent.
    which: &'static str,
    /// What becomes of a row that was sent.
    sent: &'static str,
    /// What becomes of a message that was received.
    received: &'static str,
}

impl Relay {
    fn deletes(orders: u32) -> Relay {
        Relay {
            orders,
            until: String::new(),
            lease: "30s".into(),
            which: "",
            sent: "delete from outbox where id = :row.id",
            received: "ack m",
        }
    }

    /// A lease longer than the run: every message stays in flight.
    fn unacknowledged(orders: u32) -> Relay {
        let run = orders / 10 + 100;
        Relay {
            until: format!("until {run}s"),
            lease: format!("{}s", 2 * run),
            received: "ignored = m.id",
            ..Relay::deletes(orders)
        }
    }

    fn marks(orders: u32) -> Relay {
        Relay {
            which: "where not sent",
            sent: "update outbox set sent = true where id = :row.id",
            ..Relay::deletes(orders)
        }
    }

    fn text(&self) -> String {
        let Relay {
            orders,
            until,
            lease,
            which,
            sent,
            received,
        } = self;
        format!(
            "scenario relay
  {until}
database shop
  table orders (id int primary key, total int not null)
  table outbox (id int primary key, event text not null, sent boolean not null default false)
broker rabbit
  queue events lease {lease}
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
    rows = select id, event from outbox {which} order by id limit 100
    for row in rows
      publish events (id = row.id, body = row.event)
      {sent}
service Warehouse
  receive events as m
    {received}
promise one rabbit.events for each shop.orders matching effect.id = cause.id
"
        )
    }
}

/// Time and memory of a scenario at several sizes.
fn growth(name: &str, relay: impl Fn(u32) -> Relay, sizes: &[u32]) {
    println!(
        "{name}\n{:>8} {:>9} {:>9} {:>7} {:>13} {:>11} {:>9}",
        "orders", "events", "ms", "ratio", "bytes/event", "verdict ms", "findings"
    );
    let mut before: Option<Duration> = None;
    for orders in sizes {
        let scenario = language::parse(&relay(*orders).text()).unwrap_or_else(|found| panic!("{found:?}"));
        let allocated = ALLOCATED.load(Ordering::Relaxed);
        let start = Instant::now();
        let trace = run(&scenario.program, &[], u32::MAX);
        let took = start.elapsed();
        let bytes = ALLOCATED.load(Ordering::Relaxed) - allocated;
        let events = trace.events.len();
        let ratio = before.map_or_else(String::new, |before| {
            format!("{:.1}", took.as_secs_f64() / before.as_secs_f64())
        });
        let start = Instant::now();
        let findings = verdict::judge(&scenario, &trace.last, trace.ended);
        println!(
            "{orders:>8} {events:>9} {:>9.1} {ratio:>7} {:>13.0} {:>11.1} {:>9}",
            took.as_secs_f64() * 1e3,
            bytes as f64 / events as f64,
            start.elapsed().as_secs_f64() * 1e3,
            findings.len()
        );
        before = Some(took);
    }
    println!();
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
        "presets, medians of 31\n{:<10} {:>9} {:>10} {:>7}",
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
