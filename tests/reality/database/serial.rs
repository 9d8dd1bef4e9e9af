//! Is there a serial order that explains what happened?
//!
//! The committed transactions of a history are played one after the other, in every sequence, on a database where nobody else
//! is. One sequence must give every answer that was given, and the rows at the end.

use super::history::{Action, History, Session};
use super::transcript::{Answer, Transcript};
use super::{closing, engine};
use std::collections::BTreeMap;

/// A statement as it stands in the history, and its answer.
type Said = (String, Answer);

/// Orders tried at most. Histories here have far fewer.
const ORDERS_MAX: usize = 200_000;

/// None if there is a serial order; what has none otherwise.
pub fn without_order(history: &History, transcript: &Transcript) -> Result<Option<String>, String> {
    let transactions = committed(history, transcript);
    let mut left: Vec<usize> = (0..transactions.len()).collect();
    let mut tried = 0;
    match search(
        history,
        transcript,
        &transactions,
        &mut Vec::new(),
        &mut left,
        &mut tried,
    )? {
        true => Ok(None),
        false => Ok(Some(format!(
            "no serial order of the {} committed transactions gives this",
            transactions.len()
        ))),
    }
}

fn search(
    history: &History,
    transcript: &Transcript,
    transactions: &[Vec<Said>],
    done: &mut Vec<usize>,
    left: &mut Vec<usize>,
    tried: &mut usize,
) -> Result<bool, String> {
    *tried += 1;
    if *tried > ORDERS_MAX {
        return Err(format!("more than {ORDERS_MAX} serial orders"));
    }
    if !engine::gives(
        history,
        done.iter().filter_map(|position| transactions.get(*position)),
        left.is_empty().then_some(transcript),
    )? {
        return Ok(false);
    }
    if left.is_empty() {
        return Ok(true);
    }
    for position in 0..left.len() {
        let next = left.remove(position);
        done.push(next);
        let found = search(history, transcript, transactions, done, left, tried)?;
        done.pop();
        left.insert(position, next);
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// One session, read from its transcript.
#[derive(Default)]
struct Reading {
    said: Vec<Said>,
    failed: bool,
    /// Statement sent and not answered yet.
    sent: Option<String>,
}

/// The transactions that committed: their statements and answers.
fn committed(history: &History, transcript: &Transcript) -> Vec<Vec<Said>> {
    let mut readings: BTreeMap<Session, Reading> = BTreeMap::new();
    let mut committed = Vec::new();
    let closing = closing(history);
    for (step, record) in history.steps.iter().chain(&closing).zip(&transcript.records) {
        if let (Action::Sql(sql), false) = (&step.action, record.busy) {
            readings.entry(step.session).or_default().sent = Some(sql.clone());
        }
        for (session, answer) in &record.answers {
            let reading = readings.entry(*session).or_default();
            let Some(sql) = reading.sent.take() else { continue };
            let failed = matches!(answer, Answer::Failed(..));
            match sql.as_str() {
                "commit" | "rollback" => {
                    let reading = std::mem::take(reading);
                    if sql == "commit" && !failed && !reading.failed && !reading.said.is_empty() {
                        committed.push(reading.said);
                    }
                }
                _ => {
                    reading.failed = failed || (reading.failed && !sql.starts_with("rollback to"));
                    reading.said.push((sql, answer.clone()));
                }
            }
        }
    }
    committed
}
