//! What is wrong with a text, whoever finds it.
//!
//! Refuses to know: where it is shown.

use crate::expression::Failure;
use crate::language::Diagnostic;
use crate::program::Program;
use crate::simulation;
use crate::value::Name;
use crate::words::Language;

/// One thing wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The language does not read it.
    Text(Diagnostic),
    /// A database refuses the rows it is to begin with.
    Rows {
        line: u32,
        database: Name,
        failure: Failure,
    },
}

impl Mistake {
    /// What a readable program's databases say to their first rows.
    pub fn in_rows(text: &str, program: &Program) -> Option<Mistake> {
        let (database, failure) = simulation::check(program).err()?;
        let is_its_line = |line: &str| {
            let mut words = line.split_whitespace();
            words.next() == Some("database") && words.next() == Some(&*database)
        };
        // A text has far fewer than 2^32 lines.
        let line = text.lines().position(is_its_line).map_or(1, |index| index as u32 + 1);
        Some(Mistake::Rows {
            line,
            database,
            failure,
        })
    }

    /// From 1.
    pub fn line(&self) -> u32 {
        match self {
            Mistake::Text(diagnostic) => diagnostic.line,
            Mistake::Rows { line, .. } => *line,
        }
    }

    /// From 1, in characters.
    pub fn column(&self) -> u32 {
        match self {
            Mistake::Text(diagnostic) => diagnostic.column,
            Mistake::Rows { .. } => 1,
        }
    }

    /// What is wrong and what was expected, without the place.
    pub fn text(&self, language: Language) -> String {
        match self {
            Mistake::Text(diagnostic) => diagnostic.text(language),
            Mistake::Rows { database, failure, .. } => {
                crate::app::words::sentences::refused_rows(language, database, &failure.detail)
            }
        }
    }
}
