//! The application as the page uses it: messages in, a view out. No browser.

use crashpoint::app::message::{Effect, Message};
use crashpoint::app::model::{Model, Start, Theme};
use crashpoint::app::view::{Lane, Marker, Strip, View, Worth};
use crashpoint::app::{open, update, view};
use crashpoint::program::Kind;
use crashpoint::words::Language;
use std::collections::BTreeMap;

mod brokers;
mod comparison;
mod drag;
mod finder;
mod links;
mod long_runs;
mod markers;
mod monkey;
mod opening;
mod panels;
mod play_head;
mod strips;

/// The page as it opens with an address.
fn open_at(fragment: &str) -> Model {
    let start = Start {
        language: Language::En,
        theme: Theme::System,
        fragment: fragment.to_owned(),
        first_drag_done: false,
        bests: BTreeMap::new(),
    };
    open(&start).0
}

/// The page with a preset.
fn preset(id: &str) -> Model {
    let mut model = open_at("");
    update(&mut model, Message::OpenPreset(id.into()));
    assert_eq!(&*view(&model).header.id, id);
    model
}

/// The page with a text of the test's own.
fn text(text: &str) -> Model {
    let mut model = open_at("");
    update(&mut model, Message::EditText(text.into()));
    assert_eq!(
        view(&model).program.diagnostics.to_vec(),
        [],
        "the test's text has errors"
    );
    model
}

fn worth(model: &Model) -> Worth {
    view(model).verdict.worth
}

fn marker(view: &View) -> &Marker {
    view.timeline.markers.first().expect("a marker on the timeline")
}

fn lane<'a>(view: &'a View, name: &str) -> (usize, &'a Lane) {
    let mut lanes = view.timeline.lanes.iter().enumerate();
    lanes.find(|(_, lane)| lane.name == name).expect("a lane of that name")
}

fn strip<'a>(view: &'a View, name: &str) -> &'a Strip {
    lane(view, name)
        .1
        .strip
        .as_ref()
        .expect("an instance's lane has a strip")
}

fn worths(strip: &Strip) -> Vec<Option<Worth>> {
    strip.cells.iter().map(|cell| cell.worth).collect()
}

/// The fault lines of the open text.
fn faults(model: &Model) -> Vec<String> {
    let lines = model
        .text
        .lines()
        .filter(|line| crashpoint::link::fault_lines::is_fault_line(line));
    lines.map(str::to_owned).collect()
}

/// The fragment that the last of the effects puts into the address.
fn address(effects: &[Effect]) -> String {
    let mut fragments = effects.iter().filter_map(|effect| match effect {
        Effect::ReplaceFragment(fragment) | Effect::PushFragment(fragment) => Some(fragment.clone()),
        _ => None,
    });
    fragments.next_back().expect("an effect on the address")
}

const LOST: Worth = Worth::Finding(Kind::Lost);
