//! What is open, its other designs, the picker, the link.

use super::{Worth, challenge};
use crate::app::model::{Model, Overlay};
use crate::app::presets::{self, Entry, in_language};
use crate::app::words::sentences;
use crate::challenges;
use crate::link::{self, LengthClass, fault_lines};
use crate::reality;
use crate::value::Name;
use crate::words::kind_word;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub id: Name,
    pub title: String,
    /// One or two sentences; may be empty.
    pub about: String,
    /// "Debezium · outbox relay", as far as the scenario says so.
    pub kind: String,
    /// "Checked against reality: 7 of 7 cells agree (PostgreSQL …)"; empty if it was not, or if the text is not its preset's.
    pub checked: String,
    /// Addresses of reports and documentation.
    pub reports: Vec<Rc<str>>,
    /// The other designs of the same problem; the open one is not among them.
    pub variants: Vec<Variant>,
    /// The text differs from its preset by more than its fault lines, or is nobody's preset.
    pub edited: bool,
    pub can_undo: bool,
    pub can_redo: bool,
}

/// "Same crash with an outbox": a click sends [`crate::app::message::Message::SwitchVariant`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub id: Name,
    pub title: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickerGroup {
    /// "Outbox", "Reported bugs".
    pub title: String,
    pub presets: Vec<PresetEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetEntry {
    pub id: Name,
    pub title: String,
    pub about: String,
    /// "Debezium · outbox relay"; empty for the stories.
    pub kind: String,
    /// Symbol and word of what comes out: "✗ Lost".
    pub worth: String,
    /// Everything one may search for, in lower case: names, texts, system, pattern, faults, verdict.
    pub search: String,
    pub open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The fragment without `#`; empty while the text cannot be put in a link.
    pub fragment: Rc<str>,
    pub class: LinkClass,
    /// "1,024 characters: fits everywhere".
    pub text: String,
    /// "Copied" was said for the present link.
    pub copied: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkClass {
    /// A preset with moved markers.
    Short,
    /// Fits in every messenger and mail (2,000 characters at most).
    Medium,
    /// Some programs cut it.
    Long,
    /// Too long for a link.
    None,
}

pub(super) fn header(model: &Model) -> Header {
    let scenario = &model.played.scenario;
    let text = |texts| in_language(texts, model.language).map_or_else(String::new, |text| text.to_string());
    let title = text(&scenario.title);
    Header {
        id: scenario.id.clone(),
        title: if title.is_empty() {
            scenario.id.to_string()
        } else {
            title
        },
        about: text(&scenario.about),
        kind: presets::kind(scenario),
        reports: scenario
            .reports
            .iter()
            .filter(|address| is_web(address))
            .cloned()
            .collect(),
        variants: variants(model),
        checked: checked(model),
        edited: is_edited(model, &model.text, &model.played.scenario.id),
        can_undo: model.history.can_undo(),
        can_redo: model.history.can_redo(),
    }
}

/// What real systems did with this scenario. Moved markers do not count: every gap was tried.
fn checked(model: &Model) -> String {
    let id = &model.played.scenario.id;
    if is_edited(model, &model.text, id) {
        return String::new();
    }
    let said = reality::checked(id)
        .map(|checked| sentences::checked(model.language, checked.agreeing, checked.cells, checked.systems));
    said.collect::<Vec<_>>().join(" ")
}

/// A shared text may be hostile: an address is a link only if it leads to the web (no `javascript:`).
fn is_web(address: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme))
}

/// The other designs, as far as they are presets. A design that does not name the others is still one of them.
fn variants(model: &Model) -> Vec<Variant> {
    let own = &model.played.scenario;
    let named = own.variants.iter().filter(|id| **id != own.id);
    let known = named.filter_map(|id| preset(model, id));
    let variant = |entry: &Entry| Variant {
        id: entry.preset.id.into(),
        title: title(model, entry),
    };
    known.map(variant).collect()
}

fn preset<'a>(model: &'a Model, id: &str) -> Option<&'a Entry> {
    model
        .presets
        .iter()
        .find(|entry| entry.preset.id.eq_ignore_ascii_case(id))
}

fn title(model: &Model, entry: &Entry) -> String {
    in_language(&entry.told().title, model.language)
        .map_or_else(|| entry.preset.id.to_owned(), |title| title.to_string())
}

/// Moved markers do not count: they are what the page is for.
pub(super) fn is_edited(model: &Model, text: &str, id: &str) -> bool {
    let start = match (preset(model, id), challenges::find(id)) {
        (Some(entry), _) => entry.preset.text,
        (None, Some(challenge)) => challenge.text,
        (None, None) => return true,
    };
    *text != *start && others(text) != others(start)
}

fn others(text: &str) -> Vec<&str> {
    fault_lines::split(text).others
}

/// The patterns come first, then what people met and use; other folders follow by name.
const SEQUENCE: [&str; 5] = ["outbox", "inbox", "channel", "reported", "software"];

/// The presets by folder; empty while the picker is closed.
pub(super) fn picker(model: &Model) -> Rc<[PickerGroup]> {
    if !matches!(model.overlay, Some(Overlay::Picker | Overlay::Adding)) {
        return Rc::new([]);
    }
    let mut groups: Vec<(&str, PickerGroup)> = Vec::new();
    for entry in model.presets.iter() {
        let folder = entry.preset.folder;
        let shown = preset_entry(model, entry);
        match groups.iter_mut().find(|(name, _)| *name == folder) {
            Some((_, group)) => group.presets.push(shown),
            None => {
                let title = sentences::folder(model.language, folder).to_owned();
                groups.push((
                    folder,
                    PickerGroup {
                        title,
                        presets: vec![shown],
                    },
                ));
            }
        }
    }
    groups.sort_by_key(|(folder, _)| {
        SEQUENCE
            .iter()
            .position(|known| known == folder)
            .unwrap_or(SEQUENCE.len())
    });
    let presets = groups.into_iter().map(|(_, group)| group);
    [challenge::picker(model)].into_iter().chain(presets).collect()
}

fn preset_entry(model: &Model, entry: &Entry) -> PresetEntry {
    let told = entry.told();
    let about = in_language(&told.about, model.language);
    let gravest = told.worth.iter().min().copied();
    let worth = gravest.map_or(Worth::Healthy, Worth::Finding);
    let mut shown = PresetEntry {
        id: Name::from(entry.preset.id),
        title: title(model, entry),
        about: about.map_or_else(String::new, |about| about.to_string()),
        kind: told.kind.clone(),
        worth: format!("{} {}", worth.symbol(), kind_word(gravest, model.language)),
        search: String::new(),
        open: match model.overlay {
            Some(Overlay::Adding) => model.comparison.has(entry.preset.id),
            _ => *model.played.scenario.id == *entry.preset.id,
        },
    };
    let faults = told
        .faults
        .iter()
        .map(|kind| sentences::marker_kind(model.language, *kind));
    let worths = told.worth.iter().map(|kind| kind_word(Some(*kind), model.language));
    let words: Vec<&str> = [entry.preset.id, &shown.title, &shown.about, &shown.kind, &shown.worth]
        .into_iter()
        .chain(faults)
        .chain(worths)
        .collect();
    shown.search = words.join(" ").to_lowercase();
    shown
}

pub(super) fn share(model: &Model) -> Share {
    let fragment = model.link.clone();
    let class = if fragment.is_empty() {
        LinkClass::None
    } else if !fragment.starts_with("1/s/") && !fragment.contains("/s.") {
        LinkClass::Short
    } else {
        match link::length_class(&fragment) {
            LengthClass::Comfortable => LinkClass::Medium,
            LengthClass::Long => LinkClass::Long,
            LengthClass::TooLong => LinkClass::None,
        }
    };
    Share {
        text: sentences::link_length(model.language, fragment.len()),
        fragment,
        class,
        copied: model.copied,
    }
}
