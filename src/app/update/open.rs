//! What is open: presets, links, typed text, undo. Nothing here takes away a reader's text without asking or a way back.

use super::{Text, fragment, head, notice, readdress};
use crate::app::ahead;
use crate::app::designs::{self, Comparison};
use crate::app::finder::Finder;
use crate::app::history::{History, Past};
use crate::app::longer::Longer;
use crate::app::message::Effect;
use crate::app::model::{Asked, Head, Model, NoticeId, NoticeWhat, Overlay, Start, Tab};
use crate::app::played::{EVENTS_AT_ONCE, Played, Run};
use crate::app::presets::{self, FIRST};
use crate::app::strikes::Strikes;
use crate::app::survey::{self, Survey};
use crate::challenges;
use crate::link::{self, Compared, Link, LinkError, Shared};
use crate::scenarios;
use crate::simulation::Trace;
use std::rc::Rc;

/// The page as it opens: what its address says, or the first preset.
///
/// # Panics
/// Never in a build whose tests pass: the first preset is read by one.
pub fn open(start: &Start) -> (Model, Vec<Effect>) {
    let first = scenarios::find(FIRST).map_or("", |preset| preset.text);
    let played = Played::of(first.into(), EVENTS_AT_ONCE)
        .unwrap_or_else(|errors| panic!("the first preset has errors: {errors:?}"));
    let (survey, ahead) = Survey::of(&played, None, &Strikes::CRASH);
    let mut model = Model {
        text: played.text.clone(),
        mistakes: Rc::new([]),
        played: Rc::new(played),
        longer: None,
        survey: Rc::new(survey),
        ahead,
        strikes: Strikes::CRASH,
        head: Head::End,
        playing: false,
        selected: None,
        finding: 0,
        drag: None,
        history: History::default(),
        unsaved: false,
        first_drag_done: start.first_drag_done,
        notices: Vec::new(),
        next_notice: 0,
        language: start.language,
        theme: start.theme,
        tab: Tab::default(),
        overlay: None,
        link: "".into(),
        copied: false,
        comparison: Comparison::default(),
        presets: presets::all(),
        finder: Finder::default(),
        challenge: None,
        bests: start.bests.clone(),
    };
    let mut effects = Vec::new();
    if start.fragment.trim_start_matches('#').is_empty() {
        readdress(&mut model, &mut effects);
    } else {
        link(&mut model, &start.fragment, &mut effects);
        // What the page opened with is nothing to go back to.
        model.history = History::default();
    }
    designs::look(&mut model);
    let is_waiting = model.has_more_to_do() || designs::is_pending(&model);
    effects.extend(is_waiting.then_some(Effect::GoOnSoon));
    super::challenge::look(&mut model, &mut effects);
    (model, effects)
}

/// Opens a preset or a challenge as it is written.
pub(super) fn preset(model: &mut Model, id: &str, effects: &mut Vec<Effect>) {
    let preset = scenarios::find(id).map(|preset| (preset.id, preset.text));
    let Some((id, text)) = preset.or_else(|| challenges::find(id).map(|challenge| (challenge.id, challenge.text)))
    else {
        return notice(model, NoticeWhat::UnknownPreset(id.into()));
    };
    if model.unsaved {
        return notice(model, NoticeWhat::Replace(Asked::Preset(id.into())));
    }
    replace(model, text.into(), effects);
}

/// Opens another design; the reader's fault lines go along.
pub(super) fn variant(model: &mut Model, id: &str, effects: &mut Vec<Effect>) {
    let Some(preset) = scenarios::find(id) else {
        return notice(model, NoticeWhat::UnknownPreset(id.into()));
    };
    if model.unsaved {
        return notice(model, NoticeWhat::Replace(Asked::Variant(preset.id.into())));
    }
    let text = designs::with_faults_of(&model.played.text, preset.text);
    let selected = model.selected;
    replace(model, text.into(), effects);
    super::marker::select(model, selected.filter(|marker| *marker < model.played.faults.len()));
}

/// Opens what an address says; a link that cannot be opened changes nothing but the notices.
pub(super) fn link(model: &mut Model, received: &str, effects: &mut Vec<Effect>) {
    match link::read(received) {
        Err(LinkError::Empty) => {}
        Err(error) => {
            notice(model, NoticeWhat::BrokenLink(error));
            readdress(model, effects);
        }
        // Our own address, written a moment ago.
        Ok(_) if *model.link == *received.trim_start_matches('#') => {}
        Ok(Link::Scenario(shared)) if model.unsaved && shared.text != *model.text => {
            notice(model, NoticeWhat::Replace(Asked::Link(shared)));
            readdress(model, effects);
        }
        Ok(Link::Scenario(shared)) => open_shared(model, &shared, effects),
        Ok(Link::Comparison(compared)) if model.unsaved && !has_open(&compared, &model.text) => {
            notice(model, NoticeWhat::Replace(Asked::Comparison(compared)));
            readdress(model, effects);
        }
        Ok(Link::Comparison(compared)) => super::designs::show_linked(model, &compared, effects),
    }
}

fn has_open(compared: &Compared, text: &str) -> bool {
    compared.texts.get(compared.open).is_some_and(|open| open == text)
}

fn open_shared(model: &mut Model, shared: &Shared, effects: &mut Vec<Effect>) {
    if model.tab == Tab::Designs {
        // A link to one scenario is none to a comparison: Back leaves it.
        model.tab = Tab::default();
    }
    take(model, &shared.text);
    model.head = head::from_shared(&shared.view, model.played.run.trace.events.len());
    readdress(model, effects);
    effects.push(Effect::Announce(crate::app::view::verdict_announcement(model)));
}

/// Makes a text that came with a link the open one.
pub(super) fn take(model: &mut Model, text: &str) {
    if *text != *model.text {
        let past = model.past();
        model.history.push(past);
        show(model, text.into());
    }
    model.unsaved = false;
}

/// The answer to a question: yes.
pub(super) fn confirmed(model: &mut Model, id: NoticeId, effects: &mut Vec<Effect>) {
    let Some(index) = model.notices.iter().position(|notice| notice.id == id) else {
        return;
    };
    model.unsaved = false;
    match model.notices.remove(index).what {
        NoticeWhat::Replace(Asked::Preset(id)) => preset(model, &id, effects),
        NoticeWhat::Replace(Asked::Variant(id)) => variant(model, &id, effects),
        NoticeWhat::Replace(Asked::Link(shared)) => open_shared(model, &shared, effects),
        NoticeWhat::Replace(Asked::Design(text)) => replace(model, text, effects),
        NoticeWhat::Replace(Asked::Set(index)) => super::designs::compare(model, index, effects),
        NoticeWhat::Replace(Asked::Comparison(compared)) => super::designs::show_linked(model, &compared, effects),
        NoticeWhat::BrokenLink(LinkError::ComparedChanged { present, .. }) => {
            super::designs::show_linked(model, &present, effects);
        }
        NoticeWhat::BrokenLink(LinkError::PresetChanged { present, .. }) => open_shared(model, &present, effects),
        _ => {}
    }
}

/// The text as somebody types it.
pub(super) fn typed(model: &mut Model, text: Text, effects: &mut Vec<Effect>) {
    if text == model.text {
        return;
    }
    let past = model.past();
    model.history.push_typed(past);
    model.unsaved = true;
    show(model, text);
    readdress(model, effects);
}

/// One more slice: of a long run first, whose whole takes the place of the one that was cut, then of what the strips lack.
pub(super) fn go_on(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.drag.is_some() {
        // Nothing under the finger changes but the marker.
        return;
    }
    match (&mut model.longer, &model.ahead) {
        (Some(longer), _) => {
            if let Some(trace) = longer.go_on() {
                finish_run(model, trace, effects);
            }
        }
        (None, Some(ahead)) => {
            if ahead.go_on(ahead::SLICE, Rc::make_mut(&mut model.survey)) {
                model.ahead = None;
            }
        }
        (None, None) => {}
    }
}

fn finish_run(model: &mut Model, trace: Trace, effects: &mut Vec<Effect>) {
    model.longer = None;
    let run = Rc::new(Run::judged(&model.played.scenario, trace));
    model.played = Rc::new(Played {
        run,
        ..(*model.played).clone()
    });
    head::clamp(model);
    effects.push(Effect::Announce(crate::app::view::verdict_announcement(model)));
}

pub(super) fn undo(model: &mut Model, effects: &mut Vec<Effect>) {
    let now = model.past();
    if let Some(past) = model.history.undo(now) {
        restore(model, past, effects);
    }
}

pub(super) fn redo(model: &mut Model, effects: &mut Vec<Effect>) {
    let now = model.past();
    if let Some(future) = model.history.redo(now) {
        restore(model, future, effects);
    }
}

fn restore(model: &mut Model, past: Past, effects: &mut Vec<Effect>) {
    show(model, past.text);
    model.head = past.head;
    head::clamp(model);
    readdress(model, effects);
    effects.push(Effect::Announce(crate::app::view::verdict_announcement(model)));
}

/// Opens a text as a step that can be undone and that the browser's Back returns from.
pub(super) fn replace(model: &mut Model, text: Text, effects: &mut Vec<Effect>) {
    if text == model.text {
        model.overlay = None;
        return;
    }
    let past = model.past();
    model.history.push(past);
    model.unsaved = false;
    model.head = Head::End;
    model.overlay = None;
    model.selected = None;
    model.strikes = Strikes::CRASH;
    show(model, text);
    push_address(model, effects);
    effects.push(Effect::Announce(crate::app::view::verdict_announcement(model)));
}

/// The address of something else, which the browser's Back returns from.
pub(super) fn push_address(model: &mut Model, effects: &mut Vec<Effect>) {
    designs::follow(model);
    model.copied = false;
    model.link = fragment(model).unwrap_or_default().into();
    effects.push(Effect::PushFragment(model.link.to_string()));
}

/// Changes the text by a program's edit of a line: one step that can be undone.
pub(super) fn edited(model: &mut Model, text: Text, effects: &mut Vec<Effect>) {
    if text == model.text {
        return;
    }
    let past = model.past();
    model.history.push(past);
    show(model, text);
    readdress(model, effects);
    effects.push(Effect::Announce(crate::app::view::verdict_announcement(model)));
}

/// Makes a text the open one: reads, runs, judges, looks ahead. With errors the last good one stays shown.
pub(super) fn show(model: &mut Model, text: Text) {
    model.text = text.clone();
    model.copied = false;
    match Played::of(text, EVENTS_AT_ONCE) {
        Err(mistakes) => model.mistakes = mistakes.into(),
        Ok(played) => {
            model.mistakes = Rc::new([]);
            model.selected = model.selected.filter(|marker| *marker < played.faults.len());
            if matches!(model.overlay, Some(Overlay::Menu(marker)) if marker >= played.faults.len()) {
                model.overlay = None;
            }
            model.finding = 0;
            if !Strikes::all(played.program()).contains(&model.strikes) {
                model.strikes = Strikes::CRASH;
            }
            model.longer = played.run.is_cut().then(|| Longer::of(&played));
            model.played = Rc::new(played);
            survey::look(model);
            head::clamp(model);
        }
    }
}
