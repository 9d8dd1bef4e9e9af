//! What a run did, ready to be asked: passes, deliveries, requests, and what was committed by which event.
//!
//! A *pass* is one firing of one trigger: the steps of an instance that follow each other by their causes, from the delivery
//! that began it to its end. Refuses to know: promises, and what any of it is worth.

use crate::fact::{Change, EventId, Fact, INITIAL};
use crate::program::{Instruction, Program, Relation, Request, Service};
use crate::simulation::trace::{Event, EventKind, InstanceId, Outcome};
use crate::sql::Statement;
use crate::value::Row;
use crate::verdict::Evidence;

/// A message: its queue and its number there.
pub(in crate::verdict) type Message = (u16, u64);

/// A run that has ended.
#[derive(Clone, Copy)]
pub(in crate::verdict) struct Scene<'a> {
    pub program: &'a Program,
    pub events: &'a [Event],
    pub evidence: &'a dyn Evidence,
}

/// What a statement does with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Touch {
    Reads,
    Inserts,
    Changes,
}

impl<'a> Scene<'a> {
    pub fn event(&self, id: EventId) -> Option<&'a Event> {
        self.events.get(usize::try_from(id).ok()?)
    }

    /// Whose event it is.
    pub fn who(&self, id: EventId) -> Option<InstanceId> {
        self.event(id)?.instance
    }

    /// The service of an instance.
    pub fn service(&self, instance: InstanceId) -> Option<&'a Service> {
        let mut before = 0;
        self.program.services.iter().find(|service| {
            before += service.instances;
            instance < before
        })
    }

    /// Events from `from` on, with their numbers.
    pub fn since(&self, from: EventId) -> impl Iterator<Item = (EventId, &'a Event)> + use<'a> {
        let start = usize::try_from(from).unwrap_or(usize::MAX).min(self.events.len());
        (from..).zip(self.events.get(start..).unwrap_or_default())
    }

    /// Events after `after` and before `before`.
    pub fn between(&self, after: EventId, before: EventId) -> impl Iterator<Item = (EventId, &'a Event)> + use<'a> {
        self.since(after.saturating_add(1))
            .take_while(move |(id, _)| *id < before)
    }

    /// The request behind a step. Lines that share a step name differ in their line.
    pub fn request(&self, id: EventId) -> Option<&'a Request> {
        let event = self.event(id)?;
        let EventKind::Step { step, line, .. } = event.kind else {
            return None;
        };
        let code = &self.service(event.instance?)?.code;
        code.iter().find_map(|instruction| match instruction {
            Instruction::Step {
                step: s,
                line: l,
                request,
                ..
            } if (*s, *l) == (step, line) => Some(request),
            _ => None,
        })
    }

    pub fn outcome(&self, id: EventId) -> Option<&'a Outcome> {
        match &self.event(id)?.kind {
            EventKind::Step { outcome, .. } => Some(outcome),
            _ => None,
        }
    }

    /// The message that a step published, acknowledged, gave back or extended.
    pub fn handled(&self, id: EventId) -> Option<Message> {
        match self.event(id)?.kind {
            EventKind::Step {
                message: Some((queue, message)),
                ..
            } => Some((queue, u64::from(message))),
            _ => None,
        }
    }

    pub fn is_ack(&self, id: EventId) -> bool {
        matches!(self.request(id), Some(Request::Ack(_)))
    }

    /// The table that a step's statement is about, and what it does there.
    pub fn touches(&self, id: EventId) -> Option<(Relation, Touch)> {
        let Request::Sql {
            database, statement, ..
        } = self.request(id)?
        else {
            return None;
        };
        let (table, touch) = match statement {
            Statement::Select(select) => (select.table, Touch::Reads),
            Statement::Insert(insert) => (insert.table, Touch::Inserts),
            Statement::Update(update) => (update.table, Touch::Changes),
            Statement::Delete(delete) => (delete.table, Touch::Changes),
            _ => return None,
        };
        let database = *database;
        Some((Relation::Table { database, table }, touch))
    }

    /// The pass of a step: its delivery (or followed change), if it has one, and all its steps.
    pub fn pass(&self, id: EventId) -> Vec<EventId> {
        let mut pass = self.up_to(id);
        let Some(who) = self.who(id) else { return pass };
        let mut last = id;
        for (next, event) in self.since(id.saturating_add(1)) {
            if event.instance != Some(who) {
                continue;
            }
            match event.kind {
                EventKind::Crash { .. } | EventKind::Exit { .. } => break,
                EventKind::PassFailed { .. } if event.cause == Some(last) => {
                    pass.push(next);
                    break;
                }
                // Renewals of a lease run beside the pass; they are no requests of it.
                EventKind::Step { .. } if event.cause == Some(last) && self.request(next).is_some() => {
                    pass.push(next);
                    last = next;
                }
                _ => {}
            }
        }
        pass
    }

    /// The pass of a step up to and with it.
    pub fn up_to(&self, id: EventId) -> Vec<EventId> {
        let who = self.who(id);
        let (mut pass, mut next) = (Vec::new(), Some(id));
        while let Some(id) = next {
            let Some(event) = self.event(id).filter(|event| event.instance == who) else {
                break;
            };
            if matches!(
                event.kind,
                EventKind::Restart | EventKind::Crash { .. } | EventKind::Exit { .. }
            ) {
                break;
            }
            pass.push(id);
            next = match event.kind {
                EventKind::Delivery { .. } | EventKind::Followed { .. } => None,
                _ => event.cause.filter(|cause| *cause < id),
            };
        }
        pass.reverse();
        pass
    }

    /// The delivery that an event goes back to, whoever handed it on.
    pub fn delivery(&self, id: EventId) -> Option<(EventId, Message)> {
        let mut next = Some(id);
        while let Some(id) = next {
            let event = self.event(id)?;
            if let EventKind::Delivery { queue, message, .. } = event.kind {
                return Some((id, (queue, u64::from(message))));
            }
            next = event.cause.filter(|cause| *cause < id);
        }
        None
    }

    /// The end of a process after `after` and before `before`.
    pub fn death(&self, who: InstanceId, after: EventId, before: EventId) -> Option<EventId> {
        self.between(after, before)
            .find(|(_, event)| {
                event.instance == Some(who) && matches!(event.kind, EventKind::Crash { .. } | EventKind::Exit { .. })
            })
            .map(|(id, _)| id)
    }

    /// What cut a pass short: its process died, or it gave up.
    pub fn cut(&self, pass: &[EventId]) -> Option<EventId> {
        let last = *pass.last()?;
        let event = self.event(last)?;
        if matches!(event.kind, EventKind::PassFailed { .. }) {
            return Some(last);
        }
        let death = self.death(event.instance?, last, EventId::MAX)?;
        let began = |(_, event): (EventId, &Event)| {
            event.instance == self.who(last) && matches!(event.kind, EventKind::Delivery { .. })
        };
        // After another delivery it was not this pass that the death cut.
        (!self.between(last, death).any(began)).then_some(death)
    }

    /// The facts that an event made.
    pub fn facts_of(&self, id: EventId) -> Vec<(Relation, &'a Fact)> {
        let mut found = Vec::new();
        for relation in self.relations() {
            let log = self.evidence.facts(relation);
            let mut at = first_not_before(log, id);
            while let Some(fact) = log.get(at).filter(|fact| fact.stamp.event == id) {
                found.push((relation, fact));
                at += 1;
            }
        }
        found
    }

    /// How often a message had been handed out by the time of one of its deliveries.
    pub fn deliveries(&self, message: Message, until: EventId) -> usize {
        let all = self.since(0).take_while(|(id, _)| *id <= until);
        all.filter(|(_, event)| {
            matches!(event.kind, EventKind::Delivery { queue, message: number, .. } if (queue, u64::from(number)) == message)
        })
        .count()
    }

    /// All tables of all databases.
    pub fn tables(&self) -> Vec<Relation> {
        let relations = self.relations().into_iter();
        relations
            .filter(|relation| matches!(relation, Relation::Table { .. }))
            .collect()
    }

    /// Everything that has facts.
    fn relations(&self) -> Vec<Relation> {
        let databases = (0..).zip(&self.program.databases);
        let tables = databases.flat_map(|(database, schema)| {
            (0..)
                .zip(&schema.tables)
                .map(move |(table, _)| Relation::Table { database, table })
        });
        let queues = (0..).zip(&self.program.queues).map(|(queue, _)| Relation::Queue(queue));
        let outsides = (0..).zip(&self.program.outsides);
        let outsides = outsides.map(|(outside, _)| Relation::Outside(outside));
        tables.chain(queues).chain(outsides).collect()
    }

    /// The acceptance of a message: its event, if it was published in the run, and its fields.
    pub fn message(&self, message: Message) -> Option<(Option<EventId>, &'a Row)> {
        let mut facts = self.evidence.facts(Relation::Queue(message.0)).iter();
        let fact = facts.find(|fact| fact.identity == message.1)?;
        Some(((fact.stamp != INITIAL).then_some(fact.stamp.event), &fact.row))
    }

    /// The services whose code can make something in a relation.
    pub fn makes(&self, service: &Service, relation: Relation) -> bool {
        service.code.iter().any(|instruction| match instruction {
            Instruction::Step { request, .. } => makes(self.program, request, relation),
            _ => false,
        })
    }
}

/// The position of the first fact that is not from before an event; initial rows come first.
fn first_not_before(log: &crate::fact::Log<Fact>, id: EventId) -> usize {
    let (mut low, mut high) = (0, log.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let before = log
            .get(middle)
            .is_some_and(|fact| fact.stamp == INITIAL || fact.stamp.event < id);
        if before {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn makes(program: &Program, request: &Request, relation: Relation) -> bool {
    use crate::program::Destination;
    match (request, relation) {
        (
            Request::Sql {
                database, statement, ..
            },
            Relation::Table { database: d, table: t } | Relation::Changes { database: d, table: t },
        ) => {
            let table = match statement {
                Statement::Insert(insert) => insert.table,
                Statement::Update(update) => update.table,
                Statement::Delete(delete) => delete.table,
                _ => return false,
            };
            (*database, table) == (d, t)
        }
        (Request::CallOutside { outside, .. }, Relation::Outside(o)) => *outside == o,
        (Request::Publish { destination, .. }, Relation::Queue(queue) | Relation::Dead(queue)) => match destination {
            Destination::Queue(q) => *q == queue,
            Destination::Topic(topic) => program
                .topics
                .get(usize::from(*topic))
                .is_some_and(|topic| topic.queues.contains(&queue)),
        },
        _ => false,
    }
}

/// What was there just before an event: rows of a table by their latest facts, deleted ones left out.
pub(super) fn there_before<'a>(scene: &Scene<'a>, relation: Relation, before: EventId) -> Vec<&'a Fact> {
    let mut latest = std::collections::BTreeMap::new();
    for fact in scene.evidence.facts(relation).iter() {
        if fact.stamp == INITIAL || fact.stamp.event < before {
            latest.insert(fact.identity, fact);
        }
    }
    latest
        .into_values()
        .filter(|fact| fact.change != Change::Delete)
        .collect()
}
