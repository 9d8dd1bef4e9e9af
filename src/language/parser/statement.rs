//! Statements of the program: blocks, requests, control.

use super::{Parser, expression, sql};
use crate::expression::ErrorClass;
use crate::language::ast::{Expression, Ident, Node, OnBlock, Request, Sql, Statement, StatementKind};
use crate::language::cursor::{Cursor, Parsed};
use crate::language::diagnostics::{Diagnostic, Notion, Problem};
use crate::language::limits::BLOCK_LEVELS_MAX;
use crate::language::lines::Line;
use std::iter::Peekable;
use std::slice;

/// The lines after a statement in its block: `on` and `else` lines among them belong to it.
pub(super) type Siblings<'l, 't> = Peekable<slice::Iter<'l, Line<'t>>>;

impl Parser {
    fn block(&mut self, lines: &[Line<'_>]) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut lines: Siblings<'_, '_> = lines.iter().peekable();
        while let Some(line) = lines.next() {
            self.check_indentation(line);
            let mut cursor = Cursor::new(line.tokens.clone());
            if let Some(problem) = stray(&mut cursor) {
                self.diagnostics.push(Diagnostic::new(line.span(), problem));
                continue;
            }
            statements.push(self.statement(&mut cursor, line, Some(&mut lines)));
        }
        statements
    }

    /// Deeper lines, or one statement on the rest of this line.
    pub(super) fn block_of<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
        line: &Line<'t>,
        siblings: Option<&mut Siblings<'_, 't>>,
    ) -> Parsed<Vec<Statement>> {
        if cursor.at_end() && line.children.is_empty() {
            return Err(cursor.wanted(Notion::DeeperLine));
        }
        if self.levels == BLOCK_LEVELS_MAX {
            let levels_max = BLOCK_LEVELS_MAX;
            return Err(Box::new(Diagnostic::new(
                cursor.span(),
                Problem::TooDeep { levels_max },
            )));
        }
        self.levels += 1;
        let block = match cursor.at_end() {
            true => self.block(&line.children),
            false => vec![self.statement(cursor, line, siblings)],
        };
        self.levels -= 1;
        Ok(block)
    }

    /// The statement from here to the end of the line, with its deeper lines and its `on` and `else` lines.
    fn statement<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
        line: &Line<'t>,
        mut siblings: Option<&mut Siblings<'_, 't>>,
    ) -> Statement {
        let span = cursor.span();
        let assigns = assigned(cursor);
        let label = if line.broken { None } else { cursor.label() };
        let kind = match self.statement_kind(cursor, line, siblings.as_deref_mut()) {
            _ if line.broken => StatementKind::Broken(assigns),
            Ok(kind) => kind,
            Err(problem) => {
                self.diagnostics.push(*problem);
                StatementKind::Broken(assigns)
            }
        };
        if let Some(label) = label.as_ref().filter(|_| !is_step(&kind)) {
            self.diagnostics.push(Diagnostic::new(label.span, Problem::NotAStep));
        }
        let handlers = match siblings {
            Some(siblings) if takes_handlers(&kind) => self.handlers(siblings),
            _ => Vec::new(),
        };
        Statement {
            span,
            label,
            kind,
            handlers,
        }
    }

    fn statement_kind<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
        line: &Line<'t>,
        siblings: Option<&mut Siblings<'_, 't>>,
    ) -> Parsed<StatementKind> {
        if line.broken {
            return Ok(StatementKind::Done); // replaced by the caller: the line is reported already
        }
        if !is_assignment(cursor) {
            if cursor.eat("try") {
                return self.block_of(cursor, line, None).map(StatementKind::Try);
            } else if cursor.eat("if") {
                return self.condition(cursor, line, siblings);
            } else if cursor.eat("for") {
                let item = cursor.name()?;
                cursor.require("in")?;
                let list = expression::expression(cursor)?;
                let block = self.block_of(cursor, line, siblings)?;
                return Ok(StatementKind::For { item, list, block });
            } else if cursor.eat("repeat") {
                return self.repeat(cursor, line, siblings);
            }
        }
        if self.continues(cursor, line) {
            return Ok(StatementKind::Broken(assigned(cursor)));
        }
        let kind = simple(cursor)?;
        cursor.finish()?;
        Ok(kind)
    }

    fn condition<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
        line: &Line<'t>,
        mut siblings: Option<&mut Siblings<'_, 't>>,
    ) -> Parsed<StatementKind> {
        let condition = expression::expression(cursor)?;
        let then = self.block_of(cursor, line, siblings.as_deref_mut())?;
        let mut otherwise = Vec::new();
        if let Some(siblings) = siblings
            && let Some(line) = siblings.next_if(|line| line.starts_with("else"))
        {
            self.check_indentation(line);
            let mut cursor = Cursor::new(line.tokens.clone());
            cursor.eat("else");
            otherwise = self.block_of(&mut cursor, line, Some(siblings))?;
        }
        Ok(StatementKind::If {
            condition,
            then,
            otherwise,
        })
    }

    fn repeat<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
        line: &Line<'t>,
        siblings: Option<&mut Siblings<'_, 't>>,
    ) -> Parsed<StatementKind> {
        let mut times = None;
        if cursor.ahead("times") && !cursor.at_word("every") {
            times = Some(expression::expression(cursor)?);
            cursor.require("times")?;
        }
        let every = if cursor.eat("every") {
            Some(cursor.span_of_time()?)
        } else {
            None
        };
        let block = self.block_of(cursor, line, siblings)?;
        Ok(StatementKind::Repeat { times, every, block })
    }

    /// The `on` lines that follow.
    fn handlers<'t>(&mut self, siblings: &mut Siblings<'_, 't>) -> Vec<OnBlock> {
        let mut handlers = Vec::new();
        while let Some(line) = siblings.next_if(|line| line.starts_with("on")) {
            self.check_indentation(line);
            if line.broken {
                continue;
            }
            let mut cursor = Cursor::new(line.tokens.clone());
            cursor.eat("on");
            let read = classes(&mut cursor).and_then(|classes| {
                let block = self.block_of(&mut cursor, line, None)?;
                Ok(OnBlock { classes, block })
            });
            handlers.extend(self.keep(read));
        }
        handlers
    }
}

/// An `on` or `else` line that no statement took.
fn stray(cursor: &mut Cursor<'_>) -> Option<Problem> {
    if is_assignment(cursor) {
        None
    } else if cursor.at_word("on") {
        Some(Problem::StrayOn)
    } else if cursor.at_word("else") {
        Some(Problem::StrayElse)
    } else {
        None
    }
}

fn is_step(kind: &StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Sql(..) | StatementKind::Request(..) | StatementKind::Keep { .. } | StatementKind::Broken(_)
    )
}

/// `if`, `for` and `repeat` leave `on` lines to the statements within.
fn takes_handlers(kind: &StatementKind) -> bool {
    !matches!(
        kind,
        StatementKind::If { .. } | StatementKind::For { .. } | StatementKind::Repeat { .. }
    )
}

fn is_assignment(cursor: &Cursor<'_>) -> bool {
    cursor.peek_second().is_some_and(|token| token.is_symbol("="))
}

/// The name in front of `=`.
fn assigned(cursor: &Cursor<'_>) -> Option<Ident> {
    let name = cursor.peek()?;
    is_assignment(cursor).then(|| Ident::new(name.text, name.span))
}

const CLASSES: [(&str, ErrorClass); 8] = [
    ("duplicate", ErrorClass::Duplicate),
    ("serialization", ErrorClass::Serialization),
    ("deadlock", ErrorClass::Deadlock),
    ("aborted", ErrorClass::Aborted),
    ("refused", ErrorClass::Refused),
    ("unreachable", ErrorClass::Unreachable),
    ("timeout", ErrorClass::Timeout),
    ("error", ErrorClass::Error),
];

fn classes(cursor: &mut Cursor<'_>) -> Parsed<Vec<ErrorClass>> {
    let mut classes = Vec::new();
    loop {
        match CLASSES.iter().find(|(word, _)| cursor.eat(word)) {
            Some((_, class)) => classes.push(*class),
            None => return Err(cursor.failure()),
        }
        if !cursor.symbol(",") {
            return Ok(classes);
        }
    }
}

/// A statement without a block.
fn simple(cursor: &mut Cursor<'_>) -> Parsed<StatementKind> {
    let into = match is_assignment(cursor) {
        true => {
            let name = cursor.name()?;
            cursor.symbol("=");
            Some(name)
        }
        false => None,
    };
    let start = cursor.span();
    if let Some(sql) = sql::statement(cursor)? {
        let has_value = matches!(sql, Sql::Select(_) | Sql::Insert(_) | Sql::Update(_) | Sql::Delete(_));
        check_value(into.is_some(), has_value, start)?;
        return Ok(StatementKind::Sql(into, sql));
    }
    if let Some(request) = request(cursor)? {
        let has_value = matches!(
            request,
            Request::CallOutside { .. } | Request::CallService { .. } | Request::Publish { asynchronous: true, .. }
        );
        check_value(into.is_some(), has_value, start)?;
        return Ok(StatementKind::Request(into, request));
    }
    match into {
        Some(name) => Ok(StatementKind::Assign(name, expression::expression(cursor)?)),
        None => control(cursor),
    }
}

fn check_value(wanted: bool, has_value: bool, place: crate::language::diagnostics::Span) -> Parsed<()> {
    match wanted && !has_value {
        true => Err(Box::new(Diagnostic::new(place, Problem::NoValue))),
        false => Ok(()),
    }
}

fn request(cursor: &mut Cursor<'_>) -> Parsed<Option<Request>> {
    let request = if cursor.eat("publish") {
        let destination = sql::qualified(cursor)?;
        let fields = fields(cursor)?;
        let after = time_after(cursor, "after")?;
        let asynchronous = cursor.eat("async");
        Request::Publish {
            destination,
            fields,
            after,
            asynchronous,
        }
    } else if !calls_a_handler(cursor) && cursor.eat("confirm") {
        Request::Confirm(message(cursor)?)
    } else if cursor.eat("ack") {
        Request::Ack(message(cursor)?)
    } else if cursor.eat("nack") {
        let message = message(cursor)?;
        let dead = cursor.eat("dead");
        let after = if dead { None } else { time_after(cursor, "after")? };
        Request::Nack { message, after, dead }
    } else if cursor.eat("extend") {
        let message = message(cursor)?;
        let by = time_after(cursor, "by")?;
        Request::Extend { message, by }
    } else if cursor.eat("redrive") {
        let from = sql::qualified(cursor)?;
        cursor.require("to")?;
        let to = sql::qualified(cursor)?;
        Request::Redrive { from, to }
    } else if cursor.eat("call") {
        call(cursor)?
    } else if cursor.eat("sleep") {
        Request::Sleep(expression::expression(cursor)?)
    } else {
        return Ok(None);
    };
    Ok(Some(request))
}

fn time_after(cursor: &mut Cursor<'_>, word: &'static str) -> Parsed<Option<i64>> {
    if cursor.eat(word) {
        cursor.span_of_time().map(Some)
    } else {
        Ok(None)
    }
}

/// A word and an opened parenthesis: a handler may have any name that is not reserved.
fn calls_a_handler(cursor: &Cursor<'_>) -> bool {
    cursor.peek_second().is_some_and(|token| token.is_symbol("("))
}

/// The variable that holds a received message, or a handle.
fn message(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let start = cursor.span();
    let path = expression::path(cursor)?;
    Ok(Expression {
        span: start.to(cursor.last_span()),
        levels: 1,
        node: Box::new(Node::Name(path)),
    })
}

/// Behind `call`.
fn call(cursor: &mut Cursor<'_>) -> Parsed<Request> {
    let party = cursor.name()?;
    if !cursor.symbol(".") {
        let fields = fields(cursor)?;
        return Ok(Request::CallOutside { outside: party, fields });
    }
    let handler = cursor.field()?;
    cursor.require_symbol("(")?;
    let arguments = expression::arguments(cursor)?;
    Ok(Request::CallService {
        service: party,
        handler,
        arguments,
    })
}

/// `(name = expr, …)`.
fn fields(cursor: &mut Cursor<'_>) -> Parsed<Vec<(Ident, Expression)>> {
    cursor.require_symbol("(")?;
    let mut fields = Vec::new();
    loop {
        let name = cursor.field()?;
        cursor.require_symbol("=")?;
        fields.push((name, expression::expression(cursor)?));
        if !cursor.symbol(",") {
            break;
        }
    }
    cursor.require_symbol(")")?;
    Ok(fields)
}

fn control(cursor: &mut Cursor<'_>) -> Parsed<StatementKind> {
    if cursor.eat("done") {
        Ok(StatementKind::Done)
    } else if cursor.eat("fail") {
        Ok(StatementKind::Fail)
    } else if cursor.eat("break") {
        Ok(StatementKind::Break)
    } else if cursor.eat("return") {
        let value = if cursor.at_end() {
            None
        } else {
            Some(expression::expression(cursor)?)
        };
        Ok(StatementKind::Return(value))
    } else if cursor.eat("append") {
        let value = expression::expression(cursor)?;
        cursor.require("to")?;
        Ok(StatementKind::Append(value, cursor.name()?))
    } else if cursor.eat("exit") {
        time_after(cursor, "for").map(StatementKind::Exit)
    } else if cursor.eat("keep") {
        let message = message(cursor)?;
        cursor.require("every")?;
        let every = cursor.span_of_time()?;
        let times = if cursor.eat("times") {
            Some(cursor.count(1, 1_000_000)?)
        } else {
            None
        };
        Ok(StatementKind::Keep { message, every, times })
    } else if calls_a_handler(cursor) {
        let name = cursor.name()?;
        cursor.require_symbol("(")?;
        let arguments = expression::arguments(cursor)?;
        Ok(StatementKind::Inline(name, arguments))
    } else {
        Err(cursor.wanted(Notion::Statement))
    }
}
