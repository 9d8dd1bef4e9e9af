//! The scenarios that come with the program: each is complete, ends as its own `expect` says, and gives the numbers of its story.
//!
//! Method: `every_preset` checks what holds for all files; `ends_*` compare final tables, queues and effects with values that
//! were worked out by hand from the stories and the kernel's rules (1 ms to an effect, 1 ms back, a round 10 s after the end of
//! the last); `sweeps*` state where a crash breaks a design and where it does not, also the crash of one design in another;
//! `manual` runs the examples of the manual's pages;
//! `stories` and `deliveries` check what a final state does not show: rounds, delays, redeliveries, steps that hit nothing.

mod crashes;
mod deliveries;
mod end;
mod ends_broker_rules;
mod ends_channel;
mod ends_inbox;
mod ends_outbox;
mod ends_reported;
mod ends_reported_inbox;
mod ends_reported_queue;
mod ends_software;
mod every_preset;
mod finished;
mod manual;
mod stories;
mod sweeps;
mod sweeps_reported;
mod sweeps_software;
