//! Where a cause without effect once waited: the rows and messages that held it for a time.
//!
//! They do not change what is found, but they lead to the process that took the cause from there: a relay that marked a row
//! as sent and died is no part of the cause's own history.

use super::Court;
use super::each::messages;
use super::items::{Item, events, ever, lives};
use super::join::Join;
use crate::fact::{EventId, Stamp};
use crate::program::{CAUSE, OWN, Relation, Set};
use std::collections::BTreeMap;

/// One trail for each `waiting in` of a promise.
pub(super) struct Trails<'a>(Vec<Trail<'a>>);

struct Trail<'a> {
    relation: Relation,
    /// For each version the identity of its row or message.
    identities: Vec<u64>,
    join: Join<'a>,
    lives: BTreeMap<u64, Vec<Stamp>>,
}

impl<'a> Trails<'a> {
    pub fn new(court: &Court<'_>, waiting: &'a [Set]) -> Trails<'a> {
        Trails(waiting.iter().map(|set| Trail::new(court, set)).collect())
    }

    /// Adds the events and messages of everything that held the cause at some time.
    pub fn follow(&self, cause: &Item, facts: &mut Vec<EventId>, carriers: &mut Vec<(u16, u64)>) {
        for trail in &self.0 {
            let partners = cause.versions.iter().flat_map(|(row, _)| trail.join.partners(row));
            for identity in partners.filter_map(|partner| trail.identities.get(partner)) {
                facts.extend(trail.lives.get(identity).into_iter().flat_map(|stamps| events(stamps)));
                carriers.extend(messages(trail.relation, &[*identity]));
            }
        }
    }
}

impl<'a> Trail<'a> {
    fn new(court: &Court<'_>, set: &'a Set) -> Trail<'a> {
        // The condition may speak of the cause: it is asked pair by pair, not here.
        let everything = Set {
            relation: set.relation,
            filter: None,
        };
        let (mut identities, mut rows) = (Vec::new(), Vec::new());
        for item in ever(court, &everything) {
            for (row, _) in item.versions {
                identities.extend(item.identities.first());
                rows.push(row);
            }
        }
        Trail {
            relation: set.relation,
            identities,
            join: Join::new(set.filter.as_ref(), CAUSE, OWN, court.evidence.now(), rows),
            lives: lives(set.relation, court.evidence),
        }
    }
}
