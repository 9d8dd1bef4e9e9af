//! A preset run to its end, and what is there then in words short enough for a table.

use crashpoint::broker::Queue;
use crashpoint::language;
use crashpoint::program::{Fault, Kind, Relation, Scenario};
use crashpoint::scenarios;
use crashpoint::simulation::{self, Trace};
use crashpoint::value::{Row, Value};
use crashpoint::verdict::{self, Finding};

/// What the page allows.
pub const BUDGET: u32 = 1_000_000;

pub struct Finished {
    pub scenario: Scenario,
    pub trace: Trace,
}

/// The scenario of a preset.
pub fn scenario(id: &str) -> Scenario {
    let preset = scenarios::find(id).unwrap_or_else(|| panic!("no preset {id}"));
    language::parse(preset.text).unwrap_or_else(|errors| panic!("{id}: {errors:?}"))
}

/// The faults that a text states.
pub fn faults(scenario: &Scenario) -> Vec<Fault> {
    scenario.faults.iter().map(|line| line.fault.clone()).collect()
}

/// A preset run under its own faults.
pub fn run(id: &str) -> Finished {
    let scenario = scenario(id);
    let faults = faults(&scenario);
    run_under(scenario, &faults)
}

/// A scenario run under these faults in place of its own.
pub fn run_under(scenario: Scenario, faults: &[Fault]) -> Finished {
    let trace = simulation::run(&scenario.program, faults, BUDGET);
    Finished { scenario, trace }
}

impl Finished {
    pub fn findings(&self) -> Vec<Finding> {
        verdict::judge(&self.scenario, &self.trace.last, self.trace.ended)
    }

    /// The kinds found, gravest first, each once.
    pub fn kinds(&self) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = self.findings().iter().map(|finding| finding.kind).collect();
        kinds.dedup();
        kinds
    }

    /// The kinds found are those that the text's `expect` names, and it names no subject that was not found.
    pub fn check_expected(&self) {
        let id = &self.scenario.id;
        let mut expected: Vec<Kind> = self.scenario.expected.iter().map(|expected| expected.kind).collect();
        expected.sort();
        expected.dedup();
        assert_eq!(self.kinds(), expected, "{id}");
        let findings = self.findings();
        for expected in &self.scenario.expected {
            let Some(subject) = &expected.subject else { continue };
            let named = findings
                .iter()
                .any(|found| found.kind == expected.kind && found.is_about(subject));
            assert!(named, "{id}: no {} {subject} in {findings:?}", expected.kind.name());
        }
    }

    /// The committed rows of `database.table` or the effects at an outside party, values separated by a space. With
    /// `(a, b)` after the name, these columns alone.
    pub fn rows(&self, name: &str) -> Vec<String> {
        let (name, columns) = match name.split_once('(') {
            Some((name, columns)) => (name, columns.trim_end_matches(')').split(", ").collect()),
            None => (name, Vec::new()),
        };
        let rows = match self.relation(name) {
            Relation::Table { database, table } => self.trace.last.rows(database, table),
            outside => {
                let facts = self.trace.last.facts(outside).iter();
                facts.map(|fact| (fact.identity, fact.row.clone())).collect()
            }
        };
        rows.iter().map(|(_, row)| shown(row, &columns)).collect()
    }

    /// The ids of the messages that are in a queue.
    pub fn ids(&self, queue: &str) -> Vec<String> {
        let present = self.queue(queue).present();
        present.map(|message| field(&message.row, "id")).collect()
    }

    /// A queue at the end.
    pub fn queue(&self, name: &str) -> &Queue {
        let queue = position(&self.scenario.program.queues, name, |queue| &queue.name);
        self.trace.last.queue(queue)
    }

    fn relation(&self, name: &str) -> Relation {
        let program = &self.scenario.program;
        match name.split_once('.') {
            Some((database, table)) => {
                let database = position(&program.databases, database, |database| &database.name);
                let tables = &program.databases[usize::from(database)].tables;
                let table = position(tables, table, |table| &table.name);
                Relation::Table { database, table }
            }
            None => Relation::Outside(position(&program.outsides, name, |outside| &outside.record.name)),
        }
    }
}

/// A field of a row as a sentence shows it.
pub fn field(row: &Row, name: &str) -> String {
    row.get(name).unwrap_or(&Value::Null).to_string()
}

/// The index of what has this name.
pub fn position<T>(items: &[T], name: &str, name_of: impl Fn(&T) -> &str) -> u16 {
    let found = items.iter().position(|item| name_of(item) == name);
    found.unwrap_or_else(|| panic!("no {name}")) as u16
}

fn shown(row: &Row, columns: &[&str]) -> String {
    let values: Vec<String> = if columns.is_empty() {
        row.values().iter().map(Value::to_string).collect()
    } else {
        let value = |column: &&str| row.get(column).unwrap_or_else(|| panic!("no column {column}"));
        columns.iter().map(value).map(Value::to_string).collect()
    };
    values.join(" ")
}
