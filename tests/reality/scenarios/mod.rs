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
mod machines;
mod outside;
mod proxy;
mod report;
mod source;
mod wire;
mod worker;

use crate::options::Options;
use crate::servers::Postgres;
use crate::summary::{Case, Summary, Verdict, today};
use cell::{Cell, Done, Outcome, Servers};
use machines::{Broker, Machines};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use worker::run as work;

/// Cells that run at once: most of their time is waiting.
const AT_ONCE: usize = 8;

/// A long run says so often where it is.
const PROGRESS: usize = 250;

/// Runs what the options choose on both systems.
pub fn run(options: &Options) -> Vec<Summary> {
    let postgres = match Postgres::start() {
        Ok(server) => server,
        Err(reason) => return vec![Summary::skipped("PostgreSQL", "scenarios", reason.to_string())],
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return vec![Summary::skipped("scenarios", "scenarios", error.to_string())],
    };
    let shared = runtime.block_on(async {
        let client = control::connect(postgres.port()).await?;
        client.batch_execute(control::SHARED).await
    });
    if let Err(error) = shared {
        return vec![Summary::skipped("PostgreSQL", "scenarios", error.to_string())];
    }
    let mut summaries = Vec::new();
    let mut results = Vec::new();
    let mut versions = vec![("PostgreSQL", postgres.version().to_string())];
    let mut postgres = postgres;
    let wanted = |system: &&str| options.system.as_ref().is_none_or(|only| only == system);
    for system in ["rabbitmq", "jetstream"].into_iter().filter(wanted) {
        let product = report::product(system);
        let broker = match Broker::start(system) {
            Ok(broker) => broker,
            Err(reason) => {
                println!("{product} skipped: {reason}");
                summaries.push(Summary::skipped(product, "scenarios", reason.to_string()));
                continue;
            }
        };
        let version = format!("{} with PostgreSQL {}", broker.version(), postgres.version());
        versions.push((product, broker.version()));
        let servers = Servers {
            runtime: runtime.handle().clone(),
            postgres: postgres.port(),
            broker: broker.port(),
            machines: Machines::new(postgres, broker),
            system,
            trace: options.trace,
        };
        let chosen = choice::cells(system, options);
        println!("{product} {version}: {} cells", chosen.len());
        let done = run_all(&servers, chosen);
        postgres = servers.machines.into_postgres();
        summaries.push(summary(product, version, system, &done));
        results.extend(done);
        // A run that is broken off later has reported this much.
        if options.report {
            report::write(&versions, &results);
        }
    }
    summaries
}

/// All cells in the sequence given: several at once, and then, one by one, those that stop a server.
fn run_all(servers: &Servers, cells: Vec<Cell>) -> Vec<(Cell, Done)> {
    let outcomes = Mutex::new(vec![None; cells.len()]);
    let run_those = |those: Vec<usize>, at_once| {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..at_once {
                scope.spawn(|| {
                    while let Some(index) = those.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if index % PROGRESS == 0 {
                            println!("... {index} of {}", cells.len());
                        }
                        let done = run_one(servers, *index, &cells[*index]);
                        if let Ok(mut outcomes) = outcomes.lock() {
                            outcomes[*index] = Some(done);
                        }
                    }
                });
            }
        });
    };
    let (stopping, others): (Vec<usize>, Vec<usize>) = (0..cells.len()).partition(|index| cells[*index].stops_a_server());
    run_those(others, AT_ONCE);
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
    done
}

fn summary(product: &str, version: String, system: &str, done: &[(Cell, Done)]) -> Summary {
    let case = |(cell, done): &(Cell, Done)| Case {
        kind: "scenarios, fault by fault".to_string(),
        name: format!("{} {}", cell.id, cell.name()),
        verdict: match &done.outcome {
            Outcome::Agrees => Verdict::Agrees,
            Outcome::Disagrees(difference) => Verdict::Disagrees(difference.clone()),
            // Neither agreement nor disagreement: the machine was too slow, or the harness has met something it cannot do.
            Outcome::Trouble(reason) => Verdict::Skipped(format!("could not be run: {reason}")),
        },
    };
    Summary {
        system: product.to_string(),
        version,
        date: today(),
        settings: String::new(),
        cases: done.iter().map(case).collect(),
        not_checked: choice::not_checked(system),
    }
}
