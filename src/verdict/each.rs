//! `promise one EFFECTS for each CAUSES matching …`: phantom, lost, duplicate; of causes without effect `held` knows more.

use super::held::Holders;
use super::items::{Item, Moment, at_end, ever, merge_equal};
use super::join::Join;
use super::trail::Trails;
use super::{Broken, Court, Seen};
use crate::expression::Expr;
use crate::fact::EventId;
use crate::program::{CAUSE, Count, EFFECT, Kind, Relation, Set};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn judge(
    court: &Court<'_>,
    count: Count,
    effect: &Set,
    cause: &Set,
    matching: &Expr,
    waiting: &[Set],
) -> Vec<Broken> {
    let effects = ever(court, effect);
    let causes = merge_equal(ever(court, cause));
    let pairs = Pairs::find(court, &causes, &effects, matching);
    let case = Case {
        court,
        effect: effect.relation,
        cause: cause.relation,
        causes,
        effects,
        pairs,
    };
    let mut broken = case.phantoms();
    if count != Count::AtLeastOne {
        broken.extend(case.duplicates());
    }
    if count != Count::AtMostOne {
        broken.extend(case.without_effect(waiting));
    }
    broken
}

/// When each cause came and when its first effect did, in the sequence of the causes.
pub(super) fn answers(court: &Court<'_>, effect: &Set, cause: &Set, matching: &Expr) -> Vec<(Moment, Option<Moment>)> {
    let effects = ever(court, effect);
    let causes = merge_equal(ever(court, cause));
    let pairs = Pairs::find(court, &causes, &effects, matching);
    let answered = causes.iter().zip(&pairs.effects);
    answered
        .map(|(cause, matched)| {
            let matched = matched.iter().filter_map(|effect| effects.get(*effect));
            (cause.since(), matched.map(Item::since).min())
        })
        .collect()
}

/// Which causes and effects go together, both by their position.
struct Pairs {
    /// For each cause its effects, in the sequence in which they came.
    effects: Vec<Vec<usize>>,
    /// For each effect the earliest matching cause.
    causes: BTreeMap<usize, Earliest>,
}

/// The matching cause that was committed first, and whether the effect came before even that one.
struct Earliest {
    cause: usize,
    committed: Moment,
    early: bool,
}

impl Pairs {
    /// A cause and an effect go together if any of their versions match. The effect is early if its first matching
    /// version came before the cause's first matching version.
    fn find(court: &Court<'_>, causes: &[Item], effects: &[Item], matching: &Expr) -> Pairs {
        let versions = effects.iter().enumerate();
        let versions: Vec<(usize, Moment)> = versions
            .flat_map(|(effect, item)| item.versions.iter().map(move |(_, moment)| (effect, *moment)))
            .collect();
        let rows = effects
            .iter()
            .flat_map(|item| item.versions.iter().map(|(row, _)| row.clone()));
        let join = Join::new(Some(matching), CAUSE, EFFECT, court.evidence.now(), rows.collect());
        let mut pairs = Pairs {
            effects: Vec::with_capacity(causes.len()),
            causes: BTreeMap::new(),
        };
        for (cause, item) in causes.iter().enumerate() {
            let mut matched: BTreeMap<usize, (Moment, Moment)> = BTreeMap::new();
            for (row, committed) in &item.versions {
                let partners = join.partners(row).into_iter();
                for (effect, made) in partners.filter_map(|partner| versions.get(partner).copied()) {
                    matched
                        .entry(effect)
                        .and_modify(|first| *first = (first.0.min(*committed), first.1.min(made)))
                        .or_insert((*committed, made));
                }
            }
            pairs.effects.push(matched.keys().copied().collect());
            for (effect, (committed, made)) in matched {
                pairs.note(effect, cause, committed, made);
            }
        }
        pairs
    }

    fn note(&mut self, effect: usize, cause: usize, committed: Moment, made: Moment) {
        let early = made < committed;
        let earliest = self.causes.entry(effect).or_insert(Earliest {
            cause,
            committed,
            early,
        });
        if committed < earliest.committed {
            (earliest.cause, earliest.committed) = (cause, committed);
        }
        earliest.early &= early;
    }
}

/// One promise with everything that bears on it.
struct Case<'a> {
    court: &'a Court<'a>,
    effect: Relation,
    cause: Relation,
    causes: Vec<Item>,
    effects: Vec<Item>,
    pairs: Pairs,
}

impl Case<'_> {
    /// A queued message is nobody's effect yet: it may precede its cause, but must have one at the end.
    fn phantoms(&self) -> Vec<Broken> {
        let queued = matches!(self.effect, Relation::Queue(_) | Relation::Dead(_));
        let mut broken = Vec::new();
        for (number, effect) in self.effects.iter().enumerate() {
            let earliest = self.pairs.causes.get(&number);
            if earliest.is_some_and(|earliest| queued || !earliest.early) {
                continue;
            }
            let late = earliest.and_then(|earliest| self.causes.get(earliest.cause));
            let found = self.court.item(self.effect, effect);
            broken.push(Broken {
                kind: Kind::Phantom,
                subject: found.clone(),
                facts: events([effect].into_iter().chain(late)),
                messages: Vec::new(),
                seen: Seen::Pairing {
                    cause: late.map(|late| self.court.item(self.cause, late)),
                    effects: vec![found],
                    held: None,
                    cause_left: false,
                },
            });
        }
        broken
    }

    fn duplicates(&self) -> Vec<Broken> {
        let mut broken = Vec::new();
        for (cause, matched) in self.causes.iter().zip(&self.pairs.effects) {
            if matched.len() < 2 {
                continue;
            }
            let effects: Vec<&Item> = matched.iter().filter_map(|effect| self.effects.get(*effect)).collect();
            let about = self.court.item(self.cause, cause);
            broken.push(Broken {
                kind: Kind::Duplicate,
                subject: about.clone(),
                facts: events([cause].into_iter().chain(effects.iter().copied())),
                messages: messages(self.cause, &cause.identities),
                seen: Seen::Pairing {
                    cause: Some(about),
                    effects: effects.iter().map(|item| self.court.item(self.effect, item)).collect(),
                    held: None,
                    cause_left: false,
                },
            });
        }
        broken
    }

    fn without_effect(&self, waiting: &[Set]) -> Vec<Broken> {
        let missing = self.causes.iter().zip(&self.pairs.effects);
        let missing: Vec<&Item> = missing
            .filter(|(_, effects)| effects.is_empty())
            .map(|(cause, _)| cause)
            .collect();
        if missing.is_empty() {
            return Vec::new();
        }
        let holders = Holders::new(self.court, self.cause, waiting);
        let trails = Trails::new(self.court, waiting);
        let left = at_end(self.court, self.cause)
            .into_iter()
            .map(|left| left.identity)
            .collect();
        let broken = missing.into_iter();
        broken
            .map(|cause| self.lacks_effect(cause, &holders, &trails, &left))
            .collect()
    }

    fn lacks_effect(&self, cause: &Item, holders: &Holders<'_>, trails: &Trails<'_>, left: &BTreeSet<u64>) -> Broken {
        let about = self.court.item(self.cause, cause);
        let mut facts = events([cause]);
        let mut messages = messages(self.cause, &cause.identities);
        trails.follow(cause, &mut facts, &mut messages);
        let (kind, held) = match holders.holding(cause) {
            Some(found) => {
                facts.extend(found.facts);
                messages.extend(found.messages);
                (found.kind, Some(found.held))
            }
            None => (Kind::Lost, None),
        };
        Broken {
            kind,
            subject: about.clone(),
            facts,
            messages,
            seen: Seen::Pairing {
                cause: Some(about),
                effects: Vec::new(),
                held,
                cause_left: cause.identities.iter().any(|identity| left.contains(identity)),
            },
        }
    }
}

/// The events of the items' first versions.
fn events<'i>(items: impl IntoIterator<Item = &'i Item>) -> Vec<EventId> {
    items.into_iter().filter_map(|item| item.since().event()).collect()
}

/// The items of a queue, as messages; nothing else has any.
pub(super) fn messages(relation: Relation, identities: &[u64]) -> Vec<(u16, u64)> {
    match relation {
        Relation::Queue(queue) | Relation::Dead(queue) => {
            identities.iter().map(|identity| (queue, *identity)).collect()
        }
        _ => Vec::new(),
    }
}
