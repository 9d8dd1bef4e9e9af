//! A page of the manual, written in the few forms of Markdown that the manual uses: headings, paragraphs, items, fenced blocks;
//! within a line `code`, `**strong**` and `<https://…>`.
//!
//! Refuses to know: what the pages say; they stand beside the parser and are tested there.

use yew::prelude::*;

/// One piece of a page.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// The page's title.
    Title(String),
    Heading(String),
    Subheading(String),
    Text(String),
    Item(String),
    Block(String),
}

#[derive(PartialEq, Properties)]
pub struct ManualProps {
    /// Markdown; the first line is the title.
    pub page: &'static str,
    /// Unfolded from the start.
    #[prop_or_default]
    pub open: bool,
}

#[component]
pub fn Manual(ManualProps { page, open }: &ManualProps) -> Html {
    html! {
        <details class="manual" lang="en" open={*open}>
            { for parts(page).into_iter().enumerate().map(|(index, part)| drawn(index, part)) }
        </details>
    }
}

/// A title is the first child, hence the summary of its page.
fn drawn(index: usize, part: Part) -> Html {
    match part {
        Part::Title(text) => html! { <summary key={index}>{ text }</summary> },
        Part::Heading(text) => html! { <h3 key={index}>{ text }</h3> },
        Part::Subheading(text) => html! { <h4 key={index}>{ text }</h4> },
        Part::Text(text) => html! { <p key={index}>{ with_code(&text) }</p> },
        Part::Item(text) => html! { <p key={index} class="manual-item">{ with_code(&text) }</p> },
        Part::Block(text) => html! { <pre key={index} tabindex="0">{ text }</pre> },
    }
}

/// Every second piece between backticks is code.
fn with_code(text: &str) -> Html {
    text.split('`')
        .enumerate()
        .map(|(index, piece)| match index % 2 {
            0 => html! { <span key={index}>{ with_strong(piece) }</span> },
            _ => html! { <code key={index}>{ piece.to_owned() }</code> },
        })
        .collect()
}

/// Every second piece between double asterisks is strong.
fn with_strong(text: &str) -> Html {
    text.split("**")
        .enumerate()
        .map(|(index, piece)| match index % 2 {
            0 => html! { <span key={index}>{ with_links(piece) }</span> },
            _ => html! { <strong key={index}>{ piece.to_owned() }</strong> },
        })
        .collect()
}

/// Addresses in angle brackets are links.
fn with_links(text: &str) -> Html {
    let mut drawn = Vec::new();
    for (index, piece) in text.split("<https://").enumerate() {
        let after = match piece.split_once('>') {
            Some((address, after)) if index > 0 => {
                let address = format!("https://{address}");
                drawn.push(html! { <a href={address.clone()} target="_blank" rel="noreferrer">{ address }</a> });
                after
            }
            _ => piece,
        };
        drawn.push(html! { { after.to_owned() } });
    }
    drawn.into_iter().collect()
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
    match line.split_once(' ') {
        Some(("-", item)) => Part::Item(item.to_owned()),
        Some(("#", title)) => Part::Title(title.to_owned()),
        Some(("##", heading)) => Part::Heading(heading.to_owned()),
        Some(("###", heading)) => Part::Subheading(heading.to_owned()),
        _ => Part::Text(line.to_owned()),
    }
}
