//! `promise SET in order of …`: out of order.
//!
//! Only the first effect of an item counts; copies never do. There is one finding for a key, about the first item that
//! came after a later one.

use super::evidence::Rows;
use super::items::{Item, ever};
use super::{Broken, Court, Seen, Subject};
use crate::expression::{Expr, evaluate};
use crate::program::{Kind, OWN, Relation, Set};
use crate::value::{Row, Value};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn judge(court: &Court<'_>, set: &Set, of: &Expr, per: Option<&Expr>) -> Vec<Broken> {
    let items = ever(court, set);
    let mut lines: BTreeMap<Option<Value>, Line<'_>> = BTreeMap::new();
    for item in &items {
        let value = |expr: &Expr| value(court, expr, item.row());
        let key = per.map(value);
        // What has no place in the sequence, or belongs to no key, cannot be out of order.
        if let Some(place) = value(of)
            && key != Some(None)
        {
            lines.entry(key.flatten()).or_default().add(place, item);
        }
    }
    let broken = lines.into_iter().filter_map(|(key, line)| {
        let (late, overtaker) = line.late?;
        Some(Broken {
            kind: Kind::OutOfOrder,
            subject: about(court, set.relation, late, per.zip(key.as_ref())),
            facts: [late, overtaker]
                .iter()
                .filter_map(|item| item.since().event())
                .collect(),
            messages: Vec::new(),
            seen: Seen::Sequence {
                late: court.item(set.relation, late),
                overtaker: court.item(set.relation, overtaker),
                per: key,
                items: line.places,
            },
        })
    });
    broken.collect()
}

/// The item that came late, under the key that its sequence is promised for.
fn about(court: &Court<'_>, relation: Relation, late: &Item, per: Option<(&Expr, &Value)>) -> Subject {
    let item = court.item(relation, late);
    let Some((expr, key)) = per else { return item };
    let name = match expr {
        Expr::Field(_, column) => Some(column.clone()),
        _ => None,
    };
    Subject {
        key: key.clone(),
        name,
        ..item
    }
}

fn value(court: &Court<'_>, expr: &Expr, row: &Row) -> Option<Value> {
    let scope = Rows::at(court.evidence.now());
    evaluate(expr, &scope.with(OWN, row))
        .ok()
        .filter(|value| *value != Value::Null)
}

/// The items of one key in the sequence of their first effects.
#[derive(Default)]
struct Line<'i> {
    places: Vec<Value>,
    seen: BTreeSet<Value>,
    /// The item with the highest place so far.
    highest: Option<(Value, &'i Item)>,
    /// The first item that came after a later one, and that later one.
    late: Option<(&'i Item, &'i Item)>,
}

impl<'i> Line<'i> {
    fn add(&mut self, place: Value, item: &'i Item) {
        if !self.seen.insert(place.clone()) {
            return;
        }
        self.places.push(place.clone());
        match &self.highest {
            Some((highest, overtaker)) if place < *highest => {
                self.late.get_or_insert((item, overtaker));
            }
            _ => self.highest = Some((place, item)),
        }
    }
}
