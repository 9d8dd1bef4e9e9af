//! Why nothing is known of a cell.

use std::fmt;

/// The harness could not do its work: nothing is known about the cell.
#[derive(Clone, Debug)]
pub struct Trouble {
    pub what: String,
    /// Two messages followed one another too quickly to be told apart by their age: again, more slowly.
    pub near: bool,
}

impl Trouble {
    pub fn new(what: impl ToString) -> Trouble {
        Trouble {
            what: what.to_string(),
            near: false,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
