//! What several test files need: presets as scenarios, their faults, golden files.
#![allow(dead_code, reason = "each test file uses its own part")]

use crashpoint::program::{Fault, Scenario};
use crashpoint::simulation::{EVENTS_MAX, Trace, run};
use crashpoint::{language, scenarios, verdict};

/// All presets, parsed.
pub fn presets() -> Vec<(&'static str, Scenario)> {
    let parsed = |preset: &scenarios::Preset| {
        let scenario = language::parse(preset.text).unwrap_or_else(|found| panic!("{}: {found:?}", preset.id));
        (preset.id, scenario)
    };
    scenarios::all().iter().map(parsed).collect()
}

pub fn faults(scenario: &Scenario) -> Vec<Fault> {
    scenario.faults.iter().map(|line| line.fault.clone()).collect()
}

/// The faults a sweep keeps: all but crashes and pauses.
pub fn faults_of_a_sweep(scenario: &Scenario) -> Vec<Fault> {
    faults(scenario)
        .into_iter()
        .filter(|fault| !matches!(fault, Fault::Crash(..) | Fault::Pause(..)))
        .collect()
}

/// A text of the test's own.
pub fn read(text: &str) -> Scenario {
    language::parse(text).unwrap_or_else(|found| panic!("{found:?}\n{text}"))
}

/// Its run, under its own faults.
pub fn run_text(text: &str) -> Trace {
    let scenario = read(text);
    run(&scenario.program, &faults(&scenario), EVENTS_MAX)
}

/// The kinds of its findings, gravest first, and its run.
pub fn traced(text: &str) -> (Vec<&'static str>, Trace) {
    let (scenario, trace) = (read(text), run_text(text));
    let findings = verdict::judge(&scenario, &trace.last, trace.ended);
    (findings.iter().map(|finding| finding.kind.name()).collect(), trace)
}

pub fn kinds(text: &str) -> Vec<&'static str> {
    traced(text).0
}

/// Compares with `tests/golden/NAME`, or writes it when `UPDATE_GOLDEN` is set. Look at the difference before committing it.
#[cfg(not(target_arch = "wasm32"))]
pub fn golden(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(&path, text).expect("the golden file can be written");
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if known != text {
        let at = known.lines().zip(text.lines()).position(|(a, b)| a != b);
        let line = at.unwrap_or_else(|| known.lines().count().min(text.lines().count()));
        panic!(
            "{name} differs from line {}:\n  golden: {}\n  now:    {}\nUPDATE_GOLDEN=1 writes it anew",
            line + 1,
            known.lines().nth(line).unwrap_or("(end)"),
            text.lines().nth(line).unwrap_or("(end)")
        );
    }
}
