//! Collects the scenario files under `src/scenarios/` into a table that the crate includes, so that a new scenario
//! is a new file and nothing else.

#[path = "src/scenarios/collect.rs"]
mod collect;

use collect::Found;
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

const FOLDER: &str = "src/scenarios";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo watches everything below a watched folder.
    println!("cargo::rerun-if-changed={FOLDER}");
    if let Err(problems) = generate() {
        for problem in problems {
            println!("cargo::error={problem}");
        }
        process::exit(1);
    }
}

fn generate() -> Result<(), Vec<String>> {
    let root = PathBuf::from(FOLDER);
    let found = read_folder(&root, "").map_err(|error| vec![error])?;
    let table = collect::table(found)?;
    let out = env::var_os("OUT_DIR").ok_or_else(|| vec!["cargo sets OUT_DIR, but it is missing".to_owned()])?;
    fs::write(Path::new(&out).join("scenarios.rs"), table).map_err(|error| vec![format!("scenarios.rs: {error}")])
}

/// All `.crash` files at and below `path`; `folder` is `path` relative to `src/scenarios`, with `/` on every system.
fn read_folder(path: &Path, folder: &str) -> Result<Vec<Found>, String> {
    let say = |at: &Path, error: io::Error| format!("{}: {error}", at.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| say(path, error))? {
        let path = entry.map_err(|error| say(path, error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let below = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            found.extend(read_folder(&path, &below)?);
        } else if let Some(id) = name.strip_suffix(".crash") {
            let text = fs::read_to_string(&path).map_err(|error| say(&path, error))?;
            found.push(Found {
                folder: folder.to_owned(),
                id: id.to_owned(),
                text,
            });
        }
    }
    Ok(found)
}
