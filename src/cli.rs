//! The command line: the same engine without a page. Native only.
//!
//! Exit status: 0 all promises hold (sweep: at every crash point); 1 a finding; 2 unreadable input, said on standard error.
//! Refuses to know: how anything is computed.

mod arguments;
mod output;
mod sweeping;

use crate::link::{self, Shared, View};
use crate::program::{Fault, Scenario};
use crate::report::RunReport;
use crate::simulation::{Trace, run};
use crate::words::Language;
use crate::{language, scenarios, verdict};
use arguments::{Command, Source};
use std::io::{self, Write};
use std::process::ExitCode;

/// What a command found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Something,
}

/// Why a command could not be carried out. Shown on standard error.
#[derive(Debug)]
enum Trouble {
    Usage(String),
    Input(String),
    Output(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Output(error)
    }
}

/// Carries out one command line (without the program's name).
pub fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let done = arguments::parse(arguments).and_then(|command| {
        let found = carry_out(&command, &mut out)?;
        out.flush()?;
        Ok(found)
    });
    match done {
        Ok(Found::Nothing) => ExitCode::SUCCESS,
        Ok(Found::Something) => ExitCode::from(1),
        // The reader of a pipe has enough: nothing to complain about.
        Err(Trouble::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Trouble::Output(error)) => complain(&error.to_string()),
        Err(Trouble::Input(message)) => complain(&message),
        Err(Trouble::Usage(message)) => complain(&format!("{message}\n\n{}", arguments::USAGE)),
    }
}

fn complain(message: &str) -> ExitCode {
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(io::stderr().lock(), "crashpoint: {message}");
    ExitCode::from(2)
}

fn carry_out(command: &Command, out: &mut impl Write) -> Result<Found, Trouble> {
    match command {
        Command::Help => writeln!(out, "{}", arguments::USAGE)
            .map(|()| Found::Nothing)
            .map_err(Trouble::from),
        Command::List => output::list(out).map(|()| Found::Nothing).map_err(Trouble::from),
        Command::Run {
            source,
            json,
            events_max,
        } => {
            let (scenario, trace) = run_source(source, *events_max)?;
            let findings = verdict::judge(&scenario, &trace.last, trace.ended);
            let report = RunReport::new(&scenario, &trace, &findings, Language::En);
            if *json {
                output::json(out, &report)?
            } else {
                output::run(out, &scenario, &trace, &findings)?
            }
            Ok(if findings.is_empty() {
                Found::Nothing
            } else {
                Found::Something
            })
        }
        Command::Sweep {
            source,
            json,
            events_max,
            strikes,
        } => sweeping::sweep(source, *events_max, strikes, *json, out),
        Command::Trace { source, events_max } => {
            let (scenario, trace) = run_source(source, *events_max)?;
            output::trace(out, &scenario, &trace)?;
            Ok(Found::Nothing)
        }
        Command::Link { source } => {
            let shared = Shared {
                text: read(source)?,
                view: View::default(),
            };
            parse(&shared.text, source)?;
            let fragment = link::encode(&shared).map_err(|error| Trouble::Input(error.to_string()))?;
            writeln!(out, "#{fragment}")?;
            Ok(Found::Nothing)
        }
        Command::Text { source } => {
            write!(out, "{}", read(source)?)?;
            Ok(Found::Nothing)
        }
    }
}

/// The scenario text behind a file name, a preset's id or a link.
fn read(source: &Source) -> Result<String, Trouble> {
    match source {
        Source::Link(link) => link::decode(link)
            .map(|shared| shared.text)
            .map_err(|e| Trouble::Input(e.to_string())),
        Source::Named(name) => match std::fs::metadata(name) {
            Ok(found) if found.is_file() => read_file(name, found.len()),
            _ => match scenarios::find(name) {
                Some(preset) => Ok(preset.text.to_owned()),
                None => Err(Trouble::Input(arguments::unknown_source(name))),
            },
        },
    }
}

fn read_file(name: &str, bytes: u64) -> Result<String, Trouble> {
    if bytes > language::TEXT_MAX as u64 {
        let limit = language::TEXT_MAX;
        return Err(Trouble::Input(format!(
            "{name}: {bytes} bytes; a scenario has at most {limit}"
        )));
    }
    let content = std::fs::read(name).map_err(|error| Trouble::Input(format!("{name}: {error}")))?;
    String::from_utf8(content).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        Trouble::Input(format!("{name}: not UTF-8 text (byte {position})"))
    })
}

/// What the text says and its brokers cannot do is said on standard error.
fn parse(text: &str, source: &Source) -> Result<Scenario, Trouble> {
    let scenario = language::parse(text).map_err(|diagnostics| {
        let lines: Vec<String> = diagnostics.iter().map(|found| format!("{source}: {found}")).collect();
        Trouble::Input(lines.join("\n"))
    })?;
    for note in &scenario.notes {
        // Nobody is left to tell if standard error is closed.
        let _ = writeln!(io::stderr().lock(), "{source}: line {}: {}", note.line, note.en);
    }
    Ok(scenario)
}

fn run_source(source: &Source, events_max: u32) -> Result<(Scenario, Trace), Trouble> {
    let scenario = parse(&read(source)?, source)?;
    let faults: Vec<Fault> = scenario.faults.iter().map(|line| line.fault.clone()).collect();
    let trace = run(&scenario.program, &faults, events_max);
    Ok((scenario, trace))
}
