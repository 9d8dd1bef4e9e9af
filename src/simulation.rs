//! The kernel: runs a program in virtual time under faults, deterministically, and keeps the trace.
//!
//! Time is whole milliseconds; the agenda is ordered by (time, sequence), and there is no other source of order. The world
//! is a value: [`run()`] keeps clones of it as checkpoints, [`sweep()`] branches from clones. A run never fails: errors are
//! outcomes in the trace, and every run ends.
//! Knows no pattern, no verdict, no browser, no text.

mod agenda;
mod background;
mod canonical;
mod explore;
mod fault;
mod fingerprint;
mod hangup;
mod kernel;
mod outside;
mod process;
mod renewal;
mod run;
mod step;
mod sweep;
pub mod trace;
mod world;

pub use crate::broker::{GroupState, Held, Holder, Message};
pub use canonical::party_name;
pub use explore::{Counts, DURATION_DEFAULT, Enough, Explorer, FaultKind, Found, KEPT_MAX, Plan, Swap};
pub use kernel::check;
pub use run::{EVENTS_MAX, Running, Trace, end_of, run};
pub use sweep::{Spot, Sweep, sweep};
pub use world::{Instance, QueueState, TaskId, World, instance_label};
