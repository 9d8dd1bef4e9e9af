//! The SQL of a scenario as it stands in its text: what a real server is given.
//!
//! Refuses to know: what a statement means.

use crashpoint::expression::Expr;
use crashpoint::program::Service;
use crashpoint::sql::Statement;
use crashpoint::value::Value;

/// The statements that make a database's tables and fill them, in text sequence.
pub fn schema(text: &str, database: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let (mut inside, mut level) = (false, 0);
    for line in text.lines().map(without_comment) {
        let indentation = line.len() - line.trim_start().len();
        let words = line.trim();
        if words.is_empty() {
            continue;
        }
        if indentation == 0 {
            inside = words.split_whitespace().eq(["database", database]);
            level = 0;
        } else if inside {
            level = if level == 0 { indentation } else { level };
            match statements.last_mut() {
                Some(last) if indentation > level => *last = format!("{last} {words}"),
                _ => statements.push(words.to_string()),
            }
        }
    }
    let create = |statement: String| match statement.strip_prefix("table ") {
        Some(table) => format!("create table {table}"),
        None => statement,
    };
    statements.into_iter().map(create).collect()
}

/// The statement on a line (from 1), with the deeper lines that continue it, without its label and the variable it sets.
pub fn statement(text: &str, line: u32, statement: &Statement) -> Option<String> {
    let verb = match statement {
        Statement::Select(_) => "select",
        Statement::Insert(_) => "insert",
        Statement::Update(_) => "update",
        Statement::Delete(_) => "delete",
        _ => return None,
    };
    let mut lines = text.lines().skip(line as usize - 1).map(without_comment);
    let first = lines.next()?;
    let indentation = first.len() - first.trim_start().len();
    let mut sql = first[verb_at(first, verb)?..].to_string();
    let deeper = |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() > indentation;
    for line in lines.take_while(deeper).filter(|line| !line.trim().is_empty()) {
        sql = format!("{sql} {}", line.trim());
    }
    Some(sql)
}

/// The select in a follower's line `follow … after (select …) as …`.
pub fn position(text: &str, line: u32) -> Option<String> {
    let line = text.lines().nth(line as usize - 1).map(without_comment)?;
    let (_, behind) = line.split_once(" after (")?;
    let (select, _) = behind.rsplit_once(") as ")?;
    Some(select.to_string())
}

/// Where the verb stands as a word of its own that is no label.
fn verb_at(line: &str, verb: &str) -> Option<usize> {
    line.match_indices(verb).map(|(at, _)| at).find(|at| {
        let before = line[..*at].chars().next_back();
        let after = line[at + verb.len()..].chars().next();
        before.is_none_or(|c| c == ' ') && after == Some(' ')
    })
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        quoted ^= c == '\'';
        if !quoted && line[at..].starts_with("--") {
            return line[..at].trim_end();
        }
    }
    line.trim_end()
}

/// The statement with literals in the place of its `:variables`.
pub fn bound(sql: &str, service: &Service, parameters: &[(Expr, Value)]) -> String {
    let mut out = String::new();
    let (mut rest, mut quoted) = (sql, false);
    while let Some(c) = rest.chars().next() {
        quoted ^= c == '\'';
        if !quoted && rest.starts_with("::") {
            out.push_str("::");
            rest = &rest[2..];
        } else if let Some(path) = rest.strip_prefix(':').filter(|_| !quoted).map(path) {
            let known = parameters.iter().find(|(expr, _)| written(expr, service) == path);
            match known {
                Some((_, value)) => out.push_str(&literal(value)),
                None => out.push_str(&rest[..=path.len()]),
            }
            rest = &rest[1 + path.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// `row.id` at the beginning of a text.
fn path(text: &str) -> &str {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let end = text.find(|c| !inside(c)).unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

/// A variable as a text writes it.
fn written(expr: &Expr, service: &Service) -> String {
    match expr {
        Expr::Local(slot) => service.local_names[usize::from(*slot)].to_string(),
        Expr::Memory(slot) => service.memory[usize::from(*slot)].0.to_string(),
        Expr::Field(of, name) => format!("{}.{name}", written(of, service)),
        Expr::Me => "self".to_string(),
        _ => String::new(),
    }
}

/// A value as SQL writes it. Instants count from the beginning of the year 2000.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Null => "null".to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) if *number < 0 => format!("({number})"),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Time(at) => format!("{}::timestamptz", quoted_instant(*at)),
        Value::Interval(span) => format!("interval '{span} milliseconds'"),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            let items = if items.is_empty() {
                "null".to_string()
            } else {
                items.join(", ")
            };
            format!("({items})")
        }
        Value::Row(row) => row.values().first().map_or("null".to_string(), literal),
        Value::Receipt { .. } | Value::Handle(_) => "null".to_string(),
    }
}

/// An instant of virtual time as PostgreSQL reads it.
pub fn quoted_instant(at: i64) -> String {
    let (days, of_day) = (at.div_euclid(86_400_000), at.rem_euclid(86_400_000));
    let date = format!(
        "2000-01-01 {:02}:{:02}:{:02}.{:03}+00",
        of_day / 3_600_000,
        of_day / 60_000 % 60,
        of_day / 1_000 % 60,
        of_day % 1_000
    );
    match days {
        0 => format!("'{date}'"),
        _ => format!("('{date}'::timestamptz + interval '{} hours')", days * 24),
    }
}
