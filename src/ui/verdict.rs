//! The sentence everything is about, what it says behind it, and the other designs of the same problem.
//!
//! The model says when the sentence is worth reading out; `page` has the live region.
//!
//! Refuses to know: how it was judged.

use crate::app::message::Message;
use crate::app::view::{self, Finding};
use crate::app::words::{sentences, ui};
use crate::ui::chain::Chain;
use crate::ui::send::sends;
use crate::ui::variants::Variants;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct VerdictProps {
    pub language: Language,
    pub verdict: Rc<view::Verdict>,
    pub findings: Rc<view::Findings>,
    pub header: Rc<view::Header>,
    pub send: Callback<Message>,
}

#[component]
pub fn Verdict(
    VerdictProps {
        language,
        verdict,
        findings,
        header,
        send,
    }: &VerdictProps,
) -> Html {
    let words = ui(*language);
    let worth = format!("worth-{}", verdict.worth.slug());
    html! {
        <section class="verdict" aria-labelledby="verdict-heading">
            // Colours alone: what stands in the section is not styled anew with every verdict.
            <div class={classes!("verdict-tone", worth.clone())} aria-hidden="true"></div>
            <h2 id="verdict-heading" class="off-screen">{ words.verdict }</h2>
            <div class={classes!("verdict-main", worth)}>
                <p class="verdict-sentence">
                    <span class="verdict-symbol" aria-hidden="true">{ verdict.symbol }</span>
                    <strong class="verdict-word">{ format!("{}.", verdict.word) }</strong>
                    <span class="verdict-text">{ &verdict.sentence }</span>
                </p>
                <p class="verdict-note" hidden={!verdict.outdated}>{ words.outdated }</p>
                <p class="verdict-note" hidden={verdict.ended.is_none()}>{ verdict.ended.clone().unwrap_or_default() }</p>
            </div>
            <Behind language={*language} {findings} {header} {send} />
        </section>
    }
}

#[derive(PartialEq, Properties)]
struct BehindProps {
    language: Language,
    findings: Rc<view::Findings>,
    header: Rc<view::Header>,
    send: Callback<Message>,
}

/// What stands below the sentence. A drag leaves it alone until the marker rests.
#[component]
fn Behind(
    BehindProps {
        language,
        findings,
        header,
        send,
    }: &BehindProps,
) -> Html {
    html! {
        <>
            { conclusion(*language, findings.list.first()) }
            <div class="verdict-variants" hidden={header.variants.is_empty()}>
                <span class="verdict-label">{ ui(*language).variants }</span>
                <Variants language={*language} variants={header.variants.clone()} {send} />
            </div>
            <div class="verdict-more" hidden={findings.list.is_empty()}>
                { list(*language, findings, send) }
                { chain(*language, findings.open(), send) }
            </div>
        </>
    }
}

/// What made it possible, of the finding that the sentence speaks of. Its place is kept also while that is unknown.
fn conclusion(language: Language, gravest: Option<&Finding>) -> Html {
    let text = gravest
        .map_or(ui(language).nothing_to_explain, |finding| &finding.conclusion)
        .to_owned();
    html! { <p class="verdict-conclusion" title={text.clone()}>{ text }</p> }
}

/// All findings as a choice; one alone is the sentence already.
fn list(language: Language, findings: &view::Findings, send: &Callback<Message>) -> Html {
    let shown = if findings.list.len() > 1 {
        findings.list.as_slice()
    } else {
        &[]
    };
    html! {
        <ul class="finding-list" aria-label={ui(language).findings} hidden={shown.is_empty()}>
            { for shown.iter().enumerate().map(|(index, finding)| html! {
                <li key={index}>
                    <button type="button" class={classes!("finding", format!("worth-{}", view::Worth::Finding(finding.kind).slug()))}
                        aria-pressed={(index == findings.selected).to_string()} title={finding.sentence.clone()}
                        onclick={sends(send, Message::SelectFinding(index))}>
                        <span class="finding-symbol" aria-hidden="true">{ finding.symbol }</span>
                        { format!("{}: {}", finding.word, finding.subject) }
                    </button>
                </li>
            }) }
            <li key="more" hidden={findings.more == 0}>{ sentences::more_findings(language, findings.more) }</li>
        </ul>
    }
}

fn chain(language: Language, finding: Option<&Finding>, send: &Callback<Message>) -> Html {
    let why: Rc<[view::EventLine]> = finding.map_or_else(|| Rc::new([]) as Rc<[_]>, |finding| finding.why.clone());
    html! { <Chain {language} {why} {send} /> }
}
