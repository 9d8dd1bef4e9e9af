//! Two ends of a run, side by side: the engine's and the real one.

use super::conductor::Facts;
use crashpoint::fact::{Change, INITIAL};
use crashpoint::program::{Relation, Scenario};
use crashpoint::simulation::World;
use crashpoint::simulation::trace::Ended;
use crashpoint::value::{Row, Value};
use crashpoint::verdict::{Evidence, judge};

/// An end that the engine predicts.
#[derive(Clone, Copy)]
pub struct End<'w> {
    pub world: &'w World,
    pub ended: Ended,
}

impl<'w> End<'w> {
    pub fn new(world: &'w World, ended: Ended) -> End<'w> {
        End { world, ended }
    }
}

/// What differs, in a few lines; none if nothing does.
pub fn difference(scenario: &Scenario, predicted: End<'_>, real: &Facts, system: &str) -> Option<String> {
    let program = &scenario.program;
    let mut found = Vec::new();
    let mut compare = |what: String, predicted: Vec<String>, real: Vec<String>| {
        if predicted != real {
            found.push(format!(
                "{what}: predicted {}, real {}",
                shown(&predicted),
                shown(&real)
            ));
        }
    };
    for (database, schema) in (0..).zip(&program.databases) {
        for (table, of) in (0..).zip(&schema.tables) {
            let rows = |evidence: &dyn Evidence| {
                let rows = evidence.rows(database, table).into_iter();
                sorted(rows.map(|(_, row)| text(&row)).collect())
            };
            compare(
                format!("{}.{}", schema.name, of.name),
                rows(predicted.world),
                rows(real),
            );
        }
    }
    for (queue, of) in (0..).zip(&program.queues) {
        let accepted = |evidence: &dyn Evidence| facts(evidence, Relation::Queue(queue));
        compare(
            format!("accepted by {}", of.name),
            accepted(predicted.world),
            accepted(real),
        );
        compare(
            format!("left in {}", of.name),
            left_predicted(predicted.world, queue, system),
            left_real(real, queue, system),
        );
    }
    for (outside, of) in (0..).zip(&program.outsides) {
        let effects = |evidence: &dyn Evidence| facts(evidence, Relation::Outside(outside));
        compare(
            format!("done by {}", of.record.name),
            effects(predicted.world),
            effects(real),
        );
    }
    compare(
        "verdict".to_string(),
        vec![verdict(scenario, predicted.world, predicted.ended)],
        vec![verdict(scenario, real, real.ended)],
    );
    (!found.is_empty()).then(|| found.join("; "))
}

/// `duplicate 1003, lost 1004`: the findings of the judge.
pub fn verdict(scenario: &Scenario, evidence: &dyn Evidence, ended: Ended) -> String {
    let findings = judge(scenario, evidence, ended).into_iter();
    let shown = findings.map(|finding| format!("{} {}", finding.kind.name(), finding.subject.key));
    let shown = sorted(shown.collect());
    match shown.as_slice() {
        [] => "healthy".to_string(),
        found => found.join(", "),
    }
}

/// Everything that happened in a relation, in sequence.
fn facts(evidence: &dyn Evidence, relation: Relation) -> Vec<String> {
    let happened = evidence.facts(relation).iter().filter(|fact| fact.stamp != INITIAL);
    happened
        .filter(|fact| fact.change == Change::Insert)
        .map(|fact| text(&fact.row))
        .collect()
}

/// A broker without a count says only whether a message was handed out before, and of a dead letter not even that.
fn count(system: &str, deliveries: u32, moved: bool) -> String {
    match (system, moved) {
        (_, true) => String::new(),
        ("rabbitmq", _) => if deliveries > 0 { " (again)" } else { "" }.to_string(),
        _ => format!(" ({deliveries})"),
    }
}

fn left_predicted(world: &World, queue: u16, system: &str) -> Vec<String> {
    let state = world.queue(queue);
    let all = state.present().chain(state.dead());
    let shown = all.map(|message| text(&message.row) + &count(system, message.deliveries, message.origin.0 != queue));
    sorted(shown.collect())
}

fn left_real(real: &Facts, queue: u16, system: &str) -> Vec<String> {
    let left = real.left[usize::from(queue)].iter();
    let shown = left.map(|(seen, deliveries)| {
        let deliveries = if system == "rabbitmq" {
            u32::from(seen.redelivered)
        } else {
            *deliveries
        };
        text(&seen.row) + &count(system, deliveries, real.is_moved(queue, seen.publication))
    });
    sorted(shown.collect())
}

fn text(row: &Row) -> String {
    let cells: Vec<String> = row.values().iter().map(cell).collect();
    format!("({})", cells.join(", "))
}

fn cell(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

fn sorted(mut items: Vec<String>) -> Vec<String> {
    items.sort();
    items
}

fn shown(items: &[String]) -> String {
    match items {
        [] => "nothing".to_string(),
        items => items.join(" "),
    }
}
