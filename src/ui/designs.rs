//! Designs side by side: which ones, their columns in lock step, the matrix of crash points, their effects over time.
//!
//! Refuses to know: how they are run and what they cost.

use crate::app::message::Message;
use crate::app::model::Overlay;
use crate::app::view;
use crate::app::words::ui;
use crate::ui::controls::Controls;
use crate::ui::curves::Curves;
use crate::ui::icon::{self, Icon};
use crate::ui::lockstep::Lockstep;
use crate::ui::matrix::Matrix;
use crate::ui::send::sends;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct DesignsProps {
    pub language: Language,
    pub designs: Rc<view::Designs>,
    pub send: Callback<Message>,
}

#[component]
pub fn Designs(
    DesignsProps {
        language,
        designs,
        send,
    }: &DesignsProps,
) -> Html {
    let words = ui(*language);
    let controls = match &designs.controls {
        Some(controls) => html! { <Controls key="controls" language={*language} controls={controls.clone()} {send} /> },
        None => html! { <span key="alone" hidden=true /> },
    };
    html! {
        <div class={classes!("designs", designs.pending.then_some("designs-pending"))} aria-busy={designs.pending.to_string()}>
            <div class="designs-bar">
                <button type="button" class="button designs-add" aria-haspopup="dialog" disabled={!designs.has_room}
                    onclick={sends(send, Message::Show(Some(Overlay::Adding)))}>
                    { words.add_design }
                </button>
                <div class="designs-sets" role="group" aria-label={words.ready_made}>
                    <span key="label" class="designs-label">{ words.ready_made }</span>
                    { for designs.variants.iter().map(|set| html! {
                        <button key="variants" type="button" class="designs-set" aria-pressed={set.chosen.to_string()}
                            onclick={sends(send, Message::CompareVariants)}>{ &set.title }</button>
                    }) }
                    { for designs.sets.iter().enumerate().map(|(index, set)| html! {
                        <button key={index} type="button" class="designs-set" aria-pressed={set.chosen.to_string()}
                            onclick={sends(send, Message::CompareSet(index))}>{ &set.title }</button>
                    }) }
                </div>
            </div>
            <p class="designs-hint">{ words.same_faults }</p>
            <div class="designs-head">{ controls }</div>
            <Lockstep language={*language} designs={designs.clone()} {send} />
            <section class="designs-matrix" aria-labelledby="matrix-heading">
                <div class="designs-title">
                    <h3 id="matrix-heading">{ words.matrix }</h3>
                    <button type="button" class="button" onclick={sends(send, Message::CopyMatrix)}>
                        <Icon drawing={if designs.copied { icon::CHECK } else { icon::SHARE }} />
                        <span>{ if designs.copied { words.matrix_copied } else { words.copy_matrix } }</span>
                    </button>
                </div>
                <p class="designs-hint">{ words.matrix_hint }</p>
                <Matrix language={*language} matrix={designs.matrix.clone()} {send} />
            </section>
            <figure class="designs-chart" hidden={designs.curves.is_empty()}>
                <figcaption>{ words.effects_over_time }</figcaption>
                <Curves language={*language} designs={designs.clone()} />
            </figure>
        </div>
    }
}
