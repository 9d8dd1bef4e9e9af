//! From one design to another, by the variants, by the list of all, and back by the browser.

use crate::page::with_page;
use crate::scene::{CAN_UNDO, LOST, MARKERS, SCENARIO, VERDICT};
use serde_json::json;

#[test]
fn the_same_crash_goes_along_to_another_design() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.click("[data-variant=O3]").await;
        page.becomes(SCENARIO, "O3").await;
        page.becomes(MARKERS, json!(["Shop crashes after commit, first time"]))
            .await;
        page.becomes(VERDICT, "Healthy. Every saved order has been announced exactly once.")
            .await;
    });
}

#[test]
fn the_browsers_back_button_returns_and_forward_goes_on() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let address = page.fragment().await;
        page.click("[data-variant=O3]").await;
        page.becomes(SCENARIO, "O3").await;
        let other = page.fragment().await;
        assert_ne!(other, address);
        page.client.back().await.expect("the page before");
        page.becomes(SCENARIO, "O1").await;
        page.becomes(VERDICT, LOST).await;
        page.becomes("location.hash", address).await;
        page.run("history.forward()").await;
        page.becomes(SCENARIO, "O3").await;
        page.becomes("location.hash", other).await;
    });
}

#[test]
fn back_returns_to_where_the_markers_were_left() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.click(".fault-earlier").await;
        page.becomes(MARKERS, json!(["Shop crashes after insert-orders, first time"]))
            .await;
        page.click("[data-variant=O3]").await;
        page.becomes(SCENARIO, "O3").await;
        page.client.back().await.expect("the page before");
        page.becomes(SCENARIO, "O1").await;
        page.becomes(MARKERS, json!(["Shop crashes after insert-orders, first time"]))
            .await;
    });
}

#[test]
fn the_list_opens_every_scenario() {
    with_page(async |page| {
        page.open("").await;
        page.click(".header-scenario").await;
        page.click("[data-preset=C01]").await;
        page.becomes(SCENARIO, "C01").await;
        page.becomes("document.querySelector('dialog') === null", true).await;
        page.becomes(CAN_UNDO, true).await;
        page.press("Undo").await;
        page.becomes(SCENARIO, "O1").await;
        page.becomes(VERDICT, LOST).await;
    });
}
