//! The presets as the picker and the variants show them, read once when the page opens.
//!
//! Refuses to know: what is in their programs.

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
}

/// All presets that can be read, in the sequence of the files.
pub fn read() -> Rc<[Entry]> {
    let entry = |preset: &'static Preset| {
        let scenario = crate::language::parse(preset.text).ok()?;
        Some(Entry {
            preset,
            title: scenario.title,
            about: scenario.about,
        })
    };
    scenarios::all().iter().filter_map(entry).collect()
}

/// The text for a language: its own, else the English one, else the first; none if there is none.
pub fn in_language(texts: &[(Name, Rc<str>)], language: Language) -> Option<Rc<str>> {
    let of = |code: &str| texts.iter().find(|(name, _)| &**name == code);
    let found = of(language.code())
        .or_else(|| of(Language::En.code()))
        .or(texts.first());
    found.map(|(_, text)| text.clone())
}
