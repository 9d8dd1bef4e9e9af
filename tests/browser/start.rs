//! The page before, beside and after its program: what `index.html` and `page/boot.js` promise.

use crate::page::{with_broken_page, with_page};
use crate::server::{TRAP, WITHOUT_WASM};

#[test]
fn opens_with_its_title_and_a_quiet_console() {
    with_page(async |page| {
        page.open("").await;
        assert_eq!(page.value("document.title").await, "Crashpoint");
    });
}

#[test]
fn says_so_when_its_program_does_not_load() {
    with_broken_page(async |page| {
        page.load(WITHOUT_WASM, "kept").await;
        page.wait_for_text("[role=alert] h1", "could not start").await;
        page.click("[role=alert] button").await;
        page.wait_for_text("[role=alert] h1", "could not start").await;
        assert_eq!(page.fragment().await, "#kept");
    });
}

#[test]
fn a_panic_leaves_a_page_with_a_way_on() {
    with_broken_page(async |page| {
        page.open("kept").await;
        page.run("dispatchEvent(new CustomEvent('crashpoint-panic', { detail: 'index out of bounds' }))")
            .await;
        page.wait_for_text("[role=alert] h1", "has stopped").await;
        page.screenshot("stopped").await;
        assert_eq!(
            page.value("document.querySelector('[role=alert] pre').textContent")
                .await,
            "index out of bounds"
        );
        page.click("[role=alert] button:nth-of-type(2)").await;
        page.wait_until("!document.querySelector('[role=alert]') && 'started' in document.documentElement.dataset")
            .await;
        assert_eq!(page.value("location.hash.includes('kept')").await, false);
    });
}

#[test]
fn a_trap_without_a_message_counts_as_a_panic() {
    with_broken_page(async |page| {
        page.open("").await;
        page.run(&format!(
            "const script = document.createElement('script'); script.src = '{TRAP}'; document.head.append(script);"
        ))
        .await;
        page.wait_for_text("[role=alert] h1", "has stopped").await;
    });
}

#[test]
fn speaks_the_browsers_language_and_then_the_chosen_one() {
    with_page(async |page| {
        page.open("").await;
        assert_eq!(page.value("document.documentElement.lang").await, "en");
        page.language("de-DE").await;
        page.open("").await;
        assert_eq!(page.value("document.documentElement.lang").await, "de");
        page.run("localStorage.setItem('crashpoint.language', 'en')").await;
        page.open("").await;
        assert_eq!(page.value("document.documentElement.lang").await, "en");
    });
}

#[test]
fn the_chosen_theme_is_there_before_the_program() {
    with_broken_page(async |page| {
        page.open("").await;
        page.run("localStorage.setItem('crashpoint.theme', 'dark')").await;
        page.load(WITHOUT_WASM, "").await;
        assert_eq!(page.value("document.documentElement.dataset.theme").await, "dark");
    });
}
