//! What is wrong with a text: where, what, and what was expected there, in English and in German.
//!
//! A [`Problem`] is data; its sentences are written by [`english`] and [`german`]. Refuses to know how a text is read.

mod english;
mod german;

use crate::value::Name;
use crate::words::Language;
use std::fmt;

/// A place in the text. Lines and columns count from 1, columns and lengths in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub line: u32,
    pub column: u32,
    pub length: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`; only `self` if they are on different lines.
    pub fn to(self, other: Span) -> Span {
        let end = other.column + other.length;
        if self.line == other.line && end >= self.column {
            Span {
                length: end - self.column,
                ..self
            }
        } else {
            self
        }
    }
}

/// One thing wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// In characters; 0 at the end of a line.
    pub length: u32,
    pub problem: Problem,
}

impl Diagnostic {
    pub fn new(span: Span, problem: Problem) -> Diagnostic {
        Diagnostic {
            line: span.line,
            column: span.column,
            length: span.length,
            problem,
        }
    }

    /// What is wrong and what was expected, without the place.
    pub fn text(&self, language: Language) -> String {
        self.problem.text(language)
    }

    /// What could have stood there instead, as far as a list can say it: words as they are written, the rest described.
    pub fn expected(&self, language: Language) -> Vec<String> {
        match &self.problem {
            Problem::Expected { expected, .. } => expected.iter().map(|what| what.text(language)).collect(),
            Problem::Unknown { known, .. } => known.iter().map(|name| name.to_string()).collect(),
            _ => Vec::new(),
        }
    }
}

/// `line 4, column 7: …`, in English.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text(Language::En);
        write!(f, "line {}, column {}: {text}", self.line, self.column)
    }
}

impl std::error::Error for Diagnostic {}

/// Something that can stand at a place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// This word of the language.
    Word(&'static str),
    /// This sign.
    Symbol(&'static str),
    A(Notion),
}

/// Something that can stand at a place and is not one fixed word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notion {
    Name,
    Column,
    Expression,
    /// `30s`.
    Time,
    Int,
    /// `'…'`.
    Text,
    /// `"…"`.
    Quoted,
    Step,
    Statement,
    /// A literal: number or text.
    Literal,
    DeeperLine,
    EndOfLine,
    Id,
    LanguageCode,
}

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thing {
    Database,
    Broker,
    Table,
    Column,
    Queue,
    /// A queue or a topic.
    Destination,
    Outside,
    Service,
    Handler,
    Variable,
    Field,
    Function,
    /// What a promise can speak of.
    Relation,
    /// A line, clause or rule that may stand once.
    Clause,
    /// What a broker is like.
    Profile,
    /// A name shared by databases, brokers, outside parties and services.
    Party,
}

/// What can be wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    // The text as such.
    TooLarge {
        bytes_max: usize,
    },
    Tab,
    /// A line's indentation fits no line above it.
    Indentation,
    TooDeep {
        levels_max: usize,
    },
    UnknownCharacter(char),
    OpenText(char),
    NumberTooLarge,
    UnknownUnit(String),
    // The grammar.
    Expected {
        found: Option<String>,
        expected: Vec<What>,
        near: Option<Name>,
    },
    /// An `on` line that follows no statement it could belong to.
    StrayOn,
    StrayElse,
    ExpressionTooDeep {
        levels_max: u32,
    },
    /// `interval '…'` that is none.
    BadInterval(String),
    // Names.
    Unknown {
        thing: Thing,
        name: Name,
        near: Option<Name>,
        known: Vec<Name>,
    },
    Twice {
        thing: Thing,
        name: Name,
    },
    Ambiguous {
        thing: Thing,
        name: Name,
        choices: Vec<Name>,
    },
    /// A service uses a table of a database it is not `on`.
    NotOn {
        service: Name,
        table: Name,
        database: Name,
    },
    /// A statement needs a database, and the service is on none.
    OnNone {
        service: Name,
    },
    /// A word that has a meaning of its own cannot be a name.
    Reserved(Name),
    // Types and counts.
    Operator {
        operator: &'static str,
        left: &'static str,
        right: Option<&'static str>,
    },
    ColumnType {
        column: Name,
        column_type: &'static str,
        found: &'static str,
    },
    BadLiteral {
        text: String,
        wanted: &'static str,
    },
    /// An expression of one type where another is wanted.
    WrongType {
        wanted: &'static str,
        found: &'static str,
    },
    NoFields {
        name: Name,
        found: &'static str,
    },
    ValueCount {
        columns: usize,
        values: usize,
    },
    ArgumentCount {
        name: Name,
        wanted: usize,
        found: usize,
    },
    OutOfRange {
        min: i64,
        max: i64,
    },
    /// A time that must be longer than zero.
    ZeroTime,
    // SQL.
    NoUnique,
    AggregateHere,
    Ungrouped(Name),
    LockedAggregate,
    OneColumn(usize),
    NoReturningHere,
    FreshInSql,
    // The program.
    SelectInProgram,
    SelectHere,
    /// `:x` outside SQL.
    Colon(Name),
    /// A variable without its colon in SQL.
    NoColon(Name),
    NoVariableHere(Name),
    /// A bare name in `matching`, where only `effect.` and `cause.` have a row.
    NoRow(Name),
    NotAStep,
    NoValue,
    BreakOutsideLoop,
    ReturnOutsideHandler,
    Recursion(Name),
    HandlerInExpression(Name),
    NeedsUntil,
    CodeTooLarge {
        instructions_max: usize,
    },
    TooManyInstances {
        instances_max: u32,
    },
    TooManyNames {
        names_max: usize,
    },
}

impl Problem {
    /// The sentence, without the place.
    pub fn text(&self, language: Language) -> String {
        match language {
            Language::En => english::text(self),
            Language::De => german::text(self),
        }
    }
}

impl What {
    fn text(self, language: Language) -> String {
        match self {
            What::Word(word) | What::Symbol(word) => format!("`{word}`"),
            What::A(notion) => match language {
                Language::En => english::notion(notion).to_owned(),
                Language::De => german::notion(notion).to_owned(),
            },
        }
    }
}

/// `a, b or c`: the list as a sentence has it.
fn list(items: &[String], or: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {or} {last}", first.join(", ")),
    }
}

fn quoted(names: &[Name]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}

/// The candidate that differs least from `word`, if it is near enough to have been meant.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let length = word.chars().count();
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| {
            let allowed = (length.max(candidate.chars().count()) / 3).clamp(1, 3);
            (1..=allowed).contains(distance) && *distance < length
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edit distance where swapping two neighbours counts once (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    const LENGTH_MAX: usize = 64;
    let a: Vec<char> = a.chars().take(LENGTH_MAX).collect();
    let b: Vec<char> = b.chars().take(LENGTH_MAX).collect();
    let width = b.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut previous: Vec<usize> = (0..width).collect();
    // All indices are below `width`, the length of the three rows; i and j are at least 1 where 1 is taken off.
    for i in 1..=a.len() {
        let mut current = vec![i; width];
        for j in 1..width {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            current[j] = (previous[j] + 1).min(current[j - 1] + 1).min(previous[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                current[j] = current[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut previous, current);
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits_and_swaps() {
        let cases = [
            ("", "", 0),
            ("ab", "ba", 1),
            ("outbox", "otbox", 1),
            ("kitten", "sitting", 3),
            ("", "abc", 3),
        ];
        for (a, b, wanted) in cases {
            assert_eq!(distance(a, b), wanted, "{a} {b}");
        }
    }

    #[test]
    fn only_near_words_are_suggested() {
        assert_eq!(nearest("ordres", ["outbox", "orders"]), Some("orders"));
        assert_eq!(nearest("orders", ["orders"]), None);
        assert_eq!(nearest("amnt", ["order_id", "amount"]), Some("amount"));
        assert_eq!(nearest("x", ["orders", "y"]), None);
    }
}
