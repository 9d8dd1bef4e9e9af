//! Lanes, strips, breaks, messages on their way.

use super::span;
use crate::app::model::MarkerKind;
use crate::app::strikes::Strikes;
use crate::program::Kind;
use crate::value::Millis;
use crate::words::Language::{self, De, En};
use crate::words::instant;

/// "4 of 5 crash points of Shop are harmless, 1 loses order 1001." `who` is the only process there is, if so; `bad` are the
/// others: kind, number, and the subject if they all share it.
pub fn summary(
    language: Language,
    is_crash: bool,
    who: Option<&str>,
    all: usize,
    bad: &[(Kind, usize, Option<String>)],
) -> String {
    let mut points = match (language, is_crash, all) {
        (En, true, 1) => "crash point",
        (En, true, _) => "crash points",
        (En, false, 1) => "point",
        (En, false, _) => "points",
        (De, true, 1) => "Absturzstelle",
        (De, true, _) => "Absturzstellen",
        (De, false, 1) => "Stelle",
        (De, false, _) => "Stellen",
    }
    .to_owned();
    if let Some(who) = who {
        points.push_str(match language {
            En => " of ",
            De => " von ",
        });
        points.push_str(who);
    }
    let good = all - bad.iter().map(|(_, number, _)| number).sum::<usize>();
    let mut sentence = match (language, good == all, good) {
        (En, true, 1) => format!("The only {points} is harmless"),
        (En, false, _) if all == 1 => format!("The only {points} is not harmless"),
        (De, true, 1) => format!("Die einzige {points} ist harmlos"),
        (De, false, _) if all == 1 => format!("Die einzige {points} ist nicht harmlos"),
        (En, true, _) => format!("All {all} {points} are harmless"),
        (En, false, 0) => format!("None of the {all} {points} is harmless"),
        (En, false, 1) => format!("1 of {all} {points} is harmless"),
        (En, false, _) => format!("{good} of {all} {points} are harmless"),
        (De, true, _) => format!("Alle {all} {points} sind harmlos"),
        (De, false, 0) => format!("Keine der {all} {points} ist harmlos"),
        (De, false, 1) => format!("1 von {all} {points} ist harmlos"),
        (De, false, _) => format!("{good} von {all} {points} sind harmlos"),
    };
    for (kind, number, subject) in bad {
        sentence.push_str(", ");
        sentence.push_str(&does(language, *kind, *number, subject.as_deref()));
    }
    sentence.push('.');
    sentence
}

/// "1 loses order 1001".
fn does(language: Language, kind: Kind, number: usize, subject: Option<&str>) -> String {
    let what = subject.unwrap_or(match language {
        En => "something",
        De => "etwas",
    });
    let one = number == 1;
    let choose = |singular: &'static str, plural: &'static str| if one { singular } else { plural };
    let (verb, rest) = match (language, kind) {
        (En, Kind::Phantom) => (choose("invents", "invent"), ""),
        (En, Kind::Lost) => (choose("loses", "lose"), ""),
        (En, Kind::Duplicate) => (choose("duplicates", "duplicate"), ""),
        (En, Kind::WrongValue) => return format!("{number} {} a wrong value", choose("leaves", "leave")),
        (En, Kind::OutOfOrder) => return format!("{number} {} the order", choose("breaks", "break")),
        (En, Kind::Stuck) => (choose("leaves", "leave"), " stuck"),
        (En, Kind::Blocked) => (choose("leaves", "leave"), " blocked"),
        (En, Kind::DeadLettered) => (choose("dead-letters", "dead-letter"), ""),
        (En, Kind::Growth) => return format!("{number} {} something grow", choose("lets", "let")),
        (De, Kind::Phantom) => (choose("erfindet", "erfinden"), ""),
        (De, Kind::Lost) => (choose("verliert", "verlieren"), ""),
        (De, Kind::Duplicate) => (choose("verdoppelt", "verdoppeln"), ""),
        (De, Kind::WrongValue) => {
            return format!("{number} {} einen falschen Wert", choose("hinterlässt", "hinterlassen"));
        }
        (De, Kind::OutOfOrder) => return format!("{number} {} die Reihenfolge", choose("bricht", "brechen")),
        (De, Kind::Stuck) => (choose("lässt", "lassen"), " hängen"),
        (De, Kind::Blocked) => (choose("lässt", "lassen"), " blockiert"),
        (De, Kind::DeadLettered) => (choose("sondert", "sondern"), " aus"),
        (De, Kind::Growth) => return format!("{number} {} etwas wachsen", choose("lässt", "lassen")),
    };
    format!("{number} {verb} {what}{rest}")
}

/// Over a break with idle passes.
pub fn idle_polls(language: Language, polls: u32) -> String {
    match (language, polls) {
        (En, 1) => "1 idle poll".to_owned(),
        (En, _) => format!("{polls} idle polls"),
        (De, 1) => "1 leere Abfrage".to_owned(),
        (De, _) => format!("{polls} leere Abfragen"),
    }
}

pub fn down_for(language: Language, duration: Option<Millis>) -> String {
    match (language, duration) {
        (En, Some(duration)) => format!("down for {}", span(language, duration)),
        (En, None) => "down for good".to_owned(),
        (De, Some(duration)) => format!("aus für {}", span(language, duration)),
        (De, None) => "aus für immer".to_owned(),
    }
}

pub fn paused_for(language: Language, duration: Millis) -> String {
    match language {
        En => format!("paused for {}", span(language, duration)),
        De => format!("steht {} still", span(language, duration)),
    }
}

pub fn cut_for(language: Language, duration: Millis) -> String {
    match language {
        En => format!("cut off for {}", span(language, duration)),
        De => format!("getrennt für {}", span(language, duration)),
    }
}

/// "… and 40 more".
pub fn more(language: Language, number: usize) -> String {
    match language {
        En => format!("… and {number} more"),
        De => format!("… und {number} weitere"),
    }
}

/// How many events the timeline does not show.
pub fn cut_columns(language: Language, number: usize) -> String {
    match language {
        En => format!("… and {number} more events"),
        De => format!("… und {number} weitere Ereignisse"),
    }
}

/// A long run that is still being made.
pub fn still_running(language: Language, events: u32) -> String {
    match language {
        En => format!("The run goes on: {events} events so far."),
        De => format!("Der Lauf geht noch weiter: {events} Ereignisse bisher."),
    }
}

/// Findings that are counted, not shown.
pub fn more_findings(language: Language, number: usize) -> String {
    match language {
        En => format!("and {number} more"),
        De => format!("und {number} weitere"),
    }
}

/// A run that did not come to rest.
pub fn cut_run(language: Language, at: Millis, bound: Option<u32>) -> String {
    let at = instant(at, language);
    match (language, bound) {
        (En, None) => format!("The run ends at {at}, as the text says."),
        (En, Some(events)) => format!("The run was cut at {at}, after {events} events."),
        (De, None) => format!("Der Lauf endet bei {at}, wie der Text es sagt."),
        (De, Some(events)) => format!("Der Lauf wurde bei {at} nach {events} Ereignissen abgebrochen."),
    }
}

pub fn lane(language: Language, name: &str, what: LaneWord<'_>) -> String {
    match (language, what) {
        (En, LaneWord::Service) => format!("{name}, service"),
        (En, LaneWord::Queue(broker)) => format!("{name}, queue of {broker}"),
        (En, LaneWord::Outside) => format!("{name}, outside party"),
        (En, LaneWord::Database) => format!("{name}, database"),
        (De, LaneWord::Service) => format!("{name}, Dienst"),
        (De, LaneWord::Queue(broker)) => format!("{name}, Warteschlange von {broker}"),
        (De, LaneWord::Outside) => format!("{name}, Außenstehender"),
        (De, LaneWord::Database) => format!("{name}, Datenbank"),
    }
}

/// What a lane belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneWord<'a> {
    Service,
    /// With its broker's name.
    Queue(&'a str),
    Outside,
    Database,
}

/// A message's life: "evt-1003, accepted at 10.002 s, 2 deliveries, acknowledged".
pub fn message_life(
    language: Language,
    id: &str,
    accepted: Option<Millis>,
    deliveries: u32,
    end: MessageEnd,
) -> String {
    let accepted = accepted.map(|at| instant(at, language));
    let mut text = match (language, accepted) {
        (En, Some(at)) => format!("{id}, accepted at {at}"),
        (De, Some(at)) => format!("{id}, angenommen bei {at}"),
        (_, None) => id.to_owned(),
    };
    match (language, deliveries) {
        (_, 0) => {}
        (En, 1) => text.push_str(", delivered once"),
        (En, n) => text.push_str(&format!(", delivered {n} times")),
        (De, 1) => text.push_str(", einmal zugestellt"),
        (De, n) => text.push_str(&format!(", {n}-mal zugestellt")),
    }
    text.push_str(match (language, end) {
        (En, MessageEnd::Acknowledged) => ", acknowledged",
        (En, MessageEnd::Open) => ", still there",
        (En, MessageEnd::GivenUp) => ", given up",
        (De, MessageEnd::Acknowledged) => ", bestätigt",
        (De, MessageEnd::Open) => ", noch da",
        (De, MessageEnd::GivenUp) => ", aufgegeben",
    });
    text
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageEnd {
    Acknowledged,
    Open,
    GivenUp,
}

/// Of a cell without a result.
pub fn not_computed(language: Language, is_coming: bool) -> &'static str {
    match (language, is_coming) {
        (En, true) => "not computed yet",
        (En, false) => "not computed",
        (De, true) => "noch nicht berechnet",
        (De, false) => "nicht berechnet",
    }
}

/// Of a cell at which another fault strikes first.
pub fn never_reached(language: Language) -> &'static str {
    match language {
        En => "never reached, another fault comes first",
        De => "nie erreicht, eine andere Störung kommt zuvor",
    }
}

/// How many cells there are like that.
pub fn unreached_points(language: Language, number: usize) -> String {
    match (language, number) {
        (En, 1) => "1 is never reached.".to_owned(),
        (En, _) => format!("{number} are never reached."),
        (De, 1) => "1 wird nie erreicht.".to_owned(),
        (De, _) => format!("{number} werden nie erreicht."),
    }
}

/// How many cells have no result.
pub fn open_points(language: Language, number: usize, is_coming: bool) -> String {
    match (language, number, is_coming) {
        (En, 1, true) => "1 is still being computed.".to_owned(),
        (En, _, true) => format!("{number} are still being computed."),
        (En, 1, false) => "1 was not computed: it would take too long.".to_owned(),
        (En, _, false) => format!("{number} were not computed: they would take too long."),
        (De, 1, true) => "1 wird noch berechnet.".to_owned(),
        (De, _, true) => format!("{number} werden noch berechnet."),
        (De, 1, false) => "1 wurde nicht berechnet: Es dauerte zu lange.".to_owned(),
        (De, _, false) => format!("{number} wurden nicht berechnet: Es dauerte zu lange."),
    }
}

/// The chosen sort of fault can fall nowhere.
pub fn no_points(language: Language) -> &'static str {
    match language {
        En => "This cannot strike anywhere in this run.",
        De => "Das kann in diesem Lauf nirgends geschehen.",
    }
}

/// A sort of fault as the strips' choice names it: "crash while a request is on its way", "rabbit down".
pub fn strikes(language: Language, strikes: &Strikes) -> String {
    let kind = strikes.kind;
    match (language, kind, &strikes.party) {
        (En, MarkerKind::Down, Some(party)) => format!("{party} down"),
        (De, MarkerKind::Down, Some(party)) => format!("{party} fällt aus"),
        (En, MarkerKind::Cut, Some(party)) => format!("cut off from {party}"),
        (De, MarkerKind::Cut, Some(party)) => format!("von {party} getrennt"),
        _ => {
            let during = match (language, strikes.during) {
                (_, false) => "",
                (En, true) => " during a request",
                (De, true) => " während einer Anfrage",
            };
            format!("{}{during}", super::marker_kind(language, kind))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_the_harmless_and_names_the_others() {
        let lost = [(Kind::Lost, 1, Some("order 1001".to_owned()))];
        assert_eq!(
            summary(En, true, Some("Shop"), 5, &lost),
            "4 of 5 crash points of Shop are harmless, 1 loses order 1001."
        );
        assert_eq!(
            summary(En, true, Some("Shop"), 5, &[]),
            "All 5 crash points of Shop are harmless."
        );
        let both = [(Kind::Lost, 2, None), (Kind::Duplicate, 1, Some("evt-1".to_owned()))];
        assert_eq!(
            summary(De, true, Some("Relay"), 3, &both),
            "Keine der 3 Absturzstellen von Relay ist harmlos, 2 verlieren etwas, 1 verdoppelt evt-1."
        );
        let many = [(Kind::Lost, 2, None), (Kind::Duplicate, 1, None)];
        assert_eq!(
            summary(En, false, None, 34, &many),
            "31 of 34 points are harmless, 2 lose something, 1 duplicates something."
        );
        assert_eq!(open_points(De, 1, true), "1 wird noch berechnet.");
    }
}
