//! The open challenge below the verdict: the task, what survives, the list of changes, a statement to move, and the claim that it cannot
//! be done.
//!
//! Buttons at the end of their way stay where the focus is and do nothing (`aria-disabled`).
//! Refuses to know: how anything is judged or counted.

use crate::app::message::{Deed, Message};
use crate::app::view::{self, Choice};
use crate::app::words::{Words, ui};
use crate::ui::browser;
use crate::ui::icon::{self, Drawing, Icon};
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct ChallengeProps {
    pub language: Language,
    pub challenge: Rc<view::Challenge>,
    pub send: Callback<Message>,
}

#[component]
pub fn Challenge(
    ChallengeProps {
        language,
        challenge,
        send,
    }: &ChallengeProps,
) -> Html {
    let words = ui(*language);
    let class = classes!("challenge", format!("challenge-{}", challenge.outcome.slug()));
    html! {
        <section {class} aria-labelledby="challenge-heading" data-challenge={challenge.id}>
            <div class="challenge-head">
                <h2 id="challenge-heading">
                    <span class="challenge-kicker">{ words.make_it_survive }</span>
                    { " " }
                    <span>{ challenge.title }</span>
                </h2>
                <div class="challenge-ways">
                    <button type="button" class="button challenge-restart" disabled={!challenge.can_restart}
                        onclick={sends(send, deed(Deed::Restart))}>{ words.restart }</button>
                    <button type="button" class="button challenge-leave"
                        onclick={sends(send, Message::OpenPreset(challenge.from.clone()))}>{ words.leave }</button>
                </div>
            </div>
            <p class="challenge-task">{ challenge.task }</p>
            <div class="challenge-outcome" aria-busy={(challenge.outcome == view::Outcome::Pending).to_string()}>
                <p class="challenge-status">
                    <span class="challenge-symbol" aria-hidden="true">{ challenge.outcome.symbol() }</span>
                    { " " }
                    <strong>{ &challenge.status }</strong>
                    { " " }
                    <span class="challenge-detail">{ &challenge.detail }</span>
                </p>
                <button type="button" class="button challenge-show" hidden={!challenge.can_show}
                    onclick={sends(send, deed(Deed::ShowBroken))}>{ words.show_on_timeline }</button>
                <button type="button" class="button challenge-restore" hidden={!challenge.can_restore}
                    onclick={sends(send, deed(Deed::RestoreQuestion))}>{ words.restore_question }</button>
            </div>
            <div class="challenge-tools">
                <ul class="challenge-choices" aria-label={words.list_of_changes}>
                    { for challenge.choices.iter().map(|each| choice(each, send)) }
                </ul>
                <Mover {words} challenge={challenge.clone()} {send} />
            </div>
            <div class="challenge-foot">
                <details class="challenge-count">
                    <summary>
                        { &challenge.count }
                        <span class="challenge-best">{ &challenge.best }</span>
                        <span class="challenge-terms">{ &challenge.terms }</span>
                    </summary>
                    <p>{ challenge.count_rule }</p>
                </details>
                { claim(words, challenge, send) }
            </div>
        </section>
    }
}

fn deed(deed: Deed) -> Message {
    Message::Challenge(deed)
}

fn choice(choice: &Choice, send: &Callback<Message>) -> Html {
    let is_blocked = !choice.blocked.is_empty();
    html! {
        <li key={choice.id}>
            <button type="button" class="challenge-choice" data-change={choice.id} aria-pressed={choice.made.to_string()}
                aria-disabled={is_blocked.then_some("true")} title={is_blocked.then(|| choice.blocked.clone())}
                onclick={sends(send, deed(Deed::Toggle(choice.index)))}>
                <span class="challenge-check" aria-hidden="true">{ if choice.made { "✓" } else { "+" } }</span>
                <span>{ &choice.label }</span>
                <span class="challenge-blocked" hidden={!is_blocked}>{ &choice.blocked }</span>
            </button>
        </li>
    }
}

#[derive(PartialEq, Properties)]
struct MoverProps {
    words: &'static Words,
    challenge: Rc<view::Challenge>,
    send: Callback<Message>,
}

/// A statement to choose, and two buttons that move it.
#[component]
fn Mover(MoverProps { words, challenge, send }: &MoverProps) -> Html {
    let select = use_node_ref();
    let chosen = challenge.chosen.map_or_else(String::new, |line| line.to_string());
    // A choice that somebody has made is the element's own, whatever its options say.
    let shown = (select.clone(), chosen.clone());
    use_effect(move || browser::choose(&shown.0, &shown.1));
    let onchange = send.reform(|event: Event| deed(Deed::Choose(browser::chosen_option(&event).parse().unwrap_or(0))));
    html! {
        <div class="challenge-move" role="group" aria-label={words.statement}>
            <select ref={select} class="challenge-statement" aria-label={words.statement} {onchange}>
                <option key="none" value="" selected={chosen.is_empty()}>{ format!("– {} –", words.choose_statement) }</option>
                { for challenge.statements.iter().map(|each| {
                    let value = each.line.to_string();
                    html! { <option key={value.clone()} value={value.clone()} selected={value == chosen}>{ &each.label }</option> }
                }) }
            </select>
            { mover("challenge-up", words.move_up, icon::UP, challenge.up, true, send) }
            { mover("challenge-down", words.move_down, icon::DOWN, challenge.down, false, send) }
        </div>
    }
}

fn mover(
    class: &'static str,
    name: &'static str,
    drawing: Drawing,
    can: bool,
    up: bool,
    send: &Callback<Message>,
) -> Html {
    html! {
        <button type="button" class={classes!("tool", class)} title={name} aria-label={name} aria-disabled={(!can).then_some("true")}
            onclick={sends(send, deed(Deed::Move { up }))}>
            <Icon {drawing} />
        </button>
    }
}

/// "This cannot be closed on our side alone": in every challenge, so that its presence tells nothing.
fn claim(words: &'static Words, challenge: &view::Challenge, send: &Callback<Message>) -> Html {
    html! {
        <details class="challenge-claim">
            <summary>{ words.claim }</summary>
            <div class="challenge-parties" role="group" aria-label={words.whose_help}>
                <span>{ words.whose_help }</span>
                { for challenge.parties.iter().map(|party| html! {
                    <button key={party.to_string()} type="button" class="button" data-party={party.to_string()}
                        onclick={sends(send, deed(Deed::Claim(party.clone())))}>{ party.to_string() }</button>
                }) }
            </div>
            <p class={classes!("challenge-answer", challenge.claim_right.then_some("challenge-right"))} hidden={challenge.claim.is_empty()}>
                { &challenge.claim }
            </p>
        </details>
    }
}
