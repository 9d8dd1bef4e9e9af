//! All presets in groups; a click opens one.
//!
//! Refuses to know: where they come from.

use crate::app::message::Message;
use crate::app::view::{PickerGroup, PresetEntry};
use crate::ui::send::sends;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct PickerProps {
    pub groups: Rc<[PickerGroup]>,
    pub send: Callback<Message>,
}

#[component]
pub fn Picker(PickerProps { groups, send }: &PickerProps) -> Html {
    html! {
        <div class="picker">
            { for groups.iter().enumerate().map(|(index, group)| html! {
                <section key={index}>
                    <h3>{ &group.title }</h3>
                    <ul>{ for group.presets.iter().map(|preset| entry(preset, send)) }</ul>
                </section>
            }) }
        </div>
    }
}

fn entry(preset: &PresetEntry, send: &Callback<Message>) -> Html {
    html! {
        <li key={preset.id.to_string()}>
            <button type="button" class="preset" data-preset={preset.id.to_string()} aria-current={preset.open.then_some("true")}
                onclick={sends(send, Message::OpenPreset(preset.id.clone()))}>
                <span class="preset-id">{ preset.id.to_string() }</span>
                <span class="preset-title">{ &preset.title }</span>
                <span class="preset-about">{ &preset.about }</span>
            </button>
        </li>
    }
}
