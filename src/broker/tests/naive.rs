//! The naive queue: a list of messages and where each is, searched from the front for every question.

use super::*;
use crate::program::{Dedupe, Expires};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Action {
    Publish {
        id: Option<i64>,
        key: Option<i64>,
        after: Option<Millis>,
    },
    Receive(Receiver),
    Ack(u32),
    Nack {
        delivery: u32,
        after: Option<Millis>,
        dead: bool,
    },
    Extend(u32),
    Disconnect(Receiver),
    /// Time passes; what is due happens.
    Pass(Millis),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let maybe = |range| proptest::option::of(range);
    let publish = (maybe(0i64..4), maybe(0i64..3), maybe(1i64..20));
    let nack = (1u32..16, maybe(1i64..20), proptest::bool::weighted(0.2));
    let action = prop_oneof![
        4 => publish.prop_map(|(id, key, after)| Action::Publish { id, key, after }),
        4 => (1u32..4).prop_map(Action::Receive),
        3 => (1u32..16).prop_map(Action::Ack),
        2 => nack.prop_map(|(delivery, after, dead)| Action::Nack { delivery, after, dead }),
        1 => (1u32..16).prop_map(Action::Extend),
        1 => (1u32..4).prop_map(Action::Disconnect),
        3 => (1i64..25).prop_map(Action::Pass),
    ];
    proptest::collection::vec(action, 0..60)
}

/// A queue's rules, and its dead-letter queue without any.
fn rules() -> impl Strategy<Value = QueueSchema> {
    let exhausted = prop_oneof![Just(Exhausted::Dead(1)), Just(Exhausted::Drop), Just(Exhausted::Keep)];
    let dedupe = prop_oneof![
        Just(None),
        (1i64..40).prop_map(|time| Some(Dedupe::Within(time))),
        Just(Some(Dedupe::WhileQueued)),
        (1u32..5).prop_map(|count| Some(Dedupe::Last(count))),
    ];
    let expires = proptest::option::of((1i64..60, any::<bool>()));
    let counts = (proptest::option::of(1u32..6), proptest::option::of(1u32..4));
    (any::<bool>(), any::<bool>(), exhausted, dedupe, expires, counts).prop_map(
        |(leased, grouped, exhausted, dedupe, expires, (capacity, attempts))| QueueSchema {
            lease: leased.then_some(30),
            grouped,
            exhausted,
            dedupe,
            capacity,
            attempts,
            expires: expires.map(|(after, dead)| Expires {
                after,
                dead: dead.then_some(1),
            }),
            ..QueueSchema::plain(Name::from("q"), 0)
        },
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Ready,
    Delayed(Millis),
    /// By delivery and receiver, with the end of the lease.
    Held(u32, Receiver, Option<Millis>),
    /// Acknowledged or dropped.
    Gone,
    /// Given up and kept.
    Kept,
    /// In the dead-letter queue.
    Dead,
}

#[derive(Clone, Debug)]
struct Item {
    id: Option<i64>,
    key: Option<i64>,
    accepted: Millis,
    deliveries: u32,
    place: Where,
}

impl Item {
    fn is_here(&self) -> bool {
        matches!(self.place, Where::Ready | Where::Delayed(_) | Where::Held(..))
    }
    /// In flight, or between two attempts.
    fn is_begun(&self) -> bool {
        match self.place {
            Where::Held(..) => true,
            Where::Delayed(_) => self.deliveries > 0,
            _ => false,
        }
    }
}

struct Model {
    rules: QueueSchema,
    /// The message of number n at n - 1.
    items: Vec<Item>,
    line: Vec<Receiver>,
    deliveries: u32,
    now: Millis,
}

impl Model {
    fn publish(&mut self, id: Option<i64>, key: Option<i64>, after: Option<Millis>) -> Option<u32> {
        let is_original = |(index, item): (usize, &Item)| {
            let known = match self.rules.dedupe {
                None => false,
                Some(Dedupe::Within(window)) => self.now < item.accepted + window,
                Some(Dedupe::WhileQueued) => item.is_here(),
                Some(Dedupe::Last(count)) => self.items.len() - index <= count as usize,
            };
            known && id.is_some() && item.id == id
        };
        if let Some(index) = self.items.iter().enumerate().position(is_original) {
            return Some(index as u32 + 1);
        }
        let here = self.items.iter().filter(|item| item.is_here()).count();
        if self.rules.capacity.is_some_and(|capacity| here >= capacity as usize) {
            return None;
        }
        self.items.push(Item {
            id,
            key,
            accepted: self.now,
            deliveries: 0,
            place: after.map_or(Where::Ready, |after| Where::Delayed(self.now + after)),
        });
        self.hand_out();
        Some(self.items.len() as u32)
    }

    fn hand_out(&mut self) {
        while !self.line.is_empty() {
            let grouped = self.rules.grouped;
            let busy = |key: Option<i64>| {
                grouped && key.is_some() && self.items.iter().any(|item| item.key == key && item.is_begun())
            };
            let next = self
                .items
                .iter()
                .position(|item| item.place == Where::Ready && !busy(item.key));
            let Some(next) = next else { return };
            let receiver = self.line.remove(0);
            self.deliveries += 1;
            let lease_ends = self.rules.lease.map(|lease| self.now + lease);
            self.items[next].deliveries += 1;
            self.items[next].place = Where::Held(self.deliveries, receiver, lease_ends);
        }
    }

    fn of_delivery(&self, delivery: u32) -> Option<usize> {
        let is_it = |item: &Item| matches!(item.place, Where::Held(number, ..) if number == delivery);
        self.items.iter().position(is_it)
    }

    fn is_exhausted(&self, item: usize) -> bool {
        self.rules
            .attempts
            .is_some_and(|attempts| self.items[item].deliveries >= attempts)
    }

    fn is_too_old(&self, item: usize) -> bool {
        let rule = self.rules.expires;
        rule.is_some_and(|rule| self.now >= self.items[item].accepted + rule.after)
    }

    fn expire(&mut self, item: usize) {
        let dead = self.rules.expires.is_some_and(|rule| rule.dead.is_some());
        self.items[item].place = if dead { Where::Dead } else { Where::Gone };
        self.hand_out();
    }

    fn give_up(&mut self, item: usize) {
        self.items[item].place = match self.rules.exhausted {
            Exhausted::Dead(_) => Where::Dead,
            Exhausted::Drop => Where::Gone,
            Exhausted::Keep => Where::Kept,
        };
        self.hand_out();
    }

    fn give_back(&mut self, item: usize) {
        if self.is_exhausted(item) {
            self.give_up(item);
        } else if self.is_too_old(item) {
            self.expire(item);
        } else {
            self.items[item].place = Where::Ready;
            self.hand_out();
        }
    }

    fn nack(&mut self, item: usize, after: Option<Millis>, dead: bool) {
        match after {
            _ if dead => self.give_up(item),
            Some(after) if !self.is_exhausted(item) && !self.is_too_old(item) => {
                self.items[item].place = Where::Delayed(self.now + after);
            }
            _ => self.give_back(item),
        }
    }

    fn numbers(&self, which: impl Fn(&Item) -> bool) -> Vec<u32> {
        let numbered = (1u32..).zip(&self.items);
        numbered.filter(|(_, item)| which(item)).map(|(n, _)| n).collect()
    }
}

/// The queue under test beside the model, and the clock that the kernel is to a queue.
struct Both {
    bench: Bench,
    model: Model,
    /// What is due, in the sequence in which it was announced.
    timers: Vec<(Millis, Happened)>,
}

impl Both {
    fn new(rules: QueueSchema) -> Both {
        let dead = QueueSchema::plain(Name::from("dead"), 0);
        Both {
            bench: Bench::new(vec![rules.clone(), dead]),
            model: Model {
                rules,
                items: Vec::new(),
                line: Vec::new(),
                deliveries: 0,
                now: 0,
            },
            timers: Vec::new(),
        }
    }

    fn play(&mut self, action: &Action) {
        let (bench, model) = (&mut self.bench, &mut self.model);
        let now = model.now;
        match *action {
            Action::Publish { id, key, after } => {
                let published = bench.publish_after(keyed(id, key), after, now);
                assert_eq!(published.ok(), model.publish(id, key, after));
            }
            Action::Receive(receiver) => {
                bench.receive(receiver, now);
                model.line.push(receiver);
                model.hand_out();
            }
            Action::Ack(delivery) => {
                let held = model.of_delivery(delivery);
                assert_eq!(bench.ack(delivery, now).is_ok(), held.is_some());
                if let Some(item) = held {
                    model.items[item].place = Where::Gone;
                    model.hand_out();
                }
            }
            Action::Nack { delivery, after, dead } => {
                let held = model.of_delivery(delivery);
                assert_eq!(bench.nack(delivery, after, dead, now).is_ok(), held.is_some());
                if let Some(item) = held {
                    model.nack(item, after, dead);
                }
            }
            Action::Extend(delivery) => {
                let held = model.of_delivery(delivery).filter(|_| model.rules.lease.is_some());
                assert_eq!(bench.extend(delivery, None, now).is_ok(), held.is_some());
                if let Some(Where::Held(.., ends)) = held.map(|item| &mut model.items[item].place) {
                    *ends = Some(now + 30);
                }
            }
            Action::Disconnect(receiver) => {
                bench.disconnect(receiver, now);
                model.line.retain(|waiting| *waiting != receiver);
                let of = |place: &Where| matches!(place, Where::Held(_, by, None) if *by == receiver);
                let mut returning: Vec<u32> = Vec::new();
                for item in model.items.iter().filter(|item| of(&item.place)) {
                    if let Where::Held(delivery, ..) = item.place {
                        returning.push(delivery);
                    }
                }
                returning.sort_unstable();
                for delivery in returning {
                    if let Some(item) = model.of_delivery(delivery) {
                        model.give_back(item);
                    }
                }
            }
            Action::Pass(time) => self.pass(now + time),
        }
        self.note_timers();
    }

    fn note_timers(&mut self) {
        for happened in std::mem::take(&mut self.bench.happened) {
            let at = match &happened {
                Happened::Delivered { lease_ends, .. } => *lease_ends,
                Happened::Delayed { due, .. } => Some(*due),
                Happened::Expires { queue: 0, at, .. } => Some(*at),
                _ => None,
            };
            self.timers.extend(at.map(|at| (at, happened)));
        }
    }

    fn pass(&mut self, until: Millis) {
        loop {
            self.note_timers();
            let first = (0..self.timers.len()).min_by_key(|index| (self.timers[*index].0, *index));
            let Some(first) = first.filter(|first| self.timers[*first].0 <= until) else {
                break;
            };
            let (at, due) = self.timers.remove(first);
            self.model.now = at;
            self.ring(&due);
        }
        self.model.now = until;
    }

    fn ring(&mut self, due: &Happened) {
        let now = self.model.now;
        match *due {
            Happened::Delivered { delivery, .. } => match self.bench.broker.lease_ends(0, delivery) {
                Some(at) if at > now => self.timers.push((at, due.clone())),
                _ => {
                    self.bench.end_lease(delivery, now);
                    if let Some(item) = self.model.of_delivery(delivery) {
                        self.model.give_back(item);
                    }
                }
            },
            Happened::Delayed { message, .. } => {
                self.bench.due(message, now);
                let item = message as usize - 1;
                if matches!(self.model.items[item].place, Where::Delayed(_)) {
                    self.model.items[item].place = Where::Ready;
                    self.model.hand_out();
                }
            }
            Happened::Expires { message, .. } => {
                self.bench.expire(message, now);
                let item = message as usize - 1;
                if matches!(self.model.items[item].place, Where::Ready | Where::Delayed(_)) {
                    self.model.expire(item);
                }
            }
            _ => {}
        }
    }

    fn compare(&self) {
        let (queue, model) = (self.bench.broker.queue(0), &self.model);
        assert_eq!(self.bench.ready(0), model.numbers(|item| item.place == Where::Ready));
        let delayed: Vec<u32> = queue.delayed().map(|(_, message)| message.number).collect();
        assert_eq!(delayed, model.numbers(|item| matches!(item.place, Where::Delayed(_))));
        let kept: Vec<u32> = queue.dead().map(|message| message.number).collect();
        assert_eq!(kept, model.numbers(|item| item.place == Where::Kept));
        let mut dead: Vec<u32> = self.bench.broker.queue(1).present().map(|m| m.origin.1).collect();
        dead.sort_unstable();
        assert_eq!(dead, model.numbers(|item| item.place == Where::Dead));
        let mut held: Vec<(u32, u32)> = queue.in_flight().map(|h| (h.message.number, h.delivery)).collect();
        held.sort_unstable();
        let numbered = (1u32..).zip(&model.items);
        let expected = numbered.filter_map(|(number, item)| match item.place {
            Where::Held(delivery, ..) => Some((number, delivery)),
            _ => None,
        });
        assert_eq!(held, expected.collect::<Vec<_>>());
        assert_eq!(
            queue.accepted.len(),
            model.items.len(),
            "everything accepted is accounted for"
        );
        assert_eq!(queue.len(), model.items.iter().filter(|item| item.is_here()).count());
    }

    /// What the rules promise, whatever the model says.
    fn check(&self) {
        let queue = self.bench.broker.queue(0);
        let mut messages: Vec<u32> = queue.in_flight().map(|held| held.message.number).collect();
        let count = messages.len();
        messages.sort_unstable();
        messages.dedup();
        assert_eq!(messages.len(), count, "one holder a message");
        let mut groups: Vec<&Value> = queue
            .in_flight()
            .filter_map(|held| held.message.group.as_ref())
            .collect();
        let count = groups.len();
        groups.sort();
        groups.dedup();
        assert_eq!(groups.len(), count, "one of a group in flight");
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_or_invented(rules in rules(), actions in actions()) {
        let mut both = Both::new(rules);
        for action in &actions {
            both.play(action);
            both.compare();
            both.check();
        }
    }
}
