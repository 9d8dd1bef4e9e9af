//! The play head: step, scrub, play, and what the state panel shows there.

use crate::gestures::{Point, Pointer};
use crate::page::with_page;
use crate::scene::{LOST, STATE, VERDICT, rows, strip};
use serde_json::json;

const AT_START: &str = "at the beginning";
/// Steps of O1 are far fewer.
const STEPS_MAX: usize = 40;

#[test]
fn steps_show_what_each_event_changes() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.press("To the start").await;
        page.becomes(STATE, AT_START).await;
        page.becomes(&rows("orders"), json!([])).await;
        let mut seen = Vec::new();
        for _ in 0..STEPS_MAX {
            if page
                .value("document.querySelector('button[aria-label=\"Next event\"]').disabled")
                .await
                == true
            {
                break;
            }
            let before = page.value(STATE).await;
            page.press("Next event").await;
            page.wait_until(&format!("{STATE} !== {before}")).await;
            seen.push(page.value(&rows("orders")).await);
        }
        seen.dedup();
        // Inserted by a transaction that nobody else sees; committed; unchanged from then on.
        let uncommitted = seen
            .iter()
            .position(|rows| rows[0][3].as_str().is_some_and(|note| note.contains("uncommitted")));
        let committed = seen.iter().position(|rows| *rows == json!([["+", "1001", "120"]]));
        let unchanged = seen.iter().rposition(|rows| *rows == json!([["", "1001", "120"]]));
        assert!(uncommitted.is_some(), "{seen:?}");
        assert!(committed > uncommitted && unchanged > committed, "{seen:?}");
    });
}

#[test]
fn a_step_back_undoes_a_step() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let end = page.value(STATE).await;
        page.press("Previous event").await;
        page.wait_until(&format!("{STATE} !== {end}")).await;
        page.press("Next event").await;
        page.becomes(STATE, end).await;
        assert_eq!(page.value(VERDICT).await, LOST, "the verdict is the whole run's");
    });
}

#[test]
fn play_goes_on_by_itself_and_ends_at_the_end() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let end = page.value(STATE).await;
        for _ in 0..2 {
            page.press("Previous event").await;
        }
        page.wait_until(&format!("{STATE} !== {end}")).await;
        page.press("Play").await;
        page.becomes("document.querySelector('button[aria-label=Pause]') !== null", true)
            .await;
        page.becomes(STATE, end).await;
        page.becomes("document.querySelector('button[aria-label=Play]') !== null", true)
            .await;
    });
}

#[test]
fn play_from_the_end_begins_anew_and_pauses() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.press("Play").await;
        page.wait_until(&format!(
            "{STATE} !== {} && {STATE}.startsWith('at 0.')",
            json!(AT_START)
        ))
        .await;
        page.press("Pause").await;
        page.becomes("document.querySelector('button[aria-label=Play]') !== null", true)
            .await;
    });
}

#[test]
fn the_range_and_the_row_of_times_scrub() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let end = page.value(STATE).await;
        page.focus(".controls-range").await;
        page.keys(&["Home"]).await;
        page.becomes(STATE, AT_START).await;
        page.keys(&["ArrowRight", "ArrowRight"]).await;
        page.wait_until(&format!("{STATE} !== {}", json!(AT_START))).await;

        let axis = page.centre(".axis-times").await;
        let [left, right] = ["left", "right"]
            .map(|side| format!("document.querySelector('.axis-times').getBoundingClientRect().{side}"));
        let left = page.value(&left).await.as_f64().expect("a number");
        let right = page.value(&right).await.as_f64().expect("a number");
        let at = |x: f64| Point { x, y: axis.y };
        page.press_at(Pointer::Mouse, at(right - 2.0)).await;
        page.becomes(STATE, end).await;
        page.move_to(Pointer::Mouse, at(left + 2.0)).await;
        page.becomes(STATE, AT_START).await;
        page.let_go(Pointer::Mouse).await;
        assert_eq!(page.value(&strip("Shop")).await, "✓✓✓✗✓", "markers stay where they are");
    });
}

#[test]
fn a_link_brings_the_play_head_back() {
    let (link, seen) = with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        page.press("To the start").await;
        for _ in 0..3 {
            page.press("Next event").await;
        }
        page.wait_until("/event,\\d+/.test(location.hash)").await;
        (page.fragment().await, page.seen().await)
    });
    with_page(async |page| {
        page.open(&link).await;
        page.becomes(VERDICT, LOST).await;
        assert_eq!(page.seen().await, seen);
        assert_eq!(page.fragment().await, link);
    });
}
