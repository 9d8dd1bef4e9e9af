//! What every pair of faults is worth, as far as it is known.
//!
//! Refuses to know: which faults they are.

use crate::program::Kind;

/// What a set of faults is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    Healthy,
    Broken(Kind),
    /// The run was cut: not known.
    Cut,
}

/// A triangle: for each pair of faults, and on its edge for each fault alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    size: usize,
    cells: Vec<Option<Worth>>,
}

impl Pairs {
    /// Faults so far.
    pub fn size(&self) -> usize {
        self.size
    }

    /// More faults are known; nothing of theirs is.
    pub fn grow(&mut self, size: usize) {
        if size > self.size {
            self.size = size;
            self.cells.resize(size * (size + 1) / 2, None);
        }
    }

    /// None: not tried, or it does not happen: where one strikes the other never does.
    pub fn get(&self, one: usize, other: usize) -> Option<Worth> {
        self.cells.get(index(one, other)).copied().flatten()
    }

    /// Sets of one or two; others have no place here.
    pub fn set(&mut self, set: &[usize], worth: Worth) {
        let (one, other) = match set {
            [one] => (*one, *one),
            [one, other] => (*one, *other),
            _ => return,
        };
        if let Some(cell) = self.cells.get_mut(index(one, other)) {
            *cell = Some(worth);
        }
    }
}

/// Row by row: the later fault is the row.
fn index(one: usize, other: usize) -> usize {
    let (column, row) = (one.min(other), one.max(other));
    row * (row + 1) / 2 + column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_one_cell_whatever_its_sequence_and_keeps_it_when_more_faults_come() {
        let mut pairs = Pairs::default();
        pairs.grow(2);
        pairs.set(&[1, 0], Worth::Broken(Kind::Lost));
        pairs.set(&[1], Worth::Healthy);
        pairs.grow(4);
        assert_eq!(pairs.get(0, 1), Some(Worth::Broken(Kind::Lost)));
        assert_eq!((pairs.get(1, 1), pairs.get(0, 0)), (Some(Worth::Healthy), None));
        pairs.set(&[0, 1, 2], Worth::Cut);
        pairs.set(&[9, 9], Worth::Cut);
        assert!((0..4).all(|other| pairs.get(3, other).is_none()));
    }
}
