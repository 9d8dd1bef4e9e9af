//! Comparisons that are offered ready-made: the same problem, each time with one thing done otherwise.
//!
//! Refuses to know: their names in words.

/// One ready-made comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// The presets' folder, which has a name in words.
    pub folder: &'static str,
    /// The presets in the sequence in which they are told.
    pub ids: &'static [&'static str],
}

/// All of them.
pub const SETS: [Set; 3] = [
    Set {
        folder: "outbox",
        ids: &["O1", "O2", "O3", "O6", "O10"],
    },
    Set {
        folder: "inbox",
        ids: &["I1", "I2", "I5", "I11"],
    },
    Set {
        folder: "channel",
        ids: &["P2", "P3", "P4", "P6", "P9"],
    },
];
