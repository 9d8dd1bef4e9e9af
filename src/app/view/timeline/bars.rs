//! Messages on their queue's lane: from acceptance to their end, and when somebody holds them.

use super::blocks::{Nature, Natures};
use super::message_id;
use crate::app::view::{Bar, BarEnd, Halves, Shown};
use crate::app::words::sentences::{self, MessageEnd};
use crate::fact::EventId;
use crate::program::Relation;
use crate::simulation::trace::{EventKind, Outcome};
use crate::value::Millis;
use std::collections::{BTreeMap, BTreeSet};

/// Rows of a lane at most; messages beyond are counted.
const ROWS_MAX: usize = 4;

/// A message's life as the trace tells it.
struct Life {
    accepted: Option<Millis>,
    from: Halves,
    held: Vec<(Halves, Halves)>,
    since: Option<Halves>,
    deliveries: u32,
    to: Option<Halves>,
    /// The last time it was handed out or acknowledged.
    last: Halves,
    acknowledged: bool,
}

/// The bars of a queue, the rows they need, and a word on those that found none.
pub(super) fn bars(shown: &Shown<'_>, natures: &Natures, queue: u16) -> (Vec<Bar>, u32, String) {
    let lives = lives(shown, natures, queue);
    let mut free: Vec<Halves> = Vec::new();
    let mut bars = Vec::new();
    let mut left_over = 0;
    for (message, life) in lives {
        let end = shown.run.columns.end() + 2;
        let to = life.to.unwrap_or(end).max(life.from + 1);
        let row = free.iter().position(|until| *until <= life.from).unwrap_or(free.len());
        if row >= ROWS_MAX {
            left_over += 1;
            continue;
        }
        match free.get_mut(row) {
            Some(until) => *until = to,
            None => free.push(to),
        }
        bars.push(bar(shown, queue, message, row, to, life));
    }
    let more = if left_over == 0 {
        String::new()
    } else {
        sentences::more(shown.language, left_over)
    };
    // At most ROWS_MAX.
    (bars, free.len().max(1) as u32, more)
}

fn bar(shown: &Shown<'_>, queue: u16, message: u32, row: usize, to: Halves, life: Life) -> Bar {
    let state = shown.run.trace.last.queue(queue);
    let kept = || state.dead().any(|dead| dead.number == message);
    let (end, word) = match (life.to.is_some(), life.acknowledged) {
        (true, true) => (BarEnd::Done, MessageEnd::Acknowledged),
        (true, false) => (BarEnd::Dead, MessageEnd::GivenUp),
        (false, _) if kept() => (BarEnd::Dead, MessageEnd::GivenUp),
        (false, _) => (BarEnd::Open, MessageEnd::Open),
    };
    let label = message_id(shown, queue, message);
    let mut held = life.held;
    held.extend(life.since.map(|since| (since, to)));
    Bar {
        row: row as u32, // at most ROWS_MAX
        title: sentences::message_life(shown.language, &label, life.accepted, life.deliveries, word),
        label,
        from: life.from,
        to,
        held,
        end,
    }
}

fn lives(shown: &Shown<'_>, natures: &Natures, queue: u16) -> BTreeMap<u32, Life> {
    let columns = &shown.run.columns;
    let schema = shown.program.queues.get(usize::from(queue));
    let partitioned = schema.is_some_and(|schema| schema.partitions.is_some());
    let drawn = shown.drawn().len();
    let mut lives: BTreeMap<u32, Life> = BTreeMap::new();
    for fact in shown.run.trace.last.facts(Relation::Queue(queue)).iter() {
        let event = Some(fact.stamp.event).filter(|event| columns.column(*event).is_some());
        // A queue numbers its messages with 32 bits; what lies beyond the columns is not drawn.
        if let (Ok(message), Some(event)) = (u32::try_from(fact.identity), event) {
            lives.insert(message, Life::new(Some(fact.stamp.at), columns.middle(event)));
        }
    }
    for (id, event) in shown.run.trace.events.iter().enumerate() {
        let id = id as EventId; // a trace numbers its events with 32 bits
        let is_drawn = (id as usize) < drawn;
        let middle = || columns.middle(id);
        match &event.kind {
            EventKind::Delivery {
                queue: own, message, ..
            } if *own == queue => {
                let at = middle();
                let life = match is_drawn {
                    true => Some(lives.entry(*message).or_insert_with(|| Life::new(None, at))),
                    // What the drawn part does not show begins nowhere; what it shows goes on.
                    false => lives.get_mut(message),
                };
                let Some(life) = life else { continue };
                life.deliveries += 1;
                life.let_go(at);
                // One that comes again was not over: its acknowledgement had no effect.
                (life.to, life.acknowledged) = (None, false);
                life.since = Some(at);
                life.last = at;
            }
            EventKind::Step {
                line,
                outcome,
                message: Some((own, message)),
                ..
            } if *own == queue => {
                let happened = matches!(outcome, Outcome::Ok | Outcome::Rows(_) | Outcome::ReplyLost { .. });
                let Some(life) = lives.get_mut(message).filter(|_| happened) else {
                    continue;
                };
                match natures.on(*line) {
                    // Others may still have to read it.
                    Nature::Ack if partitioned => life.read(middle()),
                    Nature::Ack => life.end(middle(), true),
                    Nature::Nack => life.let_go(middle()),
                    Nature::Publish | Nature::Effect | Nature::Other => {}
                }
            }
            EventKind::Acknowledged { queue: own, message } if *own == queue => {
                if let Some(life) = lives.get_mut(message) {
                    if partitioned {
                        life.read(middle());
                    } else {
                        life.end(middle(), true);
                    }
                }
            }
            EventKind::LeaseEnded { queue: own, message } | EventKind::Returned { queue: own, message }
                if *own == queue =>
            {
                if let Some(life) = lives.get_mut(message) {
                    life.let_go(middle());
                }
            }
            EventKind::Exhausted {
                queue: own,
                message,
                dead,
            }
            | EventKind::Expired {
                queue: own,
                message,
                dead,
            } => {
                if let Some(life) = lives.get_mut(message).filter(|_| *own == queue) {
                    life.end(middle(), false);
                }
                // Moved here: its number in this queue is not told, so it is found among what lies here at the end.
                if *dead == Some(queue) && is_drawn {
                    moved_here(shown, queue, (*own, *message), middle(), &mut lives);
                }
            }
            _ => {}
        }
    }
    if partitioned {
        end_what_all_have_read(shown, queue, &mut lives);
    }
    lives
}

/// A message of a log is over for this picture when the last group has acknowledged it.
fn end_what_all_have_read(shown: &Shown<'_>, queue: u16, lives: &mut BTreeMap<u32, Life>) {
    let state = shown.run.trace.last.queue(queue);
    let waiting: BTreeSet<u32> = state.present().map(|message| message.number).collect();
    for (_, life) in lives.iter_mut().filter(|(number, _)| !waiting.contains(number)) {
        life.end(life.last, true);
    }
}

fn moved_here(shown: &Shown<'_>, queue: u16, origin: (u16, u32), at: Halves, lives: &mut BTreeMap<u32, Life>) {
    let state = shown.run.trace.last.queue(queue);
    let moved = state
        .present()
        .chain(state.dead())
        .find(|message| message.origin == origin);
    if let Some(message) = moved {
        lives.entry(message.number).or_insert_with(|| Life::new(None, at));
    }
}

impl Life {
    fn new(accepted: Option<Millis>, from: Halves) -> Life {
        Life {
            accepted,
            from,
            held: Vec::new(),
            since: None,
            deliveries: 0,
            to: None,
            last: from,
            acknowledged: false,
        }
    }

    /// What happens beyond the drawn part leaves no stretch.
    fn let_go(&mut self, at: Halves) {
        let held = self.since.take().map(|since| (since, at));
        self.held.extend(held.filter(|(since, until)| since < until));
    }

    /// A group has acknowledged it.
    fn read(&mut self, at: Halves) {
        self.let_go(at);
        self.last = at;
    }

    fn end(&mut self, at: Halves, acknowledged: bool) {
        self.let_go(at);
        self.to.get_or_insert(at);
        self.acknowledged |= acknowledged;
    }
}
