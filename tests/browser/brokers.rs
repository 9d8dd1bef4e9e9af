//! Another product for a broker, with a mouse or with keys alone, and back.

use crate::page::{Page, with_page};
use crate::scene::{CAN_UNDO, SCENARIO, TEXT, VERDICT, preset};
use serde_json::json;

const TWICE: &str = "Duplicate. Order pay-4711-01 was paid more than once: account 88123 got 1200 euros each time.";
const ONCE: &str = "Healthy. Every order was paid exactly once.";
const CHOSEN: &str = "document.querySelector('.broker-select').value";
/// What a screen reader has said last.
const SPOKEN: &str = "document.querySelector('.off-screen[role=status]').textContent.trim()";
/// The notes in view, without their links.
const NOTES: &str = "[...document.querySelectorAll('.broker-note')].filter((note) => note.getClientRects().length > 0)
    .map((note) => note.innerText.trim())";

async fn open_p5(page: &Page) {
    page.open(&preset("P5")).await;
    page.becomes(SCENARIO, "P5").await;
    page.becomes(VERDICT, TWICE).await;
}

#[test]
fn another_product_is_chosen_with_keys_and_undone() {
    with_page(async |page| {
        open_p5(page).await;
        page.becomes(NOTES, json!([])).await;
        let (before, address) = (page.value(TEXT).await, page.fragment().await);
        page.focus(".broker-select").await;
        // The first letter chooses.
        page.keys(&["r"]).await;
        page.becomes(CHOSEN, "rabbitmq").await;
        page.becomes(VERDICT, ONCE).await;
        page.becomes(SPOKEN, ONCE).await;
        assert!(
            page.value(TEXT)
                .await
                .as_str()
                .expect("a text")
                .contains("broker sqs like rabbitmq\n")
        );
        let notes = page.value(NOTES).await;
        assert_eq!(notes.as_array().map(Vec::len), Some(1), "{notes}");
        let note = notes[0].as_str().expect("a sentence");
        assert!(
            note.starts_with("line 11 lease has no effect on sqs (RabbitMQ)"),
            "{note}"
        );
        assert_ne!(page.fragment().await, address);
        let focused = "document.activeElement.className";
        assert_eq!(page.value(focused).await, "broker-select", "keys can go on");
        page.screenshot("product").await;

        page.press("Undo").await;
        page.becomes(TEXT, before).await;
        page.becomes(CHOSEN, "").await;
        page.becomes(VERDICT, TWICE).await;
        page.becomes(NOTES, json!([])).await;
        page.becomes("location.hash", address).await;
        page.becomes(CAN_UNDO, false).await;
    });
}

#[test]
fn the_rules_of_a_product_unfold_and_lead_to_its_documentation() {
    with_page(async |page| {
        open_p5(page).await;
        page.focus(".broker-select").await;
        page.keys(&["r"]).await;
        page.becomes(CHOSEN, "rabbitmq").await;
        let shown =
            "[...document.querySelectorAll('.broker-rules li')].filter((rule) => rule.checkVisibility()).length";
        page.becomes(shown, 0).await;
        page.focus(".broker-rules summary").await;
        page.keys(&["Enter"]).await;
        page.becomes(shown, 6).await;
        let links = "[...document.querySelectorAll('.broker-page')].every((link) =>
            link.href.startsWith('https://') && link.rel === 'noreferrer' && link.getAttribute('aria-label').includes(link.innerText))";
        page.becomes(links, true).await;
        for (width, height) in [(390, 844), (768, 1024), (1280, 900), (1920, 1080)] {
            page.resize(width, height).await;
            page.settle().await;
            page.screenshot(&format!("product-rules-{width}")).await;
            let wide = page.value("document.documentElement.scrollWidth").await;
            assert!(
                wide.as_u64().is_some_and(|wide| wide <= u64::from(width)),
                "{wide} of {width} pixels"
            );
        }
    });
}

#[test]
fn a_text_with_errors_keeps_its_products() {
    with_page(async |page| {
        open_p5(page).await;
        let locked = "document.querySelector('.broker-select').disabled";
        page.becomes(locked, false).await;
        page.caret_after("broker sqs").await;
        page.type_text(" x").await;
        page.becomes(locked, true).await;
        page.keys(&["Backspace", "Backspace"]).await;
        page.becomes(locked, false).await;
    });
}
