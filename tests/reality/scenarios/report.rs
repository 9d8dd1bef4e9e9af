//! The report of a run as it is committed: a table for people, and a line for each scenario for the page.

use super::cell::{Cell, Outcome};
use super::choice;
use crate::summary::today;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Cells, and of those the ones that agree.
#[derive(Clone, Copy, Default)]
struct Count {
    cells: usize,
    agree: usize,
}

/// Writes `REPORT.md` and `checked.txt` beside this program's source.
pub fn write(versions: &[(&str, String)], results: &[(Cell, Outcome)]) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reality");
    for (name, text) in [
        ("REPORT.md", report(versions, results)),
        ("checked.txt", checked(versions, results)),
    ] {
        if let Err(error) = std::fs::write(folder.join(name), text) {
            println!("{name} cannot be written: {error}");
        }
    }
}

fn product(system: &str) -> &'static str {
    match system {
        "rabbitmq" => "RabbitMQ",
        _ => "NATS JetStream",
    }
}

fn version<'v>(versions: &'v [(&str, String)], product: &str) -> &'v str {
    let known = versions.iter().find(|(name, _)| *name == product);
    known.map_or("", |(_, version)| version.as_str())
}

/// By scenario and system, in the sequence of the run.
fn counts(results: &[(Cell, Outcome)]) -> Vec<((&str, &str), Count)> {
    let mut counts: Vec<((&str, &str), Count)> = Vec::new();
    for (cell, outcome) in results {
        let key = (cell.id, cell.system);
        let position = counts.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            counts.push((key, Count::default()));
            counts.len() - 1
        });
        counts[position].1.cells += 1;
        counts[position].1.agree += usize::from(*outcome == Outcome::Agrees);
    }
    counts
}

fn report(versions: &[(&str, String)], results: &[(Cell, Outcome)]) -> String {
    let mut out = String::new();
    let counts = counts(results);
    let mut totals: BTreeMap<&str, Count> = BTreeMap::new();
    for ((_, system), count) in &counts {
        let total = totals.entry(system).or_default();
        total.cells += count.cells;
        total.agree += count.agree;
    }
    // Writing to a string does not fail.
    let _ = writeln!(out, "# Scenarios beside real systems\n");
    let _ = writeln!(
        out,
        "Written by `make reality REALITY='scenarios --all --report'` on {}.\n",
        today()
    );
    let _ = writeln!(
        out,
        "| system | version | scenarios | cells | agreeing |\n|---|---|---:|---:|---:|"
    );
    let database = version(versions, "PostgreSQL");
    for (system, total) in &totals {
        let scenarios = counts.iter().filter(|((_, of), _)| of == system).count();
        let name = product(system);
        let of_system = version(versions, name);
        let _ = writeln!(
            out,
            "| {name} | {of_system}, PostgreSQL {database} | {scenarios} | {} | {} |",
            total.cells, total.agree
        );
    }
    let _ = writeln!(
        out,
        "\nA cell is a scenario under its own faults, or with a crash in one gap of a run without crashes.\n"
    );
    let _ = writeln!(
        out,
        "## By scenario\n\n| scenario | system | cells | agreeing |\n|---|---|---:|---:|"
    );
    for ((id, system), count) in &counts {
        let _ = writeln!(
            out,
            "| {id} | {} | {} | {} |",
            product(system),
            count.cells,
            count.agree
        );
    }
    disagreeing(&mut out, results);
    for system in totals.keys() {
        let _ = writeln!(out, "\n## Not checked with {}\n", product(system));
        for line in choice::not_checked(system) {
            let _ = writeln!(out, "- {line}");
        }
    }
    out
}

fn disagreeing(out: &mut String, results: &[(Cell, Outcome)]) {
    let wrong: Vec<_> = results
        .iter()
        .filter(|(_, outcome)| *outcome != Outcome::Agrees)
        .collect();
    if wrong.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n## Disagreeing\n\n| scenario | system | cell | what differs |\n|---|---|---|---|"
    );
    for (cell, outcome) in wrong {
        let what = match outcome {
            Outcome::Disagrees(difference) => difference.clone(),
            Outcome::Trouble(reason) => format!("could not be run: {reason}"),
            Outcome::Agrees => continue,
        };
        let what = what.replace('|', "\\|");
        let _ = writeln!(
            out,
            "| {} | {} | `{}` | {what} |",
            cell.id,
            product(cell.system),
            cell.name()
        );
    }
}

/// `O1 12 12 PostgreSQL 15.18, RabbitMQ 3.10.8`: scenario, cells, agreeing, systems.
fn checked(versions: &[(&str, String)], results: &[(Cell, Outcome)]) -> String {
    let mut by_scenario: Vec<(&str, Count, Vec<&str>)> = Vec::new();
    for ((id, system), count) in counts(results) {
        match by_scenario.iter_mut().find(|(known, ..)| *known == id) {
            Some((_, total, systems)) => {
                total.cells += count.cells;
                total.agree += count.agree;
                systems.push(system);
            }
            None => by_scenario.push((id, count, vec![system])),
        }
    }
    let short = |version: &str| version.split([' ', '-']).next().unwrap_or_default().to_string();
    let database = short(version(versions, "PostgreSQL"));
    let mut out = String::new();
    for (id, count, systems) in by_scenario {
        let named = systems.iter().map(|system| product(system));
        let systems: Vec<String> = named
            .map(|name| format!("{name} {}", short(version(versions, name))))
            .collect();
        let _ = writeln!(
            out,
            "{id} {} {} PostgreSQL {database}, {}",
            count.cells,
            count.agree,
            systems.join(", ")
        );
    }
    out
}
