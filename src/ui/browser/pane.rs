//! Where the timeline lies on the screen: what a pointer on it points at, and what of it is seen.
//!
//! To ask a browser for a place right after a change makes it lay the page out at once. So a place is measured when the pointer
//! comes down and kept until it is let go: in between the timeline only scrolls.

use super::{OVERLAY, SCROLLER};
use crate::app::view::Halves;
use crate::ui::geometry;
use gloo::events::EventListener;
use gloo::utils::document;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::{Element, PointerEvent};

/// The timeline as it was measured.
pub struct Pane {
    scroller: Element,
    /// The drawing's left end on the screen if nothing were scrolled.
    left: f64,
    /// How far it is scrolled.
    scrolled: Rc<Cell<i32>>,
    /// Width of what is seen beside the names.
    seen: i32,
}

impl Pane {
    /// Measures the timeline; none on a page without one.
    pub fn measured() -> Option<Pane> {
        let scroller = document().get_element_by_id(SCROLLER)?;
        let overlay = document().get_element_by_id(OVERLAY)?;
        let names = scroller.query_selector(".lane-name").ok().flatten();
        let scrolled = scroller.scroll_left();
        Some(Pane {
            left: overlay.get_bounding_client_rect().left() + f64::from(scrolled),
            seen: scroller.client_width() - names.map_or(0, |names| names.client_width()),
            scrolled: Rc::new(Cell::new(scrolled)),
            scroller,
        })
    }

    /// Distance of a pointer from the left end of the timeline's drawing.
    pub fn x(&self, event: &PointerEvent) -> f64 {
        f64::from(event.client_x() + self.scrolled.get()) - self.left
    }

    /// Scrolls no further than needed until a position and two columns around it are seen.
    pub fn reveal(&self, position: Halves) {
        let around = (4 * geometry::HALF).min(self.seen / 3);
        let (x, scrolled) = (geometry::x(position), self.scrolled.get());
        if x < scrolled + around {
            self.scroll_to((x - around).max(0));
        } else if x > scrolled + self.seen - around {
            self.scroll_to(x + around - self.seen);
        }
    }

    fn scroll_to(&self, left: i32) {
        if left != self.scrolled.get() {
            self.scroller.set_scroll_left(left);
            self.scrolled.set(self.scroller.scroll_left());
        }
    }
}

/// The timeline's place while a pointer is down on it. Clones share it.
#[derive(Clone, Default)]
pub struct Panes(Rc<RefCell<Option<Held>>>);

struct Held {
    pane: Pane,
    _scrolls: EventListener,
}

impl Panes {
    /// A pointer comes down: measures.
    pub fn hold(&self) {
        *self.0.borrow_mut() = Pane::measured().map(|pane| {
            let (scroller, scrolled) = (pane.scroller.clone(), pane.scrolled.clone());
            let follow = move |_: &_| scrolled.set(scroller.scroll_left());
            Held {
                _scrolls: EventListener::new(&pane.scroller, "scroll", follow),
                pane,
            }
        });
    }

    /// The pointer is let go.
    pub fn release(&self) {
        *self.0.borrow_mut() = None;
    }

    /// Distance of a held pointer from the left end of the timeline's drawing.
    pub fn x(&self, event: &PointerEvent) -> f64 {
        self.0.borrow().as_ref().map_or(0.0, |held| held.pane.x(event))
    }

    /// As [`Pane::reveal`], measured anew if no pointer is down.
    pub fn reveal(&self, position: Halves) {
        match self.0.borrow().as_ref() {
            Some(held) => held.pane.reveal(position),
            None => super::reveal(position),
        }
    }
}

impl PartialEq for Panes {
    fn eq(&self, other: &Panes) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
