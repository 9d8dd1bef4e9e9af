//! The top line: which scenario is open, undo and redo, the link, help and preferences.
//!
//! Refuses to know: the scenarios there are; the picker lists them.

use crate::app::message::Message;
use crate::app::model::{Overlay, Theme};
use crate::app::view::{self, LinkClass};
use crate::app::words::ui;
use crate::ui::icon::{self, Drawing, Icon};
use crate::ui::preferences::Preferences;
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct HeaderProps {
    pub language: Language,
    pub theme: Theme,
    pub header: Rc<view::Header>,
    pub share: Rc<view::Share>,
    pub send: Callback<Message>,
}

#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let HeaderProps {
        language,
        theme,
        header,
        share,
        send,
    } = props;
    let words = ui(*language);
    html! {
        <header class="header">
            <h1 class="header-brand">
                <svg class="header-bolt" viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
                    <path d={icon::fault(crate::app::model::MarkerKind::Crash).data()} />
                </svg>
                <span>{ "Crashpoint" }</span>
            </h1>
            <button type="button" class="header-scenario" aria-haspopup="dialog" title={words.choose_scenario}
                onclick={sends(send, Message::Show(Some(Overlay::Picker)))}>
                <span class="header-id">{ header.id.to_string() }</span>
                <span class="header-title">{ &header.title }</span>
                <span class="header-edited" hidden={!header.edited}>{ words.edited }</span>
                <Icon drawing={icon::DOWN} />
            </button>
            <p class="header-note" hidden={!matches!(share.class, LinkClass::Long | LinkClass::None)}>{ &share.text }</p>
            <p class="header-about">
                <span>{ &header.about }</span>
                <span class="header-kind" hidden={header.kind.is_empty()}>{ &header.kind }</span>
                <span class="header-checked" title={words.checked_cells} hidden={header.checked.is_empty()}>{ &header.checked }</span>
                { for header.reports.iter().map(|address| source(address, words.report)) }
            </p>
            <div class="header-actions">
                { tool(words.undo, icon::UNDO, !header.can_undo, sends(send, Message::Undo)) }
                { tool(words.redo, icon::REDO, !header.can_redo, sends(send, Message::Redo)) }
                <button type="button" class="button header-share" title={format!("{}. {}", words.share_title, share.text)}
                    disabled={share.fragment.is_empty()} onclick={sends(send, Message::Share)}>
                    <Icon drawing={if share.copied { icon::CHECK } else { icon::SHARE }} />
                    <span>{ if share.copied { words.copied } else { words.share } }</span>
                </button>
                <Preferences language={*language} theme={*theme} {send} />
                { tool(words.help, icon::HELP, false, sends(send, Message::Show(Some(Overlay::Help)))) }
            </div>
        </header>
    }
}

/// A button that shows a drawing only.
fn tool(name: &'static str, drawing: Drawing, disabled: bool, onclick: Callback<MouseEvent>) -> Html {
    html! {
        <button type="button" class="tool" title={name} aria-label={name} {disabled} {onclick}>
            <Icon {drawing} />
        </button>
    }
}

/// A report or documentation page: what it is and whose.
fn source(address: &str, what: &'static str) -> Html {
    let host = address.split('/').nth(2).unwrap_or(address).to_owned();
    html! {
        <a href={address.to_owned()} target="_blank" rel="noreferrer">{ format!("{what} ({host})") }</a>
    }
}
