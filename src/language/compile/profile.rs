//! Fits a file to the profiles of its brokers: fills in what the text leaves open, takes out the words that a product has no
//! meaning for, and notes each. What comes behind sees general rules only.

use crate::language::ast::{
    Broker, Exhausted, File, Qualified, Queue, Request, Sql, Statement, StatementKind, TriggerKind,
};
use crate::program::profile::{Profile, Word};
use crate::program::{self, Dedupe, Note};
use std::borrow::Cow;

/// The file as its brokers' products understand it, and what they do not.
pub(super) fn fit(file: &File) -> (Cow<'_, File>, Vec<Note>) {
    if file.brokers.iter().all(|broker| profile(broker).is_none()) {
        return (Cow::Borrowed(file), Vec::new());
    }
    let mut fitted = file.clone();
    let mut notes = Vec::new();
    for broker in &mut fitted.brokers {
        if let Some(profile) = profile(broker) {
            let mut fitting = Fitting {
                broker: broker.name.text.to_string(),
                profile,
                notes: &mut notes,
            };
            broker.queues.iter_mut().for_each(|queue| fitting.queue(queue));
            for topic in &mut broker.topics {
                topic.unroutable.get_or_insert(profile.unroutable);
            }
        }
    }
    for trigger in fitted.services.iter_mut().flat_map(|service| &mut service.triggers) {
        fit_receiver(file, &mut trigger.kind, trigger.span.line, &mut notes);
        let received = match &trigger.kind {
            TriggerKind::Receive { queue, .. } => owner(file, queue),
            // A message that was kept: it can only be from the one broker, if there is one.
            _ => file.brokers.first().filter(|_| file.brokers.len() == 1),
        };
        for statement in &mut trigger.block {
            fit_statement(file, received, statement, &mut notes);
        }
    }
    notes.sort_by_key(|note| note.line);
    (Cow::Owned(fitted), notes)
}

/// How a receiver reads: as a member of a group, fetching ahead.
fn fit_receiver(file: &File, kind: &mut TriggerKind, line: u32, notes: &mut Vec<Note>) {
    let TriggerKind::Receive {
        queue, group, prefetch, ..
    } = kind
    else {
        return;
    };
    let Some(mut fitting) = Fitting::of(owner(file, queue), notes) else {
        return;
    };
    if group.is_some() && fitting.refuses(Word::Partitions, line) {
        *group = None;
    }
    if *prefetch > 1 && fitting.refuses(Word::Prefetch, line) {
        *prefetch = 1;
    }
}

pub(super) fn profile(broker: &Broker) -> Option<&'static Profile> {
    Profile::find(&broker.profile.as_ref()?.text)
}

/// The broker of a queue or topic, by name alone: what is ambiguous or unknown is reported elsewhere.
fn owner<'f>(file: &'f File, name: &Qualified) -> Option<&'f Broker> {
    let has = |broker: &&Broker| {
        let named = name.owner.as_ref().is_none_or(|owner| owner.text == broker.name.text);
        let mut names = (broker.queues.iter().map(|queue| &queue.name)).chain(broker.topics.iter().map(|t| &t.name));
        named && names.any(|known| known.text == name.name.text)
    };
    file.brokers.iter().find(has)
}

/// What one broker's product makes of the words about it.
struct Fitting<'n> {
    broker: String,
    profile: &'static Profile,
    notes: &'n mut Vec<Note>,
}

impl<'n> Fitting<'n> {
    fn of(broker: Option<&Broker>, notes: &'n mut Vec<Note>) -> Option<Fitting<'n>> {
        let broker = broker?;
        Some(Fitting {
            broker: broker.name.text.to_string(),
            profile: profile(broker)?,
            notes,
        })
    }

    /// True, and a note, for a word that has no meaning here.
    fn refuses(&mut self, word: Word, line: u32) -> bool {
        let Some(cannot) = self.profile.cannot(word) else {
            return false;
        };
        let (word, broker, product) = (word.text(), &self.broker, self.profile.product);
        let (en, de) = (cannot.en, cannot.de);
        self.notes.push(Note {
            line,
            en: format!("`{word}` has no effect on {broker} ({product}): {en}").into(),
            de: format!("`{word}` wirkt bei {broker} ({product}) nicht: {de}").into(),
            url: cannot.url,
        });
        true
    }

    fn queue(&mut self, queue: &mut Queue) {
        let (line, rules) = (queue.name.span.line, &self.profile.queue);
        if queue.lease.is_some() && self.refuses(Word::Lease, line) {
            queue.lease = None;
        }
        queue.lease = queue.lease.or(rules.lease);
        if queue.attempts.is_some() && self.refuses(Word::Attempts, line) {
            queue.attempts = None;
        }
        queue.attempts = queue.attempts.or(rules.attempts);
        let word = queue.exhausted.as_ref().map(|exhausted| match exhausted {
            Exhausted::Dead(_) => Word::Dead,
            Exhausted::Drop => Word::Drop,
            Exhausted::Keep => Word::Keep,
        });
        if word.is_some_and(|word| self.refuses(word, line)) {
            queue.exhausted = None;
        }
        if queue.exhausted.is_none() && rules.exhausted == program::Exhausted::Drop {
            queue.exhausted = Some(Exhausted::Drop);
        }
        // A rule that says what the product does anyway is no news.
        if queue.stale.is_some_and(|stale| stale != rules.stale) && self.refuses(Word::Stale, line) {
            queue.stale = None;
        }
        queue.stale.get_or_insert(rules.stale);
        queue.volatile = queue.volatile && !self.refuses(Word::Volatile, line);
        queue.grouped = (queue.grouped && !self.refuses(Word::Grouped, line)) || rules.grouped;
        if queue.capacity.is_some() && self.refuses(Word::Capacity, line) {
            queue.capacity = None;
        }
        if queue.partitions.is_some() && self.refuses(Word::Partitions, line) {
            queue.partitions = None;
        }
        queue.partitions = queue.partitions.or(rules.partitions);
        queue.session = rules.session;
        self.dedupe(queue);
        queue.expired_are_dropped = !rules.expired_to_dead;
        queue.ack_timeout = rules.ack_timeout;
        queue.again_in_turn = rules.again_in_turn;
    }

    fn dedupe(&mut self, queue: &mut Queue) {
        let rules = &self.profile.queue;
        let word = match queue.dedupe {
            None => {
                queue.dedupe = rules.dedupe;
                return;
            }
            Some(Dedupe::WhileQueued) => Word::DedupeWhileQueued,
            Some(Dedupe::Within(_) | Dedupe::Last(_)) => Word::Dedupe,
        };
        if queue.dedupe != rules.dedupe_asked && self.refuses(word, queue.name.span.line) {
            queue.dedupe = rules.dedupe_asked;
        }
    }
}

fn fit_statement(file: &File, received: Option<&Broker>, statement: &mut Statement, notes: &mut Vec<Note>) {
    let line = statement.span.line;
    let blocks: Vec<&mut Vec<Statement>> = match &mut statement.kind {
        StatementKind::Request(_, request) => {
            fit_request(file, received, request, line, notes);
            Vec::new()
        }
        StatementKind::Keep { .. } => {
            // It stays: without a lease the broker refuses its renewals.
            if let Some(mut fitting) = Fitting::of(received, notes) {
                fitting.refuses(Word::Extend, line);
            }
            Vec::new()
        }
        StatementKind::Sql(_, Sql::PrepareTransaction(_, Some(party))) => {
            let broker = file.brokers.iter().find(|broker| broker.name.text == party.text);
            if let Some(mut fitting) = Fitting::of(broker, notes) {
                fitting.refuses(Word::Prepare, line);
            }
            Vec::new()
        }
        StatementKind::Try(block) | StatementKind::For { block, .. } | StatementKind::Repeat { block, .. } => {
            vec![block]
        }
        StatementKind::If { then, otherwise, .. } => vec![then, otherwise],
        _ => Vec::new(),
    };
    let handlers = statement.handlers.iter_mut().map(|handler| &mut handler.block);
    for inner in blocks.into_iter().chain(handlers).flatten() {
        fit_statement(file, received, inner, notes);
    }
}

fn fit_request(file: &File, received: Option<&Broker>, request: &mut Request, line: u32, notes: &mut Vec<Note>) {
    let broker = match request {
        Request::Publish { destination, .. } => owner(file, destination),
        Request::Redrive { from, .. } => owner(file, from),
        _ => received,
    };
    let Some(mut fitting) = Fitting::of(broker, notes) else {
        return;
    };
    match request {
        Request::Publish { after, .. } if after.is_some() && fitting.refuses(Word::PublishAfter, line) => *after = None,
        Request::Nack { after, .. } if after.is_some() && fitting.refuses(Word::NackAfter, line) => *after = None,
        Request::Nack { dead, .. } if *dead && fitting.refuses(Word::NackDead, line) => *dead = false,
        // It stays, and finds nothing to send back.
        Request::Redrive { .. } => {
            fitting.refuses(Word::Redrive, line);
        }
        // The request stays: without a lease the broker refuses it.
        Request::Extend { .. } => {
            fitting.refuses(Word::Extend, line);
        }
        _ => {}
    }
}
