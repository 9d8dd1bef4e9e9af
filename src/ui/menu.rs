//! The menu of one marker: what happens, where, restart, remove. Escape and a press beside it close it.
//!
//! Refuses to know: what its entries do.

use crate::app::message::Message;
use crate::app::view::{Entry, MarkerMenu};
use crate::app::words::ui;
use crate::ui::browser;
use crate::ui::icon::{self, Icon};
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct MenuProps {
    pub language: Language,
    pub menu: Rc<MarkerMenu>,
    pub send: Callback<Message>,
}

#[component]
pub fn Menu(MenuProps { language, menu, send }: &MenuProps) -> Html {
    let panel = use_node_ref();
    let (placed, marker) = (panel.clone(), menu.marker);
    use_effect_with(marker, move |&marker| {
        browser::place_at_marker(&placed, marker);
        browser::focus_menu(&placed);
        move || browser::focus_marker(marker)
    });
    let close: Callback<MouseEvent> = sends(send, Message::Show(None));
    let escape = send.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            escape.emit(Message::Show(None));
        }
    });
    let words = ui(*language);
    html! {
        <div class="menu-layer" {onkeydown}>
            <div class="menu-beside" onclick={close.clone()}></div>
            <div ref={panel} class="menu" role="dialog" aria-label={menu.title.clone()}>
                <div class="menu-head">
                    <h2>{ &menu.title }</h2>
                    <button type="button" class="tool" title={words.close} aria-label={words.close} onclick={close}>
                        <Icon drawing={icon::CLOSE} />
                    </button>
                </div>
                <div class="menu-groups">
                    { for menu.groups.iter().enumerate().map(|(index, group)| html! {
                        <div key={index} class="menu-group" role="group" aria-label={group.label.clone()}>
                            <span class="menu-label" aria-hidden="true">{ &group.label }</span>
                            <div class="menu-entries">{ for group.entries.iter().enumerate().map(|(index, one)| entry(index, one, send)) }</div>
                        </div>
                    }) }
                </div>
                <button type="button" class="button menu-remove" onclick={sends(send, menu.remove.message.clone())}>
                    { &menu.remove.label }
                </button>
            </div>
        </div>
    }
}

fn entry(key: usize, entry: &Entry, send: &Callback<Message>) -> Html {
    html! {
        <button {key} type="button" class="menu-entry" aria-pressed={entry.checked.to_string()}
            onclick={sends(send, entry.message.clone())}>
            { drawing(&entry.message) }
            <span>{ &entry.label }</span>
        </button>
    }
}

/// Entries that choose a fault show it.
fn drawing(message: &Message) -> Html {
    let kind = match message {
        Message::SetKind { kind, .. } => Some(*kind),
        _ => None,
    };
    html! { <span hidden={kind.is_none()}>{ for kind.map(|kind| html! { <Icon drawing={icon::fault(kind)} /> }) }</span> }
}
