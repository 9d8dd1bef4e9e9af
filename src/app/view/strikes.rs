//! The choice of what the strips speak of, and what they say all together.

use super::Shown;
use super::strip;
use crate::app::lanes::LaneOf;
use crate::app::strikes;
use crate::app::survey::Strip;
use crate::app::words::sentences;

/// What strikes at each cell of the strips, to be chosen, and how much of it does harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strikes {
    pub choices: Vec<StrikesChoice>,
    /// "31 of 34 crash points are harmless, 2 lose something, 1 duplicates something." Empty while a marker is under way.
    pub count: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrikesChoice {
    pub strikes: strikes::Strikes,
    /// Stable and language-free, for elements and tests: "crash-during", "down rabbit".
    pub value: String,
    pub label: String,
    pub chosen: bool,
}

pub(super) fn strikes(shown: &Shown<'_>) -> Strikes {
    let present = &shown.model.strikes;
    let mut all = strikes::Strikes::all(shown.program);
    if !all.contains(present) {
        all.push(present.clone());
    }
    let choice = |strikes: strikes::Strikes| StrikesChoice {
        value: strikes.value(),
        label: sentences::strikes(shown.language, &strikes),
        chosen: strikes == *present,
        strikes,
    };
    Strikes {
        choices: all.into_iter().map(choice).collect(),
        count: count(shown),
    }
}

fn count(shown: &Shown<'_>) -> String {
    if shown.model.drag.as_ref().is_some_and(|drag| drag.at.is_some()) {
        return String::new();
    }
    let instances = shown.lanes.iter().filter_map(|lane| match lane {
        LaneOf::Instance(instance) => Some(*instance),
        _ => None,
    });
    let strip = |instance| shown.model.survey.strips.get(usize::from(instance));
    let with_stops = instances.filter(|instance| strip(*instance).is_some_and(|strip| !strip.stops.is_empty()));
    let with_stops: Vec<_> = with_stops.collect();
    let strips: Vec<&Strip> = with_stops.iter().filter_map(|instance| strip(*instance)).collect();
    let name = |instance| crate::words::instance_name(instance, shown.program);
    let only = match with_stops.as_slice() {
        [only] => Some(name(*only)),
        _ => None,
    };
    if strips.is_empty() {
        return sentences::no_points(shown.language).to_owned();
    }
    strip::count(shown, &strips, only.as_deref())
}
