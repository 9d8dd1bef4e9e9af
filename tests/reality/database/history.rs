//! Histories: what is there at first, and who does what in which sequence. Written and read as text, so that a case is a few lines.
//!
//! ```text
//! case lost update
//! table t (id int primary key, v int not null)
//! insert into t (id, v) values (1, 10)
//! 1: begin
//! 1: update t set v = 11 where id = 1
//! 2: update t set v = 12 where id = 1  => waits
//! 1: commit
//! ```
//!
//! `=>` states what the step itself must bring, on both sides: `waits`, a number of rows, rows as `[1 10, 2 20]`, `ok`, or an
//! SQLSTATE. A step of a session that waits is left out on both sides, so any part of a history is one as well.

use std::fmt;

/// A connection, from 1.
pub type Session = u8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    pub name: String,
    pub pace: Pace,
    /// `table …` and `insert into …` lines.
    pub setup: Vec<String>,
    pub steps: Vec<Step>,
}

/// How the steps lie in time. A waiter looks for a deadlock once, a second after it began to wait (here: `deadlock_timeout`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// All steps within that second; only where waits are a circle the next step comes after it.
    Hurried,
    /// More than that second between steps.
    Unhurried,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub session: Session,
    pub action: Action,
    pub expected: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Sql(String),
    /// The session ends while it is idle, in a transaction or not, and a new one takes its number.
    End,
    /// The client's socket closes, whatever its session is doing, and a new one takes its number.
    Vanish,
}

impl Step {
    pub fn sql(session: Session, sql: impl Into<String>) -> Step {
        Step {
            session,
            action: Action::Sql(sql.into()),
            expected: None,
        }
    }
}

impl History {
    /// The names of its tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let tables = self.setup.iter().filter_map(|line| line.strip_prefix("table "));
        tables.filter_map(|line| line.split([' ', '(']).next())
    }

    /// The sessions it speaks of, in the sequence of their numbers.
    pub fn sessions(&self) -> Vec<Session> {
        let mut sessions: Vec<Session> = self.steps.iter().map(|step| step.session).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions
    }

    /// Reads cases. Errors: the first line that is none.
    pub fn read(text: &str) -> Result<Vec<History>, String> {
        let mut histories: Vec<History> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with("--") {
                continue;
            }
            if let Some(name) = line.strip_prefix("case ") {
                histories.push(History {
                    name: name.to_string(),
                    pace: Pace::Hurried,
                    setup: Vec::new(),
                    steps: Vec::new(),
                });
                continue;
            }
            let history = histories
                .last_mut()
                .ok_or(format!("line {}: 'case NAME' comes first", number + 1))?;
            if line == "unhurried" {
                history.pace = Pace::Unhurried;
            } else if line.starts_with("table ") || line.starts_with("insert into ") {
                history.setup.push(line.to_string());
            } else {
                let step = step(line).ok_or(format!(
                    "line {}: expected 'SESSION: STATEMENT', found '{line}'",
                    number + 1
                ))?;
                history.steps.push(step);
            }
        }
        Ok(histories)
    }
}

fn step(line: &str) -> Option<Step> {
    let (session, rest) = line.split_once(':')?;
    let (what, expected) = match rest.split_once("=>") {
        Some((what, expected)) => (what.trim(), Some(expected.trim().to_string())),
        None => (rest.trim(), None),
    };
    let action = match what {
        "end" => Action::End,
        "vanish" => Action::Vanish,
        sql => Action::Sql(sql.to_string()),
    };
    Some(Step {
        session: session.parse().ok()?,
        action,
        expected,
    })
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "case {}", self.name)?;
        if self.pace == Pace::Unhurried {
            writeln!(f, "unhurried")?;
        }
        for line in &self.setup {
            writeln!(f, "{line}")?;
        }
        for step in &self.steps {
            writeln!(f, "{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.session)?;
        match &self.action {
            Action::Sql(sql) => write!(f, "{sql}")?,
            Action::End => write!(f, "end")?,
            Action::Vanish => write!(f, "vanish")?,
        }
        match &self.expected {
            Some(expected) => write!(f, "  => {expected}"),
            None => Ok(()),
        }
    }
}
