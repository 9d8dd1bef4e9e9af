//! The matrix: a row for each design, a column for each crash point, in each cell what a crash there brings. Arrow keys go
//! from cell to cell, Enter or a click opens the design with that crash.
//!
//! Refuses to know: how the cells were computed.

use crate::app::message::Message;
use crate::app::view::{self, MatrixCell, MatrixPlace, MatrixRow};
use crate::app::words::ui;
use crate::ui::browser;
use crate::ui::nth::Nth;
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct MatrixProps {
    pub language: Language,
    pub matrix: Rc<view::Matrix>,
    pub send: Callback<Message>,
}

#[component]
pub fn Matrix(MatrixProps { language, matrix, send }: &MatrixProps) -> Html {
    let words = ui(*language);
    let pointed = use_state_eq(|| None::<AttrValue>);
    let point = {
        let pointed = pointed.setter();
        use_callback((), move |cell: Option<AttrValue>, ()| pointed.set(cell))
    };
    html! {
        <>
            <div class="matrix-scroller">
                <table class="matrix">
                    <caption class="off-screen">{ words.matrix }</caption>
                    <thead>
                        <tr class="matrix-parties">
                            <th key="corner" scope="col" rowspan="2">{ words.design }</th>
                            { for matrix.groups.iter().enumerate().map(|(index, group)| html! {
                                <th key={index} scope="colgroup" class="matrix-first" colspan={group.columns.to_string()}><span>{ &group.name }</span></th>
                            }) }
                        </tr>
                        <tr class="matrix-places">
                            { for matrix.places.iter().enumerate().map(|(index, place)| html! {
                                <th key={index} scope="col" class={classes!(place.first.then_some("matrix-first"))} title={place.title.clone()}>{ &place.label }</th>
                            }) }
                        </tr>
                    </thead>
                    <tbody>
                        { for Nth::all(&matrix.rows).enumerate().map(|(index, row)| html! {
                            <Row key={index} {row} places={matrix.places.clone()} {send} point={point.clone()} />
                        }) }
                    </tbody>
                </table>
            </div>
            <div class="matrix-notes">
                <ul class="matrix-legend" aria-label={words.legend} hidden={pointed.is_some()}>
                    { for matrix.legend.iter().map(|(symbol, word, slug)| html! {
                        <li key={word.clone()} class={format!("worth-{slug}")}><span class="matrix-symbol" aria-hidden="true">{ *symbol }</span>{ word }</li>
                    }) }
                </ul>
                <p class="matrix-pointed" hidden={pointed.is_none()}>{ (*pointed).clone().unwrap_or_default() }</p>
            </div>
            <p class="designs-hint" hidden={matrix.more.is_empty()}>{ &matrix.more }</p>
        </>
    }
}

#[derive(PartialEq, Properties)]
struct RowProps {
    row: Nth<MatrixRow>,
    places: Rc<[MatrixPlace]>,
    send: Callback<Message>,
    point: Callback<Option<AttrValue>>,
}

#[component]
fn Row(
    RowProps {
        row,
        places,
        send,
        point,
    }: &RowProps,
) -> Html {
    // One cell of a row can be reached with the Tab key: the one that is open, or the first.
    let current = row.cells.iter().position(|cell| cell.current);
    let entry = current.or_else(|| row.cells.iter().position(|cell| cell.present));
    html! {
        <tr class={classes!(row.open.then_some("design-open"))} data-row={row.id.to_string()}>
            <th key="design" scope="row">
                <span class="design-id">{ row.id.to_string() }</span>
                <span class="matrix-title">{ &row.title }</span>
                <span class="matrix-summary">{ &row.summary }</span>
            </th>
            { for row.cells.iter().zip(places.iter()).enumerate().map(|(index, (cell, place))| html! {
                <td key={index} class={classes!("matrix-cell", format!("worth-{}", cell.slug), place.first.then_some("matrix-first"))}>
                    { inside(cell, place, row.design, entry == Some(index), send, point) }
                </td>
            }) }
        </tr>
    }
}

fn inside(
    cell: &MatrixCell,
    place: &MatrixPlace,
    design: usize,
    reachable: bool,
    send: &Callback<Message>,
    point: &Callback<Option<AttrValue>>,
) -> Html {
    let title = AttrValue::from(cell.title.clone());
    let (said, focused) = (Some(title.clone()), Some(title.clone()));
    let enter = point.reform(move |_: PointerEvent| said.clone());
    let leave = point.reform(|_: PointerEvent| None);
    if !cell.present {
        return html! {
            <div key="absent" class="matrix-absent" title={title.clone()} onpointerenter={enter} onpointerleave={leave}>
                <span class="matrix-symbol" aria-hidden="true">{ cell.symbol }</span>
                <span class="off-screen">{ title }</span>
            </div>
        };
    }
    let open = Message::OpenDesign {
        design,
        crash: Some(place.point.clone()),
    };
    let onkeydown = Callback::from(go);
    html! {
        <button key="present" type="button" class={classes!("matrix-button", cell.current.then_some("matrix-current"))} aria-label={title}
            aria-pressed={cell.current.to_string()} tabindex={if reachable { "0" } else { "-1" }}
            onclick={sends(send, open)} {onkeydown} onpointerenter={enter} onpointerleave={leave}
            onfocus={point.reform(move |_: FocusEvent| focused.clone())} onblur={point.reform(|_: FocusEvent| None)}>
            <span class="matrix-symbol">{ cell.symbol }</span>
            <span class="matrix-word">{ &cell.word }</span>
        </button>
    }
}

/// An arrow key goes to the next cell that way in which a crash can fall.
fn go(event: KeyboardEvent) {
    let (right, down) = match event.key().as_str() {
        "ArrowRight" => (1, 0),
        "ArrowLeft" => (-1, 0),
        "ArrowDown" => (0, 1),
        "ArrowUp" => (0, -1),
        _ => return,
    };
    event.prevent_default();
    browser::focus_in_table(&event, right, down);
}
