//! Events as a list of sentences to read and to jump to. It also says in words what the timeline draws.
//!
//! Refuses to know: which events it was given.

use crate::app::message::Message;
use crate::app::view::EventLine;
use crate::ui::nth::Nth;
use crate::ui::send::sends;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct EventListProps {
    pub events: Rc<[EventLine]>,
    pub send: Callback<Message>,
}

#[component]
pub fn EventList(EventListProps { events, send }: &EventListProps) -> Html {
    html! {
        <ol class="event-list">
            { for Nth::all(events).map(|line| html! { <Line key={line.event} line={line.clone()} {send} /> }) }
        </ol>
    }
}

#[derive(PartialEq, Properties)]
struct LineProps {
    line: Nth<EventLine>,
    send: Callback<Message>,
}

#[component]
fn Line(LineProps { line, send }: &LineProps) -> Html {
    html! {
        <li class={classes!("event", format!("event-{}", line.class.slug()))}>
            <button type="button" class="event-button" aria-current={line.at_head.then_some("step")}
                onclick={sends(send, Message::GoTo(line.event))}>
                <span class="event-time">{ &line.time }</span>
                <span class="event-text">{ &line.text }</span>
            </button>
        </li>
    }
}
