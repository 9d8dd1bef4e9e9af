//! The first ten seconds of somebody who has never seen the page.

use crate::gestures::Pointer;
use crate::page::with_page;
use crate::scene::{HEALTHY, LOST, MARKERS, SCENARIO, VERDICT, strip};
use serde_json::json;

const HINT: &str = "document.querySelector('.marker-hint')?.textContent ?? null";

#[test]
fn the_page_opens_on_a_lost_order() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        assert_eq!(page.value(SCENARIO).await, "O1");
        assert_eq!(
            page.value(MARKERS).await,
            json!(["Shop crashes after commit, first time"])
        );
        assert_eq!(page.value(&strip("Shop")).await, "✓✓✓✗✓");
        let open = "document.querySelector('dialog[open], .menu, .notice')";
        assert_eq!(page.value(open).await, json!(null), "nothing lies over the page");
    });
}

#[test]
fn the_sentence_is_red_and_turns_green() {
    with_page(async |page| {
        page.open("").await;
        // Red and green are what reaches the eye: the sign's colour, painted and read back.
        let colour = "(() => {
            const canvas = document.createElement('canvas').getContext('2d');
            canvas.fillStyle = getComputedStyle(document.querySelector('.verdict-symbol')).color;
            canvas.fillRect(0, 0, 1, 1);
            const [red, green] = canvas.getImageData(0, 0, 1, 1).data;
            return red > green ? 'red' : 'green';
        })()";
        page.becomes(colour, "red").await;
        page.click(".fault-earlier").await;
        page.becomes(VERDICT, HEALTHY).await;
        page.becomes(colour, "green").await;
    });
}

#[test]
fn the_crash_asks_to_be_dragged_until_it_was() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(HINT, "crash, drag me").await;
        let (handle, cell) = (page.handle(0).await, page.cell("Shop", 2).await);
        page.drag(Pointer::Mouse, handle, handle.moved(cell.x - handle.x, 0.0))
            .await;
        page.becomes(HINT, json!(null)).await;
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.becomes(HINT, json!(null)).await;
    });
}

#[test]
fn a_strip_says_in_words_what_a_crash_would_bring() {
    with_page(async |page| {
        page.open("").await;
        let summary = "document.querySelector('.summaries').innerText";
        page.becomes(summary, "4 of 5 crash points of Shop are harmless, 1 loses order 1001.")
            .await;
        let cell = page.cell("Shop", 3).await;
        page.move_to(Pointer::Mouse, cell).await;
        page.wait_for_text(".pointed", "Order 1001 is saved and paid").await;
    });
}
