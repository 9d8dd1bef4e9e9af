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

/// A scenario's text and what it goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    pub id: String,
    pub text: String,
}

impl Story {
    fn of_preset(preset: &Preset) -> Story {
        Story {
            id: preset.id.to_string(),
            text: preset.text.to_string(),
        }
    }

    /// Of a file, by its path. Errors: it cannot be read, or is no scenario.
    pub fn of_file(id: String) -> Result<Story, String> {
        let text = std::fs::read_to_string(&id).map_err(|error| format!("{id}: {error}"))?;
        match language::parse(&text) {
            Ok(_) => Ok(Story { id, text }),
            Err(found) => {
                let lines: Vec<String> = found.iter().map(|mistake| format!("{id}: {mistake}")).collect();
                Err(lines.join("\n"))
            }
        }
    }
}

/// What there is to choose from: the files of the command line, or what comes with the program.
pub fn stories(files: &[Story]) -> Vec<Story> {
    match files.is_empty() {
        true => scenarios::all().iter().map(Story::of_preset).collect(),
        false => files.to_vec(),
    }
}

/// The cells of a run on a system: every fault of every story that is chosen and has a meaning there.
pub fn cells(stories: &[Story], system: &'static str, options: &Options) -> Vec<Cell> {
    let chosen = |story: &&Story| match &options.only {
        Some(only) => is_named(&story.id, only),
        None if options.all || !options.files.is_empty() => true,
        // What fits into some minutes: every crash of the stories that the others build on, on one system each.
        None => CORE.contains(&story.id.as_str()) && !runs_elsewhere(&story.id, system),
    };
    stories
        .iter()
        .filter(chosen)
        .filter_map(|story| Some((story, comparable(story, system).ok()?)))
        .flat_map(|(story, of)| single_faults(story, system, &options.kinds, of))
        .collect()
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
    system == "jetstream" && preset.is_some_and(|preset| comparable(&Story::of_preset(preset), "rabbitmq").is_ok())
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
    story: &Story,
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
        id: story.id.clone(),
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
fn comparable(story: &Story, system: &str) -> Result<(String, Scenario), String> {
    let parsed = |text: &str| language::parse(text).map_err(|_| "its text cannot be read".to_string());
    let plain = parsed(&story.text)?;
    let mut text = story.text.clone();
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

/// Reasons and the stories that are not compared with a system because of them.
pub fn not_checked(stories: &[Story], system: &str) -> Vec<String> {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for story in stories {
        if let Err(reason) = comparable(story, system) {
            reasons.entry(reason).or_default().push(&story.id);
        }
    }
    reasons
        .into_iter()
        .map(|(reason, ids)| format!("{}: {reason}", ids.join(", ")))
        .collect()
}
