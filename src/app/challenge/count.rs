//! How many changes a text is away from where a challenge began.
//!
//! The rule: a change from the list counts one. Beyond that each line that was added, removed, replaced or moved counts one;
//! markers, comments, blank lines, titles and sentences count for nothing.
//! Refuses to know: what the changes are good for.

use super::edits;
use super::lines::{difference, said};
use crate::challenges::Challenge;
use crate::link::fault_lines;

/// Changes from the challenge's text to this one.
pub fn changes(challenge: &Challenge, text: &str) -> usize {
    let mut rest = text.to_owned();
    let mut chosen = 0;
    // The last first: one may stand on lines that another brought.
    for change in challenge.changes.iter().rev() {
        if let Some(without) = edits::taken_back(&rest, change) {
            rest = without;
            chosen += 1;
        }
    }
    chosen + changed_lines(challenge.text, &rest)
}

fn changed_lines(start: &str, now: &str) -> usize {
    let (start, now) = (counted(start), counted(now));
    let (gone, come) = difference(&start, &now);
    let trimmed = |lines: &[&str], indices: Vec<usize>| -> Vec<String> {
        indices
            .into_iter()
            .map(|index| lines[index].trim().to_owned())
            .collect() // indices into these lines
    };
    let (gone, mut come) = (trimmed(&start, gone), trimmed(&now, come));
    let mut only_gone = 0;
    let mut moved = 0;
    for line in gone {
        match come.iter().position(|other| *other == line) {
            Some(index) => {
                come.swap_remove(index);
                moved += 1;
            }
            None => only_gone += 1,
        }
    }
    moved + come.len().max(only_gone)
}

/// The lines that count, as they are said.
fn counted(text: &str) -> Vec<&str> {
    let mut in_head = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let Some(said) = said(line) else { continue };
        if !said.starts_with(' ') {
            in_head = said.starts_with("scenario");
        }
        let is_head = in_head && !said.trim().starts_with("until");
        let is_sentence = said.ends_with('"');
        if !is_head && !is_sentence && !said.starts_with("expect") && !fault_lines::is_fault_line(line) {
            lines.push(said);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::challenges;

    fn faulty_line() -> &'static Challenge {
        challenges::find("faulty-line").expect("a challenge")
    }

    #[test]
    fn nothing_counts_at_the_start_and_what_says_nothing_never_does() {
        let challenge = faulty_line();
        assert_eq!(changes(challenge, challenge.text), 0);
        let dressed = challenge
            .text
            .replace("    commit\n", "\n    commit -- done\n    -- more\n")
            .replace("One line stands", "A line stands")
            .replace("promise at", "crash after Relay.mark.1 restart 5s\npromise at")
            + "expect lost 1003\n";
        assert_eq!(changes(challenge, &dressed), 0);
    }

    #[test]
    fn a_change_from_the_list_counts_one_whoever_made_it() {
        for challenge in challenges::all() {
            for change in &challenge.changes {
                let text = edits::toggled(challenge.text, change).expect("it can be made");
                assert_eq!(changes(challenge, &text), 1, "{} {}", challenge.id, change.id);
            }
        }
    }

    #[test]
    fn lines_count_one_each_moved_replaced_added_or_removed() {
        let challenge = challenges::find("four-lines").expect("a challenge");
        let text = challenge.text;
        let publish = "    publish events (id = rows.id, body = rows.event)\n";
        assert!(text.contains(publish));
        let removed = text.replace(publish, "");
        assert_eq!(changes(challenge, &removed), 1);
        let moved = removed.replace("    if not rows done\n", &format!("    if not rows done\n{publish}"));
        assert_eq!(changes(challenge, &moved), 1);
        let replaced = text.replace("  every 10s\n", "  every 20s\n");
        assert_eq!(changes(challenge, &replaced), 1);
        let both = moved.replace("  every 10s\n", "  every 20s\n");
        assert_eq!(changes(challenge, &both), 2);
        let added = text.replace(publish, &format!("{publish}    sleep 1s\n    sleep 1s\n"));
        assert_eq!(changes(challenge, &added), 2);
    }
}
