//! The open challenge: its task, what the design survives, what can be done; and the challenges in the picker.

use super::header::{PickerGroup, PresetEntry};
use super::{Shown, Worth, timeline};
use crate::app::challenge::{Answer, Attempt, Grade, SAID_SO, Standing, Trial, standing, units};
use crate::app::model::{MarkerKind, Model};
use crate::app::words::{sentences, ui};
use crate::challenges::{self, Texts};
use crate::program::Fault;
use crate::value::Name;
use crate::verdict;
use crate::words::{Language, kind_word};

/// An open challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    pub id: &'static str,
    /// The preset whose story it is: where leaving it leads to.
    pub from: Name,
    pub title: &'static str,
    pub task: &'static str,
    /// "faults at once: 1 (Crash)".
    pub terms: String,
    pub outcome: Outcome,
    /// "Survives a fault at 7 of 8 places."
    pub status: String,
    /// "Still breaks: Relay crashes after mark, first time. Lost: …"; may be empty.
    pub detail: String,
    /// There are faults to show on the timeline.
    pub can_show: bool,
    /// What the challenge asks was changed and can be brought back.
    pub can_restore: bool,
    /// The text is another than at the start.
    pub can_restart: bool,
    /// "2 changes", and the rule by which they are counted.
    pub count: String,
    pub count_rule: &'static str,
    /// "best: 1 change"; empty as long as it is not solved.
    pub best: String,
    pub choices: Vec<Choice>,
    pub statements: Vec<Statement>,
    /// The line of the chosen statement, and whether it can go up or down.
    pub chosen: Option<u32>,
    pub up: bool,
    pub down: bool,
    /// Whose help one may say is needed.
    pub parties: Vec<Name>,
    /// What became of the last claim; may be empty.
    pub claim: String,
    pub claim_right: bool,
}

/// How far it has been brought. For class names and shapes; the sentence says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pending,
    Broken,
    Solved,
    /// The text cannot be judged as it is.
    Refused,
}

impl Outcome {
    pub fn slug(self) -> &'static str {
        match self {
            Outcome::Pending => "pending",
            Outcome::Broken => "broken",
            Outcome::Solved => "solved",
            Outcome::Refused => "refused",
        }
    }

    /// A shape for each.
    pub fn symbol(self) -> char {
        match self {
            Outcome::Pending => '·',
            Outcome::Broken => '✗',
            Outcome::Solved => '✓',
            Outcome::Refused => '!',
        }
    }
}

/// A change of the list. A click sends [`crate::app::message::Deed::Toggle`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Index among the challenge's changes.
    pub index: usize,
    pub id: &'static str,
    pub label: String,
    pub made: bool,
    /// Why it cannot be made; empty: it can.
    pub blocked: String,
}

/// A statement that can be chosen to be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub line: u32,
    /// "24: publish events (id = row.id …".
    pub label: String,
}

/// Characters of a statement that a list shows.
const LABEL_MAX: usize = 60;

pub(super) fn challenge(shown: &Shown<'_>) -> Option<Challenge> {
    let attempt = shown.model.challenge.as_ref()?;
    let language = shown.language;
    let challenge = attempt.challenge;
    let (outcome, status, detail) = worth(shown, attempt);
    let units = units(&shown.model.text);
    let chosen = attempt
        .line
        .and_then(|line| units.iter().find(|unit| unit.line == line));
    Some(Challenge {
        id: challenge.id,
        from: challenge.from.into(),
        title: text(challenge.title, language),
        task: text(challenge.task, language),
        terms: terms(challenge, language),
        outcome,
        status,
        detail,
        can_show: matches!(&attempt.grade, Grade::Tried(trial) if trial.broken.as_ref().is_some_and(|broken| !broken.faults.is_empty())),
        can_restore: matches!(attempt.grade, Grade::Altered(_)),
        can_restart: *shown.model.text != *challenge.text,
        count: sentences::changes(language, attempt.changes),
        count_rule: sentences::count_rule(language),
        best: shown
            .model
            .bests
            .get(challenge.id)
            .map_or_else(String::new, |best| self::best(*best, language)),
        choices: choices(shown, attempt),
        chosen: chosen.map(|unit| unit.line),
        up: chosen.is_some_and(|unit| unit.up),
        down: chosen.is_some_and(|unit| unit.down),
        statements: units
            .iter()
            .map(|unit| Statement {
                line: unit.line,
                label: format!("{}: {}", unit.line, shortened(&unit.text)),
            })
            .collect(),
        parties: parties(shown),
        claim: claim(attempt, language),
        claim_right: attempt.helper.is_some(),
    })
}

/// What came out, as the live region says it.
pub(super) fn announcement(shown: &Shown<'_>) -> String {
    let Some(attempt) = &shown.model.challenge else {
        return String::new();
    };
    let claim = claim(attempt, shown.language);
    if !claim.is_empty() {
        return claim;
    }
    let (_, status, detail) = worth(shown, attempt);
    format!("{status} {detail}")
}

/// A text in the reader's language.
pub(super) fn text(texts: Texts, language: Language) -> &'static str {
    match language {
        Language::En => texts.en,
        Language::De => texts.de,
    }
}

fn terms(challenge: &challenges::Challenge, language: Language) -> String {
    let all = MarkerKind::ON_STEPS.into_iter();
    let kinds: Vec<&str> = all
        .filter(|kind| challenge.kinds.contains(&kind.slug()))
        .map(|kind| sentences::marker_kind(language, kind))
        .collect();
    sentences::challenge_terms(language, challenge.faults_max, &kinds)
}

fn best(best: u32, language: Language) -> String {
    // Zero changes never repair a broken design.
    sentences::best(language, Some(best as usize).filter(|_| best != SAID_SO))
}

/// The outcome, what is said about it, and what breaks it.
fn worth(shown: &Shown<'_>, attempt: &Attempt) -> (Outcome, String, String) {
    let language = shown.language;
    let refused = |status: String| (Outcome::Refused, status, String::new());
    let trial = match &attempt.grade {
        Grade::Unreadable => return refused(sentences::unreadable(language).to_owned()),
        Grade::Altered(altered) => {
            return refused(sentences::altered(language, altered.part, altered.line, &altered.asked));
        }
        Grade::Causes { asked, found } => return refused(sentences::other_causes(language, *asked, *found)),
        Grade::Tried(trial) => trial,
    };
    let tried = sentences::Tried {
        places: trial.places,
        harmless: trial.harmless,
        runs: trial.runs,
        faults_max: attempt.challenge.faults_max,
        crashes: attempt.challenge.kinds == [MarkerKind::Crash.slug()],
    };
    match &trial.broken {
        _ if !trial.is_done() => (Outcome::Pending, sentences::trying(language, tried), String::new()),
        Some(broken) => (
            Outcome::Broken,
            sentences::breaks(language, tried, broken.faults.len()),
            broken_by(shown, trial),
        ),
        None if trial.cut => (
            Outcome::Refused,
            sentences::too_much_to_try(language, trial.runs),
            String::new(),
        ),
        None => (
            Outcome::Solved,
            sentences::solved(language, attempt.changes),
            sentences::survives(language, tried),
        ),
    }
}

/// "Still breaks: Relay crashes after mark, first time. Lost. Order 1003 …".
fn broken_by(shown: &Shown<'_>, trial: &Trial) -> String {
    let Some(broken) = &trial.broken else {
        return String::new();
    };
    let language = shown.language;
    let faults: Vec<String> = broken
        .faults
        .iter()
        .map(|fault: &Fault| timeline::value_text(shown, fault))
        .collect();
    let what = match &broken.finding {
        None => sentences::endless(language).to_owned(),
        Some(finding) => format!(
            "{} {}: {}",
            Worth::Finding(finding.kind).symbol(),
            kind_word(Some(finding.kind), language),
            verdict::sentence(finding, trial.scenario(), language)
        ),
    };
    sentences::still_breaks(language, &faults.join("; "), &what)
}

/// What the reader may change; the other side's changes once its help has rightly been asked for.
fn choices(shown: &Shown<'_>, attempt: &Attempt) -> Vec<Choice> {
    let changes = attempt.challenge.changes.iter().enumerate();
    let offered = changes.filter(|(_, change)| change.help.is_none_or(|help| attempt.helper == Some(help)));
    offered
        .map(|(index, change)| {
            let standing = standing(&shown.model.text, change);
            let title = text(change.title, shown.language);
            Choice {
                index,
                id: change.id,
                label: match change.help {
                    None => title.to_owned(),
                    Some(party) => sentences::their_change(shown.language, party, title),
                },
                made: standing == Standing::In,
                blocked: match standing {
                    Standing::Blocked(line) => sentences::blocked_change(shown.language, line.trim()),
                    Standing::In | Standing::Out => String::new(),
                },
            }
        })
        .collect()
}

/// Everybody who is not a service of one's own.
fn parties(shown: &Shown<'_>) -> Vec<Name> {
    let brokers = shown.program.brokers.iter().map(|broker| broker.name.clone());
    let outsides = shown.program.outsides.iter().map(|outside| outside.record.name.clone());
    brokers.chain(outsides).collect()
}

fn claim(attempt: &Attempt, language: Language) -> String {
    let Some(claim) = &attempt.claim else {
        return String::new();
    };
    match claim.answer {
        None => sentences::claim_examined(language, claim.tried, claim.all),
        Some(Answer::ThereIsAWay) => sentences::claim_wrong(language).to_owned(),
        Some(Answer::NotTheirs) => sentences::claim_not_theirs(language, &claim.party),
        Some(Answer::Right) => sentences::claim_right(language, &claim.party),
        Some(Answer::TooLong) => sentences::too_much_to_try(language, claim.tried),
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LABEL_MAX {
        return text.to_owned();
    }
    text.chars().take(LABEL_MAX).chain(['…']).collect()
}

/// All challenges as a group of the picker.
pub(super) fn picker(model: &Model) -> PickerGroup {
    let words = ui(model.language);
    let entry = |challenge: &challenges::Challenge| {
        let (title, task) = (
            text(challenge.title, model.language),
            text(challenge.task, model.language),
        );
        let best = model
            .bests
            .get(challenge.id)
            .map(|best| format!("✓ {}", self::best(*best, model.language)));
        let worth = best.unwrap_or_else(|| terms(challenge, model.language));
        PresetEntry {
            id: challenge.id.into(),
            title: title.to_owned(),
            // The task is read when it is open.
            about: String::new(),
            kind: String::new(),
            search: [challenge.id, title, task, &worth, words.make_it_survive]
                .join(" ")
                .to_lowercase(),
            worth,
            open: *model.played.scenario.id == *challenge.id,
        }
    };
    PickerGroup {
        title: words.make_it_survive.to_owned(),
        presets: challenges::all().iter().map(entry).collect(),
    }
}
