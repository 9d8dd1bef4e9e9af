//! The kinds of verdict in words.

use super::Language;
use crate::program::Kind;

/// A kind as a sentence begins with it; none is healthy.
pub fn kind_word(kind: Option<Kind>, language: Language) -> &'static str {
    match (language, kind) {
        (Language::En, None) => "Healthy",
        (Language::En, Some(Kind::Phantom)) => "Phantom",
        (Language::En, Some(Kind::Lost)) => "Lost",
        (Language::En, Some(Kind::Duplicate)) => "Duplicate",
        (Language::En, Some(Kind::WrongValue)) => "Wrong value",
        (Language::En, Some(Kind::OutOfOrder)) => "Out of order",
        (Language::En, Some(Kind::Stuck)) => "Stuck",
        (Language::En, Some(Kind::Blocked)) => "Blocked",
        (Language::En, Some(Kind::DeadLettered)) => "Dead-lettered",
        (Language::En, Some(Kind::Growth)) => "Growth",
        (Language::De, None) => "Gesund",
        (Language::De, Some(Kind::Phantom)) => "Phantom",
        (Language::De, Some(Kind::Lost)) => "Verloren",
        (Language::De, Some(Kind::Duplicate)) => "Doppelt",
        (Language::De, Some(Kind::WrongValue)) => "Falscher Wert",
        (Language::De, Some(Kind::OutOfOrder)) => "Falsche Reihenfolge",
        (Language::De, Some(Kind::Stuck)) => "Hängt fest",
        (Language::De, Some(Kind::Blocked)) => "Blockiert",
        (Language::De, Some(Kind::DeadLettered)) => "Ausgesondert",
        (Language::De, Some(Kind::Growth)) => "Wächst",
    }
}
