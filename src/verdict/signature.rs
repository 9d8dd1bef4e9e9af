//! What an operator would see afterwards: the few rows and messages that give a finding away.
//!
//! Made from the finding and the promise's conditions; it names what is there and, by solving the conditions for the
//! missing side, what should be.

use super::evidence::Rows;
use super::join::{equality, flatten};
use super::label::{quoted, relation_name};
use super::{Finding, Held, Seen, Subject};
use crate::expression::{Expr, Operator, Slot, evaluate};
use crate::program::{CAUSE, EFFECT, Kind, Program, PromiseKind, Relation, Scenario, Set};
use crate::value::{Name, Row, Value};
use crate::words::{Language, instant};

/// The signature of a finding: "shop.orders has 1001; no message 'evt-1001' in rabbit.events".
pub fn signature(finding: &Finding, scenario: &Scenario, language: Language) -> String {
    let promise = scenario.promises.get(finding.promise).map(|promise| &promise.kind);
    let viewer = Viewer {
        program: &scenario.program,
        promise,
        language,
    };
    viewer.look(finding)
}

struct Viewer<'a> {
    program: &'a Program,
    promise: Option<&'a PromiseKind>,
    language: Language,
}

impl Viewer<'_> {
    fn look(&self, finding: &Finding) -> String {
        let home = self.relation(finding.subject.relation);
        match &finding.seen {
            Seen::Pairing {
                effects,
                held,
                cause_left,
                ..
            } => match (finding.kind, held) {
                (Kind::Phantom, _) => self.phantom(&finding.subject),
                (Kind::Duplicate, _) => self.duplicate(&finding.subject, effects),
                (kind, Some(held)) => self.held(kind, held),
                (_, None) => self.lost(&finding.subject, *cause_left),
            },
            Seen::Left(held) => self.held(finding.kind, held),
            Seen::Sequence { per, items, .. } => {
                let sequence = sequence(items);
                let of = per.as_ref().map(|per| format!("{}: ", quoted(per))).unwrap_or_default();
                self.choose(
                    format!("{of}sequence {sequence} in {home}"),
                    format!("{of}Reihenfolge {sequence} in {home}"),
                )
            }
            Seen::Values { found, promised } => {
                let (found, promised) = (quoted(found), quoted(promised));
                self.choose(
                    format!("{found} instead of {promised} in {home}"),
                    format!("{found} statt {promised} in {home}"),
                )
            }
            Seen::Size { found, allowed } => self.choose(
                format!("{found} in {home}, at most {allowed} allowed"),
                format!("{found} in {home}, höchstens {allowed} erlaubt"),
            ),
        }
    }

    fn lost(&self, cause: &Subject, left: bool) -> String {
        let Some(PromiseKind::Each {
            effect,
            matching,
            waiting,
            ..
        }) = self.promise
        else {
            return String::new();
        };
        let missing = cause.row.as_ref().and_then(|row| wanted(matching, CAUSE, row, EFFECT));
        let missing = self.none(effect.relation, missing);
        let (home, key) = (self.relation(cause.relation), quoted(&cause.key));
        let seen = match left {
            true => self.choose(format!("{home} has {key}"), format!("{home} hat {key}")),
            false => self.choose(
                format!("{key} is gone from {home}"),
                format!("{key} ist fort aus {home}"),
            ),
        };
        format!("{seen}; {missing}{}", self.nowhere(waiting))
    }

    fn phantom(&self, effect: &Subject) -> String {
        let Some(PromiseKind::Each { cause, matching, .. }) = self.promise else {
            return String::new();
        };
        let missing = effect.row.as_ref().and_then(|row| wanted(matching, EFFECT, row, CAUSE));
        let (home, key) = (self.relation(effect.relation), quoted(&effect.key));
        let missing = self.none(cause.relation, missing);
        let when = self.choose("when it was made".to_string(), "als es entstand".to_string());
        match effect.relation {
            // A queued message may wait for its cause; it had none even at the end.
            Relation::Queue(_) | Relation::Dead(_) => format!("{key} in {home}, {missing}"),
            _ => format!("{key} in {home}, {missing} {when}"),
        }
    }

    fn duplicate(&self, cause: &Subject, effects: &[Subject]) -> String {
        let Some(first) = effects.first() else {
            return String::new();
        };
        let (home, count) = (self.relation(first.relation), effects.len());
        if effects.iter().all(|effect| effect.key == first.key) {
            let (key, times) = (quoted(&first.key), self.times(count));
            return format!("{key} {times} in {home}");
        }
        let keys: Vec<Value> = effects.iter().map(|effect| effect.key.clone()).collect();
        let (keys, origin) = (listed(&keys), self.relation(cause.relation));
        let key = quoted(&cause.key);
        self.choose(
            format!("{count} in {home} ({keys}) for {key} of {origin}"),
            format!("{count} in {home} ({keys}) für {key} aus {origin}"),
        )
    }

    fn held(&self, kind: Kind, held: &Held) -> String {
        let (key, home) = (quoted(&held.subject.key), self.relation(held.subject.relation));
        let (since, deliveries) = (instant(held.since, self.language), held.deliveries);
        let tried = match deliveries {
            0 => String::new(),
            n => self.choose(
                format!(", handed out {}", self.times_of(n)),
                format!(", {} ausgeliefert", self.times_of(n)),
            ),
        };
        let fate = match kind {
            Kind::DeadLettered => self.choose("given up".to_string(), "aufgegeben".to_string()),
            Kind::Blocked => self.choose("it got no further".to_string(), "es kam nicht weiter".to_string()),
            _ => self.choose("nobody waits for it".to_string(), "niemand wartet darauf".to_string()),
        };
        let age = match held.subject.relation {
            Relation::Queue(_) | Relation::Dead(_) => {
                self.choose(format!(", accepted at {since}"), format!(", angenommen bei {since}"))
            }
            _ => self.choose(format!(" since {since}"), format!(" seit {since}")),
        };
        format!("{key} in {home}{age}{tried}, {fate}")
    }

    /// "no message 'evt-1001' in rabbit.events", "no row with order_id = 7 in warehouse.parcels".
    fn none(&self, relation: Relation, wanted: Option<(Name, Value)>) -> String {
        let home = self.relation(relation);
        let queued = matches!(relation, Relation::Queue(_) | Relation::Dead(_));
        let named = wanted.map(|(column, value)| match queued && &*column == "id" {
            true => quoted(&value),
            false => self.choose(
                format!("with {column} = {}", quoted(&value)),
                format!("mit {column} = {}", quoted(&value)),
            ),
        });
        let named = named.unwrap_or_else(|| self.choose("for it".to_string(), "dazu".to_string()));
        let (english, german) = match relation {
            Relation::Queue(_) | Relation::Dead(_) => ("no message", "keine Nachricht"),
            Relation::Outside(_) => ("no effect", "keine Wirkung"),
            Relation::Changes { .. } => ("no change", "keine Änderung"),
            Relation::Table { .. } => ("no row", "keine Zeile"),
        };
        self.choose(
            format!("{english} {named} in {home}"),
            format!("{german} {named} in {home}"),
        )
    }

    /// ", none waits in shop.outbox or rabbit.events".
    fn nowhere(&self, waiting: &[Set]) -> String {
        if waiting.is_empty() {
            return String::new();
        }
        let places: Vec<String> = waiting.iter().map(|set| self.relation(set.relation)).collect();
        self.choose(
            format!(", none waits in {}", places.join(" or ")),
            format!(", keine wartet in {}", places.join(" oder ")),
        )
    }

    fn times(&self, count: usize) -> String {
        match (self.language, count) {
            (Language::En, 1) => "once".to_string(),
            (Language::En, 2) => "twice".to_string(),
            (Language::En, n) => format!("{n} times"),
            (Language::De, n) => format!("{n}-mal"),
        }
    }

    fn times_of(&self, count: u32) -> String {
        self.times(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn relation(&self, relation: Relation) -> String {
        relation_name(self.program, relation)
    }

    fn choose(&self, english: String, german: String) -> String {
        match self.language {
            Language::En => english,
            Language::De => german,
        }
    }
}

/// What a missing partner would look like: a column of its and the value that the condition wants there, for the row in
/// `known`. None where the condition has no equality that can be solved for a column.
pub(super) fn wanted(matching: &Expr, known: Slot, row: &Row, missing: Slot) -> Option<(Name, Value)> {
    let scope = Rows::default().with(known, row);
    let mut conjuncts = flatten(matching, Operator::And).into_iter();
    conjuncts.find_map(|conjunct| {
        let (given, asked) = equality(conjunct, known, missing)?;
        solve(asked, evaluate(given, &scope).ok()?)
    })
}

/// The column that makes `expr` equal to `value`, and what it must hold: through casts and text before or after it.
fn solve(expr: &Expr, value: Value) -> Option<(Name, Value)> {
    match expr {
        Expr::Field(of, column) if matches!(**of, Expr::Local(_)) => Some((column.clone(), value)),
        Expr::Cast(of, _) => solve(of, value),
        Expr::Binary(Operator::Concatenate, a, b) => {
            let Value::Text(text) = &value else {
                return None;
            };
            match (&**a, &**b) {
                (Expr::Literal(Value::Text(before)), rest) => solve(rest, bare(text.strip_prefix(&**before)?)),
                (rest, Expr::Literal(Value::Text(after))) => solve(rest, bare(text.strip_suffix(&**after)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What was joined to a text may have been a number: it is shown as one if it reads as one.
fn bare(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::text(text), Value::Int)
}

/// Places in a sequence, `3 4 1 2`; of a long one what surrounds the first that came late.
pub(super) fn sequence(items: &[Value]) -> String {
    const AROUND: usize = 4;
    let mut highest = items.first();
    let late = items.iter().position(|item| {
        let late = highest.is_some_and(|highest| item < highest);
        highest = highest.max(Some(item));
        late
    });
    let late = late.unwrap_or(0);
    let from = late.saturating_sub(AROUND);
    let to = items.len().min(late + AROUND);
    let shown: Vec<String> = items
        .get(from..to)
        .unwrap_or_default()
        .iter()
        .map(Value::to_string)
        .collect();
    let (before, after) = (
        if from > 0 { "… " } else { "" },
        if to < items.len() { " …" } else { "" },
    );
    format!("{before}{}{after}", shown.join(" "))
}

/// Values in a list, at most six of them.
fn listed(values: &[Value]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<String> = values.iter().take(SHOWN).map(quoted).collect();
    let more = if values.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
