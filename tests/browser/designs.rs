//! From one design to another, by the variants, by the list of all, and back by the browser.

use crate::page::with_page;
use crate::scene::{CAN_UNDO, LOST, MARKERS, SCENARIO, VERDICT, preset};
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

#[test]
fn what_each_design_is_worth_and_costs_stands_in_a_table() {
    with_page(async |page| {
        page.open(&preset("P10")).await;
        page.becomes(SCENARIO, "P10").await;
        page.click(".tab-designs").await;
        let ids = "[...document.querySelectorAll('.design')].map((design) => design.dataset.design)";
        page.becomes(ids, json!(["P10", "P10-two", "P10-four"])).await;
        // Eight payments of 5 s each: one instance needs 40 s, two 20 s, four 10 s.
        let curves = "document.querySelectorAll('.designs-chart:not([hidden]) .chart-curve').length";
        page.becomes(curves, 3).await;
        page.screenshot("designs").await;
        page.resize(390, 844).await;
        page.settle().await;
        page.screenshot("designs-390").await;
        let wide = page.value("document.documentElement.scrollWidth").await;
        assert!(wide.as_u64().is_some_and(|wide| wide <= 390), "{wide} pixels");
        page.resize(1280, 900).await;
        page.click("[data-design=P10-four]").await;
        page.becomes(SCENARIO, "P10-four").await;
        page.becomes(
            "document.querySelector('.design[aria-current]').dataset.design",
            "P10-four",
        )
        .await;
    });
}

#[test]
fn the_list_is_searched_by_what_one_remembers() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.click(".header-scenario").await;
        page.becomes("document.querySelectorAll('.preset').length > 100", true)
            .await;
        page.screenshot("picker").await;
        page.click(".picker-search").await;
        page.type_text("sidekiq phantom").await;
        let ids = "[...document.querySelectorAll('.preset')].map((preset) => preset.dataset.preset)";
        page.becomes(ids, json!(["C02"])).await;
        page.screenshot("picker-search").await;
        page.type_text(" nothing").await;
        page.becomes("!document.querySelector('.picker-none').hidden", true)
            .await;
    });
}
