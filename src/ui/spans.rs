//! Stretches of a lane in which its party is down, paused or cut off.
//!
//! Refuses to know: why.

use crate::app::view::{Span, SpanKind};
use crate::ui::geometry::{self, Shape};
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct SpansProps {
    pub spans: Rc<[Span]>,
    pub shape: Shape,
}

#[component]
pub fn Spans(SpansProps { spans, shape }: &SpansProps) -> Html {
    let (top, bottom) = shape.touch;
    html! {
        <g class="spans">
            { for spans.iter().enumerate().map(|(index, span)| html! {
                <rect key={index} class={class(span.kind)} x={geometry::x(span.from).to_string()} y={top.to_string()}
                    width={(geometry::x(span.to) - geometry::x(span.from)).max(2).to_string()} height={(bottom - top).to_string()}>
                    <title>{ &span.title }</title>
                </rect>
            }) }
        </g>
    }
}

fn class(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Down => "span span-down",
        SpanKind::Paused => "span span-paused",
        SpanKind::Cut => "span span-cut",
    }
}
