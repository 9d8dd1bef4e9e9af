//! What parties do by themselves: a broker hands messages over, leases end, delayed messages are due, a commit log grows.

use super::super::agenda::{Due, Handed};
use super::super::kernel::{Kernel, TRAVEL};
use super::super::trace::EventKind;
use super::super::world::TaskId;
use crate::broker::Happened;
use crate::fact::EventId;
use crate::program::{Destination, TriggerKind};
use crate::value::Millis;

impl Kernel<'_> {
    /// Puts on the agenda, or records, what a queue did.
    pub(in crate::simulation) fn follow_up(&mut self, happened: Vec<Happened>, cause: Option<EventId>) {
        for item in happened {
            match item {
                Happened::Delivered {
                    queue,
                    receiver,
                    delivery,
                    lease_ends,
                } => {
                    self.hand_over(queue, receiver, delivery, lease_ends);
                }
                Happened::Returned { queue, message } => {
                    self.record(None, cause, EventKind::Returned { queue, message });
                }
                Happened::Exhausted { queue, message, dead } => {
                    self.record(None, cause, EventKind::Exhausted { queue, message, dead });
                }
                Happened::Unsettled { queue, group } => {
                    let at = self.world.now + TRAVEL;
                    self.world.agenda.add(at, Due::Rebalance { queue, group, cause });
                }
                Happened::Silent { queue, receiver, at } => {
                    self.world.agenda.add(at, Due::SessionEnds { queue, receiver });
                }
                Happened::Acknowledged { queue, message } => {
                    self.record(None, cause, EventKind::Acknowledged { queue, message });
                }
                Happened::Delayed { queue, message, due } => {
                    self.world.agenda.add(due, Due::DelayOver { queue, message });
                }
                Happened::Leased {
                    queue,
                    delivery,
                    lease_ends,
                } => self.world.agenda.add(lease_ends, Due::LeaseEnds { queue, delivery }),
                Happened::AckBy { queue, delivery, at } => {
                    self.world.agenda.add_timer(at, Due::AckTimeout { queue, delivery });
                }
                Happened::Copy { queue, message } => {
                    let (destination, copy_of) = (Destination::Queue(queue), Some(message));
                    self.record(None, cause, EventKind::Discarded { destination, copy_of });
                }
                Happened::Unroutable { topic } => {
                    let destination = Destination::Topic(topic);
                    self.record(
                        None,
                        cause,
                        EventKind::Discarded {
                            destination,
                            copy_of: None,
                        },
                    );
                }
                Happened::Expires { queue, message, at } => {
                    self.world.agenda.add_timer(at, Due::Expires { queue, message });
                }
                Happened::Expired { queue, message, dead } => {
                    self.record(None, cause, EventKind::Expired { queue, message, dead });
                }
            }
        }
    }

    pub(super) fn hand_over(&mut self, queue: u16, receiver: TaskId, delivery: u32, lease_ends: Option<Millis>) {
        let Some(held) = self.world.broker.queue(queue).held(delivery) else {
            return;
        };
        let message = Handed {
            queue,
            delivery,
            number: held.message.number,
            deliveries: held.message.deliveries,
            row: held.message.row.clone(),
            ready_by: held.message.ready_by,
            connection: self.world.tasks.get(&receiver).map_or(0, |task| task.connection),
        };
        self.world.agenda.add(
            self.world.now + TRAVEL,
            Due::Deliver {
                task: receiver,
                message,
            },
        );
        if let Some(at) = lease_ends {
            self.world.agenda.add(at, Due::LeaseEnds { queue, delivery });
        }
    }

    pub(in crate::simulation) fn lease_ends(&mut self, queue: u16, delivery: u32) {
        match self.world.broker.lease_ends(queue, delivery) {
            Some(at) if at > self.world.now => self.world.agenda.add(at, Due::LeaseEnds { queue, delivery }),
            Some(_) if self.program.queues[usize::from(queue)].again_in_turn => self.all_over(queue),
            Some(_) => self.end_lease(queue, delivery),
            None => {}
        }
    }

    fn end_lease(&mut self, queue: u16, delivery: u32) {
        let Some(message) = self.world.broker.queue(queue).message_of(delivery) else {
            return;
        };
        let (stamp, mut happened) = (self.stamp(), Vec::new());
        let cause = self
            .world
            .broker
            .queue(queue)
            .held(delivery)
            .map(|held| held.message.ready_by);
        self.world
            .broker
            .end_lease(&self.program.queues, queue, delivery, stamp, &mut happened);
        let event = self.record(None, cause, EventKind::LeaseEnded { queue, message });
        self.follow_up(happened, Some(event));
    }

    /// Leases and delays that are over by now end together, those of the oldest message first, however they began.
    fn all_over(&mut self, queue: u16) {
        let over = self.world.broker.queue(queue).over(self.world.now);
        for (message, delivery) in over {
            match delivery {
                Some(delivery) => self.end_lease(queue, delivery),
                None => self.end_delay(queue, message),
            }
        }
    }

    /// Everybody who came or went since the group became unsettled is in it, or out of it, now.
    pub(in crate::simulation) fn rebalance(&mut self, queue: u16, group: u16, cause: Option<EventId>) {
        let (stamp, mut happened) = (self.stamp(), Vec::new());
        let broker = &mut self.world.broker;
        let dealt = broker.rebalance(&self.program.queues, queue, group, stamp, &mut happened);
        let Some(generation) = dealt else { return };
        let members = broker
            .groups(queue)
            .get(usize::from(group))
            .map_or(0, |group| group.members.len());
        let kind = EventKind::Rebalanced {
            queue,
            group,
            generation,
            members: members as u32, // no more than tasks, which have 32-bit numbers
        };
        let event = self.record(None, cause, kind);
        self.follow_up(happened, Some(event));
    }

    pub(in crate::simulation) fn session_ends(&mut self, queue: u16, receiver: TaskId) {
        let (now, mut happened) = (self.world.now, Vec::new());
        let broker = &mut self.world.broker;
        broker.end_session(&self.program.queues, queue, receiver, now, &mut happened);
        self.follow_up(happened, None);
    }

    pub(in crate::simulation) fn message_due(&mut self, queue: u16, message: u32) {
        match self.program.queues[usize::from(queue)].again_in_turn {
            true => self.all_over(queue),
            false => self.end_delay(queue, message),
        }
    }

    fn end_delay(&mut self, queue: u16, message: u32) {
        let (stamp, mut happened) = (self.stamp(), Vec::new());
        if self
            .world
            .broker
            .due(&self.program.queues, queue, message, stamp, &mut happened)
        {
            let event = self.record(None, None, EventKind::Due { queue, message });
            self.follow_up(happened, Some(event));
        }
    }

    pub(in crate::simulation) fn message_expires(&mut self, queue: u16, message: u32) {
        let (stamp, mut happened) = (self.stamp(), Vec::new());
        let queues = &self.program.queues;
        if self.world.broker.expire(queues, queue, message, stamp, &mut happened) {
            // The expiry itself is the first of what happened.
            self.follow_up(happened, None);
        }
    }

    pub(super) fn wake_followers(&mut self, database: u16) {
        if self.world.followers.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.world.followers);
        for id in waiting.iter().copied() {
            let Some(task) = self.world.tasks.get(&id) else {
                continue;
            };
            let (position, follows) = (task.position.unwrap_or(0), self.trigger(task.instance, task.trigger));
            let news = match follows {
                TriggerKind::Follow {
                    database: followed,
                    table,
                    ..
                } if *followed == database => {
                    position < self.world.databases[usize::from(database)].facts(*table).len()
                }
                _ => false,
            };
            if news {
                self.world
                    .agenda
                    .add(self.world.now + TRAVEL, Due::Continue { task: id });
            } else {
                self.world.followers.push_back_mut(id);
            }
        }
    }
}
