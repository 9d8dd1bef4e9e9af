//! Undo and redo: what was open, text by text.
//!
//! Refuses to know: what a text means.

use crate::app::model::Head;
use std::rc::Rc;

/// Steps that can be undone at most.
pub const STEPS_MAX: usize = 200;

/// What one step back restores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    pub text: Rc<str>,
    pub head: Head,
}

/// Two stacks; a new change forgets what was undone.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct History {
    undo: Vec<Past>,
    redo: Vec<Past>,
    /// The last change came from typing, and the editor still has the focus: more typing belongs to it.
    typing: bool,
}

impl History {
    /// Remembers what was open before a change.
    pub fn push(&mut self, before: Past) {
        self.typing = false;
        self.redo.clear();
        if self.undo.len() == STEPS_MAX {
            self.undo.remove(0);
        }
        self.undo.push(before);
    }

    /// Remembers what was open before the first of a row of typed changes.
    pub fn push_typed(&mut self, before: Past) {
        if !self.typing {
            self.push(before);
        }
        self.redo.clear();
        self.typing = true;
    }

    /// The next typed change is a step of its own.
    pub fn end_typing(&mut self) {
        self.typing = false;
    }

    /// What to go back to; `now` can be had again with [`History::redo`].
    pub fn undo(&mut self, now: Past) -> Option<Past> {
        self.typing = false;
        let past = self.undo.pop()?;
        self.redo.push(now);
        Some(past)
    }

    pub fn redo(&mut self, now: Past) -> Option<Past> {
        self.typing = false;
        let future = self.redo.pop()?;
        self.undo.push(now);
        Some(future)
    }

    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(text: &str) -> Past {
        Past {
            text: text.into(),
            head: Head::End,
        }
    }

    #[test]
    fn undo_and_redo_walk_the_same_way() {
        let mut history = History::default();
        history.push(past("a"));
        history.push(past("b"));
        assert_eq!(history.undo(past("c")), Some(past("b")));
        assert_eq!(history.undo(past("b")), Some(past("a")));
        assert_eq!(history.undo(past("a")), None);
        assert_eq!(history.redo(past("a")), Some(past("b")));
        assert_eq!(history.redo(past("b")), Some(past("c")));
        assert_eq!(history.redo(past("c")), None);
    }

    #[test]
    fn a_new_change_forgets_what_was_undone() {
        let mut history = History::default();
        history.push(past("a"));
        history.undo(past("b"));
        history.push(past("a"));
        assert!(!history.can_redo());
    }

    #[test]
    fn typing_is_one_step_until_the_editor_is_left() {
        let mut history = History::default();
        history.push_typed(past("a"));
        history.push_typed(past("ab"));
        history.end_typing();
        history.push_typed(past("abc"));
        assert_eq!(history.undo(past("abcd")), Some(past("abc")));
        assert_eq!(history.undo(past("abc")), Some(past("a")));
        assert!(!history.can_undo());
    }

    #[test]
    fn the_oldest_steps_are_forgotten() {
        let mut history = History::default();
        for step in 0..=STEPS_MAX {
            history.push(past(&step.to_string()));
        }
        let mut back = 0;
        let mut last = None;
        while let Some(past) = history.undo(past("now")) {
            back += 1;
            last = Some(past);
        }
        assert_eq!(back, STEPS_MAX);
        assert_eq!(last, Some(past("1")));
    }
}
