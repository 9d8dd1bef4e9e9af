//! Native: the command line. Wasm: mounts the page.
fn main() {}
