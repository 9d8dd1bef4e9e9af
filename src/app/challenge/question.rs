//! What a challenge asks may not be changed to answer it: how long it runs, what is there and asked for at the start, the parties
//! outside, the promises. Tables, services and steps are the reader's own.
//!
//! Refuses to know: whether an answer is a good one.

use super::lines::{difference, indentation, line_end, said};

/// What a challenge asks, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// How long a run lasts.
    Until,
    /// The rows that are there at the start.
    Rows,
    /// A party outside: the other side's affair.
    Outside,
    /// The triggers that bring the work.
    Work,
    Promises,
}

impl Part {
    const ALL: [Part; 5] = [Part::Until, Part::Rows, Part::Outside, Part::Work, Part::Promises];
}

/// A difference between what a challenge asks and what a text asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Altered {
    pub part: Part,
    /// The line of the text that says something else or too much, from 1; none: a line is missing.
    pub line: Option<u32>,
    /// What was asked; empty: a line too many.
    pub asked: String,
}

/// One line that belongs to what is asked.
struct Asked<'a> {
    /// Index of the line in its text.
    index: usize,
    /// The whole line.
    line: &'a str,
    /// What is compared.
    key: &'a str,
}

/// The first thing that a text asks otherwise than the challenge's own text, if any. A party that has been asked for help may change.
pub fn altered(start: &str, now: &str, helper: Option<&str>) -> Option<Altered> {
    let mut parts = Part::ALL.into_iter();
    parts.find_map(|part| altered_part(part, start, now, helper))
}

fn altered_part(part: Part, start: &str, now: &str, helper: Option<&str>) -> Option<Altered> {
    let (asked, found) = (lines_of(part, start, helper), lines_of(part, now, helper));
    let (missing, extra) = different(&asked, &found);
    if missing.is_empty() && extra.is_empty() {
        return None;
    }
    Some(Altered {
        part,
        // A text has far fewer than 2^32 lines.
        line: extra.first().map(|index| found[*index].index as u32 + 1),
        asked: missing
            .first()
            .map_or_else(String::new, |index| asked[*index].key.trim().to_owned()),
    })
}

/// The text asking again what the challenge's own text asks; the rest stays.
pub fn restored(start: &str, now: &str, helper: Option<&str>) -> String {
    Part::ALL
        .into_iter()
        .fold(now.to_owned(), |text, part| restored_part(part, start, &text, helper))
}

fn restored_part(part: Part, start: &str, now: &str, helper: Option<&str>) -> String {
    let (asked, found) = (lines_of(part, start, helper), lines_of(part, now, helper));
    let (missing, extra) = different(&asked, &found);
    let end = line_end(now);
    let lines: Vec<&str> = now.split_inclusive('\n').collect();
    // Where each missing line comes: in place of the line that stands there instead, else behind the last one before it that both
    // have, else before the first one after it, else where its kind of line belongs.
    let mut inserted: Vec<(usize, String)> = Vec::new();
    for index in missing {
        let before = |asked: &Asked<'_>| found.iter().position(|other| other.key == asked.key);
        let known = asked[..index].iter().rev().find_map(before);
        let next = known.map_or(0, |known| known + 1);
        let behind = match (extra.contains(&next), known) {
            (true, _) => found[next].index, // it is one of them
            (false, Some(known)) => found[known].index + 1,
            (false, None) => {
                let later = asked[index + 1..].iter().find_map(before);
                later.map_or_else(|| home(part, &lines), |later| found[later].index)
            }
        };
        inserted.push((behind, format!("{}{end}", asked[index].line.trim_end())));
    }
    let removed: Vec<usize> = extra.into_iter().map(|index| found[index].index).collect();
    let mut text = String::new();
    for index in 0..=lines.len() {
        let here = inserted.iter().filter(|(behind, _)| *behind == index);
        for (_, line) in here {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push_str(end);
            }
            text.push_str(line);
        }
        if let Some(line) = lines.get(index).filter(|_| !removed.contains(&index)) {
            text.push_str(line);
        }
    }
    text
}

/// Where a part's first line belongs in a text that has none of them.
fn home(part: Part, lines: &[&str]) -> usize {
    let starts = |word: &str| {
        lines
            .iter()
            .position(|line| line.split_whitespace().next() == Some(word) && !line.starts_with(' '))
    };
    let place = match part {
        Part::Until => starts("scenario").map(|index| index + 1),
        Part::Rows | Part::Outside => starts("service"),
        Part::Work => starts("promise"),
        Part::Promises => None,
    };
    place.unwrap_or(lines.len())
}

fn different(asked: &[Asked<'_>], found: &[Asked<'_>]) -> (Vec<usize>, Vec<usize>) {
    difference(&keys(asked), &keys(found))
}

fn keys<'a>(lines: &[Asked<'a>]) -> Vec<&'a str> {
    lines.iter().map(|line| line.key).collect()
}

/// The lines of a text that belong to a part of what is asked, in its sequence.
fn lines_of<'a>(part: Part, text: &'a str, helper: Option<&str>) -> Vec<Asked<'a>> {
    let mut found: Vec<Asked<'a>> = Vec::new();
    // The line without indentation that the present one belongs to, and the trigger.
    let mut top = ("", 0, "");
    let mut trigger: Option<usize> = None;
    for (index, line) in text.lines().enumerate() {
        let Some(said) = said(line) else { continue };
        let deep = indentation(said);
        let word = said.split_whitespace().next().unwrap_or_default();
        if deep == 0 {
            top = (said, index, word);
            trigger = None;
        } else if trigger.is_some_and(|depth| deep <= depth) {
            trigger = None;
        }
        let is_asked = match part {
            Part::Until => top.2 == "scenario" && word == "until" && deep > 0,
            Part::Rows => top.2 == "database" && word == "insert",
            Part::Outside => top.2 == "outside" && name(top.0) != helper,
            // A `waiting in` belongs there even while its promise's line is gone.
            Part::Promises => (top.2 == "promise" && !said.ends_with('"')) || (word == "waiting" && deep > 0),
            Part::Work => {
                if top.2 == "service" && trigger.is_none() && word == "at" {
                    trigger = Some(deep);
                    // Whose work it is: the service's name, whatever stands behind it.
                    found.push(Asked {
                        index: top.1,
                        line: top.0,
                        key: service_key(top.0),
                    });
                }
                trigger.is_some()
            }
        };
        if is_asked {
            found.push(Asked { index, line, key: said });
        }
    }
    found
}

fn name(top: &str) -> Option<&str> {
    let rest = top.split_whitespace().nth(1)?;
    rest.split('(').next()
}

/// `service Shop` of `service Shop x2 on shop`.
fn service_key(top: &str) -> &str {
    let name = name(top).unwrap_or_default();
    top.find(name).map_or(top, |at| &top[..at + name.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::challenges;

    fn text_of(id: &str) -> &'static str {
        challenges::find(id).expect("a challenge").text
    }

    fn part_of(start: &str, now: &str) -> Option<(Part, Option<u32>)> {
        altered(start, now, None).map(|altered| (altered.part, altered.line))
    }

    fn line_of(text: &str, wanted: &str) -> u32 {
        let found = text.lines().position(|line| line.contains(wanted));
        found.expect("the line is there") as u32 + 1
    }

    #[test]
    fn tables_services_steps_markers_and_words_are_free() {
        let start = text_of("two-parcels");
        let now = start
            .replace(
                "database warehouse\n",
                "database warehouse\n  table inbox (id text unique)\n",
            )
            .replace(
                "    commit\n    ack m\n",
                "    commit -- now\n    extra: sleep 1s\n    ack m\n",
            )
            .replace("One order, two parcels", "Mine")
            .replace("shipped more than once", "shipped twice")
            .replace(
                "service Shop on shop",
                "service Other on shop\n  every 10s\n    sleep 1s\n\nservice Shop x2 on shop",
            )
            .replace("promise one", "crash after Relay.mark.1 restart 5s\n\npromise one");
        assert_eq!(part_of(start, &now), None);
    }

    #[test]
    fn what_is_asked_is_not_and_the_line_is_named() {
        let start = text_of("silent-bank");
        let weaker = start.replace("promise one bank", "promise at most one bank");
        assert_eq!(
            part_of(start, &weaker),
            Some((Part::Promises, Some(line_of(start, "promise one bank"))))
        );
        let held = start.replace(
            "  waiting in sqs",
            "  waiting in register.paid where true\n  waiting in sqs",
        );
        assert_eq!(
            part_of(start, &held),
            Some((Part::Promises, Some(line_of(&held, "register.paid where true"))))
        );
        let fewer = start.replace("promise no sqs.payments\n", "");
        assert_eq!(part_of(start, &fewer), Some((Part::Promises, None)));
        let idle = start.replace("  at 0s publish", "  at 1s publish");
        assert_eq!(
            part_of(start, &idle),
            Some((Part::Work, Some(line_of(start, "at 0s publish"))))
        );
        let repaired = start.replace("    ack m\n", "    ack m\n\nservice Repair\n  at 30s sleep 1s\n");
        assert_eq!(
            part_of(start, &repaired),
            Some((Part::Work, Some(line_of(&repaired, "service Repair"))))
        );
        let key = start.replace("outside bank (order_id text,", "outside bank (order_id text unique,");
        assert_eq!(
            part_of(start, &key),
            Some((Part::Outside, Some(line_of(start, "outside bank"))))
        );
        assert_eq!(altered(start, &key, Some("bank")), None);
        let short = start.replace("scenario silent-bank\n", "scenario silent-bank\n  until 1s\n");
        assert_eq!(part_of(start, &short), Some((Part::Until, Some(2))));
        let rows = start.replace(
            "broker sqs",
            "  insert into paid (order_id, amount) values ('pay-4711-01', 1)\nbroker sqs",
        );
        assert_eq!(
            part_of(start, &rows),
            Some((
                Part::Rows,
                Some(line_of(&rows, "insert into paid (order_id, amount) values ('pay"))
            ))
        );
    }

    #[test]
    fn a_block_below_a_trigger_is_work_too() {
        let start = text_of("overtaken");
        let fewer = start.replace(
            "    publish payments (id = 'cancel-4711-01', key = 4711, seq = 2, kind = 'cancel')\n",
            "",
        );
        assert_eq!(part_of(start, &fewer), Some((Part::Work, None)));
    }

    #[test]
    fn restoring_brings_back_what_is_asked_and_keeps_the_rest() {
        for id in ["silent-bank", "overtaken", "closing-copy", "two-parcels"] {
            let start = text_of(id);
            let mine = start.replace("    ack m\n", "    sleep 1s\n    ack m\n");
            let asked: Vec<&str> = Part::ALL
                .into_iter()
                .flat_map(|part| lines_of(part, start, None))
                .filter(|asked| !asked.line.starts_with("service"))
                .map(|asked| asked.line)
                .collect();
            for line in asked {
                let without = mine.replacen(&format!("{line}\n"), "", 1);
                assert_ne!(without, mine, "{id}: {line}");
                let again = restored(start, &without, None);
                assert_eq!(altered(start, &again, None), None, "{id} without {line}:\n{again}");
                assert!(again.contains("    sleep 1s\n"), "{id}");
                let other = mine.replacen(line, &format!("{line} 1"), 1);
                assert_eq!(restored(start, &other, None), mine, "{id} with another {line}");
            }
        }
    }
}
