//! The selected finding in full: its sentence, what an operator would see, and the events behind it.
//!
//! Refuses to know: how it was judged.

use crate::app::message::Message;
use crate::app::view;
use crate::app::words::ui;
use crate::ui::event_list::EventList;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct WhyProps {
    pub language: Language,
    pub findings: Rc<view::Findings>,
    pub send: Callback<Message>,
}

#[component]
pub fn Why(
    WhyProps {
        language,
        findings,
        send,
    }: &WhyProps,
) -> Html {
    let words = ui(*language);
    let Some(finding) = findings.open() else {
        return html! { <p class="panel-empty">{ words.nothing_to_explain }</p> };
    };
    html! {
        <div class="why">
            <p class="why-sentence"><strong>{ format!("{} {}: ", finding.symbol, finding.word) }</strong>{ &finding.sentence }</p>
            <p class="why-line">{ format!("{} {}", words.line, finding.line) }</p>
            <p class="why-conclusion" hidden={finding.conclusion.is_empty()}>{ &finding.conclusion }</p>
            <EventList events={finding.why.clone()} {send} />
            <div class="why-signature" hidden={finding.signature.is_empty()}>
                <h3>{ words.signature }</h3>
                <p>{ &finding.signature }</p>
            </div>
        </div>
    }
}
