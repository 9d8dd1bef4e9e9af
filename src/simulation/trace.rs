//! The trace: what happened in a run, as small immutable events.
//!
//! Refuses to know: how a run is made, and what the events are worth.

use crate::expression::Failure;
use crate::fact::EventId;
use crate::program::{Destination, Point, Side, StepName};
use crate::value::{Millis, Name};
use std::rc::Rc;

/// Number of an instance over all services, in text sequence, from 0.
pub type InstanceId = u16;

/// One thing that happened, at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub at: Millis,
    /// When the request of a step left its process; equal to `at` for everything else.
    pub sent_at: Millis,
    /// When the answer of a step was received; none if it never was (lost, the process died, the run ended).
    pub replied_at: Option<Millis>,
    /// The event that brought this one about: the step before, the publish behind a delivery, the crash behind a restart.
    pub cause: Option<EventId>,
    /// The instance it happened to; none for what a party does by itself (a lease ends, a broker goes down).
    pub instance: Option<InstanceId>,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// One request and its effect. A lost or refused request is an event too: its outcome says so.
    Step {
        /// Index into the service's step names.
        step: u16,
        visit: u32,
        line: u32,
        outcome: Outcome,
        /// The message that was published, acknowledged, given back or extended: queue and number within the queue.
        message: Option<(u16, u32)>,
        /// The process that sent it was dead when the effect came ("orphan").
        orphan: bool,
    },
    /// The client's buffer took the message of an asynchronous publish. Its `Step`, with the same visit, follows when it arrives.
    Buffered {
        step: u16,
        visit: u32,
        line: u32,
    },
    /// A message reached a receiver. `deliveries` counts this one.
    Delivery {
        queue: u16,
        message: u32,
        deliveries: u32,
    },
    /// A committed change reached a follower: position in the table's commit log, from 1.
    Followed {
        database: u16,
        table: u16,
        position: u32,
    },
    /// `at` requests that reach a process that is down or paused are refused, and nobody repeats them.
    RequestRefused {
        line: u32,
    },
    /// The process died. `fault` is the index of the fault line, none for `exit`.
    Crash {
        fault: Option<u16>,
        /// When it will be started again.
        restart_at: Option<Millis>,
    },
    Restart,
    /// The process freezes until `until`.
    Pause {
        fault: u16,
        until: Millis,
    },
    Resume,
    /// `exit`: a clean stop.
    Exit {
        line: u32,
        restart_at: Option<Millis>,
    },
    /// A pass ended by an error that nobody handled; `line` is the statement.
    PassFailed {
        line: u32,
        failure: Rc<Failure>,
    },
    /// A delivery's lease ended: the message is ready again.
    LeaseEnded {
        queue: u16,
        message: u32,
    },
    /// A connection-bound delivery came back, because its connection ended or its pass failed.
    Returned {
        queue: u16,
        message: u32,
    },
    /// After the last allowed delivery: moved to a dead-letter queue, dropped, or kept lying.
    Exhausted {
        queue: u16,
        message: u32,
        dead: Option<u16>,
    },
    /// A message had been in its queue for too long: moved to a dead-letter queue, or dropped.
    Expired {
        queue: u16,
        message: u32,
        dead: Option<u16>,
    },
    /// A message was confirmed to its publisher and not stored: a copy of one that the queue knows, or its topic has no queue.
    Discarded {
        destination: Destination,
        copy_of: Option<u32>,
    },
    /// The partitions of a queue were dealt anew among the members of a consumer group.
    Rebalanced {
        queue: u16,
        group: u16,
        /// Handles of an earlier one are stale.
        generation: u32,
        members: u32,
    },
    /// An acknowledgement took effect with its transaction: the message is gone.
    Acknowledged {
        queue: u16,
        message: u32,
    },
    /// A delayed message became ready.
    Due {
        queue: u16,
        message: u32,
    },
    /// A database, broker or outside party stops answering until `until`.
    Down {
        fault: u16,
        party: Party,
        until: Millis,
    },
    Up {
        party: Party,
    },
    /// Two parties cannot reach each other until `until`.
    Cut {
        fault: u16,
        until: Millis,
    },
    Healed,
    /// A broker ended its connection with the instance.
    Disconnected {
        broker: u16,
        reason: Hangup,
    },
    /// `polls` passes in a row found nothing; the last ended at `until`.
    Idle {
        polls: u32,
        until: Millis,
    },
}

/// Why a broker ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hangup {
    /// It heard nothing of its client for too long.
    Silence,
    /// A delivery was not acknowledged in time.
    NoAck,
    /// The client answered with the handle of an ended delivery.
    StaleHandle,
}

/// How a step ended, as the party saw it.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Ok,
    /// Rows returned or changed.
    Rows(u32),
    /// A broker holds it until its transaction ends.
    Held,
    Failed(Rc<Failure>),
    /// The request never arrived.
    RequestLost {
        fault: u16,
    },
    /// The effect happened; the answer never arrived.
    ReplyLost {
        fault: u16,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    Database(u16),
    Broker(u16),
    Outside(u16),
    Service(u16),
}

/// A place between two steps of an instance where a crash can fall.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// As it is written: *after* the step before it, *before* only for the first step of a pass.
    pub point: Point,
    /// The step that followed in the same pass, and its visit, if one did.
    pub next: Option<(Name, u32)>,
    pub instance: InstanceId,
    pub at: Millis,
    /// The last event recorded before the gap; none at the very beginning.
    pub after: Option<EventId>,
    /// Source line of the step that the point names.
    pub line: u32,
}

impl Gap {
    /// The other name of the same gap: `before` the next step.
    pub fn also(&self) -> Option<Point> {
        let (step, visit) = self.next.as_ref()?;
        let step = StepName {
            step: step.clone(),
            visit: *visit,
            ..self.point.step.clone()
        };
        Some(Point {
            side: Side::Before,
            step,
        })
    }
}

/// A visit of a step that began to count, and what can strike it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    pub instance: InstanceId,
    /// Index into the service's step names.
    pub step: u16,
    pub visit: u32,
    pub reach: Reach,
    /// Who is asked, if anybody is.
    pub party: Option<Party>,
}

/// Which faults named after a visit it can be struck by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A request and its answer: all.
    Whole,
    /// Nobody is asked (a sleep, waiting for a result): what happens to the process in the meantime.
    Local,
    /// A background renewal: what happens to its request. Nobody waits for the answer.
    Renewal,
    /// A poller's request counts from its first row: what happens to the answer. Whether it would count was not known before.
    Answer,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to do.
    Rest,
    /// The text's `until`.
    Until,
    /// The bound on events.
    Bound,
}

impl Ended {
    pub fn name(self) -> &'static str {
        match self {
            Ended::Rest => "rest",
            Ended::Until => "until",
            Ended::Bound => "bound",
        }
    }
}
