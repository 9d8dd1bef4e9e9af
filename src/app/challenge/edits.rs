//! The changes a person can choose, applied to a text and taken back.
//!
//! Refuses to know: which change is a good one.

use super::lines::{line_end, said};
use crate::challenges::Change;

/// How a change and a text stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It can be made.
    Out,
    /// It is made.
    In,
    /// Neither: the text has these lines no more, or not one after the other. The first of them.
    Blocked(&'static str),
}

/// How a change and a text stand to each other.
pub fn standing(text: &str, change: &Change) -> Standing {
    if edited(text, change, true).is_ok() {
        return Standing::In;
    }
    match edited(text, change, false) {
        Ok(_) => Standing::Out,
        Err(missing) => Standing::Blocked(missing),
    }
}

/// The text with the change made or, where it is, taken back. None where neither is possible.
pub fn toggled(text: &str, change: &Change) -> Option<String> {
    edited(text, change, true).or_else(|_| edited(text, change, false)).ok()
}

/// The text with the change made; the same text where it is made already.
pub fn made(text: &str, change: &Change) -> Option<String> {
    match standing(text, change) {
        Standing::In => Some(text.to_owned()),
        Standing::Out => edited(text, change, false).ok(),
        Standing::Blocked(_) => None,
    }
}

/// The text with the change taken back; none where it is not made.
pub fn taken_back(text: &str, change: &Change) -> Option<String> {
    edited(text, change, true).ok()
}

/// Makes a change (or takes it back) at each of its places. Fails with the first line of a place that is not there.
fn edited(text: &str, change: &Change, back: bool) -> Result<String, &'static str> {
    let end = line_end(text);
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for edit in &change.edits {
        let (old, new) = if back {
            (&edit.after, &edit.before)
        } else {
            (&edit.before, &edit.after)
        };
        let place = find(&lines, old).ok_or_else(|| missing(&lines, old))?;
        let replaced: Vec<String> = lines[place..place + old.len()].to_vec(); // `find` has seen them there
        let mut kept = replaced
            .into_iter()
            .zip(old)
            .filter(|(_, wanted)| is_any(wanted))
            .map(|(line, _)| line);
        let new: Vec<String> = new
            .iter()
            .map(|line| match is_any(line) {
                true => kept.next().unwrap_or_default(),
                false => format!("{line}{end}"),
            })
            .collect();
        lines.splice(place..place + old.len(), new);
    }
    Ok(lines.concat())
}

/// Where these lines stand one after the other.
fn find(lines: &[String], wanted: &[&str]) -> Option<usize> {
    let is_there = |window: &[String]| {
        window
            .iter()
            .zip(wanted)
            .all(|(line, wanted)| said(line).is_some_and(|said| is_any(wanted) || said == *wanted))
    };
    lines.windows(wanted.len().max(1)).position(is_there)
}

/// Stands for any line, which stays as it is.
fn is_any(line: &str) -> bool {
    line == "*"
}

/// The first of the lines that the text lacks; the first of all if it only lacks their sequence.
fn missing(lines: &[String], wanted: &[&'static str]) -> &'static str {
    let lacks = |wanted: &&&str| !is_any(wanted) && !lines.iter().any(|line| said(line) == Some(wanted));
    wanted
        .iter()
        .find(lacks)
        .or(wanted.first())
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::challenges::{self, Edit, Texts};

    fn change(edits: &[(&[&'static str], &[&'static str])]) -> Change {
        let edit = |(before, after): &(&[&'static str], &[&'static str])| Edit {
            before: before.to_vec(),
            after: after.to_vec(),
        };
        Change {
            id: "c",
            title: Texts::default(),
            help: None,
            edits: edits.iter().map(edit).collect(),
        }
    }

    #[test]
    fn a_change_is_made_and_taken_back_wherever_its_lines_stand() {
        let swap = change(&[(&["  a", "  b"], &["  b", "  a"])]);
        let text = "x\r\n  a -- first\r\n  b\r\n";
        assert_eq!(standing(text, &swap), Standing::Out);
        let there = toggled(text, &swap).expect("it applies");
        assert_eq!(there, "x\r\n  b\r\n  a\r\n");
        assert_eq!(standing(&there, &swap), Standing::In);
        assert_eq!(toggled(&there, &swap).as_deref(), Some("x\r\n  a\r\n  b\r\n"));
        assert_eq!(made(&there, &swap), Some(there.clone()));
    }

    #[test]
    fn what_does_not_apply_any_more_names_the_line_it_misses() {
        let swap = change(&[(&["a", "b"], &["b", "a"])]);
        assert_eq!(standing("a\nc\n", &swap), Standing::Blocked("b"));
        assert_eq!(standing("a\nc\nb\n", &swap), Standing::Blocked("a"));
        assert_eq!(toggled("a\nc\n", &swap), None);
    }

    #[test]
    fn any_line_stays_as_it_is() {
        let move_up = change(&[(&["a", "*", "*", "z"], &["a", "z", "*", "*"])]);
        let text = "a\nb -- first\nc\nz\n";
        let there = toggled(text, &move_up).expect("it applies");
        assert_eq!(there, "a\nz\nb -- first\nc\n");
        assert_eq!(toggled(&there, &move_up).as_deref(), Some(text));
        assert_eq!(standing("a\nb\nz\n", &move_up), Standing::Blocked("a"));
    }

    #[test]
    fn all_places_of_a_change_go_together() {
        let two = change(&[(&["a"], &["a", "n"]), (&["b", "m"], &["b"])]);
        assert_eq!(toggled("a\nb\nm\n", &two).as_deref(), Some("a\nn\nb\n"));
        assert_eq!(toggled("a\nb\n", &two), None);
    }

    #[test]
    fn every_change_of_every_challenge_can_be_made_and_taken_back() {
        for challenge in challenges::all() {
            for change in &challenge.changes {
                let name = format!("{} {}", challenge.id, change.id);
                assert_eq!(standing(challenge.text, change), Standing::Out, "{name}");
                let there = toggled(challenge.text, change).expect("it can be made");
                assert_eq!(standing(&there, change), Standing::In, "{name}");
                assert_eq!(taken_back(&there, change).as_deref(), Some(challenge.text), "{name}");
                assert!(
                    crate::language::parse(&there).is_ok(),
                    "{name}: {:?}",
                    crate::language::parse(&there).err()
                );
            }
        }
    }
}
