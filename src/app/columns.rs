//! Where events stand on the timeline: each effect in a column of its own, idle spans shrunk to one column.
//!
//! Left of a fault, the run with it and the run without it have the same columns: a column depends only on events before it.
//! Refuses to know: lanes, faults, words.

use crate::app::view::Halves;
use crate::fact::EventId;
use crate::program::Destination;
use crate::simulation::trace::{Event, EventKind};
use crate::value::Millis;

/// A span without events at least so long becomes a break.
const BREAK_MIN: Millis = 100;

/// A request or an answer that is on its way longer than this gets a tail; the usual way takes 1 ms.
const USUAL_WAY: Millis = 2;

/// Columns that are drawn at most; what comes later is only counted.
pub const COLUMNS_MAX: u32 = 600;

/// The columns of one run.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Columns {
    list: Vec<Column>,
    /// For each event the number of columns begun before it; its own column has this index, if it has one.
    before: Vec<u32>,
    /// The first of these; none if all have a place.
    first_cut: Option<usize>,
    /// Events that have no place any more because the run is too long.
    pub cut: usize,
}

/// One column: an event, or an idle span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// When it begins.
    pub at: Millis,
    /// None: a break.
    pub event: Option<EventId>,
    /// Of a break: how long.
    pub idle: Millis,
    /// Of a break: passes that found nothing in the meantime.
    pub polls: u32,
}

impl Columns {
    /// The columns of a run's events. Linear in their number.
    pub fn of(events: &[Event]) -> Columns {
        let mut columns = Columns::default();
        let mut last = 0;
        let mut polls = 0;
        for (id, event) in events.iter().enumerate() {
            if let EventKind::Idle { polls: more, .. } = event.kind {
                polls += more;
                columns.before.push(columns.len());
                continue;
            }
            if columns.len() >= COLUMNS_MAX {
                columns.before.push(columns.len());
                if has_column(&event.kind) {
                    columns.cut += 1;
                    columns.first_cut.get_or_insert(id);
                }
                continue;
            }
            let idle = event.at - last;
            if idle >= BREAK_MIN {
                columns.list.push(Column {
                    at: last,
                    event: None,
                    idle,
                    polls,
                });
                polls = 0;
            }
            last = event.at;
            columns.before.push(columns.len());
            if has_column(&event.kind) {
                // A trace numbers its events with 32 bits.
                let event = Some(id as EventId);
                columns.list.push(Column {
                    at: last,
                    event,
                    idle: 0,
                    polls: 0,
                });
            }
        }
        columns
    }

    /// How many of the events have a place: what comes after them is not drawn.
    pub fn drawn(&self) -> usize {
        self.first_cut.unwrap_or(self.before.len())
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        // At most two more than COLUMNS_MAX.
        self.list.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Column> {
        self.list.iter()
    }

    /// The column of an event, if it has one.
    pub fn column(&self, event: EventId) -> Option<u32> {
        let column = *self.before.get(event as usize)?;
        (self.list.get(column as usize)?.event == Some(event)).then_some(column)
    }

    /// The edge left of an event.
    pub fn before(&self, event: EventId) -> Halves {
        let columns = self.before.get(event as usize).copied().unwrap_or(self.len());
        halves(columns)
    }

    /// The edge right of an event; the left end for none.
    pub fn after(&self, event: Option<EventId>) -> Halves {
        match event {
            None => 0,
            Some(event) => match self.column(event) {
                Some(column) => halves(column) + 2,
                None => self.before(event),
            },
        }
    }

    /// The edge of a gap: right of the last event before it and, if it comes long after that, right of the break between. A
    /// fault there has its edge at the same place in its own run.
    pub fn gap(&self, after: Option<EventId>, at: Millis) -> Halves {
        let edge = self.after(after);
        // Edges lie between columns and are not negative.
        match self.list.get((edge / 2) as usize) {
            Some(next) if next.event.is_none() && at - next.at >= BREAK_MIN => edge + 2,
            _ => edge,
        }
    }

    /// The middle of an event's column, or its edge if it has none.
    pub fn middle(&self, event: EventId) -> Halves {
        match self.column(event) {
            Some(column) => halves(column) + 1,
            None => self.before(event),
        }
    }

    /// The right end.
    pub fn end(&self) -> Halves {
        halves(self.len())
    }

    /// The edge before everything that happens later than `at`; the middle of a break that `at` falls into.
    pub fn at_time(&self, at: Millis) -> Halves {
        let later = self.list.partition_point(|column| column.at <= at);
        // As many as there are columns at most.
        let edge = halves(later as u32);
        let last = later.checked_sub(1).and_then(|index| self.list.get(index));
        match last {
            Some(column) if column.event.is_none() && at < column.at + column.idle => edge - 1,
            _ => edge,
        }
    }

    /// Where the request of an event was sent: the left edge of its column, or further left if it took long.
    pub fn sent(&self, id: EventId, event: &Event) -> Halves {
        let own = self.before(id);
        if event.at - event.sent_at <= USUAL_WAY {
            return own;
        }
        self.at_time(event.sent_at).min(own)
    }

    /// Where a request is on its way: the middle of its column, or where it was sent if it took long.
    pub fn on_its_way(&self, id: EventId, event: &Event) -> Halves {
        let sent = self.sent(id, event);
        if sent < self.before(id) { sent } else { self.middle(id) }
    }

    /// Where its answer was received: the right edge of its column, or further right if it took long.
    pub fn replied(&self, id: EventId, event: &Event) -> Halves {
        let own = self.after(Some(id));
        match event.replied_at {
            Some(replied) if replied - event.at > USUAL_WAY => self.at_time(replied).max(own),
            _ => own,
        }
    }

    /// The last event left of a position: where the play head stands when it is put there. None at the left end.
    pub fn event_before(&self, position: Halves) -> Option<EventId> {
        // Rounds to the nearest edge; a position left of the beginning is the beginning.
        let columns = usize::try_from(position.saturating_add(1).max(0) / 2)
            .unwrap_or(0)
            .min(self.list.len());
        self.list.get(..columns)?.iter().rev().find_map(|column| column.event)
    }
}

/// Events a reader looks for; the others are edges of spans.
pub fn has_column(kind: &EventKind) -> bool {
    match kind {
        EventKind::Step { .. }
        | EventKind::Buffered { .. }
        | EventKind::Acknowledged { .. }
        | EventKind::Rebalanced { .. }
        | EventKind::Delivery { .. }
        | EventKind::Followed { .. }
        | EventKind::RequestRefused { .. }
        | EventKind::Restart
        | EventKind::Exit { .. }
        | EventKind::PassFailed { .. }
        | EventKind::Disconnected { .. }
        | EventKind::LeaseEnded { .. }
        | EventKind::Returned { .. }
        | EventKind::Exhausted { .. }
        | EventKind::Expired { .. }
        | EventKind::Due { .. } => true,
        // What no queue takes has no lane: its publish is where it ends.
        EventKind::Discarded { destination, .. } => matches!(destination, Destination::Queue(_)),
        EventKind::Crash { .. }
        | EventKind::Pause { .. }
        | EventKind::Resume
        | EventKind::Down { .. }
        | EventKind::Up { .. }
        | EventKind::Cut { .. }
        | EventKind::Healed
        | EventKind::Idle { .. } => false,
    }
}

fn halves(columns: u32) -> Halves {
    // Columns are bounded by COLUMNS_MAX and its two neighbours.
    2 * columns as Halves
}

#[cfg(test)]
mod tests;
