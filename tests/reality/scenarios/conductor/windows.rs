//! How long a broker knows a copy by its id: the window ends when virtual time says so.
//!
//! A server forgets what is older than so long. So before a message is sent whose id is to be forgotten by then, the server is told
//! to forget what is as old as that.

use super::super::broker::id_of;
use super::super::wire::decode;
use super::{Conductor, Trouble};
use crashpoint::program::{Dedupe, Destination};
use crashpoint::value::{Millis, Row, Value};
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// An id is forgotten without another one that was accepted so much later.
const APART: Duration = Duration::from_millis(60);

/// When a message with an id was accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepted {
    at: Millis,
    since: Instant,
}

impl Conductor<'_> {
    fn window(&self, queue: u16) -> Option<Millis> {
        match self.program.queues[usize::from(queue)].dedupe {
            Some(Dedupe::Within(window)) => Some(window),
            _ => None,
        }
    }

    /// A queue has accepted a message.
    pub(super) fn note_id(&mut self, queue: u16, row: &Row) {
        if let Some(id) = id_of(row).filter(|_| self.window(queue).is_some()) {
            let (at, since) = (self.now, Instant::now());
            self.ids.insert((queue, id), Accepted { at, since });
        }
    }

    /// A message is about to be sent: its id is known as long as virtual time says.
    pub(super) fn end_window(&mut self, to: Destination, row: &Json) -> Result<(), Trouble> {
        self.keep_ids_apart();
        let Value::Row(row) = decode(row) else { return Ok(()) };
        let Some(id) = id_of(&row) else { return Ok(()) };
        let queues = match to {
            Destination::Queue(queue) => vec![queue],
            Destination::Topic(topic) => self.program.topics[usize::from(topic)].queues.clone(),
        };
        let mut youngest: Option<Instant> = None;
        for queue in queues {
            if let Some(since) = self.is_over(queue, &id)? {
                let forgotten = self.queues.forget_ids(Destination::Queue(queue), since.elapsed());
                forgotten.map_err(Trouble::new)?;
                self.ids
                    .retain(|(of, _), accepted| *of != queue || accepted.since > since);
                youngest = youngest.max(Some(since));
            }
        }
        match (to, youngest) {
            (Destination::Topic(_), Some(since)) => self.queues.forget_ids(to, since.elapsed()).map_err(Trouble::new),
            _ => Ok(()),
        }
    }

    /// When the message with this id was accepted, if that is to be forgotten. Errors: another one, which is not, is too near.
    fn is_over(&self, queue: u16, id: &str) -> Result<Option<Instant>, Trouble> {
        let (arrives, window) = (self.now + self.ahead, self.window(queue));
        let known = self.ids.get(&(queue, id.to_string()));
        let Some((window, known)) = window.zip(known).filter(|(window, known)| arrives >= known.at + window) else {
            return Ok(None);
        };
        let stays = |accepted: &Accepted| arrives < accepted.at + window && accepted.since < known.since + APART;
        let near = self
            .ids
            .iter()
            .any(|((of, _), accepted)| *of == queue && stays(accepted));
        match near {
            true => Err(Trouble {
                what: "ids of different age are too near to one another in real time".to_string(),
                near: true,
            }),
            false => Ok(Some(known.since)),
        }
    }

    /// In a cell that is run again for it, messages are sent apart from one another.
    fn keep_ids_apart(&self) {
        let last = self.ids.values().map(|accepted| accepted.since).max();
        if let Some(last) = last.filter(|_| self.place.apart) {
            std::thread::sleep((APART * 2).saturating_sub(last.elapsed()));
        }
    }
}
