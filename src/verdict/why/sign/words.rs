//! The words of each sign, in English and German.

use super::Sign;
use crate::program::Program;
use crate::verdict::label::{quoted, relation_name};
use crate::words::{Language, instance_name, instant};

fn often(times: usize) -> String {
    match times {
        2 => "twice".to_string(),
        n => format!("{n} times"),
    }
}

impl Sign {
    /// The sign in a few words.
    pub fn words(&self, program: &Program, language: Language) -> String {
        let place = |relation| relation_name(program, relation);
        let english = language == Language::En;
        match self {
            Sign::Row(relation, key, changed) => {
                let (place, key) = (place(*relation), quoted(key));
                let states: Vec<String> = changed
                    .iter()
                    .map(|(name, value)| format!("{name} = {}", quoted(value)))
                    .collect();
                let states = match (states.is_empty(), english) {
                    (true, _) => String::new(),
                    (false, true) => format!(" with {}", states.join(", ")),
                    (false, false) => format!(" mit {}", states.join(", ")),
                };
                let has = if english { "has" } else { "hat" };
                format!("{place} {has} {key}{states}")
            }
            Sign::Redelivered(key, times) => {
                let key = quoted(key);
                match english {
                    true => format!("{key} was handed out {} although its receiver was alive", often(*times)),
                    false => {
                        format!("{key} wurde {times}-mal ausgeliefert, obwohl ihr Empfänger nicht ausgefallen war")
                    }
                }
            }
            Sign::Copies(relation, one, other) => {
                let (place, one, other) = (place(*relation), quoted(one), quoted(other));
                match english {
                    true => format!("{one} and {other} in {place} differ in nothing but their ids"),
                    false => format!("{one} und {other} in {place} unterscheiden sich nur in ihren Ids"),
                }
            }
            Sign::Deleted(relation, key, at, before) => {
                let (place, key) = (place(*relation), quoted(key));
                let (at, before) = (instant(*at, language), instant(*before, language));
                match english {
                    true => format!("{key} was deleted from {place} at {at}, {before} before the second effect"),
                    false => format!("{key} wurde bei {at} aus {place} gelöscht, {before} vor der zweiten Wirkung"),
                }
            }
            Sign::Acknowledged(key, at) => {
                let (key, at) = (quoted(key), instant(*at, language));
                match english {
                    true => format!("{key} was acknowledged at {at}, before any effect"),
                    false => format!("{key} wurde bei {at} bestätigt, vor jeder Wirkung"),
                }
            }
            Sign::OwnerDied(who, at) => {
                let (who, at) = (instance_name(*who, program), instant(*at, language));
                match english {
                    true => format!("{who}, which changed it last, died at {at}"),
                    false => format!("{who}, das es zuletzt geändert hat, starb bei {at}"),
                }
            }
            Sign::BehindHead(key, times) => {
                let (key, times) = (quoted(key), usize::try_from(*times).unwrap_or(usize::MAX));
                match english {
                    true => format!("{key} lies before it, handed out {}", often(times)),
                    false => format!("{key} liegt davor, {times}-mal ausgeliefert"),
                }
            }
            Sign::Behind(count, key) => {
                let of = match (key.as_ref().map(quoted), english) {
                    (None, _) => String::new(),
                    (Some(key), true) => format!(" of key {key}"),
                    (Some(key), false) => format!(" mit Schlüssel {key}"),
                };
                match english {
                    true => format!("{count} more{of} wait behind it"),
                    false => format!("{count} weitere{of} warten dahinter"),
                }
            }
        }
    }
}
