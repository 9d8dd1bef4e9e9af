//! The decisions that make a finding possible, each as a reviewer would put it.

mod words;

use crate::fact::EventId;
use crate::program::{Program, Relation};
use crate::simulation::trace::InstanceId;
use crate::verdict::label::relation_name;
use crate::words::{Language, capital, instance_name};

/// One point of an explanation: what it was, and the events that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::verdict) struct Point {
    pub reason: Reason,
    pub events: Vec<EventId>,
}

/// What an instance did, or failed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Reason {
    // --- Why a message came again
    DiedUnacknowledged(InstanceId),
    AckLost(InstanceId),
    FailedUnacknowledged(InstanceId),
    LeaseEndedWhileFrozen(InstanceId),
    LeaseEndedAtWork(InstanceId),
    /// Fetched ahead, the message waited for its turn.
    LeaseEndedInLine(InstanceId),
    /// The broker ended the connection of a process that was alive.
    HungUp(InstanceId),
    // --- Why it was not recognised
    /// The instance deleted the row by which a copy is recognised.
    Forgotten(InstanceId, Relation),
    /// The instance looked before anybody had written there.
    AskedTooEarly(InstanceId, Relation),
    /// The first attempt had its effect and left no row there.
    NotYetRecorded(InstanceId, Relation),
    /// The effect outside stayed, the transaction around it was rolled back.
    RolledBackAround(InstanceId),
    KeepsNoRecord(InstanceId),
    /// What the instance remembered died with its process.
    MemoryGone(InstanceId),
    /// The instance remembered nothing yet.
    MemoryTooLate(InstanceId),
    // --- Why something was sent twice
    SentThenDied(InstanceId),
    SentThenFailed(InstanceId),
    DidThenDied(InstanceId),
    DidThenFailed(InstanceId),
    /// The instance moved it back from a dead-letter queue.
    SentBack(InstanceId),
    /// The first took the row while the second was still at work on it.
    TakenOver(InstanceId, InstanceId, Relation),
    AnswerLost(InstanceId),
    DrawnPerAttempt(InstanceId),
    OtherId(InstanceId),
    /// Both saw the same state before either had changed it.
    BothRead(InstanceId, InstanceId, Relation),
    // --- Why something never came
    MarkedFirst(InstanceId, Relation),
    DeletedFirst(InstanceId, Relation),
    MarkedBeforeDone(InstanceId, Relation),
    /// The first closed what the second still worked on.
    ClosedForAnother(InstanceId, InstanceId, Relation),
    ClosedWithoutEffect(InstanceId, Relation),
    DeletedUnsent(InstanceId, Relation),
    AckedFirst(InstanceId),
    /// It was sent in the background, and failed there.
    AnswerNotAwaited(InstanceId),
    /// A step before the acknowledgement had failed, and the pass went on.
    AckedAfterFailure(InstanceId),
    /// The first acknowledged a delivery whose lease had ended, while the second had the message.
    AckedForAnother(InstanceId, InstanceId),
    /// The first acknowledged the message as a copy while the second was still at work on it.
    AckedWhileAtWork(InstanceId, InstanceId),
    TakenForCopy(InstanceId),
    RecordedAlone(InstanceId, Relation),
    /// The first wrote the row that the second took for its own.
    KeyTaken(InstanceId, InstanceId, Relation),
    TakenByAnother(InstanceId),
    NothingRemembers(InstanceId),
    NotRepeated(InstanceId),
    RepeatedFromMemory(InstanceId),
    /// The broker's outage took what its queue kept in memory only.
    NotKept(u16),
    CommittedLate(InstanceId, Relation),
    GivenUp,
    /// It lay in its queue for longer than the queue keeps a message.
    Expired(u16),
    /// Confirmed to the sender and not stored, as a copy of what the queue knew.
    DiscardedAsCopy(InstanceId),
    /// Confirmed to the sender and not stored: no queue takes it.
    Unroutable(InstanceId),
    // --- Phantom, order, and what is left
    SentBeforeCommit(InstanceId),
    /// The first overtook the second.
    Overtaken(InstanceId, InstanceId),
    CameBackLater(InstanceId),
    ArrivedLater(InstanceId),
    OwnerDied(InstanceId, Relation),
    LeftBehind(InstanceId, Relation),
    AlwaysFails(InstanceId, u32),
    FailsWithoutEnd(InstanceId, u32),
    TriedInVain(InstanceId, u32),
    StopsThere(InstanceId, u32),
    LockHeld(InstanceId, Relation),
    HoldsOn(InstanceId),
    NeverDeleted(Relation),
    InDoubt(InstanceId),
}

impl Reason {
    /// The reason as a sentence.
    pub fn sentence(self, program: &Program, language: Language) -> String {
        let (english, german) = self.words();
        let template = match language {
            Language::En => english,
            Language::De => german,
        };
        let (who, other, place, times) = self.parts();
        let name = |instance: Option<InstanceId>| instance.map_or_else(String::new, |who| instance_name(who, program));
        let place = place.map_or_else(String::new, |relation| relation_name(program, relation));
        // A name stays as it is written, also at the beginning.
        let said = if template.starts_with('{') {
            template.to_string()
        } else {
            capital(template)
        };
        let said = said.replace("{who}", &name(who)).replace("{other}", &name(other));
        said.replace("{place}", &place).replace("{times}", &times.to_string())
    }

    /// The instances that it names, the relation, and a number.
    fn parts(self) -> (Option<InstanceId>, Option<InstanceId>, Option<Relation>, u32) {
        match self {
            Reason::DiedUnacknowledged(who)
            | Reason::AckLost(who)
            | Reason::FailedUnacknowledged(who)
            | Reason::AnswerNotAwaited(who)
            | Reason::AckedAfterFailure(who)
            | Reason::LeaseEndedWhileFrozen(who)
            | Reason::LeaseEndedAtWork(who)
            | Reason::LeaseEndedInLine(who)
            | Reason::HungUp(who)
            | Reason::DiscardedAsCopy(who)
            | Reason::Unroutable(who)
            | Reason::RolledBackAround(who)
            | Reason::KeepsNoRecord(who)
            | Reason::MemoryGone(who)
            | Reason::MemoryTooLate(who)
            | Reason::SentThenDied(who)
            | Reason::SentThenFailed(who)
            | Reason::AnswerLost(who)
            | Reason::DrawnPerAttempt(who)
            | Reason::OtherId(who)
            | Reason::DidThenDied(who)
            | Reason::DidThenFailed(who)
            | Reason::SentBack(who)
            | Reason::AckedFirst(who)
            | Reason::TakenByAnother(who)
            | Reason::NothingRemembers(who)
            | Reason::NotRepeated(who)
            | Reason::TakenForCopy(who)
            | Reason::RepeatedFromMemory(who)
            | Reason::SentBeforeCommit(who)
            | Reason::CameBackLater(who)
            | Reason::InDoubt(who)
            | Reason::ArrivedLater(who)
            | Reason::HoldsOn(who) => (Some(who), None, None, 0),
            Reason::Forgotten(who, relation)
            | Reason::AskedTooEarly(who, relation)
            | Reason::NotYetRecorded(who, relation)
            | Reason::MarkedFirst(who, relation)
            | Reason::ClosedWithoutEffect(who, relation)
            | Reason::DeletedUnsent(who, relation)
            | Reason::LockHeld(who, relation)
            | Reason::RecordedAlone(who, relation)
            | Reason::CommittedLate(who, relation)
            | Reason::DeletedFirst(who, relation)
            | Reason::MarkedBeforeDone(who, relation)
            | Reason::OwnerDied(who, relation)
            | Reason::LeftBehind(who, relation) => (Some(who), None, Some(relation), 0),
            Reason::BothRead(who, other, relation)
            | Reason::TakenOver(who, other, relation)
            | Reason::ClosedForAnother(who, other, relation)
            | Reason::KeyTaken(who, other, relation) => (Some(who), Some(other), Some(relation), 0),
            Reason::GivenUp => (None, None, None, 0),
            Reason::AckedForAnother(who, other)
            | Reason::AckedWhileAtWork(who, other)
            | Reason::Overtaken(who, other) => (Some(who), Some(other), None, 0),
            Reason::NotKept(queue) | Reason::Expired(queue) => (None, None, Some(Relation::Queue(queue)), 0),
            Reason::AlwaysFails(who, times)
            | Reason::FailsWithoutEnd(who, times)
            | Reason::TriedInVain(who, times)
            | Reason::StopsThere(who, times) => (Some(who), None, None, times),
            Reason::NeverDeleted(relation) => (None, None, Some(relation), 0),
        }
    }
}
