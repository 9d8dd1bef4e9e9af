//! The lines of a text as a challenge looks at them: what they say, without comments, ends and markers.
//!
//! Refuses to know: challenges.

use crate::language::{Class, highlight};
use crate::link::fault_lines;

/// What a line says; none for blank lines and comments.
pub(super) fn said(line: &str) -> Option<&str> {
    let parts = highlight(line);
    let comment = parts.iter().find(|(_, class)| *class == Class::Comment);
    let said = line
        .get(..comment.map_or(line.len(), |(place, _)| place.start))?
        .trim_end();
    (!said.trim().is_empty()).then_some(said)
}

/// Blanks in front of what a line says.
pub(super) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The text without its markers: they are for looking, and count for nothing.
pub(super) fn without_markers(text: &str) -> String {
    fault_lines::split(text).others.concat()
}

/// The end of a line in this text.
pub(super) fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The lines that only one of two sequences has, as indices; what both have in the same sequence is left out.
pub(super) fn difference(one: &[&str], other: &[&str]) -> (Vec<usize>, Vec<usize>) {
    // The length of the longest common subsequence of what begins at each pair of places.
    let width = other.len() + 1;
    let mut common = vec![0_u32; (one.len() + 1) * width];
    for (i, line) in one.iter().enumerate().rev() {
        for (j, rival) in other.iter().enumerate().rev() {
            common[i * width + j] = if line == rival {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut only_one, mut only_other) = (Vec::new(), Vec::new());
    while i < one.len() && j < other.len() {
        if one[i] == other[j] {
            (i, j) = (i + 1, j + 1);
        } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
            only_one.push(i);
            i += 1;
        } else {
            only_other.push(j);
            j += 1;
        }
    }
    only_one.extend(i..one.len());
    only_other.extend(j..other.len());
    (only_one, only_other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_ends_say_nothing() {
        assert_eq!(said("  begin  -- here\r\n"), Some("  begin"));
        assert_eq!(
            said("insert into t (a) values ('--')"),
            Some("insert into t (a) values ('--')")
        );
        assert_eq!(said("   -- a comment"), None);
        assert_eq!(said("  \n"), None);
    }

    #[test]
    fn a_difference_names_what_only_one_side_has() {
        let (gone, come) = difference(&["a", "b", "c", "d"], &["a", "c", "x", "d"]);
        assert_eq!((gone, come), (vec![1], vec![2]));
        assert_eq!(difference(&[], &["a"]), (vec![], vec![0]));
        assert_eq!(difference(&["a"], &[]), (vec![0], vec![]));
    }
}
