//! The common timeline: a row for each instant, in it what each design did.

use super::super::timeline::{Natures, block_words};
use super::super::{BlockClass, Shown, timeline::event_class};
use crate::app::designs::{Seen, is_shown};
use crate::app::model::{MarkerKind, Model};
use crate::app::played::Played;
use crate::app::words::sentences;
use crate::simulation::trace::{Event, EventKind};
use crate::value::Millis;
use crate::words::{instance_name, instant};
use std::rc::Rc;

/// One instant. A click sends [`crate::app::message::Message::GoToInstant`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// "10.003 s".
    pub time: String,
    /// "⋯ 9.9 s": nothing happened in any design for so long before; mostly empty.
    pub idle: String,
    /// For each design what it did, mostly nothing.
    pub cells: Rc<[Rc<[Entry]>]>,
}

/// One event, as short as it can be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// "Relay", "events".
    pub actor: String,
    /// "publish evt-1003".
    pub text: String,
    pub class: BlockClass,
    /// "Relay: publish-events, first time".
    pub title: String,
}

/// A span without events at least so long is told, as on the timeline. Milliseconds.
const BREAK_MIN: Millis = 100;

/// Events of one instant in one design that are shown.
const ENTRIES_MAX: usize = 12;

pub(super) fn rows(model: &Model, seen: &Seen) -> Rc<[Row]> {
    let mut readers: Vec<Option<Reader<'_>>> = seen
        .list
        .iter()
        .map(|design| design.played.as_ref().ok().map(|played| Reader::of(model, played)))
        .collect();
    let mut last = 0;
    let row = |at: &Millis| {
        let idle = at - last;
        last = *at;
        Row {
            time: instant(*at, model.language),
            idle: match idle >= BREAK_MIN {
                true => format!("⋯ {}", sentences::rough_span(model.language, idle)),
                false => String::new(),
            },
            cells: readers
                .iter_mut()
                .map(|reader| reader.as_mut().map_or_else(|| Rc::from([]), |reader| reader.up_to(*at)))
                .collect(),
        }
    };
    seen.lockstep.instants.iter().map(row).collect()
}

/// Goes through one design's events.
struct Reader<'a> {
    shown: Shown<'a>,
    natures: Natures,
    next: usize,
}

impl<'a> Reader<'a> {
    fn of(model: &'a Model, played: &'a Played) -> Reader<'a> {
        Reader {
            shown: Shown::of_played(model, played),
            natures: Natures::of(played.program()),
            next: 0,
        }
    }

    fn up_to(&mut self, at: Millis) -> Rc<[Entry]> {
        let events = self.shown.run.trace.events.get(self.next..).unwrap_or_default();
        let now = events.partition_point(|event| event.at <= at);
        self.next += now;
        let news = events.iter().take(now).filter(|event| is_shown(event));
        let mut entries: Vec<Entry> = news.clone().take(ENTRIES_MAX).map(|event| self.entry(event)).collect();
        let more = news.count() - entries.len();
        if more > 0 {
            entries.push(Entry {
                actor: String::new(),
                text: sentences::more(self.shown.language, more),
                class: BlockClass::Quiet,
                title: String::new(),
            });
        }
        entries.into()
    }

    fn entry(&self, event: &Event) -> Entry {
        let shown = &self.shown;
        let title = shown.explain(event);
        let (label, detail, class) = block_words(shown, &self.natures, event);
        let (actor, text, class) = match fault_words(shown, event) {
            Some(text) => (who(shown, event), text, event_class(event)),
            // What has no word on the timeline has its sentence here, which names everybody.
            None if label.is_empty() => (String::new(), title.clone(), event_class(event)),
            None => (
                who(shown, event),
                format!("{label} {detail}").trim_end().to_owned(),
                class,
            ),
        };
        Entry {
            actor,
            text,
            class,
            title,
        }
    }
}

/// "⚡ crash": the timeline has a marker or a sign for these.
fn fault_words(shown: &Shown<'_>, event: &Event) -> Option<String> {
    let kind = match event.kind {
        EventKind::Restart => return Some(format!("↻ {}", sentences::restart(shown.language))),
        EventKind::Crash { .. } => MarkerKind::Crash,
        EventKind::Pause { .. } => MarkerKind::Pause,
        _ => return None,
    };
    Some(format!(
        "{} {}",
        kind.symbol(),
        sentences::marker_kind(shown.language, kind)
    ))
}

/// The process it happened to, or the queue.
fn who(shown: &Shown<'_>, event: &Event) -> String {
    let queue = match event.kind {
        EventKind::LeaseEnded { queue, .. }
        | EventKind::Returned { queue, .. }
        | EventKind::Exhausted { queue, .. }
        | EventKind::Expired { queue, .. }
        | EventKind::Acknowledged { queue, .. }
        | EventKind::Rebalanced { queue, .. }
        | EventKind::Due { queue, .. } => shown.program.queues.get(usize::from(queue)),
        _ => None,
    };
    match (queue, event.instance) {
        (Some(queue), _) => queue.name.to_string(),
        (None, Some(instance)) => instance_name(instance, shown.program),
        (None, None) => String::new(),
    }
}
