#![doc = include_str!("language/grammar.md")]
//!
//! # How a text is read
//!
//! `lexer` cuts a line into tokens, `lines` builds the tree of lines, `parser` reads statements into the `ast` and goes on after
//! a line that cannot be read, `compile` resolves names and writes the flat instruction lists of [`crate::program`].
//! `fault` reads and writes fault lines, [`edit`] changes them within a text, [`highlight()`] colours a line.
//!
//! Refuses to know: how anything is executed or judged. There is no printer: a text is kept as it was typed.

mod ast;
mod compile;
mod cursor;
mod diagnostics;
pub mod edit;
mod fault;
mod highlight;
mod interval;
mod keywords;
mod lexer;
mod limits;
mod lines;
mod parser;

pub use diagnostics::{Diagnostic, Notion, Problem, Span, Thing, What};
pub use highlight::{Class, highlight};
pub use limits::TEXT_MAX;

use crate::program::Scenario;

/// The grammar and the rules of the language on one page, in Markdown: for the documentation, and as help in the page.
pub const GRAMMAR: &str = include_str!("language/grammar.md");

/// From a bug report to a scenario, on one page, in Markdown: for the documentation, and as help in the page. Here it is:
///
#[doc = include_str!("language/guide.md")]
pub const GUIDE: &str = include_str!("language/guide.md");

/// Reads and compiles a scenario.
///
/// Errors: everything wrong with the text, in text sequence, at least one diagnostic.
pub fn parse(text: &str) -> Result<Scenario, Vec<Diagnostic>> {
    if text.len() > TEXT_MAX {
        let place = Span {
            line: 1,
            column: 1,
            length: 0,
        };
        let bytes_max = TEXT_MAX;
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

/// In text sequence, the first of them, each once: a handler is compiled wherever it is called.
fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| (diagnostic.line, diagnostic.column));
    diagnostics.truncate(limits::DIAGNOSTICS_MAX);
    let mut once: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        let same_place = once.iter().rev().take_while(|known| known.line == diagnostic.line);
        if !same_place.into_iter().any(|known| *known == diagnostic) {
            once.push(diagnostic);
        }
    }
    once
}

#[cfg(test)]
mod tests;
