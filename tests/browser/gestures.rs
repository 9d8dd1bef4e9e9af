//! What a reader does with a mouse, a finger and a keyboard. All of it goes through the browser's own input, so that hit
//! testing, focus, capture and `touch-action` count.

use std::time::Duration;

use fantoccini::Locator;
use fantoccini::actions::{
    Actions, InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::key::Key;
use serde_json::{Value, json};

use crate::page::Page;

/// Moves of a drag between pressing and letting go.
const DRAG_MOVES: u32 = 8;

/// A point of the viewport in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    /// This point, moved.
    pub fn moved(self, x: f64, y: f64) -> Self {
        Self {
            x: self.x + x,
            y: self.y + y,
        }
    }
}

/// What presses.
#[derive(Clone, Copy, Debug)]
pub enum Pointer {
    Mouse,
    Finger,
}

impl Page {
    /// Waits for the first element that a CSS selector names and clicks it where a reader would.
    pub async fn click(&self, selector: &str) {
        self.wait_until(&format!("document.querySelector({}) !== null", json!(selector)))
            .await;
        let element = self
            .client
            .find(Locator::Css(selector))
            .await
            .unwrap_or_else(|error| panic!("no {selector}: {error}"));
        element
            .click()
            .await
            .unwrap_or_else(|error| panic!("cannot click {selector}: {error}"));
    }

    /// Waits for the first element that a CSS selector names, scrolls it into view if need be, and returns its centre.
    pub async fn centre(&self, selector: &str) -> Point {
        let found = format!("document.querySelector({})", json!(selector));
        self.wait_until(&format!("{found} !== null")).await;
        let script = format!(
            "const found = {found};
             found.scrollIntoView({{ block: 'nearest', inline: 'nearest', behavior: 'instant' }});
             const box = found.getBoundingClientRect();
             return [box.x + box.width / 2, box.y + box.height / 2];"
        );
        let centre = self.run(&script).await;
        let [x, y] = [0, 1].map(|at| centre[at].as_f64().expect("a coordinate"));
        Point { x, y }
    }

    /// Presses at one point, moves to the other in several steps, and lets go.
    pub async fn drag(&self, pointer: Pointer, from: Point, to: Point) {
        self.press_at(pointer, from).await;
        for step in 1..=DRAG_MOVES {
            let part = f64::from(step) / f64::from(DRAG_MOVES);
            self.move_to(pointer, from.moved((to.x - from.x) * part, (to.y - from.y) * part))
                .await;
        }
        self.let_go(pointer).await;
    }

    /// Presses and holds: the first part of a drag that a test looks at while it lasts.
    pub async fn press_at(&self, pointer: Pointer, point: Point) {
        let button = MOUSE_BUTTON_LEFT;
        match pointer {
            Pointer::Mouse => self.mouse(vec![to(point), PointerAction::Down { button }]).await,
            Pointer::Finger => self.finger("touchStart", Some(point)).await,
        }
    }

    /// Moves what is pressed, or hovers with a mouse that is not.
    pub async fn move_to(&self, pointer: Pointer, point: Point) {
        match pointer {
            Pointer::Mouse => self.mouse(vec![to(point)]).await,
            Pointer::Finger => self.finger("touchMove", Some(point)).await,
        }
    }

    /// Lets go of what is pressed.
    pub async fn let_go(&self, pointer: Pointer) {
        let button = MOUSE_BUTTON_LEFT;
        match pointer {
            Pointer::Mouse => self.mouse(vec![PointerAction::Up { button }]).await,
            Pointer::Finger => self.finger("touchEnd", None).await,
        }
    }

    /// Presses keys one after the other on what has the focus. Names are those of `KeyboardEvent.key`, with modifiers
    /// before a `+`: `["ArrowLeft", "Shift+Tab", "Control+z", "a"]`.
    pub async fn keys(&self, chords: &[&str]) {
        for chord in chords {
            let keys: Vec<char> = match *chord {
                "+" => vec!['+'],
                chord => chord.split('+').map(key).collect(),
            };
            let down = keys.iter().map(|&value| KeyAction::Down { value });
            let up = keys.iter().rev().map(|&value| KeyAction::Up { value });
            let actions = down
                .chain(up)
                .fold(KeyActions::new("keyboard".into()), InputSource::then);
            self.perform(actions.into(), chord).await;
        }
    }

    /// Gives the focus to the first element that a CSS selector names, as `Tab` would.
    pub async fn focus(&self, selector: &str) {
        let found = format!("document.querySelector({})", json!(selector));
        self.wait_until(&format!("({found}.focus(), document.activeElement === {found})"))
            .await;
    }

    async fn mouse(&self, actions: Vec<PointerAction>) {
        let shown = format!("{actions:?}");
        let mouse = MouseActions::new("mouse".into());
        let actions = actions.into_iter().fold(mouse, InputSource::then);
        self.perform(actions.into(), &shown).await;
    }

    /// The driver forgets between two requests that a finger is down, so these go to the browser directly.
    async fn finger(&self, kind: &str, at: Option<Point>) {
        let points: Vec<Value> = at.iter().map(|at| json!({ "x": at.x, "y": at.y })).collect();
        let event = json!({ "type": kind, "touchPoints": points });
        self.devtools("Input.dispatchTouchEvent", event).await;
    }

    async fn perform(&self, actions: Actions, shown: &str) {
        self.client
            .perform_actions(actions)
            .await
            .unwrap_or_else(|error| panic!("cannot do {shown}: {error}"));
    }
}

fn to(point: Point) -> PointerAction {
    PointerAction::MoveTo {
        duration: Some(Duration::ZERO),
        x: point.x,
        y: point.y,
    }
}

/// The WebDriver code of a key, by its name in `KeyboardEvent.key`.
fn key(name: &str) -> char {
    let key = match name {
        "Alt" => Key::Alt,
        "ArrowDown" => Key::Down,
        "ArrowLeft" => Key::Left,
        "ArrowRight" => Key::Right,
        "ArrowUp" => Key::Up,
        "Backspace" => Key::Backspace,
        "Control" => Key::Control,
        "Delete" => Key::Delete,
        "End" => Key::End,
        "Enter" => Key::Enter,
        "Escape" => Key::Escape,
        "Home" => Key::Home,
        "PageDown" => Key::PageDown,
        "PageUp" => Key::PageUp,
        "Shift" => Key::Shift,
        "Space" => Key::Space,
        "Tab" => Key::Tab,
        other => {
            let mut letters = other.chars();
            return match (letters.next(), letters.next()) {
                (Some(letter), None) => letter,
                _ => panic!("no key is named {other:?}"),
            };
        }
    };
    key.into()
}
