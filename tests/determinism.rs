//! The same text gives the same trace natively and in Wasm: this file runs in both,
//! `cargo test --test determinism` and `cargo test --target wasm32-unknown-unknown --test determinism`, and both hold the
//! hash of every preset's canonical trace against the same committed file.
#![forbid(unsafe_code)]

mod support;

use crashpoint::simulation::{EVENTS_MAX, run};
use std::fmt::Write;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

fn hashes() -> String {
    let mut text = String::new();
    for (id, scenario) in support::presets() {
        let trace = run(&scenario.program, &support::faults(&scenario), EVENTS_MAX);
        writeln!(text, "{id} {}", trace.hash()).expect("a String takes everything");
    }
    text
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_preset_has_the_committed_hash() {
    #[cfg(not(target_arch = "wasm32"))]
    support::golden("hashes.txt", &hashes());
    #[cfg(target_arch = "wasm32")]
    assert_eq!(include_str!("golden/hashes.txt"), hashes());
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn running_twice_gives_the_same_trace() {
    for (id, scenario) in support::presets() {
        let faults = support::faults(&scenario);
        let once = run(&scenario.program, &faults, EVENTS_MAX).canonical();
        let twice = run(&scenario.program, &faults, EVENTS_MAX).canonical();
        assert_eq!(once, twice, "{id}");
    }
}
