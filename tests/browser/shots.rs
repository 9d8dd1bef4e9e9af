//! Pictures of the page for the eye, and one property that every picture must have: nothing sticks out sideways.
//!
//! `CRASHPOINT_SHOTS=shots CRASHPOINT_SCENARIOS="O1 O5" cargo test --features browser --test browser shots`
//! writes `shots/SCENARIO-WIDTH-THEME.png` (the viewport) and `shots/SCENARIO-WIDTH-THEME-full.png` (the whole page).
//! Without `CRASHPOINT_SCENARIOS` it is the first one alone; `CRASHPOINT_LANGUAGE=de-DE` shows them in German.

use crate::page::{Page, with_page};
use crate::scene::{link_of, preset};

const SIZES: [(u32, u32); 2] = [(1280, 900), (390, 844)];
const THEMES: [&str; 2] = ["light", "dark"];

#[test]
fn shots_fit_their_width_in_both_themes() {
    let given = std::env::var("CRASHPOINT_SCENARIOS").unwrap_or_default();
    let mut scenarios: Vec<&str> = given.split_whitespace().collect();
    if scenarios.is_empty() {
        scenarios.push("O1");
    }
    with_page(async |page| {
        page.open("").await;
        if let Ok(language) = std::env::var("CRASHPOINT_LANGUAGE") {
            page.language(&language).await;
        }
        for scenario in scenarios {
            for (width, height) in SIZES {
                for theme in THEMES {
                    page.resize(width, height).await;
                    page.media(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")])
                        .await;
                    page.open(&preset(scenario)).await;
                    look(page, &format!("{scenario}-{width}-{theme}"), width).await;
                }
            }
        }
    });
}

/// Every panel, with what it shows at its fullest: a search that is over, a comparison.
#[test]
fn every_panel_fits_its_width() {
    with_page(async |page| {
        page.open("").await;
        if let Ok(language) = std::env::var("CRASHPOINT_LANGUAGE") {
            page.language(&language).await;
        }
        for (index, (width, height)) in SIZES.into_iter().enumerate() {
            page.resize(width, height).await;
            page.media(&[
                ("prefers-color-scheme", THEMES[index]), // two of each
                ("prefers-reduced-motion", "reduce"),
            ])
            .await;
            page.open(&preset("O3")).await;
            for tab in ["state", "program", "why", "events", "designs", "finder"] {
                // On a wide page the program stands beside all others.
                if tab == "program" && width > 1000 {
                    continue;
                }
                page.click(&format!(".tab-{tab}")).await;
                match tab {
                    "designs" => {
                        page.wait_until("document.querySelector('.matrix-cell') && !document.querySelector('.matrix-cell.worth-pending')")
                            .await;
                    }
                    "finder" => {
                        page.click(".finder-all").await;
                        page.wait_until("!document.querySelector('.finder-result').hidden")
                            .await;
                    }
                    _ => {}
                }
                page.resize(width, height).await;
                look(page, &format!("panel-{tab}-{width}"), width).await;
            }
            let challenge = crashpoint::challenges::find("two-parcels").expect("a challenge");
            page.resize(width, height).await;
            page.open(&link_of(challenge.text)).await;
            page.wait_until("document.querySelector('.challenge-broken')").await;
            look(page, &format!("challenge-{width}"), width).await;
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
