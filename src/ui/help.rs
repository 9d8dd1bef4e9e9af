//! The keys that move a marker, the way from an incident to a scenario, and the language's grammar.
//!
//! Refuses to know: the pages themselves, which stand beside the parser.

use crate::app::words::{Words, ui};
use crate::language::{GRAMMAR, GUIDE};
use crate::ui::manual::Manual;
use crate::words::Language;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct HelpProps {
    pub language: Language,
}

#[component]
pub fn Help(HelpProps { language }: &HelpProps) -> Html {
    let words = ui(*language);
    html! {
        <div class="help">
            <h3>{ words.keys }</h3>
            <dl class="help-keys">
                { for keys(words).into_iter().map(|(keys, meaning)| html! {
                    <div key={keys}><dt><kbd>{ keys }</kbd></dt><dd>{ meaning }</dd></div>
                }) }
            </dl>
            <Manual page={GUIDE} />
            <Manual page={GRAMMAR} open={true} />
        </div>
    }
}

fn keys(words: &'static Words) -> [(&'static str, &'static str); 7] {
    [
        ("← →", words.keys_move),
        ("PageUp PageDown", words.keys_far),
        ("Home End", words.keys_ends),
        ("Enter", words.keys_menu),
        ("Delete", words.keys_remove),
        ("Escape", words.keys_cancel),
        ("Ctrl+Z Ctrl+Y", words.keys_undo),
    ]
}
