//! Messages that have been in a queue for too long.

use super::{Broker, Happened, Message};
use crate::fact::Stamp;
use crate::program::QueueSchema;

impl Broker {
    /// The time of a message is over: unless it is in flight, it leaves the queue. One in flight leaves when it comes back.
    /// False if there is nothing to do.
    pub fn expire(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        message: u32,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> bool {
        let state = &mut self.queues[usize::from(queue)];
        let in_line = state.line.remove(message);
        let Some(message) = in_line.or_else(|| state.take_delayed(message).map(|(_, message)| message)) else {
            return false;
        };
        self.give_up_expired(schemas, queue, message, stamp, happened);
        true
    }

    pub(super) fn give_up_expired(
        &mut self,
        schemas: &[QueueSchema],
        queue: u16,
        message: Message,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) {
        self.queues[usize::from(queue)].line.let_go(&message);
        let dead = schemas[usize::from(queue)].expires.and_then(|rule| rule.dead);
        happened.push(Happened::Expired {
            queue,
            message: message.number,
            dead,
        });
        if let Some(dead) = dead {
            self.move_to(schemas, dead, message, stamp, happened);
            self.assign(schemas, dead, stamp, happened);
        }
        // The next of its group may be handed out.
        self.assign(schemas, queue, stamp, happened);
    }

    /// True while time alone will still change something in a queue.
    pub fn waits_for_time(&self) -> bool {
        self.queues.iter().any(|queue| queue.waits_for_time())
    }
}
