# Two commands for a new clone: `make serve` and `make test`. Both install what is missing (tools/setup) and nothing twice.
# With the tools at hand, plain `trunk serve`, `cargo test` and `cargo run -- ...` do as well.

PORT ?= 8080
WITH := tools/with
# Tests that run in Wasm too. The other files under tests/ are native.
WASM_TESTS := --test determinism

.PHONY: help serve test check native wasm page browser reality dist bench tools-rust tools-page tools-browser tools-reality tools-release

help:
	@echo "make serve   build the page and serve it on 127.0.0.1:$(PORT) (PORT=... for another)"
	@echo "make test    every test: checks, native, Wasm, and the page in a browser"
	@echo "make check   formatter, lints and documentation only"
	@echo "make reality the same scenarios and statements on real servers; REALITY='database --seed 7' for a part of it"
	@echo "make dist    the release build in dist/, optimised, with its sizes"
	@echo "make bench   what it costs: engine, Wasm, download, dragging; prints figures and judges nothing"

serve: tools-page
	@echo "Crashpoint is being built; open http://127.0.0.1:$(PORT)/ when Trunk says 'success'. Ctrl-C stops it."
	@$(WITH) trunk --offline=true serve --port $(PORT)

# Quick ones first; what only the later ones need is installed after the earlier ones have passed.
test: check native wasm browser reality

check: tools-rust
	cargo fmt --check
	$(WITH) cargo clippy -q --locked --all-targets --all-features -- -D warnings
	$(WITH) cargo clippy -q --locked --target wasm32-unknown-unknown --lib --bins $(WASM_TESTS) --bench wasm --example minimal -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(WITH) cargo doc -q --locked --no-deps --document-private-items

native: tools-rust
	$(WITH) cargo test -q --locked --features oracle

wasm: tools-browser
	WASM_BINDGEN_TEST_TIMEOUT=120 $(WITH) cargo test --locked --target wasm32-unknown-unknown $(WASM_TESTS)

page: tools-page
	$(WITH) trunk --offline=true build

browser: tools-browser page
	$(WITH) cargo test -q --locked --features browser --test browser

# Servers of its own on loopback, in folders that go with them. A server that cannot be had is a line that says so.
reality: tools-reality
	$(WITH) cargo test -q --locked --features reality --test reality -- $(REALITY)

dist: tools-release
	$(WITH) trunk --offline=true build --release
	$(WITH) node tools/finish.mjs dist

# The page and, beside it, the smallest page, both built like `make dist` does. The browser is driven by a quick build.
BENCH := target/bench
bench: tools-browser tools-release
	$(WITH) cargo bench -q --locked --bench engine
	$(WITH) cargo bench -q --locked --features oracle --bench search
	WASM_BINDGEN_TEST_TIMEOUT=1200 $(WITH) cargo test --locked --release --target wasm32-unknown-unknown --bench wasm -- --nocapture
	$(WITH) trunk --offline=true build --release --dist $(BENCH)
	$(WITH) trunk --offline=true build --release --dist $(BENCH)/minimal --example minimal benches/minimal/index.html
	$(WITH) node tools/weigh.mjs $(BENCH) $(BENCH)/minimal
	CRASHPOINT_DIST=$(BENCH) $(WITH) cargo test -q --locked --features browser --bench drag

tools-rust:
	@tools/setup rust

tools-page:
	@tools/setup page

tools-browser:
	@tools/setup browser

# Without the servers their checks are skipped and say so, so that their absence is no failure.
tools-reality: tools-rust
	-@tools/setup reality

tools-release:
	@tools/setup release
