//! Language and theme: after the browser, switched by the reader, remembered.

use crate::page::{Page, with_page};
use crate::scene::{LOST, MARKERS, VERDICT, preset};
use serde_json::json;

const LANG: &str = "document.documentElement.lang";
const VERLOREN: &str = "Verloren. Bestellung 1001 ist gespeichert und bezahlt; es wird nie etwas verschickt.";
/// How bright the page's ground is, from 0 to 255: painted and read back, whatever notation the stylesheet uses.
const BRIGHTNESS: &str = "(() => {
    const canvas = document.createElement('canvas').getContext('2d');
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data[1];
})()";

async fn german(page: &Page, fragment: &str) {
    page.open("").await;
    page.language("de-DE").await;
    page.open(fragment).await;
}

#[test]
fn a_german_browser_gets_german() {
    with_page(async |page| {
        german(page, "").await;
        page.becomes(VERDICT, VERLOREN).await;
        page.becomes(LANG, "de").await;
        page.becomes(MARKERS, json!(["Shop stürzt ab nach commit, zum ersten Mal"]))
            .await;
        let summary = "document.querySelector('.summaries').innerText";
        page.becomes(
            summary,
            "4 von 5 Absturzstellen von Shop sind harmlos, 1 verliert Bestellung 1001.",
        )
        .await;
    });
}

#[test]
fn a_german_page_has_no_english_left() {
    with_page(async |page| {
        german(page, "").await;
        page.becomes(VERDICT, VERLOREN).await;
        // Every name and text that is not the scenario's own.
        let words = "[...document.querySelectorAll('button, [role], section, output, h2, h3, th, label, [title]')]
            .filter((element) => !element.closest('.code, .program-field, .dialog'))
            .flatMap((element) => [element.getAttribute('aria-label'), element.getAttribute('title'),
                element.getAttribute('aria-valuetext'), element.children.length === 0 ? element.textContent : null])
            .filter(Boolean).join(' | ')";
        let words = page.value(words).await;
        let words = words.as_str().expect("a text");
        let english = [
            "Undo",
            "Redo",
            "Share",
            "Help",
            "Close",
            "crash",
            "after",
            "before",
            "first time",
            "harmless",
            "State",
            "Why",
            "Events",
            "Same",
            "Next",
            "Previous",
            "drag",
            "down",
            "empty",
            "at the end",
            "the ",
            " of ",
        ];
        let left: Vec<_> = english.iter().filter(|word| words.contains(**word)).collect();
        assert!(left.is_empty(), "{left:?} in {words}");
    });
}

#[test]
fn a_switch_changes_the_language_and_a_reload_keeps_it() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let address = page.fragment().await;
        page.click(".tool-language").await;
        page.becomes(VERDICT, VERLOREN).await;
        page.becomes(LANG, "de").await;
        assert_eq!(page.fragment().await, address, "a link has no language");
        page.client.refresh().await.expect("a reload");
        page.becomes(VERDICT, VERLOREN).await;
        page.becomes(LANG, "de").await;
        page.click(".tool-language").await;
        page.becomes(VERDICT, LOST).await;
        page.becomes(LANG, "en").await;
    });
}

#[test]
fn a_dark_system_gets_a_dark_page() {
    with_page(async |page| {
        for (theme, dark) in [("light", false), ("dark", true)] {
            page.media(&[("prefers-color-scheme", theme)]).await;
            page.open("").await;
            page.becomes(&format!("{BRIGHTNESS} < 80"), dark).await;
            page.becomes(&format!("{BRIGHTNESS} > 200"), !dark).await;
        }
    });
}

#[test]
fn a_switch_changes_the_theme_and_a_reload_keeps_it() {
    with_page(async |page| {
        page.media(&[("prefers-color-scheme", "light")]).await;
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        // System, light, dark, in a circle.
        for (theme, dark) in [("light", false), ("dark", true)] {
            page.click(".tool-theme").await;
            page.becomes("document.documentElement.dataset.theme", theme).await;
            page.becomes(&format!("{BRIGHTNESS} < 80"), dark).await;
        }
        page.client.refresh().await.expect("a reload");
        page.becomes(VERDICT, LOST).await;
        page.becomes(&format!("{BRIGHTNESS} < 80"), true).await;
        page.click(".tool-theme").await;
        page.becomes("document.documentElement.dataset.theme ?? null", json!(null))
            .await;
        page.becomes(&format!("{BRIGHTNESS} > 200"), true).await;
    });
}

#[test]
fn a_german_verdict_follows_a_design_without_german_texts_missing() {
    with_page(async |page| {
        german(page, &preset("O5")).await;
        page.wait_until(&format!(
            "{VERDICT}.startsWith('Doppelt. Das Ereignis der Bestellung 1003')"
        ))
        .await;
    });
}
