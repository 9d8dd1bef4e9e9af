//! The message catalogue: every text of the page, in every language.
//!
//! Fixed texts are the fields of [`Words`]: a language that lacks one does not compile. Texts with parts are functions in
//! [`sentences`] that match on the language. Verdicts, places of faults and events have words of their own
//! ([`crate::words`], `verdict`), because the command line speaks them too.
//! Refuses to know: where a text stands.

mod labels;
pub mod sentences;

pub use labels::{Words, ui};
