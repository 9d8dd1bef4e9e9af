//! Under a lane: one cell for each gap with what a fault there would bring. Arrow keys go from cell to cell, Enter or a
//! click puts the marker there.
//!
//! Refuses to know: how the cells were computed.

use crate::app::message::Message;
use crate::app::view::{self, Cell};
use crate::app::words::ui;
use crate::ui::browser;
use crate::ui::geometry::{self, CELL, HALF, Shape};
use crate::ui::nth::Nth;
use crate::ui::send::{sends, sends_on_press};
use crate::words::Language;
use yew::prelude::*;

/// Free space between two cells.
const BETWEEN: i32 = 2;
/// Below the cells.
const RAIL: i32 = CELL + 2;

#[derive(PartialEq, Properties)]
pub struct StripProps {
    pub language: Language,
    pub lane: usize,
    pub name: String,
    pub strip: view::Strip,
    pub shape: Shape,
    pub send: Callback<Message>,
    pub point: Callback<Option<AttrValue>>,
}

#[component]
pub fn Strip(props: &StripProps) -> Html {
    let StripProps {
        language,
        lane,
        name,
        strip,
        shape,
        send,
        point,
    } = props;
    let positions: Vec<i32> = strip.cells.iter().map(|cell| cell.position).collect();
    // One cell can be reached with the Tab key: the marker's, or the first.
    let entry = strip.current.unwrap_or(0);
    html! {
        <g class={classes!("strip", strip.marker.map(|_| "strip-own"))} role="group"
            aria-label={format!("{}: {}. {}", name, ui(*language).strip, strip.summary)}
            transform={format!("translate(0 {})", shape.strip)}>
            <path key="rail" class="strip-rail" d={rail(strip, &positions)} />
            { for Nth::all(&strip.cells).enumerate().map(|(index, cell)| html! {
                <StripCell key={index} lane={*lane} edges={edges(&positions, index)} {cell} current={strip.current == Some(index)} reachable={index == entry} {send} {point} />
            }) }
        </g>
    }
}

/// What a marker slides along; nothing where a click adds one.
fn rail(strip: &view::Strip, positions: &[i32]) -> String {
    match (strip.marker, positions) {
        (Some(_), [first, .., last]) => format!("M{} {RAIL}H{}", geometry::x(*first), geometry::x(*last)),
        _ => String::new(),
    }
}

/// Left and right edge of a cell: half a column to each side, less where a neighbour is nearer.
fn edges(positions: &[i32], index: usize) -> (i32, i32) {
    let at = |index: usize| positions.get(index).copied();
    let Some(here) = at(index) else {
        return (0, 0);
    };
    let reach = |neighbour: Option<i32>| {
        let distance = neighbour.map_or(2, |there| (there - here).abs().min(2));
        distance * HALF / 2 - BETWEEN / 2
    };
    let left = reach(index.checked_sub(1).and_then(at));
    let right = reach(at(index + 1));
    (geometry::x(here) - left, geometry::x(here) + right)
}

#[derive(PartialEq, Properties)]
struct CellProps {
    lane: usize,
    edges: (i32, i32),
    cell: Nth<Cell>,
    /// The marker stands here.
    current: bool,
    reachable: bool,
    send: Callback<Message>,
    point: Callback<Option<AttrValue>>,
}

#[component]
fn StripCell(
    CellProps {
        lane,
        edges: (left, right),
        cell,
        current,
        reachable,
        send,
        point,
    }: &CellProps,
) -> Html {
    let put = Message::PutMarker {
        lane: *lane,
        stop: cell.stop,
    };
    let press = sends_on_press(send, put.clone());
    let onkeydown = Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
        "ArrowRight" => step(&event, true),
        "ArrowLeft" => step(&event, false),
        _ => press.emit(event),
    });
    let title = AttrValue::from(cell.title.clone());
    let (said, focused) = (Some(title.clone()), Some(title.clone()));
    html! {
        <g class={classes!("cell", format!("worth-{}", cell.slug), current.then_some("cell-current"))} role="button"
            tabindex={if *reachable { "0" } else { "-1" }} aria-label={title} aria-pressed={current.to_string()}
            data-stop={cell.stop.to_string()} onclick={sends(send, put)} {onkeydown}
            onpointerenter={point.reform(move |_: PointerEvent| said.clone())} onpointerleave={point.reform(|_: PointerEvent| None)}
            onfocus={point.reform(move |_: FocusEvent| focused.clone())} onblur={point.reform(|_: FocusEvent| None)}>
            <rect x={left.to_string()} y="0" width={(right - left).to_string()} height={CELL.to_string()} rx="4" />
            <text x={((left + right) / 2).to_string()} y={(CELL - 8).to_string()} text-anchor="middle">{ cell.symbol }</text>
        </g>
    }
}

fn step(event: &KeyboardEvent, next: bool) {
    event.prevent_default();
    browser::focus_sibling(event, next);
}
