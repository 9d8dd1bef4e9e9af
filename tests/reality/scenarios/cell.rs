//! One cell: what the engine predicts, what really happens, and whether they end the same.

use super::broker::{Jetstream, Queues, Rabbit};
use super::compare::{self, End};
use super::conductor::{Conductor, Facts, Place, Trouble};
use super::control::Control;
use super::machines::Machines;
use super::ties;
use crashpoint::language;
use crashpoint::program::{Fault, Scenario};
use crashpoint::simulation::{self, EVENTS_MAX, World};
use crashpoint::value::Name;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// How often a cell is tried that the harness could not do its work in.
const AGAIN: u32 = 3;
/// What took longer than this is not tried again.
const LONG: Duration = Duration::from_secs(100);

/// How often a cell is run that disagrees.
const ROUNDS: u32 = 3;

/// Where the servers are.
pub struct Servers {
    pub runtime: Handle,
    pub postgres: u16,
    pub broker: u16,
    pub machines: Machines,
    pub system: &'static str,
    pub trace: bool,
}

/// A scenario on a system, as it stands or with one fault more.
#[derive(Clone, Debug)]
pub struct Cell {
    /// A preset's, or a file's path.
    pub id: String,
    pub system: &'static str,
    /// With the system's rules.
    pub text: String,
    /// The line of the fault; none: under the text's own faults.
    pub fault: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Agrees,
    /// Not always as the usual order of simultaneous events has it, but always as some order has: so many runs of each.
    InSet {
        usual: u32,
        others: u32,
    },
    Disagrees(String),
    /// Nothing is known.
    Trouble(String),
}

/// What came of a cell.
#[derive(Clone, Debug)]
pub struct Done {
    pub outcome: Outcome,
    /// The verdict that the engine predicts.
    pub predicted: String,
    /// The verdicts of the real runs and how often each came, if it was run to its end.
    pub real: Vec<(String, u32)>,
}

impl Done {
    pub fn trouble(what: impl ToString) -> Done {
        Done {
            outcome: Outcome::Trouble(what.to_string()),
            predicted: String::new(),
            real: Vec::new(),
        }
    }
}

/// Whether a fault of the text also strikes in the cells with another fault: where a process dies or freezes is theirs to say.
pub fn is_kept(fault: &Fault) -> bool {
    !matches!(fault, Fault::Crash(..) | Fault::Pause(..))
}

impl Cell {
    pub fn name(&self) -> &str {
        self.fault.as_deref().unwrap_or("as it stands")
    }

    /// True if its turn comes when no other cell runs, as a server stops in it. RabbitMQ takes some seconds to come back: in cells
    /// with one fault more a proxy lets nobody through to it instead. So it is with a fault that is itself the one more.
    pub fn stops_a_server(&self) -> bool {
        self.read().is_some_and(|(scenario, faults)| {
            let program = &scenario.program;
            let slow = self.system == "rabbitmq" && self.fault.is_some();
            // Scenarios share their servers among their own databases and brokers, too.
            let database = |name: &Name| program.databases.len() == 1 && program.databases[0].name == *name;
            let broker = |name: &Name| program.brokers.len() == 1 && program.brokers[0].name == *name && !slow;
            let stops = |fault: &Fault| matches!(fault, Fault::Down(name, ..) if database(name) || broker(name));
            let of_text = faults.len() - usize::from(self.fault.is_some());
            faults[..of_text].iter().any(stops)
        })
    }

    /// The scenario and its faults: the text's own, or what is kept of them and the one more.
    fn read(&self) -> Option<(Scenario, Vec<Fault>)> {
        let faults_of =
            |scenario: &Scenario| -> Vec<Fault> { scenario.faults.iter().map(|line| line.fault.clone()).collect() };
        let Some(fault) = &self.fault else {
            let scenario = language::parse(&self.text).ok()?;
            let faults = faults_of(&scenario);
            return Some((scenario, faults));
        };
        let scenario = language::parse(&format!("{}\n{fault}\n", self.text)).ok()?;
        let mut faults = faults_of(&scenario);
        let added = faults.pop()?;
        faults.retain(is_kept);
        faults.push(added);
        Some((scenario, faults))
    }
}

/// Predicts and runs it. What disagrees is run again, to know whether it does so always.
pub fn run(servers: &Servers, index: usize, cell: &Cell) -> Done {
    let Some((scenario, faults)) = cell.read() else {
        return Done::trouble("its text cannot be read");
    };
    let predicted = simulation::run(&scenario.program, &faults, EVENTS_MAX);
    let mut done = Done {
        outcome: Outcome::Agrees,
        predicted: compare::verdict(&scenario, &predicted.last, predicted.ended),
        real: Vec::new(),
    };
    let usual = End::new(&predicted.last, predicted.ended);
    let mut unusual: Vec<Facts> = Vec::new();
    for round in 0..ROUNDS {
        let real = match run_in_time(servers, (index, round), cell, &scenario, &faults) {
            Ok(real) => real,
            Err(trouble) => {
                done.outcome = Outcome::Trouble(trouble.what);
                return done;
            }
        };
        count(&mut done.real, compare::verdict(&scenario, &real, real.ended));
        match compare::difference(&scenario, usual, &real, servers.system) {
            None if round == 0 => return done,
            None => {}
            Some(difference) => {
                done.outcome = Outcome::Disagrees(difference);
                unusual.push(real);
            }
        }
    }
    let others = unusual.len() as u32;
    let is_known = |real: &Facts| {
        let same = |world: &World, ended| {
            compare::difference(&scenario, End::new(world, ended), real, servers.system).is_none()
        };
        ties::lead_to(&scenario, &faults, &same)
    };
    if unusual.iter().all(is_known) {
        let usual = ROUNDS - others;
        done.outcome = Outcome::InSet { usual, others };
    }
    done
}

fn count(counts: &mut Vec<(String, u32)>, verdict: String) {
    match counts.iter_mut().find(|(known, _)| *known == verdict) {
        Some((_, times)) => *times += 1,
        None => counts.push((verdict, 1)),
    }
}

/// Runs it, again if the harness could not do its work.
fn run_in_time(
    servers: &Servers,
    (index, round): (usize, u32),
    cell: &Cell,
    scenario: &Scenario,
    faults: &[Fault],
) -> Result<Facts, Trouble> {
    let mut last = Trouble::new("it was not run");
    let mut apart = false;
    for again in 0..AGAIN {
        let start = Instant::now();
        let place = Place {
            runtime: servers.runtime.clone(),
            text: cell.text.clone(),
            system: servers.system,
            prefix: format!("c{index}r{round}x{again}_"),
            postgres: servers.postgres,
            broker: servers.broker,
            machines: cell.stops_a_server().then_some(&servers.machines),
            apart,
            trace: servers.trace,
        };
        let real = real(place, scenario, faults);
        if servers.trace {
            println!("{} {} took {:?}", cell.id, cell.name(), start.elapsed());
        }
        match real {
            Ok(real) => return Ok(real),
            Err(trouble) => {
                apart |= trouble.near;
                last = trouble;
            }
        }
        if start.elapsed() > LONG {
            break;
        }
    }
    Err(last)
}

fn real(place: Place<'_>, scenario: &Scenario, faults: &[Fault]) -> Result<Facts, Trouble> {
    let program = &scenario.program;
    let prefix = place.prefix.trim_end_matches('_');
    let control = Control::new(&place.runtime, place.postgres, prefix, &place.text, program).map_err(|error| {
        Trouble::new(std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string))
    })?;
    let queues = match place.system {
        "rabbitmq" => Rabbit::new(&place.runtime, place.broker, &place.prefix, program).map(Queues::Rabbit),
        _ => Jetstream::new(&place.runtime, place.broker, &place.prefix, program).map(Queues::Jetstream),
    };
    let queues = queues.map_err(Trouble::new)?;
    Conductor::new(place, program.clone(), faults.to_vec(), control, queues)?.run()
}
