//! Services and what starts their blocks.

use super::statement::Siblings;
use super::{Parser, expression, names, sql};
use crate::language::ast::{Ident, Service, Trigger, TriggerKind};
use crate::language::cursor::{Cursor, Parsed};
use crate::language::diagnostics::{Diagnostic, Notion, Problem};
use crate::language::lexer::{Token, TokenKind};
use crate::language::limits::{INSTANCES_MAX, PREFETCH_MAX};
use crate::language::lines::Line;

impl Parser {
    /// Behind `service`.
    pub(super) fn service(&mut self, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<Service> {
        let name = cursor.name()?;
        let instances = instances(cursor)?;
        let databases = if cursor.eat("on") { names(cursor)? } else { Vec::new() };
        cursor.finish()?;
        if line.children.is_empty() {
            return Err(cursor.wanted(Notion::DeeperLine));
        }
        let mut service = Service {
            name,
            instances,
            databases,
            memory: Vec::new(),
            triggers: Vec::new(),
        };
        let mut lines: Siblings<'_, '_> = line.children.iter().peekable();
        while let Some(line) = lines.next() {
            self.check_indentation(line);
            if line.broken {
                self.names_missing = true;
                continue;
            }
            let mut cursor = Cursor::new(line.tokens.clone());
            let read = self.member(&mut service, &mut cursor, line, &mut lines);
            if read.is_err() {
                self.names_missing = true;
            }
            self.keep(read);
        }
        Ok(service)
    }

    /// A line below `service`: a variable of the instance, or a trigger with its block.
    fn member<'t>(
        &mut self,
        service: &mut Service,
        cursor: &mut Cursor<'t>,
        line: &Line<'t>,
        siblings: &mut Siblings<'_, 't>,
    ) -> Parsed<()> {
        if cursor.eat("memory") {
            if self.continues(cursor, line) {
                self.names_missing = true;
                return Ok(());
            }
            let name = cursor.name()?;
            cursor.require_symbol("=")?;
            let value = expression::expression(cursor)?;
            cursor.finish()?;
            service.memory.push((name, value));
            return Ok(());
        }
        let kind = trigger(cursor)?;
        let block = self.block_of(cursor, line, Some(siblings))?;
        service.triggers.push(Trigger {
            span: line.span(),
            kind,
            block,
        });
        Ok(())
    }
}

/// `x2`, or `x 2`; 1 when left out.
fn instances(cursor: &mut Cursor<'_>) -> Parsed<u16> {
    let joined = cursor.peek().and_then(joined_instances);
    let count = match joined {
        Some(count) => {
            let place = cursor.span();
            cursor.field()?;
            u32::try_from(count)
                .ok()
                .filter(|count| (1..=INSTANCES_MAX).contains(count))
                .ok_or_else(|| {
                    let (min, max) = (1, i64::from(INSTANCES_MAX));
                    Box::new(Diagnostic::new(place, Problem::OutOfRange { min, max }))
                })?
        }
        None if cursor.eat("x") => cursor.count(1, i64::from(INSTANCES_MAX))?,
        None => 1,
    };
    Ok(u16::try_from(count).unwrap_or(u16::MAX))
}

/// The number behind the `x` of `x2`.
fn joined_instances(token: &Token<'_>) -> Option<u64> {
    let digits = token.text.strip_prefix(['x', 'X'])?;
    if token.kind != TokenKind::Word || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u64::MAX))
}

fn trigger(cursor: &mut Cursor<'_>) -> Parsed<TriggerKind> {
    if cursor.eat("at") {
        at(cursor)
    } else if cursor.eat("every") {
        cursor.span_of_time().map(TriggerKind::Every)
    } else if cursor.eat("start") {
        Ok(TriggerKind::Start)
    } else if cursor.eat("handle") {
        let name = cursor.name()?;
        cursor.require_symbol("(")?;
        let parameters = parameters(cursor)?;
        Ok(TriggerKind::Handle { name, parameters })
    } else if cursor.eat("receive") {
        let queue = sql::qualified(cursor)?;
        let prefetch = match cursor.eat("prefetch") {
            true => cursor.count(1, i64::from(PREFETCH_MAX))?,
            false => 1,
        };
        cursor.require("as")?;
        let message = cursor.name()?;
        Ok(TriggerKind::Receive {
            queue,
            prefetch,
            message,
        })
    } else if cursor.eat("follow") {
        let table = sql::qualified(cursor)?;
        let after = if cursor.eat("after") {
            Some(expression::expression(cursor)?)
        } else {
            None
        };
        cursor.require("as")?;
        let change = cursor.name()?;
        Ok(TriggerKind::Follow { table, after, change })
    } else {
        Err(cursor.failure())
    }
}

fn at(cursor: &mut Cursor<'_>) -> Parsed<TriggerKind> {
    let at = cursor.time()?;
    let (mut times, mut every) = (1, 0);
    if cursor.eat("times") {
        times = cursor.count(1, 1_000_000)?;
        cursor.require("every")?;
        every = cursor.time()?;
    }
    Ok(TriggerKind::At { at, times, every })
}

fn parameters(cursor: &mut Cursor<'_>) -> Parsed<Vec<Ident>> {
    if cursor.symbol(")") {
        return Ok(Vec::new());
    }
    let parameters = names(cursor)?;
    cursor.require_symbol(")")?;
    Ok(parameters)
}
