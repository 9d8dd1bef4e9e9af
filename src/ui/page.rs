//! The root: holds the model, passes messages to `update`, draws the view, carries out effects.
//!
//! Refuses to know: what a message means and what the parts look like.

use crate::app::message::{Deed, Effect, Message};
use crate::app::model::Overlay;
use crate::app::view::View;
use crate::app::{self, model::Model};
use crate::ui::browser;
use crate::ui::challenge::Challenge;
use crate::ui::controls::Controls;
use crate::ui::dialog::Dialog;
use crate::ui::faults::Faults;
use crate::ui::header::Header;
use crate::ui::help::Help;
use crate::ui::menu::Menu;
use crate::ui::notices::Notices;
use crate::ui::panels::Panels;
use crate::ui::picker::Picker;
use crate::ui::seeker::Line;
use crate::ui::timeline::Timeline;
use crate::ui::verdict::Verdict;
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// The page.
pub struct Page {
    model: Model,
    view: View,
    send: Callback<Message>,
    /// Asked for by the last updates, carried out once the page shows their result.
    effects: Vec<Effect>,
    /// What an update has changed is not drawn yet.
    undrawn: bool,
    /// Said in the live region, and how often something was said.
    announcement: (String, u32),
    timer: Option<Timeout>,
    /// Until the dragged marker rests, unless it has been moved since this was set.
    rest: Option<Timeout>,
    moved: bool,
    /// The next slice of a long run.
    slice: Option<Timeout>,
    /// The next slice of a challenge's judgement.
    trial: Option<Timeout>,
    /// Slices so far.
    slices: u32,
    seeker: Line,
    /// End with the page.
    _listeners: [EventListener; 2],
}

impl Component for Page {
    type Message = Message;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let (model, effects) = app::open(&browser::start());
        let view = app::view(&model);
        browser::dress(view.language, view.theme);
        let send = ctx.link().callback(|message: Message| message);
        Page {
            model,
            view,
            effects,
            undrawn: true,
            announcement: (String::new(), 0),
            timer: None,
            rest: None,
            moved: false,
            slice: None,
            trial: None,
            slices: 0,
            seeker: Line::default(),
            _listeners: listeners(&send),
            send,
        }
    }

    fn update(&mut self, _: &Context<Self>, message: Message) -> bool {
        let said = self.announcement.1;
        let is_slice = matches!(message, Message::GoOn);
        if matches!(message, Message::DragRests) {
            self.rest = None;
            if self.moved {
                self.effects.push(Effect::RestSoon(REST_AGAIN_MS));
                self.carry_out_if_drawn();
                return false;
            }
        }
        let is_step = matches!(message, Message::DragTo(_));
        let is_of_search = matches!(&message, Message::Find(find) if find.is_of_search());
        let effects = app::update(&mut self.model, message);
        if is_step && effects.is_empty() {
            // Still at the same gap.
            return false;
        }
        for effect in effects {
            match effect {
                Effect::Announce(text) => self.announcement = (text, said.wrapping_add(1)),
                effect => self.effects.push(effect),
            }
        }
        if is_slice && !self.shows_slice() {
            self.carry_out_if_drawn();
            return false;
        }
        let view = if is_step {
            app::view_moving(&self.model, &self.view)
        } else if is_of_search {
            app::view_searching(&self.model, &self.view)
        } else {
            app::view(&self.model)
        };
        let changed = view != self.view;
        if (view.language, view.theme) != (self.view.language, self.view.theme) {
            browser::dress(view.language, view.theme);
        }
        self.view = view;
        let redraw = changed || self.announcement.1 != said;
        self.undrawn |= redraw;
        self.carry_out_if_drawn();
        redraw
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let View { language, ref tab, .. } = self.view;
        let view = &self.view;
        let send = &self.send;
        html! {
            <div class="page">
                <Header {language} theme={view.theme} header={view.header.clone()} share={view.share.clone()} {send} />
                <main class="main">
                    <Notices {language} notices={view.notices.clone()} {send} />
                    <Verdict {language} verdict={view.verdict.clone()} findings={view.findings.clone()} header={view.header.clone()} {send} />
                    <div class="challenge-place" hidden={view.challenge.is_none()}>
                        { for view.challenge.iter().map(|challenge| html! {
                            <Challenge key={challenge.id} {language} challenge={challenge.clone()} {send} />
                        }) }
                    </div>
                    <section class="stage" aria-label={app::words::ui(language).timeline}>
                        <Timeline {language} timeline={view.timeline.clone()} {send} />
                        <div class="stage-bar">
                            <Controls {language} controls={view.controls.clone()} {send} />
                            <Faults {language} timeline={view.faults.clone()} {send} />
                        </div>
                    </section>
                    <Panels {language} tab={*tab} program={view.program.clone()} state={view.state.clone()} brokers={view.brokers.clone()}
                        findings={view.findings.clone()} events={view.events.clone()} designs={view.designs.clone()} finder={view.finder.clone()} {send} />
                </main>
                <div class="layer">{ self.overlay() }</div>
                <p class="off-screen" role="status" aria-live="polite" aria-atomic="true">{ self.spoken() }</p>
            </div>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        self.undrawn = false;
        self.carry_out();
    }
}

/// Looks again whether a marker rests after so many milliseconds.
const REST_AGAIN_MS: u32 = 60;

/// Of the slices of a long run every so manyth shows how far it got; drawing each would take longer than making it.
const SLICES_A_LOOK: u32 = 8;

impl Page {
    /// After a slice of a long run or of what the strips lack: whether the page is drawn anew.
    fn shows_slice(&mut self) -> bool {
        self.slices = self.slices.wrapping_add(1);
        !self.model.has_more_to_do() || self.slices.is_multiple_of(SLICES_A_LOOK)
    }

    /// What lies over the page.
    fn overlay(&self) -> Html {
        let (language, send) = (self.view.language, &self.send);
        match (self.view.overlay, &self.view.menu) {
            (Some(Overlay::Picker), _) => html! {
                <Dialog key="picker" {language} title={app::words::ui(language).choose_scenario} {send}>
                    <Picker {language} groups={self.view.picker.clone()} adds=false {send} />
                </Dialog>
            },
            (Some(Overlay::Adding), _) => html! {
                <Dialog key="adding" {language} title={app::words::ui(language).add_design_title} {send}>
                    <Picker {language} groups={self.view.picker.clone()} adds=true {send} />
                </Dialog>
            },
            (Some(Overlay::Help), _) => html! {
                <Dialog key="help" {language} title={app::words::ui(language).help_title} {send}>
                    <Help {language} />
                </Dialog>
            },
            (Some(Overlay::Menu(_)), Some(menu)) => html! { <Menu key="menu" {language} menu={menu.clone()} {send} /> },
            _ => html! { <span key="none" hidden=true /> },
        }
    }

    /// Screen readers skip what they have just said; an invisible space makes a repetition another text.
    fn spoken(&self) -> String {
        let (text, count) = &self.announcement;
        if count % 2 == 0 {
            text.clone()
        } else {
            format!("{text}\u{a0}")
        }
    }

    /// An update that changes nothing may come before what an earlier one has changed is drawn.
    fn carry_out_if_drawn(&mut self) {
        if !self.undrawn {
            self.carry_out();
        }
    }

    fn carry_out(&mut self) {
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::ReplaceFragment(fragment) => browser::set_fragment(&fragment, false),
                Effect::PushFragment(fragment) => browser::set_fragment(&fragment, true),
                Effect::CopyLink(fragment) => browser::copy_link(&fragment, self.send.reform(Message::Copied)),
                Effect::CopyText(text) => browser::copy_text(text, self.send.reform(Message::MatrixCopied)),
                Effect::Store(preference) => browser::store(preference),
                Effect::StartTimer(milliseconds) => {
                    let send = self.send.clone();
                    self.timer = Some(browser::after(milliseconds, move || send.emit(Message::Tick)));
                }
                Effect::RestSoon(milliseconds) => {
                    // One timer for many steps: to set one anew for each costs more than to look twice.
                    self.moved = self.rest.is_some();
                    if !self.moved {
                        let send = self.send.clone();
                        self.rest = Some(browser::after(milliseconds, move || send.emit(Message::DragRests)));
                    }
                }
                Effect::GoOnSoon => {
                    let send = self.send.clone();
                    self.slice = Some(browser::after(0, move || send.emit(Message::GoOn)));
                }
                Effect::Seek(order) => self.seeker.carry_out(order, &self.send),
                Effect::TrySoon => {
                    let send = self.send.clone();
                    self.trial = Some(browser::after(0, move || send.emit(Message::Challenge(Deed::GoOn))));
                }
                Effect::PutCaret(line) => browser::put_caret(line),
                Effect::FocusMarker(marker) => browser::focus_marker(marker),
                Effect::FocusCell { lane, stop } => browser::focus_cell(lane, stop),
                Effect::FocusShift { design, later } => browser::focus_shift(design, later),
                Effect::Reveal(position) => browser::reveal(position),
                // `update` has taken it: it is part of what is drawn. A page that opens is read anyway.
                Effect::Announce(_) => {}
            }
        }
    }
}

fn listeners(send: &Callback<Message>) -> [EventListener; 2] {
    [
        browser::on_fragment(send.reform(|fragment: String| Message::OpenLink(fragment.into()))),
        browser::on_undo(send.reform(|undo| if undo { Message::Undo } else { Message::Redo })),
    ]
}
