//! Why: the events behind a finding as one line of links, oldest first.
//!
//! Refuses to know: how they were found.

use crate::app::message::Message;
use crate::app::view::EventLine;
use crate::app::words::ui;
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct ChainProps {
    pub language: Language,
    pub why: Rc<[EventLine]>,
    pub send: Callback<Message>,
}

#[component]
pub fn Chain(ChainProps { language, why, send }: &ChainProps) -> Html {
    html! {
        <div class="chain" hidden={why.is_empty()}>
            <span class="verdict-label">{ ui(*language).why }</span>
            <ol class="chain-list">
                { for why.iter().enumerate().map(|(index, line)| html! {
                    <li key={index}>
                        <button type="button" class={classes!("chain-event", format!("event-{}", line.class.slug()))}
                            aria-current={line.at_head.then_some("step")} onclick={sends(send, Message::GoTo(line.event))}>
                            <span class="event-time">{ &line.time }</span>
                            <span>{ &line.text }</span>
                        </button>
                    </li>
                }) }
            </ol>
        </div>
    }
}
