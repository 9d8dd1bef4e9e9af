//! What a reader sees of the open scenario and takes hold of, found by role, name and `data-…` attribute.
//!
//! Refuses to know: what should be there; that is for the tests.

use crashpoint::link::{self, Shared, View};
use crashpoint::scenarios;
use fantoccini::elements::{Element, ElementRef};
use serde_json::{Value, json};

use crate::gestures::Point;
use crate::page::Page;

/// What O1 says with its crash after the commit, and without any.
pub const LOST: &str = "Lost. Order 1001 is saved and paid; nothing will ever be shipped.";
pub const HEALTHY: &str = "Healthy. Every order that is saved has also been announced.";

/// The sentence everything is about, without its sign.
pub const VERDICT: &str = "[...document.querySelectorAll('.verdict-sentence > :not([aria-hidden])')]
    .map((part) => part.innerText.trim()).join(' ')";
/// The identifier of the open scenario.
pub const SCENARIO: &str = "document.querySelector('.header-id').innerText";
/// The program as it stands in its field.
pub const TEXT: &str = "document.querySelector('.program-field').value";
/// What a screen reader says about each marker on the timeline.
pub const MARKERS: &str = "[...document.querySelectorAll('.markers [role=slider]')]
    .map((marker) => marker.getAttribute('aria-valuetext'))";
/// The markers that the run does not reach.
pub const NOT_REACHED: &str =
    "[...document.querySelectorAll('.not-reached button')].map((fault) => fault.innerText.trim())";
/// What the state panel says it shows, and in which row something changed.
pub const STATE: &str = "document.querySelector('.state-title').innerText";
/// The program's mistakes.
pub const MISTAKES: &str =
    "[...document.querySelectorAll('.diagnostics li')].map((mistake) => mistake.innerText.trim())";
/// The messages above everything else.
pub const NOTICES: &str = "[...document.querySelectorAll('.notice-text')].map((notice) => notice.innerText.trim())";
/// Whether something is there to undo.
pub const CAN_UNDO: &str = "!document.querySelector('button[aria-label=Undo]').disabled";

/// The link to a preset as it is written.
pub fn preset(id: &str) -> String {
    let preset = scenarios::find(id).unwrap_or_else(|| panic!("no preset {id}"));
    link_of(preset.text)
}

/// The link to a text.
pub fn link_of(text: &str) -> String {
    let (text, view) = (text.to_owned(), View::default());
    link::encode(&Shared { text, view }).expect("a text that fits in a link")
}

/// The strip of a lane, a sign for each gap.
pub fn strip(lane: &str) -> String {
    format!(
        "[...document.querySelectorAll('[data-lane={}] .cell text')].map((cell) => cell.textContent).join('')",
        json!(lane)
    )
}

/// The rows of a table or queue at the play head: for each its sign of change and its cells.
pub fn rows(relation: &str) -> String {
    format!(
        "[...document.querySelectorAll('.relation')]
            .find((relation) => relation.querySelector('.relation-name').innerText === {})
            .querySelectorAll('tbody tr:not(.relation-empty)')
            .values().map((row) => [...row.cells].filter((cell) => !cell.hidden)
                .map((cell) => (cell.querySelector('[aria-hidden]') ?? cell).innerText.trim())).toArray()",
        json!(relation)
    )
}

/// Everything that a link promises to bring back: program, verdict, markers, play head.
pub fn everything() -> String {
    format!("[{SCENARIO}, {TEXT}, {VERDICT}, {MARKERS}, {NOT_REACHED}, {STATE}]")
}

impl Page {
    /// Clicks the visible button of this name where a reader would.
    pub async fn press(&self, name: &str) {
        let script = format!(
            "[...document.querySelectorAll('button, [role=button]')].find((button) => button.getClientRects().length > 0
                && (button.getAttribute('aria-label') ?? button.innerText).trim() === {})",
            json!(name)
        );
        let found = self.wait_until(&script).await;
        // The key under which WebDriver passes elements on, <https://www.w3.org/TR/webdriver2/#elements>.
        let id = found["element-6066-11e4-a52e-4f735466cecf"].as_str();
        let id = ElementRef::from(id.expect("a button is an element").to_owned());
        Element::from_element_id(self.client.clone(), id)
            .click()
            .await
            .unwrap_or_else(|error| panic!("cannot click the button {name:?}: {error}"));
    }

    /// The middle of a marker's handle, by its place among the markers.
    pub async fn handle(&self, marker: usize) -> Point {
        self.wait_until(&format!("document.querySelectorAll('.marker-handle')[{marker}]"))
            .await;
        let place = self
            .value(&format!("document.querySelectorAll('.marker')[{marker}].id"))
            .await;
        self.centre(&format!(
            "#{} .marker-handle",
            place.as_str().expect("markers have an id")
        ))
        .await
    }

    /// The middle of a strip's cell.
    pub async fn cell(&self, lane: &str, stop: usize) -> Point {
        self.centre(&cell(lane, stop)).await
    }

    /// Puts the caret behind the first line of the program that reads like this.
    pub async fn caret_after(&self, line: &str) {
        self.run(&format!(
            "const field = document.querySelector('.program-field');
             const start = ('\\n' + field.value).indexOf('\\n' + {line});
             if (start < 0) throw new Error('no such line');
             field.focus();
             field.setSelectionRange(start + {length}, start + {length});",
            line = json!(line),
            length = line.chars().count(),
        ))
        .await;
    }

    /// Replaces the whole program as pasting does.
    pub async fn paste(&self, text: &str) {
        self.focus(".program-field").await;
        self.run(&format!(
            "document.activeElement.select(); document.execCommand('insertText', false, {});",
            json!(text)
        ))
        .await;
    }

    /// Types letters where the caret is.
    pub async fn type_text(&self, text: &str) {
        for letter in text.chars() {
            match letter {
                '\n' => self.keys(&["Enter"]).await,
                ' ' => self.keys(&["Space"]).await,
                letter => self.keys(&[&letter.to_string()]).await,
            }
        }
    }

    /// The number of the program's first line that reads like this, from 1.
    pub async fn line(&self, line: &str) -> u64 {
        self.value(&format!("{TEXT}.split('\\n').indexOf({}) + 1", json!(line)))
            .await
            .as_u64()
            .filter(|number| *number > 0)
            .unwrap_or_else(|| panic!("no line {line:?}"))
    }

    /// Everything a link brings back, as it is now.
    pub async fn seen(&self) -> Value {
        self.settle().await;
        self.value(&everything()).await
    }
}

/// Names a strip's cell.
pub fn cell(lane: &str, stop: usize) -> String {
    format!("[data-lane=\"{lane}\"] .cell[data-stop=\"{stop}\"]")
}
