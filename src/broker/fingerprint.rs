//! What of a broker matters for what comes: for telling equal worlds.

use super::Broker;
use super::line::Line;
use super::queue::{InFlight, Message, Queue};
use crate::fingerprint::Fingerprint;

impl Broker {
    /// How many messages have ever been accepted.
    pub fn fact_count(&self) -> usize {
        self.queues.iter().map(|queue| queue.accepted.len()).sum()
    }

    /// Takes down everything that a later request, or somebody who looks, can tell apart, the facts excepted (see
    /// [`Broker::facts`]).
    pub fn take_down(&self, print: &mut Fingerprint) {
        for queue in &self.queues {
            queue.take_down(print);
        }
        if !self.transactions.is_empty() {
            print.shown(&self.transactions);
        }
    }
}

impl Queue {
    fn take_down(&self, print: &mut Fingerprint) {
        self.line.take_down(print);
        print.count(self.in_flight.size());
        for held in self.in_flight.values() {
            held.take_down(print);
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
        // Receipt handles outlive their delivery.
        for message in self.carried() {
            print.number(message);
        }
        print.number(self.accepted_count());
        for (id, (number, at)) in self.known.iter() {
            print.value(id);
            print.number(*number);
            print.instant(*at);
        }
        print.optional(self.partitions.as_ref(), |print, partitions| print.shown(partitions));
    }
}

impl Line {
    fn take_down(&self, print: &mut Fingerprint) {
        print.count(self.len());
        for message in self.iter() {
            message.take_down(print);
            print.flag(self.is_held_back(message.number));
        }
    }
}

impl InFlight {
    fn take_down(&self, print: &mut Fingerprint) {
        print.number(self.delivery);
        print.session(self.receiver);
        print.optional(self.lease_ends, Fingerprint::instant);
        print.optional(self.ack_by, Fingerprint::instant);
        self.message.take_down(print);
    }
}

impl Message {
    fn take_down(&self, print: &mut Fingerprint) {
        print.number(self.number);
        print.values(&self.row);
        print.number(self.deliveries);
        print.number(self.origin.0);
        print.number(self.origin.1);
        print.optional(self.group.as_ref(), |print, group| print.value(group));
        print.optional(self.expires_at, Fingerprint::instant);
    }
}
