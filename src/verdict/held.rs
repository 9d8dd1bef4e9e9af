//! What is left at the end although a promise wants it gone or turned into an effect: stuck, blocked, dead-lettered.

use super::each::messages;
use super::items::{Item, Left, at_end, events, lives, meant};
use super::join::Join;
use super::{Broken, Court, Held, Seen};
use crate::fact::{EventId, Stamp};
use crate::program::{CAUSE, Exhausted, Kind, OWN, Relation, Set};
use crate::simulation::trace::Ended;
use std::collections::BTreeMap;

/// `promise no SET`: a finding for each row or message that is there at the end.
pub(super) fn left_over(court: &Court<'_>, set: &Set) -> Vec<Broken> {
    let all = at_end(court, set.relation);
    let found: Vec<&Left> = meant(court, set, &all).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let shelf = Shelf::new(court, set.relation, &all);
    let broken = found.into_iter().map(|left| {
        let found = shelf.found(left);
        Broken {
            kind: found.kind,
            subject: found.held.subject.clone(),
            facts: found.facts,
            messages: found.messages,
            seen: Seen::Left(found.held),
        }
    });
    broken.collect()
}

/// Something that is left, what that amounts to, and the events that made it so.
pub(super) struct Found {
    pub kind: Kind,
    pub held: Held,
    pub facts: Vec<EventId>,
    pub messages: Vec<(u16, u64)>,
}

/// Everything that may still hold a cause: the promise's `waiting in` sets in their sequence, then dead-letter queues.
pub(super) struct Holders<'a> {
    /// The cause itself, where it is a message that was given up.
    itself: Option<(Shelf<'a>, BTreeMap<u64, Left>)>,
    holders: Vec<Holder<'a>>,
}

struct Holder<'a> {
    shelf: Shelf<'a>,
    left: Vec<Left>,
    join: Join<'a>,
}

impl<'a> Holders<'a> {
    pub fn new(court: &'a Court<'a>, cause: Relation, waiting: &'a [Set]) -> Holders<'a> {
        let living = waiting.iter().map(|set| Holder::new(court, set.relation, set));
        let dead = waiting.iter().filter_map(|set| match set.relation {
            Relation::Queue(queue) => Some(Holder::new(court, Relation::Dead(queue), set)),
            _ => None,
        });
        let itself = match cause {
            Relation::Queue(queue) => {
                let given_up = at_end(court, Relation::Dead(queue));
                let shelf = Shelf::new(court, Relation::Dead(queue), &given_up);
                let given_up = given_up.into_iter();
                Some((shelf, given_up.map(|left| (left.identity, left)).collect()))
            }
            _ => None,
        };
        Holders {
            itself,
            holders: living.chain(dead).collect(),
        }
    }

    /// Where a cause without effect still is, if anywhere.
    pub fn holding(&self, cause: &Item) -> Option<Found> {
        for holder in &self.holders {
            let mut rows = cause.versions.iter();
            let first = rows.find_map(|(row, _)| holder.join.partners(row).first().copied());
            if let Some(left) = first.and_then(|first| holder.left.get(first)) {
                return Some(holder.shelf.found(left));
            }
        }
        let (shelf, given_up) = self.itself.as_ref()?;
        let left = cause.identities.iter().find_map(|identity| given_up.get(identity))?;
        Some(shelf.found(left))
    }
}

impl<'a> Holder<'a> {
    /// Holds what `set`'s condition, which may speak of the cause, says of the rows that `relation` has at the end.
    fn new(court: &'a Court<'a>, relation: Relation, set: &'a Set) -> Holder<'a> {
        let left = at_end(court, relation);
        let rows = left.iter().map(|left| left.row.clone()).collect();
        Holder {
            shelf: Shelf::new(court, relation, &left),
            join: Join::new(set.filter.as_ref(), CAUSE, OWN, court.evidence.now(), rows),
            left,
        }
    }
}

/// One relation at the end of the run, and what it means to be left in it.
struct Shelf<'a> {
    court: &'a Court<'a>,
    relation: Relation,
    /// Takes the dead letters of some queue.
    dead_letters: bool,
    /// Its own queue keeps what it has given up: nobody gets it any more, and nothing shows it.
    given_up_in_place: bool,
    /// The stamps of what is left here, by the relation that has its facts: a dead letter's are with the queue that accepted it.
    lives: BTreeMap<Relation, BTreeMap<u64, Vec<Stamp>>>,
    /// The first message that has been handed out more than once; it and all behind it may be what the run turned on.
    first_repeated: Option<u64>,
}

impl<'a> Shelf<'a> {
    /// `left` is all that the relation has at the end.
    fn new(court: &'a Court<'a>, relation: Relation, left: &[Left]) -> Shelf<'a> {
        let queues = &court.scenario.program.queues;
        let given_up_in_place = match relation {
            Relation::Dead(queue) => queues[usize::from(queue)].exhausted == Exhausted::Keep,
            _ => false,
        };
        let dead_letters = match relation {
            Relation::Dead(_) => !given_up_in_place,
            Relation::Queue(queue) => queues.iter().any(|other| other.exhausted == Exhausted::Dead(queue)),
            _ => false,
        };
        let first_repeated = match relation {
            Relation::Queue(_) => {
                let repeated = left.iter().filter(|message| message.deliveries > 1);
                repeated.map(|message| message.identity).min()
            }
            _ => None,
        };
        let mut known = BTreeMap::new();
        for left in left {
            let (source, _) = source(relation, left);
            known.entry(source).or_insert_with(|| lives(source, court.evidence));
        }
        Shelf {
            court,
            relation,
            dead_letters,
            given_up_in_place,
            lives: known,
            first_repeated,
        }
    }

    fn found(&self, left: &Left) -> Found {
        let (source, identity) = source(self.relation, left);
        let stamps = self.lives.get(&source).and_then(|lives| lives.get(&identity));
        let stamps = stamps.map_or(&[][..], Vec::as_slice);
        let mut carriers = messages(self.relation, &[left.identity]);
        carriers.extend(left.origin);
        Found {
            kind: self.kind(left),
            held: Held {
                subject: self.court.subject(self.relation, &left.row),
                since: stamps.last().map_or(0, |stamp| stamp.at),
                deliveries: left.deliveries,
            },
            facts: events(stamps).collect(),
            messages: carriers,
        }
    }

    fn kind(&self, left: &Left) -> Kind {
        let court = self.court;
        let cut = court.ended != Ended::Rest;
        let repeated = self.first_repeated.is_some_and(|first| first <= left.identity);
        if self.dead_letters {
            Kind::DeadLettered
        } else if self.given_up_in_place {
            Kind::Stuck
        } else if left.held_back || court.waits() || (cut && (repeated || court.repeats())) {
            Kind::Blocked
        } else {
            Kind::Stuck
        }
    }
}

/// The relation and the identity that the facts about something left are found under.
fn source(relation: Relation, left: &Left) -> (Relation, u64) {
    match left.origin {
        Some((queue, identity)) => (Relation::Queue(queue), identity),
        None => (relation, left.identity),
    }
}
