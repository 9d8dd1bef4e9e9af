//! The program in its field: mistakes, corrections, faults typed by hand.

use crate::page::with_page;
use crate::scene::{CAN_UNDO, LOST, MARKERS, MISTAKES, TEXT, VERDICT};
use serde_json::json;

const NOTE: &str = "The text has errors; shown is the last text without.";

#[test]
fn a_mistake_is_named_with_its_line_while_the_last_good_run_stays() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let line = page.line("    commit").await;
        page.caret_after("    commit").await;
        page.type_text("ted").await;
        page.wait_until(&format!("{MISTAKES}.length > 0")).await;
        let mistakes = page.value(MISTAKES).await;
        let first = mistakes[0].as_str().expect("a sentence");
        assert!(first.starts_with(&format!("{line}:5")), "{first}");
        page.wait_for_text(".verdict", NOTE).await;
        assert_eq!(page.value(VERDICT).await, LOST);
        assert_eq!(
            page.value(MARKERS).await,
            json!(["Shop crashes after commit, first time"])
        );
        let marked = "document.querySelector('.code-wrong').innerText.includes('committed')";
        assert_eq!(page.value(marked).await, true, "the line itself is marked");

        page.keys(&["Backspace", "Backspace", "Backspace"]).await;
        page.becomes(MISTAKES, json!([])).await;
        page.becomes("document.querySelector('.code-wrong') === null", true)
            .await;
        let note = format!("document.querySelector('.verdict').innerText.includes({})", json!(NOTE));
        page.becomes(&note, false).await;
        page.becomes(VERDICT, LOST).await;
    });
}

#[test]
fn a_program_runs_as_it_is_typed() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let order = "  at 0s place(1001, 120)";
        page.caret_after(order).await;
        page.keys(&[
            "Backspace",
            "Backspace",
            "Backspace",
            "Backspace",
            "Backspace",
            "Backspace",
        ])
        .await;
        page.type_text("7, 99)").await;
        // "1001, 120)" without its last six characters, and what was typed.
        page.becomes(
            VERDICT,
            "Lost. Order 10017 is saved and paid; nothing will ever be shipped.",
        )
        .await;
        page.wait_for_text(".header-edited", "edited").await;
    });
}

#[test]
fn a_fault_typed_by_hand_becomes_a_marker() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.caret_after("crash after Shop.commit.1 restart 5s").await;
        page.type_text("\npause after Shop.begin.1 for 2s").await;
        page.becomes(&format!("{MARKERS}.length"), 2).await;
        let markers = page.value(MARKERS).await;
        let words = "Shop freezes after begin, first time for 2 s";
        assert!(markers.as_array().expect("a list").contains(&json!(words)), "{markers}");
    });
}

#[test]
fn typing_is_undone_as_one_step_after_the_field_is_left() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let before = page.value(TEXT).await;
        page.caret_after("  at 0s place(1001, 120)").await;
        page.type_text("\nat 1s place(1002, 80)").await;
        page.becomes(CAN_UNDO, true).await;
        page.press("Undo").await;
        page.becomes(TEXT, before).await;
        page.becomes(CAN_UNDO, false).await;
    });
}

#[test]
fn the_caret_stays_where_it_is_while_typing() {
    with_page(async |page| {
        page.open("").await;
        page.caret_after("    begin").await;
        let caret = "document.querySelector('.program-field').selectionStart";
        let start = page.value(caret).await.as_u64().expect("a position");
        page.type_text("x").await;
        page.becomes(&format!("{MISTAKES}.length > 0"), true).await;
        page.keys(&["Backspace"]).await;
        page.becomes(MISTAKES, json!([])).await;
        assert_eq!(page.value(caret).await, start);
    });
}

#[test]
fn faults_of_a_text_with_mistakes_are_not_moved() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.caret_after("    begin").await;
        page.type_text("x").await;
        page.becomes(&format!("{MISTAKES}.length > 0"), true).await;
        let typed = page.value(TEXT).await;
        page.click(".fault-earlier").await;
        page.wait_for_text(".notice", "Correct it or undo").await;
        assert_eq!(page.value(TEXT).await, typed, "nothing typed is lost");
    });
}
