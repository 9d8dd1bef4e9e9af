//! The text under the field in which it is edited: coloured, with the play head's lines and the errors marked.
//!
//! Screen readers read the field instead. Refuses to know: what the colours mean.

use crate::app::view::Line;
use crate::ui::nth::Nth;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct CodeProps {
    pub lines: Rc<[Line]>,
}

#[component]
pub fn Code(CodeProps { lines }: &CodeProps) -> Html {
    html! {
        <div class="code" aria-hidden="true">
            { for Nth::all(lines).map(|line| html! { <CodeLine key={line.number} line={line.clone()} /> }) }
        </div>
    }
}

#[derive(PartialEq, Properties)]
struct CodeLineProps {
    line: Nth<Line>,
}

#[component]
fn CodeLine(CodeLineProps { line }: &CodeLineProps) -> Html {
    let class = classes!(
        "code-line",
        (!line.at_head.is_empty()).then_some("code-head"),
        (!line.errors.is_empty()).then_some("code-wrong"),
    );
    html! {
        <div {class}>
            <span class="code-text">
                { for line.pieces.iter().enumerate().map(|(index, piece)| html! {
                    <span key={index} class={format!("piece-{}", piece.class.slug())}>{ &piece.text }</span>
                }) }
            </span>
            <span class="code-error">{ line.errors.join(" · ") }</span>
            <span class="code-where">{ line.at_head.join(", ") }</span>
        </div>
    }
}
