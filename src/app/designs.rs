//! Designs side by side: which ones, under the faults of the open one, in lock step.
//!
//! The open text is always one of them and stays in its place when another is opened. Looked at on request only: each design
//! is read and run when somebody looks, and what a crash at each point brings is computed one design at a time.
//! Refuses to know: how it is shown.

mod design;
mod lockstep;
mod matrix;
mod sets;
mod text;

pub use design::{Absence, Design, absence};
pub use lockstep::{Lockstep, is_shown};
pub use matrix::{Found, Places, restart};
pub use sets::{SETS, Set};
pub use text::{same_design, scenario_id, with_crash, with_faults_of};

use crate::app::model::{Head, Model, Tab};
use crate::app::played::Played;
use crate::app::presets::Entry;
use crate::app::update::head_after;
use crate::link::{Compared, Position};
use crate::value::Millis;
use std::rc::Rc;

/// Designs that can be seen side by side.
pub const DESIGNS_MAX: usize = 6;

/// What is compared and where its play head stands.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The designs' texts in the reader's sequence. Their own fault lines count for the open one alone.
    texts: Vec<Rc<str>>,
    /// Where the open text is among them.
    open: usize,
    /// Somebody chose them; else they are those that the open scenario names.
    chosen: bool,
    head: Position,
    /// What the designs did, as of when somebody looked.
    seen: Option<Rc<Seen>>,
    /// The matrix was copied.
    pub copied: bool,
}

/// The designs' runs under the same faults.
#[derive(Clone, Debug)]
pub struct Seen {
    /// In the sequence of the comparison's texts.
    pub list: Vec<Rc<Design>>,
    pub open: usize,
    pub lockstep: Lockstep,
    pub places: Places,
}

impl Comparison {
    /// The designs that a link names.
    pub fn linked(compared: &Compared) -> Comparison {
        Comparison {
            texts: compared.texts.iter().map(|text| text.as_str().into()).collect(),
            open: compared.open,
            chosen: true,
            head: compared.head,
            ..Comparison::default()
        }
    }

    /// These presets, the open one at a place among them.
    pub fn of(presets: &[&'static str], open: usize) -> Comparison {
        Comparison {
            texts: presets.iter().map(|text| (*text).into()).collect(),
            open,
            chosen: true,
            ..Comparison::default()
        }
    }

    pub fn texts(&self) -> &[Rc<str>] {
        &self.texts
    }

    pub fn open(&self) -> usize {
        self.open
    }

    pub fn head(&self) -> Position {
        self.head
    }

    pub fn seen(&self) -> Option<&Rc<Seen>> {
        self.seen.as_ref()
    }

    /// The preset of that id is among them, edited or not.
    pub fn has(&self, id: &str) -> bool {
        self.texts.iter().any(|text| scenario_id(text) == id)
    }

    pub fn has_room(&self) -> bool {
        self.texts.len() < DESIGNS_MAX
    }

    /// One more, at the end, while there is room.
    pub fn add(&mut self, text: &str) {
        if self.has_room() {
            self.texts.push(text.into());
            self.chosen = true;
        }
    }

    /// Takes one out. The open one stays.
    pub fn remove(&mut self, index: usize) {
        if index == self.open || index >= self.texts.len() {
            return;
        }
        self.texts.remove(index);
        self.open -= usize::from(index < self.open);
        self.chosen = true;
    }

    /// Puts one in its neighbour's place and that one in its own.
    pub fn shift(&mut self, index: usize, later: bool) {
        let neighbour = if later {
            index.checked_add(1)
        } else {
            index.checked_sub(1)
        };
        let Some(neighbour) = neighbour.filter(|other| index.max(*other) < self.texts.len()) else {
            return;
        };
        self.texts.swap(index, neighbour);
        if self.open == index {
            self.open = neighbour;
        } else if self.open == neighbour {
            self.open = index;
        }
        self.chosen = true;
    }

    /// Nobody chose them: the open scenario names them.
    pub fn is_named(&self) -> bool {
        !self.chosen
    }

    pub fn put_head(&mut self, head: Position) {
        self.head = head;
    }
}

/// Somebody looks at several designs.
pub fn is_compared(model: &Model) -> bool {
    model.tab == Tab::Designs && model.comparison.texts.len() > 1
}

/// What a link to the comparison carries; none where nobody compares.
pub fn shared(model: &Model) -> Option<Compared> {
    let comparison = &model.comparison;
    is_compared(model).then(|| Compared {
        texts: comparison
            .texts
            .iter()
            .enumerate()
            .map(|(index, text)| match index == comparison.open {
                true => model.text.to_string(),
                false => text.to_string(),
            })
            .collect(),
        open: comparison.open,
        head: comparison.head,
    })
}

/// Keeps up with what is open: another design of the comparison was opened, or something that is none of them.
pub fn follow(model: &mut Model) {
    if model.tab != Tab::Designs {
        return;
    }
    let played = &model.played;
    let comparison = &mut model.comparison;
    let slot = comparison.texts.get(comparison.open).cloned();
    if slot.as_ref().is_none_or(|slot| !same_design(slot, &played.text)) {
        let place = comparison.texts.iter().position(|text| same_design(text, &played.text));
        let is_edited = slot
            .as_ref()
            .is_some_and(|slot| scenario_id(slot) == &*played.scenario.id);
        match (place, slot) {
            (Some(place), Some(before)) => {
                // The slot is there: `before` was taken from it.
                comparison.texts[comparison.open] = text::as_written(&before);
                comparison.open = place;
            }
            _ if comparison.chosen || is_edited => {}
            _ => {
                comparison.texts = named(played, &model.presets);
                comparison.open = 0;
            }
        }
    }
    if let Some(slot) = comparison.texts.get_mut(comparison.open) {
        *slot = played.text.clone();
    }
}

/// The open design and those it names.
fn named(played: &Played, presets: &[Entry]) -> Vec<Rc<str>> {
    let scenario = &played.scenario;
    let others = scenario.variants.iter().filter(|id| **id != scenario.id);
    let known = others.filter_map(|id| presets.iter().find(|entry| *entry.preset.id == **id));
    let others = known.map(|entry| Rc::from(entry.preset.text));
    let mut texts = vec![played.text.clone()];
    texts.extend(others.take(DESIGNS_MAX - 1));
    texts
}

/// Looks at the designs if somebody wants to see them and something has changed. Not while a marker is dragged: the others
/// follow when it is let go.
pub fn look(model: &mut Model) {
    if model.tab != Tab::Designs || model.drag.is_some() {
        return;
    }
    follow(model);
    let comparison = &mut model.comparison;
    let is_seen = |seen: &Rc<Seen>| seen.shows(&comparison.texts, comparison.open, &model.played);
    if comparison.seen.as_ref().is_some_and(is_seen) {
        return;
    }
    let seen = Seen::of(comparison, &model.played);
    comparison.seen = Some(Rc::new(seen));
    comparison.copied = false;
    // The play head is the designs' common time; the open design's own follows it.
    if is_compared(model) {
        model.head = head_at(model, model.comparison.head);
    }
}

/// Something is left to compute for the matrix.
pub fn is_pending(model: &Model) -> bool {
    let wanted = model.tab == Tab::Designs && model.drag.is_none();
    let seen = model.comparison.seen.as_ref().filter(|_| wanted);
    seen.is_some_and(|seen| seen.list.iter().any(|design| design.is_unswept()))
}

/// Computes what crashes bring in one more design.
pub fn go_on(model: &mut Model) {
    if !is_pending(model) {
        return;
    }
    if let Some(seen) = &mut model.comparison.seen {
        Rc::make_mut(seen).sweep_next();
    }
}

/// Where the open design's play head stands at a common time.
pub fn head_at(model: &Model, position: Position) -> Head {
    let events = &model.played.run.trace.events;
    match position {
        Position::Start => Head::After(0),
        Position::End => Head::End,
        Position::At(at) => {
            let at = Millis::try_from(at).unwrap_or(Millis::MAX);
            head_after(events.partition_point(|event| event.at <= at), events.len())
        }
    }
}

/// The common time of the open design's play head.
pub fn position_of(model: &Model) -> Position {
    let events = &model.played.run.trace.events;
    match model.head {
        Head::End => Position::End,
        Head::After(happened) => match happened.checked_sub(1).and_then(|event| events.get(event as usize)) {
            Some(event) => Position::At(u64::try_from(event.at).unwrap_or(0)),
            None => Position::Start,
        },
    }
}

impl Seen {
    fn of(comparison: &Comparison, played: &Rc<Played>) -> Seen {
        let before = comparison.seen.as_deref();
        let list: Vec<Rc<Design>> = comparison
            .texts
            .iter()
            .enumerate()
            .map(|(index, text)| match index == comparison.open {
                true => Rc::new(Design::opened(played, before)),
                false => Design::beside(text, played, before),
            })
            .collect();
        let mut seen = Seen {
            lockstep: Lockstep::of(&list),
            places: Places::default(),
            open: comparison.open,
            list,
        };
        seen.places = Places::of(&seen.list);
        seen
    }

    /// They are the designs of these texts, as they were played.
    fn shows(&self, texts: &[Rc<str>], open: usize, played: &Rc<Played>) -> bool {
        let same = self.list.iter().zip(texts).all(|(design, text)| design.is_of(text));
        let opened = self.list.get(open).and_then(|design| design.played.as_ref().ok());
        same && self.open == open && self.list.len() == texts.len() && opened.is_some_and(|own| Rc::ptr_eq(own, played))
    }

    /// The design before, if it was read and run with exactly this text.
    fn design(&self, text: &str) -> Option<&Rc<Design>> {
        self.list.iter().find(|design| *design.text == *text)
    }

    fn sweep_next(&mut self) {
        let Some(next) = self.list.iter_mut().find(|design| design.is_unswept()) else {
            return;
        };
        Rc::make_mut(next).sweep();
        self.places = Places::of(&self.list);
    }
}
