//! A column for each design: what it is worth, what it costs, what there is at the play head, and what it did at each of the
//! common instants. A click on an instant puts the play head there.
//!
//! Refuses to know: how instants become rows.

use crate::app::message::Message;
use crate::app::view::{self, COSTS, Column, Count, InstantEntry, InstantRow, cost_names};
use crate::app::words::{Words, ui};
use crate::ui::browser;
use crate::ui::icon::{self, Icon};
use crate::ui::nth::Nth;
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct LockstepProps {
    pub language: Language,
    pub designs: Rc<view::Designs>,
    pub send: Callback<Message>,
}

#[component]
pub fn Lockstep(
    LockstepProps {
        language,
        designs,
        send,
    }: &LockstepProps,
) -> Html {
    let words = ui(*language);
    let pane = use_node_ref();
    let (happened, all) = (designs.happened, designs.rows.len());
    let scrolled = pane.clone();
    use_effect_with(happened, move |happened| {
        // At the end one reads the outcome, which stands at the top.
        if *happened < all {
            browser::reveal_within(&scrolled, ".instant-now");
        }
    });
    html! {
        <>
            <div class="lockstep-scroller" ref={pane}>
                <table class="lockstep">
                    <caption class="off-screen">{ words.side_by_side }</caption>
                    <thead>
                        <tr>
                            <th key="corner" scope="col" class="lockstep-name">{ words.design }</th>
                            { for designs.columns.iter().map(|column| head(words, column, designs.columns.len(), send)) }
                        </tr>
                    </thead>
                    <tbody class="lockstep-facts">
                        <tr key="outcome">
                            <th key="name" scope="row">{ words.outcome }</th>
                            { for designs.columns.iter().map(outcome) }
                        </tr>
                        { for (0..COSTS).map(|index| costs(words, index, &designs.columns)) }
                        <tr key="state" class="lockstep-state">
                            <th key="name" scope="row">{ words.state_here }</th>
                            { for designs.states.iter().enumerate().map(|(index, counts)| html! { <td key={index}>{ state(counts) }</td> }) }
                        </tr>
                    </tbody>
                    <tbody class="lockstep-instants">
                        { for Nth::all(&designs.rows).enumerate().map(|(index, row)| html! {
                            <Instant key={index} {index} {row} phase={Phase::of(index, happened)} {send} />
                        }) }
                    </tbody>
                </table>
            </div>
            <p class="designs-hint" hidden={designs.more.is_empty()}>{ &designs.more }</p>
        </>
    }
}

/// Name and verdict stay in sight while the instants scroll below.
fn head(words: &'static Words, column: &Column, all: usize, send: &Callback<Message>) -> Html {
    let id = column.id.to_string();
    let open = Message::OpenDesign {
        design: column.design,
        crash: None,
    };
    let worth = column.worth.map_or("pending", view::Worth::slug);
    let remove = format!("{}: {id}", words.remove_design);
    html! {
        <th key={column.design} scope="col" class={classes!("lockstep-head", column.open.then_some("design-open"))}>
            <div class="lockstep-top">
                <button type="button" class="design" data-design={id.clone()} title={words.open_design}
                    aria-current={column.open.then_some("true")} disabled={column.open} onclick={sends(send, open)}>
                    <span class="design-id">{ id }</span>
                    <span class="design-mark" hidden={!column.open}>{ words.is_open }</span>
                    <span class="design-mark" hidden={!column.edited}>{ words.edited }</span>
                    <span class="design-title">{ &column.title }</span>
                </button>
                <button type="button" class="tool design-remove" title={remove.clone()} aria-label={remove} hidden={column.open}
                    onclick={sends(send, Message::RemoveDesign(column.design))}>
                    <Icon drawing={icon::CLOSE} />
                </button>
            </div>
            <div class="design-foot">
                <span class={classes!("design-worth", format!("worth-{worth}"))}>{ &column.verdict }</span>
                <span class="design-shifts" hidden={all < 2}>
                    { shift(words.shift_left, column, false, column.design == 0, send) }
                    { shift(words.shift_right, column, true, column.design + 1 == all, send) }
                </span>
            </div>
        </th>
    }
}

/// Changes places with the neighbour on one side.
fn shift(word: &'static str, column: &Column, later: bool, is_last: bool, send: &Callback<Message>) -> Html {
    let design = column.design;
    html! {
        <button type="button" class={classes!("tool", "design-shift", later.then_some("design-later"))} title={word}
            aria-label={format!("{word}: {}", column.id)} disabled={is_last}
            onclick={sends(send, Message::ShiftDesign { design, later })}>
            <Icon drawing={if later { icon::FORWARD } else { icon::BACK }} />
        </button>
    }
}

fn outcome(column: &Column) -> Html {
    let worth = column.worth.map_or("pending", view::Worth::slug);
    html! {
        <td key={column.design} class={format!("worth-{worth}")}>
            <p class="design-sentence">{ &column.sentence }</p>
            <ul class="design-notes" hidden={column.notes.is_empty()}>
                { for column.notes.iter().enumerate().map(|(index, note)| html! { <li key={index}>{ note }</li> }) }
            </ul>
        </td>
    }
}

fn costs(words: &'static Words, index: usize, columns: &[Column]) -> Html {
    let name = cost_names(words)[index]; // there are COSTS of them
    html! {
        <tr key={index}>
            <th key="name" scope="row">{ name }</th>
            { for columns.iter().map(|column| html! { <td key={column.design} class="design-number">{ &column.costs[index] }</td> }) }
        </tr>
    }
}

fn state(counts: &[Count]) -> Html {
    html! {
        <dl class="counts">
            { for counts.iter().enumerate().map(|(index, count)| html! {
                <div key={index} class={classes!("count", count.idle.then_some("count-idle"))}>
                    <dt>{ &count.name }</dt>
                    <dd>{ &count.value }</dd>
                </div>
            }) }
        </dl>
    }
}

/// Where a row stands relative to the play head.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Past,
    /// The last that has happened.
    Now,
    Later,
}

impl Phase {
    fn of(index: usize, happened: usize) -> Phase {
        match index + 1 {
            next if next < happened => Phase::Past,
            next if next == happened => Phase::Now,
            _ => Phase::Later,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Phase::Past => "instant",
            Phase::Now => "instant instant-now",
            Phase::Later => "instant instant-later",
        }
    }
}

#[derive(PartialEq, Properties)]
struct InstantProps {
    index: usize,
    row: Nth<InstantRow>,
    phase: Phase,
    send: Callback<Message>,
}

/// The button is for who sees it; with keys one moves the play head itself.
#[component]
fn Instant(
    InstantProps {
        index,
        row,
        phase,
        send,
    }: &InstantProps,
) -> Html {
    html! {
        <tr class={phase.class()} data-instant={index.to_string()} onclick={sends(send, Message::GoToInstant(index + 1))}>
            <th key="time" scope="row">
                <span class="instant-idle" hidden={row.idle.is_empty()}>{ &row.idle }</span>
                <button type="button" class="instant-time" tabindex="-1" aria-current={(*phase == Phase::Now).then_some("time")}>{ &row.time }</button>
            </th>
            { for row.cells.iter().enumerate().map(|(index, entries)| html! { <td key={index}>{ cell(entries) }</td> }) }
        </tr>
    }
}

fn cell(entries: &[InstantEntry]) -> Html {
    html! {
        <ul class="entries">
            { for entries.iter().enumerate().map(|(index, entry)| html! {
                <li key={index} class={format!("entry event-{}", entry.class.slug())} title={entry.title.clone()}>
                    <span class="entry-actor">{ &entry.actor }</span>
                    { " " }
                    <span class="event-text">{ &entry.text }</span>
                </li>
            }) }
        </ul>
    }
}
