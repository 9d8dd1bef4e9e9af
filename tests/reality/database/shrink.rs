//! The smallest part of a history that still differs.

use super::history::History;

/// Leaves out one step after the other, from the end, as long as what is left still differs.
pub async fn shrink<F: AsyncFnMut(&History) -> bool>(history: &History, mut differs: F) -> History {
    let mut smallest = history.clone();
    loop {
        let before = smallest.steps.len();
        for position in (0..before).rev() {
            let mut fewer = smallest.clone();
            fewer.steps.remove(position);
            if differs(&fewer).await {
                smallest = fewer;
            }
        }
        if smallest.steps.len() == before {
            return smallest;
        }
    }
}
