//! Promises: what shall come out, and what the scenario itself says about it.

use super::expression::{expression, path};
use super::{Parser, kind, sql};
use crate::language::ast::{Part, Promise, PromiseKind, Sentence, Set};
use crate::language::cursor::{Cursor, Parsed};
use crate::language::diagnostics::{Diagnostic, Notion, Problem, Span};
use crate::language::lexer::{self, Token};
use crate::language::lines::Line;
use crate::program::Count;
use std::rc::Rc;

/// Words a line below a promise can start with; other deeper lines continue the promise itself.
const BLOCK_STARTS: [&str; 11] = [
    "waiting",
    "healthy",
    "phantom",
    "lost",
    "duplicate",
    "wrong",
    "out",
    "stuck",
    "blocked",
    "dead",
    "growth",
];

impl Parser {
    /// Behind `promise`.
    pub(super) fn promise<'t>(&mut self, cursor: &mut Cursor<'t>, line: &Line<'t>) -> Parsed<Promise> {
        let starts_block = |line: &Line<'_>| BLOCK_STARTS.iter().any(|word| line.starts_with(word));
        let continued = line
            .children
            .iter()
            .position(starts_block)
            .unwrap_or(line.children.len());
        let (continuation, block) = line.children.split_at(continued); // a position within the list, or its length
        for child in continuation {
            cursor.extend(child.tokens.clone());
            cursor.extend(child.continuation().0);
        }
        let kind = promise_kind(cursor)?;
        cursor.finish()?;
        let mut promise = Promise {
            line: line.number,
            kind,
            sentences: Vec::new(),
        };
        for child in block {
            self.check_indentation(child);
            let mut cursor = Cursor::new(child.tokens.clone());
            if child.broken | self.continues(&mut cursor, child) {
                continue;
            }
            let read = promise_line(&mut promise, &mut cursor).and_then(|()| cursor.finish());
            self.keep(read);
        }
        Ok(promise)
    }
}

fn promise_kind(cursor: &mut Cursor<'_>) -> Parsed<PromiseKind> {
    if cursor.eat("value") {
        cursor.require_symbol("(")?;
        let select = sql::select(cursor)?;
        cursor.require_symbol(")")?;
        cursor.require_symbol("=")?;
        return Ok(PromiseKind::Value(select, expression(cursor)?));
    }
    if cursor.eat("no") {
        return set(cursor).map(PromiseKind::No);
    }
    let count = if cursor.eat("one") {
        Count::One
    } else if cursor.eat("at most one") {
        Count::AtMostOne
    } else if cursor.eat("at least one") {
        Count::AtLeastOne
    } else if cursor.eat("at most") {
        let most = cursor.int()?;
        return set(cursor).map(|set| PromiseKind::AtMost(most, set));
    } else {
        return in_order(cursor);
    };
    let effect = set(cursor)?;
    cursor.require("for each")?;
    let cause = set(cursor)?;
    cursor.require("matching")?;
    Ok(PromiseKind::Each {
        count,
        effect,
        cause,
        matching: expression(cursor)?,
        waiting: Vec::new(),
    })
}

fn in_order(cursor: &mut Cursor<'_>) -> Parsed<PromiseKind> {
    let path = path(cursor)?;
    let filter = if cursor.eat("where") {
        Some(expression(cursor)?)
    } else {
        None
    };
    cursor.require("in order of")?;
    let of = expression(cursor)?;
    let per = if cursor.eat("per") {
        Some(expression(cursor)?)
    } else {
        None
    };
    let set = Set { path, filter };
    Ok(PromiseKind::InOrder { set, of, per })
}

fn set(cursor: &mut Cursor<'_>) -> Parsed<Set> {
    let path = path(cursor)?;
    let filter = if cursor.eat("where") {
        Some(expression(cursor)?)
    } else {
        None
    };
    Ok(Set { path, filter })
}

/// A line below a promise.
fn promise_line(promise: &mut Promise, cursor: &mut Cursor<'_>) -> Parsed<()> {
    if let PromiseKind::Each { waiting, .. } = &mut promise.kind
        && cursor.eat("waiting in")
    {
        waiting.push(set(cursor)?);
        return Ok(());
    }
    let kind = if cursor.eat("healthy") {
        None
    } else {
        Some(kind(cursor)?)
    };
    let language = cursor.name_as(Notion::LanguageCode)?;
    let text = cursor.quoted()?;
    let parts = parts(&text, cursor.last_span())?;
    promise.sentences.push(Sentence {
        kind,
        language: language.text,
        parts,
    });
    Ok(())
}

/// Splits a sentence at its `{expr}`s. `place` is the quoted text with its quotes.
fn parts(text: &Rc<str>, place: Span) -> Parsed<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest: &str = text;
    let mut column = place.column + 1;
    while let Some((before, inside)) = rest.split_once('{') {
        column += characters(before) + 1;
        if !before.is_empty() {
            parts.push(Part::Text(before.into()));
        }
        let Some((inside, after)) = inside.split_once('}') else {
            return Err(Box::new(Diagnostic::new(place, Problem::OpenText('{'))));
        };
        parts.push(Part::Value(value(inside, place, column)?));
        column += characters(inside) + 1;
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.into()));
    }
    Ok(parts)
}

fn characters(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// The expression between braces.
fn value(inside: &str, place: Span, column: u32) -> Parsed<crate::language::ast::Expression> {
    let mut tokens: Vec<Token<'_>> = lexer::tokens(inside, place.line);
    for token in &mut tokens {
        token.span.column += column - 1;
    }
    if tokens.is_empty() {
        return Err(Cursor::new(Vec::new()).wanted(Notion::Expression)).map_err(|mut problem: Box<Diagnostic>| {
            (problem.line, problem.column) = (place.line, column);
            problem
        });
    }
    let mut cursor = Cursor::new(tokens);
    let value = expression(&mut cursor)?;
    cursor.finish()?;
    Ok(value)
}
