//! The recording server that stands for all outside parties: it takes calls, answers when it is told to, and keeps what was done.
//!
//! Refuses to know: time; the conductor says when a party has taken its own.

use super::wire::decode;
use crashpoint::program::Program;
use crashpoint::value::{Row, Value};
use serde_json::Value as Json;
use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::time::Duration;

/// A call that has arrived and is not done.
pub struct Call {
    pub outside: u16,
    row: Row,
    answer: TcpStream,
}

/// All outside parties of one cell.
pub struct Outside {
    program: Rc<Program>,
    listener: TcpListener,
    arrived: VecDeque<Call>,
    /// Idempotency keys that were used: party, constraint, values.
    keys: BTreeSet<(u16, usize, Vec<Value>)>,
}

impl Outside {
    /// Listens on a free port. Errors: there is none.
    pub fn new(program: Rc<Program>) -> io::Result<Outside> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        Ok(Outside {
            program,
            listener,
            arrived: VecDeque::new(),
            keys: BTreeSet::new(),
        })
    }

    pub fn port(&self) -> u16 {
        self.listener.local_addr().map_or(0, |address| address.port())
    }

    /// The next call, which a process has just been let make. Errors: none came, or it said nothing that could be read.
    pub fn take(&mut self) -> io::Result<Call> {
        if let Some(call) = self.arrived.pop_front() {
            return Ok(call);
        }
        let (stream, _) = self.listener.accept()?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut line = String::new();
        BufReader::new(stream.try_clone()?).read_line(&mut line)?;
        let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "a call of no outside party");
        let (outside, row): (u16, Json) = serde_json::from_str(&line).map_err(|_| unreadable())?;
        match decode(&row) {
            Value::Row(row) => Ok(Call {
                outside,
                row,
                answer: stream,
            }),
            _ => Err(unreadable()),
        }
    }

    /// The party has taken its time: the effect happens, unless its key was used before; then the answer goes back, if anybody
    /// is there. Returns the effect.
    pub fn finish(&mut self, mut call: Call) -> Option<Row> {
        let record = &self.program.outsides[usize::from(call.outside)].record;
        let cells = record.columns.iter().zip(call.row.values());
        let missing = cells
            .clone()
            .find(|(column, value)| column.not_null && **value == Value::Null);
        let keys = record.uniques.iter().enumerate().map(|(index, unique)| {
            let cell = |column: &u16| call.row.values()[usize::from(*column)].clone();
            (call.outside, index, unique.columns.iter().map(cell).collect::<Vec<_>>())
        });
        let keys: Vec<_> = keys.filter(|(_, _, values)| !values.contains(&Value::Null)).collect();
        let answer = match missing {
            Some((column, _)) => format!("{}: {} must not be null\n", record.name, column.name),
            None => "done\n".to_string(),
        };
        let known = keys.iter().any(|key| self.keys.contains(key));
        let happens = missing.is_none() && !known;
        if happens {
            self.keys.extend(keys);
        }
        // A caller that died does not read it.
        let _ = call.answer.write_all(answer.as_bytes());
        happens.then_some(call.row)
    }
}
