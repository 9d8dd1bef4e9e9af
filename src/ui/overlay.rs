//! What lies over and under all lanes: breaks in time, arrows from lane to lane, the play head, the markers.
//!
//! Refuses to know: what is in the lanes.

use crate::app::message::Message;
use crate::app::model::MarkerKind;
use crate::app::view::{Arrow, ArrowKind, Tick, Timeline};
use crate::ui::browser::{self, Panes};
use crate::ui::geometry::{self, AXIS, HALF, Shape};
use crate::ui::marker::Marker;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct BandsProps {
    pub ticks: Rc<[Tick]>,
    pub width: i32,
    pub height: i32,
}

/// A band through all lanes for each break, under them.
#[component]
pub fn Bands(BandsProps { ticks, width, height }: &BandsProps) -> Html {
    let breaks = ticks.iter().filter(|tick| tick.is_break);
    html! {
        <svg class="bands" width={width.to_string()} height={height.to_string()} aria-hidden="true">
            <defs>
                // The hatching of down times in the lanes refers to it.
                <pattern id="hatching" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <path class="hatching-line" d="M0 0V6" />
                </pattern>
            </defs>
            <g>
                { for breaks.enumerate().map(|(index, tick)| html! {
                    <rect key={index} class="band" x={geometry::x(i32::try_from(tick.column).unwrap_or(0) * 2).to_string()} y="0"
                        width={(2 * HALF).to_string()} height={height.to_string()} />
                }) }
            </g>
        </svg>
    }
}

#[derive(PartialEq, Properties)]
pub struct OverlayProps {
    pub language: Language,
    pub timeline: Rc<Timeline>,
    pub shapes: Rc<[Shape]>,
    pub width: i32,
    pub height: i32,
    pub pane: Panes,
    pub send: Callback<Message>,
}

#[component]
pub fn Overlay(
    OverlayProps {
        language,
        timeline,
        shapes,
        width,
        height,
        pane,
        send,
    }: &OverlayProps,
) -> Html {
    let head = geometry::x(timeline.head);
    html! {
        <svg class="overlay" id={browser::OVERLAY} width={width.to_string()} height={height.to_string()}>
            <Arrows arrows={timeline.arrows.clone()} {shapes} />
            <g class="head" aria-hidden="true" transform={format!("translate({head} 0)")}>
                <path class="head-line" d={format!("M0 {AXIS}V{height}")} />
                <path class="head-flag" d={format!("M-6 {top}H6L0 {AXIS}Z", top = AXIS - 8)} />
            </g>
            <g class="markers">
                { for timeline.markers.iter().filter_map(|marker| {
                    let shape = *shapes.get(marker.lane)?;
                    let hint = timeline.hint == Some(marker.id) && marker.kind == MarkerKind::Crash;
                    Some(html! { <Marker key={marker.id} language={*language} marker={marker.clone()} {shape} {hint} pane={pane.clone()} {send} /> })
                }) }
            </g>
        </svg>
    }
}

#[derive(PartialEq, Properties)]
struct ArrowsProps {
    arrows: Rc<[Arrow]>,
    shapes: Rc<[Shape]>,
}

#[component]
fn Arrows(ArrowsProps { arrows, shapes }: &ArrowsProps) -> Html {
    html! {
        <g class="arrows" aria-hidden="true">
            <defs>
                <marker id="arrow-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                    <path class="arrow-tip" d="M1 1L7 4L1 7z" />
                </marker>
            </defs>
            <g>
                { for arrows.iter().enumerate().map(|(index, arrow)| html! {
                    <path key={index} class={class(arrow.kind)} d={path(arrow, shapes)} marker-end="url(#arrow-tip)" />
                }) }
            </g>
        </g>
    }
}

fn class(kind: ArrowKind) -> &'static str {
    match kind {
        ArrowKind::Publish => "arrow arrow-publish",
        ArrowKind::Delivery => "arrow arrow-delivery",
        ArrowKind::Call => "arrow arrow-call",
    }
}

/// A curve that leaves and reaches the lanes upright. An arrow to or from a lane that is not there is no arrow.
fn path(arrow: &Arrow, shapes: &[Shape]) -> String {
    let (Some(from), Some(to)) = (shapes.get(arrow.from_lane), shapes.get(arrow.to_lane)) else {
        return String::new();
    };
    let down = to.top >= from.top;
    let y1 = from.top + if down { from.touch.1 } else { from.touch.0 };
    let y2 = to.top + if down { to.touch.0 - 1 } else { to.touch.1 + 1 };
    let (x1, x2) = (geometry::x(arrow.from), geometry::x(arrow.to));
    let bend = (y2 - y1) / 2;
    format!("M{x1} {y1}C{x1} {} {x2} {} {x2} {y2}", y1 + bend, y2 - bend)
}
