//! What was checked against real systems: for each scenario how many of its cells were run there, and how many agreed.
//!
//! The list is written by the run that compares (`make reality`, with `--report`). A cell is a scenario as it stands, or with a
//! crash in one gap. What is not in the list was not checked. Refuses to know: how it was checked.

/// Lines of `ID CELLS AGREEING SYSTEMS`.
const CHECKED: &str = include_str!("../tests/reality/checked.txt");

/// What came of one scenario on one set of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    pub cells: u32,
    pub agreeing: u32,
    /// "PostgreSQL 15.18, RabbitMQ 3.10.8".
    pub systems: &'static str,
}

/// What was checked of a preset; a line for each set of systems.
pub fn checked(id: &str) -> impl Iterator<Item = Checked> {
    let of_preset = move |line: &&'static str| line.split(' ').next() == Some(id);
    CHECKED.lines().filter(of_preset).filter_map(read)
}

fn read(line: &'static str) -> Option<Checked> {
    let mut words = line.splitn(4, ' ').skip(1);
    Some(Checked {
        cells: words.next()?.parse().ok()?,
        agreeing: words.next()?.parse().ok()?,
        systems: words.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios;

    #[test]
    fn every_line_is_read_and_names_a_preset() {
        for line in CHECKED.lines() {
            let checked = read(line).expect(line);
            assert!(checked.agreeing <= checked.cells && checked.cells > 0, "{line}");
            let id = line.split(' ').next().unwrap_or_default();
            assert!(scenarios::find(id).is_some(), "{line}");
        }
    }

    #[test]
    fn what_was_not_run_there_is_not_checked() {
        assert_eq!(checked("nobody").count(), 0);
        assert!(checked("O1").all(|checked| checked.systems.starts_with("PostgreSQL ")));
        assert!(checked("O1").count() > 0);
    }
}
