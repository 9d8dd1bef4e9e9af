//! Accepting messages: what a queue refuses because it is full, and what it confirms without storing it.

use super::{Answer, Broker, Happened, Message, group, note_expiry};
use crate::expression::{ErrorClass, Failure};
use crate::fact::{Change, Fact, Stamp};
use crate::program::{Dedupe, QueueSchema};
use crate::value::{Millis, Row, Value};

impl Broker {
    /// Whether a queue would take this message now. Errors: it is full.
    pub fn takes(&self, schemas: &[QueueSchema], queue: u16, row: &Row, now: Millis) -> Answer {
        let (schema, state) = (&schemas[usize::from(queue)], self.queue(queue));
        let full = schema.capacity.is_some_and(|capacity| state.len() >= capacity as usize);
        if full && self.known(schema, queue, row, now).is_none() {
            let detail = format!("queue {} is full", schema.name);
            return Err(Failure::new(ErrorClass::Refused, detail));
        }
        Ok(())
    }

    /// Accepts a message: durable from here on (unless the queue is volatile). Returns its number within the queue; of a copy
    /// that is confirmed and not stored, the number of the message it is a copy of.
    ///
    /// Errors: as [`Broker::takes`].
    pub fn publish(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        row: Row,
        after: Option<Millis>,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Result<u32, Failure> {
        let schema = &schemas[usize::from(queue)];
        if let Some(message) = self.known(schema, queue, &row, stamp.at) {
            happened.push(Happened::Copy { queue, message });
            return Ok(message);
        }
        self.takes(schemas, queue, &row, stamp.at)?;
        let message = self.store(schema, queue, row, stamp);
        let number = message.number;
        note_expiry(queue, &message, happened);
        let target = &mut self.queues[usize::from(queue)];
        match after {
            Some(after) => {
                let due = stamp.at.saturating_add(after);
                target.delay(message, due);
                happened.push(Happened::Delayed {
                    queue,
                    message: number,
                    due,
                });
            }
            None => {
                target.line.put(message);
                self.assign(schemas, queue, stamp, happened);
            }
        }
        Ok(number)
    }

    /// The fact of its acceptance, and the message that has still to find its place in the queue.
    fn store(&mut self, schema: &QueueSchema, queue: u16, row: Row, stamp: Stamp) -> Message {
        let target = &mut self.queues[usize::from(queue)];
        let number = target.next_message();
        target.accepted.push(Fact {
            identity: u64::from(number),
            change: Change::Insert,
            row: row.clone(),
            stamp,
            commit: 0,
        });
        if let Some(id) = id(&row).filter(|_| schema.dedupe.is_some()) {
            target.known.insert_mut(id.clone(), (number, stamp.at));
        }
        Message {
            number,
            group: group(schema, &row),
            row,
            deliveries: 0,
            ready_by: stamp.event,
            origin: (queue, number),
            expires_at: schema.expires.map(|rule| stamp.at.saturating_add(rule.after)),
        }
    }

    /// The message that makes this one a copy, by the queue's rule.
    fn known(&self, schema: &QueueSchema, queue: u16, row: &Row, now: Millis) -> Option<u32> {
        let rule = schema.dedupe?;
        let state = self.queue(queue);
        let (number, at) = state.known.get(id(row)?).copied()?;
        let counts = match rule {
            Dedupe::Within(window) => now < at.saturating_add(window),
            Dedupe::WhileQueued => state.has(number),
            Dedupe::Last(count) => state.messages() < number.saturating_add(count),
        };
        counts.then_some(number)
    }
}

fn id(row: &Row) -> Option<&Value> {
    row.get("id").filter(|id| **id != Value::Null)
}
