//! What a drag step costs in a browser, beside a click in the smallest Yew page: `make bench`. Prints figures of one run;
//! judges nothing.
//!
//! Figures are Chromium's own sums (`Performance.getMetrics`, in the thread's own time) over 100 steps, per step, medians of
//! five drags. Each step goes to another gap than the one before and has a frame of its own. *Task* is all that the page's
//! main thread did: it contains script, layout and style, and besides them painting, the browser's own work for an input event, and the driver's.
//! *Hover* shows how much the latter is: the same moves over the page's margin with no button pressed. *Sum* is task +
//! script + layout + style, which counts the last three twice: the strictest reading.
//!
//! Then how smooth the page stays while a worker searches: times between two frames, and tasks of more than 50 ms, with the map of
//! pairs of a large scenario growing; beside them the same without a search.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the harness waits for a browser"
)]

#[path = "../tests/browser/chromium.rs"]
mod chromium;
#[path = "../tests/browser/gestures.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod gestures;
#[path = "../tests/browser/page.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod page;
#[path = "../tests/browser/server.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod server;

use crashpoint::link::{Shared, View, encode};
use crashpoint::scenarios;
use gestures::Point;
use page::{Page, with_page};
use serde_json::{Value, json};
use std::time::Duration;

const STEPS: usize = 100;
const DRAGS: usize = 5;
/// A frame at 60 Hz, in milliseconds.
const FRAME: f64 = 1_000.0 / 60.0;
/// Where the smallest page lies below the page that is served.
const MINIMAL: &str = "/minimal/index.html";

/// Milliseconds of one step.
#[derive(Clone, Copy)]
struct Cost {
    task: f64,
    script: f64,
    layout: f64,
    style: f64,
}

fn main() {
    println!("ms a step, over {STEPS} steps, medians of {DRAGS}");
    println!(
        "{:<22} {:>7} {:>7} {:>7} {:>7} {:>7} {:>14} {:>8}",
        "", "task", "script", "layout", "style", "sum", "of 1/2 frame", "clicks"
    );
    let mut click = None;
    with_page(async |page| click = Some(clicks(page).await));
    let click = click.expect("the clicks were measured");
    print("click, smallest page", click, click);
    for id in ["O1", "O10"] {
        with_page(async |page| {
            let hover = hovers(page, id).await;
            print(&format!("hover beside {id}"), hover, click);
            let drag = drags(page, id).await;
            print(&format!("drag in {id}"), drag, click);
        });
    }
    with_page(smoothness);
}

/// Many pairs: orders that are saved, sent, and taken up.
const LARGE: &str = include_str!("../tests/browser/large.crash");

/// How long frames are watched.
const WATCHED: Duration = Duration::from_secs(8);

/// Prints how smooth the page is, without a search and with one.
async fn smoothness(page: &Page) {
    println!("\nframes over {} s, in frames at 60 Hz", WATCHED.as_secs());
    println!(
        "{:<22} {:>7} {:>8} {:>8} {:>8} {:>11} {:>9}",
        "", "frames", "median", "95 %", "longest", "long tasks", "longest"
    );
    // So many that the search goes on for longer than it is watched.
    let larger = LARGE.replace("times 60", "times 300");
    assert_ne!(larger, LARGE);
    page.open(&encode(&shared(&larger)).expect("a short text")).await;
    page.click(".tab-finder").await;
    page.settle().await;
    watch(page, "no search").await;
    page.click(".finder-all").await;
    page.wait_until("/Sets of two: \\d/.test(document.querySelector('.finder-count').innerText)")
        .await;
    watch(page, "map of pairs").await;
    page.click(".finder-cancel").await;
}

async fn watch(page: &Page, name: &str) {
    page.run(
        "window.gaps = []; window.tasks = []; window.watching = true;
         window.observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((task) => task.duration)));
         observer.observe({ entryTypes: ['longtask'] });
         let last = performance.now();
         const frame = (now) => { gaps.push(now - last); last = now; if (watching) requestAnimationFrame(frame); };
         requestAnimationFrame(frame);",
    )
    .await;
    tokio::time::sleep(WATCHED).await;
    let found = page
        .run("watching = false; observer.disconnect(); return [gaps, tasks];")
        .await;
    let sorted = |index: usize| {
        let all = found[index].as_array().into_iter().flatten();
        let mut all: Vec<f64> = all.filter_map(Value::as_f64).map(|time| time / FRAME).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let (gaps, tasks) = (sorted(0), sorted(1));
    let at = |share: usize| gaps.get(gaps.len() * share / 100).copied().unwrap_or_default();
    println!(
        "{name:<22} {:>7} {:>8.2} {:>8.2} {:>8.2} {:>11} {:>9.2}",
        gaps.len(),
        at(50),
        at(95),
        gaps.last().copied().unwrap_or_default(),
        tasks.len(),
        tasks.last().copied().unwrap_or_default()
    );
}

fn print(name: &str, cost: Cost, click: Cost) {
    let Cost {
        task,
        script,
        layout,
        style,
    } = cost;
    println!(
        "{name:<22} {task:>7.2} {script:>7.2} {layout:>7.2} {style:>7.2} {:>7.2} {:>13.0}% {:>8.1}",
        cost.sum(),
        cost.sum() / (FRAME / 2.0) * 100.0,
        task / click.task
    );
}

/// Clicks the smallest page's button.
async fn clicks(page: &Page) -> Cost {
    page.load(MINIMAL, "").await;
    let button = page.centre("#count").await;
    measured(page, async |_| {
        mouse(page, "mousePressed", button, 1).await;
        mouse(page, "mouseReleased", button, 0).await;
    })
    .await
}

/// Moves with no button pressed, over the margin at the page's left edge.
async fn hovers(page: &Page, id: &str) -> Cost {
    open(page, id).await;
    measured(page, async |step| {
        let y = 300.0 + 20.0 * (step % 2) as f64;
        mouse(page, "mouseMoved", Point { x: 2.0, y }, 0).await;
    })
    .await
}

/// Drags the first marker through the gaps in view, back and forth.
async fn drags(page: &Page, id: &str) -> Cost {
    open(page, id).await;
    let handle = page.centre(".marker-handle").await;
    let stops = stops(page).await;
    let stop = |step: usize| Point {
        x: stops[there_and_back(step, stops.len())], // within the stops
        y: handle.y,
    };
    mouse(page, "mouseMoved", handle, 0).await;
    mouse(page, "mousePressed", handle, 1).await;
    // Once without the clock: does each step move the marker?
    let mut before = Value::Null;
    for step in 0..2 * stops.len() {
        mouse(page, "mouseMoved", stop(step), 1).await;
        let now = "document.querySelector('.marker').getAttribute('aria-valuenow')";
        before = page.wait_until(&format!("{now} !== {before} && {now}")).await;
    }
    let cost = measured(page, async |step| mouse(page, "mouseMoved", stop(step), 1).await).await;
    mouse(page, "mouseReleased", stop(0), 0).await;
    cost
}

async fn open(page: &Page, id: &str) {
    let preset = scenarios::find(id).expect("a preset of that name");
    page.open(&encode(&shared(preset.text)).expect("a preset fits into a link"))
        .await;
    page.settle().await;
}

fn shared(text: &str) -> Shared {
    Shared {
        text: text.to_owned(),
        view: View::default(),
    }
}

/// Middles of the gaps of the first marker's lane that are well within view, in pixels from the left.
async fn stops(page: &Page) -> Vec<f64> {
    let middles = page
        .value(
            "(() => {
                const middle = (box) => box.x + box.width / 2;
                const view = document.querySelector('.timeline-scroller').getBoundingClientRect();
                const names = document.querySelector('.lane-name').getBoundingClientRect();
                const strip = document.querySelector('.cell-current').closest('.strip');
                return [...strip.querySelectorAll('.cell')]
                    .map((cell) => middle(cell.getBoundingClientRect()))
                    .filter((x) => x > names.right + 60 && x < view.right - 60);
            })()",
        )
        .await;
    let middles: Vec<f64> = middles
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect();
    assert!(middles.len() > 1, "there are gaps to drag through");
    middles
}

/// 0, 1, … last, last - 1, … 1, 0, 1, …
fn there_and_back(step: usize, count: usize) -> usize {
    let last = count - 1;
    let at = step % (2 * last);
    at.min(2 * last - at)
}

/// The median cost of a step, component by component.
async fn measured(page: &Page, step: impl AsyncFn(usize)) -> Cost {
    // The time the thread ran, so that what else the machine does counts less.
    page.devtools("Performance.enable", json!({ "timeDomain": "threadTicks" }))
        .await;
    let mut found = Vec::new();
    for _ in 0..DRAGS {
        page.settle().await;
        let before = metrics(page).await;
        for number in 0..STEPS {
            step(number).await;
        }
        page.settle().await;
        let after = metrics(page).await;
        found.push(Cost::between(before, after));
    }
    let median = |of: fn(&Cost) -> f64| {
        let mut all: Vec<f64> = found.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[DRAGS / 2] // there are that many
    };
    Cost {
        task: median(|cost| cost.task),
        script: median(|cost| cost.script),
        layout: median(|cost| cost.layout),
        style: median(|cost| cost.style),
    }
}

/// Seconds since the page was loaded: task, script, layout, style.
async fn metrics(page: &Page) -> [f64; 4] {
    let answer = page.devtools("Performance.getMetrics", json!({})).await;
    let metrics = answer["metrics"].as_array().expect("a list of metrics");
    [
        "TaskDuration",
        "ScriptDuration",
        "LayoutDuration",
        "RecalcStyleDuration",
    ]
    .map(|name| {
        let metric = metrics.iter().find(|metric| metric["name"] == name);
        metric
            .and_then(|metric| metric["value"].as_f64())
            .unwrap_or_else(|| panic!("no metric {name}"))
    })
}

/// One event straight to the browser: the driver would run a script of its own for each.
async fn mouse(page: &Page, kind: &str, at: Point, buttons: u32) {
    // A move with a button down names the button, or the browser takes it for let go.
    let button = if kind == "mouseMoved" && buttons == 0 {
        "none"
    } else {
        "left"
    };
    let event = json!({ "type": kind, "x": at.x, "y": at.y, "button": button, "buttons": buttons, "clickCount": 1 });
    page.devtools("Input.dispatchMouseEvent", event).await;
}

impl Cost {
    fn between(before: [f64; 4], after: [f64; 4]) -> Cost {
        let step = |index: usize| (after[index] - before[index]) * 1e3 / STEPS as f64; // one of the four
        Cost {
            task: step(0),
            script: step(1),
            layout: step(2),
            style: step(3),
        }
    }

    fn sum(self) -> f64 {
        self.task + self.script + self.layout + self.style
    }
}
