//! The language's page, written in the few forms of Markdown that it uses: headings, paragraphs, items, `code`, and
//! fenced blocks.
//!
//! Refuses to know: what the page says; it stands beside the parser and is tested there.

use crate::language::GRAMMAR;
use yew::prelude::*;

/// One piece of the page.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Heading(String),
    Text(String),
    Item(String),
    Block(String),
}

#[component]
pub fn Grammar() -> Html {
    html! {
        <div class="grammar" lang="en">
            { for parts(GRAMMAR).into_iter().enumerate().map(|(index, part)| html! { <div key={index}>{ drawn(part) }</div> }) }
        </div>
    }
}

fn drawn(part: Part) -> Html {
    match part {
        Part::Heading(text) => html! { <h3>{ text }</h3> },
        Part::Text(text) => html! { <p>{ with_code(&text) }</p> },
        Part::Item(text) => html! { <p class="grammar-item">{ with_code(&text) }</p> },
        Part::Block(text) => html! { <pre tabindex="0">{ text }</pre> },
    }
}

/// Every second piece between backticks is code.
fn with_code(text: &str) -> Html {
    text.split('`')
        .enumerate()
        .map(|(index, piece)| match index % 2 {
            0 => html! { <span key={index}>{ piece.to_owned() }</span> },
            _ => html! { <code key={index}>{ piece.to_owned() }</code> },
        })
        .collect()
}

fn parts(page: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut fenced = false;
    // The next line goes on with the last part.
    let mut open = false;
    for line in page.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
            open = fenced;
            if fenced {
                parts.push(Part::Block(String::new()));
            }
            continue;
        }
        match parts.last_mut() {
            Some(Part::Block(text)) if fenced => {
                text.push_str(line);
                text.push('\n');
            }
            _ if line.trim().is_empty() => open = false,
            Some(Part::Text(text) | Part::Item(text)) if open && !line.starts_with("- ") => {
                text.push(' ');
                text.push_str(line.trim());
            }
            _ => {
                parts.push(begun(line));
                open = true;
            }
        }
    }
    parts
}

fn begun(line: &str) -> Part {
    if let Some(item) = line.strip_prefix("- ") {
        Part::Item(item.to_owned())
    } else if line.starts_with('#') {
        Part::Heading(line.trim_start_matches('#').trim().to_owned())
    } else {
        Part::Text(line.to_owned())
    }
}
