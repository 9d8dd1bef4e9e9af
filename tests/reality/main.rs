//! Does it happen like that in reality? `make reality`, or with the servers at hand
//! `cargo test --features reality --test reality -- [PART] [OPTION]...`.
//!
//! A program of its own and not a list of tests: its parts start their servers once, compare what the engine predicts with what
//! they do, and end with a summary. Without a part it runs all of them.
//!
//! | part | what is compared | options |
//! |---|---|---|
//! | `database` | statements of two and three sessions, one at a time, beside PostgreSQL | `--seed N`, `--from N`, `--histories N`, `--only TEXT`, `--trace` |
//! | `scenarios` | scenarios with real processes that really die, beside PostgreSQL and RabbitMQ or NATS JetStream | `--only O1,I*`, `--file PATH`, `--system rabbitmq`, `--kinds pause,down`, `--all`, `--report`, `--trace` |
//!
//! Nothing here waits for a fixed time where it can ask. A server that cannot be had is one line and counts as skipped. It ends
//! with 1 if anything disagrees.
#![forbid(unsafe_code)]
// The clock and the threads here wait for servers; the engine's rule against them does not reach this far.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

mod database;
mod options;
mod scenarios;
mod servers;
mod summary;

use options::Options;
use std::process::ExitCode;
use summary::Summary;

/// A part: its name and what runs it.
type Part = (&'static str, fn(&Options) -> Vec<Summary>);

const PARTS: &[Part] = &[("database", database::run), ("scenarios", scenarios::run)];

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("worker") {
        scenarios::work();
        return ExitCode::SUCCESS;
    }
    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    let options = match Options::read(std::env::args().skip(1), &names) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("reality: {problem}");
            return ExitCode::from(2);
        }
    };
    let mut summaries = Vec::new();
    for (name, run) in PARTS {
        if options.wants(name) {
            summaries.extend(run(&options));
        }
    }
    println!();
    summaries.iter().for_each(|summary| print!("{summary}"));
    match summaries.iter().all(Summary::agrees) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
