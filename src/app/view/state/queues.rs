//! Queues: what is ready, with a receiver, delayed or given up.

use super::{
    BTreeMap, Change, Instants, MessagePlace, Party, Queue, QueueMessage, ROWS_MAX, Row, Shown, Value, World,
    instance_name,
};
use crate::app::words::sentences::{self, MessageWhere};
use crate::program::Exhausted;
use crate::simulation::{GroupState, Holder, Message};
use crate::value::{Millis, Name};

pub(super) fn queues(shown: &Shown<'_>, instants: &Instants) -> Vec<Queue> {
    let program = shown.program;
    let queue = |(index, schema): (usize, &crate::program::QueueSchema)| {
        let index = index as u16; // queues have 16-bit numbers
        let (messages, more) = messages(shown, instants, index);
        let broker = program.brokers.get(usize::from(schema.broker));
        Queue {
            broker: broker.map_or_else(String::new, |broker| broker.name.to_string()),
            name: schema.name.to_string(),
            dead_letter: program
                .queues
                .iter()
                .any(|other| other.exhausted == Exhausted::Dead(index)),
            more: match more {
                0 => String::new(),
                more => sentences::more(shown.language, more),
            },
            groups: groups(shown, &instants.now, index, schema),
            messages,
            down: instants.now.down_until(Party::Broker(schema.broker)).is_some(),
        }
    };
    program.queues.iter().enumerate().map(queue).collect()
}

/// How far each consumer group has read, and who reads for it.
fn groups(shown: &Shown<'_>, world: &World, queue: u16, schema: &crate::program::QueueSchema) -> Vec<String> {
    let groups = schema.groups.iter().zip(world.groups(queue));
    let line = |(name, group): (&Name, GroupState)| {
        let reader = |receiver: &u32| world.instance_of(*receiver);
        let members = group.members.iter().filter_map(reader);
        let members: Vec<String> = members.map(|instance| instance_name(instance, shown.program)).collect();
        sentences::consumer_group(shown.language, name, &group.positions, group.generation, &members)
    };
    groups.map(line).collect()
}

/// A message and where it is.
struct Found<'a> {
    row: &'a Row,
    deliveries: u32,
    place: MessagePlace,
    holder: Option<u32>,
    /// Of a prepared transaction.
    identifier: Option<&'a Name>,
    until: Option<Millis>,
    /// Ready, and hidden by another message of its group.
    held_back: bool,
}

/// A message's number, which is its place in line; behind all others come those that a transaction holds and that are in no line yet.
type Place = (bool, u32);

impl Found<'_> {
    fn is_like(&self, other: &Found) -> bool {
        let same = (self.place, self.until, self.held_back) == (other.place, other.until, other.held_back);
        same && self.deliveries == other.deliveries
    }
}

/// The messages of a queue by their places. A list: a queue may hold a hundred thousand, and only some are shown.
fn found<'a>(world: &'a World, queue: u16) -> Vec<(Place, Found<'a>)> {
    let state = world.queue(queue);
    let mut found = Vec::new();
    let mut add = |message: &'a Message, place, holder, until| {
        let here = Found {
            row: &message.row,
            deliveries: message.deliveries,
            place,
            holder,
            identifier: None,
            until,
            held_back: state.is_held_back(message.number),
        };
        found.push(((false, message.number), here));
    };
    for message in state.ready() {
        add(message, MessagePlace::Ready, None, None);
    }
    for message in state.dead() {
        add(message, MessagePlace::Dead, None, None);
    }
    for held in state.in_flight() {
        add(
            &held.message,
            MessagePlace::InFlight,
            Some(held.receiver),
            held.lease_ends,
        );
    }
    for (due, message) in state.delayed() {
        add(message, MessagePlace::Delayed, None, Some(*due));
    }
    for (index, held) in (0..).zip(world.held(queue)) {
        let (place, holder, identifier) = match held.holder {
            Holder::Open(receiver) => (MessagePlace::Held, Some(receiver), None),
            Holder::Prepared(identifier) => (MessagePlace::InDoubt, None, Some(identifier)),
        };
        let key = held.message.map_or((true, index), |message| (false, message.number));
        let held = Found {
            row: held.row,
            deliveries: held.message.map_or(0, |message| message.deliveries),
            place,
            holder,
            identifier,
            until: None,
            held_back: false,
        };
        found.push((key, held));
    }
    found.sort_by_key(|(place, _)| *place);
    // Of one that is in line and held as well, the latter is said.
    found.dedup_by(|later, one| {
        let is_same = later.0 == one.0;
        if is_same {
            std::mem::swap(later, one);
        }
        is_same
    });
    found
}

/// The messages of a queue that are shown, and how many more there are. Only what is shown is put in words.
fn messages(shown: &Shown<'_>, instants: &Instants, queue: u16) -> (Vec<QueueMessage>, usize) {
    let before = instants.before.iter().flat_map(|before| found(before, queue));
    let mut before: BTreeMap<Place, Found<'_>> = before.collect();
    let compare = instants.before.is_some();
    let now = found(&instants.now, queue).into_iter().map(|(number, now)| {
        let change = match before.remove(&number) {
            _ if !compare => Change::Same,
            None => Change::Inserted,
            Some(old) if old.is_like(&now) => Change::Same,
            Some(_) => Change::Updated,
        };
        (number, (&instants.now, now, change))
    });
    let mut lines: Vec<(Place, (&World, Found<'_>, Change))> = now.collect();
    if let Some(world) = &instants.before {
        let gone = before.into_iter();
        lines.extend(gone.map(|(number, gone)| (number, (world, gone, Change::Deleted))));
        lines.sort_by_key(|(number, _)| *number);
    }
    let more = lines.len().saturating_sub(ROWS_MAX);
    let shown = lines
        .into_iter()
        .take(ROWS_MAX)
        .map(|(number, (world, found, change))| line(shown, world, (number, &found), change));
    (shown.collect(), more)
}

fn line(shown: &Shown<'_>, world: &World, (key, found): (Place, &Found), change: Change) -> QueueMessage {
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
        (MessagePlace::Held, _) => MessageWhere::Held { holder: &holder },
        (MessagePlace::InDoubt, _) => MessageWhere::InDoubt {
            identifier: found.identifier.map_or("", |name| name),
        },
    };
    QueueMessage {
        id: match found.row.get("id") {
            // One that is in no line yet has no number.
            Some(Value::Null) | None if key.0 => String::from("#?"),
            Some(Value::Null) | None => format!("#{}", key.1),
            Some(id) => id.to_string(),
        },
        body: body(found.row),
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
