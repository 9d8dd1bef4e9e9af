//! A fault on the timeline: a slider over the gaps of its lane, for mouse, finger and keys.
//!
//! The whole drag goes through pointer events, wherever the pointer is. Only a move to another half column is sent on.
//! Refuses to know: the gaps; it sends positions, the model snaps.

use crate::app::message::{MarkerKey, Message};
use crate::app::model::Overlay;
use crate::app::view::{self, Halves};
use crate::app::words::ui;
use crate::ui::browser::{self, Panes};
use crate::ui::geometry::{self, HANDLE, Shape};
use crate::ui::icon;
use crate::ui::send::{sends, sends_on_press};
use crate::words::Language;
use gloo::events::EventListener;
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

/// Side of the square that takes the pointer.
const TARGET: i32 = 44;
/// Room for the hint, in any language.
const HINT: i32 = 140;

#[derive(PartialEq, Properties)]
pub struct MarkerProps {
    pub language: Language,
    pub marker: view::Marker,
    pub shape: Shape,
    /// Says what the marker is and that it can be dragged.
    pub hint: bool,
    pub pane: Panes,
    pub send: Callback<Message>,
}

/// The pointer is down: where it took hold, and the position last sent.
struct Hold {
    /// From the marker's own place to the pointer.
    offset: f64,
    sent: Halves,
    pane: Panes,
    _followed: [EventListener; 3],
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.pane.release();
    }
}

#[component]
pub fn Marker(
    MarkerProps {
        language,
        marker,
        shape,
        hint,
        pane,
        send,
    }: &MarkerProps,
) -> Html {
    let hold = use_mut_ref(|| None::<Hold>);
    let words = ui(*language);
    let place = format!(
        "translate({} {})",
        geometry::x(marker.position),
        shape.top + shape.handles
    );
    let down = (shape.strip - shape.handles - 1).to_string();
    let class = classes!(
        "marker",
        format!("marker-{}", marker.kind.slug()),
        marker.selected.then_some("marker-selected"),
        marker.dragging.then_some("marker-dragging"),
    );
    html! {
        <g class="marker-place" transform={place}>
            <g {class} id={browser::marker_element_id(marker.id)} role="slider" tabindex="0" aria-orientation="horizontal"
                aria-label={marker.label.clone()} aria-valuemin="0" aria-valuemax={marker.max.to_string()}
                aria-valuenow={marker.now.to_string()} aria-valuetext={marker.value_text.clone()}
                onpointerdown={take(&hold, marker, pane, send)} onkeydown={keys(&hold, marker, send)} onfocus={select(marker, send)}>
                <title>{ &marker.value_text }</title>
                <path class="marker-stem" d={format!("M0 {}V{down}", HANDLE / 2)} />
                <rect class="marker-target" x={(-TARGET / 2).to_string()} y={(-TARGET / 2).to_string()}
                    width={TARGET.to_string()} height={TARGET.to_string()} />
                <circle class="marker-ring" r={(HANDLE / 2 + 3).to_string()} />
                <circle class="marker-handle" r={(HANDLE / 2).to_string()} />
                <path class="marker-icon" transform="translate(-8 -8)" d={icon::fault(marker.kind).data()} />
            </g>
            <g class="marker-side">{ beside(words.drag_me, words.change_fault, marker, *hint, send) }</g>
        </g>
    }
}

/// Beside the handle: the hint until the first drag, afterwards the menu's button of the selected marker.
fn beside(
    hint: &'static str,
    change: &'static str,
    marker: &view::Marker,
    hinted: bool,
    send: &Callback<Message>,
) -> Html {
    if hinted {
        // On the left where there is room: a narrow page shows what is left of a marker sooner than what is right of it.
        let (x, anchor) = if geometry::x(marker.position) > HINT {
            ("-20", "end")
        } else {
            ("20", "start")
        };
        return html! { <text key="hint" class="marker-hint" {x} y="4" text-anchor={anchor} aria-hidden="true">{ hint }</text> };
    }
    if !marker.selected || marker.dragging {
        return html! { <g key="none" /> };
    }
    let open = Message::Show(Some(Overlay::Menu(marker.id)));
    html! {
        <g key="menu" class="marker-menu" role="button" tabindex="0" aria-label={change} aria-haspopup="dialog" transform="translate(32 0)"
            onclick={sends(send, open.clone())} onkeydown={sends_on_press(send, open)}>
            <title>{ change }</title>
            <rect class="marker-target" x="-12" y="-16" width="28" height="32" />
            <rect class="marker-menu-box" x="-11" y="-10" width="22" height="20" rx="5" />
            <path class="marker-menu-dots" transform="translate(-8 -8)" d={icon::MORE.data()} />
        </g>
    }
}

type Held = Rc<RefCell<Option<Hold>>>;

fn take(hold: &Held, marker: &view::Marker, pane: &Panes, send: &Callback<Message>) -> Callback<PointerEvent> {
    let (hold, pane, send) = (hold.clone(), pane.clone(), send.clone());
    let (id, position) = (marker.id, marker.position);
    Callback::from(move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        browser::capture(&event);
        // A hold that was never let go would take this one's place along.
        drop(hold.borrow_mut().take());
        pane.hold();
        let offset = pane.x(&event) - f64::from(geometry::x(position));
        let followed = browser::follow(
            event.pointer_id(),
            pull(&hold, &send),
            let_go(&hold, &send),
            lose(&hold, &send),
        );
        *hold.borrow_mut() = Some(Hold {
            offset,
            sent: position,
            pane: pane.clone(),
            _followed: followed,
        });
        send.emit(Message::DragStart(id));
    })
}

fn pull(hold: &Held, send: &Callback<Message>) -> Callback<PointerEvent> {
    let (hold, send) = (hold.clone(), send.clone());
    Callback::from(move |event: PointerEvent| {
        let mut held = hold.borrow_mut();
        let Some(held) = held.as_mut() else {
            return;
        };
        let position = geometry::position(held.pane.x(&event) - held.offset);
        if position != held.sent {
            held.sent = position;
            send.emit(Message::DragTo(position));
        }
    })
}

fn let_go(hold: &Held, send: &Callback<Message>) -> Callback<PointerEvent> {
    let (hold, send) = (hold.clone(), send.clone());
    Callback::from(move |_| {
        if hold.borrow_mut().take().is_some() {
            send.emit(Message::DragEnd);
        }
    })
}

fn lose(hold: &Held, send: &Callback<Message>) -> Callback<PointerEvent> {
    let (hold, send) = (hold.clone(), send.clone());
    Callback::from(move |_| {
        if hold.borrow_mut().take().is_some() {
            send.emit(Message::DragCancel);
        }
    })
}

fn select(marker: &view::Marker, send: &Callback<Message>) -> Callback<FocusEvent> {
    let (send, id, selected) = (send.clone(), marker.id, marker.selected);
    Callback::from(move |_| {
        if !selected {
            send.emit(Message::SelectMarker(Some(id)));
        }
    })
}

fn keys(hold: &Held, marker: &view::Marker, send: &Callback<Message>) -> Callback<KeyboardEvent> {
    let (hold, send, marker) = (hold.clone(), send.clone(), marker.id);
    Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" && hold.borrow_mut().take().is_some() {
            send.emit(Message::DragCancel);
            return;
        }
        if let Some(key) = marker_key(&event.key()) {
            // Neither the page nor the timeline scrolls with it.
            event.prevent_default();
            send.emit(Message::Key { marker, key });
        }
    })
}

fn marker_key(name: &str) -> Option<MarkerKey> {
    Some(match name {
        "ArrowLeft" | "ArrowDown" => MarkerKey::Left,
        "ArrowRight" | "ArrowUp" => MarkerKey::Right,
        "Home" => MarkerKey::Home,
        "End" => MarkerKey::End,
        "PageUp" => MarkerKey::PageUp,
        "PageDown" => MarkerKey::PageDown,
        "Delete" | "Backspace" => MarkerKey::Delete,
        "Enter" | " " => MarkerKey::Menu,
        _ => return None,
    })
}
