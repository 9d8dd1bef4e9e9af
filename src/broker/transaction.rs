//! Transactions on a broker: publishes and acks that wait at the broker and take effect together, and two-phase commit.
//!
//! A transaction belongs to one receiver (a client's session) at one broker, and ends with its connection. A prepared one belongs
//! to nobody: it survives its client and the broker's death until somebody decides it by name, and the messages it has
//! acknowledged are neither ready nor in flight meanwhile.

use super::{Answer, Broker, Happened, Message, Queue, Receiver, is_refused, stale_handle};
use crate::expression::{ErrorClass, Failure};
use crate::fact::Stamp;
use crate::fingerprint::Fingerprint;
use crate::program::QueueSchema;
use crate::value::{Millis, Name, Row};
use rpds::{RedBlackTreeMap, Vector};

/// The open and the prepared transactions of all brokers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Transactions {
    open: RedBlackTreeMap<(u16, Receiver), Transaction>,
    prepared: RedBlackTreeMap<(u16, Name), Transaction>,
    /// Transactions so far.
    begun: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Transaction {
    /// Its number over all brokers, from 1.
    number: u32,
    publishes: Vector<Publish>,
    /// Queue and delivery.
    acks: Vector<(u16, u32)>,
    /// Of a prepared transaction: queue and number of the messages it has acknowledged.
    taken: Vector<(u16, u32)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Publish {
    queue: u16,
    row: Row,
    after: Option<Millis>,
}

impl Transactions {
    /// Nothing is open and nothing is prepared.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.prepared.is_empty()
    }

    /// Takes down what is open and what is prepared. Numbers count from the last transaction.
    pub(super) fn take_down(&self, print: &mut Fingerprint) {
        print.count(self.open.size());
        for ((broker, receiver), transaction) in self.open.iter() {
            print.number(*broker);
            print.session(*receiver);
            print.number(self.begun - transaction.number);
            transaction.take_down(print);
        }
        for ((broker, name), transaction) in self.prepared.iter() {
            print.number(*broker);
            print.text(name);
            transaction.take_down(print);
        }
    }
}

impl Transaction {
    fn take_down(&self, print: &mut Fingerprint) {
        print.count(self.publishes.len());
        for publish in self.publishes.iter() {
            print.number(publish.queue);
            print.values(&publish.row);
            print.optional(publish.after, Fingerprint::integer);
        }
        print.count(self.acks.len());
        for (queue, delivery) in self.acks.iter() {
            print.delivery(*queue, *delivery);
        }
        print.count(self.taken.len());
        for (queue, message) in self.taken.iter() {
            print.number(*queue);
            print.number(*message);
        }
    }
}

/// Who decides over work that is held at a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder<'a> {
    /// The open transaction of this receiver.
    Open(Receiver),
    /// Anyone who knows the identifier.
    Prepared(&'a Name),
}

/// A message in the hands of a transaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held<'a> {
    pub holder: Holder<'a>,
    pub row: &'a Row,
    /// The message that a prepared transaction has acknowledged; none: one that will be published.
    pub message: Option<&'a Message>,
}

impl Broker {
    /// The number of the receiver's open transaction at a broker.
    pub fn transaction(&self, broker: u16, receiver: Receiver) -> Option<u32> {
        let open = self.transactions.open.get(&(broker, receiver));
        open.map(|transaction| transaction.number)
    }

    /// Opens a transaction; one that is open already refuses.
    pub fn begin(&mut self, broker: u16, receiver: Receiver) -> Answer {
        let transactions = &mut self.transactions;
        if transactions.open.contains_key(&(broker, receiver)) {
            return Err(refused("a transaction is already open"));
        }
        transactions.begun += 1;
        let transaction = Transaction {
            number: transactions.begun,
            ..Transaction::default()
        };
        transactions.open.insert_mut((broker, receiver), transaction);
        Ok(())
    }

    /// Holds a message until the receiver's transaction ends. False if none is open.
    pub fn hold_publish(
        &mut self,
        schemas: &[QueueSchema],
        receiver: Receiver,
        queue: u16,
        row: Row,
        after: Option<Millis>,
    ) -> bool {
        let key = (schemas[usize::from(queue)].broker, receiver);
        let Some(transaction) = self.transactions.open.get_mut(&key) else {
            return false;
        };
        transaction.publishes.push_back_mut(Publish { queue, row, after });
        true
    }

    /// Holds an acknowledgement until the receiver's transaction ends: the delivery stays in flight. None if none is open.
    pub fn hold_ack(
        &mut self,
        schemas: &[QueueSchema],
        receiver: Receiver,
        queue: u16,
        delivery: u32,
    ) -> Option<Answer> {
        let schema = &schemas[usize::from(queue)];
        let key = (schema.broker, receiver);
        let valid = self.is_current(queue, delivery);
        let transaction = self.transactions.open.get_mut(&key)?;
        let again = transaction.acks.iter().any(|ack| *ack == (queue, delivery));
        if is_refused(schema.stale) && (again || !valid) {
            return Some(Err(stale_handle()));
        }
        if !again {
            transaction.acks.push_back_mut((queue, delivery));
        }
        Some(Ok(()))
    }

    /// Everything the transaction holds takes effect, or, if a handle has become stale or a queue is full, nothing. Returns the first message published.
    pub fn commit(
        &mut self,
        schemas: &[QueueSchema],
        broker: u16,
        receiver: Receiver,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Result<Option<(u16, u32)>, Failure> {
        let transaction = self.close(broker, receiver)?;
        self.check_acks(schemas, &transaction)?;
        self.check_room(schemas, &transaction)?;
        for (queue, delivery) in &transaction.acks {
            let message = self.queue(*queue).message_of(*delivery);
            self.ack(schemas, *queue, *delivery, stamp, happened)?;
            happened.extend(message.map(|message| Happened::Acknowledged { queue: *queue, message }));
        }
        Ok(self.release(schemas, &transaction, stamp, happened))
    }

    /// Ends a receiver's transaction without effect; without one it does nothing.
    pub fn rollback(&mut self, broker: u16, receiver: Receiver) {
        self.transactions.open.remove_mut(&(broker, receiver));
    }

    /// Ends a receiver's transactions, at one broker or at all `but` one, without effect.
    pub fn discard(&mut self, broker: Option<u16>, but: Option<u16>, receiver: Receiver) {
        let ends = |of: u16| broker.is_none_or(|broker| of == broker) && but != Some(of);
        self.discard_where(|(of, owner)| *owner == receiver && ends(*of));
    }

    /// Ends all open transactions at a broker without effect; prepared ones stay.
    pub(super) fn discard_all(&mut self, broker: u16) {
        self.discard_where(|(of, _)| *of == broker);
    }

    fn discard_where(&mut self, which: impl Fn(&(u16, Receiver)) -> bool) {
        let open = self.transactions.open.keys().filter(|key| which(key));
        let ending: Vec<(u16, Receiver)> = open.copied().collect();
        for key in ending {
            self.transactions.open.remove_mut(&key);
        }
    }

    /// The first half of a two-phase commit: what the transaction holds belongs to the identifier from now on.
    pub fn prepare(&mut self, schemas: &[QueueSchema], broker: u16, receiver: Receiver, identifier: &Name) -> Answer {
        let mut transaction = self.close(broker, receiver)?;
        let key = (broker, identifier.clone());
        if self.transactions.prepared.contains_key(&key) {
            let detail = format!("transaction identifier \"{identifier}\" is already in use");
            return Err(Failure::new(ErrorClass::Error, detail));
        }
        self.check_acks(schemas, &transaction)?;
        self.check_room(schemas, &transaction)?;
        if transaction.acks.iter().any(|(queue, _)| self.has_partitions(*queue)) {
            return Err(refused("a position on partitions takes no part in two-phase commit"));
        }
        for (queue, delivery) in &transaction.acks {
            let state = &mut self.queues[usize::from(*queue)];
            if let Some(held) = state.take_in_flight(*delivery) {
                transaction.taken.push_back_mut((*queue, held.message.number));
                state.doubtful.insert_mut(held.message.number, held.message);
            }
        }
        self.transactions.prepared.insert_mut(key, transaction);
        Ok(())
    }

    /// `commit prepared`: returns the first message published.
    pub fn commit_prepared(
        &mut self,
        schemas: &[QueueSchema],
        broker: u16,
        identifier: &Name,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Result<Option<(u16, u32)>, Failure> {
        let transaction = self.decide(broker, identifier)?;
        for (queue, message) in transaction.taken.iter().copied() {
            let state = &mut self.queues[usize::from(queue)];
            if let Some(done) = state.doubtful.get(&message).cloned() {
                state.doubtful.remove_mut(&message);
                state.line.let_go(&done);
            }
            happened.push(Happened::Acknowledged { queue, message });
            // The next of its group may be handed out.
            self.assign(schemas, queue, stamp, happened);
        }
        Ok(self.release(schemas, &transaction, stamp, happened))
    }

    /// `rollback prepared`: the messages it had acknowledged are ready again.
    pub fn rollback_prepared(
        &mut self,
        schemas: &[QueueSchema],
        broker: u16,
        identifier: &Name,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Answer {
        let transaction = self.decide(broker, identifier)?;
        for (queue, number) in transaction.taken.iter().copied() {
            let state = &mut self.queues[usize::from(queue)];
            let Some(mut message) = state.doubtful.get(&number).cloned() else {
                continue;
            };
            state.doubtful.remove_mut(&number);
            message.ready_by = stamp.event;
            happened.push(Happened::Returned { queue, message: number });
            self.give_back(schemas, queue, message, stamp, happened);
        }
        Ok(())
    }

    /// The prepared transactions that nobody has decided: broker and identifier.
    pub fn in_doubt(&self) -> impl Iterator<Item = (u16, &Name)> {
        self.transactions
            .prepared
            .keys()
            .map(|(broker, identifier)| (*broker, identifier))
    }

    /// What transactions hold of a queue: messages that may come into it, and those a prepared one has acknowledged.
    pub fn held(&self, queue: u16) -> impl Iterator<Item = Held<'_>> {
        let open = self.transactions.open.iter();
        let open = open.map(|((_, receiver), transaction)| (Holder::Open(*receiver), transaction));
        let prepared = self.transactions.prepared.iter();
        let prepared = prepared.map(|((_, identifier), transaction)| (Holder::Prepared(identifier), transaction));
        open.chain(prepared)
            .flat_map(move |(holder, transaction)| transaction.held(holder, queue, self.queue(queue)))
    }

    fn close(&mut self, broker: u16, receiver: Receiver) -> Result<Transaction, Failure> {
        let key = (broker, receiver);
        let Some(transaction) = self.transactions.open.get(&key).cloned() else {
            return Err(refused("no transaction is open"));
        };
        self.transactions.open.remove_mut(&key);
        Ok(transaction)
    }

    fn decide(&mut self, broker: u16, identifier: &Name) -> Result<Transaction, Failure> {
        let key = (broker, identifier.clone());
        let Some(transaction) = self.transactions.prepared.get(&key).cloned() else {
            let detail = format!("prepared transaction with identifier \"{identifier}\" does not exist");
            return Err(Failure::new(ErrorClass::Error, detail));
        };
        self.transactions.prepared.remove_mut(&key);
        Ok(transaction)
    }

    /// Handles may have become stale since the broker took them.
    fn check_acks(&self, schemas: &[QueueSchema], transaction: &Transaction) -> Answer {
        let counts = |queue: u16| is_refused(schemas[usize::from(queue)].stale);
        let stale = |(queue, delivery): &(u16, u32)| counts(*queue) && !self.is_current(*queue, *delivery);
        match transaction.acks.iter().any(stale) {
            true => Err(stale_handle()),
            false => Ok(()),
        }
    }

    /// Queues may be full by now. What is prepared counts no more: it will be taken.
    fn check_room(&self, schemas: &[QueueSchema], transaction: &Transaction) -> Answer {
        for publish in transaction.publishes.iter() {
            let queue = publish.queue;
            let Some(capacity) = schemas[usize::from(queue)].capacity else {
                continue;
            };
            let more = transaction
                .publishes
                .iter()
                .filter(|other| other.queue == queue)
                .count();
            if self.queue(queue).len() + more > capacity as usize {
                let detail = format!("queue {} is full", schemas[usize::from(queue)].name);
                return Err(refused(&detail));
            }
        }
        Ok(())
    }

    fn is_current(&self, queue: u16, delivery: u32) -> bool {
        let state = self.queue(queue);
        match &state.partitions {
            Some(partitions) => partitions.is_current(delivery),
            None => state.held(delivery).is_some(),
        }
    }

    fn release(
        &mut self,
        schemas: &[QueueSchema],
        transaction: &Transaction,
        stamp: Stamp,
        happened: &mut Vec<Happened>,
    ) -> Option<(u16, u32)> {
        let mut first = None;
        for Publish { queue, row, after } in &transaction.publishes {
            let number = self.take(schemas, *queue, row.clone(), *after, stamp, happened);
            first.get_or_insert((*queue, number));
        }
        first
    }
}

impl Transaction {
    fn held<'a>(&'a self, holder: Holder<'a>, queue: u16, state: &'a Queue) -> impl Iterator<Item = Held<'a>> {
        let publishes = self.publishes.iter().filter(move |publish| publish.queue == queue);
        let publishes = publishes.map(move |publish| Held {
            holder,
            row: &publish.row,
            message: None,
        });
        let taken = self.taken.iter().filter(move |(of, _)| *of == queue);
        let taken = taken.filter_map(|(_, message)| state.doubtful(*message));
        let taken = taken.map(move |message| Held {
            holder,
            row: &message.row,
            message: Some(message),
        });
        publishes.chain(taken)
    }
}

fn refused(detail: &str) -> Failure {
    Failure::new(ErrorClass::Refused, detail)
}
