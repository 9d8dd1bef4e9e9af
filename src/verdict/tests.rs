//! Each kind of finding in both directions, from facts made by hand.
//!
//! The stage is a shop (orders, outbox), a broker (events with a dead-letter queue) and a bank. Expected findings follow
//! from the definitions in the head of `verdict`.

mod each;
mod end;
mod held;
mod order;
mod scale;
mod stage;
mod why;
mod words;
