//! The steps of a lane: a block where the effect is, a thin line from where it was sent and to where the answer came.
//!
//! For the eye and the pointer; the list of events says the same to screen readers and keys.
//! Refuses to know: what the steps mean.

use crate::app::message::Message;
use crate::app::view::Block;
use crate::ui::geometry::{self, BLOCK, HALF, Shape};
use crate::ui::send::sends;
use std::rc::Rc;
use yew::prelude::*;

/// Characters that fit into a block side by side, and those that fit when squeezed.
const FIT: usize = 7;
const SQUEEZED: usize = 10;
/// Width of a squeezed text.
const INNER: i32 = 2 * HALF - 8;

#[derive(PartialEq, Properties)]
pub struct BlocksProps {
    pub blocks: Rc<[Block]>,
    pub shape: Shape,
    pub send: Callback<Message>,
}

#[component]
pub fn Blocks(BlocksProps { blocks, shape, send }: &BlocksProps) -> Html {
    html! {
        <g class="blocks" aria-hidden="true">
            { for blocks.iter().enumerate().map(|(index, block)| one(index, block, shape.blocks, send)) }
        </g>
    }
}

fn one(key: usize, block: &Block, top: i32, send: &Callback<Message>) -> Html {
    let left = geometry::x(i32::try_from(block.column).unwrap_or(0) * 2);
    let middle = left + HALF;
    let (from, to) = (geometry::x(block.from).min(left + 2), geometry::x(block.to).max(middle));
    let head = block.at_head.then_some("block-head");
    let lines = if block.detail.is_empty() { [top + 21, top + 21] } else { [top + 15, top + 27] };
    html! {
        <g {key} class={classes!("block", format!("block-{}", block.class.slug()), head)} data-event={block.event.to_string()}
            onclick={sends(send, Message::GoTo(block.event))}>
            <title>{ &block.title }</title>
            <path class="block-flight" d={format!("M{from} {y}H{to}", y = top + BLOCK / 2)} />
            <rect class="block-box" x={(left + 2).to_string()} y={top.to_string()} width={(2 * HALF - 4).to_string()}
                height={BLOCK.to_string()} rx="5" />
            { text("block-label", &block.label, middle, lines[0]) }
            { text("block-detail", &block.detail, middle, lines[1]) }
        </g>
    }
}

/// A text in the middle of a block, squeezed or shortened if it is too long; the block's title has all of it.
fn text(class: &'static str, text: &str, x: i32, y: i32) -> Html {
    let length = text.chars().count();
    let shown = if length > SQUEEZED { text.chars().take(SQUEEZED - 1).chain(['…']).collect() } else { text.to_owned() };
    let squeezed = (length > FIT).then(|| INNER.to_string());
    html! {
        <text {class} x={x.to_string()} y={y.to_string()} text-anchor="middle" textLength={squeezed} lengthAdjust="spacingAndGlyphs">
            { shown }
        </text>
    }
}
