//! Scenarios with real processes on real servers: the same texts, the same crash points, and the same judge.
//!
//! A cell is a scenario on a system under its own faults, or under those that are no crashes and pauses with a crash in one gap. In a
//! cell each instance of each service is a process; a conductor lets them act in the sequence the text fixes, kills them where
//! it says so, and looks at what is left. The engine predicts the same end from the same text with `like PRODUCT` at its broker.

mod beyond;
mod broker;
mod cell;
mod choice;
mod compare;
mod conductor;
mod control;
mod decoding;
mod encoding;
mod machines;
mod outside;
mod proxy;
mod report;
mod source;
mod ties;
mod wire;
mod worker;

use crate::options::Options;
use crate::servers::Postgres;
use crate::summary::{Case, Summary, Verdict, today};
use cell::{Cell, Done, Outcome, Servers};
use machines::{Broker, Machines};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use choice::Story;
pub use worker::run as work;

/// Cells that run at once: most of their time is waiting.
const AT_ONCE: usize = 16;

/// A long run says so often where it is.
const PROGRESS: usize = 250;

/// What a run has found so far, by system.
#[derive(Default)]
struct Found {
    versions: Vec<(&'static str, String)>,
    results: Vec<(Cell, Done)>,
    summaries: Vec<Summary>,
}

/// Runs what the options choose on both systems, side by side: most of their time is waiting.
pub fn run(options: &Options) -> Vec<Summary> {
    let stories = choice::stories(&options.files);
    let found = Mutex::new(Found::default());
    let wanted = |system: &&str| options.system.as_ref().is_none_or(|only| only == system);
    std::thread::scope(|scope| {
        for system in ["rabbitmq", "jetstream"].into_iter().filter(wanted) {
            let (found, stories) = (&found, &stories);
            scope.spawn(move || {
                if let Err(reason) = run_on(system, stories, options, found) {
                    let product = report::product(system);
                    println!("{product} skipped: {reason}");
                    let summary = Summary::skipped(product, "scenarios", reason);
                    locked(found).summaries.push(summary);
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner).summaries
}

fn locked(found: &Mutex<Found>) -> MutexGuard<'_, Found> {
    found.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One system, with a database server of its own. Errors: why it cannot be had.
fn run_on(system: &'static str, stories: &[Story], options: &Options, found: &Mutex<Found>) -> Result<(), String> {
    let postgres = Postgres::start().map_err(|reason| reason.to_string())?;
    let broker = Broker::start(system).map_err(|reason| reason.to_string())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let shared = runtime.block_on(async {
        let client = control::connect(postgres.port()).await?;
        client.batch_execute(control::SHARED).await
    });
    shared.map_err(|error| error.to_string())?;
    let product = report::product(system);
    let versions = [
        ("PostgreSQL", postgres.version().to_string()),
        (product, broker.version()),
    ];
    let version = format!("{} with PostgreSQL {}", broker.version(), postgres.version());
    let servers = Servers {
        runtime: runtime.handle().clone(),
        postgres: postgres.port(),
        broker: broker.port(),
        machines: Machines::new(postgres, broker),
        system,
        trace: options.trace,
    };
    let chosen = choice::cells(stories, system, options);
    println!("{product} {version}: {} cells", chosen.len());
    let until = options
        .minutes
        .map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let done = run_all(&servers, chosen, until);
    let mut found = locked(found);
    found.summaries.push(summary(system, version, stories, &done));
    found.versions.extend(versions);
    found.results.extend(done);
    found.results.sort_by_key(|(cell, _)| cell.system != "rabbitmq");
    // The system that is done first reports alone; if the other is broken off, that is what is left.
    if options.report {
        report::write(&found.versions, &found.results, stories);
    }
    Ok(())
}

/// All cells in the sequence given: several at once, and then, one by one, those that stop a server.
fn run_all(servers: &Servers, cells: Vec<Cell>, until: Option<Instant>) -> Vec<(Cell, Done)> {
    let outcomes = Mutex::new(vec![None; cells.len()]);
    let run_those = |those: Vec<usize>, at_once| {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..at_once {
                scope.spawn(|| {
                    while let Some(index) = those.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if index % PROGRESS == PROGRESS - 1 {
                            println!("... {} {index} of {}", servers.system, cells.len());
                        }
                        let done = match until.is_some_and(|until| Instant::now() > until) {
                            true => Done::trouble("the time of the run was up"),
                            false => run_one(servers, *index, &cells[*index]),
                        };
                        if let Ok(mut outcomes) = outcomes.lock() {
                            outcomes[*index] = Some(done);
                        }
                    }
                });
            }
        });
    };
    let (stopping, others): (Vec<usize>, Vec<usize>) =
        (0..cells.len()).partition(|index| cells[*index].stops_a_server());
    // First what runs on this system alone.
    let (mut first, then): (Vec<usize>, Vec<usize>) =
        (others.into_iter()).partition(|index| !choice::runs_elsewhere(&cells[*index].id, servers.system));
    first.extend(then);
    run_those(first, AT_ONCE);
    run_those(stopping, 1);
    let outcomes = outcomes.into_inner().unwrap_or_default();
    let lost = || Done::trouble("the cell's thread has died");
    cells
        .into_iter()
        .zip(outcomes)
        .map(|(cell, done)| (cell, done.unwrap_or_else(lost)))
        .collect()
}

fn run_one(servers: &Servers, index: usize, cell: &Cell) -> Done {
    let done = cell::run(servers, index, cell);
    if let Outcome::Disagrees(what) | Outcome::Trouble(what) = &done.outcome {
        println!("{} {}: {what}", cell.id, cell.name());
    }
    if let Outcome::InSet { usual, others } = &done.outcome {
        println!(
            "{} {}: the usual order {usual} times, another {others} times",
            cell.id,
            cell.name()
        );
    }
    done
}

fn summary(system: &str, version: String, stories: &[Story], done: &[(Cell, Done)]) -> Summary {
    let case = |(cell, done): &(Cell, Done)| Case {
        kind: match done.outcome {
            Outcome::InSet { .. } => "scenarios, fault by fault, in another order of an instant",
            _ => "scenarios, fault by fault",
        }
        .to_string(),
        name: format!("{} {}", cell.id, cell.name()),
        verdict: match &done.outcome {
            Outcome::Agrees | Outcome::InSet { .. } => Verdict::Agrees,
            Outcome::Disagrees(difference) => Verdict::Disagrees(difference.clone()),
            // Neither agreement nor disagreement: the machine was too slow, or the harness has met something it cannot do.
            Outcome::Trouble(reason) => Verdict::Skipped(format!("could not be run: {reason}")),
        },
    };
    Summary {
        system: report::product(system).to_string(),
        version,
        date: today(),
        settings: String::new(),
        cases: done.iter().map(case).collect(),
        not_checked: choice::not_checked(stories, system),
    }
}
