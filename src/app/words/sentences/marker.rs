//! Markers: what a fault does, where it stands, what its menu offers.

use super::span;
use crate::app::fault::Place;
use crate::app::model::MarkerKind;
use crate::program::{Fault, Moment, Point, Side, StepName, Visits};
use crate::value::Millis;
use crate::words::Language::{self, De, En};
use crate::words::{instant, point_words, visit};

pub fn side(language: Language, side: Side) -> &'static str {
    match (language, side) {
        (En, Side::Before) => "before",
        (En, Side::During) => "during",
        (En, Side::After) => "after",
        (De, Side::Before) => "vor",
        (De, Side::During) => "während",
        (De, Side::After) => "nach",
    }
}

/// "after publish": as short as a phone needs it; the visit only from the second on.
pub fn short_place(language: Language, place: &Place) -> String {
    let named = |step: &StepName| match step.visit {
        1 => step.step.to_string(),
        visit => format!("{} ({visit})", step.step),
    };
    match place {
        Place::Point(point) => format!("{} {}", side(language, point.side), named(&point.step)),
        Place::Step(step) => named(step),
        Place::At(at) => match language {
            En => format!("at {}", instant(*at, language)),
            De => format!("bei {}", instant(*at, language)),
        },
    }
}

/// A marker's accessible name: "crash of Relay".
pub fn marker_label(language: Language, kind: MarkerKind, who: &str) -> String {
    match (language, kind) {
        (En, MarkerKind::Crash) => format!("crash of {who}"),
        (En, MarkerKind::Pause) => format!("pause of {who}"),
        (En, MarkerKind::LoseRequest) => format!("lost request of {who}"),
        (En, MarkerKind::LoseReply) => format!("lost reply to {who}"),
        (En, MarkerKind::Refuse) => format!("refused request of {who}"),
        (En, MarkerKind::Delay) => format!("delayed request of {who}"),
        (En, MarkerKind::Down) => format!("down time of {who}"),
        (En, MarkerKind::Cut) => format!("cut connection of {who}"),
        (De, MarkerKind::Crash) => format!("Absturz von {who}"),
        (De, MarkerKind::Pause) => format!("Pause von {who}"),
        (De, MarkerKind::LoseRequest) => format!("verlorene Anfrage von {who}"),
        (De, MarkerKind::LoseReply) => format!("verlorene Antwort an {who}"),
        (De, MarkerKind::Refuse) => format!("abgelehnte Anfrage von {who}"),
        (De, MarkerKind::Delay) => format!("verzögerte Anfrage von {who}"),
        (De, MarkerKind::Down) => format!("Ausfall von {who}"),
        (De, MarkerKind::Cut) => format!("getrennte Verbindung von {who}"),
    }
}

/// What a fault does, without its restart: "Relay crashes after publish-events, first time".
/// `who` is the process it happens to.
pub fn fault(language: Language, fault: &Fault, who: &str) -> String {
    let lasts = |time: &Millis| span(language, *time);
    match (language, fault) {
        (_, Fault::Crash(point, _)) => point_words(point, language),
        (En, Fault::Pause(point, time)) => format!("{who} freezes {} for {}", at_point(language, point), lasts(time)),
        (En, Fault::LoseRequest(visits)) => format!("{who} loses the request {}", at_steps(language, visits)),
        (En, Fault::LoseReply(visits)) => format!("{who} loses the reply to {}", at_steps(language, visits)),
        (En, Fault::Refuse(visits)) => format!("{who} is refused {}", at_steps(language, visits)),
        (En, Fault::Delay(visits, time)) => {
            format!("{who} waits {} more for {}", lasts(time), at_steps(language, visits))
        }
        (En, Fault::Down(party, moment, time)) => {
            format!("{party} is down for {} {}", lasts(time), at_moment(language, moment))
        }
        (En, Fault::Cut(one, other, moment, time)) => {
            format!(
                "{one} and {other} are cut off for {} {}",
                lasts(time),
                at_moment(language, moment)
            )
        }
        (De, Fault::Pause(point, time)) => {
            format!("{who} friert ein {} für {}", at_point(language, point), lasts(time))
        }
        (De, Fault::LoseRequest(visits)) => format!("{who} verliert die Anfrage {}", at_steps(language, visits)),
        (De, Fault::LoseReply(visits)) => format!("{who} verliert die Antwort auf {}", at_steps(language, visits)),
        (De, Fault::Refuse(visits)) => format!("{who} wird abgewiesen bei {}", at_steps(language, visits)),
        (De, Fault::Delay(visits, time)) => {
            format!("{who} wartet {} länger auf {}", lasts(time), at_steps(language, visits))
        }
        (De, Fault::Down(party, moment, time)) => {
            format!("{party} fällt aus für {} {}", lasts(time), at_moment(language, moment))
        }
        (De, Fault::Cut(one, other, moment, time)) => {
            format!(
                "{one} und {other} sind für {} getrennt {}",
                lasts(time),
                at_moment(language, moment)
            )
        }
    }
}

/// "after publish-events, first time".
fn at_point(language: Language, point: &Point) -> String {
    let visit = visit(point.step.visit, language);
    format!("{} {}, {visit}", side(language, point.side), point.step.step)
}

/// "publish-events, first time and every later one".
fn at_steps(language: Language, visits: &Visits) -> String {
    let visit = visit(visits.first.visit, language);
    let later = match (visits.and_all_later, language) {
        (false, _) => "",
        (true, En) => " and every later one",
        (true, De) => " und jedes weitere",
    };
    format!("{}, {visit}{later}", visits.first.step)
}

/// "at 20.000 s", "from Relay after publish-events, first time".
fn at_moment(language: Language, moment: &Moment) -> String {
    match (language, moment) {
        (En, Moment::At(at)) => format!("at {}", instant(*at, language)),
        (De, Moment::At(at)) => format!("bei {}", instant(*at, language)),
        (En, Moment::Point(point)) => format!("from {} {}", point.step.service, at_point(language, point)),
        (De, Moment::Point(point)) => format!("ab {} {}", point.step.service, at_point(language, point)),
    }
}

pub fn not_reached(language: Language, line: &str) -> String {
    match language {
        En => format!("not reached: {line}"),
        De => format!("nicht erreicht: {line}"),
    }
}

/// A kind of fault as the menu names it.
pub fn marker_kind(language: Language, kind: MarkerKind) -> &'static str {
    match (language, kind) {
        (En, MarkerKind::Crash) => "crash",
        (En, MarkerKind::Pause) => "pause",
        (En, MarkerKind::LoseRequest) => "lose the request",
        (En, MarkerKind::LoseReply) => "lose the reply",
        (En, MarkerKind::Refuse) => "refuse",
        (En, MarkerKind::Delay) => "delay",
        (En, MarkerKind::Down) => "other side down",
        (En, MarkerKind::Cut) => "connection cut",
        (De, MarkerKind::Crash) => "Absturz",
        (De, MarkerKind::Pause) => "Pause",
        (De, MarkerKind::LoseRequest) => "Anfrage verlieren",
        (De, MarkerKind::LoseReply) => "Antwort verlieren",
        (De, MarkerKind::Refuse) => "ablehnen",
        (De, MarkerKind::Delay) => "verzögern",
        (De, MarkerKind::Down) => "Gegenseite aus",
        (De, MarkerKind::Cut) => "Verbindung getrennt",
    }
}

/// The marker menu's own words.
pub struct MenuWords {
    pub kind: &'static str,
    pub side: &'static str,
    pub restart: &'static str,
    pub duration: &'static str,
    pub repetition: &'static str,
    pub never: &'static str,
    pub once: &'static str,
    pub always: &'static str,
    pub remove: &'static str,
}

pub fn menu(language: Language) -> MenuWords {
    match language {
        En => MenuWords {
            kind: "What happens",
            side: "Where",
            restart: "Restart after",
            duration: "For",
            repetition: "How often",
            never: "never",
            once: "this time only",
            always: "this time and every later one",
            remove: "Remove",
        },
        De => MenuWords {
            kind: "Was geschieht",
            side: "Wo",
            restart: "Neustart nach",
            duration: "Für",
            repetition: "Wie oft",
            never: "nie",
            once: "nur dieses Mal",
            always: "dieses und jedes weitere Mal",
            remove: "Entfernen",
        },
    }
}

pub fn gutter(language: Language, visits: u32) -> String {
    match (language, visits) {
        (En, 0) => "Crash after this line (it is not reached in this run)".to_owned(),
        (En, 1) => "Crash after this line (it happens once in this run)".to_owned(),
        (En, n) => format!("Crash after this line (it happens {n} times in this run; a further click takes the next)"),
        (De, 0) => "Absturz nach dieser Zeile (in diesem Lauf nicht erreicht)".to_owned(),
        (De, 1) => "Absturz nach dieser Zeile (sie kommt in diesem Lauf einmal vor)".to_owned(),
        (De, n) => format!(
            "Absturz nach dieser Zeile (kommt in diesem Lauf {n}-mal vor; ein weiterer Klick nimmt das nächste Mal)"
        ),
    }
}
