//! The place of a fault in words, as a marker is read aloud: "Relay crashes after publish-events, first time".

use super::{Language, visit};
use crate::program::{Point, Side, StepName};

/// A crash at a point: "Relay crashes after publish-events, first time".
pub fn point_words(point: &Point, language: Language) -> String {
    let who = process(&point.step);
    let place = place(point, language);
    match language {
        Language::En => format!("{who} crashes {place}"),
        Language::De => format!("{who} stürzt ab {place}"),
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
}
