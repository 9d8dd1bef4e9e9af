//! What a run has found: counts and cases, for the terminal and for a report.

use std::collections::BTreeMap;
use std::fmt;

/// What became of one comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    /// What was predicted, what happened, and the smallest example of it.
    Disagrees(String),
    /// Not compared, and why. Never counted as agreement.
    Skipped(String),
}

/// One comparison, or many of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What it belongs to: "hand-written", "generated, read committed".
    pub kind: String,
    pub name: String,
    pub verdict: Verdict,
}

/// All comparisons with one real system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// "PostgreSQL".
    pub system: String,
    /// As the system states it; empty if it could not be asked.
    pub version: String,
    /// The day of the run, `2026-01-31`.
    pub date: String,
    /// What the run was made of: seeds, options.
    pub settings: String,
    pub cases: Vec<Case>,
    /// What was not compared and why, for the report.
    pub not_checked: Vec<String>,
}

impl Summary {
    /// Nothing of it could be checked, for this reason.
    pub fn skipped(system: &str, kind: &str, reason: String) -> Summary {
        Summary {
            system: system.to_string(),
            version: String::new(),
            date: today(),
            settings: String::new(),
            cases: vec![Case {
                kind: kind.to_string(),
                name: "all".to_string(),
                verdict: Verdict::Skipped(reason),
            }],
            not_checked: Vec::new(),
        }
    }

    /// Comparisons that were made.
    pub fn checked(&self) -> usize {
        self.count(|verdict| !matches!(verdict, Verdict::Skipped(_)))
    }

    /// Comparisons that agree.
    pub fn agreeing(&self) -> usize {
        self.count(|verdict| *verdict == Verdict::Agrees)
    }

    /// True if no comparison that was made disagrees.
    pub fn agrees(&self) -> bool {
        self.checked() == self.agreeing()
    }

    fn count(&self, fits: impl Fn(&Verdict) -> bool) -> usize {
        self.cases.iter().filter(|case| fits(&case.verdict)).count()
    }
}

/// The day it is, in UTC.
pub fn today() -> String {
    let now = std::time::SystemTime::now();
    let seconds = now
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(i64::try_from(seconds / 86_400).unwrap_or(0));
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days since 1970 in the Gregorian calendar, whose years here begin in March: then the leap
/// day is a year's last, and a month's first day is a linear function of its number.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = [&self.system, &self.version, &self.date, &self.settings];
        let heading: Vec<&str> = heading
            .into_iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        writeln!(f, "{}", heading.join(", "))?;
        let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
        for case in &self.cases {
            let [agree, disagree, skipped] = kinds.entry(&case.kind).or_default();
            match case.verdict {
                Verdict::Agrees => *agree += 1,
                Verdict::Disagrees(_) => *disagree += 1,
                Verdict::Skipped(_) => *skipped += 1,
            }
        }
        for (kind, [agree, disagree, skipped]) in kinds {
            writeln!(
                f,
                "  {kind:<36} {agree:>6} agree {disagree:>6} disagree {skipped:>6} skipped"
            )?;
        }
        for case in &self.cases {
            match &case.verdict {
                Verdict::Agrees => {}
                Verdict::Disagrees(example) => writeln!(f, "  disagrees: {}\n{example}", case.name)?,
                Verdict::Skipped(reason) if case.name == "all" => writeln!(f, "  skipped: {reason}")?,
                Verdict::Skipped(_) => {}
            }
        }
        for item in &self.not_checked {
            writeln!(f, "  not checked: {item}")?;
        }
        Ok(())
    }
}
