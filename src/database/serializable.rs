//! What is concurrent with what, and which of it cannot be put into a serial order: serializable snapshot isolation.
//!
//! A serializable transaction sees its snapshot. If a concurrent one writes what it has read, it must come before that one in any
//! serial order: an *rw-conflict* from reader to writer. A result that is not serial needs two of these in a row, and of the
//! three the last commits first; so one of the three, the one in the middle if possible, fails as soon as such a structure appears.
//! The conditions are those of PostgreSQL 15 (`predicate.c`; Ports and Grittner, "Serializable Snapshot Isolation in PostgreSQL", 2012).
//!
//! What is coarser or finer there: PostgreSQL notes reads of an index by page, this by key, so it fails more often over small
//! tables; and it does not note what a transaction learns from a conflict of unique keys, so that `on conflict do nothing`
//! can give results that are not serial. Here those count as reads.
//!
//! A committed transaction is remembered while one is open that began before its commit.
//! Refuses to know: rows, sessions, locks. Transactions of other levels do not appear here, as in PostgreSQL.

use super::tree::Tree;
use crate::expression::{ErrorClass, Failure};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Number of a serializable transaction.
pub(super) type Member = u64;

/// Something that is read or written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// Read: all of a table. Written: anything in it.
    Table(u16),
    /// Read: by a key, whether a row has it or not. Written: a row that had the key or has it now.
    Key { table: u16, unique: usize, key: Value },
}

/// The serializable transactions that matter: open ones, and those that committed since the oldest of these began.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Serializable {
    members: Tree<Member, Rc<Record>>,
    next: Member,
    /// Counts preparations and commits.
    clock: u64,
}

/// One transaction. Times are readings of the clock.
#[derive(Clone, Debug, Default, PartialEq)]
struct Record {
    snapshot: u64,
    prepared: Option<u64>,
    committed: Option<u64>,
    reads: BTreeSet<Mark>,
    /// Each with the length of the transaction's undo log when it came.
    writes: BTreeMap<Mark, usize>,
    /// Has written, even if that was taken back.
    wrote: bool,
    /// Must not commit.
    doomed: bool,
    /// Transactions with an rw-conflict to this one.
    before: BTreeSet<Member>,
    /// Transactions to which this one has an rw-conflict.
    after: BTreeSet<Member>,
    /// Committed after one of `after` had.
    overtaken: bool,
}

impl Record {
    /// Known only when it has committed.
    fn read_only(&self) -> bool {
        self.committed.is_some() && !self.wrote
    }

    fn active(&self) -> bool {
        self.committed.is_none() && !self.doomed
    }

    /// True if it had not committed when a transaction with that snapshot began.
    fn overlaps(&self, snapshot: u64) -> bool {
        self.committed.is_none_or(|at| at > snapshot)
    }
}

impl Serializable {
    /// No transaction is open or remembered.
    pub(super) fn is_empty(&self) -> bool {
        self.members.iter().next().is_none()
    }

    pub(super) fn new() -> Serializable {
        Serializable {
            members: Tree::new(),
            next: 1,
            clock: 0,
        }
    }

    /// A transaction takes its snapshot.
    pub(super) fn begin(&mut self) -> Member {
        let member = self.next;
        self.next += 1;
        let record = Record {
            snapshot: self.clock,
            ..Record::default()
        };
        self.members.insert(member, Rc::new(record));
        member
    }

    /// A transaction has read; whoever has written there unseen comes after it.
    pub(super) fn read(&mut self, me: Member, marks: BTreeSet<Mark>) -> Result<(), Failure> {
        self.check(me)?;
        let writers = self.others(me, |other| marks.iter().any(|mark| other.writes.contains_key(mark)));
        if let Some(record) = self.record_mut(me) {
            record.reads.extend(marks);
        }
        writers.into_iter().try_for_each(|writer| self.flag(me, me, writer))
    }

    /// A transaction is about to write; whoever has read there comes before it. `position`: the length of its undo log.
    pub(super) fn write(&mut self, me: Member, marks: Vec<Mark>, position: usize) -> Result<(), Failure> {
        self.check(me)?;
        let readers = self.others(me, |other| marks.iter().any(|mark| other.reads.contains(mark)));
        if let Some(record) = self.record_mut(me) {
            record.wrote = true;
            for mark in marks {
                record.writes.entry(mark).or_insert(position);
            }
        }
        readers.into_iter().try_for_each(|reader| self.flag(me, reader, me))
    }

    /// A transaction has met the latest state of a key, which is not in its snapshot: whoever made that state comes before it.
    pub(super) fn meet(&mut self, me: Member, mark: &Mark) -> Result<(), Failure> {
        let makers = self.others(me, |other| other.committed.is_some() && other.writes.contains_key(mark));
        makers.into_iter().try_for_each(|maker| self.flag(me, maker, me))
    }

    /// What was written since the undo log had that length is taken back. What was learnt stays.
    pub(super) fn undo_to(&mut self, me: Member, position: usize) {
        if let Some(record) = self.record_mut(me) {
            record.writes.retain(|_, at| *at < position);
        }
    }

    /// The last chance to fail; afterwards it will commit, now or later.
    pub(super) fn prepare(&mut self, me: Member) -> Result<(), Failure> {
        self.check(me)?;
        let before = self.record(me).map(|record| record.before.clone());
        for near in before.into_iter().flatten() {
            if !self.is_pivot_before(near, me) {
                continue;
            }
            let Some(pivot) = self.record_mut(near) else { continue };
            if pivot.prepared.is_some() {
                return Err(failure());
            }
            pivot.doomed = true;
        }
        self.clock += 1;
        let clock = self.clock;
        if let Some(record) = self.record_mut(me) {
            record.prepared = Some(clock);
        }
        Ok(())
    }

    /// True if an open transaction stands between this one, which is the first to commit, and another open one.
    fn is_pivot_before(&self, near: Member, me: Member) -> bool {
        let far = |far: &Member| *far == me || self.record(*far).is_some_and(Record::active);
        self.record(near)
            .is_some_and(|near| near.active() && near.before.iter().any(far))
    }

    /// A prepared transaction commits.
    pub(super) fn commit(&mut self, me: Member) {
        self.clock += 1;
        let clock = self.clock;
        let has_committed = |other: &Member| self.record(*other).is_some_and(|record| record.committed.is_some());
        let overtaken = self
            .record(me)
            .is_some_and(|record| record.wrote && record.after.iter().any(has_committed));
        if let Some(record) = self.record_mut(me) {
            record.committed = Some(clock);
            record.overtaken = overtaken;
        }
        self.tidy();
    }

    /// A transaction has rolled back.
    pub(super) fn forget(&mut self, me: Member) {
        self.remove(me);
        self.tidy();
    }

    /// Forgets committed transactions that overlap no open one.
    fn tidy(&mut self) {
        let open = self.members.iter().filter(|(_, record)| record.committed.is_none());
        let oldest = open.map(|(_, record)| record.snapshot).min();
        let past = |record: &Record| oldest.is_none_or(|oldest| !record.overlaps(oldest)) && record.committed.is_some();
        let past = self
            .members
            .iter()
            .filter(|(_, record)| past(record))
            .map(|(member, _)| *member);
        for member in past.collect::<Vec<Member>>() {
            self.remove(member);
        }
    }

    fn remove(&mut self, member: Member) {
        let Some(record) = self.members.remove(&member) else {
            return;
        };
        for other in record.before.iter().chain(&record.after) {
            if let Some(other) = self.record_mut(*other) {
                other.before.remove(&member);
                other.after.remove(&member);
            }
        }
    }

    /// Fails if a transaction has been chosen to.
    fn check(&self, me: Member) -> Result<(), Failure> {
        match self.record(me) {
            Some(record) if record.doomed => Err(failure()),
            _ => Ok(()),
        }
    }

    /// The transactions concurrent with an open one that will commit or have committed, and fit.
    fn others(&self, me: Member, fits: impl Fn(&Record) -> bool) -> Vec<Member> {
        let Some(snapshot) = self.record(me).map(|record| record.snapshot) else {
            return Vec::new();
        };
        let concurrent = self
            .members
            .iter()
            .filter(|(member, other)| **member != me && !other.doomed && other.overlaps(snapshot) && fits(other));
        concurrent.map(|(member, _)| *member).collect()
    }

    /// Notes an rw-conflict between `me` and another. If it makes a result possible that is not serial, the writer must fail;
    /// where it cannot any more, `me` does.
    fn flag(&mut self, me: Member, reader: Member, writer: Member) -> Result<(), Failure> {
        let (Some(r), Some(w)) = (self.record(reader), self.record(writer)) else {
            return Ok(());
        };
        if r.after.contains(&writer) {
            return Ok(());
        }
        let dangerous = self.is_pivot_writing(r, w) || self.is_pivot_reading(r, w);
        if dangerous && (writer == me || w.prepared.is_some()) {
            return Err(failure());
        }
        if let Some(record) = self.record_mut(writer) {
            record.doomed |= dangerous;
            record.before.insert(reader);
        }
        if let Some(record) = self.record_mut(reader) {
            record.after.insert(writer);
        }
        Ok(())
    }

    /// reader → writer → last, where `last` commits first of the three.
    fn is_pivot_writing(&self, reader: &Record, writer: &Record) -> bool {
        let first_to_commit = |last: &Record| {
            last.prepared.is_some_and(|at| {
                reader.committed.is_none_or(|then| at <= then)
                    && writer.committed.is_none_or(|then| at <= then)
                    && (!reader.read_only() || at <= reader.snapshot)
            })
        };
        writer.overtaken
            || writer
                .after
                .iter()
                .any(|last| self.record(*last).is_some_and(first_to_commit))
    }

    /// first → reader → writer, where the writer commits first of the three.
    fn is_pivot_reading(&self, reader: &Record, writer: &Record) -> bool {
        let Some(at) = writer.prepared.filter(|_| !reader.read_only()) else {
            return false;
        };
        let later = |first: &Record| {
            !first.doomed
                && first.committed.is_none_or(|then| then >= at)
                && (!first.read_only() || first.snapshot >= at)
        };
        reader.before.iter().any(|first| self.record(*first).is_some_and(later))
    }

    fn record(&self, member: Member) -> Option<&Record> {
        self.members.get(&member).map(|record| &**record)
    }

    fn record_mut(&mut self, member: Member) -> Option<&mut Record> {
        self.members.get(&member)?;
        let record = self.members.get_or_insert_with(member, Default::default);
        Some(Rc::make_mut(record))
    }

    /// How many transactions are remembered.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.members.iter().count()
    }
}

/// SQLSTATE 40001.
fn failure() -> Failure {
    let detail = "could not serialize access due to read/write dependencies among transactions";
    Failure::new(ErrorClass::Serialization, detail)
}
