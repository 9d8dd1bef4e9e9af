//! Everything that a pointer does with markers, by keys alone.

use crate::page::{Page, with_page};
use crate::scene::{CAN_UNDO, HEALTHY, LOST, MARKERS, SCENARIO, TEXT, VERDICT, cell, preset};
use serde_json::json;

/// More than there are places for the focus.
const TABS_MAX: usize = 80;
/// The element with the focus is a marker on the timeline.
const ON_MARKER: &str = "document.activeElement.matches('.markers [role=slider]')";
const NOW: &str = "Number(document.activeElement.getAttribute('aria-valuenow'))";
const MENU: &str = "document.querySelector('[role=dialog].menu') !== null";

async fn tab_until(page: &Page, reached: &str) {
    for _ in 0..TABS_MAX {
        page.keys(&["Tab"]).await;
        if page.value(reached).await == true {
            return;
        }
    }
    panic!("the Tab key does not reach {reached}");
}

#[test]
fn the_tab_key_reaches_the_marker_which_says_where_it_is() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        tab_until(page, ON_MARKER).await;
        let said = "['aria-label', 'aria-valuetext', 'aria-valuemin', 'aria-valuenow', 'aria-valuemax']
            .map((name) => document.activeElement.getAttribute(name))";
        let words = json!(["crash of Shop", "Shop crashes after commit, first time", "0", "3", "4"]);
        assert_eq!(page.value(said).await, words);
    });
}

#[test]
fn arrows_go_from_gap_to_gap() {
    with_page(async |page| {
        page.open("").await;
        tab_until(page, ON_MARKER).await;
        page.keys(&["ArrowLeft"]).await;
        page.becomes(VERDICT, HEALTHY).await;
        page.keys(&["ArrowRight"]).await;
        page.becomes(MARKERS, json!(["Shop crashes after commit, first time"]))
            .await;
        page.becomes(VERDICT, LOST).await;
        page.keys(&["ArrowUp"]).await;
        page.becomes(MARKERS, json!(["Shop crashes after publish-events, first time"]))
            .await;
        page.keys(&["ArrowDown"]).await;
        page.becomes(VERDICT, LOST).await;
        assert_eq!(page.value(ON_MARKER).await, true, "the focus stays on the marker");
    });
}

#[test]
fn home_end_and_the_page_keys_go_further() {
    with_page(async |page| {
        page.open(&preset("C15")).await;
        tab_until(page, ON_MARKER).await;
        let last = page
            .value("Number(document.activeElement.getAttribute('aria-valuemax'))")
            .await;
        assert!(last.as_u64() > Some(5), "room for a page: {last}");
        page.keys(&["Home"]).await;
        page.becomes(NOW, 0).await;
        page.keys(&["PageUp"]).await;
        page.becomes(NOW, 5).await;
        page.keys(&["PageDown"]).await;
        page.becomes(NOW, 0).await;
        page.keys(&["ArrowLeft"]).await;
        page.becomes(NOW, 0).await;
        page.keys(&["End"]).await;
        page.becomes(NOW, last).await;
    });
}

#[test]
fn delete_removes_a_marker_and_undo_brings_it_back() {
    with_page(async |page| {
        page.open("").await;
        tab_until(page, ON_MARKER).await;
        page.keys(&["Delete"]).await;
        page.becomes(MARKERS, json!([])).await;
        page.becomes(VERDICT, HEALTHY).await;
        let on_its_cell = "document.activeElement.matches('[data-lane=Shop] .cell[data-stop=\"3\"]')";
        page.becomes(on_its_cell, true).await;
        let crash = format!("/^crash/m.test({TEXT})");
        assert_eq!(
            page.value(&crash).await,
            false,
            "the program says what the timeline shows"
        );
        page.keys(&["Control+z"]).await;
        page.becomes(VERDICT, LOST).await;
    });
}

#[test]
fn a_key_on_a_strip_adds_a_marker() {
    with_page(async |page| {
        page.open(&preset("O3")).await;
        page.becomes(SCENARIO, "O3").await;
        page.becomes(MARKERS, json!([])).await;
        tab_until(page, "document.activeElement.matches('[data-lane=Shop] .cell')").await;
        page.keys(&["ArrowRight", "Enter"]).await;
        page.becomes(MARKERS, json!(["Shop crashes after begin, first time"]))
            .await;
        page.becomes(ON_MARKER, true).await;
        page.keys(&["ArrowRight"]).await;
        page.becomes(MARKERS, json!(["Shop crashes after insert-orders, first time"]))
            .await;
    });
}

#[test]
fn a_menu_opens_by_keyboard_and_gives_the_focus_back() {
    with_page(async |page| {
        page.open("").await;
        tab_until(page, ON_MARKER).await;
        page.keys(&["Enter"]).await;
        page.becomes(MENU, true).await;
        page.becomes("document.activeElement.closest('.menu') !== null", true)
            .await;
        page.keys(&["Escape"]).await;
        page.becomes(MENU, false).await;
        page.becomes(ON_MARKER, true).await;
        assert_eq!(page.value(CAN_UNDO).await, false, "looking changes nothing");
    });
}

#[test]
fn a_menu_sets_kind_side_and_restart_and_removes() {
    with_page(async |page| {
        page.open("").await;
        tab_until(page, ON_MARKER).await;
        page.keys(&["Enter"]).await;
        page.becomes(MENU, true).await;

        choose(page, "never").await;
        page.becomes(&has_line("crash after Shop.commit.1 never"), true).await;
        choose(page, "before").await;
        page.becomes(&has_line("crash before Shop.commit.1 never"), true).await;
        choose(page, "pause").await;
        page.becomes(
            MARKERS.replace("aria-valuetext", "aria-label").as_str(),
            json!(["pause of Shop"]),
        )
        .await;
        page.becomes(VERDICT, HEALTHY).await;
        choose(page, "Remove").await;
        page.becomes(MARKERS, json!([])).await;
        page.becomes(MENU, false).await;
    });
}

/// Goes to an entry of the open menu and presses it, by keys.
async fn choose(page: &Page, entry: &str) {
    let on_entry = format!(
        "document.activeElement.closest('.menu') !== null && document.activeElement.innerText.trim() === {}",
        json!(entry)
    );
    if page.value(&on_entry).await != true {
        tab_until(page, &on_entry).await;
    }
    page.keys(&["Enter"]).await;
}

fn has_line(line: &str) -> String {
    format!("{TEXT}.split('\\n').includes({})", json!(line))
}

#[test]
fn dialogs_close_with_escape_and_give_the_focus_back() {
    with_page(async |page| {
        page.open("").await;
        for opener in [".header-scenario", "button[aria-label=Help]"] {
            page.focus(opener).await;
            page.keys(&["Enter"]).await;
            page.becomes("document.querySelector('dialog[open]') !== null", true)
                .await;
            page.becomes("document.activeElement.closest('dialog') !== null", true)
                .await;
            page.keys(&["Escape"]).await;
            page.becomes("document.querySelector('dialog') === null", true).await;
            page.becomes(&format!("document.activeElement.matches('{opener}')"), true)
                .await;
        }
    });
}

#[test]
fn a_scenario_is_chosen_by_keys() {
    with_page(async |page| {
        page.open("").await;
        page.focus(".header-scenario").await;
        page.keys(&["Enter"]).await;
        tab_until(page, "document.activeElement.matches('[data-preset=O3]')").await;
        page.keys(&["Enter"]).await;
        page.becomes(SCENARIO, "O3").await;
        page.becomes("document.querySelector('dialog') === null", true).await;
    });
}

#[test]
fn a_cell_of_a_strip_can_be_reached_once_and_left_again() {
    with_page(async |page| {
        page.open("").await;
        page.focus(&cell("Shop", 3)).await;
        page.keys(&["Tab"]).await;
        let left = "document.activeElement.matches('.cell')";
        assert_eq!(
            page.value(left).await,
            false,
            "arrows go on within the strip, Tab leaves it"
        );
    });
}
