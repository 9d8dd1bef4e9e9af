//! The lines of service bodies that can be moved: a statement with its deeper lines and its `on` handlers is one unit, and goes up
//! or down within its block.
//!
//! Refuses to know: what a statement does.

use super::lines::{indentation, line_end, said};
use std::ops::Range;

/// A statement that can be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its first line, from 1.
    pub line: u32,
    /// What that line says, without indentation.
    pub text: String,
    /// There is another unit above and below it in its block.
    pub up: bool,
    pub down: bool,
    /// Indices of its lines.
    lines: Range<usize>,
}

/// Words whose deeper lines are statements. Below other statements they are continuations.
const BLOCKS: [&str; 6] = ["if", "for", "repeat", "try", "on", "else"];

/// The statements of all service bodies, in the sequence of the text.
pub fn units(text: &str) -> Vec<Unit> {
    blocks(text).into_iter().flatten().collect()
}

/// The innermost unit that a line (from 1) belongs to.
pub fn unit_at(text: &str, line: u32) -> Option<Unit> {
    let index = (line as usize).checked_sub(1)?;
    let around = units(text).into_iter().filter(|unit| unit.lines.contains(&index));
    around.min_by_key(|unit| unit.lines.len())
}

/// The text with the unit that begins on `line` one place further up or down in its block, and the line it begins on then.
pub fn moved(text: &str, line: u32, up: bool) -> Option<(String, u32)> {
    let blocks = blocks(text);
    let block = blocks.iter().find(|block| block.iter().any(|unit| unit.line == line))?;
    let own = block.iter().position(|unit| unit.line == line)?;
    let (first, second) = if up { (own.checked_sub(1)?, own) } else { (own, own + 1) };
    let (first, second) = (&block.get(first)?.lines, &block.get(second)?.lines);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = line_end(text);
    let mut moved = lines[..first.start].concat();
    let between = first.end..second.start;
    for part in [second, &between, first] {
        for line in &lines[part.clone()] {
            moved.push_str(line);
            if !line.ends_with('\n') {
                moved.push_str(end);
            }
        }
    }
    moved.push_str(&lines[second.end..].concat());
    let start = if up {
        first.start
    } else {
        first.start + second.len() + between.len()
    };
    // A text has far fewer than 2^32 lines.
    Some((moved, start as u32 + 1))
}

/// The statements of each block.
fn blocks(text: &str) -> Vec<Vec<Unit>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut in_service = false;
    let mut index = 0;
    while index < lines.len() {
        let Some(said) = said(lines[index]) else {
            index += 1;
            continue;
        };
        if indentation(said) == 0 {
            in_service = said.starts_with("service");
            index += 1;
            continue;
        }
        // A trigger, or `memory`, which has no deeper lines.
        let body = deeper(&lines, index);
        index = body.end;
        if in_service {
            statements(&lines, body, &mut found);
        }
    }
    // Blocks stand behind the statements that own them; the sequence of the text is that of their first lines.
    found.retain(|block: &Vec<Unit>| !block.is_empty());
    found.sort_by_key(|block| block[0].line); // none is empty
    found
}

/// The lines below one that are deeper than it; blank ones and comments behind the last of them are not among them.
fn deeper(lines: &[&str], owner: usize) -> Range<usize> {
    let depth = indentation(lines[owner]);
    let mut end = owner + 1;
    for (index, line) in lines.iter().enumerate().skip(owner + 1) {
        match said(line) {
            None => {}
            Some(said) if indentation(said) > depth => end = index + 1,
            Some(_) => break,
        }
    }
    owner + 1..end
}

/// The statements among the lines of one block, and those of the blocks within it.
fn statements(lines: &[&str], body: Range<usize>, found: &mut Vec<Vec<Unit>>) {
    let mut block: Vec<Unit> = Vec::new();
    let mut index = body.start;
    while index < body.end {
        let Some(said) = said(lines[index]) else {
            index += 1;
            continue;
        };
        let word = said.split_whitespace().next().unwrap_or_default();
        let below = deeper(lines, index);
        let end = below.end;
        if BLOCKS.contains(&word) {
            statements(lines, below, found);
        }
        match block.last_mut() {
            // It belongs to the statement above.
            Some(owner) if word == "on" || word == "else" => owner.lines.end = end,
            _ => block.push(Unit {
                line: index as u32 + 1, // a text has far fewer than 2^32 lines
                text: said.trim().to_owned(),
                up: !block.is_empty(),
                down: false,
                lines: index..end,
            }),
        }
        index = end;
    }
    let last = block.len().saturating_sub(1);
    block.iter_mut().take(last).for_each(|unit| unit.down = true);
    found.push(block);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "scenario x\n\nservice A on d\n  memory n = 0\n  every 10s\n    begin\n    insert into t (a) values (1)\n    on duplicate\n      rollback\n      done\n\
                        \x20   update t set a = 2\n      where a = 1\n    -- why\n    if n\n      commit\n    else\n      rollback\n\n  handle h()\n    done\n\npromise no d.t\n  waiting in d.t\n";

    fn named(text: &str) -> Vec<(u32, String, bool, bool)> {
        units(text)
            .into_iter()
            .map(|unit| (unit.line, unit.text, unit.up, unit.down))
            .collect()
    }

    #[test]
    fn a_unit_is_a_statement_with_its_deeper_lines_and_handlers() {
        let expected = [
            (6, "begin", false, true),
            (7, "insert into t (a) values (1)", true, true),
            (11, "update t set a = 2", true, true),
            (14, "if n", true, false),
            (9, "rollback", false, true),
            (10, "done", true, false),
            (15, "commit", false, false),
            (17, "rollback", false, false),
            (20, "done", false, false),
        ];
        let expected = expected.map(|(line, text, up, down)| (line, text.to_owned(), up, down));
        assert_eq!(named(TEXT), expected);
    }

    #[test]
    fn a_unit_moves_past_its_neighbour_as_a_whole() {
        let (up, line) = moved(TEXT, 11, true).expect("it has one above");
        let expected = "    begin\n    update t set a = 2\n      where a = 1\n    insert into t (a) values (1)\n    on duplicate\n      rollback\n      done\n    -- why\n";
        assert!(up.contains(expected), "{up}");
        assert_eq!(line, 7);
        assert_eq!(moved(&up, 7, false), Some((TEXT.to_owned(), 11)));
        let (down, line) = moved(TEXT, 11, false).expect("it has one below");
        assert!(
            down.contains("    else\n      rollback\n    -- why\n    update t set a = 2\n      where a = 1\n"),
            "{down}"
        );
        assert_eq!(line, 16);
    }

    #[test]
    fn a_line_belongs_to_the_innermost_unit_around_it() {
        let at = |line| unit_at(TEXT, line).map(|unit| unit.line);
        assert_eq!(
            [at(8), at(9), at(12), at(16), at(17)],
            [Some(7), Some(9), Some(11), Some(14), Some(17)]
        );
        assert_eq!([at(0), at(3), at(5), at(18), at(99)], [None; 5]);
    }

    #[test]
    fn at_the_ends_of_a_block_there_is_nowhere_to_go() {
        assert_eq!(moved(TEXT, 6, true), None);
        assert_eq!(moved(TEXT, 14, false), None);
        assert_eq!(moved(TEXT, 8, true), None);
        assert_eq!(moved(TEXT, 99, true), None);
    }

    #[test]
    fn a_last_line_without_an_end_gets_one() {
        let text = "service A\n  every 1s\n    a\n    b";
        assert_eq!(
            moved(text, 4, true),
            Some(("service A\n  every 1s\n    b\n    a\n".to_owned(), 3))
        );
    }
}
