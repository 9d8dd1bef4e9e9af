//! Crashpoint: what a design of database, broker and services delivers when a party dies.
#![forbid(unsafe_code)]

pub mod app;
pub mod broker;
pub mod database;
pub mod expression;
pub mod fact;
pub mod link;
pub mod program;
pub mod scenarios;
pub mod simulation;
pub mod sql;
#[cfg(target_arch = "wasm32")]
pub mod ui;
pub mod value;
pub mod verdict;
pub mod words;
