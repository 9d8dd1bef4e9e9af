//! Fault lines: the one part of a text that the program writes too. Display and parse are each other's inverse.
//!
//! Unknown services and steps are no errors here: a marker whose step is gone is kept and shown as not reached.

use super::cursor::{Cursor, Parsed};
use super::diagnostics::{Diagnostic, Notion};
use super::lexer::{self, TokenKind};
use super::limits::INSTANCES_MAX;
use crate::program::{Fault, Moment, Point, RESTART_DEFAULT, Side, StepName, Visits};
use crate::value::{Duration, Millis};
use std::fmt;
use std::str::FromStr;

/// Words a fault line starts with.
pub const STARTS: [&str; 7] = ["crash", "pause", "lose", "refuse", "delay", "down", "cut"];

// --- Reading ----------------------------------------------------------------------------------------------------

/// A fault, from its first word on.
pub fn read(cursor: &mut Cursor<'_>) -> Parsed<Fault> {
    if cursor.eat("crash") {
        let point = point(cursor)?;
        Ok(Fault::Crash(point, restart(cursor)?))
    } else if cursor.eat("pause") {
        let point = point(cursor)?;
        Ok(Fault::Pause(point, lasting(cursor, "for")?))
    } else if cursor.eat("lose request") {
        visits(cursor).map(Fault::LoseRequest)
    } else if cursor.eat("lose reply") {
        visits(cursor).map(Fault::LoseReply)
    } else if cursor.eat("refuse") {
        visits(cursor).map(Fault::Refuse)
    } else if cursor.eat("delay") {
        let visits = visits(cursor)?;
        Ok(Fault::Delay(visits, lasting(cursor, "by")?))
    } else if cursor.eat("down") {
        let party = cursor.name()?.text;
        let moment = moment(cursor)?;
        Ok(Fault::Down(party, moment, lasting(cursor, "for")?))
    } else if cursor.eat("cut") {
        let (one, other) = (cursor.name()?.text, cursor.name()?.text);
        let moment = moment(cursor)?;
        Ok(Fault::Cut(one, other, moment, lasting(cursor, "for")?))
    } else {
        Err(cursor.failure())
    }
}

/// Left out, it is [`RESTART_DEFAULT`].
fn restart(cursor: &mut Cursor<'_>) -> Parsed<Option<Millis>> {
    if cursor.eat("restart") {
        cursor.time().map(Some)
    } else if cursor.eat("never") {
        Ok(None)
    } else {
        Ok(Some(RESTART_DEFAULT))
    }
}

fn lasting(cursor: &mut Cursor<'_>, word: &'static str) -> Parsed<Millis> {
    cursor.require(word)?;
    cursor.time()
}

fn moment(cursor: &mut Cursor<'_>) -> Parsed<Moment> {
    if cursor.eat("at") {
        return cursor.time().map(Moment::At);
    }
    point(cursor).map(Moment::Point)
}

fn point(cursor: &mut Cursor<'_>) -> Parsed<Point> {
    let side = if cursor.eat("before") {
        Side::Before
    } else if cursor.eat("during") {
        Side::During
    } else if cursor.eat("after") {
        Side::After
    } else {
        return Err(cursor.failure());
    };
    let step = step(cursor)?;
    Ok(Point { side, step })
}

fn visits(cursor: &mut Cursor<'_>) -> Parsed<Visits> {
    let first = step(cursor)?;
    let and_all_later = cursor.symbol("+");
    Ok(Visits { first, and_all_later })
}

/// `Relay#2.publish-events.1`; `#1` and `.1` may be left out.
fn step(cursor: &mut Cursor<'_>) -> Parsed<StepName> {
    let service = cursor.name()?.text;
    let instance = if cursor.symbol("#") {
        cursor.count(1, i64::from(INSTANCES_MAX))?
    } else {
        1
    };
    cursor.require_symbol(".")?;
    let step = cursor.hyphenated(Notion::Step)?.text;
    let visit = if cursor.symbol(".") {
        cursor.count(1, i64::from(u32::MAX))?
    } else {
        1
    };
    Ok(StepName {
        service,
        instance: u16::try_from(instance).unwrap_or(u16::MAX),
        step,
        visit,
    })
}

/// Reads a whole text with `read`.
fn whole<T>(text: &str, read: impl FnOnce(&mut Cursor<'_>) -> Parsed<T>) -> Result<T, Diagnostic> {
    let mut tokens = lexer::tokens(text, 1);
    if tokens.last().is_some_and(|token| token.kind == TokenKind::Comment) {
        tokens.pop();
    }
    let mut cursor = Cursor::new(tokens);
    let read = read(&mut cursor).and_then(|value| cursor.finish().map(|()| value));
    read.map_err(|mut problem| {
        if problem.line == 0 {
            (problem.line, problem.column) = (1, 1);
        }
        *problem
    })
}

macro_rules! from_str {
    ($($type:ty: $read:path),*) => {$(
        /// Reads what `Display` writes. Errors: a diagnostic on line 1.
        impl FromStr for $type {
            type Err = Diagnostic;
            fn from_str(text: &str) -> Result<$type, Diagnostic> {
                whole(text, $read)
            }
        }
    )*};
}

from_str!(Fault: read, Moment: moment, Point: point, StepName: step, Visits: visits);

// --- Writing ----------------------------------------------------------------------------------------------------

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Crash(point, Some(restart)) => write!(f, "crash {point} restart {}", Duration(*restart)),
            Fault::Crash(point, None) => write!(f, "crash {point} never"),
            Fault::Pause(point, time) => write!(f, "pause {point} for {}", Duration(*time)),
            Fault::LoseRequest(visits) => write!(f, "lose request {visits}"),
            Fault::LoseReply(visits) => write!(f, "lose reply {visits}"),
            Fault::Refuse(visits) => write!(f, "refuse {visits}"),
            Fault::Delay(visits, time) => write!(f, "delay {visits} by {}", Duration(*time)),
            Fault::Down(party, moment, time) => write!(f, "down {party} {moment} for {}", Duration(*time)),
            Fault::Cut(one, other, moment, time) => write!(f, "cut {one} {other} {moment} for {}", Duration(*time)),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::At(time) => write!(f, "at {}", Duration(*time)),
            Moment::Point(point) => point.fmt(f),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.side, self.step)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Before => "before",
            Side::During => "during",
            Side::After => "after",
        })
    }
}

impl fmt::Display for Visits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.first, if self.and_all_later { "+" } else { "" })
    }
}

/// Without `#1`, always with the visit.
impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.service)?;
        if self.instance != 1 {
            write!(f, "#{}", self.instance)?;
        }
        write!(f, ".{}.{}", self.step, self.visit)
    }
}
