//! The designs of one problem: a table of what each is worth and costs, and a small chart of their effects over time.
//!
//! Refuses to know: how costs are counted.

use crate::app::message::Message;
use crate::app::view::{self, Design, Series};
use crate::app::words::{Words, ui};
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct DesignsProps {
    pub language: Language,
    pub designs: Rc<view::Designs>,
    pub send: Callback<Message>,
}

#[component]
pub fn Designs(
    DesignsProps {
        language,
        designs,
        send,
    }: &DesignsProps,
) -> Html {
    let words = ui(*language);
    html! {
        <div class={classes!("designs", designs.pending.then_some("designs-pending"))} aria-busy={designs.pending.to_string()}>
            <p class="designs-hint">{ words.same_faults }</p>
            <div class="designs-scroller">
                <table>
                    <thead>
                        <tr>
                            { for [words.design, words.worth, words.writes, words.messages, words.redeliveries, words.rows_kept, words.delay,
                                words.last_effect].into_iter().map(|name| html! { <th scope="col">{ name }</th> }) }
                        </tr>
                    </thead>
                    <tbody>{ for designs.list.iter().map(|design| row(design, send)) }</tbody>
                </table>
            </div>
            <figure class="designs-chart" hidden={designs.curves.is_empty()}>
                <figcaption>{ words.effects_over_time }</figcaption>
                { chart(words, designs) }
            </figure>
        </div>
    }
}

fn row(design: &Design, send: &Callback<Message>) -> Html {
    let id = design.id.to_string();
    let numbers = [
        &design.writes,
        &design.messages,
        &design.redeliveries,
        &design.rows,
        &design.delay,
        &design.last,
    ];
    html! {
        <tr key={id.clone()} class={classes!(design.open.then_some("design-open"))}>
            <th scope="row">
                <button type="button" class="design" data-design={id.clone()} aria-current={design.open.then_some("true")}
                    disabled={design.open} onclick={sends(send, Message::SwitchVariant(design.id.clone()))}>
                    <span class="design-id">{ id }</span>
                    <span>{ &design.title }</span>
                </button>
            </th>
            <td class={format!("worth-{}", design.worth.slug())}>
                <span class="design-worth">{ &design.verdict }</span>
                <span class="design-note" hidden={design.note.is_empty()}>{ &design.note }</span>
            </td>
            { for numbers.into_iter().map(|number| html! { <td class="design-number">{ number }</td> }) }
        </tr>
    }
}

/// The drawing's size, without the room for labels.
const WIDTH: i64 = 280;
const HEIGHT: i64 = 96;

/// Steps that go up by one with each effect. A curve is told from the others by its dashes and the name at its end.
fn chart(words: &'static Words, designs: &view::Designs) -> Html {
    let label = format!("{}: {}", words.effects_over_time, spoken(&designs.curves));
    html! {
        <svg viewBox={format!("-18 -8 {} {}", WIDTH + 98, HEIGHT + 28)} role="img" aria-label={label}>
            <path class="chart-axes" d={format!("M0 0V{HEIGHT}H{WIDTH}")} />
            <text class="chart-label" x="-4" y="4" text-anchor="end">{ designs.most }</text>
            <text class="chart-label" x={WIDTH.to_string()} y={(HEIGHT + 14).to_string()} text-anchor="end">{ &designs.until_label }</text>
            { for designs.curves.iter().enumerate().map(|(index, curve)| html! {
                <>
                    <path class={format!("chart-curve chart-curve-{index}")} d={steps(curve, designs)} />
                    <text class="chart-label" x={(WIDTH + 4).to_string()} y={(name_height(index, curve, designs)).to_string()}>{ curve.id.to_string() }</text>
                </>
            }) }
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
