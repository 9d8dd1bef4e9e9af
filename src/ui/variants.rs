//! Other designs of the same problem: the nearest few, and the rest on request.
//!
//! Refuses to know: what a switch takes along.

use crate::app::message::Message;
use crate::app::view::Variant;
use crate::app::words::ui;
use crate::ui::send::sends;
use crate::words::Language;
use yew::prelude::*;

/// Shown without asking.
const NEAREST: usize = 3;

#[derive(PartialEq, Properties)]
pub struct VariantsProps {
    pub language: Language,
    pub variants: Vec<Variant>,
    pub send: Callback<Message>,
}

#[component]
pub fn Variants(
    VariantsProps {
        language,
        variants,
        send,
    }: &VariantsProps,
) -> Html {
    let all = use_state_eq(|| false);
    let shown = if *all { variants.len() } else { NEAREST };
    let rest = variants.len().saturating_sub(shown);
    let more = format!("{}: {rest}", ui(*language).more_variants);
    let onclick = Callback::from(move |_: MouseEvent| all.set(true));
    html! {
        <ul class="variant-list">
            { for variants.iter().take(shown).map(|variant| html! {
                <li key={variant.id.to_string()}>
                    <button type="button" class="variant" data-variant={variant.id.to_string()}
                        onclick={sends(send, Message::SwitchVariant(variant.id.clone()))}>
                        <span class="variant-id">{ variant.id.to_string() }</span>
                        <span>{ &variant.title }</span>
                    </button>
                </li>
            }) }
            <li key="more" hidden={rest == 0}>
                <button type="button" class="variant" title={more.clone()} aria-label={more} {onclick}>{ format!("+ {rest}") }</button>
            </li>
        </ul>
    }
}
