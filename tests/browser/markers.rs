//! Markers that come from the program's gutter and from strips, and those that the run does not reach.

use crate::gestures::Pointer;
use crate::page::with_page;
use crate::scene::{HEALTHY, LOST, MARKERS, NOT_REACHED, TEXT, VERDICT, cell, preset};
use serde_json::json;

fn gutter(line: u64) -> String {
    format!(".gutter-line[data-line='{line}'] button")
}

#[test]
fn a_click_on_a_line_number_crashes_there_and_a_further_click_one_visit_later() {
    with_page(async |page| {
        page.open(&preset("C15")).await;
        page.wait_until(&format!("{MARKERS}.length === 1")).await;
        let line = page
            .line("      publish events (id = row.id, key = row.order_id, body = row.event)")
            .await;
        let last = format!("{MARKERS}.filter((marker) => marker.includes('crashes'))");
        page.click(&gutter(line)).await;
        page.becomes(&last, json!(["Relay crashes after publish-events, first time"]))
            .await;
        page.click(&gutter(line)).await;
        page.becomes(&last, json!(["Relay crashes after publish-events, second time"]))
            .await;
        page.becomes(&format!("{MARKERS}.length"), 2).await;
    });
}

#[test]
fn a_click_after_the_last_visit_takes_the_crash_away() {
    with_page(async |page| {
        page.open(&preset("O3")).await;
        page.becomes(MARKERS, json!([])).await;
        let line = page
            .line("    insert into orders (id, total) values (:id, :total)")
            .await;
        page.click(&gutter(line)).await;
        page.becomes(MARKERS, json!(["Shop crashes after insert-orders, first time"]))
            .await;
        page.click(&gutter(line)).await;
        page.becomes(MARKERS, json!([])).await;
    });
}

#[test]
fn a_click_on_a_strip_puts_the_lanes_marker_there() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.click(&cell("Shop", 1)).await;
        page.becomes(VERDICT, HEALTHY).await;
        page.becomes(MARKERS, json!(["Shop crashes after begin, first time"]))
            .await;
        page.click(&cell("Shop", 3)).await;
        page.becomes(VERDICT, LOST).await;
    });
}

#[test]
fn a_click_on_an_empty_lanes_strip_adds_a_marker() {
    with_page(async |page| {
        page.open(&preset("O3")).await;
        page.becomes(MARKERS, json!([])).await;
        page.click(&cell("Shop", 4)).await;
        page.click(&cell("Relay", 0)).await;
        page.becomes(&format!("{MARKERS}.length"), 2).await;
    });
}

#[test]
fn a_marker_that_is_not_reached_is_shown_and_kept() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.caret_after("crash after Shop.commit.1 restart 5s").await;
        page.type_text("\ncrash after Shop.commit.2 restart 5s").await;
        page.becomes(
            NOT_REACHED,
            json!(["not reached: crash after Shop.commit.2 restart 5s"]),
        )
        .await;
        page.becomes(MARKERS, json!(["Shop crashes after commit, first time"]))
            .await;
        // Another marker's move leaves it alone.
        let (handle, stop) = (page.handle(0).await, page.cell("Shop", 2).await);
        page.drag(Pointer::Mouse, handle, handle.moved(stop.x - handle.x, 0.0))
            .await;
        page.becomes(VERDICT, HEALTHY).await;
        let kept = format!("{TEXT}.includes('crash after Shop.commit.2 restart 5s')");
        assert_eq!(page.value(&kept).await, true);
        assert_eq!(
            page.value(NOT_REACHED).await,
            json!(["not reached: crash after Shop.commit.2 restart 5s"])
        );
    });
}

#[test]
fn a_press_beside_a_menu_closes_it() {
    with_page(async |page| {
        page.open("").await;
        page.click(".fault-menu").await;
        page.becomes("document.querySelector('.menu') !== null", true).await;
        let heading = page.centre("h1").await;
        page.press_at(Pointer::Mouse, heading).await;
        page.let_go(Pointer::Mouse).await;
        page.becomes("document.querySelector('.menu') === null", true).await;
    });
}
