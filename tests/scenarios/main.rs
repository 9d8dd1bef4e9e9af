//! The scenarios that come with the program: each is complete, ends as its own `expect` says, and gives the numbers of its story.
//!
//! Method: `every_preset` checks what holds for all files; `ends` compares final tables, queues and effects with values that
//! were worked out by hand from the kernel's rules (1 ms to an effect, 1 ms back, a round 10 s after the end of the last);
//! `stories` checks what a final state does not show: rounds, delays, and the same crash in another design.

mod ends;
mod every_preset;
mod finished;
mod stories;
