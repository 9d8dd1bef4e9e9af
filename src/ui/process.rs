//! One instance of a service: up, down or paused, and what it has in memory.
//!
//! Refuses to know: what it is doing.

use crate::app::view::{Condition, Instance};
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct ProcessProps {
    pub instance: Instance,
}

#[component]
pub fn Process(ProcessProps { instance }: &ProcessProps) -> Html {
    let condition = match instance.condition {
        Condition::Up => "process-up",
        Condition::Down => "process-down",
        Condition::Paused => "process-paused",
    };
    html! {
        <li class={classes!("process", condition, instance.changed.then_some("process-changed"))}>
            <span class="process-name">{ &instance.name }</span>
            <span class="process-text">{ &instance.text }</span>
            <dl class="process-memory" hidden={instance.memory.is_empty()}>
                { for instance.memory.iter().map(|(name, value)| html! {
                    <div key={name.to_string()}><dt>{ name.to_string() }</dt><dd>{ value }</dd></div>
                }) }
            </dl>
        </li>
    }
}
