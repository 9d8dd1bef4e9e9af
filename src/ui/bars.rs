//! Messages on their queue's lane, each from its acceptance to its end; darker while a receiver holds it.
//!
//! Refuses to know: the queue's rules.

use crate::app::view::{Bar, BarEnd};
use crate::ui::geometry::{self, BAR, Shape};
use std::rc::Rc;
use yew::prelude::*;

/// Free space between two rows.
const BETWEEN: i32 = 3;

#[derive(PartialEq, Properties)]
pub struct BarsProps {
    pub bars: Rc<[Bar]>,
    pub shape: Shape,
}

#[component]
pub fn Bars(BarsProps { bars, shape }: &BarsProps) -> Html {
    html! {
        <g class="bars">{ for bars.iter().enumerate().map(|(index, bar)| one(index, bar, shape)) }</g>
    }
}

fn one(key: usize, bar: &Bar, shape: &Shape) -> Html {
    let top = shape.bars + i32::try_from(bar.row).unwrap_or(0) * BAR;
    let (from, to) = (geometry::x(bar.from), geometry::x(bar.to));
    let (end, sign) = match bar.end {
        BarEnd::Done => ("bar-done", "✓"),
        BarEnd::Open => ("bar-open", ""),
        BarEnd::Dead => ("bar-dead", "†"),
    };
    html! {
        <g {key} class={classes!("bar", end)}>
            <title>{ &bar.title }</title>
            <rect class="bar-whole" x={from.to_string()} y={top.to_string()} width={(to - from).max(4).to_string()}
                height={(BAR - BETWEEN).to_string()} rx="3" />
            <g>
                { for bar.held.iter().enumerate().map(|(index, &(from, to))| html! {
                    <rect key={index} class="bar-held" x={geometry::x(from).to_string()} y={top.to_string()}
                        width={(geometry::x(to) - geometry::x(from)).max(2).to_string()} height={(BAR - BETWEEN).to_string()} rx="3" />
                }) }
            </g>
            <text class="bar-label" x={(from + 5).to_string()} y={(top + BAR - BETWEEN - 4).to_string()}>{ &bar.label }</text>
            <text class="bar-end" x={(to + 4).to_string()} y={(top + BAR - BETWEEN - 4).to_string()}>{ sign }</text>
        </g>
    }
}
