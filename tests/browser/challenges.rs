//! Challenges: opened from the list, solved by clicks and by keys, refused where the question was changed.

use crate::page::{Page, with_page};
use crate::scene::{SCENARIO, VERDICT};
use serde_json::json;

const STATUS: &str = "document.querySelector('.challenge-status strong')?.textContent";
const OUTCOME: &str = "document.querySelector('.challenge')?.className.split(' ').pop()";
const COUNT: &str = "document.querySelector('.challenge-count summary')?.firstChild.textContent";

/// Opens a challenge from the list of scenarios and waits until it is judged.
async fn open_challenge(page: &Page, id: &str) {
    page.open("").await;
    page.click(".header-scenario").await;
    page.click(&format!("[data-preset={id}]")).await;
    page.becomes(SCENARIO, id).await;
    page.becomes(OUTCOME, "challenge-broken").await;
}

#[test]
fn a_challenge_is_solved_by_clicks_and_remembered() {
    with_page(async |page| {
        open_challenge(page, "faulty-line").await;
        page.becomes(STATUS, "Survives 7 of 8 crash points.").await;
        page.click(".challenge-show").await;
        page.becomes("document.querySelector('.verdict-word').textContent", "Lost.")
            .await;
        page.click("[data-change=order]").await;
        page.becomes(STATUS, "Solved with 1 change.").await;
        page.becomes(
            "document.querySelector('[data-change=order]').getAttribute('aria-pressed')",
            "true",
        )
        .await;
        page.becomes("localStorage.getItem('crashpoint.best.faulty-line')", "1")
            .await;
        page.screenshot("challenge-solved").await;
        page.press("Undo").await;
        page.becomes(OUTCOME, "challenge-broken").await;
        // The next visit knows it, and the address brings the attempt back.
        page.run("location.reload()").await;
        page.becomes(OUTCOME, "challenge-broken").await;
        page.becomes(
            "document.querySelector('.challenge-best').textContent",
            "best: 1 change",
        )
        .await;
        page.click(".challenge-leave").await;
        page.becomes(SCENARIO, "O6").await;
        page.becomes("document.querySelector('.challenge') === null", true)
            .await;
    });
}

#[test]
fn a_challenge_is_solved_by_keys_alone() {
    with_page(async |page| {
        open_challenge(page, "faulty-line").await;
        // In the field, the statement at the caret goes up and down with Alt and an arrow.
        page.focus(".program-field").await;
        page.run(
            "const field = document.querySelector('.program-field');
             const at = field.value.indexOf('publish events');
             field.setSelectionRange(at, at);",
        )
        .await;
        page.keys(&["Alt+ArrowUp"]).await;
        page.becomes(STATUS, "Solved with 1 change.").await;
        let caret = "(() => { const field = document.querySelector('.program-field');
                     return field.value.slice(field.selectionStart).trimStart().split(' ')[0]; })()";
        page.becomes(caret, "publish").await;
        page.keys(&["Alt+ArrowDown"]).await;
        page.becomes(OUTCOME, "challenge-broken").await;
        // And by the choice of lines, where it is chosen now, and the two buttons behind it: the line above it goes down.
        page.focus(".challenge-statement").await;
        page.keys(&["ArrowUp"]).await;
        let chosen = "document.querySelector('.challenge-statement').selectedOptions[0].text.includes('mark:')";
        page.becomes(chosen, true).await;
        page.keys(&["Tab", "Tab", "Enter"]).await;
        page.becomes(STATUS, "Solved with 1 change.").await;
        page.becomes("document.activeElement.classList.contains('challenge-down')", true)
            .await;
    });
}

#[test]
fn a_changed_question_is_refused_and_restored() {
    with_page(async |page| {
        open_challenge(page, "faulty-line").await;
        page.run(
            "const field = document.querySelector('.program-field');
             field.value = field.value.replace('promise at least one', 'promise at most one');
             field.dispatchEvent(new InputEvent('input', { bubbles: true }));",
        )
        .await;
        page.becomes(OUTCOME, "challenge-refused").await;
        page.click(".challenge-restore").await;
        page.becomes(OUTCOME, "challenge-broken").await;
        page.becomes(COUNT, "0 changes").await;
    });
}

#[test]
fn what_needs_the_other_side_is_solved_by_saying_so() {
    with_page(async |page| {
        open_challenge(page, "silent-bank").await;
        page.click(".challenge-claim summary").await;
        page.click("[data-party=sqs]").await;
        let answer = "document.querySelector('.challenge-answer').textContent";
        page.becomes(answer, "No change of your own does it, but sqs cannot close it either.")
            .await;
        page.click("[data-party=bank]").await;
        page.becomes("document.querySelector('[data-change=key]') !== null", true)
            .await;
        page.becomes("localStorage.getItem('crashpoint.best.silent-bank')", "0")
            .await;
        page.click("[data-change=key]").await;
        page.becomes(OUTCOME, "challenge-solved").await;
        page.becomes(VERDICT, "Healthy. Every order was paid exactly once.")
            .await;
        page.screenshot("challenge-helped").await;
    });
}

#[test]
fn a_challenge_fits_a_phone_in_both_themes_and_languages() {
    with_page(async |page| {
        for (width, height) in [(1280, 900), (390, 844)] {
            for theme in ["light", "dark"] {
                page.resize(width, height).await;
                page.media(&[("prefers-color-scheme", theme)]).await;
                open_challenge(page, "closing-copy").await;
                page.settle().await;
                page.screenshot(&format!("challenge-{width}-{theme}")).await;
                let wide = page.value("document.documentElement.scrollWidth").await;
                assert!(
                    wide.as_u64().expect("a width in pixels") <= u64::from(width),
                    "{wide} at {width}"
                );
            }
        }
        page.click(".header-scenario").await;
        page.settle().await;
        page.screenshot("challenge-picker-390").await;
        page.language("de-DE").await;
        open_challenge(page, "silent-bank").await;
        page.settle().await;
        page.screenshot("challenge-390-de").await;
        let names = "[...document.querySelectorAll('.challenge button, .challenge select')]
            .every((each) => (each.getAttribute('aria-label') ?? each.textContent).trim() !== '')";
        assert_eq!(page.value(names).await, json!(true));
    });
}
