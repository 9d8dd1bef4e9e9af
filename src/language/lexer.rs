//! From one line of text to tokens with their columns.
//!
//! Knows no grammar: whether a word is a keyword or a name is the parser's affair. Never fails; what it cannot read becomes
//! a token that says so.

use super::diagnostics::{Diagnostic, Problem, Span};
use crate::value::Millis;
use std::rc::Rc;

/// The longest time that can be written: a hundred years, so that sums of times stay far from overflow.
pub const TIME_MAX: Millis = 36_500 * 86_400_000;

/// A piece of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Token<'t> {
    pub kind: TokenKind,
    /// As it stands in the text.
    pub text: &'t str,
    /// Where it starts in its line, in bytes.
    pub start: usize,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// Letters, digits and `_`, not starting with a digit.
    Word,
    Int(i64),
    /// `30s`, in milliseconds.
    Time(Millis),
    /// `'text'`, two quotes for one inside.
    Text(Rc<str>),
    /// `"text"`.
    Quoted(Rc<str>),
    Symbol(&'static str),
    /// `-- …` to the end of the line.
    Comment,
    /// Starts with a digit but is neither number nor time: part of a name (`2pc`), or wrong.
    NumberLike(Problem),
    Wrong(Problem),
}

impl Token<'_> {
    /// Where it ends in its line, in bytes.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// True for this word, whatever its case.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.kind, TokenKind::Symbol(s) if s == symbol)
    }

    /// What is wrong with the token wherever it stands.
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        match &self.kind {
            TokenKind::Wrong(problem) => Some(Diagnostic::new(self.span, problem.clone())),
            _ => None,
        }
    }
}

/// Longest first, so that `<=` is not read as `<`.
const SYMBOLS: [&str; 24] = [
    "::", "<>", "!=", "<=", ">=", "||", "(", ")", ",", "=", "<", ">", "+", "-", "*", ":", ".", "#", "[", "]", "{", "}",
    ";", "/",
];

/// The tokens of one line (without its line break), in sequence; blanks are left out.
pub fn tokens(line: &str, number: u32) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    let mut column = 1;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = match first {
            ' ' | '\r' => {
                rest = &rest[1..]; // one byte each
                column += 1;
                continue;
            }
            _ => token(rest, first),
        };
        // `length` is the end of a whole character: each branch of `token` adds up characters.
        let (text, after) = rest.split_at(length);
        let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let span = Span {
            line: number,
            column,
            length,
        };
        tokens.push(Token {
            kind,
            text,
            start: line.len() - rest.len(),
            span,
        });
        column += length;
        rest = after;
    }
    tokens
}

/// The kind of the token that `rest` starts with, and its length in bytes.
fn token(rest: &str, first: char) -> (TokenKind, usize) {
    if rest.starts_with("--") {
        return (TokenKind::Comment, rest.trim_end_matches('\r').len());
    }
    if first.is_ascii_digit() {
        let length = word_length(rest);
        return (number(&rest[..length]), length);
    }
    if is_word_character(first) {
        return (TokenKind::Word, word_length(rest));
    }
    if first == '\'' || first == '"' {
        return quoted(rest, first);
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => (TokenKind::Symbol(symbol), symbol.len()),
        None if first == '\t' => (TokenKind::Wrong(Problem::Tab), 1),
        None => (TokenKind::Wrong(Problem::UnknownCharacter(first)), first.len_utf8()),
    }
}

fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_length(rest: &str) -> usize {
    rest.find(|c| !is_word_character(c)).unwrap_or(rest.len())
}

/// Units of time and their milliseconds.
const UNITS: [(&str, Millis); 6] = [
    ("ms", 1),
    ("s", 1_000),
    ("min", 60_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];

fn number(text: &str) -> TokenKind {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits);
    let Ok(count) = digits.parse::<i64>() else {
        return TokenKind::NumberLike(Problem::NumberTooLarge);
    };
    if unit.is_empty() {
        return TokenKind::Int(count);
    }
    match UNITS.iter().find(|(name, _)| *name == unit) {
        None => TokenKind::NumberLike(Problem::UnknownUnit(unit.to_owned())),
        Some((_, size)) => match count.checked_mul(*size).filter(|time| *time <= TIME_MAX) {
            Some(time) => TokenKind::Time(time),
            None => TokenKind::NumberLike(Problem::NumberTooLarge),
        },
    }
}

/// A text in quotes; the quote itself is written twice inside.
fn quoted(rest: &str, quote: char) -> (TokenKind, usize) {
    let mut content = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c != quote {
            content.push(c);
        } else if characters.next_if(|(_, next)| *next == quote).is_some() {
            content.push(quote);
        } else {
            let content = Rc::from(content);
            let kind = if quote == '"' {
                TokenKind::Quoted(content)
            } else {
                TokenKind::Text(content)
            };
            return (kind, at + 1);
        }
    }
    (
        TokenKind::Wrong(Problem::OpenText(quote)),
        rest.trim_end_matches('\r').len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<TokenKind> {
        tokens(line, 1).into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn signs_numbers_times_and_texts() {
        use TokenKind::*;
        assert_eq!(
            kinds("a <= 12::int || 'it''s' -- rest"),
            [
                Word,
                Symbol("<="),
                Int(12),
                Symbol("::"),
                Word,
                Symbol("||"),
                Text("it's".into()),
                Comment
            ]
        );
        assert_eq!(
            kinds("1ms 2s 3min 3m 1h 7d"),
            [1, 2_000, 180_000, 180_000, 3_600_000, 604_800_000].map(Time)
        );
        assert_eq!(kinds("Relay#2.mark.1").len(), 7);
    }

    #[test]
    fn columns_count_characters() {
        let tokens = tokens("  'ä' ü", 7);
        let places: Vec<_> = tokens
            .iter()
            .map(|t| (t.span.line, t.span.column, t.span.length))
            .collect();
        assert_eq!(places, [(7, 3, 3), (7, 7, 1)]);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        use Problem::*;
        assert_eq!(kinds("'open"), [TokenKind::Wrong(OpenText('\''))]);
        assert_eq!(kinds("\t"), [TokenKind::Wrong(Tab)]);
        assert_eq!(kinds("€"), [TokenKind::Wrong(UnknownCharacter('€'))]);
        assert_eq!(
            kinds("5parsecs"),
            [TokenKind::NumberLike(UnknownUnit("parsecs".into()))]
        );
        assert_eq!(kinds("99999999999999999999"), [TokenKind::NumberLike(NumberTooLarge)]);
        assert_eq!(kinds("36501d"), [TokenKind::NumberLike(NumberTooLarge)]);
    }
}
