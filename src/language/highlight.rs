//! Which parts of a line are keywords, names, texts, numbers, comments: for showing it in colours.
//!
//! Sees one line alone, so it never lags behind while a line is being typed.

use super::keywords;
use super::lexer::{self, Token, TokenKind};
use std::ops::Range;

/// What a part of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Keyword,
    Name,
    Text,
    /// Numbers and times.
    Number,
    Comment,
}

/// The parts of a line in sequence, as ranges of bytes; signs, blanks and what cannot be read are left out.
pub fn highlight(line: &str) -> Vec<(Range<usize>, Class)> {
    let tokens = lexer::tokens(line, 1);
    let mut parts = Vec::new();
    let mut previous: Option<&Token<'_>> = None;
    for token in &tokens {
        if let Some(class) = class(token, previous) {
            parts.push((token.start..token.end(), class));
        }
        previous = Some(token);
    }
    parts
}

fn class(token: &Token<'_>, previous: Option<&Token<'_>>) -> Option<Class> {
    match token.kind {
        TokenKind::Word if keywords::is_keyword(token.text) && !names(token, previous) => Some(Class::Keyword),
        TokenKind::Word | TokenKind::NumberLike(_) => Some(Class::Name),
        TokenKind::Int(_) | TokenKind::Time(_) => Some(Class::Number),
        TokenKind::Text(_) | TokenKind::Quoted(_) => Some(Class::Text),
        TokenKind::Comment => Some(Class::Comment),
        TokenKind::Symbol(_) | TokenKind::Wrong(_) => None,
    }
}

/// Directly behind a dot, a colon or a hyphen even a keyword is a name.
fn names(token: &Token<'_>, previous: Option<&Token<'_>>) -> bool {
    previous.is_some_and(|previous| {
        previous.end() == token.start && [".", ":", "-"].iter().any(|symbol| previous.is_symbol(symbol))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<(&str, Class)> {
        highlight(line)
            .into_iter()
            .map(|(range, class)| (&line[range], class))
            .collect()
    }

    #[test]
    fn parts_of_a_statement() {
        use Class::*;
        assert_eq!(
            shown("  mark: update ausgänge set at = :row.at where id = 'é' and n > 5 -- later"),
            [
                ("mark", Name),
                ("update", Keyword),
                ("ausgänge", Name),
                ("set", Keyword),
                ("at", Keyword),
                ("row", Name),
                ("at", Name),
                ("where", Keyword),
                ("id", Name),
                ("'é'", Text),
                ("and", Keyword),
                ("n", Name),
                ("5", Number),
                ("-- later", Comment),
            ]
        );
        assert_eq!(
            shown("crash after Relay#2.publish-events.1 restart 5s"),
            [
                ("crash", Keyword),
                ("after", Keyword),
                ("Relay", Name),
                ("2", Number),
                ("publish", Name),
                ("events", Name),
                ("1", Number),
                ("restart", Keyword),
                ("5s", Number),
            ]
        );
        assert_eq!(shown("'open"), []);
    }
}
