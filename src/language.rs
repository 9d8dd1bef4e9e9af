//! The scenario language: from text to a [`Scenario`], or to everything that is wrong with the text.

mod ast;
mod compile;
mod cursor;
mod diagnostics;
mod fault;
mod interval;
mod keywords;
mod lexer;
mod limits;
mod lines;
mod parser;

pub use diagnostics::{Diagnostic, Notion, Problem, Span, Thing, What};
pub use limits::BYTES_MAX;

use crate::program::Scenario;

/// Reads and compiles a scenario.
///
/// Errors: everything wrong with the text, in text sequence, at least one diagnostic.
pub fn parse(text: &str) -> Result<Scenario, Vec<Diagnostic>> {
    if text.len() > BYTES_MAX {
        let place = Span {
            line: 1,
            column: 1,
            length: 0,
        };
        let bytes_max = BYTES_MAX;
        return Err(vec![Diagnostic::new(place, Problem::TooLarge { bytes_max })]);
    }
    let mut diagnostics = Vec::new();
    let lines = lines::tree(text, &mut diagnostics);
    let mut parser = parser::Parser::default();
    let file = parser.file(&lines);
    diagnostics.append(&mut parser.diagnostics);
    let scenario = match parser.names_missing {
        true => None,
        false => Some(compile::compile(&file, &mut diagnostics)),
    };
    match scenario {
        Some(scenario) if diagnostics.is_empty() => Ok(scenario),
        _ => Err(sorted(diagnostics)),
    }
}

/// In text sequence, each once: a handler is compiled wherever it is called.
fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| (diagnostic.line, diagnostic.column));
    let mut once: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        let same_place = once.iter().rev().take_while(|known| known.line == diagnostic.line);
        if !same_place.into_iter().any(|known| *known == diagnostic) {
            once.push(diagnostic);
        }
    }
    once
}
