//! Things to read and questions, above everything else on the page. What was open stays as it is.
//!
//! Refuses to know: why they are there.

use crate::app::message::Message;
use crate::app::view::{Notice, NoticeKind};
use crate::app::words::ui;
use crate::ui::icon::{self, Icon};
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct NoticesProps {
    pub language: Language,
    pub notices: Rc<[Notice]>,
    pub send: Callback<Message>,
}

#[component]
pub fn Notices(
    NoticesProps {
        language,
        notices,
        send,
    }: &NoticesProps,
) -> Html {
    html! {
        <div class="notices" role="alert">
            { for notices.iter().map(|notice| one(*language, notice, send)) }
        </div>
    }
}

fn one(language: Language, notice: &Notice, send: &Callback<Message>) -> Html {
    let kind = match notice.kind {
        NoticeKind::Information => "information",
        NoticeKind::Question => "question",
        NoticeKind::Error => "error",
    };
    let dismiss = ui(language).dismiss;
    let closes = notice
        .actions
        .iter()
        .any(|action| action.message == Message::DismissNotice(notice.id));
    html! {
        <div key={notice.id} class={classes!("notice", format!("notice-{kind}"))}>
            <p class="notice-text">{ &notice.text }</p>
            <div class="notice-actions">
                { for notice.actions.iter().enumerate().map(|(index, action)| html! {
                    <button key={index} type="button" class="button" onclick={sends(send, action.message.clone())}>
                        { &action.label }
                    </button>
                }) }
            </div>
            <button type="button" class="tool" title={dismiss} aria-label={dismiss} hidden={closes}
                onclick={sends(send, Message::DismissNotice(notice.id))}>
                <Icon drawing={icon::CLOSE} />
            </button>
        </div>
    }
}
