//! What of a broker matters for what comes: for telling equal worlds.
//!
//! Deliveries count from the last one of their queue, and of those that are over only those count whose message is still here:
//! a handle of any other is as good as none.

use super::Broker;
use super::line::Line;
use super::queue::{InFlight, Message, Queue};
use crate::fingerprint::Fingerprint;
use crate::program::{Dedupe, QueueSchema};
use std::collections::BTreeSet;

impl Broker {
    /// How many deliveries each queue has made.
    pub fn deliveries(&self) -> Vec<u32> {
        self.queues.iter().map(|queue| queue.delivered()).collect()
    }

    /// Takes down everything that a later request, or somebody who looks, can tell apart, the facts excepted (see
    /// [`Broker::facts`]). `schemas` are the queues' rules.
    pub fn take_down(&self, schemas: &[QueueSchema], print: &mut Fingerprint) {
        for (number, (queue, schema)) in (0..).zip(self.queues.iter().zip(schemas)) {
            queue.take_down(number, schema, print);
        }
        if !self.transactions.is_empty() {
            self.transactions.take_down(print);
        }
    }

    /// Takes down the messages that are here and those that were given up: what there is beside the facts for somebody who looks.
    pub fn take_down_left(&self, print: &mut Fingerprint) {
        for queue in &self.queues {
            let mut present: Vec<&Message> = queue.present().collect();
            present.sort_unstable_by_key(|message| message.number);
            print.count(present.len());
            for message in present {
                message.take_down(print);
                print.flag(queue.is_held_back(message.number));
            }
            print.count(queue.dead().count());
            queue.dead().for_each(|message| message.take_down(print));
        }
    }
}

impl Queue {
    fn take_down(&self, number: u16, schema: &QueueSchema, print: &mut Fingerprint) {
        self.line.take_down(print);
        print.count(self.in_flight.size());
        for held in self.in_flight.values() {
            held.take_down(number, print);
        }
        print.count(self.delayed().count());
        for (at, message) in self.delayed() {
            print.instant(*at);
            message.take_down(print);
        }
        for messages in [&self.doubtful, &self.dead] {
            print.count(messages.size());
            messages.values().for_each(|message| message.take_down(print));
        }
        print.count(self.receivers.len());
        for receiver in self.receivers.iter() {
            print.session(*receiver);
        }
        match &self.partitions {
            Some(partitions) => partitions.take_down(number, schema.stale, print),
            None => self.take_down_handles(number, print),
        }
        print.number(self.accepted_count());
        if let Some(rule) = schema.dedupe {
            self.take_down_known(rule, print);
        }
    }

    /// The handles of messages that are here.
    fn take_down_handles(&self, number: u16, print: &mut Fingerprint) {
        let here: BTreeSet<u32> = self
            .present()
            .chain(self.dead())
            .map(|message| message.number)
            .collect();
        if here.is_empty() {
            return;
        }
        for (delivery, message) in (1..).zip(self.carried()).filter(|(_, message)| here.contains(message)) {
            print.delivery(number, delivery);
            print.number(message);
        }
    }

    /// The ids that may still make another message a copy.
    fn take_down_known(&self, rule: Dedupe, print: &mut Fingerprint) {
        for (id, (number, at)) in self.known.iter() {
            let counts = match rule {
                Dedupe::Within(window) => print.origin() < at.saturating_add(window),
                Dedupe::WhileQueued => self.has(*number),
                Dedupe::Last(_) => true,
            };
            if counts {
                print.value(id);
                print.number(*number);
                print.instant(*at);
            }
        }
    }
}

impl Line {
    fn take_down(&self, print: &mut Fingerprint) {
        print.count(self.len());
        for message in self.iter() {
            message.take_down(print);
            print.flag(self.is_held_back(message.number));
            print.flag(self.is_returned(message.number));
        }
    }
}

impl InFlight {
    fn take_down(&self, queue: u16, print: &mut Fingerprint) {
        print.delivery(queue, self.delivery);
        print.session(self.receiver);
        print.optional(self.lease_ends, Fingerprint::instant);
        print.optional(self.ack_by, Fingerprint::instant);
        self.message.take_down(print);
    }
}

impl Message {
    pub(super) fn take_down(&self, print: &mut Fingerprint) {
        print.number(self.number);
        print.values(&self.row);
        print.number(self.deliveries);
        print.number(self.origin.0);
        print.number(self.origin.1);
        print.optional(self.group.as_ref(), |print, group| print.value(group));
        print.optional(self.expires_at, Fingerprint::instant);
    }
}
