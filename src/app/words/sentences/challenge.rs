//! Challenges: what a design survives, what breaks it, what may not be changed.

use crate::app::challenge::Part;
use crate::words::Language::{self, De, En};

/// "up to 1 crash"; `kinds` are words for the kinds of faults.
pub fn challenge_terms(language: Language, faults_max: usize, kinds: &[&str]) -> String {
    let kinds = kinds.join(", ");
    match language {
        En => format!("faults at once: {faults_max} ({kinds})"),
        De => format!("Störungen zugleich: {faults_max} ({kinds})"),
    }
}

/// "2 changes".
pub fn changes(language: Language, number: usize) -> String {
    match (language, number) {
        (En, 1) => "1 change".to_owned(),
        (En, _) => format!("{number} changes"),
        (De, 1) => "1 Änderung".to_owned(),
        (De, _) => format!("{number} Änderungen"),
    }
}

/// The fewest changes so far; none: by saying whose help it needs.
pub fn best(language: Language, changes: Option<usize>) -> String {
    match (language, changes) {
        (En, Some(number)) => format!("best: {}", self::changes(language, number)),
        (De, Some(number)) => format!("bestes Ergebnis: {}", self::changes(language, number)),
        (En, None) => "solved by saying whose help it needs".to_owned(),
        (De, None) => "gelöst: gesagt, wessen Hilfe es braucht".to_owned(),
    }
}

/// How a change is counted.
pub fn count_rule(language: Language) -> &'static str {
    match language {
        En => {
            "A change from the list counts one. Beyond that each line that was added, removed, replaced or moved counts one. Markers, comments, blank lines and titles do not count."
        }
        De => {
            "Eine Änderung aus der Liste zählt eins. Darüber hinaus zählt jede hinzugefügte, entfernte, ersetzte oder verschobene Zeile eins. Marken, Kommentare, Leerzeilen und Titel zählen nicht."
        }
    }
}

/// What was found about a design so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tried {
    pub places: usize,
    pub harmless: usize,
    pub runs: usize,
    pub faults_max: usize,
    /// Crashes alone are tried.
    pub crashes: bool,
}

impl Tried {
    /// Where one fault can fall.
    fn points(self, language: Language) -> &'static str {
        match (language, self.crashes) {
            (En, true) => "crash points",
            (En, false) => "places for a fault",
            (De, true) => "Absturzstellen",
            (De, false) => "Stellen für eine Störung",
        }
    }

    /// Several of them.
    fn faults(self, language: Language) -> &'static str {
        match (language, self.crashes) {
            (En, true) => "crashes",
            (En, false) => "faults",
            (De, true) => "Abstürze",
            (De, false) => "Störungen",
        }
    }
}

pub fn trying(language: Language, tried: Tried) -> String {
    let points = tried.points(language);
    let Tried {
        places, harmless, runs, ..
    } = tried;
    match language {
        En => format!("Trying: {harmless} of {places} {points} harmless so far, {runs} runs."),
        De => format!("Wird geprüft: {harmless} von {places} {points} bisher harmlos, {runs} Läufe."),
    }
}

/// Every promise held.
pub fn survives(language: Language, tried: Tried) -> String {
    let (points, faults) = (tried.points(language), tried.faults(language));
    let Tried {
        places,
        runs,
        faults_max,
        ..
    } = tried;
    match (language, faults_max) {
        (En, 1) => format!("Survives all {places} {points}."),
        (De, 1) => format!("Übersteht alle {places} {points}."),
        (En, _) => format!(
            "Survives up to {faults_max} {faults}, wherever they fall: {places} {points} for the first, {runs} runs."
        ),
        (De, _) => {
            format!(
                "Übersteht bis zu {faults_max} {faults}, wo sie auch hinfallen: {places} {points} beim ersten Mal, {runs} Läufe."
            )
        }
    }
}

/// With so many changes it survives.
pub fn solved(language: Language, number: usize) -> String {
    match language {
        En => format!("Solved with {}.", changes(language, number)),
        De => format!("Gelöst mit {}.", changes(language, number)),
    }
}

/// Not every promise held; so many faults break it.
pub fn breaks(language: Language, tried: Tried, number: usize) -> String {
    let (points, faults) = (tried.points(language), tried.faults(language));
    let Tried { places, harmless, .. } = tried;
    match (language, number) {
        (En, 0) => "Breaks without any fault.".to_owned(),
        (De, 0) => "Bricht auch ohne jede Störung.".to_owned(),
        (En, 1) => format!("Survives {harmless} of {places} {points}."),
        (De, 1) => format!("Übersteht {harmless} von {places} {points}."),
        (En, _) => format!("Survives each of {places} {points}; {number} {faults} together it does not."),
        (De, _) => format!("Übersteht jede der {places} {points}; {number} {faults} zusammen nicht."),
    }
}

/// "Still breaks: Relay crashes after mark, first time. Lost: order 1003 …".
pub fn still_breaks(language: Language, faults: &str, what: &str) -> String {
    let breaks = match language {
        En => "Still breaks",
        De => "Bricht noch",
    };
    match faults {
        "" => what.to_owned(),
        _ => format!("{breaks}: {faults}. {what}"),
    }
}

pub fn endless(language: Language) -> &'static str {
    match language {
        En => "The run does not come to an end.",
        De => "Der Lauf kommt an kein Ende.",
    }
}

pub fn too_much_to_try(language: Language, runs: usize) -> String {
    match language {
        En => {
            format!("There is more to try than the page does: {runs} runs found nothing, and that is not all of them.")
        }
        De => {
            format!("Es gibt mehr zu prüfen, als die Seite tut: {runs} Läufe fanden nichts, und das sind nicht alle.")
        }
    }
}

pub fn unreadable(language: Language) -> &'static str {
    match language {
        En => "The text has errors; it is judged when they are gone.",
        De => "Der Text hat Fehler; beurteilt wird er, wenn sie behoben sind.",
    }
}

/// The text asks something else than the challenge.
pub fn altered(language: Language, part: Part, line: Option<u32>, asked: &str) -> String {
    let what = match (language, part) {
        (En, Part::Until) => "how long a run lasts",
        (En, Part::Rows) => "what is there at the start",
        (En, Part::Outside) => "the party outside",
        (En, Part::Work) => "the work that comes in",
        (En, Part::Promises) => "the promise",
        (De, Part::Until) => "die Dauer eines Laufs",
        (De, Part::Rows) => "der Bestand zu Beginn",
        (De, Part::Outside) => "der Außenstehende",
        (De, Part::Work) => "die eingehende Arbeit",
        (De, Part::Promises) => "das Versprechen",
    };
    match (language, line, asked) {
        (En, Some(line), "") => format!("Line {line} is one too many: {what} must stand as it was."),
        (En, Some(line), _) => format!("Line {line} changes the question: {what} must stand as it was, `{asked}`."),
        (En, None, _) => format!("A line of the question is gone: {what} must stand as it was, `{asked}`."),
        (De, Some(line), "") => format!("Zeile {line} ist zu viel: {what} muss bleiben wie zuvor."),
        (De, Some(line), _) => format!("Zeile {line} ändert die Frage: {what} muss bleiben wie zuvor, `{asked}`."),
        (De, None, _) => format!("Eine Zeile der Frage fehlt: {what} muss bleiben wie zuvor, `{asked}`."),
    }
}

/// Less work is done than was asked for.
pub fn other_causes(language: Language, asked: usize, found: usize) -> String {
    match language {
        En => format!(
            "The work must be done: without a fault {asked} promised effects are asked for, in this text {found}."
        ),
        De => format!(
            "Die Arbeit muss getan werden: Ohne Störung sind {asked} Wirkungen versprochen, in diesem Text {found}."
        ),
    }
}

/// A change that the text has no place for any more.
pub fn blocked_change(language: Language, line: &str) -> String {
    match language {
        En => format!("no longer applies: the text has no place for it with the line `{line}`"),
        De => format!("passt nicht mehr: Im Text fehlt dafür eine Stelle mit der Zeile `{line}`"),
    }
}

/// Whose change it is.
pub fn their_change(language: Language, party: &str, title: &str) -> String {
    match language {
        En => format!("{title} ({party}’s change)"),
        De => format!("{title} (Änderung bei {party})"),
    }
}

pub fn claim_examined(language: Language, tried: usize, all: usize) -> String {
    match language {
        En => format!("Trying what can be done: {tried} of {all} combinations."),
        De => format!("Wird geprüft: {tried} von {all} Kombinationen."),
    }
}

pub fn claim_wrong(language: Language) -> &'static str {
    match language {
        En => "There is a way with what you have.",
        De => "Es gibt einen Weg mit dem, was du hast.",
    }
}

pub fn claim_not_theirs(language: Language, party: &str) -> String {
    match language {
        En => format!("No change of your own does it, but {party} cannot close it either."),
        De => format!("Keine eigene Änderung genügt, aber {party} kann es auch nicht schließen."),
    }
}

pub fn claim_right(language: Language, party: &str) -> String {
    match language {
        En => format!(
            "Right: no combination of your own changes survives, and with {party}’s help one does. It is now in the list."
        ),
        De => {
            format!(
                "Richtig: Keine Kombination eigener Änderungen übersteht es, mit Hilfe von {party} schon. Sie steht jetzt in der Liste."
            )
        }
    }
}
