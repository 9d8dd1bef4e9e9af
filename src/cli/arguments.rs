//! The words of a command line.

use super::Trouble;
use crate::scenarios;
use crate::search::{FAULTS_MAX, FaultKind};
use crate::simulation::EVENTS_MAX;
use std::fmt;

pub(super) const USAGE: &str = "\
usage: crashpoint COMMAND

  list                          the presets: id, title
  run   FILE|ID|LINK [--json]   run a scenario and judge its promises
  sweep FILE|ID|LINK [--json]   the same with a crash in every gap, one at a time
  trace FILE|ID|LINK            what happened, one event a line
  link  FILE|ID|LINK            the part of a link that carries the scenario
  text  FILE|ID|LINK            the scenario's text

  --json                        the report as JSON
  --kinds KIND,KIND...          what strikes in a sweep (default crash): crash, crash-during, pause, lose-request,
                                lose-reply, refuse, delay, down, cut; all
  --faults N                    search for the smallest set of up to N faults (1 to 3) that breaks a promise
  --orders                      search with every order of simultaneous events, too
  --events N                    end a run after N events (default 1000000)

FILE is a scenario text, ID a preset (O1), LINK an address or the part of it from '#'.
Exit status: 0 all promises hold, 1 a finding (or a run that was cut before its end), 2 unreadable input.";

/// What to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A file's path or a preset's id; a file goes first.
    Named(String),
    Link(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Named(name) => f.write_str(name),
            Source::Link(_) => f.write_str("the link"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    List,
    Run {
        source: Source,
        json: bool,
        events_max: u32,
    },
    Sweep {
        source: Source,
        json: bool,
        events_max: u32,
        strikes: Strikes,
    },
    Trace {
        source: Source,
        events_max: u32,
    },
    Link {
        source: Source,
    },
    Text {
        source: Source,
    },
}

/// What strikes in a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Strikes {
    /// None: crashes.
    pub kinds: Option<Vec<FaultKind>>,
    /// The smallest set of up to so many is searched for; none: each by itself is listed.
    pub faults_max: Option<usize>,
    pub orders: bool,
}

pub(super) fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, Trouble> {
    let mut arguments = arguments.peekable();
    let Some(command) = arguments.next() else {
        return Err(Trouble::Usage("a command is expected".into()));
    };
    let (mut source, mut json, mut events_max) = (None, false, EVENTS_MAX);
    let mut strikes = Strikes::default();
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--json" => json = true,
            "--events" => events_max = number(arguments.next())?,
            "--kinds" => strikes.kinds = Some(kinds(arguments.next())?),
            "--faults" => strikes.faults_max = Some(faults(arguments.next())?),
            "--orders" => strikes.orders = true,
            "--help" | "-h" => return Ok(Command::Help),
            option if option.starts_with("--") => {
                return Err(Trouble::Usage(format!(
                    "unknown option {option}; expected --json, --events N, --kinds KINDS, --faults N or --orders"
                )));
            }
            _ if source.is_some() => {
                return Err(Trouble::Usage(format!(
                    "one scenario at a time; {argument} is too much"
                )));
            }
            _ => source = Some(source_of(argument)),
        }
    }
    let needs = |source: Option<Source>| {
        source.ok_or_else(|| Trouble::Usage(format!("{command} needs a file, a preset's id or a link")))
    };
    if strikes != Strikes::default() && command != "sweep" {
        return Err(Trouble::Usage(format!(
            "--kinds, --faults and --orders belong to sweep, not to {command}"
        )));
    }
    match &*command {
        "help" | "--help" | "-h" => Ok(Command::Help),
        "list" => Ok(Command::List),
        "run" => Ok(Command::Run {
            source: needs(source)?,
            json,
            events_max,
        }),
        "sweep" => Ok(Command::Sweep {
            source: needs(source)?,
            json,
            events_max,
            strikes,
        }),
        "trace" => Ok(Command::Trace {
            source: needs(source)?,
            events_max,
        }),
        "link" => Ok(Command::Link { source: needs(source)? }),
        "text" => Ok(Command::Text { source: needs(source)? }),
        _ => Err(Trouble::Usage(format!("unknown command {command}"))),
    }
}

fn number(argument: Option<String>) -> Result<u32, Trouble> {
    let wrong = || Trouble::Usage("--events expects a number from 1 to 4000000000".into());
    argument
        .and_then(|text| text.parse().ok())
        .filter(|n| (1..=4_000_000_000).contains(n))
        .ok_or_else(wrong)
}

fn faults(argument: Option<String>) -> Result<usize, Trouble> {
    let wrong = || Trouble::Usage(format!("--faults expects a number from 1 to {FAULTS_MAX}"));
    argument
        .and_then(|text| text.parse().ok())
        .filter(|n| (1..=FAULTS_MAX).contains(n))
        .ok_or_else(wrong)
}

fn kinds(argument: Option<String>) -> Result<Vec<FaultKind>, Trouble> {
    let names = FaultKind::ALL.map(FaultKind::name).join(", ");
    let argument = argument.ok_or_else(|| Trouble::Usage(format!("--kinds expects some of {names}, or all")))?;
    if argument == "all" {
        return Ok(FaultKind::ALL.to_vec());
    }
    let kind = |name: &str| {
        let unknown = || {
            Trouble::Usage(format!(
                "unknown kind of fault {name}; expected some of {names}, or all"
            ))
        };
        FaultKind::named(name).ok_or_else(unknown)
    };
    let mut kinds: Vec<FaultKind> = argument.split(',').map(kind).collect::<Result<_, _>>()?;
    kinds.sort_unstable();
    kinds.dedup();
    Ok(kinds)
}

fn source_of(argument: String) -> Source {
    let is_link = argument.contains('#') || argument.contains("://");
    if is_link {
        Source::Link(argument)
    } else {
        Source::Named(argument)
    }
}

/// Neither a file nor a preset: says what there is.
pub(super) fn unknown_source(name: &str) -> String {
    let ids: Vec<&str> = scenarios::all().iter().map(|preset| preset.id).collect();
    format!(
        "{name}: no such file and no such preset; the presets are {}",
        ids.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(str::to_owned)).map_err(|trouble| format!("{trouble:?}"))
    }

    #[test]
    fn options_stand_anywhere_after_the_command() {
        let source = Source::Named("O1".into());
        let expected = Command::Run {
            source,
            json: true,
            events_max: 50,
        };
        assert_eq!(parsed("run --json O1 --events 50"), Ok(expected.clone()));
        assert_eq!(parsed("run O1 --events 50 --json"), Ok(expected));
    }

    #[test]
    fn what_strikes_is_named_once_and_in_one_sequence() {
        let Ok(Command::Sweep { strikes, .. }) = parsed("sweep O1 --kinds lose-reply,crash,crash --faults 2 --orders")
        else {
            panic!("a sweep");
        };
        let expected = Strikes {
            kinds: Some(vec![FaultKind::Crash, FaultKind::LoseReply]),
            faults_max: Some(2),
            orders: true,
        };
        assert_eq!(strikes, expected);
    }

    #[test]
    fn an_address_and_a_fragment_are_links() {
        for link in ["#1/O1.k3f9", "http://localhost:8080/#1/O1.k3f9"] {
            assert_eq!(
                parsed(&format!("text {link}")),
                Ok(Command::Text {
                    source: Source::Link(link.into())
                })
            );
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_said() {
        for (line, said) in [
            ("", "a command is expected"),
            ("run", "run needs a file"),
            ("run a b", "b is too much"),
            ("fly O1", "unknown command fly"),
            ("run O1 --fast", "unknown option --fast"),
            ("run O1 --events many", "--events expects a number"),
            ("run O1 --faults 2", "belong to sweep, not to run"),
            ("sweep O1 --faults 4", "--faults expects a number from 1 to 3"),
            ("sweep O1 --kinds", "--kinds expects some of crash, crash-during"),
            (
                "sweep O1 --kinds crash,fire",
                "unknown kind of fault fire; expected some of crash",
            ),
        ] {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
