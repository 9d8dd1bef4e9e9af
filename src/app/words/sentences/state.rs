//! The state at the play head.

use crate::value::Millis;
use crate::words::Language::{self, De, En};
use crate::words::instant;

/// Where a message is.
pub fn message_place(language: Language, place: MessageWhere<'_>) -> String {
    match (language, place) {
        (En, MessageWhere::Ready) => "ready".to_owned(),
        (En, MessageWhere::HeldBack) => "waits for its group".to_owned(),
        (
            En,
            MessageWhere::InFlight {
                holder,
                until: Some(until),
            },
        ) => {
            format!("in flight, {holder}, until {}", instant(until, language))
        }
        (En, MessageWhere::InFlight { holder, until: None }) => format!("in flight, {holder}"),
        (En, MessageWhere::Delayed { until }) => format!("delayed until {}", instant(until, language)),
        (En, MessageWhere::Dead) => "given up".to_owned(),
        (En, MessageWhere::Held { holder }) => format!("held by the transaction of {holder}"),
        (En, MessageWhere::InDoubt { identifier }) => format!("in doubt, prepared as {identifier}"),
        (De, MessageWhere::Held { holder }) => format!("gehalten von der Transaktion von {holder}"),
        (De, MessageWhere::InDoubt { identifier }) => format!("im Zweifel, vorbereitet als {identifier}"),
        (De, MessageWhere::Ready) => "bereit".to_owned(),
        (De, MessageWhere::HeldBack) => "wartet auf ihre Gruppe".to_owned(),
        (
            De,
            MessageWhere::InFlight {
                holder,
                until: Some(until),
            },
        ) => {
            format!("unterwegs, {holder}, bis {}", instant(until, language))
        }
        (De, MessageWhere::InFlight { holder, until: None }) => format!("unterwegs, {holder}"),
        (De, MessageWhere::Delayed { until }) => format!("verzögert bis {}", instant(until, language)),
        (De, MessageWhere::Dead) => "aufgegeben".to_owned(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageWhere<'a> {
    Ready,
    /// Ready, and hidden by another message of its group.
    HeldBack,
    InFlight {
        holder: &'a str,
        until: Option<Millis>,
    },
    Delayed {
        until: Millis,
    },
    Dead,
    Held {
        holder: &'a str,
    },
    InDoubt {
        identifier: &'a str,
    },
}

/// What a process is doing.
pub fn condition(language: Language, condition: ProcessWord) -> String {
    match (language, condition) {
        (En, ProcessWord::Up) => "up".to_owned(),
        (En, ProcessWord::Down(Some(until))) => format!("down until {}", instant(until, language)),
        (En, ProcessWord::Down(None)) => "down".to_owned(),
        (En, ProcessWord::Paused(until)) => format!("paused until {}", instant(until, language)),
        (De, ProcessWord::Up) => "läuft".to_owned(),
        (De, ProcessWord::Down(Some(until))) => format!("aus bis {}", instant(until, language)),
        (De, ProcessWord::Down(None)) => "aus".to_owned(),
        (De, ProcessWord::Paused(until)) => format!("steht still bis {}", instant(until, language)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessWord {
    Up,
    /// Until it starts again; none: never, or unknown.
    Down(Option<Millis>),
    Paused(Millis),
}

/// The state panel's title for an event in words.
pub fn state_at(language: Language, at: Millis, event: &str) -> String {
    let at = instant(at, language);
    match language {
        En => format!("at {at}: {event}"),
        De => format!("bei {at}: {event}"),
    }
}

pub fn state_at_end(language: Language, at: Millis) -> String {
    let at = instant(at, language);
    match language {
        En => format!("at the end, after {at}"),
        De => format!("am Ende, nach {at}"),
    }
}

pub fn state_at_start(language: Language) -> &'static str {
    match language {
        En => "at the beginning",
        De => "am Anfang",
    }
}

/// How far a consumer group has read its partitions, and who reads for it.
pub fn consumer_group(
    language: Language,
    name: &str,
    positions: &[(u32, u32)],
    generation: u32,
    members: &[String],
) -> String {
    let of = match language {
        En => "of",
        De => "von",
    };
    let positions: Vec<String> = positions.iter().map(|(at, all)| format!("{at} {of} {all}")).collect();
    let (positions, members) = (positions.join(", "), members.join(", "));
    match (language, members.is_empty()) {
        (En, true) => format!("{name}: {positions}; generation {generation}, nobody reads"),
        (De, true) => format!("{name}: {positions}; Generation {generation}, niemand liest"),
        (En, false) => format!("{name}: {positions}; generation {generation}, {members}"),
        (De, false) => format!("{name}: {positions}; Generation {generation}, {members}"),
    }
}

/// What stands before the choice of a product.
pub fn broker_is_like(language: Language, broker: &str) -> String {
    match language {
        En => format!("{broker} is like"),
        De => format!("{broker} ist wie"),
    }
}

/// What stands above the rules of a product.
pub fn rules_of(language: Language, product: &str, rules: usize) -> String {
    match (language, rules) {
        (En, 1) => format!("1 rule of {product}"),
        (En, rules) => format!("{rules} rules of {product}"),
        (De, 1) => format!("1 Regel von {product}"),
        (De, rules) => format!("{rules} Regeln von {product}"),
    }
}
