//! Gets the fragment out of what people paste and what programs on the way make of it.
//!
//! Undoes what is known to happen and never changes a link that came through whole: quotes and brackets around it,
//! punctuation of the sentence after it, line breaks of mail programs inside it, percent-encoding (even twice).
//! Refuses to know: what a fragment means.

use super::{FRAGMENT_LIMIT, LinkError};

/// Encodings of encodings that are undone; a chat inside a redirect gives two.
const ENCODINGS: usize = 3;

/// The fragment, without `#`, in the characters it was made of: ASCII letters, digits and `- _ . ~ , = /`.
pub fn fragment(received: &str) -> Result<String, LinkError> {
    let raw = after_hash(received.trim_matches(is_around))?;
    let characters = raw.chars().count();
    if characters > FRAGMENT_LIMIT {
        return Err(LinkError::TooLong { characters });
    }
    let mut fragment: String = raw.chars().filter(|c| !is_invisible(*c)).collect();
    for _ in 0..ENCODINGS {
        if fragment.contains('%') {
            fragment = percent_decoded(&fragment)?;
        }
    }
    let fragment = fragment.trim_end_matches(is_around);
    if fragment.is_empty() {
        return Err(LinkError::Empty);
    }
    match fragment.chars().enumerate().find(|(_, c)| !is_of_a_link(*c)) {
        Some((index, found)) => Err(LinkError::BadCharacter {
            position: index + 1,
            found,
        }),
        None => Ok(fragment.to_owned()),
    }
}

/// What follows the first `#`, encoded or not; without any, a text that is no address is the fragment itself.
fn after_hash(received: &str) -> Result<&str, LinkError> {
    let after = |mark: &str| received.split_once(mark).map(|(_, after)| after);
    match after("#").or_else(|| after("%23")) {
        Some(fragment) => Ok(fragment),
        None if received.contains("://") || received.contains("%3A%2F%2F") => Err(LinkError::NotOurs),
        None => Ok(received),
    }
}

/// Characters around a link in a sentence, in quotes or in brackets. A link begins with a digit and ends with a letter
/// or digit, so none of them can be its own.
fn is_around(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '#' | '%' | '/')
}

/// Put in by programs that break long lines.
fn is_invisible(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

fn is_of_a_link(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | ',' | '=' | '/')
}

/// One layer of `%xx` undone. Only ASCII can come out of a link's own characters.
fn percent_decoded(text: &str) -> Result<String, LinkError> {
    let mut decoded = String::with_capacity(text.len());
    let mut characters = text.chars().enumerate();
    while let Some((index, c)) = characters.next() {
        if c != '%' {
            decoded.push(c);
            continue;
        }
        let mut digit = || characters.next().and_then(|(_, c)| c.to_digit(16));
        match (digit(), digit()) {
            // Seven bits at most, so the cast to a character is the ASCII one.
            (Some(high @ 0..8), Some(low)) => decoded.push((high as u8 * 16 + low as u8) as char),
            _ => {
                return Err(LinkError::BadCharacter {
                    position: index + 1,
                    found: '%',
                });
            }
        }
    }
    Ok(decoded)
}
