//! Native: the command line. Wasm: mounts the page, or searches in a worker of it.

#[cfg(target_arch = "wasm32")]
fn main() {
    crashpoint::ui::run();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    crashpoint::cli::main(std::env::args().skip(1))
}
