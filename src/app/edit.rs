//! Fault lines written into the text; everything else stays as it was typed.
//!
//! Refuses to know: what a fault means.

use crate::link::fault_lines;
use crate::program::Fault;

/// Replaces the fault of a line (from 1). A comment behind it stays; lines that continued it are taken away.
pub fn set_fault(text: &str, line: u32, fault: &Fault) -> String {
    let mut edited = String::with_capacity(text.len() + 16);
    let mut inside = false;
    for (content, number) in text.split_inclusive('\n').zip(1..) {
        if number == line {
            let (before_end, end) = split_end(content);
            let comment = before_end.find("--").map_or("", |start| &before_end[start..]); // found there
            edited.push_str(&fault.to_string());
            if !comment.is_empty() {
                edited.push(' ');
                edited.push_str(comment);
            }
            edited.push_str(end);
            inside = true;
        } else if inside && continues(content) {
            // Part of the old fault.
        } else {
            inside = false;
            edited.push_str(content);
        }
    }
    edited
}

/// Adds a fault: below the last one, else before the promises, else at the end.
pub fn add_fault(text: &str, fault: &Fault) -> String {
    let split = fault_lines::split(text);
    let (below, home) = match split.faults.last() {
        Some((before, _)) => (true, *before),
        None => (false, split.home()),
    };
    let mut lines = String::new();
    let mut added = format!("{fault}\n");
    if !below && home < split.others.len() {
        // A first fault stands apart from the promises.
        added.push('\n');
    }
    let ended = |lines: &mut String| {
        if !lines.is_empty() && !lines.ends_with('\n') {
            lines.push('\n');
        }
    };
    let mut faults = split.faults.iter().peekable();
    for (index, other) in split.others.iter().enumerate() {
        while let Some((_, fault)) = faults.next_if(|(before, _)| *before <= index) {
            lines.push_str(fault);
        }
        if index == home {
            // Continuation lines of the last fault belong to it.
            if !(below && continues(other)) {
                ended(&mut lines);
                lines.push_str(&added);
                added.clear();
            }
        } else if !added.is_empty() && index > home && !continues(other) {
            ended(&mut lines);
            lines.push_str(&added);
            added.clear();
        }
        lines.push_str(other);
    }
    faults.for_each(|(_, fault)| lines.push_str(fault));
    if !added.is_empty() {
        ended(&mut lines);
        lines.push_str(&added);
    }
    lines
}

/// Takes a fault line away, and the blank line it leaves between two blank lines.
pub fn remove_fault(text: &str, line: u32) -> String {
    let mut edited: Vec<&str> = Vec::new();
    let mut inside = false;
    for (content, number) in text.split_inclusive('\n').zip(1..) {
        if number == line {
            inside = true;
        } else if !(inside && continues(content)) {
            let blank = |line: &str| line.trim().is_empty();
            let doubled = inside && blank(content) && edited.last().is_none_or(|last| blank(last));
            inside = false;
            if !doubled {
                edited.push(content);
            }
        }
    }
    edited.concat()
}

/// A line that is deeper than the first column and says something.
fn continues(line: &str) -> bool {
    line.starts_with(' ') && !line.trim().is_empty()
}

/// A line without and with its end apart.
fn split_end(line: &str) -> (&str, &str) {
    let content = line.trim_end_matches(['\n', '\r']);
    line.split_at(content.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "scenario X\n\ncrash after A.b.1 restart 5s -- here\n\npromise no b.q\n";

    fn fault(text: &str) -> Fault {
        text.parse().expect("a fault line")
    }

    #[test]
    fn a_changed_fault_keeps_its_comment_and_its_neighbours() {
        let edited = set_fault(TEXT, 3, &fault("crash after A.c.2 never"));
        assert_eq!(
            edited,
            TEXT.replace("crash after A.b.1 restart 5s", "crash after A.c.2 never")
        );
    }

    #[test]
    fn a_changed_fault_takes_its_continuation_along() {
        let text = "crash after A.b.1\n  restart 5s\r\nexpect lost\n";
        assert_eq!(
            set_fault(text, 1, &fault("crash after A.c.1 never")),
            "crash after A.c.1 never\nexpect lost\n"
        );
    }

    #[test]
    fn a_further_fault_stands_below_the_last() {
        let edited = add_fault(TEXT, &fault("lose reply A.b.2"));
        assert_eq!(edited, TEXT.replace("-- here\n", "-- here\nlose reply A.b.2\n"));
        let continued = "crash after A.b.1\n  restart 5s\n\nexpect lost\n";
        let edited = add_fault(continued, &fault("lose reply A.b.2"));
        assert_eq!(
            edited,
            "crash after A.b.1\n  restart 5s\nlose reply A.b.2\n\nexpect lost\n"
        );
    }

    #[test]
    fn a_first_fault_stands_before_the_promises() {
        let edited = add_fault("scenario X\n\npromise no b.q\n", &fault("refuse A.b.1"));
        assert_eq!(edited, "scenario X\n\nrefuse A.b.1\n\npromise no b.q\n");
        assert_eq!(
            add_fault("scenario X", &fault("refuse A.b.1")),
            "scenario X\nrefuse A.b.1\n"
        );
    }

    #[test]
    fn removing_what_was_added_gives_the_text_back() {
        for text in [TEXT, "scenario X\n\npromise no b.q\n"] {
            let fault = fault("refuse A.b.7");
            let added = add_fault(text, &fault);
            let line = added
                .lines()
                .position(|line| line == fault.to_string())
                .expect("the added line") as u32
                + 1;
            assert_eq!(remove_fault(&added, line), text);
        }
    }
}
