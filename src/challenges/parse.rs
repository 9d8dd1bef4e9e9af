//! Reads a challenge's file.
//!
//! Refuses to know: which challenges there are.

use super::{Challenge, Change, Edit, Texts};

/// Reads the file of the challenge `id`.
///
/// # Errors
/// What is wrong and in which line.
pub(super) fn read(id: &'static str, file: &'static str) -> Result<Challenge, String> {
    let mut challenge = Challenge {
        id,
        sequence: 0,
        from: "",
        title: Texts::default(),
        task: Texts::default(),
        faults_max: 0,
        kinds: Vec::new(),
        changes: Vec::new(),
        text: "",
    };
    let mut offset = 0;
    for (index, line) in file.split_inclusive('\n').enumerate() {
        if line.starts_with("scenario ") {
            challenge.text = &file[offset..]; // the sum of the lines before it
            break;
        }
        offset += line.len();
        let line = line.trim_end_matches('\n');
        let done = match line.strip_prefix("  ") {
            Some(deeper) => read_change(&mut challenge.changes, deeper),
            None => read_head(&mut challenge, line),
        };
        done.map_err(|problem| format!("line {}: {problem}, found `{line}`", index + 1))?;
    }
    check(&challenge)?;
    Ok(challenge)
}

fn read_head(challenge: &mut Challenge, line: &'static str) -> Result<(), String> {
    let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
    match key {
        "" => Ok(()),
        "sequence" => {
            challenge.sequence = rest.parse().map_err(|_| "expected a number".to_owned())?;
            Ok(())
        }
        "from" => {
            challenge.from = rest;
            Ok(())
        }
        "faults" => {
            let (number, kinds) = rest.split_once(' ').unwrap_or((rest, ""));
            challenge.faults_max = number.parse().map_err(|_| "expected a number of faults".to_owned())?;
            challenge.kinds = kinds.split_whitespace().collect();
            Ok(())
        }
        "title" => challenge.title.read(rest),
        "task" => challenge.task.read(rest),
        "change" => {
            let (id, help) = rest
                .split_once(" help ")
                .map_or((rest, None), |(id, help)| (id, Some(help)));
            challenge.changes.push(Change {
                id,
                title: Texts::default(),
                help,
                edits: vec![Edit::default()],
            });
            Ok(())
        }
        _ => Err("expected `sequence`, `from`, `faults`, `title`, `task`, `change` or `scenario`".to_owned()),
    }
}

fn read_change(changes: &mut [Change], line: &'static str) -> Result<(), String> {
    let Some(Change { title, edits, .. }) = changes.last_mut() else {
        return Err("expected `change` above".to_owned());
    };
    if line == "@" {
        edits.push(Edit::default());
        return Ok(());
    }
    if let Some(text) = line.strip_prefix("title ") {
        return title.read(text);
    }
    let Some(edit) = edits.last_mut() else {
        return Ok(()); // a change begins with one
    };
    let (stays, goes, comes) = (line.strip_prefix('='), line.strip_prefix('-'), line.strip_prefix('+'));
    if stays.is_none() && goes.is_none() && comes.is_none() {
        return Err("expected `title`, `@`, or a line behind `=`, `-` or `+`".to_owned());
    }
    edit.before.extend(stays.or(goes));
    edit.after.extend(stays.or(comes));
    Ok(())
}

impl Texts {
    fn read(&mut self, text: &'static str) -> Result<(), String> {
        let (language, text) = text.split_once(' ').unwrap_or((text, ""));
        match language {
            "en" => self.en = text,
            "de" => self.de = text,
            _ => return Err("expected a language, `en` or `de`".to_owned()),
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        !self.en.is_empty() && !self.de.is_empty()
    }
}

fn check(challenge: &Challenge) -> Result<(), String> {
    let named = challenge
        .text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("scenario "));
    let texts = challenge.changes.iter().map(|change| &change.title);
    if named != Some(challenge.id) {
        Err(format!("expected `scenario {}` after the changes", challenge.id))
    } else if challenge.kinds.is_empty() {
        Err("expected `faults`, a number and kinds".to_owned())
    } else if ![&challenge.title, &challenge.task]
        .into_iter()
        .chain(texts)
        .all(Texts::is_complete)
    {
        Err("expected every title and task in every language".to_owned())
    } else if let Some(change) = challenge
        .changes
        .iter()
        .find(|change| change.edits.iter().any(|edit| edit.before.is_empty()))
    {
        Err(format!(
            "expected a line behind `=` or `-` in each place of `change {}`",
            change.id
        ))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "sequence 3\nfrom O1\nfaults 2 crash lose-reply\ntitle en A b\ntitle de C d\ntask en T\ntask de U\n\n\
                        change one help bank\n  title en X\n  title de Y\n  =a\n  -  b\n  +  c\n  @\n  -d\n\nscenario x\n  until 1s\n";

    #[test]
    fn a_file_is_a_head_changes_and_a_text() {
        let challenge = read("x", FILE).expect("the file is right");
        assert_eq!((challenge.sequence, challenge.faults_max), (3, 2));
        assert_eq!(challenge.kinds, ["crash", "lose-reply"]);
        assert_eq!((challenge.title.en, challenge.task.de), ("A b", "U"));
        assert_eq!(challenge.text, "scenario x\n  until 1s\n");
        let change = &challenge.changes[0];
        assert_eq!((change.id, change.help, change.title.en), ("one", Some("bank"), "X"));
        assert_eq!(change.edits[0].before, ["a", "  b"]);
        assert_eq!(change.edits[0].after, ["a", "  c"]);
        assert_eq!(
            (change.edits[1].before.as_slice(), change.edits[1].after.len()),
            (["d"].as_slice(), 0)
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let cases = [
            ("sequence x", "line 1: expected a number"),
            ("sequence 1\nwhat", "line 2: expected `sequence`"),
            ("title fr X", "line 1: expected a language"),
            ("  -a", "line 1: expected `change` above"),
            ("change a\n  ?a", "line 2: expected `title`"),
            ("", "expected `scenario x`"),
            ("scenario y\n", "expected `scenario x`"),
            ("scenario x\n", "expected `faults`"),
            ("faults 1 crash\nscenario x\n", "expected every title"),
        ];
        for (file, problem) in cases {
            let found = read("x", file).expect_err(file);
            assert!(found.starts_with(problem), "{file:?}: {found}");
        }
    }
}
