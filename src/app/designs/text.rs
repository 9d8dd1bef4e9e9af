//! A design as a text: whose it is, and the same with other fault lines.
//!
//! Refuses to know: what a fault line means.

use crate::link::fault_lines;
use crate::program::{Fault, Point};
use crate::scenarios;
use crate::value::Millis;
use std::rc::Rc;

/// The texts differ in fault lines at most.
pub fn same_design(one: &str, other: &str) -> bool {
    one == other || fault_lines::split(one).others == fault_lines::split(other).others
}

/// The name behind `scenario`, the text's first word; empty without one.
pub fn scenario_id(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("scenario "));
    line.and_then(|line| line.split_whitespace().next()).unwrap_or_default()
}

/// A preset as it is written, if the text differs from it in fault lines only.
pub fn as_written(text: &Rc<str>) -> Rc<str> {
    match scenarios::find(scenario_id(text)) {
        Some(preset) if same_design(preset.text, text) => preset.text.into(),
        _ => text.clone(),
    }
}

/// Another design with the reader's fault lines in place of its own.
pub fn with_faults_of(own: &str, other: &str) -> String {
    let own = fault_lines::split(own).faults;
    let lines: Vec<String> = own.iter().map(|(_, line)| (*line).to_owned()).collect();
    with_fault_lines(other, &lines)
}

/// A design with one crash instead of the reader's crashes; the reader's other faults go along.
pub fn with_crash(own: &str, other: &str, point: &Point, restart: Option<Millis>) -> String {
    let crash = Fault::Crash(point.clone(), restart).to_string();
    let own = fault_lines::split(own).faults;
    let is_crash = |line: &str| line.split_whitespace().next() == Some("crash");
    let place = own.iter().position(|(_, line)| is_crash(line));
    let mut lines: Vec<String> = Vec::new();
    for (index, (_, line)) in own.iter().enumerate() {
        if place == Some(index) {
            lines.push(crash.clone());
        } else if !is_crash(line) {
            lines.push((*line).to_owned());
        }
    }
    if place.is_none() {
        lines.push(crash);
    }
    with_fault_lines(other, &lines)
}

fn with_fault_lines(text: &str, lines: &[String]) -> String {
    let target = fault_lines::split(text);
    let home = target.home();
    // Line ends are the target's: a last line without one would swallow the next.
    let lines: Vec<String> = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect();
    fault_lines::join(&target.others, lines.iter().map(|line| (home, line.as_str())))
}
