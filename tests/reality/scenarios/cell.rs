//! One cell: what the engine predicts, what really happens, and whether they end the same.

use super::broker::{Jetstream, Queues, Rabbit};
use super::compare;
use super::conductor::{Conductor, Facts, Place, Trouble};
use super::control::Control;
use crashpoint::language;
use crashpoint::program::{Fault, Scenario};
use crashpoint::simulation::{self, EVENTS_MAX};
use std::time::Instant;
use tokio::runtime::Handle;

/// How often a cell is run again whose real time was too slow for its leases, each time with longer ones.
const AGAIN: u32 = 4;

/// Where the servers are.
pub struct Servers {
    pub runtime: Handle,
    pub postgres: u16,
    pub broker: u16,
    pub system: &'static str,
    pub trace: bool,
}

/// A scenario on a system, as it stands or with a crash.
#[derive(Clone, Debug)]
pub struct Cell {
    pub id: &'static str,
    pub system: &'static str,
    /// With the system's rules.
    pub text: String,
    /// The line of the crash; none: under the text's own faults.
    pub crash: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Agrees,
    Disagrees(String),
    /// Nothing is known.
    Trouble(String),
}

impl Cell {
    pub fn name(&self) -> &str {
        self.crash.as_deref().unwrap_or("as it stands")
    }

    /// The scenario and its faults: the text's own, or all but its crashes and pauses and the one crash.
    fn read(&self) -> Option<(Scenario, Vec<Fault>)> {
        let Some(crash) = &self.crash else {
            let scenario = language::parse(&self.text).ok()?;
            let faults = scenario.faults.iter().map(|line| line.fault.clone()).collect();
            return Some((scenario, faults));
        };
        let scenario = language::parse(&format!("{}\n{crash}\n", self.text)).ok()?;
        let mut faults: Vec<Fault> = scenario.faults.iter().map(|line| line.fault.clone()).collect();
        let added = faults.pop()?;
        faults.retain(|fault| !matches!(fault, Fault::Crash(..) | Fault::Pause(..)));
        faults.push(added);
        Some((scenario, faults))
    }
}

/// Predicts and runs it.
pub fn run(servers: &Servers, index: usize, cell: &Cell) -> Outcome {
    let Some((scenario, faults)) = cell.read() else {
        return Outcome::Trouble("its text cannot be read".to_string());
    };
    let predicted = simulation::run(&scenario.program, &faults, EVENTS_MAX);
    for again in 0..AGAIN {
        let start = Instant::now();
        let place = Place {
            runtime: servers.runtime.clone(),
            text: cell.text.clone(),
            system: servers.system,
            prefix: format!("c{index}x{again}_"),
            postgres: servers.postgres,
            broker: servers.broker,
            slower: 4_u32.pow(again),
            trace: servers.trace,
        };
        let real = real(place, &scenario, &faults);
        if servers.trace {
            println!("{} {} took {:?}", cell.id, cell.name(), start.elapsed());
        }
        match real {
            Ok(real) => {
                return match compare::difference(&scenario, &predicted, &real, servers.system) {
                    None => Outcome::Agrees,
                    Some(difference) => Outcome::Disagrees(difference),
                };
            }
            Err(trouble) if trouble.late => {}
            Err(trouble) => return Outcome::Trouble(trouble.what),
        }
    }
    Outcome::Trouble("real time is too slow for its leases".to_string())
}

fn real(place: Place, scenario: &Scenario, faults: &[Fault]) -> Result<Facts, Trouble> {
    let program = &scenario.program;
    let prefix = place.prefix.trim_end_matches('_');
    let control = Control::new(&place.runtime, place.postgres, prefix, &place.text, program).map_err(|error| {
        Trouble::new(std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string))
    })?;
    let queues = match place.system {
        "rabbitmq" => Rabbit::new(&place.runtime, place.broker, &place.prefix, program).map(Queues::Rabbit),
        _ => Jetstream::new(&place.runtime, place.broker, &place.prefix, program, place.slower).map(Queues::Jetstream),
    };
    let queues = queues.map_err(Trouble::new)?;
    Conductor::new(place, program.clone(), faults.to_vec(), control, queues)?.run()
}
