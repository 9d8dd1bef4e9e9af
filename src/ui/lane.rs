//! One party's row: its name and, to the right, what happened to it.
//!
//! Refuses to know: other lanes; what connects them lies in the overlay.

use crate::app::message::Message;
use crate::app::view::{self, LaneKind};
use crate::ui::bars::Bars;
use crate::ui::blocks::Blocks;
use crate::ui::geometry::Shape;
use crate::ui::nth::Nth;
use crate::ui::spans::Spans;
use crate::ui::strip::Strip;
use crate::words::Language;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct LaneProps {
    pub language: Language,
    pub index: usize,
    pub lane: Nth<view::Lane>,
    pub shape: Shape,
    pub width: i32,
    pub send: Callback<Message>,
    /// Told about the cell under the pointer or focus.
    pub point: Callback<Option<AttrValue>>,
}

#[component]
pub fn Lane(props: &LaneProps) -> Html {
    let LaneProps {
        language,
        index,
        lane,
        shape,
        width,
        send,
        point,
    } = props;
    let kind = match lane.kind {
        LaneKind::Instance => "instance",
        LaneKind::Queue => "queue",
        LaneKind::Outside => "outside",
        LaneKind::Database => "database",
    };
    html! {
        <div class={classes!("lane", format!("lane-{kind}"))} data-lane={lane.name.clone()}>
            <div class="lane-name" title={lane.title.clone()}>
                <span>{ &lane.name }</span>
                <small class="lane-more">{ &lane.more }</small>
            </div>
            <svg class="lane-drawing" width={width.to_string()} height={shape.height.to_string()}>
                <Spans spans={lane.spans.clone()} shape={*shape} />
                <Bars bars={lane.bars.clone()} shape={*shape} />
                <Blocks blocks={lane.blocks.clone()} shape={*shape} {send} />
                <g>{ strip(*language, *index, lane, *shape, send, point) }</g>
            </svg>
        </div>
    }
}

fn strip(
    language: Language,
    index: usize,
    lane: &view::Lane,
    shape: Shape,
    send: &Callback<Message>,
    point: &Callback<Option<AttrValue>>,
) -> Html {
    match &lane.strip {
        Some(strip) => html! {
            <Strip key="strip" {language} lane={index} name={lane.name.clone()} strip={strip.clone()} {shape} {send} {point} />
        },
        None => html! { <g key="none" /> },
    }
}
