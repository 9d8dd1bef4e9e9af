//! The page's line to the one who searches: carries out orders, turns what is said into messages.
//!
//! Refuses to know: what is searched, and what the answers mean.

use crate::app::finder::report::News;
use crate::app::finder::{Find, Order};
use crate::app::message::Message;
use crate::ui::browser::worker::Worker;
use crate::ui::worker::{FAILED, GO_ON, NEWS, PAUSE, READY, SEARCH, SHOWN};
use std::cell::RefCell;
use std::rc::Rc;
use yew::Callback;

/// One worker, or none.
#[derive(Clone, Default)]
pub struct Line(Rc<RefCell<Option<Worker>>>);

impl Line {
    pub fn carry_out(&self, order: Order, send: &Callback<Message>) {
        match order {
            Order::Begin { round, ask } => {
                let mut search = vec![SEARCH.to_owned()];
                search.extend(ask.pack());
                self.begin(round, search, send);
            }
            Order::Pause => self.tell(&[PAUSE.to_owned()]),
            Order::GoOn => self.tell(&[GO_ON.to_owned()]),
            Order::Shown => self.tell(&[SHOWN.to_owned()]),
            Order::End => *self.0.borrow_mut() = None,
        }
    }

    fn tell(&self, words: &[String]) {
        if let Some(worker) = &*self.0.borrow() {
            worker.tell(words);
        }
    }

    fn begin(&self, round: u32, search: Vec<String>, send: &Callback<Message>) {
        let failed = send.reform(move |why| Message::Find(Find::Failed { round, why }));
        let (own, heard, broken) = (self.clone(), send.clone(), failed.clone());
        let told = move |words: Vec<String>| match words.split_first() {
            // A worker hears only from then on.
            Some((what, _)) if what == READY => own.tell(&search),
            Some((what, rest)) if what == NEWS => {
                if let Some(news) = News::unpack(rest) {
                    heard.emit(Message::Find(Find::Heard { round, news }));
                }
            }
            Some((what, rest)) if what == FAILED => broken.emit(rest.join(" ")),
            _ => {}
        };
        let died = failed.clone();
        match Worker::start(told, move |why| died.emit(why)) {
            Ok(worker) => *self.0.borrow_mut() = Some(worker),
            Err(why) => failed.emit(why),
        }
    }
}
