//! Below the timeline: the program, and beside it one of state, why and events. A narrow page shows one of them all.
//!
//! Refuses to know: what is in the panels. How wide the page is only the stylesheet knows.

use crate::app::message::Message;
use crate::app::model::Tab;
use crate::app::view;
use crate::app::words::ui;
use crate::ui::designs::Designs;
use crate::ui::event_list::EventList;
use crate::ui::finder::Finder;
use crate::ui::program::Program;
use crate::ui::send::sends;
use crate::ui::state::State;
use crate::ui::why::Why;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct PanelsProps {
    pub language: Language,
    pub tab: Tab,
    pub program: Rc<view::Program>,
    pub state: Rc<view::State>,
    pub brokers: Rc<view::Brokers>,
    pub findings: Rc<view::Findings>,
    pub events: Rc<[view::EventLine]>,
    pub designs: Rc<view::Designs>,
    pub finder: Rc<view::Finder>,
    pub send: Callback<Message>,
}

#[component]
pub fn Panels(props: &PanelsProps) -> Html {
    let PanelsProps {
        language,
        tab,
        program,
        state,
        brokers,
        findings,
        events,
        designs,
        finder,
        send,
    } = props;
    let words = ui(*language);
    let beside = match tab {
        Tab::State | Tab::Program => {
            html! { <State key="state" language={*language} state={state.clone()} brokers={brokers.clone()} {send} /> }
        }
        Tab::Why => html! { <Why key="why" language={*language} findings={findings.clone()} {send} /> },
        Tab::Designs => html! { <Designs key="designs" language={*language} designs={designs.clone()} {send} /> },
        Tab::Finder => html! { <Finder key="finder" language={*language} finder={finder.clone()} {send} /> },
        Tab::Events => html! { <EventList key="events" events={events.clone()} {send} /> },
    };
    html! {
        <div class="panels" data-tab={slug(*tab)}>
            <h2 class="panels-title">{ words.program }</h2>
            <div class="tabs" role="group" aria-label={words.panels}>
                { for Tab::ALL.into_iter().map(|each| html! {
                    <button key={slug(each)} type="button" class={classes!("tab", format!("tab-{}", slug(each)))}
                        aria-pressed={(each == *tab).to_string()} onclick={sends(send, Message::SelectTab(each))}>
                        { name(*language, each) }
                    </button>
                }) }
            </div>
            <section class="panel panel-program" aria-label={words.program}>
                <Program language={*language} program={program.clone()} {send} />
            </section>
            <section class="panel panel-beside" aria-label={name(*language, *tab)}>{ beside }</section>
        </div>
    }
}

fn slug(tab: Tab) -> &'static str {
    match tab {
        Tab::State => "state",
        Tab::Program => "program",
        Tab::Why => "why",
        Tab::Events => "events",
        Tab::Designs => "designs",
        Tab::Finder => "finder",
    }
}

fn name(language: Language, tab: Tab) -> &'static str {
    let words = ui(language);
    match tab {
        Tab::State => words.state,
        Tab::Program => words.program,
        Tab::Why => words.why,
        Tab::Events => words.events,
        Tab::Designs => words.designs,
        Tab::Finder => words.finder,
    }
}
