//! The choice of what strikes at the cells of the strips.
//!
//! Refuses to know: which sorts of faults there are.

use crate::app::message::Message;
use crate::app::view;
use crate::app::words::ui;
use crate::ui::browser;
use crate::words::Language;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct StrikesProps {
    pub language: Language,
    pub strikes: view::Strikes,
    pub send: Callback<Message>,
}

#[component]
pub fn Strikes(
    StrikesProps {
        language,
        strikes,
        send,
    }: &StrikesProps,
) -> Html {
    let select = use_node_ref();
    let chosen = strikes.choices.iter().find(|choice| choice.chosen);
    let chosen = chosen.map_or_else(String::new, |choice| choice.value.clone());
    // A choice that somebody has made is the element's own, whatever its options say; a selected marker must show there too.
    let shown = select.clone();
    use_effect(move || browser::choose(&shown, &chosen));
    let choices = strikes.choices.clone();
    let chose = send.clone();
    let onchange = Callback::from(move |event: Event| {
        let value = browser::chosen_option(&event);
        if let Some(choice) = choices.iter().find(|choice| choice.value == value) {
            chose.emit(Message::SetStrikes(choice.strikes.clone()));
        }
    });
    html! {
        <label class="strikes">
            <span class="strikes-label">{ ui(*language).strikes }</span>
            <select ref={select} class="strikes-select" {onchange}>
                { for strikes.choices.iter().map(|choice| html! {
                    <option key={choice.value.clone()} value={choice.value.clone()} selected={choice.chosen}>{ &choice.label }</option>
                }) }
            </select>
        </label>
    }
}
