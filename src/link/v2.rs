//! Format 2 of links: designs side by side. Frozen once released: what it writes may get shorter, what it reads never
//! changes.
//!
//! ```text
//! link    = "2/" COUNT {"/" design} {"/" part} "/" CHECK
//! COUNT   = "2" … "6"                    so many designs follow
//! design  = preset "." HASH              a preset as it is
//!         | preset "~" HASH              the open one, with the fault lines that follow instead of its own
//!         | "s." DATA                    any other text, deflated
//! part    = "open," N                    the number of the open design, from 1; left out: the first
//!         | "line," N                    as in format 1, for the design with "~"
//!         | word {"," word}              a fault line, likewise
//!         | "start"                      the play head: before everything
//!         | "at," N                      the play head: after what happened up to this time, in milliseconds
//! ```
//!
//! `HASH`, `DATA`, `CHECK` and the words of fault lines are those of format 1, and so are their limits; the texts of all
//! designs together may be as large as one text there. The faults of the open design are those of all designs, so the
//! others carry none of their own: a preset among them is named as it is.

use super::fault_lines::split;
use super::v1::{self, Faults, Named};
use super::{Compared, LinkError, Position, TEXT_LIMIT};
use crate::scenarios::Preset;
use std::fmt::Write;

/// Designs in a link.
const COUNT: std::ops::RangeInclusive<usize> = 2..=6;

/// The name in front of a text that is no preset's.
const TEXT: &str = "s";

// --- Writing ----------------------------------------------------------------------------------------------------

/// The shortest link that gives exactly this back.
///
/// # Errors
/// `BadCount` for one design or more than six, `BadOpen` where none of them is the open one.
pub fn encode(compared: &Compared, presets: &[Preset]) -> Result<String, LinkError> {
    let number = compared.texts.len();
    if !COUNT.contains(&number) {
        return Err(LinkError::BadCount(number.to_string()));
    }
    let Some(open) = compared.texts.get(compared.open) else {
        return Err(LinkError::BadOpen(format!("open,{}", compared.open + 1)));
    };
    let short = short(open, presets);
    // The inverse is the proof: a short form that would not give back every byte is not used.
    let written = short
        .map(|open| written(compared, open, presets))
        .filter(|fragment| decode(fragment, presets).as_ref() == Ok(compared));
    Ok(written.unwrap_or_else(|| self::written(compared, (long(open), String::new()), presets)))
}

/// A link with the open design in this form: its own part, and those of its fault lines.
fn written(compared: &Compared, (open, faults): (String, String), presets: &[Preset]) -> String {
    let mut fragment = format!("2/{}", compared.texts.len());
    for (index, text) in compared.texts.iter().enumerate() {
        let design = match index == compared.open {
            true => open.clone(),
            false => unchanged(text, presets).unwrap_or_else(|| long(text)),
        };
        fragment.push('/');
        fragment.push_str(&design);
    }
    // Writing into a string cannot fail.
    if compared.open > 0 {
        let _ = write!(fragment, "/open,{}", compared.open + 1);
    }
    fragment.push_str(&faults);
    let _ = match compared.head {
        Position::Start => write!(fragment, "/start"),
        Position::At(at) => write!(fragment, "/at,{at}"),
        Position::End => Ok(()),
    };
    v1::sealed(fragment)
}

/// The name of the preset whose text this is.
fn unchanged(text: &str, presets: &[Preset]) -> Option<String> {
    let preset = v1::preset_of(text, presets).filter(|preset| preset.text == text)?;
    Some(format!("{}.{}", preset.id, v1::hash(text)))
}

/// The open design as a preset, and its fault lines if they are others than the preset's.
fn short(text: &str, presets: &[Preset]) -> Option<(String, String)> {
    if let Some(name) = unchanged(text, presets) {
        return Some((name, String::new()));
    }
    let preset = v1::preset_of(text, presets)?;
    let mut faults = String::new();
    v1::write_faults(&mut faults, &split(text), &split(preset.text))?;
    Some((format!("{}~{}", preset.id, v1::hash(preset.text)), faults))
}

fn long(text: &str) -> String {
    format!("{TEXT}.{}", v1::encoded(text))
}

// --- Reading ----------------------------------------------------------------------------------------------------

/// Reads a fragment that begins with `2/` and has only the characters of a link.
///
/// # Errors
/// Each names what is wrong; see [`LinkError`].
pub fn decode(fragment: &str, presets: &[Preset]) -> Result<Compared, LinkError> {
    let (count, parts) = v1::opened(fragment)?;
    let bad_count = || LinkError::BadCount(count.to_owned());
    let number = v1::natural(count).and_then(|number| usize::try_from(number).ok());
    let number = number.filter(|number| COUNT.contains(number)).ok_or_else(bad_count)?;
    let (designs, parts) = parts.split_at_checked(number).ok_or_else(bad_count)?;
    let how = How::read(parts, number)?;
    let mut read = Reading::default();
    for (index, design) in designs.iter().enumerate() {
        let text = read.design(design, index == how.open, &how, presets)?;
        read.size += text.len();
        if read.size > TEXT_LIMIT {
            return Err(LinkError::TooLarge);
        }
        read.texts.push(text);
    }
    if let (false, Some(fault)) = (read.has_faults, how.faults.first()) {
        return Err(LinkError::UnknownPart((*fault).to_owned()));
    }
    let compared = Compared {
        texts: read.texts,
        open: how.open,
        head: how.head.unwrap_or_default(),
    };
    match read.changed {
        Some(id) => Err(LinkError::ComparedChanged {
            id,
            present: Box::new(compared),
        }),
        None => Ok(compared),
    }
}

/// What stands behind the designs.
struct How<'a> {
    open: usize,
    head: Option<Position>,
    /// The parts of fault lines, their places included.
    faults: Vec<&'a str>,
}

impl<'a> How<'a> {
    fn read(parts: &[&'a str], number: usize) -> Result<How<'a>, LinkError> {
        let mut open = None;
        let mut how = How {
            open: 0,
            head: None,
            faults: Vec::new(),
        };
        for part in parts {
            if let Some(digits) = part.strip_prefix("open,") {
                let index = v1::natural(digits).and_then(|open| usize::try_from(open).ok()?.checked_sub(1));
                let index = index.filter(|index| *index < number && open.is_none());
                open = Some(index.ok_or_else(|| LinkError::BadOpen((*part).to_owned()))?);
            } else if let Some(head) = position(part) {
                let head = head.filter(|_| how.head.is_none());
                how.head = Some(head.ok_or_else(|| LinkError::BadTime((*part).to_owned()))?);
            } else {
                how.faults.push(part);
            }
        }
        how.open = open.unwrap_or(0);
        Ok(how)
    }
}

/// None: no part of the play head. Some of none: one that cannot be read.
fn position(part: &str) -> Option<Option<Position>> {
    match part.strip_prefix("at,") {
        Some(digits) => {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let at = digits.parse().ok().filter(|_| is_number);
            Some(at.map(Position::At))
        }
        None => (part == "start").then_some(Some(Position::Start)),
    }
}

/// What has been read of the designs.
#[derive(Default)]
struct Reading {
    texts: Vec<String>,
    /// Bytes of the texts together.
    size: usize,
    /// The open design takes the link's fault lines.
    has_faults: bool,
    /// The first preset whose text is not the one the link was made with.
    changed: Option<String>,
}

impl Reading {
    fn design(&mut self, design: &str, is_open: bool, how: &How, presets: &[Preset]) -> Result<String, LinkError> {
        if let Some(data) = design.strip_prefix("s.") {
            return v1::unpacked(data);
        }
        if design.contains('~') && is_open {
            let named = self.named(design, '~', presets)?;
            let text = with_faults(&named, &how.faults)?;
            self.has_faults = true;
            return Ok(text);
        }
        if design.contains('.') {
            return Ok(self.named(design, '.', presets)?.preset.text.to_owned());
        }
        Err(LinkError::BadDesign(design.to_owned()))
    }

    fn named<'a>(&mut self, design: &str, mark: char, presets: &'a [Preset]) -> Result<Named<'a>, LinkError> {
        let named = Named::read(design, mark, presets).map_err(|error| match error {
            // The checksum was right, so nothing happened to the link on its way.
            LinkError::Truncated | LinkError::Altered => LinkError::BadDesign(design.to_owned()),
            other => other,
        })?;
        if named.changed {
            self.changed.get_or_insert_with(|| named.preset.id.to_owned());
        }
        Ok(named)
    }
}

/// The preset's text with other fault lines.
fn with_faults(named: &Named, parts: &[&str]) -> Result<String, LinkError> {
    let preset = split(named.preset.text);
    let mut faults = Faults::none(&preset);
    for part in parts {
        if let Some(number) = part.strip_prefix("line,") {
            // The places in the old text say nothing about the present one.
            if !named.changed {
                faults
                    .move_to(number, &preset)
                    .ok_or_else(|| LinkError::BadLine((*part).to_owned()))?;
            }
        } else if !faults.read(part) {
            return Err(LinkError::UnknownPart((*part).to_owned()));
        }
    }
    Ok(faults.joined(&preset))
}
