//! What a link brings to somebody else, and what a bad one leaves alone.

use crate::page::{Page, with_page};
use crate::scene::{LOST, MARKERS, NOTICES, SCENARIO, TEXT, VERDICT, everything, preset};
use serde_json::{Value, json};

/// Lets the page write to the clipboard as after a click by a reader, and this test read it.
async fn allow_clipboard(page: &Page) {
    let permissions = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    page.devtools("Browser.grantPermissions", permissions).await;
}

async fn clipboard(page: &Page) -> String {
    let script = "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0]('refused: ' + error))";
    let text = page
        .client
        .execute_async(script, vec![])
        .await
        .expect("a script that ends");
    text.as_str().unwrap_or_default().to_owned()
}

/// Does something, shares it, and compares what a second reader's fresh browser shows for the copied link.
fn comes_back(change: impl AsyncFnOnce(&Page)) -> String {
    let (link, seen) = with_page(async |page| {
        page.open("").await;
        allow_clipboard(page).await;
        page.becomes(VERDICT, LOST).await;
        change(page).await;
        page.click(".header-share").await;
        page.wait_for_text(".header-share", "Link copied").await;
        page.becomes(SPOKEN, "Link copied").await;
        let copied = clipboard(page).await;
        assert_eq!(
            page.value("location.href").await,
            copied.as_str(),
            "the address bar holds the same link"
        );
        (copied, page.seen().await)
    });
    let fragment = link.split_once('#').expect("a fragment").1.to_owned();
    with_page(async |page| {
        page.open(&fragment).await;
        page.wait_until(&format!(
            "JSON.stringify({}) === {}",
            everything(),
            json!(seen.to_string())
        ))
        .await;
        assert_eq!(page.value(NOTICES).await, json!([]));
        assert_eq!(page.fragment().await, format!("#{fragment}"));
    });
    fragment
}

/// What the page's live region says.
const SPOKEN: &str = "document.querySelector('[role=status][aria-live=polite].off-screen').textContent.trim()";

#[test]
fn a_shared_preset_with_a_moved_marker_shows_the_same_to_a_colleague() {
    let fragment = comes_back(async |page| {
        page.click(".fault-earlier").await;
        page.becomes(MARKERS, json!(["Shop crashes after insert-orders, first time"]))
            .await;
    });
    assert!(fragment.len() < 80, "a moved marker needs no long link: {fragment}");
}

#[test]
fn a_shared_text_of_ones_own_shows_the_same_to_a_colleague() {
    comes_back(async |page| {
        page.caret_after("  at 0s place(1001, 120)").await;
        page.type_text("\nat 1s place(1002, 80)").await;
        page.becomes(&format!("{TEXT}.includes('1002')"), true).await;
        page.press("Previous event").await;
    });
}

#[test]
fn the_share_button_offers_a_copy_again_after_a_change() {
    with_page(async |page| {
        page.open("").await;
        allow_clipboard(page).await;
        page.click(".header-share").await;
        page.wait_for_text(".header-share", "Link copied").await;
        page.click(".fault-earlier").await;
        page.becomes("document.querySelector('.header-share').innerText.trim()", "Share")
            .await;
    });
}

/// Follows a link within the open page, as a click on it or a changed address does.
async fn follow(page: &Page, fragment: &str) {
    page.run(&format!("location.hash = {}", json!(fragment))).await;
}

#[test]
fn a_link_that_cannot_be_opened_says_why_and_leaves_what_was_open() {
    with_page(async |page| {
        page.open(&preset("O5")).await;
        page.becomes(SCENARIO, "O5").await;
        page.click(".fault-earlier").await;
        let (before, address) = (page.seen().await, page.fragment().await);
        let whole = address.trim_start_matches('#');
        let cut = whole[..whole.len() - 3].to_owned();
        let altered = whole.replacen("Relay", "Reley", 1);
        assert_ne!(altered, whole);
        let long = format!("1/s/{}", "A".repeat(9_000));
        let cases = [
            (cut.as_str(), "its end is missing"),
            (altered.as_str(), "its checksum does not match"),
            ("section-2", "This is no Crashpoint link"),
            ("1/O99.0000", "no"),
            ("3/O5.0000", "made by a newer version"),
            (long.as_str(), "too long: 9004 characters"),
            ("1/O5.0000", "has changed since the link was made"),
        ];
        for (fragment, reason) in cases {
            follow(page, fragment).await;
            page.wait_until(&format!(
                "{NOTICES}.some((notice) => notice.includes('could not be opened') && notice.includes({}))",
                json!(reason)
            ))
            .await;
            assert_eq!(page.seen().await, before, "{fragment:.40}");
            assert_eq!(page.fragment().await, address, "{fragment:.40}");
            page.press("Dismiss").await;
            page.becomes(NOTICES, json!([])).await;
        }
    });
}

#[test]
fn a_page_opened_with_a_bad_link_says_so_and_is_of_use() {
    with_page(async |page| {
        page.open("3/something-new").await;
        page.becomes(VERDICT, LOST).await;
        page.wait_for_text(".notice", "made by a newer version").await;
        page.click(".fault-earlier").await;
        page.becomes(MARKERS, json!(["Shop crashes after insert-orders, first time"]))
            .await;
    });
}

#[test]
fn a_link_to_a_changed_preset_offers_its_present_version() {
    with_page(async |page| {
        page.open("1/O5.0000").await;
        page.becomes(SCENARIO, "O1").await;
        page.press("Open the present version").await;
        page.becomes(SCENARIO, "O5").await;
        page.becomes(NOTICES, json!([])).await;
    });
}

#[test]
fn a_link_never_replaces_typed_text_without_asking() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.caret_after("  at 0s place(1001, 120)").await;
        page.type_text("\nat 1s place(1002, 80)").await;
        page.becomes(&format!("{TEXT}.includes('place(1002, 80)')"), true).await;
        let (mine, address) = (page.value(TEXT).await, page.fragment().await);

        follow(page, &preset("O5")).await;
        page.wait_for_text(".notice", "put your own text aside?").await;
        assert_eq!(page.value(TEXT).await, mine);
        page.becomes("location.hash", address.clone()).await;
        page.press("Keep mine").await;
        page.becomes(NOTICES, json!([])).await;
        assert_eq!(page.value(TEXT).await, mine);

        follow(page, &preset("O5")).await;
        page.wait_for_text(".notice", "put your own text aside?").await;
        page.press("Open it").await;
        page.becomes(SCENARIO, "O5").await;
        page.press("Undo").await;
        page.becomes(TEXT, mine).await;
    });
}

#[test]
fn a_link_followed_twice_opens_twice() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        for (link, scenario) in [("O5", "O5"), ("O1", "O1"), ("O5", "O5")] {
            follow(page, &preset(link)).await;
            page.becomes(SCENARIO, scenario).await;
        }
        assert_eq!(page.value(NOTICES).await, Value::Array(vec![]));
    });
}
