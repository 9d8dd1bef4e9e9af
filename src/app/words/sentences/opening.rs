//! What is open: links, presets, questions.

use crate::words::Language::{self, De, En};

pub fn link_length(language: Language, characters: usize) -> String {
    match language {
        En => format!("{characters} characters"),
        De => format!("{characters} Zeichen"),
    }
}

/// A link could not be opened; what was open stays.
pub fn broken_link(language: Language, reason: &str) -> String {
    match language {
        En => format!("The link could not be opened, so you still see what was open. {reason}"),
        De => format!("Der Link ließ sich nicht öffnen, darum bleibt, was offen war. {reason}"),
    }
}

pub fn unknown_preset(language: Language, id: &str) -> String {
    match language {
        En => format!("There is no scenario {id}; you still see what was open."),
        De => format!("Es gibt kein Szenario {id}; es bleibt, was offen war."),
    }
}

pub fn replace_question(language: Language, title: &str) -> String {
    match language {
        En => format!("Open “{title}” and put your own text aside? Undo brings it back."),
        De => format!("„{title}“ öffnen und den eigenen Text beiseitelegen? Rückgängig holt ihn zurück."),
    }
}

pub fn replace_and_keep(language: Language) -> (&'static str, &'static str) {
    match language {
        En => ("Open it", "Keep mine"),
        De => ("Öffnen", "Meinen behalten"),
    }
}

pub fn open_first(language: Language) -> &'static str {
    match language {
        En => "Open the first scenario",
        De => "Das erste Szenario öffnen",
    }
}

/// A preset changed since its link was made.
pub fn open_present(language: Language) -> &'static str {
    match language {
        En => "Open the present version",
        De => "Die heutige Fassung öffnen",
    }
}

/// A linked text without a title.
pub fn shared_text(language: Language) -> &'static str {
    match language {
        En => "the shared text",
        De => "den geteilten Text",
    }
}

pub fn errors_first(language: Language) -> &'static str {
    match language {
        En => "The text has errors, so its faults cannot be moved. Correct it or undo the last edit.",
        De => {
            "Der Text hat Fehler, darum lassen sich seine Störungen nicht bewegen. Korrigiere ihn oder nimm die letzte Änderung zurück."
        }
    }
}

/// A database does not take the rows that the text gives it before the run.
pub fn refused_rows(language: Language, database: &str, detail: &str) -> String {
    match language {
        En => format!("The database {database} refuses the rows it is to begin with: {detail}."),
        De => format!("Die Datenbank {database} nimmt die Zeilen nicht, mit denen sie beginnen soll: {detail}."),
    }
}

pub fn copy_failed(language: Language) -> &'static str {
    match language {
        En => "The browser does not let the page copy. The link is in the address bar.",
        De => "Der Browser lässt die Seite nicht kopieren. Der Link steht in der Adresszeile.",
    }
}

/// A folder of presets as the picker names it; folders without a name of their own show themselves.
pub fn folder(language: Language, folder: &str) -> &str {
    match (language, folder) {
        (En, "outbox") => "Outbox",
        (En, "inbox") => "Inbox",
        (En, "channel") => "Point-to-point channel",
        (En, "software") => "Software people use",
        (En, "reported") => "Reported bugs",
        (De, "outbox") => "Outbox",
        (De, "inbox") => "Inbox",
        (De, "channel") => "Punkt-zu-Punkt-Kanal",
        (De, "software") => "Software im Einsatz",
        (De, "reported") => "Gemeldete Fehler",
        _ => folder,
    }
}

/// What real systems did with a scenario.
pub fn checked(language: Language, agreeing: u32, cells: u32, systems: &str) -> String {
    match language {
        En => format!("Checked against reality: {agreeing} of {cells} cells agree ({systems})."),
        De => format!("An der Wirklichkeit geprüft: {agreeing} von {cells} Feldern stimmen überein ({systems})."),
    }
}
