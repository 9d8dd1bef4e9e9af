//! All presets in groups, and a field to search them; a click opens one, or puts it beside what is open.
//!
//! Refuses to know: where they come from, and what of them is searched.

use crate::app::message::Message;
use crate::app::presets;
use crate::app::view::{PickerGroup, PresetEntry};
use crate::app::words::ui;
use crate::ui::browser;
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct PickerProps {
    pub language: Language,
    pub groups: Rc<[PickerGroup]>,
    /// A click adds a design to the comparison.
    pub adds: bool,
    pub send: Callback<Message>,
}

#[component]
pub fn Picker(
    PickerProps {
        language,
        groups,
        adds,
        send,
    }: &PickerProps,
) -> Html {
    let words = ui(*language);
    let wanted = use_state_eq(String::new);
    let oninput = {
        let wanted = wanted.clone();
        Callback::from(move |event: InputEvent| wanted.set(browser::typed_line(&event)))
    };
    let found = |preset: &&PresetEntry| presets::matches(&preset.search, &wanted);
    let none = !groups
        .iter()
        .flat_map(|group| &group.presets)
        .any(|preset| found(&preset));
    html! {
        <div class="picker">
            <input type="search" class="picker-search" aria-label={words.search} placeholder={words.search} value={(*wanted).clone()} {oninput} />
            { for groups.iter().enumerate().map(|(index, group)| html! {
                <section key={index} hidden={!group.presets.iter().any(|preset| found(&preset))}>
                    <h3>{ &group.title }</h3>
                    <ul>{ for group.presets.iter().filter(found).map(|preset| entry(preset, *adds, send)) }</ul>
                </section>
            }) }
            <p class="picker-none" role="status" hidden={!none}>{ words.nothing_found }</p>
        </div>
    }
}

fn entry(preset: &PresetEntry, adds: bool, send: &Callback<Message>) -> Html {
    let message = match adds {
        true => Message::AddDesign(preset.id.clone()),
        false => Message::OpenPreset(preset.id.clone()),
    };
    html! {
        <li key={preset.id.to_string()}>
            <button type="button" class="preset" data-preset={preset.id.to_string()} aria-current={preset.open.then_some("true")}
                disabled={adds && preset.open} onclick={sends(send, message)}>
                <span class="preset-id">{ preset.id.to_string() }</span>
                <span class="preset-title">{ &preset.title }</span>
                <span class="preset-about">{ &preset.about }</span>
                <span class="preset-kind">{ &preset.worth }{ if preset.kind.is_empty() { "" } else { " · " } }{ &preset.kind }</span>
            </button>
        </li>
    }
}
