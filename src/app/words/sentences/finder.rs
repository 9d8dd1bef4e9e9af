//! The search for the smallest set of faults, and the map of pairs.

use crate::app::finder::Stage;
use crate::search::{KEPT_MAX, Progress};
use crate::words::Language::{self, De, En};

/// The search's own fixed words.
pub struct FinderWords {
    /// What it is about, and which faults of the text stand.
    pub about: &'static str,
    pub kinds: &'static str,
    pub up_to: &'static str,
    pub orders: &'static str,
    pub begin: &'static str,
    pub map: &'static str,
    pub pause: &'static str,
    pub go_on: &'static str,
    pub cancel: &'static str,
    pub show: &'static str,
    pub progress: &'static str,
    pub of_earlier: &'static str,
    /// The map's name and its keys.
    pub pairs: &'static str,
    pub pairs_keys: &'static str,
    pub pending: &'static str,
    pub impossible: &'static str,
    pub cut: &'static str,
}

pub fn finder(language: Language) -> &'static FinderWords {
    match language {
        En => &FinderWords {
            about: "Looks for the smallest set of faults that breaks a promise. Crashes and pauses of the text are left out; its other \
                    faults stand in every run.",
            kinds: "What may strike",
            up_to: "Faults at once, up to",
            orders: "every order of simultaneous events",
            begin: "Search",
            map: "Map of all pairs",
            pause: "Pause",
            go_on: "Go on",
            cancel: "Cancel",
            show: "Show on the timeline",
            progress: "Progress of the search",
            of_earlier: "This is of an earlier text.",
            pairs: "Map of pairs",
            pairs_keys: "Arrow keys go from pair to pair, Enter puts both on the timeline.",
            pending: "not computed yet",
            impossible: "cannot happen together",
            cut: "cut, not known",
        },
        De => &FinderWords {
            about: "Sucht die kleinste Menge von Störungen, die ein Versprechen bricht. Abstürze und Pausen des Textes bleiben weg, \
                    seine übrigen Störungen gelten in jedem Lauf.",
            kinds: "Was geschehen kann",
            up_to: "Störungen zugleich, höchstens",
            orders: "jede Reihenfolge gleichzeitiger Ereignisse",
            begin: "Suchen",
            map: "Karte aller Paare",
            pause: "Anhalten",
            go_on: "Weiter",
            cancel: "Abbrechen",
            show: "Auf der Zeitachse zeigen",
            progress: "Fortschritt der Suche",
            of_earlier: "Dies gehört zu einem früheren Text.",
            pairs: "Karte der Paare",
            pairs_keys: "Pfeiltasten gehen von Paar zu Paar, die Eingabetaste setzt beide auf die Zeitachse.",
            pending: "noch nicht berechnet",
            impossible: "geschieht nicht zusammen",
            cut: "abgebrochen, nicht bekannt",
        },
    }
}

pub fn search_ended_by_edit(language: Language) -> &'static str {
    match language {
        En => "The search was ended: the text was changed.",
        De => "Die Suche wurde beendet: Der Text wurde geändert.",
    }
}

/// What a search is doing, or why it has ended without an answer.
pub fn search_stage(language: Language, stage: &Stage) -> String {
    let text = match (language, stage) {
        (En, Stage::Starting) => "The search is starting.",
        (En, Stage::Going) => "Searching.",
        (En, Stage::Paused) => "Paused.",
        (En, Stage::Answered) => "Done.",
        (En, Stage::Cancelled) => "Cancelled.",
        (De, Stage::Starting) => "Die Suche beginnt.",
        (De, Stage::Going) => "Es wird gesucht.",
        (De, Stage::Paused) => "Angehalten.",
        (De, Stage::Answered) => "Fertig.",
        (De, Stage::Cancelled) => "Abgebrochen.",
        (_, Stage::Edited) => search_ended_by_edit(language),
        (En, Stage::Failed(why)) => return format!("The search cannot go on here: {why}"),
        (De, Stage::Failed(why)) => return format!("Die Suche geht hier nicht: {why}"),
    };
    text.to_owned()
}

/// "Sets of two: 412 of 1,225 beginnings; 3,310 runs; 240 ends known from equal states." Single faults have no beginnings, and
/// where the search `found` what it looked for, how many were left says nothing.
pub fn search_progress(language: Language, progress: &Progress, found: bool) -> String {
    let number = |number| grouped(language, number);
    let (done, of) = (number(progress.done), number(progress.of));
    let sets = match (language, progress.faults) {
        (En, 0) => "Without a fault",
        (De, 0) => "Ohne Störung",
        (En, 1) => "Single faults",
        (De, 1) => "Einzelne Störungen",
        (En, 2) => "Sets of two",
        (De, 2) => "Je zwei Störungen",
        (En, _) => "Sets of three",
        (De, _) => "Je drei Störungen",
    };
    let sets = match language {
        _ if found || progress.faults < 2 => sets.to_owned(),
        En => format!("{sets}: {done} of {of} beginnings"),
        De => format!("{sets}: {done} von {of} Anfängen"),
    };
    let runs = runs(language, progress.runs);
    match (language, progress.recognised) {
        (_, 0) => format!("{sets}; {runs}."),
        (En, 1) => format!("{sets}; {runs}; 1 end known from an equal state."),
        (En, n) => format!("{sets}; {runs}; {} ends known from equal states.", number(n)),
        (De, 1) => format!("{sets}; {runs}; 1 Ende aus gleichem Zustand bekannt."),
        (De, n) => format!("{sets}; {runs}; {} Enden aus gleichen Zuständen bekannt.", number(n)),
    }
}

fn runs(language: Language, runs: u64) -> String {
    match (language, runs) {
        (En, 1) => "1 run".to_owned(),
        (En, n) => format!("{} runs", grouped(language, n)),
        (De, 1) => "1 Lauf".to_owned(),
        (De, n) => format!("{} Läufe", grouped(language, n)),
    }
}

/// A set of faults that breaks a promise, and that no smaller one does.
pub fn search_broken(language: Language, faults: &[String], sentence: &str) -> String {
    let list = faults.join("; ");
    match (language, faults.len()) {
        (En, 0) => format!("No fault is needed. {sentence}"),
        (De, 0) => format!("Dazu braucht es keine Störung. {sentence}"),
        (En, 1) => format!("This one alone: {list}. {sentence}"),
        (De, 1) => format!("Diese allein: {list}. {sentence}"),
        (En, 2) => format!("These two, and no single one does: {list}. {sentence}"),
        (De, 2) => format!("Diese zwei, und keine einzelne: {list}. {sentence}"),
        (En, _) => format!("These three, and no smaller set does: {list}. {sentence}"),
        (De, _) => format!("Diese drei, und keine kleinere Menge: {list}. {sentence}"),
    }
}

/// What another order of simultaneous events has to do with it, if anything; the delays bring that order about.
pub fn search_order(language: Language, delays: &[String]) -> String {
    let list = delays.join("; ");
    match (language, delays.is_empty()) {
        (_, true) => String::new(),
        (En, false) => format!("It takes another order of simultaneous events, as by: {list}."),
        (De, false) => format!("Dazu braucht es eine andere Reihenfolge gleichzeitiger Ereignisse, wie durch: {list}."),
    }
}

/// "None up to 2 faults of these kinds: 12,345 runs, all orders."
pub fn search_none(language: Language, up_to: usize, progress: &Progress, orders: bool) -> String {
    let runs = runs(language, progress.runs);
    let orders = match (language, orders) {
        (_, false) => "",
        (En, true) => ", all orders",
        (De, true) => ", alle Reihenfolgen",
    };
    match (language, up_to) {
        (En, 1) => format!("None with a single fault of these kinds: {runs}{orders}."),
        (En, n) => format!("None up to {n} faults of these kinds: {runs}{orders}."),
        (De, 1) => format!("Keine mit einer einzelnen Störung dieser Arten: {runs}{orders}."),
        (De, n) => format!("Keine bis zu {n} Störungen dieser Arten: {runs}{orders}."),
    }
}

/// All pairs were tried, and some break a promise.
pub fn search_tried(language: Language, progress: &Progress) -> String {
    let (sets, broken) = (grouped(language, progress.sets), grouped(language, progress.broken));
    match language {
        En => format!("All tried: {broken} of {sets} sets of up to two faults break a promise."),
        De => format!("Alle versucht: {broken} von {sets} Mengen von bis zu zwei Störungen brechen ein Versprechen."),
    }
}

/// The budget is used up before an answer.
pub fn search_out_of_work(language: Language, progress: &Progress) -> String {
    let (sets, broken) = (grouped(language, progress.sets), grouped(language, progress.broken));
    match language {
        En => format!(
            "Stopped: the work that a search may do is used up. Tried were {sets} sets, {broken} of them break a promise; nothing is known of the others."
        ),
        De => format!(
            "Angehalten: Die Arbeit, die eine Suche tun darf, ist getan. Versucht wurden {sets} Mengen, {broken} davon brechen ein Versprechen; von den anderen ist nichts bekannt."
        ),
    }
}

/// The memory is used up before an answer.
pub fn search_out_of_memory(language: Language, progress: &Progress) -> String {
    let (sets, broken) = (grouped(language, progress.sets), grouped(language, progress.broken));
    let kept = grouped(language, KEPT_MAX as u64);
    match language {
        En => format!(
            "Stopped: the memory that a search may use ({kept} worlds and sets) is full. Tried were {sets} sets, {broken} of them break a promise; nothing is known of the others."
        ),
        De => format!(
            "Angehalten: Der Speicher, den eine Suche haben darf ({kept} Welten und Mengen), ist voll. Versucht wurden {sets} Mengen, {broken} davon brechen ein Versprechen; von den anderen ist nichts bekannt."
        ),
    }
}

/// Sets whose runs had no end within reach; empty if there are none.
pub fn search_cut(language: Language, cut: u64) -> String {
    match (language, cut) {
        (_, 0) => String::new(),
        (En, 1) => "Of 1 set it is not known: its run has no end within reach.".to_owned(),
        (En, n) => format!(
            "Of {} sets it is not known: their runs have no end within reach.",
            grouped(language, n)
        ),
        (De, 1) => "Von 1 Menge ist es nicht bekannt: Ihr Lauf hat kein Ende in Reichweite.".to_owned(),
        (De, n) => format!(
            "Von {} Mengen ist es nicht bekannt: Ihre Läufe haben kein Ende in Reichweite.",
            grouped(language, n)
        ),
    }
}

/// A map too large to be drawn as a whole.
pub fn pairs_cut(language: Language, drawn: usize, all: usize) -> String {
    match language {
        En => format!("Drawn are the first {drawn} of {all} positions."),
        De => format!("Gezeichnet sind die ersten {drawn} von {all} Stellen."),
    }
}

/// With separators between thousands: "12,345".
fn grouped(language: Language, number: u64) -> String {
    let digits = number.to_string();
    let separator = match language {
        En => ',',
        De => '.',
    };
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart_as_the_language_does() {
        assert_eq!(grouped(En, 12_345), "12,345");
        assert_eq!(grouped(De, 1_234_567), "1.234.567");
        assert_eq!(grouped(En, 999), "999");
    }

    #[test]
    fn what_was_covered_is_said_and_no_more() {
        let progress = Progress {
            faults: 2,
            done: 412,
            of: 1_225,
            runs: 3_310,
            recognised: 240,
            ..Progress::default()
        };
        assert_eq!(
            search_progress(En, &progress, false),
            "Sets of two: 412 of 1,225 beginnings; 3,310 runs; 240 ends known from equal states."
        );
        assert_eq!(
            search_progress(De, &progress, true),
            "Je zwei Störungen; 3.310 Läufe; 240 Enden aus gleichen Zuständen bekannt."
        );
        let first = Progress {
            faults: 1,
            of: 1,
            runs: 1,
            ..Progress::default()
        };
        assert_eq!(search_progress(En, &first, false), "Single faults; 1 run.");
        assert_eq!(
            search_none(En, 2, &progress, true),
            "None up to 2 faults of these kinds: 3,310 runs, all orders."
        );
        assert_eq!(
            search_none(De, 1, &progress, false),
            "Keine mit einer einzelnen Störung dieser Arten: 3.310 Läufe."
        );
        let two = ["A crashes".to_owned(), "B crashes".to_owned()];
        assert_eq!(
            search_broken(En, &two, "Lost."),
            "These two, and no single one does: A crashes; B crashes. Lost."
        );
    }
}
