//! The scenarios that come with the program: every `.crash` file under `src/scenarios/`, found by the build script.
//!
//! Refuses to know: what is in a text.

#[cfg(test)]
mod collect;

/// A scenario that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The file's name without its ending, and what the text's `scenario` line says: `O3-crash`.
    pub id: &'static str,
    /// Relative to `src/scenarios`, `/` between levels: `outbox`.
    pub folder: &'static str,
    /// The file's text, lines ended by `\n`.
    pub text: &'static str,
}

/// All presets, folder by folder, in natural sequence (O2 before O10, O3 before O3-crash).
pub fn all() -> &'static [Preset] {
    const ALL: &[Preset] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));
    ALL
}

/// The preset of an id, upper and lower case alike.
pub fn find(id: &str) -> Option<&'static Preset> {
    all().iter().find(|preset| preset.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_found_by_its_id_in_any_case() {
        for preset in all() {
            assert_eq!(find(preset.id), Some(preset));
            assert_eq!(find(&preset.id.to_lowercase()), Some(preset));
        }
        assert_eq!(find("no such id"), None);
    }

    #[test]
    fn the_table_holds_the_files_as_they_are() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scenarios");
        for preset in all() {
            let path = root.join(preset.folder).join(format!("{}.crash", preset.id));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(text.replace("\r\n", "\n"), preset.text, "{}", path.display());
        }
    }
}
