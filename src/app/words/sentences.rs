//! Texts with parts. Each matches on the language, so that a language without one does not compile.

use crate::app::fault::Place;
use crate::app::model::MarkerKind;
use crate::program::{Fault, Kind, Moment, Point, Side, StepName, Visits};
use crate::value::Millis;
use crate::words::Language::{self, De, En};
use crate::words::{instant, point_words, visit};

/// A span for a reader: "7 ms", "9.997 s", "1 h 5 min".
pub fn span(language: Language, time: Millis) -> String {
    const MINUTE: Millis = 60_000;
    match time {
        ..1_000 => format!("{time} ms"),
        1_000..600_000 => {
            let point = match language {
                En => '.',
                De => ',',
            };
            let fraction = format!("{:03}", time % 1_000);
            match fraction.trim_end_matches('0') {
                "" => format!("{} s", time / 1_000),
                fraction => format!("{}{point}{fraction} s", time / 1_000),
            }
        }
        _ => {
            let units = [
                (1_440 * MINUTE, day(language)),
                (60 * MINUTE, "h"),
                (MINUTE, "min"),
                (1_000, "s"),
            ];
            let mut rest = time;
            let mut parts = Vec::new();
            for (size, unit) in units {
                if rest >= size && parts.len() < 2 {
                    parts.push(format!("{} {unit}", rest / size));
                    rest %= size;
                }
            }
            parts.join(" ")
        }
    }
}

/// A span in at most four characters and a unit, rounded: over a break of the timeline.
pub fn rough_span(language: Language, time: Millis) -> String {
    let rounded = match time {
        ..1_000 => time,
        // Tenths below ten seconds, whole seconds from there.
        1_000..9_950 => (time + 50) / 100 * 100,
        _ => (time + 500) / 1_000 * 1_000,
    };
    span(language, rounded)
}

fn day(language: Language) -> &'static str {
    match language {
        En => "d",
        De => "T",
    }
}

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

/// "4 of 5 crash points of Shop are harmless, 1 loses order 1001." `bad` are the others: kind, number, and the subject if they
/// all share it.
pub fn summary(
    language: Language,
    kind: MarkerKind,
    who: &str,
    all: usize,
    bad: &[(Kind, usize, Option<String>)],
) -> String {
    let points = match (language, kind, all) {
        (En, MarkerKind::Crash, 1) => format!("crash point of {who}"),
        (En, MarkerKind::Crash, _) => format!("crash points of {who}"),
        (En, _, 1) => format!("point of {who}"),
        (En, _, _) => format!("points of {who}"),
        (De, MarkerKind::Crash, _) => format!("Absturzstellen von {who}"),
        (De, _, _) => format!("Stellen von {who}"),
    };
    let good = all - bad.iter().map(|(_, number, _)| number).sum::<usize>();
    let mut sentence = match (language, good == all, good) {
        (En, true, 1) => format!("The only {points} is harmless"),
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
        (En, Kind::Duplicate) => (choose("doubles", "double"), ""),
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

/// Where a message is.
pub fn message_place(language: Language, place: MessageWhere<'_>) -> String {
    match (language, place) {
        (En, MessageWhere::Ready) => "ready".to_owned(),
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
        (De, MessageWhere::Ready) => "bereit".to_owned(),
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
    InFlight { holder: &'a str, until: Option<Millis> },
    Delayed { until: Millis },
    Dead,
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

pub fn link_length(language: Language, characters: usize) -> String {
    match language {
        En => format!("{characters} characters"),
        De => format!("{characters} Zeichen"),
    }
}

/// A link could not be opened; what was open stays.
pub fn broken_link(language: Language, reason: &str) -> String {
    match language {
        En => format!("The link could not be opened, so you still see what was open. {reason}"),
        De => format!("Der Link ließ sich nicht öffnen, darum bleibt, was offen war. {reason}"),
    }
}

pub fn unknown_preset(language: Language, id: &str) -> String {
    match language {
        En => format!("There is no scenario {id}; you still see what was open."),
        De => format!("Es gibt kein Szenario {id}; es bleibt, was offen war."),
    }
}

pub fn replace_question(language: Language, title: &str) -> String {
    match language {
        En => format!("Open “{title}” and put your own text aside? Undo brings it back."),
        De => format!("„{title}“ öffnen und den eigenen Text beiseitelegen? Rückgängig holt ihn zurück."),
    }
}

pub fn replace_and_keep(language: Language) -> (&'static str, &'static str) {
    match language {
        En => ("Open it", "Keep mine"),
        De => ("Öffnen", "Meinen behalten"),
    }
}

pub fn open_first(language: Language) -> &'static str {
    match language {
        En => "Open the first scenario",
        De => "Das erste Szenario öffnen",
    }
}

/// A preset changed since its link was made.
pub fn open_present(language: Language) -> &'static str {
    match language {
        En => "Open the present version",
        De => "Die heutige Fassung öffnen",
    }
}

/// A linked text without a title.
pub fn shared_text(language: Language) -> &'static str {
    match language {
        En => "the shared text",
        De => "den geteilten Text",
    }
}

pub fn errors_first(language: Language) -> &'static str {
    match language {
        En => "The text has errors, so its faults cannot be moved. Correct it or undo the last edit.",
        De => {
            "Der Text hat Fehler, darum lassen sich seine Störungen nicht bewegen. Korrigiere ihn oder nimm die letzte Änderung zurück."
        }
    }
}

pub fn copy_failed(language: Language) -> &'static str {
    match language {
        En => "The browser does not let the page copy. The link is in the address bar.",
        De => "Der Browser lässt die Seite nicht kopieren. Der Link steht in der Adresszeile.",
    }
}

pub fn not_computed(language: Language) -> &'static str {
    match language {
        En => "not computed",
        De => "nicht berechnet",
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

/// A folder of presets as the picker names it; folders without a name of their own show themselves.
pub fn folder(language: Language, folder: &str) -> &str {
    match (language, folder) {
        (En, "outbox") => "Outbox",
        (En, "inbox") => "Inbox",
        (En, "point_to_point") => "Point to point",
        (En, "reported") => "Reported bugs",
        (De, "outbox") => "Outbox",
        (De, "inbox") => "Inbox",
        (De, "point_to_point") => "Punkt zu Punkt",
        (De, "reported") => "Gemeldete Fehler",
        _ => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_exact_to_the_millisecond_where_that_matters() {
        let shown: Vec<String> = [0, 7, 999, 1_000, 10_003, 10_100, 600_000, 3_900_000, 604_800_000]
            .iter()
            .map(|at| span(En, *at))
            .collect();
        assert_eq!(
            shown,
            [
                "0 ms",
                "7 ms",
                "999 ms",
                "1 s",
                "10.003 s",
                "10.1 s",
                "10 min",
                "1 h 5 min",
                "7 d"
            ]
        );
        assert_eq!(span(De, 10_003), "10,003 s");
    }

    #[test]
    fn a_break_is_rounded() {
        let shown: Vec<String> = [950, 9_940, 9_997, 59_960]
            .iter()
            .map(|at| rough_span(En, *at))
            .collect();
        assert_eq!(shown, ["950 ms", "9.9 s", "10 s", "60 s"]);
    }

    #[test]
    fn the_summary_counts_the_harmless_and_names_the_others() {
        let lost = [(Kind::Lost, 1, Some("order 1001".to_owned()))];
        assert_eq!(
            summary(En, MarkerKind::Crash, "Shop", 5, &lost),
            "4 of 5 crash points of Shop are harmless, 1 loses order 1001."
        );
        assert_eq!(
            summary(En, MarkerKind::Crash, "Shop", 5, &[]),
            "All 5 crash points of Shop are harmless."
        );
        let both = [(Kind::Lost, 2, None), (Kind::Duplicate, 1, Some("evt-1".to_owned()))];
        assert_eq!(
            summary(De, MarkerKind::Crash, "Relay", 3, &both),
            "Keine der 3 Absturzstellen von Relay ist harmlos, 2 verlieren etwas, 1 verdoppelt evt-1."
        );
    }
}
