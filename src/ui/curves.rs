//! Effects over time: a small chart with a curve for each design.
//!
//! Refuses to know: what an effect is.

use crate::app::view::{self, Series};
use crate::app::words::ui;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct CurvesProps {
    pub language: Language,
    pub designs: Rc<view::Designs>,
}

/// The drawing's size, without the room for labels.
const WIDTH: i64 = 280;
const HEIGHT: i64 = 96;

/// Steps that go up by one with each effect. A curve is told from the others by its dashes and the name at its end.
#[component]
pub fn Curves(CurvesProps { language, designs }: &CurvesProps) -> Html {
    let label = format!("{}: {}", ui(*language).effects_over_time, spoken(&designs.curves));
    // Names of curves that end low stand below each other, under the axis.
    let below = 12 * i64::try_from(designs.curves.len()).unwrap_or(0);
    html! {
        <svg viewBox={format!("-18 -8 {} {}", WIDTH + 98, HEIGHT + 16 + below)} role="img" aria-label={label}>
            <path class="chart-axes" d={format!("M0 0V{HEIGHT}H{WIDTH}")} />
            <text class="chart-label" x="-4" y="4" text-anchor="end">{ designs.most }</text>
            <text class="chart-label" x={WIDTH.to_string()} y={(HEIGHT + 14).to_string()} text-anchor="end">{ &designs.until_label }</text>
            <g>
                { for designs.curves.iter().enumerate().map(|(index, curve)| html! {
                    <g key={index}>
                        <path class={format!("chart-curve chart-curve-{index}")} d={steps(curve, designs)} />
                        <text class="chart-label" x={(WIDTH + 4).to_string()} y={(name_height(index, curve, designs)).to_string()}>{ curve.id.to_string() }</text>
                    </g>
                }) }
            </g>
        </svg>
    }
}
/// The curves in words.
fn spoken(curves: &[Series]) -> String {
    let curve = |curve: &Series| format!("{} {}", curve.id, curve.at.len());
    curves.iter().map(curve).collect::<Vec<String>>().join(", ")
}

fn x(at: i64, designs: &view::Designs) -> i64 {
    at * WIDTH / designs.until.max(1)
}

fn y(count: usize, designs: &view::Designs) -> i64 {
    // As many effects as a run has events at most.
    HEIGHT - count as i64 * HEIGHT / designs.most.max(1) as i64
}

fn steps(curve: &Series, designs: &view::Designs) -> String {
    let mut path = format!("M0 {HEIGHT}");
    for (before, at) in curve.at.iter().enumerate() {
        path.push_str(&format!("H{}V{}", x(*at, designs), y(before + 1, designs)));
    }
    path.push_str(&format!("H{WIDTH}"));
    path
}

/// Names of curves that end at the same height stand below each other.
fn name_height(index: usize, curve: &Series, designs: &view::Designs) -> i64 {
    let same = designs.curves[..index]
        .iter()
        .filter(|other| other.at.len() == curve.at.len());
    y(curve.at.len(), designs) + 4 + 12 * same.count() as i64
}
