//! A fault and its place in words, as a marker is read aloud: "Relay crashes after publish-events, first time".

use super::{Language, instant, visit};
use crate::program::{Fault, Moment, Point, Side, StepName, Visits};
use crate::value::Duration;

/// A crash at a point: "Relay crashes after publish-events, first time".
pub fn point_words(point: &Point, language: Language) -> String {
    let who = process(&point.step);
    let place = place(point, language);
    match language {
        Language::En => format!("{who} crashes {place}"),
        Language::De => format!("{who} stürzt ab {place}"),
    }
}

/// Any fault, with how long it lasts.
pub fn fault_words(fault: &Fault, language: Language) -> String {
    let en = language == Language::En;
    match fault {
        Fault::Crash(point, restart) => {
            let crash = point_words(point, language);
            match (restart, en) {
                (Some(after), true) => format!("{crash}; restarts after {}", Duration(*after)),
                (Some(after), false) => format!("{crash}; Neustart nach {}", Duration(*after)),
                (None, true) => format!("{crash} and never restarts"),
                (None, false) => format!("{crash} und startet nie wieder"),
            }
        }
        Fault::Pause(point, span) => {
            let (who, place, span) = (process(&point.step), place(point, language), Duration(*span));
            if en {
                format!("{who} freezes {place}, for {span}")
            } else {
                format!("{who} friert ein {place}, für {span}")
            }
        }
        Fault::LoseRequest(visits) => on_steps(visits, language, "the request is lost", "die Anfrage geht verloren"),
        Fault::LoseReply(visits) => on_steps(visits, language, "the reply is lost", "die Antwort geht verloren"),
        Fault::Refuse(visits) => on_steps(visits, language, "it is refused", "wird abgelehnt"),
        Fault::Delay(visits, by) => {
            let by = Duration(*by);
            let (english, german) = (
                format!("the request takes {by} longer"),
                format!("die Anfrage braucht {by} länger"),
            );
            on_steps(visits, language, &english, &german)
        }
        Fault::Down(party, moment, span) => {
            let (when, span) = (when(moment, language), Duration(*span));
            if en {
                format!("{party} is down {when}, for {span}")
            } else {
                format!("{party} fällt aus {when}, für {span}")
            }
        }
        Fault::Cut(one, other, moment, span) => {
            let (when, span) = (when(moment, language), Duration(*span));
            if en {
                format!("{one} and {other} cannot reach each other {when}, for {span}")
            } else {
                format!("{one} und {other} erreichen sich nicht {when}, für {span}")
            }
        }
    }
}

/// `after publish-events, first time`.
pub(super) fn place(point: &Point, language: Language) -> String {
    let (step, visit) = (&point.step.step, visit(point.step.visit, language));
    match (language, point.side) {
        (Language::En, Side::Before) => format!("before {step}, {visit}"),
        (Language::En, Side::During) => format!("while {step} is on its way, {visit}"),
        (Language::En, Side::After) => format!("after {step}, {visit}"),
        (Language::De, Side::Before) => format!("vor {step}, {visit}"),
        (Language::De, Side::During) => format!("während {step} unterwegs ist, {visit}"),
        (Language::De, Side::After) => format!("nach {step}, {visit}"),
    }
}

/// `Relay`, or `Relay#2`; the first instance goes without its number, as in the scenario text.
fn process(step: &StepName) -> String {
    match step.instance {
        1 => step.service.to_string(),
        n => format!("{}#{n}", step.service),
    }
}

fn on_steps(visits: &Visits, language: Language, english: &str, german: &str) -> String {
    let step = &visits.first;
    let (who, count) = (process(step), visit(step.visit, language));
    let later = match (visits.and_all_later, language) {
        (false, _) => "",
        (true, Language::En) => " and ever after",
        (true, Language::De) => " und danach immer",
    };
    let what = if language == Language::En { english } else { german };
    format!("{who}, {}, {count}{later}: {what}", step.step)
}

fn when(moment: &Moment, language: Language) -> String {
    match moment {
        Moment::At(at) => {
            let at = instant(*at, language);
            if language == Language::En {
                format!("at {at}")
            } else {
                format!("bei {at}")
            }
        }
        Moment::Point(point) => {
            let (who, place) = (process(&point.step), place(point, language));
            if language == Language::En {
                format!("when {who} is {place}")
            } else {
                format!("wenn {who} so weit ist: {place}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    fn step(instance: u16, visit: u32) -> StepName {
        StepName {
            service: Rc::from("Relay"),
            instance,
            step: Rc::from("publish-events"),
            visit,
        }
    }

    fn point(side: Side) -> Point {
        Point { side, step: step(1, 1) }
    }

    #[test]
    fn a_marker_is_read_as_a_sentence() {
        assert_eq!(
            point_words(&point(Side::After), Language::En),
            "Relay crashes after publish-events, first time"
        );
        assert_eq!(
            point_words(&point(Side::Before), Language::De),
            "Relay stürzt ab vor publish-events, zum ersten Mal"
        );
    }

    #[test]
    fn every_fault_says_who_where_and_how_long() {
        let said = |fault| fault_words(&fault, Language::En);
        let visits = |and_all_later| Visits {
            first: step(2, 3),
            and_all_later,
        };
        assert_eq!(
            said(Fault::Crash(point(Side::After), Some(5_000))),
            "Relay crashes after publish-events, first time; restarts after 5s"
        );
        assert_eq!(
            said(Fault::Crash(point(Side::During), None)),
            "Relay crashes while publish-events is on its way, first time and never restarts"
        );
        assert_eq!(
            said(Fault::Pause(point(Side::Before), 500)),
            "Relay freezes before publish-events, first time, for 500ms"
        );
        assert_eq!(
            said(Fault::LoseReply(visits(true))),
            "Relay#2, publish-events, third time and ever after: the reply is lost"
        );
        assert_eq!(
            said(Fault::Delay(visits(false), 2_000)),
            "Relay#2, publish-events, third time: the request takes 2s longer"
        );
        assert_eq!(
            said(Fault::Down(Rc::from("rabbit"), Moment::At(1_000), 60_000)),
            "rabbit is down at 1.000 s, for 1min"
        );
    }
}
