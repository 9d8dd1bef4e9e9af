//! The program without a page: searches in slices, listens in between, and says what is new.
//!
//! What it is told: `search` with what is asked, `pause`, `go-on`, `shown`. What it says: `ready`, `news`, `failed`. After news it
//! is silent until the page has shown them: a page that is slow to draw hears less often, and more at once.
//! Refuses to know: how a search goes.

use crate::app::finder::report::{Ask, News};
use crate::app::finder::seeker::Seeker;
use crate::ui::browser::{self, worker};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;

pub const SEARCH: &str = "search";
pub const PAUSE: &str = "pause";
pub const GO_ON: &str = "go-on";
pub const SHOWN: &str = "shown";
pub const READY: &str = "ready";
pub const NEWS: &str = "news";
pub const FAILED: &str = "failed";

/// Work between two looks at the clock.
const WORK: u64 = 10_000;
/// Milliseconds between two times that something is said.
const SLICE: f64 = 250.0;

#[derive(Default)]
struct State {
    seeker: Option<Seeker>,
    paused: bool,
    /// What has not been said yet.
    news: Option<News>,
    /// The page has not shown yet what was said last.
    unshown: bool,
    next: Option<Timeout>,
}

/// Waits for what it is told, for as long as it lives.
pub fn run() {
    worker::report_panics_to_page();
    let state = Rc::new(RefCell::new(State::default()));
    let listener = worker::on_told(move |words| told(&state, &words));
    listener.forget();
    worker::say(&[READY.to_owned()]);
}

fn told(state: &Rc<RefCell<State>>, words: &[String]) {
    let Some((what, rest)) = words.split_first() else {
        return;
    };
    {
        let mut own = state.borrow_mut();
        match what.as_str() {
            SEARCH => match Ask::unpack(rest)
                .ok_or("not understood".to_owned())
                .and_then(|ask| Seeker::begin(&ask))
            {
                Ok(seeker) => own.seeker = Some(seeker),
                Err(why) => return worker::say(&[FAILED.to_owned(), why]),
            },
            PAUSE => own.paused = true,
            GO_ON => own.paused = false,
            SHOWN => {
                own.unshown = false;
                own.say();
            }
            _ => return,
        }
    }
    soon(state);
}

/// The next slice, once what waits has been heard.
fn soon(state: &Rc<RefCell<State>>) {
    let mut own = state.borrow_mut();
    own.next = None;
    if own.seeker.is_some() && !own.paused {
        let state = state.clone();
        own.next = Some(browser::after(0, move || slice(&state)));
    }
}

fn slice(state: &Rc<RefCell<State>>) {
    {
        let mut own = state.borrow_mut();
        let Some(seeker) = &mut own.seeker else { return };
        let began = worker::now();
        let mut new = News::default();
        while new.answer.is_none() && worker::now() - began < SLICE {
            new.join(seeker.go_on(WORK));
        }
        if new.answer.is_some() {
            own.seeker = None;
        }
        own.news.get_or_insert_default().join(new);
        own.say();
    }
    soon(state);
}

impl State {
    fn say(&mut self) {
        if self.unshown {
            return;
        }
        if let Some(news) = self.news.take() {
            let mut words = vec![NEWS.to_owned()];
            words.extend(news.pack());
            worker::say(&words);
            self.unshown = true;
        }
    }
}
