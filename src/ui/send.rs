//! From an event of an element to a message.
//!
//! Refuses to know: what the message does.

use crate::app::message::Message;
use yew::prelude::*;

/// A listener that sends this message, whatever the event says.
pub fn sends<E>(send: &Callback<Message>, message: Message) -> Callback<E> {
    let send = send.clone();
    Callback::from(move |_| send.emit(message.clone()))
}

/// A key listener of a drawing that acts as a button: sends the message on Enter and space.
pub fn sends_on_press(send: &Callback<Message>, message: Message) -> Callback<KeyboardEvent> {
    let send = send.clone();
    Callback::from(move |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            send.emit(message.clone());
        }
    })
}
