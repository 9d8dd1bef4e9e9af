//! `interval '…'` as PostgreSQL reads it, as far as whole units go.

use super::lexer::TIME_MAX;
use crate::value::Millis;

const UNITS: [(&[&str], Millis); 6] = [
    (&["ms", "msec", "msecs", "millisecond", "milliseconds"], 1),
    (&["s", "sec", "secs", "second", "seconds"], 1_000),
    (&["m", "min", "mins", "minute", "minutes"], 60_000),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600_000),
    (&["d", "day", "days"], 86_400_000),
    (&["w", "week", "weeks"], 604_800_000),
];

/// `30s`, `30 seconds`, `1 day 2 hours`. None for anything else, and beyond [`TIME_MAX`].
pub fn parse(text: &str) -> Option<Millis> {
    let mut total: Millis = 0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (count, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let unit = unit.to_ascii_lowercase();
        let (_, size) = UNITS.iter().find(|(names, _)| names.contains(&unit.as_str()))?;
        let time = count.parse::<Millis>().ok()?.checked_mul(*size)?;
        total = total.checked_add(time).filter(|total| *total <= TIME_MAX)?;
        rest = after.trim_start();
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_postgresql_reads_in_whole_units() {
        let cases = [
            ("30s", Some(30_000)),
            ("30 seconds", Some(30_000)),
            ("1 day 2 Hours", Some(93_600_000)),
            (" 5min ", Some(300_000)),
            ("", None),
            ("5", None),
            ("s", None),
            ("1 fortnight", None),
            ("99999999999999999999s", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(parse(text), wanted, "{text}");
        }
    }
}
