//! The steps of a lane: a block where the effect is, a thin line from where it was sent and to where the answer came.
//!
//! For the eye and the pointer; the list of events says the same to screen readers and keys.
//! Refuses to know: what the steps mean.

use crate::app::message::Message;
use crate::app::view::Block;
use crate::ui::geometry::{self, BLOCK, HALF, Shape};
use crate::ui::nth::Nth;
use crate::ui::send::sends;
use crate::ui::squeeze::squeezed;
use std::rc::Rc;
use yew::prelude::*;

/// Width for a text within a block. A wider one is squeezed, up to so many characters.
const INNER: i32 = 2 * HALF - 9;
const LETTERS: usize = 11;

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
            <g>{ for blocks.iter().enumerate().filter_map(|(index, block)| flight(index, block, shape.blocks)) }</g>
            <g>
                { for Nth::all(blocks).enumerate().map(|(index, block)| html! { <Step key={index} {block} top={shape.blocks} {send} /> }) }
            </g>
        </g>
    }
}

/// A line for a request that was under way longer than its column is wide. It lies under all blocks.
fn flight(key: usize, block: &Block, top: i32) -> Option<Html> {
    let column = i32::try_from(block.column).unwrap_or(0) * 2;
    let (from, to) = (block.from.min(column + 1), block.to.max(column + 1));
    let long = from < column || to > column + 2;
    let line = || format!("M{} {}H{}", geometry::x(from), top + BLOCK / 2, geometry::x(to));
    let class = || classes!("block-flight", format!("block-{}", block.class.slug()));
    long.then(|| html! { <path {key} class={class()} d={line()} /> })
}

#[derive(PartialEq, Properties)]
struct StepProps {
    block: Nth<Block>,
    top: i32,
    send: Callback<Message>,
}

/// Moved as a whole: what is in it stays where it is within the block. Each step of a drag makes some of these anew, so there is
/// no element and no attribute that does nothing.
#[component]
fn Step(StepProps { block, top, send }: &StepProps) -> Html {
    let left = geometry::x(i32::try_from(block.column).unwrap_or(0) * 2);
    let head = block.at_head.then_some("block-head");
    let lines = if block.detail.is_empty() {
        ["21", "21"]
    } else {
        ["15", "27"]
    };
    html! {
        <g class={classes!("block", format!("block-{}", block.class.slug()), head)} transform={format!("translate({left} {top})")}
            onclick={sends(send, Message::GoTo(block.event))}>
            <title>{ &block.title }</title>
            <rect class="block-box" x="2" width={(2 * HALF - 4).to_string()} height={BLOCK.to_string()} rx="5" />
            { text("block-label", &block.label, lines[0]) }
            { for (!block.detail.is_empty()).then(|| text("block-detail", &block.detail, lines[1])) }
        </g>
    }
}

/// A text in the middle of a block, squeezed or shortened if it is too long; the block's title has all of it.
fn text(class: &'static str, text: &str, y: &'static str) -> Html {
    let long = text.chars().count() > LETTERS;
    let shown = if long {
        text.chars().take(LETTERS - 1).chain(['…']).collect()
    } else {
        text.to_owned()
    };
    let fit = squeezed(&shown, INNER);
    html! {
        <text {class} x={HALF.to_string()} {y} lengthAdjust={fit.is_some().then_some("spacingAndGlyphs")} textLength={fit}>{ shown }</text>
    }
}
