//! Why a link could not be read or made, in words for the reader.
//!
//! Refuses to know: how links are built.

use super::{Compared, FRAGMENT_LIMIT, Shared, TEXT_LIMIT};
use crate::words::Language;
use std::fmt::{Display, Formatter, Result};

/// What is wrong with a link. Positions count the characters of the part after `#`, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// Nothing stands after the `#`, or there is nothing at all.
    Empty,
    /// An address or a fragment of something else.
    NotOurs,
    /// A format that this version does not know yet.
    FutureFormat(u32),
    /// The link names a preset that is not (or no longer) there.
    UnknownPreset(String),
    /// The preset's text is not the one the link was made with. `present` is what the link would show today: its
    /// markers in the present text. Only for an explicit wish; never to be opened unasked.
    PresetChanged { id: String, present: Box<Shared> },
    /// The end is missing.
    Truncated,
    /// Complete in form, but the checksum is another one.
    Altered,
    /// A character that no link has, once percent-encoding is undone.
    BadCharacter { position: usize, found: char },
    /// More than [`FRAGMENT_LIMIT`] characters after the `#`.
    TooLong { characters: usize },
    /// A scenario text of more than [`TEXT_LIMIT`] bytes.
    TooLarge,
    /// The data are not compressed as they should be.
    NotCompressed,
    /// The text's bytes from this one on (from 0) are no UTF-8.
    NotText { byte: usize },
    /// `event,…` without a number of an event, or twice.
    BadPlayHead(String),
    /// `line,…` without a number of a line, or one that goes back or beyond the end.
    BadLine(String),
    /// A part with a name that this version does not know.
    UnknownPart(String),
    /// As `PresetChanged`, for one of the presets of a comparison.
    ComparedChanged { id: String, present: Box<Compared> },
    /// A comparison of another number of designs than two to six, or of fewer than the link says.
    BadCount(String),
    /// `open,…` without the number of one of the designs, or twice.
    BadOpen(String),
    /// A design that is no preset's name with four digits and no text, or one with fault lines that is not the open one.
    BadDesign(String),
    /// `at,…` without a number of milliseconds, or a second play head.
    BadTime(String),
}

impl Display for LinkError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.text(Language::En))
    }
}

impl std::error::Error for LinkError {}

impl LinkError {
    /// One or two sentences for the reader: what, where, what was expected.
    pub fn text(&self, language: Language) -> String {
        match language {
            Language::En => self.english(),
            Language::De => self.german(),
        }
    }

    fn english(&self) -> String {
        match self {
            Self::Empty => "The link is empty: nothing stands after the `#`.".into(),
            Self::NotOurs => {
                "This is no Crashpoint link: expected `#1/` and a scenario or `#2/` and a comparison.".into()
            }
            Self::FutureFormat(format) => {
                format!(
                    "The link was made by a newer version: it has format {format}, this version reads formats 1 and 2. Reload the page."
                )
            }
            Self::UnknownPreset(id) => format!("The link names the preset {id}, but there is none of that name."),
            Self::PresetChanged { id, .. } | Self::ComparedChanged { id, .. } => {
                format!(
                    "The preset {id} has changed since the link was made, so the link no longer shows what was shared. You can open the present version."
                )
            }
            Self::Truncated => "The link is incomplete: its end is missing. Ask for it once more.".into(),
            Self::Altered => {
                "The link was altered on its way: its checksum does not match. Ask for it once more.".into()
            }
            Self::BadCharacter { position, found } => {
                format!(
                    "The link was altered on its way: character {position} after the `#` is {found:?}, expected a letter, a digit or one of - _ . ~ , = /"
                )
            }
            Self::TooLong { characters } => {
                format!(
                    "The link is too long: {characters} characters after the `#`, at most {FRAGMENT_LIMIT} are read. Send the text as a file instead."
                )
            }
            Self::TooLarge => format!(
                "The scenario text is too large for a link: more than {} KiB.",
                TEXT_LIMIT / 1024
            ),
            Self::NotCompressed => "The link's data cannot be unpacked: expected a deflated text.".into(),
            Self::NotText { byte } => format!("The link holds no text: byte {byte} of its data is not UTF-8."),
            Self::BadPlayHead(part) => {
                format!("The link's play head `{part}` cannot be read: expected `event,` and one number.")
            }
            Self::BadLine(part) => format!(
                "The link's place `{part}` cannot be read: expected `line,` and a line of the preset, none before the last one."
            ),
            Self::UnknownPart(part) => format!(
                "The link's part `{part}` is not known to this version. A newer one may read it: reload the page."
            ),
            Self::BadCount(count) => {
                format!("The link's comparison cannot be read: it says `{count}`, expected 2 to 6 and as many designs.")
            }
            Self::BadOpen(part) => format!(
                "The link's open design `{part}` cannot be read: expected `open,` and the number of one of its designs, once."
            ),
            Self::BadDesign(part) => format!(
                "The link's design `{part}` cannot be read: expected a preset and four digits, or a text; only the open design has fault lines of its own."
            ),
            Self::BadTime(part) => format!(
                "The link's play head `{part}` cannot be read: expected `at,` and a number of milliseconds, or `start`, once."
            ),
        }
    }

    fn german(&self) -> String {
        match self {
            Self::Empty => "Der Link ist leer: Nach dem `#` steht nichts.".into(),
            Self::NotOurs => {
                "Das ist kein Crashpoint-Link: Erwartet wurden `#1/` und ein Szenario oder `#2/` und ein Vergleich."
                    .into()
            }
            Self::FutureFormat(format) => {
                format!(
                    "Der Link stammt aus einer neueren Version: Er hat Format {format}, diese Version liest die Formate 1 und 2. Bitte die Seite neu laden."
                )
            }
            Self::UnknownPreset(id) => format!("Der Link nennt die Vorlage {id}, aber es gibt keine mit diesem Namen."),
            Self::PresetChanged { id, .. } | Self::ComparedChanged { id, .. } => {
                format!(
                    "Die Vorlage {id} hat sich geändert, seit der Link erstellt wurde; er zeigt nicht mehr, was geteilt wurde. Die heutige Fassung lässt sich öffnen."
                )
            }
            Self::Truncated => "Der Link ist unvollständig: Sein Ende fehlt. Bitte noch einmal schicken lassen.".into(),
            Self::Altered => {
                "Der Link wurde unterwegs verändert: Seine Prüfsumme stimmt nicht. Bitte noch einmal schicken lassen."
                    .into()
            }
            Self::BadCharacter { position, found } => {
                format!(
                    "Der Link wurde unterwegs verändert: Zeichen {position} nach dem `#` ist {found:?}, erwartet wurde ein Buchstabe, eine Ziffer oder eines von - _ . ~ , = /"
                )
            }
            Self::TooLong { characters } => {
                format!(
                    "Der Link ist zu lang: {characters} Zeichen nach dem `#`, gelesen werden höchstens {FRAGMENT_LIMIT}. Bitte den Text als Datei schicken."
                )
            }
            Self::TooLarge => format!(
                "Der Szenariotext ist zu groß für einen Link: mehr als {} KiB.",
                TEXT_LIMIT / 1024
            ),
            Self::NotCompressed => {
                "Die Daten des Links lassen sich nicht entpacken: Erwartet wurde ein mit Deflate gepackter Text.".into()
            }
            Self::NotText { byte } => format!("Der Link enthält keinen Text: Byte {byte} seiner Daten ist kein UTF-8."),
            Self::BadPlayHead(part) => {
                format!(
                    "Die Abspielposition `{part}` des Links ist nicht lesbar: Erwartet wurden `event,` und eine Zahl."
                )
            }
            Self::BadLine(part) => {
                format!(
                    "Die Stelle `{part}` des Links ist nicht lesbar: Erwartet wurden `line,` und eine Zeile der Vorlage, keine vor der letzten."
                )
            }
            Self::UnknownPart(part) => {
                format!(
                    "Den Teil `{part}` des Links kennt diese Version nicht. Vielleicht liest ihn eine neuere: Bitte die Seite neu laden."
                )
            }
            Self::BadCount(count) => format!(
                "Der Vergleich des Links ist nicht lesbar: Er nennt `{count}`, erwartet wurden 2 bis 6 und ebenso viele Entwürfe."
            ),
            Self::BadOpen(part) => format!(
                "Der offene Entwurf `{part}` des Links ist nicht lesbar: Erwartet wurden `open,` und die Nummer eines seiner Entwürfe, einmal."
            ),
            Self::BadDesign(part) => format!(
                "Der Entwurf `{part}` des Links ist nicht lesbar: Erwartet wurden eine Vorlage und vier Ziffern oder ein Text; nur der offene Entwurf hat eigene Störungen."
            ),
            Self::BadTime(part) => format!(
                "Die Abspielposition `{part}` des Links ist nicht lesbar: Erwartet wurden `at,` und eine Zahl von Millisekunden oder `start`, einmal."
            ),
        }
    }
}
