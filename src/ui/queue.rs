//! One queue's messages, with what the last event changed.
//!
//! Refuses to know: the broker's rules.

use crate::app::view::{self, MessagePlace, QueueMessage};
use crate::app::words::{Words, ui};
use crate::ui::table::{change_sign, owner};
use crate::words::Language;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct QueueProps {
    pub language: Language,
    pub queue: view::Queue,
}

#[component]
pub fn Queue(QueueProps { language, queue }: &QueueProps) -> Html {
    let words = ui(*language);
    html! {
        <div class={classes!("relation", "relation-queue", queue.down.then_some("relation-down"))}>
            <table>
                <caption>
                    <span class="relation-owner">{ owner(&queue.broker) }</span>
                    <span class="relation-name">{ &queue.name }</span>
                    <span class="relation-note" hidden={!queue.dead_letter}>{ words.dead_letter }</span>
                    <span class="relation-note" hidden={!queue.down}>{ words.not_answering }</span>
                </caption>
                <thead>
                    <tr>
                        <th class="change-column"><span class="off-screen">{ words.changed }</span></th>
                        <th scope="col">{ words.message_id }</th>
                        <th scope="col">{ words.message_body }</th>
                        <th scope="col">{ words.message_place }</th>
                        <th scope="col">{ words.message_deliveries }</th>
                    </tr>
                </thead>
                <tbody>
                    { for queue.messages.iter().enumerate().map(|(index, each)| message(words, index, each)) }
                    <tr key="empty" class="relation-empty" hidden={!queue.messages.is_empty()}><td colspan="5">{ words.empty }</td></tr>
                </tbody>
            </table>
            { for queue.groups.iter().map(|group| html! { <p class="queue-group">{ group }</p> }) }
            <p class="relation-more" hidden={queue.more.is_empty()}>{ &queue.more }</p>
        </div>
    }
}

fn message(words: &'static Words, key: usize, message: &QueueMessage) -> Html {
    let place = match message.place {
        MessagePlace::Ready => "ready",
        MessagePlace::InFlight => "in-flight",
        MessagePlace::Delayed => "delayed",
        MessagePlace::Dead => "dead",
        MessagePlace::Held => "held",
        MessagePlace::InDoubt => "in-doubt",
    };
    html! {
        <tr {key} class={classes!(format!("change-{}", message.change.slug()), format!("place-{place}"))}>
            <td class="change-column">{ change_sign(words, message.change) }</td>
            <td>{ &message.id }</td>
            <td>{ &message.body }</td>
            <td class="message-place">{ &message.text }</td>
            <td>{ message.deliveries }</td>
        </tr>
    }
}
