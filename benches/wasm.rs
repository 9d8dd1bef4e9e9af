//! The engine as the page runs it: in Wasm, in a headless Chromium, built like the page (`wasm-opt` alone is missing).
//! `make bench`, or with the tools at hand
//! `cargo test --release --target wasm32-unknown-unknown --bench wasm -- --nocapture`. Prints figures of one run; judges nothing.
//!
//! Of every preset, as it is written:
//!
//! - *shown*: run + verdict + view model, against 1/20 of a frame;
//! - *sweep*: a crash in each of its gaps, one at a time, with the verdicts, against 1/2 of a frame;
//! - *strips*: what the page does for its strips, without the preset's own crashes: a crash in each gap and one while each request
//!   is under way, one at a time, against a frame;
//! - *pairs*: the map of all pairs of crashes, as the page's worker makes it, against a second.
//!
//! Beside each median stands the least that was measured: on a busy machine it says more. Pairs are made once.
#![cfg(target_arch = "wasm32")]

use crashpoint::app::finder::seeker::Seeker;
use crashpoint::app::finder::{Finder, Order};
use crashpoint::app::message::{Effect, Message};
use crashpoint::app::model::{Model, Start, Theme};
use crashpoint::app::strikes::Strikes;
use crashpoint::program::{Fault, Point, RESTART_DEFAULT};
use crashpoint::scenarios::Preset;
use crashpoint::search::FaultKind;
use crashpoint::simulation::{EVENTS_MAX, run, sweep};
use crashpoint::words::Language;
use crashpoint::{app, language, scenarios, verdict};
use js_sys::{Function, Promise};
use std::hint::black_box;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// A frame at 60 Hz, in milliseconds.
const FRAME: f64 = 1_000.0 / 60.0;
/// Figures are medians of so many batches.
const BATCHES: usize = 31;
/// A batch repeats its work for so many milliseconds: the browser's clock ticks ten times in one.
const BATCH: f64 = 3.0;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds, in steps of a tenth.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(done: &Function, milliseconds: i32);
}

/// Lets the browser answer: the runner asks how far it is, and takes half a minute's silence for a crash.
async fn breathe() {
    let soon = Promise::new(&mut |done, _| set_timeout(&done, 0));
    JsFuture::from(soon).await.expect("a time-out is never refused");
}

#[wasm_bindgen_test]
async fn presets() {
    console_log!("in frames at 60 Hz (16.67 ms), medians of {BATCHES} (least)");
    console_log!("preset      events           shown  of 1/20            sweep   of 1/2");
    let mut most = (0.0_f64, 0.0_f64);
    for preset in scenarios::all() {
        breathe().await;
        let (events, shown, swept) = measure(preset);
        let used = (shown.median * 20.0, swept.median * 2.0);
        most = (most.0.max(used.0), most.1.max(used.1));
        console_log!(
            "{:<10} {events:>7} {:>7.4} ({:.4}) {:>7.0}% {:>7.4} ({:.4}) {:>7.0}%",
            preset.id,
            shown.median,
            shown.least,
            100.0 * used.0,
            swept.median,
            swept.least,
            100.0 * used.1
        );
    }
    console_log!(
        "most: shown {:.0}% of 1/20 frame, sweep {:.0}% of 1/2 frame",
        100.0 * most.0,
        100.0 * most.1
    );
}

#[wasm_bindgen_test]
async fn strips() {
    console_log!("strips of both sorts of crash, in frames at 60 Hz, medians of {BATCHES} (least); the ten longest");
    let mut found: Vec<(&str, usize, Took)> = Vec::new();
    for preset in scenarios::all() {
        breathe().await;
        found.push(strips_of(preset));
    }
    found.sort_by(|one, other| other.2.median.total_cmp(&one.2.median));
    for (id, cells, took) in found.iter().take(10) {
        console_log!(
            "{id:<10} {cells:>5} cells {:>7.3} ({:.3}) frames",
            took.median,
            took.least
        );
    }
    let over = found.iter().filter(|(_, _, took)| took.median > 1.0).count();
    console_log!("{over} of {} presets take more than a frame", found.len());
}

/// A preset's cells for both sorts of crash, and how long the page takes to fill them.
fn strips_of(preset: &Preset) -> (&'static str, usize, Took) {
    let mut model = opened(preset);
    while let Some(marker) = crash_in(&model) {
        app::update(&mut model, Message::RemoveMarker(marker));
    }
    finish(&mut model);
    let during = Strikes {
        during: true,
        ..Strikes::CRASH
    };
    let fill = |model: &Model| {
        let mut model = model.clone();
        let mut cells = 0;
        for strikes in [&during, &Strikes::CRASH] {
            app::update(&mut model, Message::SetStrikes(strikes.clone()));
            finish(&mut model);
            let tried = model.survey.strips.iter().flat_map(|strip| &strip.tried);
            cells += tried.flatten().count();
        }
        cells
    };
    let cells = fill(&model);
    (
        preset.id,
        cells,
        frames(|| {
            black_box(fill(&model));
        }),
    )
}

fn crash_in(model: &Model) -> Option<usize> {
    let mut faults = model.played.faults.iter();
    faults.position(|line| matches!(line.fault, Fault::Crash(..)))
}

/// Answers what the page asks for until nothing is left to be computed.
fn finish(model: &mut Model) {
    while model.has_more_to_do() && app::update(model, Message::GoOn).contains(&Effect::GoOnSoon) {}
}

#[wasm_bindgen_test]
async fn pairs() {
    console_log!("all pairs of crashes, in seconds; those above one");
    let mut took: Vec<f64> = Vec::new();
    for preset in scenarios::all() {
        breathe().await;
        let (seconds, said) = pairs_of(preset);
        if seconds > 1.0 {
            console_log!("{:<10} {seconds:>7.2} s  {said}", preset.id);
        }
        took.push(seconds);
    }
    took.sort_by(f64::total_cmp);
    let over = took.iter().filter(|seconds| **seconds > 1.0).count();
    console_log!(
        "{over} of {} presets take more than a second; median {:.3} s, most {:.2} s",
        took.len(),
        took[took.len() / 2], // there are presets
        took.last().copied().unwrap_or_default()
    );
}

/// Seconds that a preset's map of pairs is waited for at most.
const PATIENCE: f64 = 20.0;

/// How long a preset's map takes, and what it came to.
fn pairs_of(preset: &Preset) -> (f64, String) {
    let mut finder = Finder::default();
    finder.choose(FaultKind::LoseReply, false);
    let order = finder.begin(&preset.text.into(), true);
    let Some(Order::Begin { ask, .. }) = order else {
        panic!("{}: nothing to search", preset.id)
    };
    let start = now();
    let mut seeker = Seeker::begin(&ask).unwrap_or_else(|why| panic!("{}: {why}", preset.id));
    loop {
        let news = seeker.go_on(100_000);
        let seconds = (now() - start) / 1e3;
        if news.answer.is_some() || seconds > PATIENCE {
            return (seconds, format!("{:?}, {} runs", news.answer, news.progress.runs));
        }
    }
}

/// What some work takes, in frames.
struct Took {
    median: f64,
    least: f64,
}

/// Events of a preset's run, what showing it takes, and what its sweep takes.
fn measure(preset: &Preset) -> (usize, Took, Took) {
    let scenario = language::parse(preset.text).unwrap_or_else(|found| panic!("{}: {found:?}", preset.id));
    let faults: Vec<Fault> = scenario.faults.iter().map(|line| line.fault.clone()).collect();
    let model = opened(preset);
    let shown = frames(|| {
        let trace = run(&scenario.program, &faults, EVENTS_MAX);
        black_box(verdict::judge(&scenario, &trace.last, trace.ended));
        black_box(app::view(&model));
    });
    let crash = |point: &Point| Fault::Crash(point.clone(), Some(RESTART_DEFAULT));
    let swept = frames(|| {
        sweep(&scenario.program, &[], &crash, EVENTS_MAX, &mut |_, world, ended| {
            black_box(verdict::judge(&scenario, world, ended));
        });
    });
    (model.played.run.trace.events.len(), shown, swept)
}

/// The page's model with a preset open.
fn opened(preset: &Preset) -> Model {
    let start = Start {
        language: Language::En,
        theme: Theme::System,
        fragment: String::new(),
        bests: std::collections::BTreeMap::new(),
        first_drag_done: true,
    };
    let (mut model, _) = app::open(&start);
    app::update(&mut model, Message::OpenPreset(preset.id.into()));
    model
}

fn frames(work: impl Fn()) -> Took {
    let batch = || {
        let start = now();
        let mut times = 0.0;
        loop {
            work();
            times += 1.0;
            let took = now() - start;
            if took >= BATCH {
                return took / times / FRAME;
            }
        }
    };
    let mut found: Vec<f64> = (0..BATCHES).map(|_| batch()).collect();
    found.sort_by(f64::total_cmp);
    Took {
        median: found[BATCHES / 2], // there are that many
        least: found[0],
    }
}
