//! What a conductor knows of a process, of each of its tasks, and of each delivery.

use super::super::wire::{Answer, Carries};
use super::agenda::Handed;
use super::process::Process;
use crashpoint::value::Millis;
use std::collections::VecDeque;
use std::time::Instant;

pub(super) struct Instance {
    pub(super) service: usize,
    pub(super) number: u16,
    pub(super) life: u32,
    pub(super) paused_until: Millis,
    pub(super) process: Option<Process>,
    pub(super) visits: Vec<u32>,
    pub(super) idle_epoch: Vec<u64>,
    pub(super) struggles: Option<(u16, u32)>,
}

pub(super) struct Task {
    pub(super) instance: usize,
    pub(super) trigger: u16,
    pub(super) state: State,
    pub(super) live: bool,
    pub(super) begun: bool,
    pub(super) requests: u32,
    /// What the process wants to ask for and has not been let.
    pub(super) wanted: Option<(u32, Carries)>,
    pub(super) sent: Option<Sent>,
    pub(super) answer: Option<Answer>,
    pub(super) delivery: Option<(u16, u32)>,
    /// How many changes of its table a follower has handled.
    pub(super) position: Option<u32>,
    pub(super) in_line: bool,
    pub(super) fetched: VecDeque<Handed>,
    pub(super) connection: u32,
    pub(super) pass: u32,
    pub(super) keeping: bool,
    pub(super) caller: Option<u32>,
    /// A called handler's arguments, until it starts.
    pub(super) arguments: Option<Vec<serde_json::Value>>,
    pub(super) wait: u32,
    pub(super) waits_since: Option<Instant>,
    pub(super) pid: Option<i32>,
    pub(super) began_in: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    InFlight,
    Waiting,
    Answered,
    Idle,
    Orphan,
}

pub(super) struct Sent {
    pub(super) pc: u32,
    pub(super) step: u16,
    pub(super) visit: Option<u32>,
    pub(super) sent_at: Millis,
    pub(super) carries: Carries,
    /// It takes longer than usual to its party.
    pub(super) late: bool,
    /// The number of an asynchronous publish.
    pub(super) buffered: Option<u32>,
    /// A process that died had sent it before: what the party did with it, if that is known.
    pub(super) executed: Option<Executed>,
}

pub(super) enum Executed {
    Done(Answer),
    /// It waits at the party.
    Waits,
    /// It has died with its process: it was to be lost.
    Lost,
    /// The party wants nothing of it.
    Refused,
    /// It is still on its way, kept by a proxy.
    Kept,
}

/// A delivery that is not over.
pub(super) struct Flight {
    pub(super) task: u32,
    /// Which message it is.
    pub(super) publication: u32,
    pub(super) lease_ends: Option<Millis>,
    /// Nobody has it: it was given back, and its delay ends then.
    pub(super) is_delayed: bool,
    /// Where the broker is told of it.
    pub(super) reply: Option<String>,
    /// The broker has been told that its lease is over.
    pub(super) ended: bool,
    /// When it was handed out, prolonged or given back, in reality.
    pub(super) since: Instant,
}
