//! The report of a run as it is committed: tables for people, and a line for each scenario for the page.
//!
//! Refuses to know: how a cell is run.

use super::cell::{Cell, Done, Outcome};
use super::choice::{self, Story};
use crate::summary::today;
use std::fmt::Write;

/// Products whose rules the engine has and nobody could be asked about.
const NOT_HAD: &str = "Amazon SQS and Azure Service Bus are services that cannot be had here; Apache Kafka and ActiveMQ Artemis \
    are not among the packages. What is said of them rests on their documentation.";

/// Cells, and of those the ones that agree, and those that could not be run.
#[derive(Clone, Copy, Default)]
struct Count {
    cells: usize,
    /// In the usual order of simultaneous events, or in another.
    agree: usize,
    in_set: usize,
    trouble: usize,
}

impl Count {
    fn of<'a>(results: impl Iterator<Item = &'a (Cell, Done)>) -> Count {
        results.fold(Count::default(), |mut count, (_, done)| {
            count.cells += 1;
            let in_set = matches!(done.outcome, Outcome::InSet { .. });
            count.in_set += usize::from(in_set);
            count.agree += usize::from(in_set || done.outcome == Outcome::Agrees);
            count.trouble += usize::from(matches!(done.outcome, Outcome::Trouble(_)));
            count
        })
    }

    fn run(self) -> usize {
        self.cells - self.trouble
    }
}

/// Writes `REPORT.md` and `checked.txt` beside this program's source; `stories` are all that there are.
pub fn write(versions: &[(&str, String)], results: &[(Cell, Done)], stories: &[Story]) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reality");
    for (name, text) in [
        ("REPORT.md", report(versions, results, stories)),
        ("checked.txt", checked(versions, results)),
    ] {
        if let Err(error) = std::fs::write(folder.join(name), text) {
            println!("{name} cannot be written: {error}");
        }
    }
}

pub fn product(system: &str) -> &'static str {
    match system {
        "rabbitmq" => "RabbitMQ",
        _ => "NATS JetStream",
    }
}

fn version<'v>(versions: &'v [(&str, String)], product: &str) -> &'v str {
    let known = versions.iter().find(|(name, _)| *name == product);
    known.map_or("", |(_, version)| version.as_str())
}

/// What there are, each once, in the sequence of the run.
fn distinct<'a, K: PartialEq>(results: &'a [(Cell, Done)], key: impl Fn(&'a Cell) -> K) -> Vec<K> {
    let mut found = Vec::new();
    for (cell, _) in results {
        let key = key(cell);
        if !found.contains(&key) {
            found.push(key);
        }
    }
    found
}

fn report(versions: &[(&str, String)], results: &[(Cell, Done)], stories: &[Story]) -> String {
    let mut out = String::new();
    let systems = distinct(results, |cell| cell.system);
    heading(&mut out, versions, results, &systems);
    by_scenario(&mut out, results);
    disagreeing(&mut out, results);
    in_set(&mut out, results);
    not_run(&mut out, results);
    for system in systems {
        let _ = writeln!(out, "\n## Not checked with {}\n", product(system));
        for line in choice::not_checked(stories, system) {
            let _ = writeln!(out, "- {line}");
        }
    }
    let _ = writeln!(out, "\n## Not checked at all\n\n{NOT_HAD}");
    by_point(&mut out, results);
    out
}

fn heading(out: &mut String, versions: &[(&str, String)], results: &[(Cell, Done)], systems: &[&str]) {
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "# Scenarios beside real systems\n\nWritten by `make reality REALITY='scenarios --all --report'` on {}.\n\n\
         A cell is a scenario under its own faults, or with a crash in one gap of a run without crashes. Compared are the rows of\n\
         every table, what each queue has accepted and what is left in it, how often that was delivered, what outside parties have\n\
         done, and the findings of the same judge.\n\n\
         A real end that the usual order of simultaneous events does not predict agrees *in a set* if another order has it, every time.\n\n\
         | system | version | scenarios | cells | run | agreeing | of these in a set |\n|---|---|---:|---:|---:|---:|---:|",
        today()
    );
    let database = version(versions, "PostgreSQL");
    for system in systems {
        let of_system = |(cell, _): &&(Cell, Done)| cell.system == *system;
        let count = Count::of(results.iter().filter(of_system));
        let own: Vec<_> = results.iter().filter(of_system).cloned().collect();
        let scenarios = distinct(&own, |cell| &cell.id).len();
        let name = product(system);
        let _ = writeln!(
            out,
            "| {name} | {}, PostgreSQL {database} | {scenarios} | {} | {} | {} | {} |",
            version(versions, name),
            count.cells,
            count.run(),
            count.agree,
            count.in_set
        );
    }
    let total = Count::of(results.iter());
    let scenarios = distinct(results, |cell| &cell.id).len();
    let _ = writeln!(
        out,
        "| together | | {scenarios} | {} | {} | {} | {} |",
        total.cells,
        total.run(),
        total.agree,
        total.in_set
    );
}

fn by_scenario(out: &mut String, results: &[(Cell, Done)]) {
    let _ = writeln!(
        out,
        "\n## By scenario\n\n| scenario | system | cells | run | agreeing |\n|---|---|---:|---:|---:|"
    );
    for (id, system) in distinct(results, |cell| (&cell.id, cell.system)) {
        let count = Count::of(
            results
                .iter()
                .filter(|(cell, _)| (&cell.id, cell.system) == (id, system)),
        );
        let _ = writeln!(
            out,
            "| {id} | {} | {} | {} | {} |",
            product(system),
            count.cells,
            count.run(),
            count.agree
        );
    }
}

fn disagreeing(out: &mut String, results: &[(Cell, Done)]) {
    let _ = writeln!(out, "\n## Disagreeing\n");
    let differs = |(cell, done): &(Cell, Done)| match &done.outcome {
        Outcome::Disagrees(difference) => Some(line(cell, &format!("{difference} | {}", distribution(done)))),
        _ => None,
    };
    table(
        out,
        "scenario | system | cell | what differs | real verdicts",
        results.iter().filter_map(differs).collect(),
    );
}

fn in_set(out: &mut String, results: &[(Cell, Done)]) {
    let _ = writeln!(out, "\n## Agreeing in a set\n");
    let agrees = |(cell, done): &(Cell, Done)| match done.outcome {
        Outcome::InSet { usual, others } => {
            let runs = format!("{usual} | {others} | {}", distribution(done));
            Some(line(cell, &runs))
        }
        _ => None,
    };
    table(
        out,
        "scenario | system | cell | runs in the usual order | runs in another | real verdicts",
        results.iter().filter_map(agrees).collect(),
    );
}

fn not_run(out: &mut String, results: &[(Cell, Done)]) {
    let _ = writeln!(out, "\n## Could not be run\n");
    let failed = |(cell, done): &(Cell, Done)| match &done.outcome {
        Outcome::Trouble(reason) => Some(line(cell, reason)),
        _ => None,
    };
    table(
        out,
        "scenario | system | cell | why",
        results.iter().filter_map(failed).collect(),
    );
}

fn line(cell: &Cell, rest: &str) -> String {
    format!("{} | {} | `{}` | {rest}", cell.id, product(cell.system), cell.name())
}

fn table(out: &mut String, head: &str, lines: Vec<String>) {
    if lines.is_empty() {
        let _ = writeln!(out, "None.");
        return;
    }
    let columns = head.split('|').count();
    let _ = writeln!(out, "| {head} |\n|{}", "---|".repeat(columns));
    for line in lines {
        let _ = writeln!(out, "| {line} |");
    }
}

/// `lost 1 (2 of 3), healthy (1 of 3)`; the verdict alone of what was run once.
fn distribution(done: &Done) -> String {
    let all: u32 = done.real.iter().map(|(_, times)| times).sum();
    let each = done.real.iter().map(|(verdict, times)| match all {
        1 => verdict.clone(),
        _ => format!("{verdict} ({times} of {all})"),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// Scenario by scenario: what is predicted, what really came of it, and the crash points of which that holds.
fn by_point(out: &mut String, results: &[(Cell, Done)]) {
    let _ = writeln!(
        out,
        "\n## By crash point\n\nEach crash point stands where what is predicted and what really happened are said.\n"
    );
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for (cell, done) in results {
        let real = match done.real.is_empty() {
            true => "not run".to_string(),
            false => distribution(done),
        };
        let mark = match done.outcome {
            Outcome::Agrees => "yes",
            Outcome::InSet { .. } => "in a set",
            Outcome::Disagrees(_) => "no",
            Outcome::Trouble(_) => "",
        };
        let key = format!(
            "{} | {} | {} | {real} | {mark}",
            cell.id,
            product(cell.system),
            done.predicted
        );
        let point = cell.name().trim_start_matches("crash ").trim_end_matches(" restart 5s");
        match lines.iter_mut().find(|(known, _)| *known == key) {
            Some((_, points)) => points.push(point.to_string()),
            None => lines.push((key, vec![point.to_string()])),
        }
    }
    let lines = lines
        .into_iter()
        .map(|(key, points)| format!("{key} | {}", points.join(", ")));
    table(
        out,
        "scenario | system | predicted | real | agrees | crash points",
        lines.collect(),
    );
}

/// `O1 12 12 PostgreSQL 15.18, RabbitMQ 3.10.8`: scenario, cells that were run, agreeing, systems.
fn checked(versions: &[(&str, String)], results: &[(Cell, Done)]) -> String {
    let short = |version: &str| version.split([' ', '-']).next().unwrap_or_default().to_string();
    let database = short(version(versions, "PostgreSQL"));
    let mut out = String::new();
    for id in distinct(results, |cell| &cell.id) {
        let of_scenario = |(cell, _): &&(Cell, Done)| cell.id == *id;
        let count = Count::of(results.iter().filter(of_scenario));
        let own: Vec<_> = results.iter().filter(of_scenario).cloned().collect();
        let systems: Vec<String> = distinct(&own, |cell| cell.system)
            .into_iter()
            .map(product)
            .map(|name| format!("{name} {}", short(version(versions, name))))
            .collect();
        if count.run() > 0 {
            let _ = writeln!(
                out,
                "{id} {} {} PostgreSQL {database}, {}",
                count.run(),
                count.agree,
                systems.join(", ")
            );
        }
    }
    out
}
