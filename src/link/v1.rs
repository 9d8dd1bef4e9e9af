//! Format 1 of links. Frozen once released: what it writes may get shorter, what it reads never changes.
//!
//! ```text
//! link    = "1/" preset "." HASH                          a preset as it is
//!         | "1/" preset "~" HASH {"/" part} "/" CHECK     a preset with other fault lines, or with a view
//!         | "1/s/" DATA {"/" view} "/" CHECK              any text
//! part    = "own"                                         the preset's own fault lines
//!         | "line," N                                     the next fault lines stand after N of the preset's other lines
//!         | word {"," word}                               a fault line
//!         | view
//! view    = "event," N                                    the play head
//! HASH    = 4 digits: the preset's text (CRC-32 modulo 2^20)
//! CHECK   = 7 digits: everything before its "/" (CRC-32)
//! DATA    = the text, deflated after the dictionary, in base64url without padding
//! ```
//!
//! The dictionary, `v1-dictionary.txt`, is what scenario texts often say; it halves their links. It is as frozen as this
//! file, down to its line ends.
//!
//! Digits are base 32: `0-9a-z` without i, l, o, u. Without a `line,` the fault lines stand where the preset's first
//! one stands, or where its first one would ([`Split::home`]). In a fault line's word, `=` stands for `#`, and for `+` at
//! the end of the word. The two separators after the preset's name keep a cut link from looking like a whole one.
//!
//! Format 2 is made of the same pieces.

use super::fault_lines::{Split, is_fault_line, join, split};
use super::{LinkError, Shared, TEXT_LIMIT, View};
use crate::scenarios::Preset;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use miniz_oxide::deflate::core::{CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params};
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use std::fmt::Write;

const HASH_DIGITS: usize = 4;
/// 35 bits for 32: the whole CRC, so that no change within any four neighbouring characters escapes it.
const CHECK_DIGITS: usize = 7;
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Miniz' best; texts are small.
const LEVEL: i32 = 10;
/// At most 65,535 bytes, as it travels as one stored block; its end is nearest to the text, so the most common is there.
const DICTIONARY: &str = include_str!("v1-dictionary.txt");

// --- Writing ----------------------------------------------------------------------------------------------------

/// The shortest link that gives exactly this back.
pub fn encode(shared: &Shared, presets: &[Preset]) -> String {
    preset_of(&shared.text, presets)
        .and_then(|preset| short(shared, preset))
        // The inverse is the proof: a short form that would not give back every byte is not used.
        .filter(|fragment| decode(fragment, presets).as_ref() == Ok(shared))
        .unwrap_or_else(|| long(shared))
}

/// The preset that the text's `scenario` line names.
pub(super) fn preset_of<'a>(text: &str, presets: &'a [Preset]) -> Option<&'a Preset> {
    let line = text.lines().find_map(|line| line.strip_prefix("scenario "))?;
    find(line.split_whitespace().next()?, presets)
}

fn find<'a>(id: &str, presets: &'a [Preset]) -> Option<&'a Preset> {
    presets.iter().find(|preset| preset.id.eq_ignore_ascii_case(id))
}

fn long(shared: &Shared) -> String {
    let mut fragment = format!("1/s/{}", encoded(&shared.text));
    write_view(&mut fragment, &shared.view);
    sealed(fragment)
}

/// None where the text differs from the preset in more than fault lines, or in some that have no short form.
fn short(shared: &Shared, preset: &Preset) -> Option<String> {
    let hash = hash(preset.text);
    if shared.text == preset.text && shared.view == View::default() {
        return Some(format!("1/{}.{hash}", preset.id));
    }
    let mut fragment = format!("1/{}~{hash}", preset.id);
    if shared.text == preset.text {
        fragment.push_str("/own");
    } else {
        write_faults(&mut fragment, &split(&shared.text), &split(preset.text))?;
    }
    write_view(&mut fragment, &shared.view);
    Some(sealed(fragment))
}

pub(super) fn write_faults(fragment: &mut String, text: &Split, preset: &Split) -> Option<()> {
    if text.others != preset.others {
        return None;
    }
    let mut place = preset.home();
    for (before, line) in &text.faults {
        if *before != place {
            place = *before;
            // Writing into a string cannot fail.
            let _ = write!(fragment, "/line,{place}");
        }
        fragment.push('/');
        fragment.push_str(&packed_line(line)?);
    }
    Some(())
}

fn write_view(fragment: &mut String, view: &View) {
    if let Some(event) = view.play_head {
        let _ = write!(fragment, "/event,{event}");
    }
}

/// A fault line in the characters of a link; none where it has others, or blanks that are not single.
fn packed_line(line: &str) -> Option<String> {
    let words: Option<Vec<_>> = line.strip_suffix('\n')?.split(' ').map(packed_word).collect();
    Some(words?.join(","))
}

fn packed_word(word: &str) -> Option<String> {
    let plain = word.strip_suffix('+').unwrap_or(word);
    let mut packed = String::with_capacity(word.len());
    for c in plain.chars() {
        packed.push(match c {
            '#' => '=',
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' => c,
            _ => return None,
        });
    }
    if plain.len() < word.len() {
        packed.push('=');
    }
    // A final `#` would come back as `+`; no word of the language has one.
    (!word.is_empty() && !word.ends_with('#')).then_some(packed)
}

/// A text in the characters of a link.
pub(super) fn encoded(text: &str) -> String {
    BASE64.encode(packed(text))
}

/// The text's part of a deflate stream that begins with the dictionary.
fn packed(text: &str) -> Vec<u8> {
    // No zlib header (window bits 0), the usual strategy (0).
    let mut compressor = CompressorOxide::new(create_comp_flags_from_zip_params(LEVEL, 0, 0));
    // Synchronised, the dictionary ends at a whole byte, and what follows stands alone.
    compress_to_output(&mut compressor, DICTIONARY.as_bytes(), TDEFLFlush::Sync, |_| true);
    let mut packed = Vec::new();
    compress_to_output(&mut compressor, text.as_bytes(), TDEFLFlush::Finish, |bytes| {
        packed.extend_from_slice(bytes);
        true
    });
    packed
}

pub(super) fn sealed(mut fragment: String) -> String {
    let check = digits(u64::from(crc32(fragment.as_bytes())), CHECK_DIGITS);
    fragment.push('/');
    fragment + &check
}

// --- Reading ----------------------------------------------------------------------------------------------------

/// Reads a fragment that begins with `1/` and has only the characters of a link.
pub fn decode(fragment: &str, presets: &[Preset]) -> Result<Shared, LinkError> {
    let body = fragment.strip_prefix("1/").ok_or(LinkError::NotOurs)?;
    let head = body.split('/').next().unwrap_or_default();
    if head == "s" {
        decode_long(fragment)
    } else if head.contains('~') {
        decode_changed(fragment, presets)
    } else if head.contains('.') {
        decode_unchanged(body, presets)
    } else if head.len() == body.len() {
        Err(LinkError::Truncated)
    } else {
        Err(LinkError::Altered)
    }
}

fn decode_long(fragment: &str) -> Result<Shared, LinkError> {
    let (_, parts) = opened(fragment)?;
    let (data, parts) = parts.split_first().ok_or(LinkError::Truncated)?;
    let mut view = View::default();
    for part in parts {
        if !read_view(part, &mut view)? {
            return Err(LinkError::UnknownPart((*part).to_owned()));
        }
    }
    Ok(Shared {
        text: unpacked(data)?,
        view,
    })
}

fn decode_unchanged(body: &str, presets: &[Preset]) -> Result<Shared, LinkError> {
    if body.contains('/') {
        return Err(LinkError::Altered);
    }
    let named = Named::read(body, '.', presets)?;
    let present = Shared {
        text: named.preset.text.to_owned(),
        view: View::default(),
    };
    named.unless_changed(present)
}

fn decode_changed(fragment: &str, presets: &[Preset]) -> Result<Shared, LinkError> {
    let (head, parts) = opened(fragment)?;
    let named = Named::read(head, '~', presets)?;
    let preset = split(named.preset.text);
    let mut own = false;
    let mut view = View::default();
    let mut faults = Faults::none(&preset);
    for part in parts {
        if part == "own" {
            own = true;
        } else if let Some(number) = part.strip_prefix("line,") {
            // The places in the old text say nothing about the present one.
            if !named.changed {
                faults
                    .move_to(number, &preset)
                    .ok_or_else(|| LinkError::BadLine(part.to_owned()))?;
            }
        } else if !(faults.read(part) || read_view(part, &mut view)?) {
            return Err(LinkError::UnknownPart(part.to_owned()));
        }
    }
    let text = if own {
        named.preset.text.to_owned()
    } else {
        faults.joined(&preset)
    };
    named.unless_changed(Shared { text, view })
}

/// The preset that a link names.
pub(super) struct Named<'a> {
    pub preset: &'a Preset,
    /// Its text is not the one the link was made with.
    pub changed: bool,
}

impl<'a> Named<'a> {
    /// Reads `O5~k3f9`.
    pub fn read(head: &str, separator: char, presets: &'a [Preset]) -> Result<Named<'a>, LinkError> {
        let (id, hash) = head.split_once(separator).ok_or(LinkError::Altered)?;
        match hash.len() {
            ..HASH_DIGITS => return Err(LinkError::Truncated),
            HASH_DIGITS if hash.bytes().all(is_digit) => (),
            _ => return Err(LinkError::Altered),
        }
        let preset = find(id, presets).ok_or_else(|| LinkError::UnknownPreset(id.to_owned()))?;
        Ok(Named {
            preset,
            changed: self::hash(preset.text) != hash,
        })
    }

    fn unless_changed(&self, present: Shared) -> Result<Shared, LinkError> {
        if self.changed {
            return Err(LinkError::PresetChanged {
                id: self.preset.id.to_owned(),
                present: Box::new(present),
            });
        }
        Ok(present)
    }
}

/// The fault lines read so far, and where the next one goes.
pub(super) struct Faults {
    place: usize,
    lines: Vec<(usize, String)>,
}

impl Faults {
    /// None so far; the first one belongs where the preset's own would stand.
    pub fn none(preset: &Split) -> Faults {
        Faults {
            place: preset.home(),
            lines: Vec::new(),
        }
    }

    /// False: the part is no fault line.
    pub fn read(&mut self, part: &str) -> bool {
        let line = unpacked_line(part);
        let is_fault = is_fault_line(&line);
        if is_fault {
            self.lines.push((self.place, line));
        }
        is_fault
    }

    /// None where the number is none, lies beyond the preset's end or goes back.
    pub fn move_to(&mut self, number: &str, preset: &Split) -> Option<()> {
        let earliest = self.lines.last().map_or(0, |(place, _)| *place);
        let place = usize::try_from(natural(number)?).ok()?;
        self.place = Some(place).filter(|place| (earliest..=preset.others.len()).contains(place))?;
        Some(())
    }

    pub fn joined(&self, preset: &Split) -> String {
        join(
            &preset.others,
            self.lines.iter().map(|(place, line)| (*place, line.as_str())),
        )
    }
}

fn unpacked_line(part: &str) -> String {
    let words: Vec<_> = part.split(',').map(unpacked_word).collect();
    words.join(" ") + "\n"
}

fn unpacked_word(word: &str) -> String {
    match word.strip_suffix('=') {
        Some(plain) => plain.replace('=', "#") + "+",
        None => word.replace('=', "#"),
    }
}

/// False: the part is nothing of the view.
fn read_view(part: &str, view: &mut View) -> Result<bool, LinkError> {
    let Some(number) = part.strip_prefix("event,") else {
        return Ok(false);
    };
    let event = natural(number).filter(|_| view.play_head.is_none());
    view.play_head = Some(event.ok_or_else(|| LinkError::BadPlayHead(part.to_owned()))?);
    Ok(true)
}

/// A number without sign.
pub(super) fn natural(digits: &str) -> Option<u32> {
    digits
        .parse()
        .ok()
        .filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The head and the parts between it and the checksum, which is right.
pub(super) fn opened(fragment: &str) -> Result<(&str, Vec<&str>), LinkError> {
    let (covered, check) = fragment.rsplit_once('/').ok_or(LinkError::Truncated)?;
    if check.len() != CHECK_DIGITS || !check.bytes().all(is_digit) {
        return Err(LinkError::Truncated);
    }
    if digits(u64::from(crc32(covered.as_bytes())), CHECK_DIGITS) != check {
        return Err(LinkError::Altered);
    }
    let mut parts = covered.split('/').skip(1);
    let head = parts.next().ok_or(LinkError::Truncated)?;
    Ok((head, parts.collect()))
}

/// Memory stays below a small multiple of [`TEXT_LIMIT`], whatever the data say.
pub(super) fn unpacked(data: &str) -> Result<String, LinkError> {
    let packed = BASE64.decode(data).map_err(|_| LinkError::NotCompressed)?;
    let stream = [&stored_dictionary()[..], &packed].concat();
    let limit = DICTIONARY.len() + TEXT_LIMIT;
    let bytes = decompress_to_vec_with_limit(&stream, limit).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => LinkError::TooLarge,
        _ => LinkError::NotCompressed,
    })?;
    let text = bytes.get(DICTIONARY.len()..).unwrap_or_default();
    let text = std::str::from_utf8(text).map_err(|error| LinkError::NotText {
        byte: error.valid_up_to(),
    })?;
    Ok(text.to_owned())
}

/// The dictionary as a deflate block that is stored as it is and not the last one (RFC 1951, 3.2.4).
fn stored_dictionary() -> Vec<u8> {
    const LENGTH: u16 = DICTIONARY.len() as u16;
    const {
        assert!(
            LENGTH as usize == DICTIONARY.len(),
            "the dictionary does not fit into one stored block"
        )
    };
    let [low, high] = LENGTH.to_le_bytes();
    [&[0, low, high, !low, !high], DICTIONARY.as_bytes()].concat()
}

// --- Digits -----------------------------------------------------------------------------------------------------

pub(super) fn hash(text: &str) -> String {
    digits(u64::from(crc32(text.as_bytes())), HASH_DIGITS)
}

/// The last `count` digits of a number in base 32.
fn digits(number: u64, count: usize) -> String {
    let five_bits = |place: usize| (number >> (5 * place)) as usize % DIGITS.len();
    (0..count)
        .rev()
        .map(|place| char::from(DIGITS[five_bits(place)]))
        .collect()
}

fn is_digit(byte: u8) -> bool {
    DIGITS.contains(&byte)
}

/// CRC-32 of ISO 3309, as in PNG and gzip; bit by bit, as links are short.
fn crc32(bytes: &[u8]) -> u32 {
    let shifted = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes
        .iter()
        .fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), shifted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_common_one() {
        // The check value of the CRC catalogues for "123456789".
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn the_dictionary_is_frozen() {
        assert_eq!(
            (DICTIONARY.len(), crc32(DICTIONARY.as_bytes())),
            (5_178, 0xd454_a211),
            "old links cannot be unpacked"
        );
    }

    #[test]
    fn digits_are_the_last_ones_of_the_number() {
        assert_eq!(digits(0, 4), "0000");
        assert_eq!(digits(31, 2), "0z");
        assert_eq!(digits(32 + 18, 2), "1j");
        assert_eq!(digits(u64::from(u32::MAX), CHECK_DIGITS), "3zzzzzz");
    }

    #[test]
    fn words_of_fault_lines_come_back_or_are_not_packed() {
        for (word, packed) in [
            ("crash", Some("crash")),
            ("Relay#2.publish-events.1", Some("Relay=2.publish-events.1")),
            ("Payment.keep.2+", Some("Payment.keep.2=")),
            (
                "Worker#1.redrive-events_dead.2+",
                Some("Worker=1.redrive-events_dead.2="),
            ),
            ("+", Some("=")),
            ("", None),
            ("#", None),
            ("a#", None),
            ("a+b", None),
            ("a=b", None),
            ("a,b", None),
            ("a/b", None),
            ("größe", None),
            ("--", Some("--")),
        ] {
            assert_eq!(packed_word(word).as_deref(), packed, "{word}");
            if let Some(packed) = packed {
                assert_eq!(unpacked_word(packed), word);
            }
        }
    }
}
