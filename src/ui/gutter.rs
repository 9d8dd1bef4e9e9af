//! Left of the text: line numbers. On a step's line the number is a button that puts a crash there; on a fault's line it
//! selects the marker.
//!
//! Refuses to know: which visit a click means.

use crate::app::message::Message;
use crate::app::model::MarkerKind;
use crate::app::view::{self, Line};
use crate::ui::icon::{self, Icon};
use crate::ui::nth::Nth;
use crate::ui::send::sends;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct GutterProps {
    pub lines: Rc<[Line]>,
    pub send: Callback<Message>,
}

#[component]
pub fn Gutter(GutterProps { lines, send }: &GutterProps) -> Html {
    html! {
        <div class="gutter">
            { for Nth::all(lines).map(|line| html! { <Number key={line.number} line={line.clone()} {send} /> }) }
        </div>
    }
}

#[derive(PartialEq, Properties)]
struct NumberProps {
    line: Nth<Line>,
    send: Callback<Message>,
}

#[component]
fn Number(NumberProps { line, send }: &NumberProps) -> Html {
    let number = line.number;
    let content = match &line.gutter {
        view::Gutter::Nothing => html! { <span key="number" class="gutter-number">{ number }</span> },
        view::Gutter::Step { visits, markers, title } => {
            let class = classes!(
                "gutter-step",
                (*visits == 0).then_some("gutter-unvisited"),
                (!markers.is_empty()).then_some("gutter-marked")
            );
            html! {
                <button key="step" type="button" {class} title={title.clone()} aria-label={format!("{number}. {title}")}
                    onclick={sends(send, Message::Gutter { line: number })}>
                    <span class="gutter-sign"><Icon drawing={icon::fault(MarkerKind::Crash)} /></span>
                    <span class="gutter-number">{ number }</span>
                </button>
            }
        }
        view::Gutter::Fault(marker) => html! {
            <button key="fault" type="button" class="gutter-fault" aria-label={number.to_string()}
                onclick={sends(send, Message::SelectMarker(Some(*marker)))}>
                <span class="gutter-number">{ number }</span>
            </button>
        },
    };
    html! { <div class="gutter-line" data-line={number.to_string()}>{ content }</div> }
}
