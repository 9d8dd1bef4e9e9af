//! The same text gives the same trace natively and in Wasm: this file runs in both,
//! `cargo test --test determinism` and `cargo test --target wasm32-unknown-unknown --test determinism`.
#![forbid(unsafe_code)]

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn shifts_beyond_the_width_of_a_wasm_pointer_agree() {
    assert_eq!(1_u64 << std::hint::black_box(40), 1_099_511_627_776);
}
