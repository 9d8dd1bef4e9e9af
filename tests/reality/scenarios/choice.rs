//! Which scenarios run on which system, and why the others do not.
//!
//! A scenario runs on a system if the system's profile has a meaning for every word of its text, and the harness can do what it
//! says. The engine's own notes say the first; this file says the second.

use super::cell::Cell;
use crate::options::Options;
use crashpoint::language;
use crashpoint::language::edit::set_profile;
use crashpoint::program::{Fault, Instruction, Program, RESTART_DEFAULT, Request, Scenario, TriggerKind};
use crashpoint::scenarios::{self, Preset};
use crashpoint::simulation::{self, EVENTS_MAX};
use crashpoint::sql::Statement;
use std::collections::BTreeMap;

/// The cells of a run on a system.
pub fn cells(system: &'static str, options: &Options) -> Vec<Cell> {
    let named = |preset: &&Preset| options.only.as_ref().is_none_or(|only| is_named(preset.id, only));
    let comparable = scenarios::all()
        .iter()
        .filter(named)
        .filter_map(|preset| Some((preset, comparable(preset, system).ok()?)));
    let mut cells: Vec<Cell> = comparable.flat_map(|(preset, of)| gaps(preset, system, of)).collect();
    if options.all || options.only.is_some() {
        return cells;
    }
    // What fits into some minutes: every crash of the stories that the others build on, on one system each.
    cells.retain(|cell| CORE.contains(&cell.id) && !runs_elsewhere(cell.id, system));
    cells
}

/// The stories of a default run: each pattern, what breaks without it, and what remains.
const CORE: [&str; 16] = [
    "O1", "O2", "O3", "O5", "O6", "O10", "O11", "I1", "I2", "I5", "I6", "I15", "P2", "P3", "P4", "P7",
];

/// A story without leases is swept on the system that needs none.
fn runs_elsewhere(id: &str, system: &str) -> bool {
    let preset = scenarios::find(id);
    system == "jetstream" && preset.is_some_and(|preset| comparable(preset, "rabbitmq").is_ok())
}

/// `O1,O3-crash`; `O1*` is everything that begins so.
fn is_named(id: &str, only: &str) -> bool {
    only.split(',').any(|name| match name.strip_suffix('*') {
        Some(beginning) => id.starts_with(beginning),
        None => id == name,
    })
}

/// As it stands, then with a crash in each gap.
fn gaps(preset: &Preset, system: &'static str, (text, scenario): (String, Scenario)) -> Vec<Cell> {
    let own = scenario.faults.iter().map(|line| line.fault.clone());
    let kept: Vec<Fault> = own
        .filter(|fault| !matches!(fault, Fault::Crash(..) | Fault::Pause(..)))
        .collect();
    let ruler = simulation::run(&scenario.program, &kept, EVENTS_MAX);
    let cell = |crash| Cell {
        id: preset.id,
        system,
        text: text.clone(),
        crash,
    };
    let crashes = ruler
        .gaps
        .iter()
        .map(|gap| Fault::Crash(gap.point.clone(), Some(RESTART_DEFAULT)).to_string());
    let crashes: Vec<Cell> = crashes.map(|line| cell(Some(line))).collect();
    std::iter::once(cell(None)).chain(crashes).collect()
}

/// The text with the system's rules at all its brokers, or why it says nothing there.
fn comparable(preset: &Preset, system: &str) -> Result<(String, Scenario), String> {
    let parsed = |text: &str| language::parse(text).map_err(|_| "its text cannot be read".to_string());
    let plain = parsed(preset.text)?;
    let mut text = preset.text.to_string();
    if plain.program.brokers.is_empty() && system != "rabbitmq" {
        return Err("it has no broker; it runs beside the other system".to_string());
    }
    for broker in &plain.program.brokers {
        match broker.profile {
            Some(profile) if profile.name != system => return Err(format!("it is about {}", profile.product)),
            _ => text = set_profile(&text, &broker.name, Some(system)).unwrap_or(text),
        }
    }
    let scenario = parsed(&text)?;
    if let Some(note) = scenario.notes.first() {
        return Err(note.en.to_string());
    }
    match beyond(&scenario, system) {
        Some(reason) => Err(reason.to_string()),
        None => Ok((text, scenario)),
    }
}

/// What the harness cannot do.
fn beyond(scenario: &Scenario, system: &str) -> Option<&'static str> {
    let program = &scenario.program;
    let code = || program.services.iter().flat_map(|service| &service.code);
    let requests = || {
        code().filter_map(|instruction| match instruction {
            Instruction::Step { request, .. } => Some(request),
            _ => None,
        })
    };
    let follows = |kind: &TriggerKind| matches!(kind, TriggerKind::Follow { .. });
    let mut triggers = program.services.iter().flat_map(|service| &service.triggers);
    if triggers.any(|trigger| follows(&trigger.kind)) {
        return Some("a log-based relay would need a replication client");
    }
    if requests().any(|request| matches!(request, Request::Transaction { .. } | Request::Redrive { .. })) {
        return Some("transactions at a broker and sending dead letters back are not spoken");
    }
    let waits_not = |request: &Request| {
        let later = matches!(
            request,
            Request::Publish { asynchronous: true, .. } | Request::Confirm(_)
        );
        later
            || matches!(
                request,
                Request::Publish { after: Some(_), .. } | Request::Nack { after: Some(_), .. }
            )
    };
    if requests().any(waits_not) {
        return Some("asynchronous and delayed requests to brokers are not spoken");
    }
    if requests().any(|request| matches!(request, Request::Extend { by: Some(_), .. })) {
        return Some("a lease is prolonged by its own length only");
    }
    let prepares = |request: &Request| {
        matches!(
            request,
            Request::Sql {
                statement: Statement::PrepareTransaction(_),
                ..
            }
        )
    };
    if requests().any(prepares) {
        return Some("names of prepared transactions are the whole server's, and cells run side by side");
    }
    let special = program
        .queues
        .iter()
        .any(|q| q.capacity.is_some() || q.expires.is_some() || q.partitions.is_some());
    if special {
        return Some("capacity, expiry and partitions are not set up");
    }
    if system == "jetstream" && !program.topics.is_empty() {
        return Some("a topic with several queues is several streams, and a subject has one");
    }
    if scenario.faults.iter().any(|line| matches!(line.fault, Fault::Cut(..))) {
        return Some("a cut that leaves connections open is not made");
    }
    let heartbeat = program.brokers.iter().filter_map(|broker| broker.heartbeat).min();
    let longest = scenario.faults.iter().filter_map(|line| match line.fault {
        Fault::Pause(_, time) => Some(time),
        _ => None,
    });
    if heartbeat
        .zip(longest.max())
        .is_some_and(|(heartbeat, pause)| pause >= heartbeat)
    {
        return Some("heartbeats are switched off, and a pause outlasts them");
    }
    volatile_broken(program, scenario)
        .then_some("a broker that goes down is cut off, not stopped: what is volatile stays")
}

fn volatile_broken(program: &Program, scenario: &Scenario) -> bool {
    let down = scenario.faults.iter().any(|line| matches!(line.fault, Fault::Down(..)));
    down && program.queues.iter().any(|queue| queue.volatile)
}

/// Reasons and the scenarios that are not compared with a system because of them.
pub fn not_checked(system: &str) -> Vec<String> {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for preset in scenarios::all() {
        if let Err(reason) = comparable(preset, system) {
            reasons.entry(reason).or_default().push(preset.id);
        }
    }
    reasons
        .into_iter()
        .map(|(reason, ids)| format!("{}: {reason}", ids.join(", ")))
        .collect()
}
