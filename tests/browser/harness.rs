//! The harness itself: what `gestures.rs` and `page.rs` send is what a page receives.

use serde_json::json;

use crate::gestures::{Point, Pointer};
use crate::page::{Page, with_page};

/// Puts a 200 x 100 box at the top left of the page, which notes what happens to it in `window.noted`.
async fn open_a_box(page: &Page) {
    page.open("").await;
    page.run(
        "document.body.innerHTML = '<div id=box tabindex=0>a box</div>';
         const box = document.getElementById('box');
         box.style.cssText = 'position: fixed; inset: 0 auto auto 0; width: 200px; height: 100px; touch-action: none';
         window.noted = [];
         for (const kind of ['pointerdown', 'pointermove', 'pointerup']) {
             box.addEventListener(kind, (event) => noted.push([event.type, event.pointerType, event.clientX, event.clientY]));
         }
         box.addEventListener('keydown', (event) => noted.push([event.key, event.ctrlKey, event.shiftKey]));",
    )
    .await;
}

/// Drags the box's centre by (40, 8) pixels and looks for the whole gesture, as a pointer of this kind.
fn drags(pointer: Pointer, kind: &str) {
    with_page(async |page| {
        open_a_box(page).await;
        let centre = page.centre("#box").await;
        assert_eq!(centre, Point { x: 100.0, y: 50.0 });
        page.drag(pointer, centre, centre.moved(40.0, 8.0)).await;
        page.wait_until("noted.some(([type]) => type === 'pointerup')").await;
        let noted = page.value("noted").await;
        let noted = noted.as_array().expect("a list of events");
        let pressed = json!(["pointerdown", kind, 100, 50]);
        let pressed = noted.iter().position(|event| *event == pressed).expect("it is pressed");
        let drag = &noted[pressed..];
        let half_way = json!(["pointermove", kind, 120, 54]);
        assert!(drag.contains(&half_way), "half way is not among {drag:?}");
        assert_eq!(drag.last(), Some(&json!(["pointerup", kind, 140, 58])));
    });
}

#[test]
fn a_mouse_drags() {
    drags(Pointer::Mouse, "mouse");
}

#[test]
fn a_finger_drags() {
    drags(Pointer::Finger, "touch");
}

#[test]
fn keys_come_with_their_modifiers() {
    with_page(async |page| {
        open_a_box(page).await;
        page.focus("#box").await;
        page.keys(&["ArrowLeft", "Control+z", "Shift+End"]).await;
        page.wait_until("noted.length === 5").await;
        let expected = json!([
            ["ArrowLeft", false, false],
            ["Control", true, false],
            ["z", true, false],
            ["Shift", false, true],
            ["End", false, true],
        ]);
        assert_eq!(page.value("noted").await, expected);
    });
}

#[test]
fn devices_and_settings_are_pretended() {
    with_page(async |page| {
        page.open("").await;
        page.resize(390, 844).await;
        page.touch_screen().await;
        page.media(&[("prefers-color-scheme", "dark"), ("prefers-reduced-motion", "reduce")])
            .await;
        page.language("de-DE").await;
        page.open("").await;
        page.run("document.body.innerHTML = '<p>  some text </p>'").await;
        assert_eq!(page.text("p").await, "some text");
        assert_eq!(page.value("[innerWidth, innerHeight]").await, json!([390, 844]));
        for feature in [
            "prefers-color-scheme: dark",
            "prefers-reduced-motion: reduce",
            "pointer: coarse",
        ] {
            assert_eq!(
                page.value(&format!("matchMedia('({feature})').matches")).await,
                true,
                "{feature}"
            );
        }
        assert_eq!(
            page.value("[navigator.language, new Intl.NumberFormat().format(1.5)]")
                .await,
            json!(["de-DE", "1,5"])
        );
    });
}
