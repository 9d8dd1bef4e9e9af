//! Broken designs to repair: every `.challenge` file under `src/challenges/`, found by the build script.
//!
//! A file is a head, named changes, and the broken design's text from its `scenario` line on:
//!
//! ```text
//! sequence 1                        place among the challenges
//! from O6                           the preset whose story it is
//! faults 1 crash                    up to so many faults of these kinds, anywhere
//! title en One line stands wrong    and `task`, in every language
//!
//! change order                      a change to choose; `change key help bank` is one that only the bank can make
//!   title en Send, then mark
//!   -    mark: update outbox …      a line that goes, as it stands in the text
//!   =    publish events …           a line that stays: it says where
//!   +    mark: update outbox …      a line that comes
//!   =*                              any line, which stays as it is
//!   @                               the lines after it are another place of the same change
//! ```
//!
//! Changes name lines by what they say, never by number, so that they apply to an edited text as well. No solution is stored:
//! whatever survives is right.
//!
//! Refuses to know: what a text means, how a challenge is judged.

mod parse;

use std::sync::LazyLock;

/// A broken design and what it is to survive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The file's name without its ending, and what the text's `scenario` line says.
    pub id: &'static str,
    pub sequence: u32,
    /// The preset whose story it is.
    pub from: &'static str,
    pub title: Texts,
    /// What is to be reached, in two or three sentences.
    pub task: Texts,
    /// It must survive every set of up to so many faults.
    pub faults_max: usize,
    /// Kinds of those faults, as class names write them: `crash`, `lose-request`.
    pub kinds: Vec<&'static str>,
    pub changes: Vec<Change>,
    /// The broken design.
    pub text: &'static str,
}

/// A text in every language of the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    pub en: &'static str,
    pub de: &'static str,
}

/// A change of the design that a person can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub id: &'static str,
    pub title: Texts,
    /// The other party that alone can make it; none: one's own side can.
    pub help: Option<&'static str>,
    /// One for each place in the text.
    pub edits: Vec<Edit>,
}

/// Lines that stand one after the other, and what stands there after the change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    pub before: Vec<&'static str>,
    pub after: Vec<&'static str>,
}

/// The file's name without its ending, and its text.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/challenges.rs"));

/// All challenges in their sequence.
pub fn all() -> &'static [Challenge] {
    static ALL: LazyLock<Vec<Challenge>> = LazyLock::new(|| {
        // A file that cannot be read is left out; a test reads them all.
        let mut all: Vec<Challenge> = FILES
            .iter()
            .filter_map(|(id, file)| parse::read(id, file).ok())
            .collect();
        all.sort_by_key(|challenge| challenge.sequence);
        all
    });
    &ALL
}

/// The challenge of an id.
pub fn find(id: &str) -> Option<&'static Challenge> {
    all().iter().find(|challenge| challenge.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read_and_has_a_place_of_its_own() {
        for (id, file) in FILES {
            if let Err(problem) = parse::read(id, file) {
                panic!("src/challenges/{id}.challenge: {problem}");
            }
        }
        assert!(all().len() >= 9, "{}", all().len());
        assert!(all().windows(2).all(|two| two[0].sequence < two[1].sequence));
    }
}
