//! The messages in English.

use super::{Notion, Problem, Thing, What, list, quoted};
use crate::value::Name;
use crate::words::Language;

/// One or two sentences on a problem, without its place.
pub fn text(problem: &Problem) -> String {
    use Problem::*;
    match problem {
        TooLarge { bytes_max } => format!("the text is larger than {} KiB", bytes_max / 1024),
        Tab => "indent with spaces, not with tabs".to_owned(),
        Indentation => "this line is indented otherwise than the lines it belongs to".to_owned(),
        TooDeep { levels_max } => format!("blocks nest deeper than {levels_max} levels"),
        UnknownCharacter(c) => format!("`{}` has no meaning here", c.escape_debug()),
        OpenText(quote) => format!("the text that starts with {quote} has no end on this line"),
        NumberTooLarge => "this number is too large".to_owned(),
        UnknownUnit(unit) => format!("`{unit}` is no unit of time: expected `ms`, `s`, `min`, `h` or `d`"),
        Expected { found, expected, near } => unexpected(found.as_deref(), expected, near.as_ref()),
        StrayOn => "this `on` follows no statement it could belong to: it stands right below its statement, \
                    indented as far, and catches that statement's errors"
            .to_owned(),
        StrayElse => "this `else` follows no `if`: it stands right below the block of its `if`, indented as far".to_owned(),
        ExpressionTooDeep { levels_max } => format!("the expression nests deeper than {levels_max} levels"),
        BadInterval(text) => format!("'{text}' is no interval: expected whole units such as '30s' or '1 day 2 hours'"),
        Unknown {
            thing: kind,
            name,
            near,
            known,
        } => unknown(*kind, name, near.as_ref(), known),
        Twice { thing: kind, name } => format!("the {} `{name}` stands here a second time", thing(*kind)),
        Ambiguous {
            thing: kind,
            name,
            choices,
        } => {
            let choices = list(&quoted(choices), "or");
            format!("it is open which {} `{name}` means: write {choices}", thing(*kind))
        }
        NotOn {
            service,
            table,
            database,
        } if table == database => {
            format!("service `{service}` is not on database `{database}`: write `service {service} on … {database}`")
        }
        NotOn {
            service,
            table,
            database,
        } => format!(
            "table `{table}` is in database `{database}`, and service `{service}` is not on it: write `service {service} on {database}`"
        ),
        OnNone { service } => format!("service `{service}` is on no database: write `service {service} on DATABASE`"),
        Reserved(name) => format!("`{name}` has a meaning of its own and cannot be a name here"),
        WrongType { .. } | Operator { .. } | ColumnType { .. } | BadLiteral { .. } | NoFields { .. } => types(problem),
        ValueCount { columns, values } => format!(
            "{} for {}",
            count(*values, "value stands here", "values stand here"),
            count(*columns, "column", "columns")
        ),
        ArgumentCount { name, wanted, found } => format!(
            "`{name}` takes {}, here {}",
            count(*wanted, "argument", "arguments"),
            count(*found, "stands", "stand")
        ),
        OutOfRange { min, max } => format!("expected a number from {min} to {max}"),
        ZeroTime => "this time must be longer than zero".to_owned(),
        NoUnique => "the table has no unique constraint on exactly these columns".to_owned(),
        AggregateHere => "`count`, `sum`, `min` and `max` can stand in the items of a select only, and not within each other; \
                          the length of a list is `length(list)`"
            .to_owned(),
        Ungrouped(column) => format!("column `{column}` stands beside an aggregate: there is one result row, and many values of it"),
        LockedAggregate => "`for update` cannot lock the rows of an aggregate".to_owned(),
        OneColumn(columns) => format!("this select must give one column, it gives {columns}"),
        NoReturningHere => "rows that are there at the start return nothing".to_owned(),
        FreshInSql => "`fresh` cannot stand in SQL: set a variable first (`id = fresh('pay')`), then use `:id`".to_owned(),
        SelectInProgram => "a select cannot stand in an expression of the program: write `rows = select …` first, then use `rows`".to_owned(),
        SelectHere => "no select can stand here".to_owned(),
        Colon(name) => format!("outside SQL a variable is written without a colon: `{name}`"),
        NoColon(name) => format!("in SQL a variable is written with a colon: `:{name}`"),
        NoVariableHere(name) => format!("there are no variables here, so `{name}` has no value"),
        NoRow(name) => format!("here a row must be named: `effect.{name}` or `cause.{name}`"),
        NotAStep => "only a step can be given a name, and this is none: a step is a request to a database, a broker or another party".to_owned(),
        NoValue => "this request gives no value that could be assigned".to_owned(),
        BreakOutsideLoop => "`break` leaves a `for` or `repeat`, and there is none around it".to_owned(),
        ReturnOutsideHandler => "`return` leaves a `handle` block, and there is none around it".to_owned(),
        Recursion(name) => format!("`{name}` calls itself; handlers called within their service cannot"),
        HandlerInExpression(name) => format!("the handler `{name}` cannot be called within an expression: write `x = {name}(…)` as a statement of its own"),
        NeedsUntil => "this repeats for ever and compares with `now()`, so the run never rests: write `until TIME` below `scenario`".to_owned(),
        CodeTooLarge { instructions_max } => format!("the service is larger than {instructions_max} instructions, copies of its handlers included"),
        TooManyInstances { instances_max } => format!("all services together have more than {instances_max} instances"),
        TooManyNames { names_max } => format!("more than {names_max} names of one kind"),
    }
}

fn types(problem: &Problem) -> String {
    match problem {
        Problem::Operator {
            operator: "::",
            left,
            right: Some(right),
        } => format!("{left} cannot be cast to {right}"),
        Problem::Operator {
            operator,
            left,
            right: Some(right),
        } => format!("there is no `{left} {operator} {right}`: the types do not fit"),
        Problem::Operator { operator, left, .. } => format!("there is no `{operator}` for {left}"),
        Problem::ColumnType {
            column,
            column_type,
            found,
        } => format!("column `{column}` is of type {column_type}, the value is of type {found}"),
        Problem::BadLiteral { text, wanted } => format!("'{text}' cannot be read as {wanted}"),
        Problem::NoFields { name, found } => format!("`{name}` is of type {found} and has no fields"),
        Problem::WrongType {
            wanted: "boolean",
            found: found @ "int",
        } => format!("expected a condition, found {found}: compare it, as in `n > 0`"),
        Problem::WrongType { wanted, found } => format!("expected {wanted}, found {found}"),
        _ => String::new(), // no other problem comes here
    }
}

fn unexpected(found: Option<&str>, expected: &[What], near: Option<&Name>) -> String {
    let expected: Vec<String> = expected.iter().map(|what| what.text(Language::En)).collect();
    let found = found.map_or_else(|| "the end of the line".to_owned(), |found| format!("`{found}`"));
    let expected = list(&expected, "or");
    match near {
        Some(near) => format!("found {found}, did you mean `{near}`? Expected {expected}"),
        None => format!("expected {expected}, found {found}"),
    }
}

fn unknown(kind: Thing, name: &Name, near: Option<&Name>, known: &[Name]) -> String {
    let kind = thing(kind);
    let head = format!("there is no {kind} `{name}`");
    match (near, known) {
        (Some(near), _) => format!(
            "{head}, did you mean `{near}`? There is {}",
            list(&quoted(known), "and")
        ),
        (None, []) => format!("{head}, and no other {kind} either"),
        (None, known) => format!("{head}, there is {}", list(&quoted(known), "and")),
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn thing(thing: Thing) -> &'static str {
    match thing {
        Thing::Database => "database",
        Thing::Broker => "broker",
        Thing::Table => "table",
        Thing::Column => "column",
        Thing::Queue => "queue",
        Thing::Destination => "queue or topic",
        Thing::Outside => "outside party",
        Thing::Service => "service",
        Thing::Handler => "handler",
        Thing::Variable => "variable",
        Thing::Field => "field",
        Thing::Function => "function",
        Thing::Relation => "table, queue or outside party",
        Thing::Clause => "clause",
        Thing::Profile => "profile",
        Thing::Party => "name",
    }
}

/// What can stand at a place, with its article.
pub fn notion(notion: Notion) -> &'static str {
    match notion {
        Notion::Name => "a name",
        Notion::Column => "the name of a column",
        Notion::Expression => "an expression",
        Notion::Time => "a time such as `30s`",
        Notion::Int => "a whole number",
        Notion::Text => "a text in quotes ('…')",
        Notion::Quoted => "a text in double quotes (\"…\")",
        Notion::Step => "the name of a step such as `publish-events`",
        Notion::Statement => "an assignment or a call of a handler",
        Notion::Literal => "a number or a text in quotes",
        Notion::DeeperLine => "a statement here or on deeper lines below",
        Notion::EndOfLine => "the end of the line",
        Notion::Id => "an id such as `O5`",
        Notion::LanguageCode => "a language such as `en`",
    }
}
