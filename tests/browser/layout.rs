//! Nothing sticks out, overlaps or is cut, at every width and in both languages.

use crate::page::{Page, with_page};
use crate::scene::{SCENARIO, preset};
use serde_json::json;

const WIDTHS: [(u32, u32); 4] = [(390, 844), (768, 1024), (1280, 900), (1920, 1080)];

/// What is wrong with the picture, in sentences.
const FAULTS: &str = "(() => {
    const faults = [];
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth) faults.push(`the page is ${root.scrollWidth} wide`);

    const overlap = (lane, selector) => {
        const boxes = [...lane.querySelectorAll(selector)].map((box) => box.getBoundingClientRect()).sort((a, b) => a.left - b.left);
        for (const [index, box] of boxes.entries()) {
            const next = boxes[index + 1];
            if (next && next.left < box.right - 0.5 && next.top < box.bottom && box.top < next.bottom) {
                faults.push(`${selector} ${index} and the next of lane ${lane.dataset.lane} overlap at ${box.left}`);
            }
        }
    };
    for (const lane of document.querySelectorAll('.lane')) {
        overlap(lane, '.block-box');
        overlap(lane, '.cell rect');
        const name = lane.querySelector('.lane-name');
        if (name.scrollWidth > name.clientWidth + 1) faults.push(`the name of lane ${lane.dataset.lane} is cut`);
    }

    const cut = (element) => {
        const style = getComputedStyle(element);
        const clips = (way) => style[`overflow${way}`] !== 'visible';
        return (clips('X') && element.scrollWidth > element.clientWidth + 1) || (clips('Y') && element.scrollHeight > element.clientHeight + 1);
    };
    const verdict = document.querySelector('.verdict-main');
    for (const element of [verdict, ...verdict.querySelectorAll('*')]) {
        if (element.getClientRects().length > 0 && cut(element)) faults.push(`.${element.className} is cut`);
    }
    const outside = (element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && (box.left < -0.5 || box.right > innerWidth + 0.5);
    };
    for (const element of document.querySelectorAll('header *, .verdict-main *, .stage-bar button, .tabs button, .notices *')) {
        if (!element.closest('.off-screen') && outside(element)) faults.push(`${element.tagName}.${element.getAttribute('class')} sticks out`);
    }
    const texts = [...document.querySelectorAll('.block-label, .block-detail')].filter((text) => {
        const box = text.closest('.block').querySelector('.block-box').getBoundingClientRect();
        const own = text.getBoundingClientRect();
        return own.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1);
    });
    for (const text of texts) faults.push(`the text ${text.textContent} sticks out of its block`);
    return faults;
})()";

async fn is_sound_at_all_widths(page: &Page, scenario: &str) {
    for (width, height) in WIDTHS {
        page.resize(width, height).await;
        page.open(&preset(scenario)).await;
        page.becomes(SCENARIO, scenario).await;
        page.settle().await;
        assert_eq!(page.value(FAULTS).await, json!([]), "{scenario} at {width} pixels");
    }
}

#[test]
fn pages_fit_at_every_width() {
    with_page(async |page| {
        for scenario in ["O1", "O10", "C15"] {
            is_sound_at_all_widths(page, scenario).await;
        }
    });
}

#[test]
fn german_pages_fit_at_every_width() {
    with_page(async |page| {
        page.open("").await;
        page.language("de-DE").await;
        for scenario in ["O1", "O5"] {
            is_sound_at_all_widths(page, scenario).await;
        }
    });
}

#[test]
fn a_message_and_a_menu_fit_on_a_phone() {
    with_page(async |page| {
        page.resize(390, 844).await;
        page.open("1/O5.0000").await;
        page.wait_for_text(".notice", "has changed").await;
        page.settle().await;
        assert_eq!(page.value(FAULTS).await, json!([]), "a message");
        page.click(".fault-menu").await;
        let inside = "(() => {
            const box = document.querySelector('.menu').getBoundingClientRect();
            return box.left >= 0 && box.right <= innerWidth && document.documentElement.scrollWidth <= innerWidth;
        })()";
        page.becomes(inside, true).await;
    });
}

#[test]
fn dialogs_fit_and_scroll_on_a_phone() {
    with_page(async |page| {
        page.resize(390, 844).await;
        page.open("").await;
        for opener in [".header-scenario", "button[aria-label=Help]"] {
            page.click(opener).await;
            let inside = "(() => {
                const box = document.querySelector('dialog[open]').getBoundingClientRect();
                return box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;
            })()";
            page.becomes(inside, true).await;
            page.becomes("document.documentElement.scrollWidth <= innerWidth", true)
                .await;
            page.press("Close").await;
            page.becomes("document.querySelector('dialog') === null", true).await;
        }
    });
}

#[test]
fn tabs_show_one_panel_after_the_other_on_a_phone() {
    with_page(async |page| {
        page.resize(390, 844).await;
        page.open("").await;
        let shown = "['.program-field', '.state-title', '.why-sentence']
            .filter((part) => document.querySelector(part)?.getClientRects().length > 0)";
        for (tab, part) in [
            ("Program", ".program-field"),
            ("Why", ".why-sentence"),
            ("State", ".state-title"),
        ] {
            page.press(tab).await;
            page.becomes(shown, json!([part])).await;
        }
    });
}
