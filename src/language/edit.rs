//! Changing the fault lines of a text, or the profile of a broker, and nothing else: what a drag, a menu or a key does to the
//! program.
//!
//! Works on broken texts too: markers stay movable while a line elsewhere is being typed.

use super::cursor::Cursor;
use super::fault;
use super::lines::{self, Line};
use crate::program::{Fault, FaultLine};

/// The fault lines that can be read, in text sequence.
pub fn fault_lines(text: &str) -> Vec<FaultLine> {
    lines::tree(text, &mut Vec::new()).iter().filter_map(fault_of).collect()
}

fn fault_of(line: &Line<'_>) -> Option<FaultLine> {
    let (continuation, broken) = line.continuation();
    if !is_fault(line) || line.broken || broken {
        return None;
    }
    let mut cursor = Cursor::new(line.tokens.clone());
    cursor.extend(continuation);
    let fault = fault::read(&mut cursor).ok()?;
    cursor.finish().ok()?;
    let line = line.number;
    Some(FaultLine { line, fault })
}

fn is_fault(line: &Line<'_>) -> bool {
    fault::STARTS.iter().any(|word| line.starts_with(word))
}

/// The number of the last line that belongs to this one.
fn last_line(line: &Line<'_>) -> u32 {
    line.children.last().map_or(line.number, last_line)
}

/// Writes another fault into the fault line that starts at `line` (from 1). A comment behind it stays. Without a fault line
/// there the text stays as it is.
pub fn replace(text: &str, line: u32, fault: &Fault) -> String {
    let tree = lines::tree(text, &mut Vec::new());
    let Some(found) = tree.iter().find(|known| known.number == line && is_fault(known)) else {
        return text.to_owned();
    };
    let (continuation, _) = found.continuation();
    let place = |token: &super::lexer::Token<'_>| (offset(text, token.span.line), token.start, token.end());
    let (Some(first), Some(last)) = (found.tokens.first(), continuation.last().or(found.tokens.last())) else {
        return text.to_owned(); // a line always has a token
    };
    let ((first_line, start, _), (last_line, _, end)) = (place(first), place(last));
    let before = text.get(..first_line + start).unwrap_or_default();
    let after = text.get(last_line + end..).unwrap_or_default();
    format!("{before}{fault}{after}")
}

/// Takes out the fault line that starts at `line` (from 1), and one of two blank lines that would meet. Without a fault line
/// there the text stays as it is.
pub fn remove(text: &str, line: u32) -> String {
    let tree = lines::tree(text, &mut Vec::new());
    let Some(found) = tree.iter().find(|known| known.number == line && is_fault(known)) else {
        return text.to_owned();
    };
    let start = offset(text, line);
    let mut end = offset(text, last_line(found) + 1);
    let before = text.get(..start).unwrap_or_default();
    let next = text.get(end..).and_then(|rest| rest.split_inclusive('\n').next());
    let blank_before = before.lines().next_back().is_some_and(is_blank);
    if let Some(next) = next.filter(|next| blank_before && is_blank(next)) {
        end += next.len();
    }
    let after = text.get(end..).unwrap_or_default();
    format!("{before}{after}")
}

/// Adds a fault line where fault lines stand: behind the last one, else right before the first promise. No blank line is added
/// between the two, so that a preset with a marker differs from the preset by fault lines alone, and its link stays short.
/// Returns the new text and the number of the new line.
pub fn insert(text: &str, fault: &Fault) -> (String, u32) {
    let tree = lines::tree(text, &mut Vec::new());
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if let Some(last) = tree.iter().rfind(|line| is_fault(line)) {
        return put(text, last_line(last) + 1, &format!("{fault}{newline}"), newline);
    }
    let ends = |line: &&Line<'_>| line.starts_with("promise") || line.starts_with("expect");
    let Some(first) = tree.iter().find(ends) else {
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let gap = if text.lines().next_back().is_none_or(is_blank) {
            ""
        } else {
            newline
        };
        let (text, line) = put(text, lines + 1, &format!("{gap}{fault}{newline}"), newline);
        return (text, line + u32::from(!gap.is_empty()));
    };
    // A comment right above the promise belongs to it.
    let mut place = first.number;
    let above: Vec<&str> = text.lines().take(place.saturating_sub(1) as usize).collect();
    place -= u32::try_from(above.iter().rev().take_while(|line| is_comment(line)).count()).unwrap_or(0);
    let before = above.get((place as usize).wrapping_sub(2));
    let gap = if before.is_none_or(|line| is_blank(line)) {
        ""
    } else {
        newline
    };
    let (text, line) = put(text, place, &format!("{gap}{fault}{newline}"), newline);
    (text, line + u32::from(!gap.is_empty()))
}

/// Gives a broker the profile of this name, or takes the one it has away; its comment and its queues stay. None: the text has no
/// such broker.
pub fn set_profile(text: &str, broker: &str, profile: Option<&str>) -> Option<String> {
    let tree = lines::tree(text, &mut Vec::new());
    let named =
        |line: &&Line<'_>| line.starts_with("broker") && line.tokens.get(1).is_some_and(|name| name.text == broker);
    let line = tree.iter().find(named)?;
    let (name, last) = (line.tokens.get(1)?, line.tokens.last()?);
    let start = offset(text, line.number);
    let before = text.get(..start + name.end())?;
    let after = text.get(start + last.end()..)?;
    let like = profile.map_or_else(String::new, |profile| format!(" like {profile}"));
    Some(format!("{before}{like}{after}"))
}

/// Puts lines before line `line`.
fn put(text: &str, line: u32, lines: &str, newline: &str) -> (String, u32) {
    let place = offset(text, line);
    let before = text.get(..place).unwrap_or_default();
    let after = text.get(place..).unwrap_or_default();
    let open = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        newline
    };
    (format!("{before}{open}{lines}{after}"), line)
}

/// Where a line starts, in bytes; the end of the text for lines behind the last.
fn offset(text: &str, line: u32) -> usize {
    let before = (line as usize).saturating_sub(1);
    text.split_inclusive('\n').take(before).map(str::len).sum()
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Fault {
        text.parse().expect("a fault")
    }

    const TEXT: &str =
        "scenario s\n\ncrash after A.x.1 never -- why\n  -- mid\npause before\n  A.x.1 for 5s\n\npromise no b\n";

    #[test]
    fn finds_fault_lines_with_their_continuation() {
        let found = fault_lines(TEXT);
        let lines: Vec<(u32, String)> = found
            .iter()
            .map(|found| (found.line, found.fault.to_string()))
            .collect();
        assert_eq!(
            lines,
            [
                (3, "crash after A.x.1 never".to_owned()),
                (5, "pause before A.x.1 for 5s".to_owned())
            ]
        );
        assert_eq!(fault_lines("crash after\ncut\n  crash after A.x.1\n"), []);
    }

    #[test]
    fn replacing_keeps_comment_and_rest() {
        let text = replace(TEXT, 3, &fault("refuse A.y.2+"));
        assert_eq!(text, TEXT.replace("crash after A.x.1 never", "refuse A.y.2+"));
        let text = replace(TEXT, 5, &fault("refuse A.y.2+"));
        assert_eq!(text, TEXT.replace("pause before\n  A.x.1 for 5s", "refuse A.y.2+"));
        assert_eq!(replace(TEXT, 1, &fault("refuse A.y.2+")), TEXT);
        assert_eq!(replace("crash after A.x", 1, &fault("refuse A.y.2")), "refuse A.y.2");
        assert_eq!(
            replace("crash after A.x\r\nx", 1, &fault("refuse A.y.2")),
            "refuse A.y.2\r\nx"
        );
    }

    #[test]
    fn removing_takes_the_whole_line() {
        assert_eq!(remove(TEXT, 3), TEXT.replace("crash after A.x.1 never -- why\n", ""));
        assert_eq!(remove(TEXT, 5), TEXT.replace("pause before\n  A.x.1 for 5s\n", ""));
        assert_eq!(remove(TEXT, 8), TEXT);
        assert_eq!(remove("a\n\ncrash after A.x\n\nb\n", 3), "a\n\nb\n");
        assert_eq!(remove("crash after A.x", 1), "");
    }

    #[test]
    fn inserting_finds_its_place() {
        let new = fault("refuse A.y.2");
        let (text, line) = insert(TEXT, &new);
        assert_eq!((text, line), (TEXT.replace("for 5s\n", "for 5s\nrefuse A.y.2\n"), 7));
        let cases = [
            ("a\n\npromise no b\n", "a\n\nrefuse A.y.2\npromise no b\n", 3),
            ("a\npromise no b\n", "a\n\nrefuse A.y.2\npromise no b\n", 3),
            ("a\n\n-- c\npromise no b", "a\n\nrefuse A.y.2\n-- c\npromise no b", 3),
            (
                "a\r\n\r\nexpect healthy\r\n",
                "a\r\n\r\nrefuse A.y.2\r\nexpect healthy\r\n",
                3,
            ),
            ("promise no b\n", "refuse A.y.2\npromise no b\n", 1),
            ("a", "a\n\nrefuse A.y.2\n", 3),
            ("a\n", "a\n\nrefuse A.y.2\n", 3),
            ("", "refuse A.y.2\n", 1),
            ("crash after A.x", "crash after A.x\nrefuse A.y.2\n", 2),
        ];
        for (before, after, number) in cases {
            let (text, line) = insert(before, &new);
            assert_eq!((text.as_str(), line), (after, number), "{before:?}");
            assert!(
                fault_lines(&text)
                    .iter()
                    .any(|found| found.line == line && found.fault == new)
            );
        }
    }

    #[test]
    fn a_profile_is_set_switched_and_removed() {
        let plain = "scenario s\nbroker a -- first\n  queue q\nbroker b\n";
        let sqs = "scenario s\nbroker a like sqs-fifo -- first\n  queue q\nbroker b\n";
        let rabbit = "scenario s\nbroker a like rabbitmq -- first\n  queue q\nbroker b\n";
        assert_eq!(set_profile(plain, "a", Some("sqs-fifo")).as_deref(), Some(sqs));
        assert_eq!(set_profile(sqs, "a", Some("rabbitmq")).as_deref(), Some(rabbit));
        assert_eq!(set_profile(rabbit, "a", None).as_deref(), Some(plain));
        assert_eq!(set_profile(plain, "a", None).as_deref(), Some(plain));
        assert_eq!(
            set_profile("scenario s\r\nbroker b\r\n", "b", Some("sqs")).as_deref(),
            Some("scenario s\r\nbroker b like sqs\r\n")
        );
        assert_eq!(
            set_profile("broker ü like", "ü", Some("sqs")).as_deref(),
            Some("broker ü like sqs")
        );
        assert_eq!(set_profile(plain, "c", Some("sqs")), None);
        assert_eq!(set_profile("broker", "broker", Some("sqs")), None);
    }

    #[test]
    fn removing_undoes_inserting_where_a_blank_line_stands() {
        for text in [
            "a\n\npromise no b\n",
            "a\n\ncrash after A.x.1\n\npromise no b\n",
            "promise no b\n",
        ] {
            let (inserted, line) = insert(text, &fault("refuse A.y.2"));
            let removed = remove(&inserted, line);
            assert_eq!(removed.trim_start(), text, "{inserted:?}");
        }
    }
}
