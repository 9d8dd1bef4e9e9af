//! "This cannot be closed on our side alone; we need the bank." Right if no combination of one's own changes survives and one with that
//! party's change does. Computed, never stored.
//!
//! Refuses to know: what a reader has typed: the claim is about the challenge.

use super::edits;
use super::trial::{Terms, Trial};
use crate::challenges::{Challenge, Change};
use crate::language;
use crate::value::Name;
use std::collections::VecDeque;
use std::rc::Rc;

/// A claim under examination.
#[derive(Clone, Debug)]
pub struct Claim {
    pub party: Name,
    terms: Terms,
    /// Texts to be tried: those of one's own changes first, then those with the other side's help.
    own: VecDeque<String>,
    helped: VecDeque<String>,
    trial: Option<Trial>,
    /// The trial is of a text that the party has helped with.
    is_helped: bool,
    /// Combinations so far and all there are.
    pub tried: usize,
    pub all: usize,
    pub answer: Option<Answer>,
}

/// What a claim is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Some combination of one's own changes survives.
    ThereIsAWay,
    /// None does, but what that party could change does not help either.
    NotTheirs,
    Right,
    /// Some combination could not be tried to the end.
    TooLong,
}

impl Claim {
    pub fn of(challenge: &Challenge, terms: Terms, party: &str) -> Claim {
        let (helped, own): (VecDeque<_>, VecDeque<_>) = texts(challenge, party).partition(|(_, helped)| *helped);
        let texts =
            |found: VecDeque<(String, bool)>| -> VecDeque<String> { found.into_iter().map(|(text, _)| text).collect() };
        let (own, helped) = (texts(own), texts(helped));
        Claim {
            party: party.into(),
            terms,
            tried: 0,
            all: own.len() + helped.len(),
            own,
            helped,
            trial: None,
            is_helped: false,
            answer: None,
        }
    }

    /// Examines on for about so much work. True: there is an answer.
    pub fn go_on(&mut self, work: u64) -> bool {
        if self.answer.is_some() {
            return true;
        }
        let Some(trial) = &mut self.trial else {
            self.begin();
            return self.answer.is_some();
        };
        trial.go_on(work);
        if trial.broken.is_some() {
            // Where else it breaks is of no interest here.
            self.trial = None;
        } else if trial.is_done() {
            self.answer = Some(match (trial.survived(), self.is_helped) {
                (false, _) => Answer::TooLong,
                (true, false) => Answer::ThereIsAWay,
                (true, true) => Answer::Right,
            });
        }
        self.answer.is_some()
    }

    /// The next text that can be read.
    fn begin(&mut self) {
        loop {
            self.is_helped = self.own.is_empty();
            let Some(text) = self.own.pop_front().or_else(|| self.helped.pop_front()) else {
                break;
            };
            self.tried += 1;
            if let Ok(scenario) = language::parse(&text) {
                self.trial = Some(Trial::of(Rc::new(scenario), self.terms.clone()));
                return;
            }
        }
        self.answer = Some(Answer::NotTheirs);
    }
}

/// Changes of one challenge that are combined at most: 2^8 texts.
const COMBINED_MAX: usize = 8;

/// The challenge's text with every combination of its own side's changes and this party's, fewer first, and whether the party helped.
fn texts<'a>(challenge: &'a Challenge, party: &'a str) -> impl Iterator<Item = (String, bool)> + 'a {
    let own_or_theirs = |change: &&Change| change.help.is_none_or(|help| help == party);
    let changes: Vec<&Change> = challenge
        .changes
        .iter()
        .filter(own_or_theirs)
        .take(COMBINED_MAX)
        .collect();
    let mut sets: Vec<u32> = (0..1_u32 << changes.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    sets.into_iter().filter_map(move |set| {
        let chosen: Vec<&Change> = changes
            .iter()
            .enumerate()
            .filter(|(index, _)| set & (1 << index) != 0)
            .map(|(_, change)| *change)
            .collect();
        let text = chosen
            .iter()
            .try_fold(challenge.text.to_owned(), |text, change| edits::made(&text, change))?;
        Some((text, chosen.iter().any(|change| change.help.is_some())))
    })
}
