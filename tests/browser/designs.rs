//! From one design to another, by the variants, by the list of all, and back by the browser.

use crate::page::{Page, with_page};
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

/// The designs side by side, in their sequence.
const COLUMNS: &str = "[...document.querySelectorAll('.design')].map((design) => design.dataset.design)";
/// The open one among them.
const OPEN: &str = "document.querySelector('.design[aria-current]').dataset.design";
/// How many rows of the common timeline have happened.
const HAPPENED: &str = "Number(document.querySelector('.instant-now')?.dataset.instant ?? -1) + 1";

/// A design's cell of the matrix at a crash point.
fn crash_cell(design: &str, place: &str) -> String {
    format!("[data-row={design}] .matrix-button[aria-label*=\"{place}\"]")
}

/// Opens the ready-made comparison of outboxes and waits until all is computed.
async fn compare_outboxes(page: &Page) {
    page.open("").await;
    page.becomes(VERDICT, LOST).await;
    page.click(".tab-designs").await;
    page.press("Outbox: O1, O2, O3, O6, O10").await;
    page.becomes(COLUMNS, json!(["O1", "O2", "O3", "O6", "O10"])).await;
    page.becomes("document.querySelectorAll('.matrix-cell.worth-pending').length", 0)
        .await;
}

#[test]
fn designs_stand_side_by_side_and_their_matrix_opens_them() {
    with_page(async |page| {
        page.open("").await;
        let alone = page.fragment().await;
        compare_outboxes(page).await;
        let cells = "document.querySelectorAll('.matrix-cell').length";
        assert_ne!(page.value(cells).await, 0);
        let together = page.fragment().await;
        assert!(together.starts_with("#2/5/"), "{together}");
        let verdicts = "[...document.querySelectorAll('.lockstep .design-worth')].map((worth) => worth.innerText)";
        page.becomes(
            verdicts,
            json!(["✗ Lost", "✓ Healthy", "✓ Healthy", "✓ Healthy", "✓ Healthy"]),
        )
        .await;
        page.click(&crash_cell("O6", "after mark, first")).await;
        page.becomes(SCENARIO, "O6").await;
        page.becomes(MARKERS, json!(["Relay crashes after mark, first time"]))
            .await;
        page.becomes(OPEN, "O6").await;
        page.becomes(COLUMNS, json!(["O1", "O2", "O3", "O6", "O10"])).await;
        page.client.back().await.expect("the page before");
        page.becomes(SCENARIO, "O1").await;
        page.becomes("location.hash", together).await;
        page.client.back().await.expect("the page before");
        page.becomes("location.hash", alone).await;
        page.becomes("document.querySelector('.lockstep') === null", true).await;
    });
}

#[test]
fn a_link_to_a_comparison_shows_the_same_to_a_colleague() {
    let address = with_page(async |page| {
        compare_outboxes(page).await;
        page.press("To the start").await;
        page.press("Next event").await;
        page.becomes(HAPPENED, 1).await;
        page.fragment().await
    });
    with_page(async |page| {
        page.open(&address).await;
        page.becomes(COLUMNS, json!(["O1", "O2", "O3", "O6", "O10"])).await;
        page.becomes(HAPPENED, 1).await;
        page.becomes("location.hash", address).await;
    });
}

#[test]
fn one_play_head_and_the_matrix_follow_the_keys() {
    with_page(async |page| {
        compare_outboxes(page).await;
        page.press("To the start").await;
        page.becomes(HAPPENED, 0).await;
        page.focus(".designs .controls-range").await;
        page.keys(&["ArrowRight", "ArrowRight"]).await;
        page.becomes(HAPPENED, 2).await;
        page.click("[data-instant='4'] .instant-time").await;
        page.becomes(HAPPENED, 5).await;
        page.focus(&crash_cell("O1", "after commit")).await;
        let focused = "(document.activeElement.getAttribute('aria-label') ?? '')";
        page.keys(&["ArrowDown", "ArrowDown"]).await;
        page.becomes(
            &format!("{focused}.startsWith('O3. Shop crashes after commit, first time: Healthy')"),
            true,
        )
        .await;
        page.keys(&["Enter"]).await;
        page.becomes(SCENARIO, "O3").await;
    });
}

#[test]
fn columns_change_places_and_the_focus_goes_along() {
    with_page(async |page| {
        compare_outboxes(page).await;
        let before = page.fragment().await;
        let focused = "document.activeElement.getAttribute('aria-label')";
        page.press("Move to the right: O1").await;
        page.becomes(COLUMNS, json!(["O2", "O1", "O3", "O6", "O10"])).await;
        page.becomes(focused, "Move to the right: O1").await;
        page.wait_until(&format!("location.hash !== {}", json!(before))).await;
        page.keys(&["Enter"]).await;
        page.becomes(COLUMNS, json!(["O2", "O3", "O1", "O6", "O10"])).await;
        page.becomes(focused, "Move to the right: O1").await;
        page.keys(&["Shift+Tab"]).await;
        page.becomes(focused, "Move to the left: O1").await;
        page.keys(&["Space"]).await;
        page.becomes(COLUMNS, json!(["O2", "O1", "O3", "O6", "O10"])).await;
        page.becomes(focused, "Move to the left: O1").await;
        page.keys(&["Space"]).await;
        page.becomes(COLUMNS, json!(["O1", "O2", "O3", "O6", "O10"])).await;
        // There is no place further left: a button that cannot be pressed cannot keep the focus.
        page.becomes(focused, "Move to the right: O1").await;
        page.becomes("location.hash", before).await;
        page.press("Move to the left: O10").await;
        page.becomes(COLUMNS, json!(["O1", "O2", "O3", "O10", "O6"])).await;
        page.becomes(focused, "Move to the left: O10").await;
        page.becomes(SCENARIO, "O1").await;
    });
}

#[test]
fn designs_are_added_and_taken_out() {
    with_page(async |page| {
        page.open(&preset("P10")).await;
        page.click(".tab-designs").await;
        page.becomes(COLUMNS, json!(["P10", "P10-two", "P10-four"])).await;
        // Eight payments of 5 s each: one instance needs 40 s, two 20 s, four 10 s.
        let curves = "document.querySelectorAll('.designs-chart:not([hidden]) .chart-curve').length";
        page.becomes(curves, 3).await;
        page.click("[data-design=P10-four]").await;
        page.becomes(SCENARIO, "P10-four").await;
        page.becomes(OPEN, "P10-four").await;
        page.press("Remove from the comparison: P10-two").await;
        page.becomes(COLUMNS, json!(["P10", "P10-four"])).await;
        page.press("Add a design").await;
        page.click("[data-preset=P13]").await;
        page.keys(&["Escape"]).await;
        page.becomes(COLUMNS, json!(["P10", "P10-four", "P13"])).await;
    });
}

#[test]
fn a_comparison_fits_its_width_in_both_themes() {
    with_page(async |page| {
        for (width, height) in [(1280, 900), (390, 844)] {
            for theme in ["light", "dark"] {
                page.resize(width, height).await;
                page.media(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")])
                    .await;
                compare_outboxes(page).await;
                page.settle().await;
                let wide = page.value("document.documentElement.scrollWidth").await;
                assert!(wide.as_u64().expect("a width in pixels") <= u64::from(width), "{wide}");
                for (part, selector) in [("columns", ".designs-bar"), ("matrix", ".designs-matrix")] {
                    page.run(&format!("document.querySelector('{selector}').scrollIntoView()"))
                        .await;
                    page.settle().await;
                    page.screenshot(&format!("designs-{part}-{width}-{theme}")).await;
                }
            }
        }
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
