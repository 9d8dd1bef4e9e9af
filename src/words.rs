//! Words that several parts speak: languages, times, places of a fault, events.
//!
//! Refuses to know: promises and findings (`verdict` has its own sentences) and how a page arranges text.

mod event;
mod kind;
mod place;
mod time;

pub(crate) use event::capital;
pub use event::{explain, instance_name};
pub use kind::kind_word;
pub use place::point_words;
pub use time::{instant, visit};

/// A language that the program speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    En,
    De,
}

impl Language {
    /// The two-letter code (ISO 639-1) that scenario texts and browsers use.
    pub fn code(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::De => "de",
        }
    }

    /// The language of a code; a region (`de-AT`) is ignored. None for languages that the program does not speak.
    pub fn from_code(code: &str) -> Option<Language> {
        match code.split(['-', '_']).next()? {
            "en" => Some(Language::En),
            "de" => Some(Language::De),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_may_carry_a_region() {
        assert_eq!(Language::from_code("de-AT"), Some(Language::De));
        assert_eq!(Language::from_code("en"), Some(Language::En));
        assert_eq!(Language::from_code("fr"), None);
        assert_eq!(Language::from_code(""), None);
    }
}
