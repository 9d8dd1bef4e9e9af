//! Imports point down only. The test reads the `crate::` paths of every source file and holds them against the map of the
//! crate documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each module and what it may know beside itself.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("value", &[]),
    ("words", &["simulation", "expression", "fact", "program", "value"]),
    ("fact", &["value"]),
    ("fingerprint", &["value"]),
    ("shared", &[]),
    ("expression", &["value", "sql"]),
    ("sql", &["expression", "value"]),
    ("program", &["expression", "sql", "value"]),
    ("language", &["expression", "program", "sql", "value", "words"]),
    ("database", &["expression", "fact", "fingerprint", "sql", "value"]),
    (
        "broker",
        &["expression", "fact", "fingerprint", "program", "shared", "value"],
    ),
    (
        "simulation",
        &[
            "broker",
            "database",
            "expression",
            "fact",
            "fingerprint",
            "program",
            "shared",
            "sql",
            "value",
        ],
    ),
    ("scenarios", &[]),
    ("reality", &["scenarios"]),
    ("challenges", &[]),
    (
        "verdict",
        &[
            "broker",
            "simulation",
            "expression",
            "fact",
            "program",
            "sql",
            "value",
            "words",
        ],
    ),
    ("search", &["verdict", "simulation", "program"]),
    ("costs", &["verdict", "simulation", "fact", "program", "value"]),
    ("link", &["language", "scenarios", "words"]),
    (
        "report",
        &[
            "broker",
            "search",
            "verdict",
            "simulation",
            "expression",
            "fact",
            "program",
            "value",
            "words",
        ],
    ),
    (
        "app",
        &[
            "search",
            "challenges",
            "costs",
            "language",
            "link",
            "reality",
            "search",
            "verdict",
            "scenarios",
            "simulation",
            "expression",
            "fact",
            "program",
            "sql",
            "value",
            "words",
        ],
    ),
    (
        "ui",
        &["app", "language", "fact", "program", "value", "words", "simulation"],
    ),
    (
        "cli",
        &[
            "language",
            "link",
            "report",
            "search",
            "verdict",
            "scenarios",
            "simulation",
            "expression",
            "fact",
            "program",
            "value",
            "words",
        ],
    ),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("src can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The top-level module a file belongs to: `src/app/model.rs` → `app`.
fn module_of(root: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(root).expect("a file of src");
    let first = inside
        .components()
        .next()
        .expect("a name")
        .as_os_str()
        .to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The modules that a text names as `crate::module` in code: also `use crate::{a, b::c}`.
fn named(text: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            for part in group.split_inclusive([',', '{', '}']) {
                let word: String = part
                    .trim()
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if depth == 0 && !word.is_empty() {
                    modules.insert(word);
                }
                depth += i32::from(part.ends_with('{')) - i32::from(part.ends_with('}'));
                if depth < 0 {
                    break;
                }
            }
        } else {
            modules.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    modules
}

#[test]
fn imports_point_down_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let may_know: BTreeMap<&str, BTreeSet<&str>> = MAY_KNOW
        .iter()
        .map(|(module, known)| (*module, known.iter().copied().collect()))
        .collect();
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 20, "the sources are found");
    let mut wrong = Vec::new();
    for file in files {
        let module = module_of(&root, &file);
        if module == "lib" || module == "main" {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file is text");
        let known = may_know
            .get(&*module)
            .unwrap_or_else(|| panic!("{module} is not on the map"));
        for other in named(&text) {
            if may_know.contains_key(&*other) && other != module && !known.contains(&*other) {
                wrong.push(format!(
                    "{} knows {other}",
                    file.strip_prefix(&root).expect("inside").display()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "imports that point up or across:\n{}",
        wrong.join("\n")
    );
}

/// Only one file touches the browser, and Yew stays in `ui`.
#[test]
fn the_browser_is_touched_in_one_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file is text");
        let inside = file
            .strip_prefix(&root)
            .expect("inside")
            .to_string_lossy()
            .replace('\\', "/");
        let uses = |name: &str| {
            text.lines()
                .any(|line| !line.trim_start().starts_with("//") && line.contains(name))
        };
        if inside != "ui/browser.rs" {
            assert!(!uses("web_sys::") || inside.starts_with("ui"), "{inside} uses web_sys");
        }
        if !inside.starts_with("ui") && inside != "main.rs" {
            assert!(!uses("yew::") && !uses("gloo::"), "{inside} uses Yew or gloo");
        }
    }
}
