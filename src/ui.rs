//! The page: Yew components that draw the view model and send messages back.
//!
//! ```text
//! page ─┬─ header ── preferences            notices
//!       ├─ verdict ── variants, chain                 dialog ── picker, help ── manual
//!       ├─ challenge
//!       ├─ timeline ─┬─ axis, lane ── blocks, bars, spans, strip
//!       │            └─ overlay ── arrows, head, marker ── menu
//!       ├─ controls ── playback, faults
//!       └─ panels ─┬─ program ── gutter, code
//!                  └─ state ── brokers, table, queue, process · why · events · designs ── lockstep, matrix, curves
//!                     · finder ── pairs
//! worker, and seeker on the page's side: the search, which goes on without the page
//! ```
//!
//! Values and callbacks go down as properties; [`Message`](crate::app::message::Message)s go up. A component whose part of
//! the view did not change is not drawn again. Everything on the timeline is SVG, because its positions are then
//! attributes: a strict content policy forbids `style="…"`.
//!
//! Two rules keep clear of defects of Yew 0.23 (its issues 3262 and 4092): siblings of which some come and go all have a
//! key or stand in an element of their own, and no component draws nothing at all.
//!
//! Refuses to know: what a message does, what anything means. `browser` alone speaks to the browser's interfaces.

mod brokers;
mod browser;
mod geometry;
mod icon;
mod nth;
mod page;
mod seeker;
mod send;
mod squeeze;
mod worker;

mod axis;
mod bars;
mod blocks;
mod chain;
mod challenge;
mod code;
mod controls;
mod curves;
mod designs;
mod dialog;
mod event_list;
mod faults;
mod finder;
mod gutter;
mod header;
mod help;
mod lane;
mod lockstep;
mod manual;
mod marker;
mod matrix;
mod menu;
mod notices;
mod overlay;
mod pairs;
mod panels;
mod picker;
mod preferences;
mod process;
mod program;
mod queue;
mod spans;
mod state;
mod strikes;
mod strip;
mod table;
mod timeline;
mod variants;
mod verdict;
mod why;

/// Mounts the page; in a worker, which has none, waits for searches. A panic of the page ends in one with a way on
/// (`page/boot.js`).
pub fn run() {
    if !browser::has_page() {
        return worker::run();
    }
    browser::report_panics();
    yew::Renderer::<page::Page>::with_root(browser::root()).render();
}
