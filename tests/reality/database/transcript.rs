//! What a history brought, in terms that both sides can state.

use super::history::{History, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A row of a result or a table; cells as PostgreSQL writes them, `null` for null.
pub type Cells = Vec<String>;

/// The answer to a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Neither rows nor a number.
    Ok,
    /// Rows changed.
    Count(u64),
    Rows(Vec<Cells>),
    /// SQLSTATE, or [`OTHER`], and the message.
    Failed(String, String),
}

/// The code of an error that is none of those the engine tells apart; then the message tells.
pub const OTHER: &str = "other";

/// The SQLSTATEs the engine tells apart.
pub const CODES: [&str; 5] = ["23505", "40001", "40P01", "25P02", "55P03"];

/// A serialization failure.
pub const SERIALIZATION: &str = "40001";

/// What one step brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The step was left out, because its session waits.
    pub busy: bool,
    /// Statements that finished: this step's, and those it woke.
    pub answers: BTreeMap<Session, Answer>,
    /// Sessions that wait after it.
    pub waiting: BTreeSet<Session>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// One for each step, then those of the end: see [`super::closing`].
    pub records: Vec<Record>,
    /// Committed rows at the end, sorted: PostgreSQL's documentation gives rows without `order by` no sequence.
    pub rows: BTreeMap<String, Vec<Cells>>,
}

impl Transcript {
    /// The first record in which two transcripts differ; their length if only the final rows do.
    pub fn first_difference(&self, other: &Transcript) -> Option<usize> {
        let differs = |(a, b): (&Record, &Record)| a != b;
        let found = self.records.iter().zip(&other.records).position(differs);
        found.or((self != other).then_some(self.records.len()))
    }

    /// True if the step that this record is of failed for want of a serial order.
    pub fn fails_serially(&self, record: usize) -> bool {
        let serial = |answer: &Answer| matches!(answer, Answer::Failed(code, _) if code == SERIALIZATION);
        self.records
            .get(record)
            .is_some_and(|record| record.answers.values().any(serial))
    }

    /// True if it failed so for what it has read, and not for a row that somebody else has changed.
    pub fn fails_for_reads(&self, record: usize) -> bool {
        let reads = |answer: &Answer| matches!(answer, Answer::Failed(code, message) if code == SERIALIZATION && message.contains("read/write"));
        self.records
            .get(record)
            .is_some_and(|record| record.answers.values().any(reads))
    }

    /// The same without the messages of serialization failures: which of two reasons a statement meets first is nobody's promise.
    pub fn without_reasons(&self) -> Transcript {
        let mut all = self.clone();
        for answer in all.records.iter_mut().flat_map(|record| record.answers.values_mut()) {
            if let Answer::Failed(code, message) = answer
                && code == SERIALIZATION
            {
                message.clear();
            }
        }
        all
    }

    /// The first step that did not bring what the text says.
    pub fn unexpected(&self, history: &History) -> Option<String> {
        let steps = history.steps.iter().zip(&self.records);
        for (step, record) in steps {
            let Some(expected) = &step.expected else { continue };
            let found = match record.answers.get(&step.session) {
                Some(Answer::Failed(code, _)) => code.clone(),
                Some(answer) => answer.to_string(),
                None if record.waiting.contains(&step.session) => "waits".to_string(),
                None => "nothing".to_string(),
            };
            if found != *expected {
                return Some(format!("{step}  but brought {found}"));
            }
        }
        None
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Ok => f.write_str("ok"),
            Answer::Count(count) => write!(f, "{count}"),
            Answer::Rows(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
                write!(f, "[{}]", rows.join(", "))
            }
            Answer::Failed(code, message) => write!(f, "{code} {message}"),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.busy {
            return f.write_str("left out");
        }
        let answers = self
            .answers
            .iter()
            .map(|(session, answer)| format!("{session}: {answer}"));
        let waiting = self.waiting.iter().map(|session| format!("{session} waits"));
        f.write_str(&answers.chain(waiting).collect::<Vec<String>>().join("; "))
    }
}

/// Both sides of a history, step by step, up to where they part.
pub fn beside(history: &History, engine: &Transcript, real: &Transcript) -> String {
    let mut text = String::new();
    let end = engine.first_difference(real).unwrap_or(usize::MAX);
    for setup in &history.setup {
        text += &format!("    {setup}\n");
    }
    let closing = super::closing(history);
    for (position, step) in history
        .steps
        .iter()
        .chain(&closing)
        .enumerate()
        .take(end.saturating_add(1))
    {
        let (Some(engine), Some(real)) = (engine.records.get(position), real.records.get(position)) else {
            break;
        };
        text += &format!("    {step}\n");
        match engine == real {
            true => text += &format!("        {engine}\n"),
            false => text += &format!("        predicted {engine}\n        real      {real}\n"),
        }
    }
    if end == engine.records.len() {
        text += &format!(
            "    rows predicted {:?}\n    rows real      {:?}\n",
            engine.rows, real.rows
        );
    }
    text
}
