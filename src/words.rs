//! The languages the program speaks.

/// A language of the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    #[default]
    En,
    De,
}

impl Language {
    /// All languages, the default first.
    pub const ALL: [Language; 2] = [Language::En, Language::De];

    /// The code of ISO 639-1, as scenario texts write it.
    pub fn code(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::De => "de",
        }
    }

    /// The language of a code; none for a code that is not spoken.
    pub fn from_code(code: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.code() == code)
    }
}
