//! Spans of time.

use crate::value::Millis;
use crate::words::Language::{self, De, En};

/// Between a number's whole part and its fraction.
pub fn point(language: Language) -> char {
    match language {
        En => '.',
        De => ',',
    }
}

/// A span for a reader: "7 ms", "9.997 s", "1 h 5 min".
pub fn span(language: Language, time: Millis) -> String {
    const MINUTE: Millis = 60_000;
    match time {
        ..1_000 => format!("{time} ms"),
        1_000..600_000 => {
            let point = point(language);
            let fraction = format!("{:03}", time % 1_000);
            match fraction.trim_end_matches('0') {
                "" => format!("{} s", time / 1_000),
                fraction => format!("{}{point}{fraction} s", time / 1_000),
            }
        }
        _ => {
            let units = [
                (1_440 * MINUTE, day(language)),
                (60 * MINUTE, "h"),
                (MINUTE, "min"),
                (1_000, "s"),
            ];
            let mut rest = time;
            let mut parts = Vec::new();
            for (size, unit) in units {
                if rest >= size && parts.len() < 2 {
                    parts.push(format!("{} {unit}", rest / size));
                    rest %= size;
                }
            }
            parts.join(" ")
        }
    }
}

/// A span in at most four characters and a unit, rounded: over a break of the timeline.
pub fn rough_span(language: Language, time: Millis) -> String {
    let rounded = match time {
        ..1_000 => time,
        // Tenths below ten seconds, whole seconds from there.
        1_000..9_950 => (time + 50) / 100 * 100,
        _ => (time + 500) / 1_000 * 1_000,
    };
    span(language, rounded)
}

fn day(language: Language) -> &'static str {
    match language {
        En => "d",
        De => "T",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_exact_to_the_millisecond_where_that_matters() {
        let shown: Vec<String> = [0, 7, 999, 1_000, 10_003, 10_100, 600_000, 3_900_000, 604_800_000]
            .iter()
            .map(|at| span(En, *at))
            .collect();
        assert_eq!(
            shown,
            [
                "0 ms",
                "7 ms",
                "999 ms",
                "1 s",
                "10.003 s",
                "10.1 s",
                "10 min",
                "1 h 5 min",
                "7 d"
            ]
        );
        assert_eq!(span(De, 10_003), "10,003 s");
    }

    #[test]
    fn a_break_is_rounded() {
        let shown: Vec<String> = [950, 9_940, 9_997, 59_960]
            .iter()
            .map(|at| rough_span(En, *at))
            .collect();
        assert_eq!(shown, ["950 ms", "9.9 s", "10 s", "60 s"]);
    }
}
