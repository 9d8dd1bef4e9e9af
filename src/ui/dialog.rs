//! A dialog over the page. The browser keeps the focus inside and gives it back; Escape and a click beside it close it.
//!
//! Refuses to know: what is in it.

use crate::app::message::Message;
use crate::app::words::ui;
use crate::ui::browser;
use crate::ui::icon::{self, Icon};
use crate::ui::send::sends;
use crate::words::Language;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct DialogProps {
    pub language: Language,
    pub title: &'static str,
    pub send: Callback<Message>,
    pub children: Html,
}

#[component]
pub fn Dialog(
    DialogProps {
        language,
        title,
        send,
        children,
    }: &DialogProps,
) -> Html {
    let dialog = use_node_ref();
    let opened = dialog.clone();
    use_effect_with((), move |()| browser::open_dialog(&opened));
    let close = ui(*language).close;
    let beside = send.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        if browser::hit_itself(&event) {
            beside.emit(Message::Show(None));
        }
    });
    html! {
        <dialog ref={dialog} class="dialog" aria-label={*title} onclose={sends(send, Message::Show(None))} {onclick}>
            <div class="dialog-content">
                <div class="dialog-head">
                    <h2>{ *title }</h2>
                    <button type="button" class="tool" title={close} aria-label={close}
                        onclick={sends(send, Message::Show(None))}>
                        <Icon drawing={icon::CLOSE} />
                    </button>
                </div>
                { children.clone() }
            </div>
        </dialog>
    }
}
