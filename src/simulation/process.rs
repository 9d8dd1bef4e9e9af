//! Processes: passes begin, run their instructions between two requests in no time, and end.

use crate::expression::Failure;

mod begin;
mod end;
mod instructions;
mod scope;

pub(super) use scope::LifeScope;

/// What a pass leaves when it ends.
enum PassEnd {
    Done,
    Failed { line: u32, failure: Failure },
}
