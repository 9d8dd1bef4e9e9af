//! From a text to its tree of lines: deeper lines belong to the line above them.
//!
//! Whether deeper lines are a block or a continuation is the parser's affair: it depends on the statement.

use super::diagnostics::{Diagnostic, Problem, Span};
use super::lexer::{self, Token, TokenKind};
use std::iter::Peekable;

/// Levels of indentation a text may have.
pub const LEVELS_MAX: usize = 32;

/// A line that holds more than a comment, and the deeper lines below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'t> {
    pub number: u32,
    /// Never empty; without comments.
    pub tokens: Vec<Token<'t>>,
    pub children: Vec<Line<'t>>,
    /// Indented otherwise than the lines of its block: right in a continuation, wrong in a block.
    pub ragged: bool,
    /// Holds a token that could not be read, reported already.
    pub broken: bool,
}

impl<'t> Line<'t> {
    /// The place of the first token.
    pub fn span(&self) -> Span {
        self.tokens.first().map_or(Span::default(), |token| token.span)
    }

    pub fn starts_with(&self, word: &str) -> bool {
        self.tokens.first().is_some_and(|token| token.is_word(word))
    }

    /// The tokens of all deeper lines, in sequence, and whether one of the lines is broken.
    pub fn continuation(&self) -> (Vec<Token<'t>>, bool) {
        let mut tokens = Vec::new();
        let mut broken = false;
        for child in &self.children {
            tokens.extend(child.tokens.iter().cloned());
            let (deeper, deeper_broken) = child.continuation();
            tokens.extend(deeper);
            broken |= child.broken | deeper_broken;
        }
        (tokens, broken)
    }
}

struct Flat<'t> {
    indentation: usize,
    number: u32,
    tokens: Vec<Token<'t>>,
    broken: bool,
}

/// The tree of a text; what cannot be read is added to `diagnostics`.
pub fn tree<'t>(text: &'t str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Line<'t>> {
    // Some editors begin a file with a byte-order mark; it is no part of the first line.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut flat = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let mut tokens = lexer::tokens(line, number);
        tokens.retain(|token| token.kind != TokenKind::Comment);
        let wrong = tokens.iter().find_map(Token::diagnostic);
        let broken = wrong.is_some();
        diagnostics.extend(wrong);
        if let Some(first) = tokens.first() {
            let indentation = first.start;
            flat.push(Flat {
                indentation,
                number,
                tokens,
                broken,
            });
        }
    }
    let mut lines = flat.into_iter().peekable();
    let mut roots = block(&mut lines, 0, 0, diagnostics);
    // Lines before the first one without indentation.
    if let Some(first) = roots.first_mut()
        && first.tokens.first().is_some_and(|token| token.start > 0)
    {
        first.ragged = true;
    }
    roots
}

/// The lines from here that are indented by at least `indentation`.
fn block<'t>(
    lines: &mut Peekable<impl Iterator<Item = Flat<'t>>>,
    indentation: usize,
    level: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Line<'t>> {
    let mut block: Vec<Line<'t>> = Vec::new();
    while let Some(next) = lines.next_if(|line| line.indentation >= indentation) {
        let own = next.indentation;
        let mut line = Line {
            number: next.number,
            tokens: next.tokens,
            children: Vec::new(),
            ragged: own > indentation,
            broken: next.broken,
        };
        if let Some(deeper) = lines.peek()
            && deeper.indentation > own
        {
            let deeper = deeper.indentation;
            if level < LEVELS_MAX {
                line.children = self::block(lines, deeper, level + 1, diagnostics);
                adopt(lines, own, &mut line.children, level, diagnostics);
            } else {
                let levels_max = LEVELS_MAX;
                diagnostics.push(Diagnostic::new(line.span(), Problem::TooDeep { levels_max }));
                while lines.next_if(|line| line.indentation > own).is_some() {}
            }
        }
        block.push(line);
    }
    block
}

/// Lines less deep than the block before them but deeper than its owner: they belong to the owner too, raggedly.
fn adopt<'t>(
    lines: &mut Peekable<impl Iterator<Item = Flat<'t>>>,
    owner: usize,
    children: &mut Vec<Line<'t>>,
    level: usize,
    diagnostics: &mut Vec<Diagnostic>,
) {
    while let Some(indentation) = lines.peek().map(|next| next.indentation).filter(|own| *own > owner) {
        let mut more = block(lines, indentation, level + 1, diagnostics);
        if let Some(first) = more.first_mut() {
            first.ragged = true;
        }
        children.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(lines: &[Line<'_>]) -> String {
        let shown: Vec<String> = lines
            .iter()
            .map(|line| {
                let ragged = if line.ragged { "!" } else { "" };
                let text = line.tokens[0].text;
                match line.children.is_empty() {
                    true => format!("{text}{ragged}"),
                    false => format!("{text}{ragged}({})", shape(&line.children)),
                }
            })
            .collect();
        shown.join(" ")
    }

    #[test]
    fn deeper_lines_are_children() {
        let mut diagnostics = Vec::new();
        let lines = tree("a\n  b\n    c\n  d -- x\n\n-- y\ne", &mut diagnostics);
        assert_eq!(shape(&lines), "a(b(c) d) e");
        assert_eq!(diagnostics, []);
    }

    #[test]
    fn lines_between_two_levels_are_ragged() {
        let mut diagnostics = Vec::new();
        assert_eq!(shape(&tree("a\n    b\n  c\nd", &mut diagnostics)), "a(b c!) d");
        assert_eq!(shape(&tree("  a\nb", &mut diagnostics)), "a! b");
    }

    #[test]
    fn endless_nesting_is_refused() {
        let text: String = (0..100).map(|n| format!("{}x\n", " ".repeat(n))).collect();
        let mut diagnostics = Vec::new();
        tree(&text, &mut diagnostics);
        let problems: Vec<_> = diagnostics.iter().map(|d| &d.problem).collect();
        assert_eq!(problems, [&Problem::TooDeep { levels_max: LEVELS_MAX }]);
    }
}
