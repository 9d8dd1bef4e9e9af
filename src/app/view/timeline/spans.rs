//! Stretches in which a process is down or paused, or a party does not answer.

use crate::app::lanes::{self, LaneOf};
use crate::app::view::{Shown, Span, SpanKind};
use crate::app::words::sentences;
use crate::fact::EventId;
use crate::program::Fault;
use crate::simulation::trace::{Event, EventKind, InstanceId, Party};

/// For each lane its spans, in the sequence they begin.
pub(super) fn spans(shown: &Shown<'_>) -> Vec<Vec<Span>> {
    let mut lanes: Vec<Vec<Span>> = vec![Vec::new(); shown.lanes.len()];
    for (id, event) in shown.drawn().iter().enumerate() {
        // A trace numbers its events with 32 bits.
        let id = id as EventId;
        let Some((kind, ends, title)) = begins(shown, event) else {
            continue;
        };
        for lane in touched(shown, event) {
            let end = ends.find(shown, id);
            let from = shown.run.columns.before(id);
            let to = end.map_or(shown.run.columns.end() + 2, |end| shown.run.columns.before(end));
            let to = to.max(from + 1);
            if let Some(spans) = lanes.get_mut(lane) {
                spans.push(Span {
                    kind,
                    from,
                    to,
                    title: title.clone(),
                });
            }
        }
    }
    lanes
}

/// What ends a span.
enum Ends {
    Restart(InstanceId),
    Resume(InstanceId),
    Up(Party),
    Healed(i64),
}

impl Ends {
    fn find(&self, shown: &Shown<'_>, after: EventId) -> Option<EventId> {
        let later = shown.drawn().iter().enumerate().skip(after as usize + 1);
        let ends = |event: &Event| match self {
            Ends::Restart(instance) => event.instance == Some(*instance) && event.kind == EventKind::Restart,
            Ends::Resume(instance) => {
                event.instance == Some(*instance) && matches!(event.kind, EventKind::Resume | EventKind::Crash { .. })
            }
            Ends::Up(party) => event.kind == EventKind::Up { party: *party },
            Ends::Healed(at) => event.kind == EventKind::Healed && event.at >= *at,
        };
        // A trace numbers its events with 32 bits.
        later
            .into_iter()
            .find(|(_, event)| ends(event))
            .map(|(id, _)| id as EventId)
    }
}

fn begins(shown: &Shown<'_>, event: &Event) -> Option<(SpanKind, Ends, String)> {
    let language = shown.language;
    Some(match &event.kind {
        EventKind::Crash { restart_at, .. } | EventKind::Exit { restart_at, .. } => {
            let title = sentences::down_for(language, restart_at.map(|at| at - event.at));
            (SpanKind::Down, Ends::Restart(event.instance?), title)
        }
        EventKind::Pause { until, .. } => (
            SpanKind::Paused,
            Ends::Resume(event.instance?),
            sentences::paused_for(language, until - event.at),
        ),
        EventKind::Down { party, until, .. } => (
            SpanKind::Down,
            Ends::Up(*party),
            sentences::down_for(language, Some(until - event.at)),
        ),
        EventKind::Cut { until, .. } => (
            SpanKind::Cut,
            Ends::Healed(*until),
            sentences::cut_for(language, until - event.at),
        ),
        _ => return None,
    })
}

/// The lanes an event concerns.
fn touched(shown: &Shown<'_>, event: &Event) -> Vec<usize> {
    match &event.kind {
        EventKind::Down { party, .. } => lanes::of_party(shown.program, &shown.lanes, *party),
        EventKind::Cut { fault, .. } => match shown.faults.get(usize::from(*fault)) {
            Some(Fault::Cut(one, other, ..)) => {
                let parties = [one, other]
                    .into_iter()
                    .filter_map(|name| lanes::party(shown.program, name));
                parties
                    .flat_map(|party| lanes::of_party(shown.program, &shown.lanes, party))
                    .collect()
            }
            _ => Vec::new(),
        },
        _ => event
            .instance
            .and_then(|instance| shown.lane(LaneOf::Instance(instance)))
            .into_iter()
            .collect(),
    }
}
