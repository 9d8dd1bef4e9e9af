//! The presets as the picker and the variants show them, read once when the page opens.
//!
//! Refuses to know: what is in their programs.

use crate::app::fault;
use crate::app::model::MarkerKind;
use crate::program::{Kind, Scenario};
use crate::scenarios::{self, Preset};
use crate::value::Name;
use crate::words::Language;
use std::rc::Rc;

/// What is open first.
pub const FIRST: &str = "O1";

/// One preset with its titles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub preset: &'static Preset,
    pub title: Vec<(Name, Rc<str>)>,
    pub about: Vec<(Name, Rc<str>)>,
    /// "Debezium · outbox relay", as far as the scenario says so.
    pub kind: String,
    /// The kinds of faults in its text, each once.
    pub faults: Vec<MarkerKind>,
    /// What comes out, as its text expects it; empty: healthy.
    pub worth: Vec<Kind>,
}

/// All presets that can be read, in the sequence of the files.
pub fn read() -> Rc<[Entry]> {
    let entry = |preset: &'static Preset| {
        let scenario = crate::language::parse(preset.text).ok()?;
        let mut faults: Vec<MarkerKind> = scenario.faults.iter().map(|line| fault::kind(&line.fault)).collect();
        faults.sort();
        faults.dedup();
        Some(Entry {
            preset,
            kind: kind(&scenario),
            faults,
            worth: scenario.expected.iter().map(|expected| expected.kind).collect(),
            title: scenario.title,
            about: scenario.about,
        })
    };
    scenarios::all().iter().filter_map(entry).collect()
}

/// The software a scenario speaks of and the pattern it is an example of.
pub fn kind(scenario: &Scenario) -> String {
    let parts = [&scenario.system, &scenario.pattern].into_iter().flatten();
    parts.map(|text| &**text).collect::<Vec<&str>>().join(" · ")
}

/// Whether a text in lower case has every word of what somebody searches for.
pub fn matches(text: &str, wanted: &str) -> bool {
    wanted.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// The text for a language: its own, else the English one, else the first; none if there is none.
pub fn in_language(texts: &[(Name, Rc<str>)], language: Language) -> Option<Rc<str>> {
    let of = |code: &str| texts.iter().find(|(name, _)| &**name == code);
    let found = of(language.code())
        .or_else(|| of(Language::En.code()))
        .or(texts.first());
    found.map(|(_, text)| text.clone())
}
