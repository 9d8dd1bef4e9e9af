//! What the browser tells assistive technology: roles, names, announcements, and targets large enough to hit.

use crate::page::{Page, with_page};
use crate::scene::{HEALTHY, VERDICT, preset};
use serde_json::{Value, json};

/// Roles and names as the browser itself computes them, of everything that takes the focus. Parts that can be scrolled take
/// it too, by the browser's own doing; they are `generic` to it and need no name.
async fn focusable(page: &Page) -> Vec<(String, String)> {
    let tree = page.devtools("Accessibility.getFullAXTree", json!({})).await;
    let nodes = tree["nodes"].as_array().expect("a list of nodes");
    let takes_focus = |node: &&Value| {
        let properties = node["properties"].as_array();
        let is_focusable = |property: &Value| property["name"] == "focusable" && property["value"]["value"] == true;
        node["ignored"] != true && properties.is_some_and(|all| all.iter().any(is_focusable))
    };
    let text = |value: &Value| value["value"].as_str().unwrap_or_default().trim().to_owned();
    nodes
        .iter()
        .filter(takes_focus)
        .map(|node| (text(&node["role"]), text(&node["name"])))
        .filter(|(role, _)| !["RootWebArea", "generic"].contains(&role.as_str()))
        .collect()
}

#[test]
fn everything_that_takes_the_focus_has_a_role_and_a_name() {
    with_page(async |page| {
        for scenario in ["O1", "O10"] {
            page.open(&preset(scenario)).await;
            page.settle().await;
            let all = focusable(page).await;
            for role in ["slider", "button", "textbox"] {
                assert!(all.iter().any(|(own, _)| own == role), "no {role} in {all:?}");
            }
            for (role, name) in &all {
                let known = [
                    "slider",
                    "button",
                    "textbox",
                    "link",
                    "combobox",
                    "DisclosureTriangle",
                    "option",
                ]
                .contains(&role.as_str());
                assert!(known && !name.is_empty(), "a {role:?} named {name:?} in {scenario}");
            }
        }
    });
}

#[test]
fn designs_side_by_side_have_names_too() {
    with_page(async |page| {
        page.open("").await;
        page.click(".tab-designs").await;
        page.becomes("document.querySelectorAll('.matrix-cell.worth-pending').length", 0)
            .await;
        let all = focusable(page).await;
        let is_cell =
            |(role, name): &(String, String)| role == "button" && name.starts_with("O3. Shop crashes after commit");
        assert!(all.iter().any(is_cell), "{all:?}");
        let nameless: Vec<_> = all.into_iter().filter(|(_, name)| name.is_empty()).collect();
        assert!(nameless.is_empty(), "{nameless:?}");
    });
}

#[test]
fn menus_and_dialogs_have_names_too() {
    with_page(async |page| {
        page.open("").await;
        for opener in [".fault-menu", ".header-scenario", "button[aria-label=Help]"] {
            page.click(opener).await;
            page.wait_until("document.querySelector('dialog[open], .menu')").await;
            let nameless: Vec<_> = focusable(page)
                .await
                .into_iter()
                .filter(|(_, name)| name.is_empty())
                .collect();
            assert!(nameless.is_empty(), "{opener}: {nameless:?}");
            let named = "(document.querySelector('dialog[open]') ?? document.querySelector('[role=dialog]')).getAttribute('aria-label')";
            assert_ne!(page.value(named).await, "", "{opener}");
            page.keys(&["Escape"]).await;
            page.becomes("document.querySelector('dialog[open], .menu') === null", true)
                .await;
        }
    });
}

#[test]
fn a_changed_verdict_is_announced_once() {
    with_page(async |page| {
        page.open("").await;
        // Every live region, with what it says; the verdict's own sentence may be the one.
        page.run(
            "window.said = [];
             const live = '[aria-live=polite], [role=status], [role=alert]';
             new MutationObserver((changes) => {
                 const regions = new Set(changes.map((change) => (change.target.closest ? change.target : change.target.parentElement)?.closest(live)));
                 regions.delete(null); regions.delete(undefined);
                 for (const region of regions) said.push([region.className, region.innerText]);
             }).observe(document.body, { subtree: true, childList: true, characterData: true });",
        )
        .await;
        page.focus(".markers [role=slider]").await;
        page.keys(&["ArrowLeft"]).await;
        page.becomes(VERDICT, HEALTHY).await;
        page.settle().await;
        let said = page
            .value("said.filter(([, text]) => text.includes('Every order that is saved'))")
            .await;
        assert_eq!(said.as_array().map(Vec::len), Some(1), "{said}");
    });
}

#[test]
fn the_page_is_built_of_landmarks_and_headings() {
    with_page(async |page| {
        page.open("").await;
        for once in ["h1", "main", "header"] {
            assert_eq!(
                page.value(&format!("document.querySelectorAll('{once}').length")).await,
                1,
                "{once}"
            );
        }
        let twice = "(() => {
            const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
            return ids.filter((id, index) => ids.indexOf(id) !== index);
        })()";
        assert_eq!(page.value(twice).await, json!([]), "an id names one element");
        let missing = "[...document.querySelectorAll('[aria-labelledby], [aria-describedby], [aria-controls]')].flatMap((element) =>
            ['aria-labelledby', 'aria-describedby', 'aria-controls'].flatMap((name) => (element.getAttribute(name) ?? '').split(/\\s+/))
                .filter((id) => id && !document.getElementById(id)))";
        assert_eq!(page.value(missing).await, json!([]), "what is referred to is there");
    });
}

#[test]
fn a_finger_hits_every_button() {
    with_page(async |page| {
        page.resize(390, 844).await;
        page.touch_screen().await;
        page.open("").await;
        page.settle().await;
        // 24 pixels, or as much room around: <https://www.w3.org/TR/WCAG22/#target-size-minimum>.
        let small = "[...document.querySelectorAll('button, .marker-target, input')]
            .filter((target) => target.getClientRects().length > 0 && !target.closest('.gutter'))
            .map((target) => [target.getAttribute('class'), target.getBoundingClientRect()])
            .filter(([, box]) => box.width < 24 || box.height < 24)
            .map(([name, box]) => `${name} ${box.width} x ${box.height}`)";
        assert_eq!(page.value(small).await, json!([]));
        let marker = "(() => {
            const box = document.querySelector('.marker-target').getBoundingClientRect();
            return [box.width, box.height];
        })()";
        assert_eq!(page.value(marker).await, json!([44, 44]));
    });
}

#[test]
fn texts_stand_out_from_their_ground_in_both_themes() {
    with_page(async |page| {
        for theme in ["light", "dark"] {
            page.media(&[("prefers-color-scheme", theme)]).await;
            page.open("").await;
            page.settle().await;
            assert_eq!(page.value(LOW_CONTRAST).await, json!([]), "{theme}");
        }
    });
}

/// Texts of less than 4.5 : 1, <https://www.w3.org/TR/WCAG22/#contrast-minimum>; disabled ones do not count.
const LOW_CONTRAST: &str = "(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const paint = (colours) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
        }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => rgb.map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const grounds = (element) => {
        const all = [];
        for (let at = element; at; at = at.parentElement) all.unshift(getComputedStyle(at).backgroundColor);
        return all;
    };
    const low = [];
    for (const element of document.querySelectorAll('.page *')) {
        const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
        // Drawings have fills instead of backgrounds, and the field's own text lies invisibly over its coloured copy.
        if (!own || element.closest('svg, textarea, :disabled, [hidden], .off-screen') || element.getClientRects().length === 0) continue;
        const ground = grounds(element);
        const [a, b] = [light(paint([...ground, getComputedStyle(element).color])), light(paint(ground))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) low.push(`${element.className} '${element.textContent.trim().slice(0, 30)}' ${ratio.toFixed(2)}`);
    }
    return [...new Set(low)];
})()";
