//! The program panel: the text, coloured, with what stands left of each line.

use super::Shown;
use crate::app::highlight;
use crate::app::mistake::Mistake;
use crate::app::model::{Head, MarkerId};
use crate::app::words::sentences;
use crate::program::Instruction;
use crate::simulation::trace::EventKind;
use crate::words::instance_name;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The text as typed.
    pub text: Rc<str>,
    pub lines: Rc<[Line]>,
    /// Everything wrong with the text, in sequence; [`Line::errors`] has the same, line by line.
    pub diagnostics: Rc<[Diagnostic]>,
    /// The statement at the caret can be moved.
    pub moves: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// The whole line, cut into pieces; concatenated they are the line.
    pub pieces: Rc<[Piece]>,
    pub gutter: Gutter,
    /// Instances whose step at or last before the play head is this line.
    pub at_head: Vec<String>,
    /// Messages of errors in this line.
    pub errors: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub class: PieceClass,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceClass {
    Plain,
    /// The word of the language that a line begins with.
    Keyword,
    /// A word of the language inside a line.
    Word,
    Text,
    Number,
    Comment,
    /// `mark:` in front of a statement.
    Label,
    /// A word of a fault line.
    Fault,
}

impl PieceClass {
    pub fn slug(self) -> &'static str {
        match self {
            PieceClass::Plain => "plain",
            PieceClass::Keyword => "keyword",
            PieceClass::Word => "word",
            PieceClass::Text => "text",
            PieceClass::Number => "number",
            PieceClass::Comment => "comment",
            PieceClass::Label => "label",
            PieceClass::Fault => "fault",
        }
    }
}

/// What stands left of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gutter {
    Nothing,
    /// A step: a click sends [`crate::app::message::Message::Gutter`]. `visits` of them happened in this run; `markers` stand on it.
    Step {
        visits: u32,
        markers: Vec<MarkerId>,
        title: String,
    },
    /// A fault line: a click selects its marker.
    Fault(MarkerId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub message: String,
}

pub(super) fn program(shown: &Shown<'_>) -> Program {
    let model = shown.model;
    // With errors the lines of the text and those of the run are not the same.
    let notes = if model.is_outdated() {
        Notes::default()
    } else {
        Notes::of(shown)
    };
    let mut errors: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for mistake in model.mistakes.iter() {
        errors
            .entry(mistake.line())
            .or_default()
            .push(mistake.text(shown.language));
    }
    let line = |(index, pieces)| {
        let number = index as u32 + 1; // a text has far fewer than 2^32 lines
        Line {
            number,
            pieces,
            gutter: notes.gutter(shown, number),
            at_head: notes.at_head.get(&number).cloned().unwrap_or_default(),
            errors: errors.remove(&number).unwrap_or_default(),
        }
    };
    let lines = if model.is_outdated() {
        model.text.lines().map(highlight::line).enumerate().map(line).collect()
    } else {
        model.played.lines.iter().cloned().enumerate().map(line).collect()
    };
    let diagnostic = |mistake: &Mistake| Diagnostic {
        line: mistake.line(),
        column: mistake.column(),
        message: mistake.text(shown.language),
    };
    Program {
        text: model.text.clone(),
        lines,
        diagnostics: model.mistakes.iter().map(diagnostic).collect(),
        moves: model.challenge.is_some(),
    }
}

/// What stands beside the lines.
#[derive(Default)]
struct Notes {
    /// How often each step's line happened.
    visits: BTreeMap<u32, u32>,
    markers: BTreeMap<u32, Vec<MarkerId>>,
    faults: BTreeMap<u32, MarkerId>,
    at_head: BTreeMap<u32, Vec<String>>,
}

impl Notes {
    fn of(shown: &Shown<'_>) -> Notes {
        let mut notes = Notes {
            at_head: at_head(shown),
            ..Notes::default()
        };
        for service in &shown.program.services {
            for instruction in &service.code {
                if let Instruction::Step { line, .. } | Instruction::Keep { line, .. } = instruction {
                    notes.visits.insert(*line, 0);
                }
            }
        }
        for event in &shown.run.trace.events {
            if let EventKind::Step { line, .. } = event.kind {
                *notes.visits.entry(line).or_default() += 1;
            }
        }
        for (marker, line) in shown.model.played.faults.iter().enumerate() {
            notes.faults.insert(line.line, marker);
            if let Some(step) = step_line(shown, marker) {
                notes.markers.entry(step).or_default().push(marker);
            }
        }
        notes
    }

    fn gutter(&self, shown: &Shown<'_>, line: u32) -> Gutter {
        if let Some(marker) = self.faults.get(&line) {
            return Gutter::Fault(*marker);
        }
        match self.visits.get(&line) {
            None => Gutter::Nothing,
            Some(visits) => Gutter::Step {
                visits: *visits,
                markers: self.markers.get(&line).cloned().unwrap_or_default(),
                title: sentences::gutter(shown.language, *visits),
            },
        }
    }
}

/// The line a marker stands on: that of the step it is named after.
fn step_line(shown: &Shown<'_>, marker: MarkerId) -> Option<u32> {
    let (ruler, now) = match &shown.model.drag {
        Some(drag) if drag.marker == marker => (&drag.ruler, drag.at.or(drag.ruler.now)),
        _ => {
            let ruler = shown.model.survey.rulers.get(marker)?;
            (ruler, ruler.now)
        }
    };
    let stop = ruler.stops.get(now?)?;
    (stop.line > 0).then_some(stop.line)
}

/// For each line the instances whose last step before the play head is there. Nothing at the end: all are done.
fn at_head(shown: &Shown<'_>) -> BTreeMap<u32, Vec<String>> {
    let mut lines: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let Head::After(happened) = shown.model.head else {
        return lines;
    };
    let events = shown.run.trace.events.get(..happened as usize).unwrap_or_default();
    let mut missing: Vec<u16> = (0..shown.instances.len() as u16).collect(); // instances have 16-bit numbers
    for event in events.iter().rev() {
        let (EventKind::Step { line, .. }, Some(instance)) = (&event.kind, event.instance) else {
            continue;
        };
        if let Some(position) = missing.iter().position(|other| *other == instance) {
            missing.swap_remove(position);
            lines
                .entry(*line)
                .or_default()
                .push(instance_name(instance, shown.program));
        }
        if missing.is_empty() {
            break;
        }
    }
    lines
}
