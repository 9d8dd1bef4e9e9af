//! Scenario text ⇄ URL fragment: what is shared is the text and how it was looked at.
//!
//! ```text
//! #1/O5.k3f9                                              the preset O5 as it is
//! #1/O5~k3f9/crash,after,Relay.publish-events.1/0x7k2pq     the preset O5 with these fault lines instead of its own
//! #1/O5~k3f9/own/event,12/2v9c4mt                           the preset O5 as it is, the play head at event 12
//! #1/s/gxdLvpnAqgUA/0e337fp                                 any other text, deflated
//! #2/3/O1.k3f9/O3.7x2p/O6.v9c4/at,10004/0x7k2pq             three presets side by side, the play head at 10.004 s
//! ```
//!
//! The first number is the format; each format is a file that is frozen once released. `k3f9` stands for the preset's
//! whole text, so that an edited preset never silently changes an old link. The last part is a checksum over all that
//! stands before it: a link that was cut or altered is refused and never shows something else.
//!
//! Only letters, digits and `- _ . ~ , = /` are used, and a link ends with a letter or digit: no program has to encode
//! them in a fragment, none of them ends a link where addresses are recognised in a sentence, a shell takes them as
//! they are, and none is markup (`*`), an emoticon (`:`), a mention (`@`) or a space (`+`) to a chat program. `_` occurs
//! only inside words, `~` once, where markup needs a pair at the edges of words. A second `#` would end a link for some.
//!
//! Pure and bounded: no browser, no clock; limits on the characters read and on what they unpack to.
//! Refuses to know: what a scenario means, and what was open before.

mod error;
pub mod fault_lines;
mod received;
mod v1;
mod v2;

pub use error::LinkError;

use crate::scenarios::{self, Preset};

/// Longest fragment that is read or made, in characters. Longer texts travel as files.
pub const FRAGMENT_LIMIT: usize = 8_000;
/// Largest scenario text in a link, in bytes.
pub const TEXT_LIMIT: usize = 256 * 1024;
/// Longest whole address, in characters, that common chat programs pass on whole.
pub const COMFORTABLE: usize = 2_000;

/// What a link carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The scenario text, byte for byte.
    pub text: String,
    pub view: View,
}

/// How a scenario was looked at. Each field is a part of the link with a name of its own (`event,12`), left out where
/// it has its default, so that fields can be added: an older version then names the part that it does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The event at which the play head stands; none: the end of the run.
    pub play_head: Option<u32>,
}

/// What a link to a comparison carries: designs side by side, under the faults of the one that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The designs' scenario texts in the reader's sequence, byte for byte: two to six.
    pub texts: Vec<String>,
    /// Index of the open one; its fault lines hold for all.
    pub open: usize,
    pub head: Position,
}

/// Where the play head of a comparison stands: in time, which all designs have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// Before everything.
    Start,
    /// After what happened up to this time. Milliseconds since the start of the run.
    At(u64),
    #[default]
    End,
}

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    Scenario(Shared),
    Comparison(Compared),
}

/// The fragment, without `#`: the short form where a preset differs from the text in fault lines only.
///
/// # Errors
/// `TooLarge` or `TooLong` where nobody could open the link.
pub fn encode(shared: &Shared) -> Result<String, LinkError> {
    encode_among(shared, scenarios::all())
}

/// The fragment of a comparison, without `#`.
///
/// # Errors
/// `TooLarge` or `TooLong` where nobody could open the link, `BadCount` or `BadOpen` for what is no comparison.
pub fn encode_comparison(compared: &Compared) -> Result<String, LinkError> {
    encode_comparison_among(compared, scenarios::all())
}

/// Reads a whole address, a fragment with or without `#`, or what a chat program has made of them.
///
/// # Errors
/// Each names what is wrong; see [`LinkError`].
pub fn read(received: &str) -> Result<Link, LinkError> {
    read_among(received, scenarios::all())
}

/// [`read`] for whoever wants one scenario: of a comparison, the open one.
///
/// # Errors
/// As those of [`read`].
pub fn decode(received: &str) -> Result<Shared, LinkError> {
    decode_among(received, scenarios::all())
}

/// [`encode`] where the presets are these.
pub fn encode_among(shared: &Shared, presets: &[Preset]) -> Result<String, LinkError> {
    if shared.text.len() > TEXT_LIMIT {
        return Err(LinkError::TooLarge);
    }
    short_enough(v1::encode(shared, presets))
}

/// [`encode_comparison`] where the presets are these.
pub fn encode_comparison_among(compared: &Compared, presets: &[Preset]) -> Result<String, LinkError> {
    if compared.texts.iter().map(String::len).sum::<usize>() > TEXT_LIMIT {
        return Err(LinkError::TooLarge);
    }
    short_enough(v2::encode(compared, presets)?)
}

fn short_enough(fragment: String) -> Result<String, LinkError> {
    if fragment.len() > FRAGMENT_LIMIT {
        return Err(LinkError::TooLong {
            characters: fragment.len(),
        });
    }
    Ok(fragment)
}

/// [`read`] where the presets are these.
pub fn read_among(received: &str, presets: &[Preset]) -> Result<Link, LinkError> {
    let fragment = received::fragment(received)?;
    match format_number(&fragment) {
        Some(1) => v1::decode(&fragment, presets).map(Link::Scenario),
        Some(2) => v2::decode(&fragment, presets).map(Link::Comparison),
        Some(newer) => Err(LinkError::FutureFormat(newer)),
        None => Err(LinkError::NotOurs),
    }
}

/// [`decode`] where the presets are these.
pub fn decode_among(received: &str, presets: &[Preset]) -> Result<Shared, LinkError> {
    Ok(match read_among(received, presets)? {
        Link::Scenario(shared) => shared,
        Link::Comparison(mut compared) => Shared {
            // A comparison has its open design among its texts.
            text: compared.texts.swap_remove(compared.open),
            view: View::default(),
        },
    })
}

/// The digits before the first `/`; formats count from 1.
fn format_number(fragment: &str) -> Option<u32> {
    let (number, _) = fragment.split_once('/')?;
    let canonical = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    number.parse().ok().filter(|_| canonical)
}

/// Whether an address is short enough for the ways it may travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthClass {
    /// At most [`COMFORTABLE`] characters.
    Comfortable,
    /// Some chat programs cut it.
    Long,
    /// More than [`FRAGMENT_LIMIT`] characters after the `#`: it will not be read.
    TooLong,
}

/// The length class of a whole address.
pub fn length_class(address: &str) -> LengthClass {
    let fragment = address.split_once('#').map_or(address, |(_, fragment)| fragment);
    if fragment.chars().count() > FRAGMENT_LIMIT {
        LengthClass::TooLong
    } else if address.chars().count() > COMFORTABLE {
        LengthClass::Long
    } else {
        LengthClass::Comfortable
    }
}
