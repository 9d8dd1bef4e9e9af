//! How scenario files become a table: what is a valid id, the sequence, the generated source.
//!
//! Used by the build script, and by the crate in tests only. Refuses to know: the file system.

use std::cmp::Ordering;
use std::fmt::Write;

/// A scenario file as it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Relative to `src/scenarios`, `/` between levels, empty at the top.
    pub folder: String,
    /// The file's name without `.crash`.
    pub id: String,
    pub text: String,
}

/// The source of the table: a slice expression of `Preset`s in natural sequence, folder by folder.
///
/// Errors name each file that cannot be in it.
pub fn table(mut found: Vec<Found>) -> Result<String, Vec<String>> {
    for file in &mut found {
        // The same text, hence the same links, whatever line ends the checkout has.
        file.text = file.text.replace("\r\n", "\n");
    }
    found.sort_by(|a, b| natural(&a.folder, &b.folder).then_with(|| natural(&a.id, &b.id)));
    let problems = problems(&found);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut source = String::from("&[\n");
    for Found { folder, id, text } in &found {
        // Writing into a string cannot fail.
        let _ = writeln!(
            source,
            "    Preset {{ id: {id:?}, folder: {folder:?}, text: {text:?} }},"
        );
    }
    source.push_str("]\n");
    Ok(source)
}

fn problems(found: &[Found]) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, file) in found.iter().enumerate() {
        let path = path(file);
        if !is_id(&file.id) {
            problems.push(format!(
                "{path}: `{}` is no scenario id: expected a letter, then letters, digits and single `-`, as in `O3-crash`",
                file.id
            ));
        } else if named(&file.text) != Some(&file.id) {
            let says = named(&file.text).unwrap_or("none");
            problems.push(format!(
                "{path}: expected `scenario {}` in the text, found {says}",
                file.id
            ));
        }
        if let Some(earlier) = found
            .iter()
            .take(index)
            .find(|other| other.id.eq_ignore_ascii_case(&file.id))
        {
            problems.push(format!(
                "{path}: the id is taken by {} (case does not count)",
                self::path(earlier)
            ));
        }
    }
    problems
}

fn path(file: &Found) -> String {
    let slash = if file.folder.is_empty() { "" } else { "/" };
    format!("src/scenarios/{}{slash}{}.crash", file.folder, file.id)
}

/// Links carry ids, so an id has only characters that survive everywhere, and ends with a letter or digit.
fn is_id(id: &str) -> bool {
    id.starts_with(|first: char| first.is_ascii_alphabetic())
        && id
            .split('-')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// What the text's `scenario` line calls it.
fn named(text: &str) -> Option<&str> {
    text.lines()
        .find_map(|line| line.strip_prefix("scenario "))
        .and_then(|rest| rest.split_whitespace().next())
}

/// Letters by letter, digits by number: O2 before O10, O3 before O3-crash.
pub fn natural(a: &str, b: &str) -> Ordering {
    chunks(a).cmp(chunks(b)).then_with(|| a.cmp(b))
}

/// A run of digits, or one other character. Numbers come before letters; as digits without leading zeros they
/// compare by length, then by digit, so that no number is too long.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Chunk<'a> {
    Number(usize, &'a str),
    Other(char),
}

fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (chunk, after) = rest.split_at(if digits == 0 { first.len_utf8() } else { digits });
        rest = after;
        let number = chunk.trim_start_matches('0');
        Some(if digits == 0 {
            Chunk::Other(first)
        } else {
            Chunk::Number(number.len(), number)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(folder: &str, id: &str) -> Found {
        Found {
            folder: folder.to_owned(),
            id: id.to_owned(),
            text: format!("-- a comment\nscenario {id}\n"),
        }
    }

    #[test]
    fn numbers_count_as_numbers_and_a_shorter_name_comes_first() {
        let mut ids = ["O10", "O3-crash", "P1", "O2", "O3", "O11-skip", "O11", "C02-ok"];
        ids.sort_by(|a, b| natural(a, b));
        assert_eq!(ids, ["C02-ok", "O2", "O3", "O3-crash", "O10", "O11", "O11-skip", "P1"]);
    }

    #[test]
    fn a_table_is_in_sequence_whatever_the_file_system_says() {
        let source = table(vec![
            found("outbox", "O10"),
            found("outbox", "O9"),
            found("inbox", "I1"),
        ])
        .unwrap();
        let ids: Vec<_> = source.lines().filter_map(|line| line.split('"').nth(1)).collect();
        assert_eq!(ids, ["I1", "O9", "O10"]);
    }

    #[test]
    fn no_files_make_an_empty_table() {
        assert_eq!(table(Vec::new()).unwrap(), "&[\n]\n");
    }

    #[test]
    fn line_ends_of_a_checkout_do_not_reach_the_text() {
        let windows = Found {
            text: "scenario O1\r\n  until 1s\r\n".to_owned(),
            ..found("", "O1")
        };
        let unix = Found {
            text: "scenario O1\n  until 1s\n".to_owned(),
            ..found("", "O1")
        };
        assert_eq!(table(vec![windows]), table(vec![unix]));
    }

    #[test]
    fn an_id_in_two_folders_is_refused_and_both_files_are_named() {
        let problems = table(vec![found("outbox", "O1"), found("reported", "o1")]).unwrap_err();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].contains("src/scenarios/outbox/O1.crash"), "{problems:?}");
        assert!(problems[0].contains("src/scenarios/reported/o1.crash"), "{problems:?}");
    }

    #[test]
    fn names_that_are_no_ids_are_refused() {
        for id in ["", "1O", "O 1", "O_1", "O1-", "O1--x", "Ö1", "O1.old", "O~1"] {
            let problems = table(vec![found("outbox", id)]).unwrap_err();
            assert!(problems[0].contains("is no scenario id"), "{id}: {problems:?}");
        }
    }

    #[test]
    fn a_file_that_calls_itself_otherwise_is_refused() {
        let renamed = Found {
            id: "O2".to_owned(),
            ..found("outbox", "O1")
        };
        assert_eq!(
            table(vec![renamed]).unwrap_err(),
            ["src/scenarios/outbox/O2.crash: expected `scenario O2` in the text, found O1"]
        );
    }
}
