//! Blocks: one for each event that has a column, and the arrows between lanes.

use super::{arrow, message_id};
use crate::app::lanes::LaneOf;
use crate::app::view::{Arrow, ArrowKind, Block, BlockClass, Shown};
use crate::expression::ErrorClass;
use crate::fact::EventId;
use crate::program::{Destination, Instruction, Program, Relation, Request, TransactionAction};
use crate::simulation::trace::{Event, EventKind, Outcome};
use crate::sql::Statement;

/// What the step on a line does, as far as the picture shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app::view) enum Nature {
    Publish,
    Ack,
    /// Ends a delivery without deleting the message.
    Nack,
    /// Changes something for good: a commit, a call.
    Effect,
    Other,
}

/// The natures of all steps by their line: a line is one statement.
pub(in crate::app::view) struct Natures(Vec<(u32, Nature)>);

impl Natures {
    pub fn of(program: &Program) -> Natures {
        let code = program.services.iter().flat_map(|service| &service.code);
        let nature = |instruction: &Instruction| match instruction {
            Instruction::Step { line, request, .. } => Some((*line, nature(request))),
            _ => None,
        };
        let mut natures: Vec<(u32, Nature)> = code.filter_map(nature).collect();
        natures.sort_unstable_by_key(|(line, _)| *line);
        natures.dedup_by_key(|(line, _)| *line);
        Natures(natures)
    }

    pub fn on(&self, line: u32) -> Nature {
        let found = self.0.binary_search_by_key(&line, |(line, _)| *line);
        found
            .ok()
            .and_then(|index| self.0.get(index))
            .map_or(Nature::Other, |(_, nature)| *nature)
    }
}

fn nature(request: &Request) -> Nature {
    match request {
        Request::Publish { .. } => Nature::Publish,
        Request::Ack(_) => Nature::Ack,
        Request::Nack { .. } => Nature::Nack,
        Request::Sql {
            statement: Statement::Commit,
            ..
        }
        | Request::Transaction {
            action: TransactionAction::Commit | TransactionAction::CommitPrepared(_),
            ..
        }
        | Request::CallOutside { .. }
        | Request::CallService { .. } => Nature::Effect,
        Request::Sql { .. }
        | Request::Transaction { .. }
        | Request::Confirm(_)
        | Request::Extend { .. }
        | Request::Redrive { .. }
        | Request::Sleep(_) => Nature::Other,
    }
}

/// For each lane its blocks. Adds the arrows.
pub(super) fn blocks(shown: &Shown<'_>, natures: &Natures, arrows: &mut Vec<Arrow>) -> Vec<Vec<Block>> {
    let mut lanes: Vec<Vec<Block>> = vec![Vec::new(); shown.lanes.len()];
    for (id, event) in shown.drawn().iter().enumerate() {
        // A trace numbers its events with 32 bits.
        let id = id as EventId;
        let Some(column) = shown.run.columns.column(id) else {
            continue;
        };
        let Some(lane) = lane(shown, event) else { continue };
        let (label, detail, class) = words(shown, natures, event);
        let columns = &shown.run.columns;
        connect(shown, natures, event, lane, columns.middle(id), arrows);
        let Some(blocks) = lanes.get_mut(lane) else { continue };
        blocks.push(Block {
            event: id,
            column,
            from: columns.sent(id, event),
            to: columns.replied(id, event),
            label,
            detail,
            class,
            title: shown.explain(event),
            at_head: shown.at_head() == Some(id),
        });
    }
    outside(shown, &mut lanes, arrows);
    lanes
}

/// The lane an event belongs to: its process's, or its queue's.
fn lane(shown: &Shown<'_>, event: &Event) -> Option<usize> {
    match event.kind {
        EventKind::LeaseEnded { queue, .. }
        | EventKind::Returned { queue, .. }
        | EventKind::Exhausted { queue, .. }
        | EventKind::Expired { queue, .. }
        | EventKind::Discarded {
            destination: Destination::Queue(queue),
            ..
        }
        | EventKind::Acknowledged { queue, .. }
        | EventKind::Rebalanced { queue, .. }
        | EventKind::Due { queue, .. } => shown.lane(LaneOf::Queue(queue)),
        _ => shown.lane(LaneOf::Instance(event.instance?)),
    }
}

/// Label, detail and class of a block.
pub(in crate::app::view) fn words(shown: &Shown<'_>, natures: &Natures, event: &Event) -> (String, String, BlockClass) {
    let say = |label: &str, detail: String, class| (label.to_owned(), detail, class);
    match &event.kind {
        EventKind::Step {
            step,
            line,
            outcome,
            message,
            orphan,
            ..
        } => {
            let name = step_name(shown, event, *step);
            let (label, rest) = name.split_once('-').unwrap_or((name, ""));
            let detail = match message {
                Some((queue, message)) => message_id(shown, *queue, *message),
                None => rest.to_owned(),
            };
            let class = if *orphan {
                BlockClass::Orphan
            } else {
                class(outcome, natures.on(*line))
            };
            say(label, detail, class)
        }
        EventKind::Buffered { step, .. } => {
            let name = step_name(shown, event, *step);
            let (label, rest) = name.split_once('-').unwrap_or((name, ""));
            say(label, rest.to_owned(), BlockClass::Ok)
        }
        EventKind::Delivery { queue, message, .. } => {
            say("→", message_id(shown, *queue, *message), BlockClass::Delivery)
        }
        EventKind::Followed { position, .. } => say("→", format!("#{position}"), BlockClass::Delivery),
        EventKind::RequestRefused { .. } => say("✕", String::new(), BlockClass::Error),
        EventKind::Restart => say("↻", String::new(), BlockClass::Fault),
        EventKind::Exit { .. } => say("exit", String::new(), BlockClass::Fault),
        EventKind::PassFailed { .. } => say("✕", String::new(), BlockClass::Error),
        EventKind::Disconnected { .. } => say("⌁", String::new(), BlockClass::Fault),
        EventKind::LeaseEnded { queue, message } => say("↺", message_id(shown, *queue, *message), BlockClass::Party),
        EventKind::Returned { queue, message } => say("↩", message_id(shown, *queue, *message), BlockClass::Party),
        EventKind::Exhausted { queue, message, .. } => say("†", message_id(shown, *queue, *message), BlockClass::Party),
        EventKind::Expired { queue, message, .. } => say("†", message_id(shown, *queue, *message), BlockClass::Party),
        EventKind::Discarded {
            destination: Destination::Queue(queue),
            copy_of: Some(message),
        } => say("∅", message_id(shown, *queue, *message), BlockClass::Party),
        EventKind::Rebalanced { generation, .. } => say("⇆", format!("#{generation}"), BlockClass::Party),
        EventKind::Acknowledged { queue, message } => say("✓", message_id(shown, *queue, *message), BlockClass::Party),
        EventKind::Due { queue, message } => say("◷", message_id(shown, *queue, *message), BlockClass::Party),
        // The others have no column.
        _ => say("", String::new(), BlockClass::Quiet),
    }
}

fn step_name<'a>(shown: &'a Shown<'_>, event: &Event, step: u16) -> &'a str {
    let instance = event
        .instance
        .and_then(|instance| shown.instances.get(usize::from(instance)));
    let service = instance.and_then(|(service, _)| shown.program.services.get(*service));
    service
        .and_then(|service| service.steps.get(usize::from(step)))
        .map_or("", |name| name)
}

/// How a step is drawn, and an event line with it.
fn class(outcome: &Outcome, nature: Nature) -> BlockClass {
    match outcome {
        Outcome::Failed(failure) => match failure.class {
            ErrorClass::Timeout | ErrorClass::Unreachable => BlockClass::Lost,
            _ => BlockClass::Error,
        },
        Outcome::RequestLost { .. } | Outcome::ReplyLost { .. } => BlockClass::Lost,
        Outcome::Held => BlockClass::Ok,
        Outcome::Ok | Outcome::Rows(_) => match nature {
            Nature::Publish | Nature::Ack | Nature::Effect => BlockClass::Effect,
            Nature::Nack | Nature::Other => BlockClass::Ok,
        },
    }
}

/// The class of any event, as its line in a list is drawn.
pub(crate) fn event_class(event: &Event) -> BlockClass {
    match &event.kind {
        EventKind::Step { orphan: true, .. } => BlockClass::Orphan,
        EventKind::Step { outcome, .. } => class(outcome, Nature::Other),
        EventKind::Buffered { .. } => BlockClass::Ok,
        EventKind::Delivery { .. } | EventKind::Followed { .. } => BlockClass::Delivery,
        EventKind::RequestRefused { .. } | EventKind::PassFailed { .. } => BlockClass::Error,
        EventKind::Idle { .. } => BlockClass::Quiet,
        EventKind::LeaseEnded { .. }
        | EventKind::Returned { .. }
        | EventKind::Exhausted { .. }
        | EventKind::Expired { .. }
        | EventKind::Discarded { .. }
        | EventKind::Acknowledged { .. }
        | EventKind::Rebalanced { .. }
        | EventKind::Due { .. } => BlockClass::Party,
        EventKind::Crash { .. }
        | EventKind::Restart
        | EventKind::Pause { .. }
        | EventKind::Resume
        | EventKind::Exit { .. }
        | EventKind::Disconnected { .. }
        | EventKind::Down { .. }
        | EventKind::Up { .. }
        | EventKind::Cut { .. }
        | EventKind::Healed => BlockClass::Fault,
    }
}

fn connect(shown: &Shown<'_>, natures: &Natures, event: &Event, lane: usize, at: i32, arrows: &mut Vec<Arrow>) {
    match &event.kind {
        EventKind::Delivery { queue, .. } => {
            let queue = shown.lane(LaneOf::Queue(*queue));
            arrows.extend(queue.map(|queue| arrow(queue, lane, at, ArrowKind::Delivery)));
        }
        EventKind::Step {
            line,
            outcome,
            message: Some((queue, _)),
            ..
        } => {
            let happened = matches!(outcome, Outcome::Ok | Outcome::Rows(_) | Outcome::ReplyLost { .. });
            // The commit of a transaction on a broker publishes too.
            if happened && matches!(natures.on(*line), Nature::Publish | Nature::Effect) {
                let queue = shown.lane(LaneOf::Queue(*queue));
                arrows.extend(queue.map(|queue| arrow(lane, queue, at, ArrowKind::Publish)));
            }
        }
        _ => {}
    }
}

/// Effects outside: a block on the party's lane in the column of the call, and an arrow to it.
fn outside(shown: &Shown<'_>, lanes: &mut [Vec<Block>], arrows: &mut Vec<Arrow>) {
    for (index, of) in shown.lanes.iter().enumerate() {
        let LaneOf::Outside(outside) = of else { continue };
        for fact in shown.run.trace.last.facts(Relation::Outside(*outside)).iter() {
            let id = fact.stamp.event;
            let columns = &shown.run.columns;
            let (Some(column), Some(event)) = (columns.column(id), shown.run.trace.events.get(id as usize)) else {
                continue;
            };
            if let Some(caller) = lane(shown, event) {
                arrows.push(arrow(caller, index, columns.middle(id), ArrowKind::Call));
            }
            let first = fact.row.values().first().map_or_else(String::new, ToString::to_string);
            let fields: Vec<String> = fact
                .row
                .fields()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            if let Some(blocks) = lanes.get_mut(index) {
                blocks.push(Block {
                    event: id,
                    column,
                    from: columns.before(id),
                    to: columns.after(Some(id)),
                    label: first,
                    detail: String::new(),
                    class: BlockClass::Effect,
                    title: fields.join(", "),
                    at_head: shown.at_head() == Some(id),
                });
            }
        }
    }
}
