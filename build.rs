//! Collects the scenario files under `src/scenarios/` and the challenges under `src/challenges/` into tables that the crate
//! includes, so that a new scenario or challenge is a new file and nothing else.

#[path = "src/scenarios/collect.rs"]
mod collect;

use collect::Found;
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

const FOLDER: &str = "src/scenarios";
const CHALLENGES: &str = "src/challenges";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo watches everything below a watched folder.
    println!("cargo::rerun-if-changed={FOLDER}");
    println!("cargo::rerun-if-changed={CHALLENGES}");
    if let Err(problems) = generate().and_then(|()| generate_challenges()) {
        for problem in problems {
            println!("cargo::error={problem}");
        }
        process::exit(1);
    }
}

fn generate() -> Result<(), Vec<String>> {
    let root = PathBuf::from(FOLDER);
    let found = read_folder(&root, "", ".crash").map_err(|error| vec![error])?;
    write("scenarios.rs", &collect::table(found)?)
}

/// A challenge is checked where it is read, by a test: its file holds more than a scenario.
fn generate_challenges() -> Result<(), Vec<String>> {
    let mut found = read_folder(Path::new(CHALLENGES), "", ".challenge").map_err(|error| vec![error])?;
    found.sort_by(|a, b| collect::natural(&a.id, &b.id));
    let mut table = String::from("&[\n");
    for Found { id, text, .. } in &found {
        table.push_str(&format!("    ({id:?}, {:?}),\n", text.replace("\r\n", "\n")));
    }
    table.push_str("]\n");
    write("challenges.rs", &table)
}

fn write(name: &str, source: &str) -> Result<(), Vec<String>> {
    let out = env::var_os("OUT_DIR").ok_or_else(|| vec!["cargo sets OUT_DIR, but it is missing".to_owned()])?;
    fs::write(Path::new(&out).join(name), source).map_err(|error| vec![format!("{name}: {error}")])
}

/// All files with the ending at and below `path`; `folder` is `path` relative to where the search began, with `/` on every system.
fn read_folder(path: &Path, folder: &str, ending: &str) -> Result<Vec<Found>, String> {
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
            found.extend(read_folder(&path, &below, ending)?);
        } else if let Some(id) = name.strip_suffix(ending) {
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
