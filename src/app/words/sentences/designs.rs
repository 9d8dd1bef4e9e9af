//! Designs side by side: what one of them lacks, the common play head, the matrix.

use super::folder;
use crate::app::designs::Absence;
use crate::program::StepName;
use crate::value::Millis;
use crate::words::Language::{self, De, En};
use crate::words::instant;

/// A ready-made comparison: "Outbox: O1, O2, O3".
pub fn set_title(language: Language, name: &str, ids: &[&str]) -> String {
    format!("{}: {}", folder(language, name), ids.join(", "))
}

/// The comparison that a scenario names.
pub fn variants_title(language: Language, id: &str) -> String {
    match language {
        En => format!("Variants of {id}"),
        De => format!("Varianten von {id}"),
    }
}

/// Beside a design's verdict: a fault that its run does not get to, and why.
pub fn absent_note(language: Language, absence: &Absence, fault: &str) -> String {
    match (language, absent(language, absence)) {
        (En, Some(lack)) => format!("{lack}, so it is not struck by: {fault}"),
        (De, Some(lack)) => format!("{lack}, darum trifft ihn nicht: {fault}"),
        (En, None) => format!("Not reached: {fault}"),
        (De, None) => format!("Nicht erreicht: {fault}"),
    }
}

/// In place of an outcome: why a design has no such crash point.
pub fn absent_here(language: Language, absence: &Absence) -> String {
    match (language, absent(language, absence)) {
        (_, Some(lack)) => format!("{lack}."),
        (En, None) => "This design's run does not come to this point.".to_owned(),
        (De, None) => "Der Lauf dieses Entwurfs kommt nicht an diese Stelle.".to_owned(),
    }
}

/// The same in a word or two, under the sign for it.
pub fn absent_word(language: Language, is_only_not_reached: bool) -> &'static str {
    match (language, is_only_not_reached) {
        (En, true) => "not reached",
        (De, true) => "nicht erreicht",
        (En, false) => "not in this design",
        (De, false) => "nicht in diesem Entwurf",
    }
}

/// "This design has no step Relay.mark"; none where it has everything and only does not get there.
fn absent(language: Language, absence: &Absence) -> Option<String> {
    Some(match (language, absence) {
        (_, Absence::NotReached) => return None,
        (En, Absence::NoService(name)) => format!("This design has no service {name}"),
        (De, Absence::NoService(name)) => format!("Dieser Entwurf hat keinen Dienst {name}"),
        (En, Absence::NoStep(step)) => format!("This design has no step {}", named(step)),
        (De, Absence::NoStep(step)) => format!("Dieser Entwurf hat keinen Schritt {}", named(step)),
        (En, Absence::NoInstance(step)) => format!("This design has no {}#{}", step.service, step.instance),
        (De, Absence::NoInstance(step)) => format!("Dieser Entwurf hat kein {}#{}", step.service, step.instance),
        (En, Absence::NoParty(name)) => format!("This design has no {name}"),
        (De, Absence::NoParty(name)) => format!("Dieser Entwurf hat kein {name}"),
    })
}

fn named(step: &StepName) -> String {
    format!("{}.{}", step.service, step.step)
}

/// The run was cut by its bound on events.
pub fn design_cut(language: Language) -> &'static str {
    match language {
        En => "The run was cut short; what is shown holds up to there.",
        De => "Der Lauf wurde abgebrochen; gezeigt wird, was bis dahin gilt.",
    }
}

/// Where the common play head stands: none before everything.
pub fn lockstep_head(language: Language, at: Option<Millis>, is_end: bool) -> String {
    match (language, at, is_end) {
        (En, _, true) => "end of all designs".to_owned(),
        (De, _, true) => "Ende aller Entwürfe".to_owned(),
        (_, Some(at), _) => instant(at, language),
        (En, None, _) => "before everything".to_owned(),
        (De, None, _) => "vor allem".to_owned(),
    }
}

/// Instants of the common timeline that are not shown.
pub fn instants_more(language: Language, number: usize) -> String {
    match (language, number) {
        (En, 1) => "1 later instant is not shown.".to_owned(),
        (De, 1) => "1 späterer Zeitpunkt wird nicht gezeigt.".to_owned(),
        (En, _) => format!("{number} later instants are not shown."),
        (De, _) => format!("{number} spätere Zeitpunkte werden nicht gezeigt."),
    }
}

/// Crash points of the matrix that are not shown.
pub fn points_more(language: Language, number: usize) -> String {
    match (language, number) {
        (En, 1) => "1 more crash point is not shown.".to_owned(),
        (De, 1) => "1 weitere Absturzstelle wird nicht gezeigt.".to_owned(),
        (En, _) => format!("{number} more crash points are not shown."),
        (De, _) => format!("{number} weitere Absturzstellen werden nicht gezeigt."),
    }
}

/// What a cell of the matrix says: "O6. Relay crashes after mark, first time: lost. Order 1003 …".
pub fn matrix_cell(design: &str, place: &str, word: &str, sentence: &str) -> String {
    let separator = if sentence.is_empty() { "" } else { " " };
    format!("{design}. {place}: {word}.{separator}{sentence}")
}

/// Beside a row of the matrix: how many of its crash points are harmless.
pub fn matrix_summary(language: Language, harmless: usize, computed: usize, all: usize) -> String {
    match (language, computed == all) {
        (_, false) if computed == 0 => super::not_computed(language, false).to_owned(),
        (En, true) => format!("{harmless} of {all} harmless"),
        (De, true) => format!("{harmless} von {all} harmlos"),
        (En, false) => format!("{harmless} of {computed} harmless, {} not computed", all - computed),
        (De, false) => format!("{harmless} von {computed} harmlos, {} nicht berechnet", all - computed),
    }
}

/// What a process does some time after its crash.
pub fn restart(language: Language) -> &'static str {
    match language {
        En => "restart",
        De => "Neustart",
    }
}

/// The corner of the copied table.
pub fn copy_title(language: Language) -> &'static str {
    match language {
        En => "Design",
        De => "Entwurf",
    }
}
