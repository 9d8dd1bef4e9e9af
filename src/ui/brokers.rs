//! Which product each broker is like, to be chosen; the rules that come with it; what the text says in vain.
//!
//! Refuses to know: which products there are, and what their rules do.

use crate::app::message::Message;
use crate::app::view::{self, Broker, BrokerChoice, BrokerNote, DocumentPage};
use crate::app::words::ui;
use crate::ui::browser;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct BrokersProps {
    pub language: Language,
    pub brokers: Rc<view::Brokers>,
    pub send: Callback<Message>,
}

#[component]
pub fn Brokers(
    BrokersProps {
        language,
        brokers,
        send,
    }: &BrokersProps,
) -> Html {
    let words = ui(*language);
    html! {
        <section class="brokers" aria-label={words.brokers} hidden={brokers.list.is_empty()}>
            { for brokers.list.iter().map(|broker| html! {
                <div key={broker.name.to_string()} class="broker">
                    <Product broker={broker.clone()} locked={brokers.locked} {send} />
                    { rules(broker) }
                </div>
            }) }
            <ul key="notes" class="broker-notes" aria-label={words.without_effect} hidden={brokers.notes.is_empty()}>
                { for brokers.notes.iter().enumerate().map(|(index, each)| note(index, each)) }
            </ul>
        </section>
    }
}

#[derive(PartialEq, Properties)]
struct ProductProps {
    broker: Broker,
    locked: bool,
    send: Callback<Message>,
}

/// The choice of a product.
#[component]
fn Product(ProductProps { broker, locked, send }: &ProductProps) -> Html {
    let select = use_node_ref();
    let chosen = broker.choices.iter().find(|choice| choice.chosen);
    let chosen = chosen.map_or("", value);
    // A choice that somebody has made is the element's own, whatever its options say; undo must show there too.
    let shown = select.clone();
    use_effect(move || browser::choose(&shown, chosen));
    let name = broker.name.clone();
    let onchange = send.reform(move |event: Event| Message::SetProfile {
        broker: name.clone(),
        profile: Some(browser::chosen_option(&event))
            .filter(|profile| !profile.is_empty())
            .map(Into::into),
    });
    html! {
        <label class="broker-product">
            <span class="broker-label">{ &broker.label }</span>
            <select ref={select} class="broker-select" data-broker={broker.name.to_string()} disabled={*locked} {onchange}>
                { for broker.choices.iter().map(|choice| html! {
                    <option key={value(choice)} value={value(choice)} selected={choice.chosen}>{ choice.label }</option>
                }) }
            </select>
        </label>
    }
}

/// As the element knows it.
fn value(choice: &BrokerChoice) -> &'static str {
    choice.profile.unwrap_or_default()
}

fn rules(broker: &Broker) -> Html {
    html! {
        <details class="broker-rules" hidden={broker.rules.is_empty()}>
            <summary>{ &broker.summary }</summary>
            <ul>
                { for broker.rules.iter().enumerate().map(|(index, rule)| html! {
                    <li key={index}>{ rule.text }{ " " }{ link(rule.page) }</li>
                }) }
            </ul>
        </details>
    }
}

fn note(key: usize, note: &BrokerNote) -> Html {
    // Between backticks, so every second piece, are words of the language.
    let piece = |(index, piece): (usize, &str)| match index % 2 {
        0 => html! { <span key={index}>{ piece.to_owned() }</span> },
        _ => html! { <code key={index}>{ piece.to_owned() }</code> },
    };
    html! {
        <li {key} class="broker-note">
            <span class="broker-line">{ &note.line }</span>
            { " " }
            { for note.text.split('`').enumerate().map(piece) }
            { " " }
            { link(note.page) }
        </li>
    }
}

/// Shown by its host; read out in full, because many pages have one host.
fn link(page: DocumentPage) -> Html {
    let name = page.address.trim_start_matches("https://");
    html! { <a class="broker-page" href={page.address} title={page.address} aria-label={name} target="_blank" rel="noreferrer">{ page.host }</a> }
}
