//! Everything the page asks of the browser: address, clipboard, storage, focus, scrolling, timers, pointers.
//!
//! Refuses to know: what is open and why. No other file calls the browser's interfaces. Whatever a browser may refuse
//! (storage, clipboard, history) is done as far as it goes and never stops the page.

use crate::app::message::Preference;
use crate::app::model::{MarkerId, Start, Theme};
use crate::app::view::Halves;
use crate::words::Language;
use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use gloo::utils::{document, document_element, window};
use std::collections::BTreeMap;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, HtmlDialogElement, HtmlDocument, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement,
    SvgElement,
};
use yew::prelude::*;

mod pane;
pub mod worker;

pub use pane::{Pane, Panes};

/// Keys of the local storage; `page/boot.js` reads the first two.
const THEME: &str = "crashpoint.theme";
const LANGUAGE: &str = "crashpoint.language";
const FIRST_DRAG_DONE: &str = "crashpoint.first-drag-done";
/// And the challenge's id behind it.
const BEST: &str = "crashpoint.best.";

// --- Start and end ------------------------------------------------------------------------------------------------

/// Whether this runs in a page; else it is in a worker.
pub fn has_page() -> bool {
    web_sys::window().is_some()
}

/// The element that holds the page.
pub fn root() -> Element {
    // index.html is part of the program: without the element there is nothing to draw on, and boot.js says so.
    document()
        .get_element_by_id("app")
        .expect("index.html has an element #app")
}

/// Tells `page/boot.js` about a panic; it shows a page with a way on, as this program must not run any more.
pub fn report_panics() {
    yew::set_custom_panic_hook(Box::new(|panic| {
        let text = panic.to_string();
        web_sys::console::error_1(&text.as_str().into());
        let detail = web_sys::CustomEventInit::new();
        detail.set_detail(&text.as_str().into());
        if let Ok(event) = web_sys::CustomEvent::new_with_event_init_dict("crashpoint-panic", &detail) {
            let _ = window().dispatch_event(&event);
        }
    }));
}

/// What the browser knows when the page opens.
pub fn start() -> Start {
    Start {
        // boot.js has chosen among what is stored and what the browser speaks.
        language: document_element()
            .get_attribute("lang")
            .and_then(|code| Language::from_code(&code))
            .unwrap_or(Language::En),
        theme: stored(THEME)
            .and_then(|slug| Theme::from_slug(&slug))
            .unwrap_or_default(),
        fragment: fragment(),
        first_drag_done: stored(FIRST_DRAG_DONE).is_some(),
        bests: bests(),
    }
}

/// Puts the page's language and theme on `<html>`, where screen readers and styles look for them.
pub fn dress(language: Language, theme: Theme) {
    let html = document_element();
    let _ = html.set_attribute("lang", language.code());
    let _ = match theme {
        Theme::System => html.remove_attribute("data-theme"),
        Theme::Light | Theme::Dark => html.set_attribute("data-theme", theme.slug()),
    };
}

// --- Storage ------------------------------------------------------------------------------------------------------

fn stored(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// The fewest changes of each challenge that was solved.
fn bests() -> BTreeMap<String, u32> {
    let Ok(Some(storage)) = window().local_storage() else {
        return BTreeMap::new();
    };
    let keys = (0..storage.length().unwrap_or(0)).filter_map(|index| storage.key(index).ok().flatten());
    keys.filter_map(|key| {
        let id = key.strip_prefix(BEST)?;
        Some((id.to_owned(), stored(&key)?.parse().ok()?))
    })
    .collect()
}

/// Remembers something for the next visit, where the browser allows it.
pub fn store(preference: Preference) {
    let Ok(Some(storage)) = window().local_storage() else {
        return;
    };
    let _ = match preference {
        Preference::Language(language) => storage.set_item(LANGUAGE, language.code()),
        Preference::Theme(Theme::System) => storage.remove_item(THEME),
        Preference::Theme(theme) => storage.set_item(THEME, theme.slug()),
        Preference::FirstDragDone => storage.set_item(FIRST_DRAG_DONE, "1"),
        Preference::Best(id, changes) => storage.set_item(&format!("{BEST}{id}"), &changes.to_string()),
    };
}

// --- Address ------------------------------------------------------------------------------------------------------

fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// Calls with the new fragment when the reader changes the address or goes back.
pub fn on_fragment(changed: Callback<String>) -> EventListener {
    EventListener::new(&window(), "hashchange", move |_| changed.emit(fragment()))
}

/// Changes the address; `push` makes an entry of its own, so that Back returns to the one before.
pub fn set_fragment(fragment: &str, push: bool) {
    let Ok(history) = window().history() else {
        return;
    };
    let address = format!("#{fragment}");
    // Browsers limit how often this may be called; the next change tries again.
    let _ = if push {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
}

/// Puts the page's address with this fragment on the clipboard and says whether that went well.
pub fn copy_link(fragment: &str, done: Callback<bool>) {
    let address = window().location().href().unwrap_or_default();
    let page = address.split('#').next().unwrap_or_default();
    copy_text(format!("{page}#{fragment}"), done);
}

/// Puts a text on the clipboard and says whether that went well.
pub fn copy_text(text: String, done: Callback<bool>) {
    let navigator = window().navigator();
    // Absent on pages that are neither https nor local, whatever the type says.
    let offered = js_sys::Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|value| !value.is_undefined());
    if !offered {
        done.emit(copy_selected(&text));
        return;
    }
    let copied = navigator.clipboard().write_text(&text);
    wasm_bindgen_futures::spawn_local(async move {
        let copied = wasm_bindgen_futures::JsFuture::from(copied).await.is_ok();
        done.emit(copied || copy_selected(&text));
    });
}

/// The old way: a text field for a moment, selected, copied.
fn copy_selected(text: &str) -> bool {
    let copy = || -> Result<bool, JsValue> {
        let field: HtmlTextAreaElement = document().create_element("textarea")?.unchecked_into();
        field.set_value(text);
        field.set_attribute("class", "off-screen")?;
        gloo::utils::body().append_child(&field)?;
        field.select();
        let copied = document().unchecked_into::<HtmlDocument>().exec_command("copy");
        field.remove();
        copied
    };
    copy().unwrap_or(false)
}

// --- Time ---------------------------------------------------------------------------------------------------------

/// Calls back after so many milliseconds, unless the returned value is dropped before.
pub fn after(milliseconds: u32, call: impl FnOnce() + 'static) -> Timeout {
    Timeout::new(milliseconds, call)
}

// --- Keys ---------------------------------------------------------------------------------------------------------

/// Calls for Undo (`true`) and Redo (`false`) anywhere but in text fields, which have their own.
pub fn on_undo(asked: Callback<bool>) -> EventListener {
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&window(), "keydown", options, move |event| {
        let Some(key) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let in_text = event
            .target()
            .is_some_and(|target| target.has_type::<HtmlTextAreaElement>());
        if in_text || !(key.ctrl_key() || key.meta_key()) || key.alt_key() {
            return;
        }
        let undo = match key.key().as_str() {
            "z" => true,
            "Z" | "y" => false,
            _ => return,
        };
        key.prevent_default();
        asked.emit(undo);
    })
}

/// Moves the focus to the next (or previous) element within the parent of the one that heard the key.
pub fn focus_sibling(event: &KeyboardEvent, next: bool) {
    let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        return;
    };
    let sibling = if next {
        element.next_element_sibling()
    } else {
        element.previous_element_sibling()
    };
    if let Some(sibling) = sibling {
        focus(&sibling);
    }
}

/// Moves the focus from a button in a table's cell to the one in the next cell that has one: to the right or left, else down
/// or up in the same column.
pub fn focus_in_table(event: &KeyboardEvent, right: i32, down: i32) {
    let button = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(mut cell) = button.and_then(|button| button.closest("td").ok().flatten()) else {
        return;
    };
    loop {
        let next = match (right, down) {
            (1.., _) => cell.next_element_sibling(),
            (..=-1, _) => cell.previous_element_sibling(),
            (_, down) => beside(&cell, down > 0),
        };
        let Some(next) = next else { return };
        if let Ok(Some(button)) = next.query_selector("button") {
            return focus(&button);
        }
        cell = next;
    }
}

/// The cell below or above.
fn beside(cell: &Element, below: bool) -> Option<Element> {
    let row = cell.parent_element()?;
    let row = if below {
        row.next_element_sibling()
    } else {
        row.previous_element_sibling()
    };
    let mut place = cell.previous_element_sibling();
    let mut beside = row?.first_element_child()?;
    while let Some(before) = place {
        beside = beside.next_element_sibling()?;
        place = before.previous_element_sibling();
    }
    Some(beside)
}

fn focus(element: &Element) {
    let _ = match element.dyn_ref::<SvgElement>() {
        Some(drawing) => drawing.focus(),
        None => element.unchecked_ref::<HtmlElement>().focus(),
    };
}

/// Moves the focus into a menu: to the first entry that is chosen, or the first control if none is.
pub fn focus_menu(menu: &NodeRef) {
    let Some(menu) = menu.cast::<Element>() else {
        return;
    };
    let find = |selector| menu.query_selector(selector).ok().flatten();
    if let Some(entry) = find("[aria-pressed='true']").or_else(|| find("button")) {
        focus(&entry);
    }
}

/// The `id` of a marker's element.
pub fn marker_element_id(marker: MarkerId) -> String {
    format!("marker-{marker}")
}

fn marker_element(marker: MarkerId) -> Option<Element> {
    document().get_element_by_id(&marker_element_id(marker))
}

pub fn focus_marker(marker: MarkerId) {
    if let Some(element) = marker_element(marker) {
        focus(&element);
    }
}

/// Moves the focus to the cell of a stop in a lane's strip.
pub fn focus_cell(lane: usize, stop: usize) {
    let selector = format!(".lane:nth-child({}) .cell[data-stop='{stop}']", lane + 1);
    if let Ok(Some(cell)) = document().query_selector(&selector) {
        focus(&cell);
    }
}

/// Moves the focus to the button that shifts a design to that side; at the edge, where there is none to press, to its other one.
pub fn focus_shift(design: usize, later: bool) {
    // The first column has the names.
    let of = |side: &str| format!(".lockstep-head:nth-child({}) .design-shift{side}:enabled", design + 2);
    let (same, other) = match later {
        true => (of(".design-later"), of(":not(.design-later)")),
        false => (of(":not(.design-later)"), of(".design-later")),
    };
    let found = |selector: &str| document().query_selector(selector).ok().flatten();
    if let Some(button) = found(&same).or_else(|| found(&other)) {
        focus(&button);
    }
}

/// Calls when the page has got another size.
pub fn on_resize(resized: impl Fn() + 'static) -> EventListener {
    EventListener::new(&window(), "resize", move |_| resized())
}

// --- Places -------------------------------------------------------------------------------------------------------

/// The `id` of the element that scrolls the timeline sideways, and of the drawing over its lanes.
pub const SCROLLER: &str = "timeline-scroller";
pub const OVERLAY: &str = "timeline-overlay";

/// Everything this pointer does from now on goes to the element that heard the event, wherever the pointer is.
pub fn capture(event: &PointerEvent) {
    if let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) {
        let _ = element.set_pointer_capture(event.pointer_id());
    }
}

/// Follows a pointer that is down until it is up or taken away, or until the returned value is dropped. All of the page
/// listens: a browser may take the capture back without a word, and the pointer must not stay down for ever then.
pub fn follow(
    pointer: i32,
    moved: Callback<PointerEvent>,
    up: Callback<PointerEvent>,
    lost: Callback<PointerEvent>,
) -> [EventListener; 3] {
    let listen = |kind, call: Callback<PointerEvent>| {
        EventListener::new(&window(), kind, move |event| {
            if let Some(event) = event.dyn_ref::<PointerEvent>()
                && event.pointer_id() == pointer
            {
                call.emit(event.clone());
            }
        })
    };
    [
        listen("pointermove", moved),
        listen("pointerup", up),
        listen("pointercancel", lost),
    ]
}

/// Scrolls the timeline sideways, no further than needed, until a position and two columns around it are seen.
pub fn reveal(position: Halves) {
    if let Some(pane) = Pane::measured() {
        pane.reveal(position);
    }
}

/// Puts a small panel beside a marker, within the page. The style goes through the object model: style attributes are
/// forbidden by the page's policy.
pub fn place_at_marker(panel: &NodeRef, marker: MarkerId) {
    let (Some(panel), Some(marker)) = (panel.cast::<HtmlElement>(), marker_element(marker)) else {
        return;
    };
    let marker = marker.get_bounding_client_rect();
    let page = document_element();
    let room = f64::from(page.client_width() - panel.offset_width() - 12);
    let left = (marker.left() + marker.width() / 2.0 + 20.0).min(room).max(12.0);
    let top = marker.top() + window().scroll_y().unwrap_or_default() + 40.0;
    let _ = panel.style().set_property("left", &format!("{left}px"));
    let _ = panel.style().set_property("top", &format!("{top}px"));
}

/// Scrolls a line of the program into view within its panel.
pub fn reveal_line(panel: &NodeRef, line: u32) {
    reveal_within(panel, &format!("[data-line='{line}']"));
}

/// Scrolls the element that a selector names into view within its panel.
pub fn reveal_within(panel: &NodeRef, selector: &str) {
    let Some(panel) = panel.cast::<Element>() else {
        return;
    };
    let Ok(Some(row)) = panel.query_selector(selector) else {
        return;
    };
    let (outer, inner) = (panel.get_bounding_client_rect(), row.get_bounding_client_rect());
    let above = inner.top() - outer.top();
    let below = inner.bottom() - outer.bottom();
    if above < 0.0 || below > 0.0 {
        let middle = above - outer.height() / 2.0;
        panel.set_scroll_top(panel.scroll_top() + middle as i32);
    }
}

// --- Elements -----------------------------------------------------------------------------------------------------

/// Opens a dialog above everything else; the browser keeps the focus inside and closes it on Escape.
pub fn open_dialog(dialog: &NodeRef) {
    if let Some(dialog) = dialog.cast::<HtmlDialogElement>().filter(|dialog| !dialog.open()) {
        let _ = dialog.show_modal();
    }
}

/// The event hit the element itself and nothing inside it: of a dialog, the space around its content.
pub fn hit_itself(event: &MouseEvent) -> bool {
    event.target().is_some() && event.target() == event.current_target()
}

/// What stands in a text area after an input.
pub fn typed_text(event: &InputEvent) -> String {
    event.target_unchecked_into::<HtmlTextAreaElement>().value()
}

/// What stands in a field of one line after an input.
pub fn typed_line(event: &InputEvent) -> String {
    event.target_unchecked_into::<HtmlInputElement>().value()
}

/// Where a range input stands after an input.
pub fn chosen_number(event: &InputEvent) -> i32 {
    // Ranges hold whole numbers of the size of a timeline.
    event.target_unchecked_into::<HtmlInputElement>().value_as_number() as i32
}

/// The line (from 1) of the caret in the field that heard the event.
pub fn caret_line(event: &web_sys::Event) -> Option<u32> {
    let field = event.target()?.dyn_into::<HtmlTextAreaElement>().ok()?;
    let caret = field.selection_start().ok()??;
    // The browser counts a text in UTF-16.
    let before = field
        .value()
        .encode_utf16()
        .take(caret as usize)
        .filter(|unit| *unit == u16::from(b'\n'))
        .count();
    u32::try_from(before + 1).ok()
}

/// Puts the caret of the program's field at the beginning of a line (from 1), if the field has the focus.
pub fn put_caret(line: u32) {
    let focused = document().active_element();
    let Some(field) = focused.and_then(|element| element.dyn_into::<HtmlTextAreaElement>().ok()) else {
        return;
    };
    let text = field.value();
    let before = text.split_inclusive('\n').take((line as usize).saturating_sub(1));
    let units: usize = before.map(|line| line.encode_utf16().count()).sum();
    let place = u32::try_from(units).unwrap_or(u32::MAX);
    let _ = field.set_selection_range(place, place);
}

/// The value of the option that was chosen.
pub fn chosen_option(event: &Event) -> String {
    event.target_unchecked_into::<HtmlSelectElement>().value()
}

/// Whether a check box is checked after a change.
pub fn is_checked(event: &Event) -> bool {
    event.target_unchecked_into::<HtmlInputElement>().checked()
}

/// Distance of a pointer from the top left of an element. (An event's own element is the page's root: Yew listens there for all.)
pub fn within(event: &MouseEvent, element: &NodeRef) -> Option<(i32, i32)> {
    let element = element.cast::<Element>()?;
    let place = element.get_bounding_client_rect();
    let distance = |pointer: i32, start: f64| (f64::from(pointer) - start).floor() as i32;
    Some((
        distance(event.client_x(), place.left()),
        distance(event.client_y(), place.top()),
    ))
}

/// Makes the option of that value the chosen one.
pub fn choose(select: &NodeRef, value: &str) {
    if let Some(select) = select.cast::<HtmlSelectElement>() {
        select.set_value(value);
    }
}
