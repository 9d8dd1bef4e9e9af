//! Texts that must fit into a column of the timeline.
//!
//! Refuses to know: fonts. Measuring would cost a layout for each text, so widths are estimated.

/// The `textLength` of a small text that is wider than the room for it (in pixels), none for one that fits.
pub fn squeezed(text: &str, room: i32) -> Option<String> {
    (width(text) > room).then(|| room.to_string())
}

/// About how wide a text is at 10 pixels.
fn width(text: &str) -> i32 {
    let tenths: i32 = text.chars().map(letter).sum();
    tenths / 10
}

/// Tenths of a pixel, by the widest of the usual system fonts.
fn letter(letter: char) -> i32 {
    match letter {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | '-' | ' ' => 38,
        'm' | 'w' | 'M' | 'W' => 95,
        letter if letter.is_uppercase() => 72,
        _ => 62,
    }
}
