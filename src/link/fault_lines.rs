//! Takes the fault lines out of a scenario text and puts them back, byte for byte.
//!
//! Refuses to know: what a fault line means or whether it is well formed. Its first word decides, as it does in the
//! language, where no other line without indentation begins with one of these words.

/// The first words of fault lines. A word may be added when the language gets it: a text with such a line was no
/// scenario before, so no link speaks of it.
pub const FIRST_WORDS: [&str; 7] = ["crash", "pause", "lose", "refuse", "delay", "down", "cut"];

/// Whether a line (with or without its end) is a fault line.
pub fn is_fault_line(line: &str) -> bool {
    first_word(line).is_some_and(|word| FIRST_WORDS.contains(&word))
}

/// The first word of a line without indentation.
fn first_word(line: &str) -> Option<&str> {
    line.split(|c: char| c.is_ascii_whitespace())
        .next()
        .filter(|word| !word.is_empty())
}

/// A text, its fault lines apart from the others. All lines include their ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<'a> {
    /// Every line that is no fault line.
    pub others: Vec<&'a str>,
    /// The fault lines, each with the number of `others` before it.
    pub faults: Vec<(usize, &'a str)>,
}

/// Splits a text; [`join`] is its inverse.
pub fn split(text: &str) -> Split<'_> {
    let mut split = Split {
        others: Vec::new(),
        faults: Vec::new(),
    };
    for line in text.split_inclusive('\n') {
        if is_fault_line(line) {
            split.faults.push((split.others.len(), line));
        } else {
            split.others.push(line);
        }
    }
    split
}

impl Split<'_> {
    /// Where a text's first fault line belongs, as a number of `others` before it: where the first one is; in a text
    /// without any, before the first promise (or `expect`), else at the end.
    pub fn home(&self) -> usize {
        let is_promise = |line: &&str| matches!(first_word(line), Some("promise" | "expect"));
        let first = self.faults.first().map(|(before, _)| *before);
        first
            .or_else(|| self.others.iter().position(is_promise))
            .unwrap_or(self.others.len())
    }
}

/// The text of lines that stand one after the other, the fault lines at their places. Fault lines beyond the end stand
/// at the end.
pub fn join<'a>(others: &[&str], faults: impl IntoIterator<Item = (usize, &'a str)>) -> String {
    let mut text = String::new();
    let mut rest = others;
    let mut taken = 0;
    for (before, fault) in faults {
        let (now, later) = rest.split_at(before.saturating_sub(taken).min(rest.len()));
        now.iter().for_each(|line| text.push_str(line));
        taken += now.len();
        rest = later;
        text.push_str(fault);
    }
    rest.iter().for_each(|line| text.push_str(line));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "scenario X\nservice A\n  crash of course\n\ncrash after A.commit.1\n\n\
                        lose reply A.ack.1\r\npromise no b.q\nexpect lost\n";

    #[test]
    fn only_lines_without_indentation_that_begin_with_a_fault_word_are_taken() {
        let split = split(TEXT);
        assert_eq!(
            split.faults,
            [(4, "crash after A.commit.1\n"), (5, "lose reply A.ack.1\r\n")]
        );
        assert_eq!(split.others.len(), 7);
        for line in ["crashes\n", " crash\n", "-- crash\n", "promise no crash\n", "\n", ""] {
            assert!(!is_fault_line(line), "{line:?}");
        }
        for line in ["crash", "down\n", "cut\r\n", "delay\tA.b"] {
            assert!(is_fault_line(line), "{line:?}");
        }
    }

    #[test]
    fn joining_what_was_split_gives_the_text_back() {
        for text in [
            TEXT,
            "",
            "\n",
            "crash",
            "crash\ncrash\n",
            "promise\ncrash",
            "a\r\ncrash x\r\nb",
        ] {
            let Split { others, faults } = split(text);
            assert_eq!(join(&others, faults), text);
        }
    }

    #[test]
    fn a_first_fault_goes_before_the_promises() {
        assert_eq!(split(TEXT).home(), 4);
        assert_eq!(split("scenario X\n\npromise no b.q\nexpect healthy\n").home(), 2);
        assert_eq!(split("scenario X\nexpect healthy\n").home(), 1);
        assert_eq!(split("scenario X\n").home(), 1);
    }
}
