//! The application without a browser: what is open, what a person can do, what is shown.
//!
//! `update` turns a [`Message`] into a changed [`Model`] and effects as data; `view` turns the model into plain structs
//! of positions and words. The page draws these and sends messages back, nothing else.
//!
//! Refuses to know: Yew, the DOM, clocks, storage, pixels (positions are half columns).

pub mod columns;
pub mod message;
pub mod model;
pub mod view;
pub mod words;
