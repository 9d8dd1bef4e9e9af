//! Pictures of the page for the eye, and one property that every picture must have: nothing sticks out sideways.
//!
//! `CRASHPOINT_SHOTS=shots CRASHPOINT_FRAGMENTS="#1/O1 #1/O5" cargo test --features browser --test browser shots`
//! writes `shots/N-WIDTH-THEME.png` (the viewport) and `shots/N-WIDTH-THEME-full.png` (the whole page) for the fragments
//! in order, N from 0. Without `CRASHPOINT_FRAGMENTS` it is the start page alone.

use crate::page::{Page, with_page};

const SIZES: [(u32, u32); 2] = [(1280, 900), (390, 844)];
const THEMES: [&str; 2] = ["light", "dark"];

#[test]
fn shots_fit_their_width_in_both_themes() {
    let given = std::env::var("CRASHPOINT_FRAGMENTS").unwrap_or_default();
    let mut fragments: Vec<&str> = given.split_whitespace().collect();
    if fragments.is_empty() {
        fragments.push("");
    }
    with_page(async |page| {
        for (number, fragment) in fragments.iter().enumerate() {
            for (width, height) in SIZES {
                for theme in THEMES {
                    page.resize(width, height).await;
                    page.media(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")])
                        .await;
                    page.open(fragment).await;
                    look(page, &format!("{number}-{width}-{theme}"), width).await;
                }
            }
        }
    });
}

/// Takes both pictures and compares the page's width with the viewport's.
async fn look(page: &Page, name: &str, width: u32) {
    page.settle().await;
    page.screenshot(name).await;
    let [wide, high] = ["scrollWidth", "scrollHeight"].map(|side| format!("document.documentElement.{side}"));
    let wide = page.value(&wide).await.as_u64().expect("a width in pixels");
    assert!(wide <= u64::from(width), "{name}: the page is {wide} pixels wide");
    let high = page.value(&high).await.as_u64().expect("a height in pixels");
    page.resize(width, u32::try_from(high).expect("a page of a sensible height"))
        .await;
    page.settle().await;
    page.screenshot(&format!("{name}-full")).await;
}
