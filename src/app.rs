//! The application without a browser: what is open, what a person can do, what is shown.
//!
//! `update` turns a [`message::Message`] into a changed [`model::Model`] and effects as data; `view` turns the model into plain structs
//! of positions and words. The page draws these and sends messages back, nothing else.
//!
//! Refuses to know: Yew, the DOM, clocks, storage, pixels (positions are half columns).

mod ahead;
mod challenge;
mod columns;
mod designs;
mod drag;
mod fault;
pub mod finder;
mod highlight;
mod history;
mod lanes;
mod longer;
pub mod message;
mod mistake;
pub mod model;
mod played;
pub mod presets;
mod ruler;
pub mod strikes;
mod survey;
mod update;
pub mod view;
pub mod words;

pub use update::{open, update};
pub use view::{view, view_moving, view_searching};
