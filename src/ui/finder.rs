//! The search for the smallest set of faults that breaks a promise: what is asked, how far it is, what came out.
//!
//! Refuses to know: how it is searched.

use crate::app::finder::Find;
use crate::app::message::Message;
use crate::app::view;
use crate::app::words::sentences::{self, FinderWords};
use crate::ui::browser;
use crate::ui::pairs::Pairs;
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct FinderProps {
    pub language: Language,
    pub finder: Rc<view::Finder>,
    pub send: Callback<Message>,
}

#[component]
pub fn Finder(FinderProps { language, finder, send }: &FinderProps) -> Html {
    let words = sentences::finder(*language);
    html! {
        <div class="finder">
            <p class="finder-about">{ words.about }</p>
            { asked(words, finder, send) }
            { buttons(words, finder, send) }
            <div class="finder-progress" hidden={finder.stage.is_empty()}>
                <p class="finder-stage" data-going={finder.going.to_string()}>{ &finder.stage }</p>
                <progress max={finder.share.1.max(1).to_string()} value={finder.share.0.to_string()} aria-label={words.progress} />
                <p class="finder-count">{ &finder.progress }</p>
            </div>
            <div class="finder-result" hidden={finder.answer.is_empty()}>
                <p class={classes!("finder-answer", finder.worth.map(|worth| format!("worth-{}", worth.slug())))}>
                    <span class="finder-symbol" aria-hidden="true">{ finder.worth.map(view::Worth::symbol) }</span>
                    <span>{ &finder.answer }</span>
                </p>
                <button type="button" class="button finder-show" hidden={!finder.can_show} onclick={finds(send, Find::Show)}>{ words.show }</button>
            </div>
            <p class="finder-earlier" hidden={!finder.of_earlier}>{ words.of_earlier }</p>
            <div class="finder-map">{ map(*language, finder, send) }</div>
        </div>
    }
}

fn finds<E>(send: &Callback<Message>, find: Find) -> Callback<E> {
    sends(send, Message::Find(find))
}

fn asked(words: &'static FinderWords, finder: &view::Finder, send: &Callback<Message>) -> Html {
    let sizes = finder.sizes.iter().map(|size| {
        html! { <option key={*size} value={size.to_string()} selected={*size == finder.up_to}>{ *size }</option> }
    });
    let up_to =
        send.reform(|event: Event| Message::Find(Find::UpTo(browser::chosen_option(&event).parse().unwrap_or(1))));
    let orders = send.reform(|event: Event| Message::Find(Find::Orders(browser::is_checked(&event))));
    html! {
        <div class="finder-asked">
            <fieldset class="finder-kinds">
                <legend>{ words.kinds }</legend>
                { for finder.kinds.iter().map(|choice| kind(choice, send)) }
            </fieldset>
            <label class="finder-choice">
                <span>{ words.up_to }</span>
                <select class="finder-size" onchange={up_to}>{ for sizes }</select>
            </label>
            <label class="finder-choice">
                <input type="checkbox" class="finder-orders" checked={finder.orders} onchange={orders} />
                <span>{ words.orders }</span>
            </label>
        </div>
    }
}

fn kind(choice: &view::KindChoice, send: &Callback<Message>) -> Html {
    let kind = choice.kind;
    let onchange = send.reform(move |event: Event| Message::Find(Find::Kind(kind, browser::is_checked(&event))));
    html! {
        <label key={kind.name()} class="finder-choice">
            <input type="checkbox" data-kind={kind.name()} checked={choice.chosen} {onchange} />
            <span>{ &choice.label }</span>
        </label>
    }
}

fn buttons(words: &'static FinderWords, finder: &view::Finder, send: &Callback<Message>) -> Html {
    let (hold, held) = if finder.paused {
        (Find::GoOn, words.go_on)
    } else {
        (Find::Pause, words.pause)
    };
    html! {
        <div class="finder-buttons">
            <button type="button" class="button finder-begin" disabled={finder.locked || finder.going} onclick={finds(send, Find::Begin)}>{ words.begin }</button>
            <button type="button" class="button finder-all" disabled={finder.locked || finder.going} onclick={finds(send, Find::Map)}>{ words.map }</button>
            <button type="button" class="button finder-hold" hidden={!finder.going} onclick={finds(send, hold)}>{ held }</button>
            <button type="button" class="button finder-cancel" hidden={!finder.going} onclick={finds(send, Find::Cancel)}>{ words.cancel }</button>
        </div>
    }
}

fn map(language: Language, finder: &view::Finder, send: &Callback<Message>) -> Html {
    match &finder.map {
        Some(map) => html! { <Pairs key="map" {language} map={map.clone()} {send} /> },
        None => html! { <span key="none" hidden=true /> },
    }
}
