//! Expressions, from the loosest operator to the tightest.

use super::sql;
use crate::expression::{Operator, SqlType};
use crate::language::ast::{Expression, Ident, Node};
use crate::language::cursor::{Cursor, Parsed};
use crate::language::diagnostics::{Diagnostic, Notion, Problem, Span};
use crate::language::interval;
use crate::language::lexer::TokenKind;
use crate::value::Value;

/// A whole expression.
pub fn expression(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    cursor.enter()?;
    let mut left = conjunction(cursor)?;
    while cursor.eat("or") {
        let right = conjunction(cursor)?;
        left = binary(cursor, Operator::Or, left, right)?;
    }
    cursor.leave();
    Ok(left)
}

fn conjunction(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let mut left = negation(cursor)?;
    while cursor.eat("and") {
        let right = negation(cursor)?;
        left = binary(cursor, Operator::And, left, right)?;
    }
    Ok(left)
}

fn negation(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let start = cursor.span();
    if !cursor.eat("not") {
        return comparison(cursor);
    }
    cursor.enter()?;
    let operand = negation(cursor)?;
    cursor.leave();
    let levels = operand.levels + 1;
    node(cursor, start, levels, Node::Not(operand))
}

const COMPARISONS: [(&str, Operator); 7] = [
    ("=", Operator::Equal),
    ("<>", Operator::NotEqual),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

fn comparison(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let mut left = concatenation(cursor)?;
    let found = COMPARISONS.iter().find(|(symbol, _)| cursor.symbol(symbol));
    if let Some((_, operator)) = found {
        let right = concatenation(cursor)?;
        left = binary(cursor, *operator, left, right)?;
    }
    loop {
        let start = left.span;
        if cursor.eat("is") {
            let negated = cursor.eat("not");
            cursor.require("null")?;
            let levels = left.levels + 1;
            left = node(cursor, start, levels, Node::IsNull(left, negated))?;
        } else if cursor.eat("not in") {
            let inside = membership(cursor, left)?;
            let levels = inside.levels + 1;
            left = node(cursor, start, levels, Node::Not(inside))?;
        } else if !in_order(cursor) && cursor.eat("in") {
            left = membership(cursor, left)?;
        } else {
            return Ok(left);
        }
    }
}

/// `in order of` belongs to a promise, not to its filter.
fn in_order(cursor: &Cursor<'_>) -> bool {
    cursor.at_word("in") && cursor.peek_second().is_some_and(|token| token.is_word("order"))
}

/// What follows `in`.
fn membership(cursor: &mut Cursor<'_>, left: Expression) -> Parsed<Expression> {
    let start = left.span;
    let levels = left.levels;
    if !cursor.symbol("(") {
        let list = concatenation(cursor)?;
        let levels = levels.max(list.levels) + 1;
        return node(cursor, start, levels, Node::InValue(left, list));
    }
    if cursor.at_word("select") {
        let select = sub_select(cursor)?;
        return node(cursor, start, levels + 1, Node::InSelect(left, select));
    }
    let items = list(cursor)?;
    let levels = items.iter().map(|item| item.levels).fold(levels, u32::max) + 1;
    node(cursor, start, levels, Node::InList(left, items))
}

/// Expressions up to the closing parenthesis, at least one.
fn list(cursor: &mut Cursor<'_>) -> Parsed<Vec<Expression>> {
    let mut items = vec![expression(cursor)?];
    while cursor.symbol(",") {
        items.push(expression(cursor)?);
    }
    cursor.require_symbol(")")?;
    Ok(items)
}

/// `(a, b)` behind an opened parenthesis, perhaps empty.
pub fn arguments(cursor: &mut Cursor<'_>) -> Parsed<Vec<Expression>> {
    if cursor.symbol(")") {
        Ok(Vec::new())
    } else {
        list(cursor)
    }
}

/// `select …)` behind an opened parenthesis.
fn sub_select(cursor: &mut Cursor<'_>) -> Parsed<crate::language::ast::Select> {
    cursor.enter()?;
    let select = sql::select(cursor)?;
    cursor.leave();
    cursor.require_symbol(")")?;
    Ok(select)
}

fn concatenation(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let mut left = sum(cursor)?;
    while cursor.symbol("||") {
        let right = sum(cursor)?;
        left = binary(cursor, Operator::Concatenate, left, right)?;
    }
    Ok(left)
}

fn sum(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let mut left = product(cursor)?;
    loop {
        let operator = if cursor.symbol("+") {
            Operator::Add
        } else if cursor.symbol("-") {
            Operator::Subtract
        } else {
            return Ok(left);
        };
        let right = product(cursor)?;
        left = binary(cursor, operator, left, right)?;
    }
}

fn product(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let mut left = sign(cursor)?;
    while cursor.symbol("*") {
        let right = sign(cursor)?;
        left = binary(cursor, Operator::Multiply, left, right)?;
    }
    Ok(left)
}

fn sign(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let start = cursor.span();
    if !cursor.symbol("-") {
        return cast(cursor);
    }
    cursor.enter()?;
    let operand = sign(cursor)?;
    cursor.leave();
    if let Node::Literal(Value::Int(number)) = &*operand.node {
        let negated = Node::Literal(Value::Int(-number));
        return node(cursor, start, 1, negated);
    }
    let levels = operand.levels + 1;
    node(cursor, start, levels, Node::Negate(operand))
}

fn cast(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let mut operand = primary(cursor)?;
    while cursor.symbol("::") {
        let kind = sql_type(cursor)?;
        let (start, levels) = (operand.span, operand.levels + 1);
        operand = node(cursor, start, levels, Node::Cast(operand, kind))?;
    }
    Ok(operand)
}

const TYPES: [(&str, SqlType); 9] = [
    ("int", SqlType::Int),
    ("integer", SqlType::Int),
    ("bigint", SqlType::BigInt),
    ("text", SqlType::Text),
    ("boolean", SqlType::Boolean),
    ("bool", SqlType::Boolean),
    ("timestamptz", SqlType::Timestamptz),
    ("interval", SqlType::Interval),
    ("timestamp with time zone", SqlType::Timestamptz),
];

/// A type that a cast or a column can name.
pub fn sql_type(cursor: &mut Cursor<'_>) -> Parsed<SqlType> {
    match TYPES.iter().find(|(words, _)| cursor.eat(words)) {
        Some((_, kind)) => Ok(*kind),
        None => Err(cursor.failure()),
    }
}

fn primary(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let start = cursor.span();
    let literal = match cursor.peek().map(|token| &token.kind) {
        Some(TokenKind::Int(_)) => Some(Value::Int(cursor.int()?)),
        Some(TokenKind::Time(_)) => Some(Value::Interval(cursor.time()?)),
        Some(TokenKind::Text(_)) => Some(Value::Text(cursor.text()?)),
        _ => None,
    };
    if let Some(value) = literal {
        return node(cursor, start, 1, Node::Literal(value));
    }
    if cursor.symbol("(") {
        return parenthesis(cursor, start);
    }
    if cursor.symbol("[") {
        cursor.require_symbol("]")?;
        return node(cursor, start, 1, Node::EmptyList);
    }
    if cursor.symbol(":") {
        return variable(cursor, start);
    }
    match word(cursor, start)? {
        Some(found) => Ok(found),
        None => name_or_call(cursor, start),
    }
}

/// Behind a colon.
fn variable(cursor: &mut Cursor<'_>, start: Span) -> Parsed<Expression> {
    if cursor.eat("self") {
        return node(cursor, start, 1, Node::Me(true));
    }
    let path = path(cursor)?;
    node(cursor, start, 1, Node::Variable(path))
}

/// `'text'` or `:a.b`: what a statement can name that takes no expressions.
pub fn text_or_variable(cursor: &mut Cursor<'_>) -> Parsed<Expression> {
    let start = cursor.span();
    if cursor.symbol(":") {
        return variable(cursor, start);
    }
    let text = cursor.text()?;
    node(cursor, start, 1, Node::Literal(Value::Text(text)))
}

fn parenthesis(cursor: &mut Cursor<'_>, start: Span) -> Parsed<Expression> {
    if cursor.at_word("select") {
        let select = sub_select(cursor)?;
        return node(cursor, start, 2, Node::Scalar(select));
    }
    let mut inside = expression(cursor)?;
    cursor.require_symbol(")")?;
    inside.span = start.to(cursor.last_span());
    Ok(inside)
}

/// A primary that starts with a word of the language.
fn word(cursor: &mut Cursor<'_>, start: Span) -> Parsed<Option<Expression>> {
    let found = if cursor.eat("true") {
        Node::Literal(Value::Bool(true))
    } else if cursor.eat("false") {
        Node::Literal(Value::Bool(false))
    } else if cursor.eat("null") {
        Node::Literal(Value::Null)
    } else if cursor.eat("self") {
        Node::Me(false)
    } else if cursor.eat("exists") {
        cursor.require_symbol("(")?;
        if !cursor.at_word("select") {
            cursor.require("select")?;
        }
        Node::Exists(sub_select(cursor)?)
    } else if cursor.at_word("interval") && matches!(cursor.peek_second().map(|t| &t.kind), Some(TokenKind::Text(_))) {
        cursor.eat("interval");
        interval_literal(cursor)?
    } else {
        return Ok(None);
    };
    node(cursor, start, 2, found).map(Some)
}

fn interval_literal(cursor: &mut Cursor<'_>) -> Parsed<Node> {
    let text = cursor.text()?;
    match interval::parse(&text) {
        Some(time) => Ok(Node::Literal(Value::Interval(time))),
        None => {
            let problem = Problem::BadInterval(text.to_string());
            Err(Box::new(Diagnostic::new(cursor.last_span(), problem)))
        }
    }
}

fn name_or_call(cursor: &mut Cursor<'_>, start: Span) -> Parsed<Expression> {
    if cursor.peek().is_none_or(|token| token.kind != TokenKind::Word) {
        return Err(cursor.wanted(Notion::Expression));
    }
    let first = cursor.name()?;
    if !cursor.symbol("(") {
        let path = path_after(cursor, first)?;
        return node(cursor, start, 1, Node::Name(path));
    }
    if first.text.eq_ignore_ascii_case("count") && cursor.symbol("*") {
        cursor.require_symbol(")")?;
        return node(cursor, start, 1, Node::CountAll);
    }
    let arguments = arguments(cursor)?;
    let levels = arguments.iter().map(|a| a.levels).max().unwrap_or(0) + 1;
    node(cursor, start, levels, Node::Call(first, arguments))
}

/// `a.b.c`.
pub fn path(cursor: &mut Cursor<'_>) -> Parsed<Vec<Ident>> {
    let first = cursor.name()?;
    path_after(cursor, first)
}

fn path_after(cursor: &mut Cursor<'_>, first: Ident) -> Parsed<Vec<Ident>> {
    let mut path = vec![first];
    while cursor.symbol(".") {
        path.push(cursor.field()?);
        cursor.check_levels(u32::try_from(path.len()).unwrap_or(u32::MAX))?;
    }
    Ok(path)
}

fn binary(cursor: &Cursor<'_>, operator: Operator, left: Expression, right: Expression) -> Parsed<Expression> {
    let (start, levels) = (left.span, left.levels.max(right.levels) + 1);
    node(cursor, start, levels, Node::Binary(operator, left, right))
}

/// The expression from `start` to the last token read. Long chains nest to the left, so levels are checked here too.
fn node(cursor: &Cursor<'_>, start: Span, levels: u32, node: Node) -> Parsed<Expression> {
    cursor.check_levels(levels)?;
    Ok(Expression {
        span: start.to(cursor.last_span()),
        levels,
        node: Box::new(node),
    })
}
