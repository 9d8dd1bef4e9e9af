//! The presets as the picker and the variants show them, each read once.
//!
//! Refuses to know: what is in their programs.

use crate::app::fault;
use crate::app::model::MarkerKind;
use crate::program::{Kind, Scenario};
use crate::scenarios::{self, Preset};
use crate::value::Name;
use crate::words::Language;
use std::cell::OnceCell;
use std::rc::Rc;

/// What is open first.
pub const FIRST: &str = "O1";

/// One preset. Its text is read when somebody asks what it says of itself: there are hundreds, and a page that opens shows few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub preset: &'static Preset,
    told: OnceCell<Told>,
}

/// What a preset says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub title: Vec<(Name, Rc<str>)>,
    pub about: Vec<(Name, Rc<str>)>,
    /// "Debezium · outbox relay", as far as the scenario says so.
    pub kind: String,
    /// The kinds of faults in its text, each once.
    pub faults: Vec<MarkerKind>,
    /// What comes out, as its text expects it; empty: healthy.
    pub worth: Vec<Kind>,
}

impl Entry {
    /// Nothing for a text that cannot be read; a test reads them all.
    pub fn told(&self) -> &Told {
        self.told
            .get_or_init(|| match crate::language::parse(self.preset.text) {
                Ok(scenario) => Told::by(scenario),
                Err(_) => Told::default(),
            })
    }
}

impl Told {
    fn by(scenario: Scenario) -> Told {
        let mut faults: Vec<MarkerKind> = scenario.faults.iter().map(|line| fault::kind(&line.fault)).collect();
        faults.sort();
        faults.dedup();
        Told {
            kind: kind(&scenario),
            faults,
            worth: scenario.expected.iter().map(|expected| expected.kind).collect(),
            title: scenario.title,
            about: scenario.about,
        }
    }
}

/// All presets, in the sequence of the files.
pub fn all() -> Rc<[Entry]> {
    let entry = |preset: &'static Preset| Entry {
        preset,
        told: OnceCell::new(),
    };
    scenarios::all().iter().map(entry).collect()
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
