//! A finding in one sentence: the scenario's own, if it has one for the kind and language, else a general one.

use super::evidence::Rows;
use super::label::{quoted, relation_name, subject_label};
use super::signature::sequence;
use super::{Finding, Held, Seen, Subject};
use crate::expression::evaluate;
use crate::program::{Kind, Part, Program, Promise, PromiseKind, Relation, Scenario};
use crate::value::{Row, Value};
use crate::words::{Language, capital, kind_word};

/// What a finding says, without its kind: "Order 1001 is saved and paid; nothing will ever be shipped."
pub fn sentence(finding: &Finding, scenario: &Scenario, language: Language) -> String {
    let promise = scenario.promises.get(finding.promise);
    let own = promise.and_then(|promise| own_sentence(promise, Some(finding.kind), language, rows(finding)));
    own.unwrap_or_else(|| {
        let program = &scenario.program;
        let promise = promise.map(|promise| &promise.kind);
        capital(
            &General {
                program,
                promise,
                language,
            }
            .say(finding),
        )
    })
}

/// The verdict in one line, with its kind: that of the gravest finding, or what holds if there is none.
pub fn headline(findings: &[Finding], scenario: &Scenario, language: Language) -> String {
    let word = kind_word(findings.first().map(|finding| finding.kind), language);
    let said = match findings.first() {
        Some(gravest) => sentence(gravest, scenario, language),
        None => healthy(scenario, language),
    };
    format!("{word}. {said}")
}

/// What holds when nothing is found, without the word for healthy: the first sentence a promise has for it.
pub fn healthy(scenario: &Scenario, language: Language) -> String {
    let mut own = scenario.promises.iter();
    let own = own.find_map(|promise| own_sentence(promise, None, language, Rows::default()));
    own.unwrap_or_else(|| match language {
        Language::En => "Every promise holds.".to_string(),
        Language::De => "Jedes Versprechen gilt.".to_string(),
    })
}

fn own_sentence(promise: &Promise, kind: Option<Kind>, language: Language, rows: Rows<'_>) -> Option<String> {
    let mut sentences = promise.sentences.iter();
    let sentence = sentences.find(|sentence| sentence.kind == kind && &*sentence.language == language.code())?;
    let parts = sentence.parts.iter().map(|part| match part {
        Part::Text(text) => text.to_string(),
        Part::Value(expr) => evaluate(expr, &rows).unwrap_or(Value::Null).to_string(),
    });
    Some(parts.collect())
}

/// The rows that a sentence may speak of: the cause, the first effect, and the subject (or what is left) as the set's own.
fn rows(finding: &Finding) -> Rows<'_> {
    let mut rows = Rows {
        own: finding.subject.row.as_ref(),
        ..Rows::default()
    };
    if let Seen::Pairing {
        cause, effects, held, ..
    } = &finding.seen
    {
        rows.cause = row(cause.as_ref());
        rows.effect = row(effects.first());
        if let Some(held) = held {
            rows.own = row(Some(&held.subject));
        }
    }
    rows
}

fn row(subject: Option<&Subject>) -> Option<&Row> {
    subject?.row.as_ref()
}

/// Sentences for any scenario.
struct General<'a> {
    program: &'a Program,
    promise: Option<&'a PromiseKind>,
    language: Language,
}

impl General<'_> {
    fn say(&self, finding: &Finding) -> String {
        let about = self.label(&finding.subject);
        let home = self.relation(finding.subject.relation);
        match &finding.seen {
            Seen::Pairing {
                cause, effects, held, ..
            } => match (finding.kind, held) {
                (Kind::Phantom, _) => self.phantom(&about, &home, cause.as_ref()),
                (Kind::Duplicate, _) => self.duplicate(finding, effects),
                (_, Some(held)) => self.held(finding, held),
                (_, None) => self.lost(finding),
            },
            Seen::Left(held) => self.left(finding.kind, held),
            Seen::Sequence { per, items, late, .. } => self.out_of_order(per.is_some(), items, &about, late),
            Seen::Values { found, promised } => {
                let (found, promised) = (quoted(found), quoted(promised));
                self.choose(
                    format!("At the end {found} stands in {home} instead of {promised}."),
                    format!("Am Ende steht {found} in {home} statt {promised}."),
                )
            }
            Seen::Size { found, allowed } => self.choose(
                format!("At the end there are {found} in {home}; at most {allowed} were promised."),
                format!("Am Ende stehen {found} in {home}; versprochen waren höchstens {allowed}."),
            ),
        }
    }

    /// `about` is the key that the sequence is promised for, or the item itself where it is promised for all.
    fn out_of_order(&self, has_key: bool, items: &[Value], about: &str, late: &Subject) -> String {
        let (sequence, home, item) = (sequence(items), self.relation(late.relation), quoted(&late.key));
        let who = if has_key {
            format!("{about}: {item}")
        } else {
            about.to_string()
        };
        self.choose(
            format!("{who} came into {home} after a later one; the sequence is {sequence}."),
            format!("{who} kam nach einem späteren in {home}; die Reihenfolge ist {sequence}."),
        )
    }

    fn lost(&self, finding: &Finding) -> String {
        let happened = self.happened(&finding.subject);
        let (none, home) = self.no_effect();
        self.choose(
            format!("{happened}; {none} {home} belongs to it and none will come."),
            format!("{happened}; {none} {home} gehört dazu, und es kommt auch nichts mehr."),
        )
    }

    fn phantom(&self, about: &str, home: &str, late: Option<&Subject>) -> String {
        match (late, self.promise) {
            (Some(late), _) => {
                let (cause, origin) = (self.label(late), self.relation(late.relation));
                self.choose(
                    format!("{about} was in {home} before {cause} was committed in {origin}."),
                    format!("{about} war in {home}, bevor {cause} in {origin} festgeschrieben war."),
                )
            }
            (None, Some(PromiseKind::Each { cause, .. })) => {
                let origin = self.relation(cause.relation);
                self.choose(
                    format!("{about} is in {home}, but nothing in {origin} ever brought it about."),
                    format!("{about} steht in {home}, aber nichts in {origin} hat es je veranlasst."),
                )
            }
            (None, _) => self.choose(
                format!("{about} is in {home}, but nothing brought it about."),
                format!("{about} steht in {home}, aber nichts hat es veranlasst."),
            ),
        }
    }

    fn duplicate(&self, finding: &Finding, effects: &[Subject]) -> String {
        let about = self.label(&finding.subject);
        let (count, relation) = (effects.len(), effects.first().map(|effect| effect.relation));
        let home = relation.map(|relation| self.relation(relation)).unwrap_or_default();
        let (english, german) = match relation {
            Some(Relation::Queue(_) | Relation::Dead(_)) => ("messages", "Nachrichten"),
            Some(Relation::Outside(_)) => ("effects", "Wirkungen"),
            Some(Relation::Changes { .. }) => ("changes", "Änderungen"),
            _ => ("rows", "Zeilen"),
        };
        self.choose(
            format!("{about} has {count} {english} in {home} instead of 1."),
            format!("{about} hat {count} {german} in {home} statt 1."),
        )
    }

    /// A cause without effect that is still somewhere.
    fn held(&self, finding: &Finding, held: &Held) -> String {
        let (happened, place) = (self.happened(&finding.subject), self.relation(held.subject.relation));
        match finding.kind {
            Kind::DeadLettered => self.choose(
                format!("{happened}; it was given up and lies in {place}."),
                format!("{happened}; es wurde aufgegeben und liegt in {place}."),
            ),
            Kind::Blocked => self.choose(
                format!("{happened}; it still waits in {place} and has got no further."),
                format!("{happened}; es wartet noch in {place} und ist nicht weitergekommen."),
            ),
            _ => self.choose(
                format!("{happened}; it still waits in {place}, and nobody will take it from there."),
                format!("{happened}; es wartet noch in {place}, und niemand holt es dort ab."),
            ),
        }
    }

    /// Something that a promise wants gone.
    fn left(&self, kind: Kind, held: &Held) -> String {
        let (about, place) = (self.label(&held.subject), self.relation(held.subject.relation));
        match kind {
            Kind::DeadLettered => self.choose(
                format!("{about} was given up and lies in {place}."),
                format!("{about} wurde aufgegeben und liegt in {place}."),
            ),
            Kind::Blocked => self.choose(
                format!("{about} is left in {place} and has got no further."),
                format!("{about} liegt noch in {place} und ist nicht weitergekommen."),
            ),
            _ => self.choose(
                format!("{about} is left in {place} and waits for nobody."),
                format!("{about} liegt noch in {place}, und niemand kümmert sich darum."),
            ),
        }
    }

    /// What is certain about a cause: "order 1001 is committed in shop.orders".
    fn happened(&self, cause: &Subject) -> String {
        let (about, home) = (self.label(cause), self.relation(cause.relation));
        match cause.relation {
            Relation::Queue(_) | Relation::Dead(_) => self.choose(
                format!("{about} was accepted by {home}"),
                format!("{about} wurde von {home} angenommen"),
            ),
            Relation::Outside(_) => self.choose(format!("{about} has happened"), format!("{about} ist geschehen")),
            Relation::Table { .. } | Relation::Changes { .. } => self.choose(
                format!("{about} is committed in {home}"),
                format!("{about} ist in {home} festgeschrieben"),
            ),
        }
    }

    /// "no message in", "rabbit.events": what a cause without effect lacks.
    fn no_effect(&self) -> (String, String) {
        let Some(PromiseKind::Each { effect, .. }) = self.promise else {
            return (self.choose("nothing".to_string(), "nichts".to_string()), String::new());
        };
        let (english, german) = match effect.relation {
            Relation::Queue(_) | Relation::Dead(_) => ("no message in", "keine Nachricht in"),
            Relation::Outside(_) => ("nothing that happened at", "nichts, was bei"),
            Relation::Changes { .. } => ("no change in", "keine Änderung in"),
            Relation::Table { .. } => ("no row in", "keine Zeile in"),
        };
        let home = self.relation(effect.relation);
        let home = match (effect.relation, self.language) {
            (Relation::Outside(_), Language::De) => format!("{home} geschah,"),
            _ => home,
        };
        (self.choose(english.to_string(), german.to_string()), home)
    }

    fn label(&self, subject: &Subject) -> String {
        subject_label(subject, self.program)
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
