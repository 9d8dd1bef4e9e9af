//! Small line drawings: what a fault is, and what a button does.
//!
//! Drawn here rather than taken from a font, since many systems show such characters as coloured pictures or not at all.
//! Refuses to know: where they are used; each is decoration, its meaning stands beside it in words.

use crate::app::model::MarkerKind;
use yew::prelude::*;

/// Path data of a drawing in a square of 16 units, its lines not filled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Drawing(&'static str);

pub const UNDO: Drawing = Drawing("M6 3 2.5 6.5 6 10M2.5 6.5H10a3.5 3.5 0 0 1 0 7H7");
pub const REDO: Drawing = Drawing("M10 3l3.5 3.5L10 10M13.5 6.5H6a3.5 3.5 0 0 0 0 7h3");
pub const SHARE: Drawing =
    Drawing("M7 9.5 9.5 7M6.5 5.5 8.2 3.8a2.8 2.8 0 0 1 4 4L10.5 9.5M9.5 10.5 7.8 12.2a2.8 2.8 0 0 1-4-4L5.5 6.5");
pub const HELP: Drawing = Drawing("M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.2 8 10M8 12.8v.2");
pub const UP: Drawing = Drawing("M4 9.5 8 5.5 12 9.5");
pub const DOWN: Drawing = Drawing("M4 6.5 8 10.5 12 6.5");
pub const CLOSE: Drawing = Drawing("M4 4l8 8M12 4l-8 8");
pub const CHECK: Drawing = Drawing("M3 8.5 6.5 12 13 4.5");
pub const MORE: Drawing = Drawing("M3.5 8h.1M8 8h.1M12.5 8h.1");
pub const PLAY: Drawing = Drawing("M5 3.5v9l7.5-4.5z");
pub const PAUSE: Drawing = Drawing("M5.5 3.5v9M10.5 3.5v9");
pub const BACK: Drawing = Drawing("M10 3.5 5.5 8l4.5 4.5");
pub const FORWARD: Drawing = Drawing("M6 3.5 10.5 8 6 12.5");
pub const START: Drawing = Drawing("M12 3.5 7.5 8l4.5 4.5M4.5 3.5v9");
pub const END: Drawing = Drawing("M4 3.5 8.5 8 4 12.5M11.5 3.5v9");
pub const SYSTEM: Drawing = Drawing("M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11");
pub const SUN: Drawing = Drawing(
    "M8 5.2a2.8 2.8 0 1 0 .01 0M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
);
pub const MOON: Drawing = Drawing("M13 9.8A5.5 5.5 0 0 1 6.2 3a5.5 5.5 0 1 0 6.8 6.8z");

/// The drawing of a fault.
pub fn fault(kind: MarkerKind) -> Drawing {
    Drawing(match kind {
        MarkerKind::Crash => "M9 1.5 4 9h3.5L6.5 14.5 12 6.5H8.5z",
        MarkerKind::Pause => "M6 4v8M10 4v8",
        MarkerKind::LoseRequest => "M2.5 8h6M6 5l3 3-3 3M12 4.5v7",
        MarkerKind::LoseReply => "M13.5 8h-6M10 5 7 8l3 3M4 4.5v7",
        MarkerKind::Refuse => "M8 3a5 5 0 1 0 .01 0M4.6 4.6l6.8 6.8",
        MarkerKind::Delay => "M4.5 3h7M4.5 13h7M5 3c0 4 6 6 6 10M11 3c0 4-6 6-6 10",
        MarkerKind::Down => "M3.5 5h9L8 12.5z",
        MarkerKind::Cut => "M4 3l8 9M12 3 4 12M3 13.5h1M12 13.5h1",
    })
}

#[derive(PartialEq, Properties)]
pub struct IconProps {
    pub drawing: Drawing,
}

/// A drawing of 16 pixels in the colour of the text around it.
#[component]
pub fn Icon(IconProps { drawing }: &IconProps) -> Html {
    html! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
            <path d={drawing.data()} />
        </svg>
    }
}

impl Drawing {
    /// For a `path` inside another drawing.
    pub fn data(self) -> &'static str {
        self.0
    }
}
