//! The search in its worker: it starts, says how far it is, waits, goes on, ends; and the page answers all the while.

use crate::gestures::{Point, Pointer};
use crate::page::{Page, with_page};
use crate::scene::{LOST, MARKERS, SCENARIO, VERDICT, link_of, preset};
use crate::server::FOLDER;
use serde_json::json;

const STAGE: &str = "document.querySelector('.finder-stage').innerText";
const ANSWER: &str = "document.querySelector('.finder-answer').innerText.trim()";
const COUNT: &str = "document.querySelector('.finder-count').innerText";

/// Sixty orders, each saved, sent, and taken up: some hundred thousand pairs, too many for a test.
const LARGE: &str = include_str!("large.crash");

/// One message that is handed out again for ever.
const POISON: &str = "\
scenario endless-poison

broker rabbit
  queue events

service Shop
  at 0s
    publish events (id = 1)

service Consumer
  receive events as m
    nack m

promise no rabbit.events
";

/// As many processes of a service as a text may have.
const CROWD: &str = "\
scenario endless-crowd

broker rabbit
  queue greetings

service Greeter x1000
  every 1s
    publish greetings (id = self)

promise no rabbit.greetings
";

/// Never asks anybody for anything.
const LOOP: &str = "\
scenario endless-loop

broker rabbit
  queue greetings

service Spinner
  start
    publish greetings (id = 1)
    n = 0
    repeat
      n = n + 1

promise no rabbit.greetings
";

async fn open_tab(page: &Page, fragment: &str) {
    page.open(fragment).await;
    page.click(".tab-finder").await;
    page.wait_until("document.querySelector('.finder')").await;
}

/// Clicks Help and waits for it.
async fn answers(page: &Page) {
    page.click("button[aria-label=Help]").await;
    page.becomes("document.querySelector('dialog[open]') !== null", true)
        .await;
    page.keys(&["Escape"]).await;
    page.becomes("document.querySelector('dialog[open]') === null", true)
        .await;
}

#[test]
fn a_worker_finds_the_smallest_set_and_it_goes_onto_the_timeline() {
    with_page(async |page| {
        open_tab(page, "").await;
        page.click(".fault-menu").await;
        page.press("Remove").await;
        page.becomes(MARKERS, json!([])).await;
        page.click(".finder-begin").await;
        page.wait_for_text(".finder-answer", "This one alone: Shop").await;
        page.wait_for_text(".finder-count", "run").await;
        page.click(".finder-show").await;
        page.becomes(VERDICT, LOST).await;
        page.becomes("document.querySelector('.finder-earlier').hidden", true)
            .await;
        page.screenshot("finder").await;
        page.press("Undo").await;
        page.becomes(MARKERS, json!([])).await;
    });
}

#[test]
fn a_search_below_a_folder_finds_its_program_too() {
    with_page(async |page| {
        page.load(FOLDER, "").await;
        page.wait_until("'started' in document.documentElement.dataset").await;
        page.click(".tab-finder").await;
        page.click(".finder-begin").await;
        page.wait_for_text(".finder-answer", "This one alone").await;
    });
}

#[test]
fn the_map_of_pairs_is_used_by_click_and_by_keyboard() {
    with_page(async |page| {
        open_tab(page, &preset("O3")).await;
        page.click(".finder-all").await;
        page.wait_for_text(".finder-answer", "All tried").await;
        page.screenshot("pairs").await;
        page.focus(".pairs-drawing").await;
        page.keys(&["PageDown", "Home", "ArrowUp", "ArrowRight"]).await;
        let look = "[document.querySelector('.pairs-drawing').dataset.row, document.querySelector('.pairs-drawing').dataset.column]";
        let size = page
            .value("Math.sqrt(2 * document.querySelectorAll('.pairs-legend li').values().map((item) => Number(item.innerText.split(': ')[1])).reduce((all, one) => all + one) + 0.25) - 0.5")
            .await;
        let size = size.as_f64().expect("a number") as u64;
        page.becomes(look, json!([(size - 2).to_string(), "1"])).await;
        page.becomes("document.querySelector('.pairs-sentence').innerText.length > 10", true)
            .await;
        page.keys(&["Enter"]).await;
        page.becomes(
            &format!("{MARKERS}.length + document.querySelectorAll('.not-reached button').length"),
            2,
        )
        .await;
        let corner = "(() => { const place = document.querySelector('.pairs-drawing').getBoundingClientRect(); return [place.left, place.top]; })()";
        page.run("document.querySelector('.pairs-drawing').scrollIntoView({ block: 'center' })")
            .await;
        let place = page.value(corner).await;
        let at = |index: usize| place[index].as_f64().expect("a coordinate");
        let first = Point {
            x: at(0) + 5.0,
            y: at(1) + 5.0,
        };
        page.move_to(Pointer::Mouse, first).await;
        page.becomes(look, json!(["0", "0"])).await;
        page.press_at(Pointer::Mouse, first).await;
        page.let_go(Pointer::Mouse).await;
        page.becomes(&format!("{MARKERS}.length"), 1).await;
        page.press("Undo").await;
        page.press("Undo").await;
        page.becomes(&format!("{MARKERS}.length"), 0).await;
    });
}

#[test]
fn a_long_search_waits_goes_on_and_is_cancelled() {
    with_page(async |page| {
        open_tab(page, &link_of(LARGE)).await;
        page.click(".finder-all").await;
        page.wait_until(&format!("/Sets of two: \\d/.test({COUNT})")).await;
        page.click(".finder-hold").await;
        page.becomes(STAGE, "Paused.").await;
        page.settle().await;
        // What was under way when it was told has been said by then.
        answers(page).await;
        let before = page.value(COUNT).await;
        answers(page).await;
        assert_eq!(page.value(COUNT).await, before, "nothing is done meanwhile");
        page.click(".finder-hold").await;
        page.becomes(STAGE, "Searching.").await;
        page.wait_until(&format!("{COUNT} !== {before}")).await;
        answers(page).await;
        page.screenshot("pairs-large").await;
        // A letter for each of its thousands of cells would take a browser longer than a frame, again and again.
        let letters = "document.querySelector('.pairs-drawing').textContent.replace(/\\s/g, '').length";
        let letters = page.value(letters).await.as_u64().expect("a number");
        assert!((1..20).contains(&letters), "{letters} letters in the drawing");
        page.click(".finder-cancel").await;
        page.becomes(STAGE, "Cancelled.").await;
        page.becomes("document.querySelector('.finder-begin').disabled", false)
            .await;
    });
}

#[test]
fn an_edit_ends_a_search_and_says_so() {
    with_page(async |page| {
        open_tab(page, &link_of(LARGE)).await;
        page.click(".finder-all").await;
        page.wait_until(&format!("/Sets of two: \\d/.test({COUNT})")).await;
        page.caret_after("scenario large").await;
        page.type_text("r").await;
        page.becomes(SCENARIO, "larger").await;
        page.becomes(STAGE, "The search was ended: the text was changed.").await;
        page.becomes("document.querySelector('.finder-earlier').hidden", false)
            .await;
        answers(page).await;
    });
}

fn is_stopped_while_the_page_answers(text: &str) {
    with_page(async |page| {
        open_tab(page, &link_of(text)).await;
        page.click(".finder-all").await;
        answers(page).await;
        page.wait_until(&format!("/^Stopped|^All tried|^None/.test({ANSWER})"))
            .await;
        page.wait_for_text(".finder-answer", "not known").await;
        answers(page).await;
    });
}

#[test]
fn a_message_that_always_comes_back_is_stopped() {
    is_stopped_while_the_page_answers(POISON);
}

#[test]
fn a_loop_that_never_asks_is_stopped() {
    is_stopped_while_the_page_answers(LOOP);
}

#[test]
fn a_crowd_is_stopped() {
    is_stopped_while_the_page_answers(CROWD);
}

#[test]
fn a_crowd_that_is_searched_can_be_edited_and_its_search_cancelled() {
    // Each of its runs ends, so that its millions of pairs are too many for any machine: the search is never over by itself.
    let crowd = CROWD.replace("every 1s", "at 0s");
    with_page(async |page| {
        open_tab(page, &link_of(&crowd)).await;
        page.click(".finder-all").await;
        page.becomes("document.querySelector('.finder-cancel').hidden", false)
            .await;
        page.click(".finder-cancel").await;
        page.becomes(STAGE, "Cancelled.").await;
        page.click(".finder-all").await;
        page.becomes("document.querySelector('.finder-cancel').hidden", false)
            .await;
        page.caret_after("scenario endless-crowd").await;
        page.type_text("s").await;
        page.becomes(SCENARIO, "endless-crowds").await;
        page.becomes(STAGE, "The search was ended: the text was changed.").await;
    });
}

#[test]
fn a_page_without_workers_says_so() {
    with_page(async |page| {
        open_tab(page, "").await;
        page.run("window.Worker = class { constructor() { throw new Error('no workers in this test'); } }")
            .await;
        page.click(".finder-begin").await;
        page.wait_for_text(".finder-stage", "no workers in this test").await;
    });
}

#[test]
fn the_strips_show_what_is_chosen() {
    with_page(async |page| {
        page.open(&preset("O3")).await;
        let cells = "document.querySelectorAll('.cell').length";
        let before = page.value(cells).await;
        page.run(
            "const select = document.querySelector('.strikes-select');
             select.value = 'lose-reply';
             select.dispatchEvent(new Event('change', { bubbles: true }));",
        )
        .await;
        page.wait_until(&format!("{cells} !== {before}")).await;
        page.wait_until("/loses the reply/.test(document.querySelector('.cell').getAttribute('aria-label'))")
            .await;
        page.screenshot("strips-lose-reply").await;
        page.click(".cell").await;
        page.wait_until(&format!("{MARKERS}.some((marker) => /loses the reply/.test(marker))"))
            .await;
    });
}
