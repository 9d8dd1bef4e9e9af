//! What is in the databases, queues, outside parties and processes at the play head.
//!
//! Refuses to know: how it came about.

use crate::app::message::Message;
use crate::app::view;
use crate::app::words::ui;
use crate::ui::brokers::Brokers;
use crate::ui::process::Process;
use crate::ui::queue::Queue;
use crate::ui::table::Table;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct StateProps {
    pub language: Language,
    pub state: Rc<view::State>,
    pub brokers: Rc<view::Brokers>,
    pub send: Callback<Message>,
}

#[component]
pub fn State(
    StateProps {
        language,
        state,
        brokers,
        send,
    }: &StateProps,
) -> Html {
    let language = *language;
    html! {
        <div class="state">
            <h2 class="state-title">{ &state.title }</h2>
            <Brokers {language} brokers={brokers.clone()} {send} />
            <div class="state-parts">
                { for state.tables.iter().map(|table| html! {
                    <Table key={format!("table {} {}", table.database, table.name)} {language} table={table.clone()} />
                }) }
                { for state.queues.iter().map(|queue| html! {
                    <Queue key={format!("queue {} {}", queue.broker, queue.name)} {language} queue={queue.clone()} />
                }) }
                { for state.outsides.iter().map(|table| html! {
                    <Table key={format!("outside {}", table.name)} {language} table={table.clone()} />
                }) }
            </div>
            <h3 class="state-heading" hidden={state.instances.is_empty()}>{ ui(language).processes }</h3>
            <ul class="processes">
                { for state.instances.iter().map(|instance| html! { <Process key={instance.name.clone()} instance={instance.clone()} /> }) }
            </ul>
        </div>
    }
}
