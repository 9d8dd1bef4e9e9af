//! From the tree of lines to the syntax of a file: recursive descent, one line after the other.
//!
//! A line that cannot be read is reported and left out; reading goes on with the next one. Resolves no name.

mod declaration;
mod expression;
mod promise;
mod service;
mod sql;
mod statement;

use super::ast::{File, Ident};
use super::cursor::{Cursor, Parsed};
use super::diagnostics::{Diagnostic, Problem, Thing};
use super::fault;
use super::limits::DIAGNOSTICS_MAX;
use super::lines::Line;
use crate::program::{Expected, FaultLine, Kind};
use crate::value::{Name, Value};

/// Reads a file, collecting what is wrong.
#[derive(Default)]
pub struct Parser {
    pub diagnostics: Vec<Diagnostic>,
    /// A declaration could not be read: names that are missing later would be blamed wrongly.
    pub names_missing: bool,
    /// Blocks around the statement at hand.
    levels: usize,
}

impl Parser {
    pub fn file(&mut self, lines: &[Line<'_>]) -> File {
        let mut file = File::default();
        self.check_first(lines.first());
        for line in lines {
            if self.diagnostics.len() >= DIAGNOSTICS_MAX {
                self.names_missing = true;
                break;
            }
            if line.broken {
                self.names_missing = true;
                continue;
            }
            self.check_indentation(line);
            let mut cursor = Cursor::new(line.tokens.clone());
            let read = self.section(&mut file, &mut cursor, line);
            self.keep(read);
        }
        file
    }

    /// The text starts with its scenario.
    fn check_first(&mut self, first: Option<&Line<'_>>) {
        let mut cursor = Cursor::new(first.map_or_else(Vec::new, |line| line.tokens.clone()));
        if first.is_none_or(|line| !line.broken)
            && let Err(mut problem) = cursor.require("scenario")
        {
            problem.line = problem.line.max(1);
            problem.column = problem.column.max(1);
            self.diagnostics.push(*problem);
            self.names_missing = true;
        }
    }

    fn section<'t>(&mut self, file: &mut File, cursor: &mut Cursor<'t>, line: &Line<'t>) -> Parsed<()> {
        if cursor.eat("scenario") {
            self.scenario(file, cursor, line)
        } else if cursor.eat("database") {
            let database = self.database(cursor, line);
            self.declared(database, &mut file.databases)
        } else if cursor.eat("broker") {
            let broker = self.broker(cursor, line);
            self.declared(broker, &mut file.brokers)
        } else if cursor.eat("outside") {
            self.continues(cursor, line);
            let outside = declaration::outside(cursor);
            self.declared(outside, &mut file.outsides)
        } else if cursor.eat("service") {
            let service = self.service(cursor, line);
            self.declared(service, &mut file.services)
        } else if cursor.eat("promise") {
            file.promises.push(self.promise(cursor, line)?);
            Ok(())
        } else if cursor.eat("expect") {
            self.continues(cursor, line);
            expect(file, cursor)
        } else {
            self.continues(cursor, line);
            let fault = fault::read(cursor)?;
            cursor.finish()?;
            let line = line.number;
            file.faults.push(FaultLine { line, fault });
            Ok(())
        }
    }

    /// Keeps a declaration, or remembers that one is missing.
    fn declared<T>(&mut self, declaration: Parsed<T>, all: &mut Vec<T>) -> Parsed<()> {
        match declaration {
            Ok(declaration) => {
                all.push(declaration);
                Ok(())
            }
            Err(problem) => {
                self.names_missing = true;
                Err(problem)
            }
        }
    }

    /// Reports what is wrong and goes on.
    fn keep<T>(&mut self, parsed: Parsed<T>) -> Option<T> {
        match parsed {
            Ok(value) => Some(value),
            Err(problem) => {
                self.diagnostics.push(*problem);
                None
            }
        }
    }

    /// Reads each line of a block of declarations with `read`; a line that cannot be read leaves names missing.
    fn declarations<T>(&mut self, lines: &[Line<'_>], mut read: impl FnMut(&mut Cursor<'_>) -> Parsed<T>) -> Vec<T> {
        let mut all = Vec::new();
        for line in lines {
            self.check_indentation(line);
            let mut cursor = Cursor::new(line.tokens.clone());
            if line.broken | self.continues(&mut cursor, line) {
                self.names_missing = true;
                continue;
            }
            let declaration = read(&mut cursor).and_then(|read| cursor.finish().map(|()| read));
            let kept = self.declared(declaration, &mut all);
            self.keep(kept);
        }
        all
    }

    /// Takes the deeper lines as a continuation. True if one of them is broken (reported).
    fn continues<'t>(&mut self, cursor: &mut Cursor<'t>, line: &Line<'t>) -> bool {
        let (tokens, broken) = line.continuation();
        cursor.extend(tokens);
        broken
    }

    fn check_indentation(&mut self, line: &Line<'_>) {
        if line.ragged {
            self.diagnostics
                .push(Diagnostic::new(line.span(), Problem::Indentation));
        }
    }
}

/// Behind `expect`.
fn expect(file: &mut File, cursor: &mut Cursor<'_>) -> Parsed<()> {
    if file.expected.is_some() {
        return Err(twice("expect", cursor));
    }
    let mut expected = Vec::new();
    if !cursor.eat("healthy") {
        loop {
            let kind = kind(cursor)?;
            let subject = if cursor.at_end() { None } else { subject(cursor)? };
            expected.push(Expected { kind, subject });
            if !cursor.symbol(",") {
                break;
            }
        }
    }
    cursor.finish()?;
    file.expected = Some(expected);
    Ok(())
}

/// A clause that may stand once stands here again.
fn twice(clause: &str, cursor: &Cursor<'_>) -> Box<Diagnostic> {
    let problem = Problem::Twice {
        thing: Thing::Clause,
        name: Name::from(clause),
    };
    Box::new(Diagnostic::new(cursor.last_span(), problem))
}

const KINDS: [(&str, Kind); 8] = [
    ("phantom", Kind::Phantom),
    ("lost", Kind::Lost),
    ("duplicate", Kind::Duplicate),
    ("wrong value", Kind::WrongValue),
    ("out of order", Kind::OutOfOrder),
    ("stuck", Kind::Stuck),
    ("blocked", Kind::Blocked),
    ("growth", Kind::Growth),
];

/// A kind of finding.
fn kind(cursor: &mut Cursor<'_>) -> Parsed<Kind> {
    if let Some((_, kind)) = KINDS.iter().find(|(words, _)| cursor.eat(words)) {
        return Ok(*kind);
    }
    if cursor.eat("dead") {
        cursor.require_symbol("-")?;
        cursor.require("lettered")?;
        return Ok(Kind::DeadLettered);
    }
    Err(cursor.failure())
}

/// The subject of an expected finding: a number or a text.
fn subject(cursor: &mut Cursor<'_>) -> Parsed<Option<Value>> {
    use super::diagnostics::Notion;
    use super::lexer::TokenKind;
    match cursor.peek().map(|token| &token.kind) {
        Some(TokenKind::Text(_)) => Ok(Some(Value::Text(cursor.text()?))),
        Some(TokenKind::Int(_)) => Ok(Some(Value::Int(cursor.int()?))),
        Some(TokenKind::Symbol("-")) => Ok(Some(Value::Int(cursor.signed()?))),
        Some(TokenKind::Symbol(",")) => Ok(None),
        _ => Err(cursor.wanted(Notion::Literal)),
    }
}

/// Names separated by commas.
fn names(cursor: &mut Cursor<'_>) -> Parsed<Vec<Ident>> {
    let mut names = vec![cursor.name()?];
    while cursor.symbol(",") {
        names.push(cursor.name()?);
    }
    Ok(names)
}
