//! Reading one statement, token by token, while noting what could have stood at each place.
//!
//! Every question the parser asks in vain is remembered until the cursor moves on; a failure then lists them all.

use super::ast::Ident;
use super::diagnostics::{Diagnostic, Notion, Problem, Span, What, nearest};
use super::keywords;
use super::lexer::{Token, TokenKind};
use crate::value::{Millis, Name};
use std::rc::Rc;

/// What could be read, or what is wrong.
pub type Parsed<T> = Result<T, Box<Diagnostic>>;

/// How deep expressions may nest. Each level costs a few stack frames when it is read, compiled and evaluated.
pub const EXPRESSION_LEVELS_MAX: u32 = 64;

pub struct Cursor<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    asked: Vec<What>,
    /// Nesting of the expression at hand.
    levels: u32,
}

impl<'t> Cursor<'t> {
    pub fn new(tokens: Vec<Token<'t>>) -> Cursor<'t> {
        Cursor {
            tokens,
            at: 0,
            asked: Vec::new(),
            levels: 0,
        }
    }

    /// Adds the tokens of a continuation.
    pub fn extend(&mut self, tokens: Vec<Token<'t>>) {
        self.tokens.extend(tokens);
    }

    // --- Looking ----------------------------------------------------------------------------------------------

    pub fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at)
    }

    pub fn peek_second(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at + 1)
    }

    pub fn at_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.is_word(word))
    }

    pub fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// True if this word stands anywhere ahead.
    pub fn ahead(&self, word: &str) -> bool {
        self.tokens.iter().skip(self.at).any(|token| token.is_word(word))
    }

    /// The place of the next token; at the end the place just behind the last one.
    pub fn span(&self) -> Span {
        match (self.peek(), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => Span {
                column: last.span.column + last.span.length,
                length: 0,
                ..last.span
            },
            (None, None) => Span::default(),
        }
    }

    /// The place of the last token read.
    pub fn last_span(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or_else(|| self.span(), |token| token.span)
    }

    // --- Asking -----------------------------------------------------------------------------------------------

    fn advance(&mut self) {
        self.at += 1;
        self.asked.clear();
    }

    fn ask(&mut self, what: What) {
        if !self.asked.contains(&what) {
            self.asked.push(what);
        }
    }

    /// Takes this word (or these words) if they stand here.
    pub fn eat(&mut self, words: &'static str) -> bool {
        let mut at = self.at;
        for word in words.split(' ') {
            debug_assert!(keywords::is_keyword(word), "`{word}` is not in the list of keywords");
            if !self.tokens.get(at).is_some_and(|token| token.is_word(word)) {
                self.ask(What::Word(words));
                return false;
            }
            at += 1;
        }
        self.at = at;
        self.asked.clear();
        true
    }

    pub fn require(&mut self, words: &'static str) -> Parsed<()> {
        if self.eat(words) { Ok(()) } else { Err(self.failure()) }
    }

    pub fn symbol(&mut self, symbol: &'static str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_symbol(symbol));
        if found {
            self.advance();
        } else {
            self.ask(What::Symbol(symbol));
        }
        found
    }

    pub fn require_symbol(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.symbol(symbol) {
            Ok(())
        } else {
            Err(self.failure())
        }
    }

    /// A name: a word that has no meaning of its own in expressions.
    pub fn name(&mut self) -> Parsed<Ident> {
        self.name_as(Notion::Name)
    }

    pub fn name_as(&mut self, notion: Notion) -> Parsed<Ident> {
        match self.peek() {
            Some(token) if token.kind == TokenKind::Word => {
                let ident = Ident::new(token.text, token.span);
                if keywords::is_reserved(token.text) {
                    let problem = Problem::Reserved(ident.text);
                    return Err(Box::new(Diagnostic::new(ident.span, problem)));
                }
                self.advance();
                Ok(ident)
            }
            _ => Err(self.wanted(notion)),
        }
    }

    /// A field after a dot: any word will do.
    pub fn field(&mut self) -> Parsed<Ident> {
        match self.peek() {
            Some(token) if token.kind == TokenKind::Word => {
                let ident = Ident::new(token.text, token.span);
                self.advance();
                Ok(ident)
            }
            _ => Err(self.wanted(Notion::Name)),
        }
    }

    /// Letters, digits, `_` and `-` without blanks between: a step, or the id of a scenario.
    pub fn hyphenated(&mut self, notion: Notion) -> Parsed<Ident> {
        let Some(length) = self.hyphenated_length() else {
            return Err(self.wanted(notion));
        };
        let tokens = &self.tokens[self.at..self.at + length]; // the length counts tokens that are there
        let text: String = tokens.iter().map(|token| token.text).collect();
        let span = tokens.iter().fold(self.span(), |span, token| span.to(token.span));
        self.at += length;
        self.asked.clear();
        Ok(Ident::new(&text, span))
    }

    /// How many tokens from here make one hyphenated name.
    fn hyphenated_length(&self) -> Option<usize> {
        let first = self.peek()?;
        if first.kind != TokenKind::Word {
            return None;
        }
        let mut length = 1;
        let mut end = (first.span.line, first.end());
        let adjacent = |at: usize, end: (u32, usize)| {
            self.tokens
                .get(self.at + at)
                .filter(|token| (token.span.line, token.start) == end)
        };
        while let Some(hyphen) = adjacent(length, end).filter(|token| token.is_symbol("-"))
            && let Some(part) = adjacent(length + 1, (end.0, hyphen.end())).filter(|token| is_name_part(&token.kind))
        {
            end.1 = part.end();
            length += 2;
        }
        Some(length)
    }

    /// A name with `:` directly behind it: the name of a step.
    pub fn label(&mut self) -> Option<Ident> {
        let length = self.hyphenated_length()?;
        let last = self.tokens.get(self.at + length - 1)?; // the length is at least 1
        let colon = self.tokens.get(self.at + length)?;
        if !colon.is_symbol(":") || (colon.span.line, colon.start) != (last.span.line, last.end()) {
            return None;
        }
        let label = self.hyphenated(Notion::Step).ok()?;
        self.symbol(":");
        Some(label)
    }

    /// An optional sign and a whole number.
    pub fn signed(&mut self) -> Parsed<i64> {
        let negative = self.symbol("-");
        let number = self.int()?;
        Ok(if negative { -number } else { number })
    }

    pub fn int(&mut self) -> Parsed<i64> {
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Int(number)) => {
                let number = *number;
                self.advance();
                Ok(number)
            }
            _ => Err(self.wanted(Notion::Int)),
        }
    }

    /// A whole number within bounds.
    pub fn count(&mut self, min: i64, max: i64) -> Parsed<u32> {
        let number = self.int()?;
        match u32::try_from(number) {
            Ok(count) if (min..=max).contains(&number) => Ok(count),
            _ => Err(Box::new(Diagnostic::new(
                self.last_span(),
                Problem::OutOfRange { min, max },
            ))),
        }
    }

    pub fn time(&mut self) -> Parsed<Millis> {
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Time(time)) => {
                let time = *time;
                self.advance();
                Ok(time)
            }
            _ => Err(self.wanted(Notion::Time)),
        }
    }

    /// A time longer than zero.
    pub fn span_of_time(&mut self) -> Parsed<Millis> {
        match self.time()? {
            0 => Err(Box::new(Diagnostic::new(self.last_span(), Problem::ZeroTime))),
            time => Ok(time),
        }
    }

    /// `'…'`.
    pub fn text(&mut self) -> Parsed<Rc<str>> {
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Text(text)) => {
                let text = text.clone();
                self.advance();
                Ok(text)
            }
            _ => Err(self.wanted(Notion::Text)),
        }
    }

    /// `"…"`.
    pub fn quoted(&mut self) -> Parsed<Rc<str>> {
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Quoted(text)) => {
                let text = text.clone();
                self.advance();
                Ok(text)
            }
            _ => Err(self.wanted(Notion::Quoted)),
        }
    }

    /// Nothing more may follow.
    pub fn finish(&mut self) -> Parsed<()> {
        if self.at_end() {
            return Ok(());
        }
        self.ask(What::A(Notion::EndOfLine));
        Err(self.failure())
    }

    // --- Failing ----------------------------------------------------------------------------------------------

    /// Notes that this could have stood here too, and fails.
    pub fn wanted(&mut self, notion: Notion) -> Box<Diagnostic> {
        self.ask(What::A(notion));
        self.failure()
    }

    /// What is wrong here: everything asked for in vain at this place was possible.
    pub fn failure(&self) -> Box<Diagnostic> {
        let span = self.span();
        let Some(token) = self.peek() else {
            return Box::new(Diagnostic::new(span, self.unexpected(None)));
        };
        let problem = match &token.kind {
            TokenKind::NumberLike(problem) | TokenKind::Wrong(problem) => problem.clone(),
            _ => self.unexpected(Some(token)),
        };
        Box::new(Diagnostic::new(span, problem))
    }

    fn unexpected(&self, found: Option<&Token<'_>>) -> Problem {
        let mut expected = self.asked.clone();
        expected.sort();
        let words = expected.iter().filter_map(|what| match what {
            What::Word(word) => word.split(' ').next(),
            _ => None,
        });
        let near = found
            .filter(|token| token.kind == TokenKind::Word)
            .and_then(|token| nearest(&token.text.to_ascii_lowercase(), words))
            .map(Name::from);
        Problem::Expected {
            found: found.map(|token| token.text.to_owned()),
            expected,
            near,
        }
    }

    /// Enters a level of an expression; [`Cursor::leave`] takes it back.
    pub fn enter(&mut self) -> Parsed<()> {
        self.levels += 1;
        self.check_levels(self.levels)
    }

    pub fn leave(&mut self) {
        self.levels = self.levels.saturating_sub(1);
    }

    /// Fails if an expression of so many levels is too deep.
    pub fn check_levels(&self, levels: u32) -> Parsed<()> {
        if levels <= EXPRESSION_LEVELS_MAX {
            return Ok(());
        }
        let levels_max = EXPRESSION_LEVELS_MAX;
        Err(Box::new(Diagnostic::new(
            self.span(),
            Problem::ExpressionTooDeep { levels_max },
        )))
    }
}

fn is_name_part(kind: &TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Word | TokenKind::Int(_) | TokenKind::Time(_) | TokenKind::NumberLike(_)
    )
}
