//! Markers without dragging: the selected one between "earlier" and "later", its menu, and those this run does not reach.
//!
//! Refuses to know: where the stops are; the view says their names.

use crate::app::message::Message;
use crate::app::model::Overlay;
use crate::app::view::{Marker, NotReached, Timeline};
use crate::app::words::{Words, ui};
use crate::ui::icon::{self, Icon};
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct FaultsProps {
    pub language: Language,
    pub timeline: Rc<Timeline>,
    pub send: Callback<Message>,
}

#[component]
pub fn Faults(
    FaultsProps {
        language,
        timeline,
        send,
    }: &FaultsProps,
) -> Html {
    let words = ui(*language);
    let markers = &timeline.markers;
    let shown = markers.iter().find(|marker| marker.selected).or(markers.first());
    html! {
        <div class="faults" role="group" aria-label={words.faults}>
            <div class="fault-shown">{ shown.map_or_else(|| none(words, timeline), |marker| steps(words, marker, send)) }</div>
            <ul class="not-reached" hidden={timeline.not_reached.is_empty()}>
                { for timeline.not_reached.iter().map(|fault| not_reached(fault, send)) }
            </ul>
        </div>
    }
}

fn none(words: &'static Words, timeline: &Timeline) -> Html {
    html! { <p key="none" class="fault-none" hidden={!timeline.not_reached.is_empty()}>{ words.no_fault }</p> }
}

fn steps(words: &'static Words, marker: &Marker, send: &Callback<Message>) -> Html {
    let nudge = |later| {
        sends(
            send,
            Message::NudgeMarker {
                marker: marker.id,
                later,
            },
        )
    };
    let title =
        |name: &str, stop: &Option<String>| stop.as_ref().map_or(name.to_owned(), |stop| format!("{name}: {stop}"));
    let (earlier, later) = (title(words.earlier, &marker.earlier), title(words.later, &marker.later));
    html! {
        <div key="steps" class="fault-steps">
            <button type="button" class="tool fault-earlier" title={earlier.clone()} aria-label={earlier}
                disabled={marker.earlier.is_none()} onclick={nudge(false)}>
                <Icon drawing={icon::BACK} />
            </button>
            <span class="fault-place">
                <Icon drawing={icon::fault(marker.kind)} />
                <span class="fault-label">{ &marker.label }</span>
                <span class="fault-short">{ &marker.short }</span>
            </span>
            <button type="button" class="tool fault-later" title={later.clone()} aria-label={later}
                disabled={marker.later.is_none()} onclick={nudge(true)}>
                <Icon drawing={icon::FORWARD} />
            </button>
            <button type="button" class="tool fault-menu" title={words.change_fault} aria-label={words.change_fault} aria-haspopup="dialog"
                onclick={sends(send, Message::Show(Some(Overlay::Menu(marker.id))))}>
                <Icon drawing={icon::MORE} />
            </button>
        </div>
    }
}

fn not_reached(fault: &NotReached, send: &Callback<Message>) -> Html {
    html! {
        <li key={fault.id}>
            <button type="button" class={classes!("not-reached-fault", fault.selected.then_some("not-reached-selected"))}
                onclick={sends(send, Message::Show(Some(Overlay::Menu(fault.id))))}>
                { &fault.text }
            </button>
        </li>
    }
}
