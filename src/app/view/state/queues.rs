//! Queues: what is ready, with a receiver, delayed or given up.

use super::{
    BTreeMap, Change, Instants, MessagePlace, Party, Queue, QueueMessage, ROWS_MAX, Row, Shown, Value, World,
    instance_name,
};
use crate::app::words::sentences::{self, MessageWhere};
use crate::program::Exhausted;
use crate::value::Millis;

pub(super) fn queues(shown: &Shown<'_>, instants: &Instants) -> Vec<Queue> {
    let program = shown.program;
    let queue = |(index, schema): (usize, &crate::program::QueueSchema)| {
        let index = index as u16; // queues have 16-bit numbers
        let messages = messages(shown, instants, index);
        let broker = program.brokers.get(usize::from(schema.broker));
        Queue {
            broker: broker.map_or_else(String::new, |broker| broker.name.to_string()),
            name: schema.name.to_string(),
            dead_letter: program
                .queues
                .iter()
                .any(|other| other.exhausted == Exhausted::Dead(index)),
            more: match messages.len().checked_sub(ROWS_MAX) {
                Some(more) if more > 0 => sentences::more(shown.language, more),
                _ => String::new(),
            },
            messages: messages.into_iter().take(ROWS_MAX).collect(),
            down: instants.now.down_until(Party::Broker(schema.broker)).is_some(),
        }
    };
    program.queues.iter().enumerate().map(queue).collect()
}

/// A message and where it is.
struct Found {
    row: Row,
    deliveries: u32,
    place: MessagePlace,
    holder: Option<u32>,
    until: Option<Millis>,
    /// Ready, and hidden by another message of its group.
    held_back: bool,
}

impl Found {
    fn is_like(&self, other: &Found) -> bool {
        let same = (self.place, self.until, self.held_back) == (other.place, other.until, other.held_back);
        same && self.deliveries == other.deliveries
    }
}

/// The messages of a queue by their numbers, which are their places in line.
fn found(world: &World, queue: u16) -> BTreeMap<u32, Found> {
    let state = world.queue(queue);
    let mut found = BTreeMap::new();
    let mut add = |number: u32, row: &Row, deliveries: u32, place, holder, until| {
        let row = row.clone();
        found.insert(
            number,
            Found {
                row,
                deliveries,
                place,
                holder,
                until,
                held_back: state.is_held_back(number),
            },
        );
    };
    for message in state.ready() {
        add(
            message.number,
            &message.row,
            message.deliveries,
            MessagePlace::Ready,
            None,
            None,
        );
    }
    for message in state.dead() {
        add(
            message.number,
            &message.row,
            message.deliveries,
            MessagePlace::Dead,
            None,
            None,
        );
    }
    for held in state.in_flight() {
        let message = &held.message;
        let holder = Some(held.receiver);
        add(
            message.number,
            &message.row,
            message.deliveries,
            MessagePlace::InFlight,
            holder,
            held.lease_ends,
        );
    }
    for (due, message) in state.delayed() {
        add(
            message.number,
            &message.row,
            message.deliveries,
            MessagePlace::Delayed,
            None,
            Some(*due),
        );
    }
    found
}

fn messages(shown: &Shown<'_>, instants: &Instants, queue: u16) -> Vec<QueueMessage> {
    let mut before = match &instants.before {
        Some(before) => found(before, queue),
        None => BTreeMap::new(),
    };
    let compare = instants.before.is_some();
    let mut lines: BTreeMap<u32, QueueMessage> = BTreeMap::new();
    for (number, now) in found(&instants.now, queue) {
        let change = match before.remove(&number) {
            _ if !compare => Change::Same,
            None => Change::Inserted,
            Some(old) if old.is_like(&now) => Change::Same,
            Some(_) => Change::Updated,
        };
        lines.insert(number, line(shown, &instants.now, (number, &now), change));
    }
    if let Some(world) = &instants.before {
        lines.extend(
            before
                .into_iter()
                .map(|(number, gone)| (number, line(shown, world, (number, &gone), Change::Deleted))),
        );
    }
    lines.into_values().collect()
}

fn line(shown: &Shown<'_>, world: &World, (number, found): (u32, &Found), change: Change) -> QueueMessage {
    let holder = found.holder.and_then(|receiver| world.instance_of(receiver));
    let holder = holder.map_or_else(|| "?".to_owned(), |instance| instance_name(instance, shown.program));
    let place = match (found.place, found.until) {
        (MessagePlace::Ready, _) if found.held_back => MessageWhere::HeldBack,
        (MessagePlace::Ready, _) => MessageWhere::Ready,
        (MessagePlace::InFlight, until) => MessageWhere::InFlight { holder: &holder, until },
        (MessagePlace::Delayed, until) => MessageWhere::Delayed {
            until: until.unwrap_or_default(),
        },
        (MessagePlace::Dead, _) => MessageWhere::Dead,
    };
    QueueMessage {
        id: match found.row.get("id") {
            Some(Value::Null) | None => format!("#{}", number),
            Some(id) => id.to_string(),
        },
        body: body(&found.row),
        place: found.place,
        text: sentences::message_place(shown.language, place),
        deliveries: found.deliveries,
        change,
    }
}

/// The body; of a message without one its other fields.
fn body(row: &Row) -> String {
    match row.get("body") {
        Some(body) if *body != Value::Null => body.to_string(),
        _ => {
            let fields = row
                .fields()
                .filter(|(name, value)| &***name != "id" && **value != Value::Null);
            let fields: Vec<String> = fields.map(|(name, value)| format!("{name} = {value}")).collect();
            fields.join(", ")
        }
    }
}
