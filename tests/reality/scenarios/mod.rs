//! Scenarios with real processes on real servers: the same texts, the same crash points, and the same judge.
//!
//! A cell is a scenario on a system under its own faults, or under those that are no crashes and pauses with a crash in one gap. In a
//! cell each instance of each service is a process; a conductor lets them act in the sequence the text fixes, kills them where
//! it says so, and looks at what is left. The engine predicts the same end from the same text with `like PRODUCT` at its broker.

mod broker;
mod cell;
mod choice;
mod compare;
mod conductor;
mod control;
mod outside;
mod proxy;
mod report;
mod source;
mod wire;
mod worker;

use crate::options::Options;
use crate::servers::{Nats, Postgres, RabbitMq, Unavailable};
use crate::summary::{Case, Summary, Verdict, today};
use cell::{Cell, Outcome, Servers};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use worker::run as work;

/// Cells that run at once: most of their time is waiting.
const AT_ONCE: usize = 8;

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
    for system in ["rabbitmq", "jetstream"] {
        let (product, started): (_, Result<Broker, Unavailable>) = match system {
            "rabbitmq" => ("RabbitMQ", RabbitMq::start().map(Broker::RabbitMq)),
            _ => ("NATS JetStream", Nats::start().map(Broker::Nats)),
        };
        let server = match started {
            Ok(server) => server,
            Err(reason) => {
                println!("{product} skipped: {reason}");
                summaries.push(Summary::skipped(product, "scenarios", reason.to_string()));
                continue;
            }
        };
        versions.push((product, server.version()));
        let servers = Servers {
            runtime: runtime.handle().clone(),
            postgres: postgres.port(),
            broker: server.port(),
            system,
            trace: options.trace,
        };
        let chosen = choice::cells(system, options);
        println!("{product} {}: {} cells", server.version(), chosen.len());
        let done = run_all(&servers, chosen);
        let version = format!("{} with PostgreSQL {}", server.version(), postgres.version());
        summaries.push(summary(product, version, &done));
        results.extend(done);
    }
    if options.report {
        report::write(&versions, &results);
    }
    summaries
}

enum Broker {
    RabbitMq(RabbitMq),
    Nats(Nats),
}

impl Broker {
    fn port(&self) -> u16 {
        match self {
            Broker::RabbitMq(server) => server.port(),
            Broker::Nats(server) => server.port(),
        }
    }

    fn version(&self) -> String {
        match self {
            Broker::RabbitMq(server) => server.version().to_string(),
            Broker::Nats(server) => server.version().to_string(),
        }
    }
}

/// All cells, several at once, in the sequence given.
fn run_all(servers: &Servers, cells: Vec<Cell>) -> Vec<(Cell, Outcome)> {
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(vec![None; cells.len()]));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(cell) = cells.get(index) else { return };
                    let outcome = cell::run(servers, index, cell);
                    if let Outcome::Disagrees(difference) | Outcome::Trouble(difference) = &outcome {
                        println!("{} {}: {difference}", cell.id, cell.name());
                    }
                    if let Ok(mut outcomes) = outcomes.lock() {
                        outcomes[index] = Some(outcome);
                    }
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap_or_default();
    let lost = || Outcome::Trouble("the cell's thread has died".to_string());
    cells
        .into_iter()
        .zip(outcomes)
        .map(|(cell, outcome)| (cell, outcome.unwrap_or_else(lost)))
        .collect()
}

fn summary(product: &str, version: String, done: &[(Cell, Outcome)]) -> Summary {
    let case = |(cell, outcome): &(Cell, Outcome)| Case {
        kind: "scenarios, crash by crash".to_string(),
        name: format!("{} {}", cell.id, cell.name()),
        verdict: match outcome {
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
        not_checked: choice::not_checked(done.first().map_or("", |(cell, _)| cell.system)),
    }
}
