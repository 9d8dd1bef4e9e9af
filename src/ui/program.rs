//! The scenario's text: a gutter of buttons, the text with its words coloured and, on top of it, a field to edit it.
//!
//! Refuses to know: the language; the view cuts the text into pieces.

use crate::app::message::{Deed, Message};
use crate::app::view;
use crate::app::words::ui;
use crate::ui::browser;
use crate::ui::code::Code;
use crate::ui::gutter::Gutter;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct ProgramProps {
    pub language: Language,
    pub program: Rc<view::Program>,
    pub send: Callback<Message>,
}

#[component]
pub fn Program(
    ProgramProps {
        language,
        program,
        send,
    }: &ProgramProps,
) -> Html {
    let panel = use_node_ref();
    // The line of the play head stays in view, but the text does not move under someone who types.
    let (scrolled, head) = (
        panel.clone(),
        program
            .lines
            .iter()
            .find(|line| !line.at_head.is_empty())
            .map(|line| line.number),
    );
    use_effect_with(head, move |head| {
        if let Some(line) = head {
            browser::reveal_line(&scrolled, *line);
        }
    });
    let oninput = send.reform(|event: InputEvent| Message::EditText(browser::typed_text(&event).into()));
    let choose = {
        let (send, moves) = (send.clone(), program.moves);
        move |field: Option<u32>| {
            if let (true, Some(line)) = (moves, field) {
                send.emit(Message::Challenge(Deed::Choose(line)));
            }
        }
    };
    let onclick = {
        let choose = choose.clone();
        Callback::from(move |event: MouseEvent| choose(browser::caret_line(&event)))
    };
    let onkeyup = {
        let choose = choose.clone();
        Callback::from(move |event: KeyboardEvent| {
            // The end of a chord that has moved a line: the caret follows it only when it is drawn.
            if !event.alt_key() && event.key() != "Alt" {
                choose(browser::caret_line(&event));
            }
        })
    };
    let onkeydown = {
        let (send, moves) = (send.clone(), program.moves);
        Callback::from(move |event: KeyboardEvent| {
            let up = match event.key().as_str() {
                "ArrowUp" => true,
                "ArrowDown" => false,
                _ => return,
            };
            if moves && event.alt_key() {
                event.prevent_default();
                choose(browser::caret_line(&event));
                send.emit(Message::Challenge(Deed::Move { up }));
            }
        })
    };
    let onblur = send.reform(|_: FocusEvent| Message::EditDone);
    html! {
        <div class="program">
            <div class="program-text" ref={panel}>
                <Gutter lines={program.lines.clone()} {send} />
                <div class="program-code">
                    <Code lines={program.lines.clone()} />
                    <textarea class="program-field" aria-label={ui(*language).program_text} value={program.text.to_string()}
                        wrap="off" spellcheck="false" autocomplete="off" autocapitalize="off" {oninput} {onblur}
                        {onclick} {onkeyup} {onkeydown} />
                </div>
            </div>
            <ul class="diagnostics" hidden={program.diagnostics.is_empty()} role="status">
                { for program.diagnostics.iter().enumerate().map(|(index, error)| html! {
                    <li key={index}><b>{ format!("{}:{}", error.line, error.column) }</b>{ format!(" {}", error.message) }</li>
                }) }
            </ul>
        </div>
    }
}
