//! # Crashpoint
//!
//! What does a design of database, message broker and services deliver when a party dies *here*? A scenario is a short text;
//! the engine runs it in virtual time, deterministically; the verdict says what its promises are worth; the page lets people
//! drag the crash.
//!
//! ## The map
//!
//! Imports point down only (`tests/layering.rs` reads the `use` lines):
//!
//! ```text
//! ui, cli          what a person touches: Yew components (wasm32 only); the command line (native only)
//! app              the page without a page: model, message, update, view model. No Yew, no browser
//! report           the JSON of the command line
//! search           sets of faults, the smallest first
//! costs            what a run costs: writes, messages, rows, delays
//! link             scenario text ⇄ URL fragment. Frozen once released
//! verdict          promises against facts and the last world; why
//! words            languages; times, places of a fault and events of the trace in words
//! scenarios, reality the preset texts; which of them were checked against real systems
//! challenges       broken designs to repair, and changes to do it with
//! simulation       the kernel: time, processes, faults, trace, sweep. Knows no pattern, no verdict, no text
//! database         transactions, locks, unique indexes, a commit log. Knows no broker, no service
//! broker           queues, leases, receipts, dead letters. Knows no database, no service
//! language         text → program; fault lines ⇄ values; diagnostics. Knows no engine
//! program, sql     what a text compiles to
//! expression, fact, fingerprint, shared, value    what all of them speak of
//! ```
//!
//! One text is the source of everything: presets, links, tests, the program panel. Nothing about a pattern is coded in the
//! engine, the verdict or the app; a new pattern is a new file under `src/scenarios/`.
//!
//! ## What must always be true
//!
//! 1. Same text, same trace, byte for byte, natively and in Wasm: no clock, thread, hash order, float or randomness below `app`.
//! 2. A run never fails: errors are outcomes in the trace. `Result` belongs to parsing and links.
//! 3. The verdict is computed from state, facts and trace alone.
//! 4. The program shown is the program run; the picture is a function of trace and play head.
//! 5. Every run ends: rest, `until`, or a bound on events and work that is reported as such.
//! 6. A text's meaning never changes; words are only added.
#![forbid(unsafe_code)]

pub mod app;
pub mod broker;
pub mod challenges;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod costs;
pub mod database;
pub mod expression;
pub mod fact;
pub mod fingerprint;
pub mod language;
pub mod link;
pub mod program;
pub mod reality;
pub mod report;
pub mod scenarios;
pub mod search;
pub mod shared;
pub mod simulation;
pub mod sql;
#[cfg(target_arch = "wasm32")]
pub mod ui;
pub mod value;
pub mod verdict;
pub mod words;
