//! The play head: to the ends, step, play, and a range to scrub.
//!
//! Refuses to know: what happens at its position.

use crate::app::message::Message;
use crate::app::view;
use crate::app::words::ui;
use crate::ui::browser;
use crate::ui::icon::{self, Drawing, Icon};
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct ControlsProps {
    pub language: Language,
    pub controls: Rc<view::Controls>,
    pub send: Callback<Message>,
}

#[component]
pub fn Controls(
    ControlsProps {
        language,
        controls,
        send,
    }: &ControlsProps,
) -> Html {
    let words = ui(*language);
    let (play, drawing) = if controls.playing {
        (words.pause, icon::PAUSE)
    } else {
        (words.play, icon::PLAY)
    };
    let common = controls.common;
    let scrub = send.reform(
        move |event: InputEvent| match (common, browser::chosen_number(&event)) {
            (false, position) => Message::Scrub(position),
            // A range never goes below its least value, which is 0.
            (true, number) => Message::GoToInstant(usize::try_from(number).unwrap_or(0)),
        },
    );
    let (start, end) = (controls.at_start, controls.at_end);
    html! {
        <div class="controls" role="group" aria-label={words.play_head}>
            <div class="controls-buttons">
                { button(words.to_start, icon::START, start, Message::ToStart, send) }
                { button(words.step_back, icon::BACK, start, Message::StepBack, send) }
                { button(play, drawing, false, Message::PlayPause, send) }
                { button(words.step_forward, icon::FORWARD, end, Message::StepForward, send) }
                { button(words.to_end, icon::END, end, Message::ToEnd, send) }
            </div>
            <input class="controls-range" type="range" min="0" max={controls.max.to_string()} value={controls.value.to_string()}
                aria-label={words.play_head} aria-valuetext={controls.label.clone()} oninput={scrub} />
            <output class="controls-label">{ &controls.label }</output>
        </div>
    }
}

fn button(name: &'static str, drawing: Drawing, disabled: bool, message: Message, send: &Callback<Message>) -> Html {
    html! {
        <button type="button" class="tool" title={name} aria-label={name} {disabled} onclick={sends(send, message)}>
            <Icon {drawing} />
        </button>
    }
}
