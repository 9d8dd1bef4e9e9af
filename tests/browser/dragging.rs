//! A marker under a mouse and under a finger.

use crate::gestures::{Point, Pointer};
use crate::page::{Page, with_page};
use crate::scene::{CAN_UNDO, HEALTHY, LOST, MARKERS, SCENARIO, VERDICT, preset};
use serde_json::json;

/// No lane here has more gaps than this.
const GAPS_MAX: usize = 40;
const AFTER_COMMIT: &str = "Shop crashes after commit, first time";

/// A point at a marker's height over a strip's cell.
async fn above_cell(page: &Page, handle: Point, stop: usize) -> Point {
    let cell = page.cell("Shop", stop).await;
    Point { x: cell.x, ..handle }
}

#[test]
fn one_gap_to_the_left_heals_while_the_button_is_still_down() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(VERDICT, LOST).await;
        let handle = page.handle(0).await;
        let [left, right] = [above_cell(page, handle, 2).await, above_cell(page, handle, 4).await];
        page.press_at(Pointer::Mouse, handle).await;
        page.move_to(Pointer::Mouse, left).await;
        page.becomes(VERDICT, HEALTHY).await;
        page.move_to(Pointer::Mouse, handle).await;
        page.becomes(VERDICT, LOST).await;
        page.move_to(Pointer::Mouse, right).await;
        page.becomes(VERDICT, HEALTHY).await;
        page.becomes(MARKERS, json!(["Shop crashes after publish-events, first time"]))
            .await;
        page.let_go(Pointer::Mouse).await;
        page.settle().await;
        assert_eq!(page.value(VERDICT).await, HEALTHY);
    });
}

#[test]
fn the_marker_follows_the_pointer_and_snaps_to_a_gap() {
    with_page(async |page| {
        page.open("").await;
        let handle = page.handle(0).await;
        let left = above_cell(page, handle, 2).await;
        // A little beside the gap.
        page.drag(Pointer::Mouse, handle, left.moved(7.0, 30.0)).await;
        page.becomes(VERDICT, HEALTHY).await;
        let dropped = page.handle(0).await;
        assert!((dropped.x - left.x).abs() < 1.0, "{dropped:?} is not over {left:?}");
    });
}

#[test]
fn a_drag_is_one_step_to_undo_whatever_way_it_went() {
    with_page(async |page| {
        page.open("").await;
        page.becomes(CAN_UNDO, false).await;
        let opened = page.fragment().await;
        let handle = page.handle(0).await;
        page.press_at(Pointer::Mouse, handle).await;
        for stop in [2, 1, 0, 4] {
            page.move_to(Pointer::Mouse, above_cell(page, handle, stop).await).await;
        }
        page.let_go(Pointer::Mouse).await;
        page.becomes(CAN_UNDO, true).await;
        let dropped = page.fragment().await;
        assert_ne!(dropped, opened, "the address follows the drop");

        page.press("Undo").await;
        page.becomes(MARKERS, json!([AFTER_COMMIT])).await;
        page.becomes(VERDICT, LOST).await;
        page.becomes(CAN_UNDO, false).await;
        assert_eq!(page.fragment().await, opened);
        page.press("Redo").await;
        page.becomes(VERDICT, HEALTHY).await;
        assert_eq!(page.fragment().await, dropped);

        page.keys(&["Control+z"]).await;
        page.becomes(VERDICT, LOST).await;
        page.keys(&["Control+Shift+Z"]).await;
        page.becomes(VERDICT, HEALTHY).await;
        assert_eq!(page.fragment().await, dropped);
    });
}

#[test]
fn a_drag_back_to_where_it_began_leaves_nothing_to_undo() {
    with_page(async |page| {
        page.open("").await;
        let handle = page.handle(0).await;
        page.press_at(Pointer::Mouse, handle).await;
        page.move_to(Pointer::Mouse, above_cell(page, handle, 1).await).await;
        page.becomes(VERDICT, HEALTHY).await;
        page.move_to(Pointer::Mouse, handle).await;
        page.let_go(Pointer::Mouse).await;
        page.becomes(VERDICT, LOST).await;
        assert_eq!(page.value(CAN_UNDO).await, false);
    });
}

#[test]
fn escape_ends_a_drag_as_if_it_had_not_begun() {
    with_page(async |page| {
        page.open("").await;
        let before = page.seen().await;
        let address = page.fragment().await;
        let handle = page.handle(0).await;
        page.press_at(Pointer::Mouse, handle).await;
        page.move_to(Pointer::Mouse, above_cell(page, handle, 2).await).await;
        page.becomes(VERDICT, HEALTHY).await;
        page.keys(&["Escape"]).await;
        page.becomes(VERDICT, LOST).await;
        // What the pointer does until it is let go changes nothing any more.
        page.move_to(Pointer::Mouse, above_cell(page, handle, 1).await).await;
        page.let_go(Pointer::Mouse).await;
        assert_eq!(page.seen().await, before);
        assert_eq!(page.value(CAN_UNDO).await, false);
        assert_eq!(page.fragment().await, address);
    });
}

#[test]
fn a_finger_drags_the_marker_and_not_the_page() {
    with_page(async |page| {
        phone(page, "").await;
        page.becomes(VERDICT, LOST).await;
        let room = page
            .value("document.documentElement.scrollHeight > innerHeight + 100")
            .await;
        assert_eq!(room, true, "the page could scroll");
        let handle = page.handle(0).await;
        let left = above_cell(page, handle, 2).await;
        let scrolled = page.value("scrollY").await;
        page.press_at(Pointer::Finger, handle).await;
        // A finger never goes straight.
        for (part, wobble) in [(0.2, -6.0), (0.5, -40.0), (0.8, -90.0), (1.0, -120.0)] {
            page.move_to(Pointer::Finger, handle.moved((left.x - handle.x) * part, wobble))
                .await;
        }
        page.becomes(VERDICT, HEALTHY).await;
        assert_eq!(page.value("scrollY").await, scrolled, "while the finger is down");
        page.let_go(Pointer::Finger).await;
        page.becomes(CAN_UNDO, true).await;
        assert_eq!(page.value(VERDICT).await, HEALTHY);
        assert_eq!(page.value("scrollY").await, scrolled, "once the finger is up");
    });
}

#[test]
fn a_phone_keeps_the_marker_and_the_verdict_in_view() {
    with_page(async |page| {
        for scenario in ["O1", "O5", "O10"] {
            phone(page, &preset(scenario)).await;
            page.becomes(SCENARIO, scenario).await;
            page.becomes(MARKER_SHOWN, true).await;
            for control in [".fault-later", ".fault-earlier"] {
                let at_end = format!("document.querySelector('{control}').disabled");
                for _ in 0..GAPS_MAX {
                    if page.value(&at_end).await == true {
                        break;
                    }
                    page.click(control).await;
                    page.becomes(MARKER_SHOWN, true).await;
                }
                assert_eq!(page.value(&at_end).await, true, "{control} leads to an end");
            }
            page.run("scrollTo(0, document.documentElement.scrollHeight)").await;
            let shown = "(() => {
                const box = document.querySelector('.verdict-sentence').getBoundingClientRect();
                return box.top >= 0 && box.bottom <= innerHeight;
            })()";
            page.becomes(shown, true).await;
        }
    });
}

#[test]
fn two_buttons_do_what_a_drag_does() {
    with_page(async |page| {
        phone(page, "").await;
        page.wait_for_text(".fault-place", "after commit").await;
        page.click(".fault-earlier").await;
        page.becomes(VERDICT, HEALTHY).await;
        page.click(".fault-later").await;
        page.becomes(VERDICT, LOST).await;
        page.click(".fault-later").await;
        page.becomes(VERDICT, HEALTHY).await;
        page.wait_for_text(".fault-place", "after publish-events").await;
        page.becomes("document.querySelector('.fault-later').disabled", true)
            .await;
    });
}

/// The first marker's handle is between the lanes' names and the right edge of the page.
const MARKER_SHOWN: &str = "(() => {
    const handle = document.querySelector('.marker-handle').getBoundingClientRect();
    const names = document.querySelector('.lane-name').getBoundingClientRect();
    return handle.left >= names.right && handle.right <= innerWidth;
})()";

async fn phone(page: &Page, fragment: &str) {
    page.resize(390, 844).await;
    page.touch_screen().await;
    page.open(fragment).await;
}
