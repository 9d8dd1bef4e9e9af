//! A run that is longer than what can be made at once: it goes on in slices, and the page answers in between.
//!
//! Refuses to know: timers. Each slice is asked for by a message.

use crate::app::played::Played;
use crate::simulation::{Running, Trace};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// Work of one slice: some 1,000 events, 5 to 50 ms in Wasm.
const SLICE: u64 = 10_000;

/// Events of a run in a page. What is open is put away as a whole when something else is opened, and that must not take long.
const EVENTS_MAX: u32 = 100_000;

/// The run in the making. Cloning shares it.
#[derive(Clone)]
pub struct Longer {
    running: Rc<RefCell<Option<Running>>>,
    events: u32,
}

impl Longer {
    /// Begins anew what was cut: nothing of a cut run can be gone on with.
    pub fn of(played: &Played) -> Longer {
        let running = Running::start(played.program(), &played.bare_faults(), EVENTS_MAX);
        Longer {
            running: Rc::new(RefCell::new(Some(running))),
            events: 0,
        }
    }

    /// One slice; the whole trace when it is done.
    pub fn go_on(&mut self) -> Option<Trace> {
        let mut running = self.running.borrow_mut();
        let done = running.as_mut().is_none_or(|running| running.go_on(SLICE));
        if done {
            return running.take().map(Running::into_trace);
        }
        self.events = running.as_ref().map_or(self.events, Running::events);
        None
    }

    /// Events so far.
    pub fn events(&self) -> u32 {
        self.events
    }
}

impl fmt::Debug for Longer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Longer({} events)", self.events)
    }
}
