//! Which scenarios run on which system, and why the others do not.
//!
//! A scenario runs on a system if the system's profile has a meaning for every word of its text, and the harness can do what it
//! says. The engine's own notes say the first, `beyond` the second.

use super::beyond::beyond;
use super::cell::{Cell, is_kept};
use crate::options::Options;
use crashpoint::language;
use crashpoint::language::edit::set_profile;
use crashpoint::program::{Fault, Scenario};
use crashpoint::scenarios::{self, Preset};
use crashpoint::simulation::{EVENTS_MAX, Enough, Explorer, FaultKind, Found, Plan};
use crashpoint::value::Millis;
use std::collections::BTreeMap;

/// The cells of a run on a system.
pub fn cells(system: &'static str, options: &Options) -> Vec<Cell> {
    let named = |preset: &&Preset| options.only.as_ref().is_none_or(|only| is_named(preset.id, only));
    let comparable = scenarios::all()
        .iter()
        .filter(named)
        .filter_map(|preset| Some((preset, comparable(preset, system).ok()?)));
    let mut cells: Vec<Cell> = comparable
        .flat_map(|(preset, of)| single_faults(preset, system, &options.kinds, of))
        .collect();
    if options.all || options.only.is_some() {
        return cells;
    }
    // What fits into some minutes: every crash of the stories that the others build on, on one system each.
    cells.retain(|cell| CORE.contains(&cell.id) && !runs_elsewhere(cell.id, system));
    cells
}

/// The stories of a default run: each pattern, what breaks without it, and what remains; then one for each thing that the harness
/// can do and these do not ask for (a log is followed, publishes are not waited for, a broker stops, one has transactions, a
/// database stops, a topic has copies, a message is given back for later).
const CORE: [&str; 23] = [
    "O1",
    "O2",
    "O3",
    "O5",
    "O6",
    "O10",
    "O11",
    "I1",
    "I2",
    "I5",
    "I6",
    "I15",
    "P2",
    "P3",
    "P4",
    "P7",
    "O12",
    "C11-ok",
    "C10",
    "C58",
    "C53",
    "P12-topic",
    "C51",
];

/// A story without leases is swept on the system that needs none.
pub fn runs_elsewhere(id: &str, system: &str) -> bool {
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

/// As it stands, then with one fault more: a crash in each gap, or what else is asked for at each of its places.
fn single_faults(
    preset: &Preset,
    system: &'static str,
    kinds: &[FaultKind],
    (text, scenario): (String, Scenario),
) -> Vec<Cell> {
    let own = scenario.faults.iter().map(|line| line.fault.clone());
    let plan = Plan {
        kinds: kinds.to_vec(),
        faults: 1,
        standing: own.filter(is_kept).collect(),
        events_max: EVENTS_MAX,
        // Nothing is judged here.
        compared: Vec::new(),
        orders: false,
        reduce: true,
        recognise: false,
    };
    let mut cells = vec![Cell {
        id: preset.id,
        system,
        text,
        fault: None,
    }];
    let mut explorer = Explorer::new(&scenario.program, plan);
    let mut each = |found: &Found<()>| {
        for fault in &found.faults {
            let fault = Some(brief(fault).to_string());
            cells.push(Cell {
                fault,
                ..cells[0].clone()
            });
        }
        Enough::No
    };
    explorer.go_on(u64::MAX, &mut |_, _| (), &mut each);
    cells
}

/// A connection-bound message whose receiver finds nobody comes back at once, and does so until its party is back.
fn brief(fault: &Fault) -> Fault {
    const AWAY: Millis = 2_000;
    match fault {
        Fault::Down(party, moment, _) => Fault::Down(party.clone(), moment.clone(), AWAY),
        other => other.clone(),
    }
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
