//! The command line of this program.

use crate::scenarios::Story;
use crashpoint::simulation::FaultKind;

/// What to run, and how much of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    parts: Vec<String>,
    /// The same seed gives the same histories.
    pub seed: u64,
    /// The number of the first generated history, to play one of them again.
    pub from: u64,
    /// How many histories are generated.
    pub histories: u64,
    /// Only cases whose names contain this.
    pub only: Option<String>,
    /// Print every step of every case.
    pub trace: bool,
    /// Everything, and not only what fits into some minutes.
    pub all: bool,
    /// Write the report that is committed.
    pub report: bool,
    /// After so many minutes no further cell begins.
    pub minutes: Option<u64>,
    /// Only this system: `rabbitmq` or `jetstream`.
    pub system: Option<String>,
    /// Faults that strike at every place where they can, one a cell.
    pub kinds: Vec<FaultKind>,
    /// Texts to run in the place of those that come with the program.
    pub files: Vec<Story>,
}

/// Histories of a default run.
const HISTORIES: u64 = 1_200;

/// The part that a file is for: who names a file names it.
const OF_FILES: &str = "scenarios";

impl Options {
    /// Reads arguments, and the files among them. Errors: an option or a part that does not exist, a value that is no number, a
    /// file that cannot be read or is no scenario, a report on files.
    pub fn read(arguments: impl Iterator<Item = String>, parts: &[&str]) -> Result<Options, String> {
        let mut options = Options {
            parts: Vec::new(),
            seed: 1,
            from: 0,
            histories: HISTORIES,
            only: None,
            trace: false,
            all: std::env::var("CRASHPOINT_REALITY").is_ok_and(|value| value == "all"),
            report: false,
            minutes: None,
            system: None,
            kinds: vec![FaultKind::Crash],
            files: Vec::new(),
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--seed" => options.seed = number(&value()?)?,
                "--from" => options.from = number(&value()?)?,
                "--histories" => options.histories = number(&value()?)?,
                "--only" => options.only = Some(value()?),
                "--trace" => options.trace = true,
                "--all" => options.all = true,
                "--report" => options.report = true,
                "--minutes" => options.minutes = Some(number(&value()?)?),
                "--system" => options.system = Some(value()?),
                "--kinds" => options.kinds = kinds(&value()?)?,
                "--file" => {
                    options.files.push(Story::of_file(value()?)?);
                    options.parts.push(OF_FILES.to_string());
                }
                // What `cargo test` passes on to every test program.
                "-q" | "--quiet" | "--nocapture" => {}
                part if parts.contains(&part) => options.parts.push(argument),
                other => return Err(format!("unknown argument '{other}'; parts are: {}", parts.join(" "))),
            }
        }
        if options.report && !options.files.is_empty() {
            return Err("the report is about the scenarios that come with the program: no --file with it".to_string());
        }
        Ok(options)
    }

    /// True if a part shall run: it is named, or none is.
    pub fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }
}

/// `lose-reply,pause`: names as the command line of a search has them.
fn kinds(text: &str) -> Result<Vec<FaultKind>, String> {
    let kind = |name: &str| FaultKind::named(name).ok_or(format!("'{name}' is no kind of fault"));
    text.split(',').map(kind).collect()
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}
