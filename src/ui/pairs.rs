//! The map of pairs: a triangle of cells, one outline for all that are alike. Arrow keys go from pair to pair; Enter or a click
//! puts both faults on the timeline.
//!
//! Refuses to know: what the pairs are; the view says it.

use crate::app::finder::Find;
use crate::app::message::Message;
use crate::app::view::{Group, Map, Stretch};
use crate::app::words::sentences;
use crate::ui::browser;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct PairsProps {
    pub language: Language,
    pub map: Rc<Map>,
    pub send: Callback<Message>,
}

#[component]
pub fn Pairs(PairsProps { language, map, send }: &PairsProps) -> Html {
    let words = sentences::finder(*language);
    let (size, look) = (map.size, map.look);
    let cell = width(size);
    let drawing = use_node_ref();
    let onclick = {
        let (send, drawing) = (send.clone(), drawing.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some((row, column)) = hit(&event, &drawing, cell, size) {
                send.emit(Message::Find(Find::Put(row, column)));
            }
        })
    };
    let onpointermove = {
        let (send, drawing) = (send.clone(), drawing.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some((row, column)) = hit(&event, &drawing, cell, size).filter(|hit| *hit != look) {
                send.emit(Message::Find(Find::Look(row, column)));
            }
        })
    };
    let onkeydown = {
        let send = send.clone();
        Callback::from(move |event: KeyboardEvent| {
            let Some(find) = pressed(&event.key(), look, size) else {
                return;
            };
            event.prevent_default();
            send.emit(Message::Find(find));
        })
    };
    let side = (cell * size + 1).to_string();
    html! {
        <figure class="pairs">
            <figcaption class="pairs-said">
                <output class="pairs-sentence">{ &map.sentence }</output>
            </figcaption>
            <div class="pairs-scroller">
                <svg ref={drawing} class="pairs-drawing" width={side.clone()} height={side} role="application" tabindex="0"
                    aria-label={format!("{}. {} {}", words.pairs, words.pairs_keys, map.sentence)}
                    data-row={look.0.to_string()} data-column={look.1.to_string()} {onclick} {onpointermove} {onkeydown}>
                    { for map.groups.iter().map(|group| alike(group, cell)) }
                    <path key="cross" class="pairs-cross" d={cross(look, cell)} />
                </svg>
            </div>
            <ul class="pairs-legend">
                { for map.groups.iter().map(|group| html! {
                    <li key={group.slug} class={format!("pairs-{} worth-{}", group.slug, group.slug)}>
                        <span class="pairs-symbol" aria-hidden="true">{ group.symbol }</span>
                        { format!("{}: {}", group.word, group.count) }
                    </li>
                }) }
            </ul>
            <p class="pairs-keys">{ words.pairs_keys }{ " " }{ &map.cut }</p>
        </figure>
    }
}

/// Width of a cell: large where there are few.
fn width(size: usize) -> usize {
    match size {
        0..=20 => 22,
        21..=45 => 15,
        46..=80 => 10,
        _ => 7,
    }
}

/// Row and column under a pointer.
fn hit(event: &MouseEvent, drawing: &NodeRef, cell: usize, size: usize) -> Option<(usize, usize)> {
    let (x, y) = browser::within(event, drawing)?;
    let index = |distance: i32| usize::try_from(distance).ok().map(|distance| distance / cell);
    let (column, row) = (index(x)?, index(y)?);
    (column <= row && row < size).then_some((row, column))
}

fn pressed(key: &str, (row, column): (usize, usize), size: usize) -> Option<Find> {
    let last = size.checked_sub(1)?;
    let look = |row: usize, column: usize| Some(Find::Look(row, column.min(row)));
    match key {
        "ArrowLeft" => look(row, column.saturating_sub(1)),
        "ArrowRight" => look(row, column + 1),
        "ArrowUp" => look(row.saturating_sub(1).max(column), column),
        "ArrowDown" => look((row + 1).min(last), column),
        "Home" => look(row, 0),
        "End" => look(row, row),
        "PageUp" => look(column, column),
        "PageDown" => look(last, column),
        "Enter" | " " => Some(Find::Put(row, column)),
        _ => None,
    }
}

/// All cells that are alike: one outline, filled with a pattern of one cell. To place thousands of letters one by one would take
/// a browser longer than a frame.
fn alike(group: &Group, cell: usize) -> Html {
    let mut outline = String::new();
    for Stretch { row, columns } in &group.stretches {
        let (x, y, width) = (columns.start * cell, row * cell, columns.len() * cell);
        outline.push_str(&format!("M{x} {y}h{width}v{cell}h-{width}z"));
    }
    let pattern = format!("pairs-of-{}", group.slug);
    let (side, inner) = (cell.to_string(), cell - 1);
    html! {
        <g key={group.slug} class={format!("pairs-{} worth-{}", group.slug, group.slug)} data-count={group.count.to_string()}>
            <pattern id={pattern.clone()} width={side.clone()} height={side} patternUnits="userSpaceOnUse">
                <rect class="pairs-tint" width={inner.to_string()} height={inner.to_string()} />
                <text class="pairs-shape" x={(inner / 2).to_string()} y={(inner / 2 + cell * 3 / 10).to_string()}
                    font-size={(cell * 8 / 10).to_string()} text-anchor="middle">{ group.symbol }</text>
            </pattern>
            <path fill={format!("url(#{pattern})")} d={outline} />
        </g>
    }
}

/// Around the cell that is looked at, and from there to both positions.
fn cross((row, column): (usize, usize), cell: usize) -> String {
    let (x, y, inner) = (column * cell, row * cell, cell - 1);
    let middle = |start: usize| start + inner / 2;
    format!(
        "M{x} {y}h{inner}v{inner}h-{inner}zM{} {y}V{}M{} {}H{}",
        middle(x),
        column * cell + inner,
        x + inner,
        middle(y),
        row * cell
    )
}
