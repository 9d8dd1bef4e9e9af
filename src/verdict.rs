//! The verdict: what the promises of a scenario are worth at the end of a run.
//!
//! [`judge`] compares the facts (what was committed, accepted, done outside) and what is left at the end with the
//! promises. It never looks at a scenario's id, its names or its `expect` lines: rename everything and the findings stay.
//! `why` alone reads the trace: it walks back from a finding's facts to the events and faults that brought them about, and to
//! the decision that made them possible.
//!
//! The kinds, gravest first:
//! - *phantom*: an effect that matches no committed cause; a row or an outside effect also if it was made before its cause
//!   was committed (a queued message is nobody's effect yet);
//! - *lost*: a cause with no effect at the end, held by no `waiting in` and by no dead-letter queue;
//! - *duplicate*: two or more effects of one cause; equal causes count once;
//! - *wrong value*: a `value` promise fails at the end;
//! - *out of order*: per key, the first effect of a later item precedes the first effect of an earlier one;
//! - *stuck*: something named by `waiting in` or `no` is left and waits for nobody;
//! - *blocked*: likewise, but a request still waits, an earlier item hides it, a transaction is prepared, or `until` or
//!   the bound on events cut a step that repeats on one item;
//! - *dead-lettered*: a cause without effect, or a finished message, in a queue that takes another queue's dead letters;
//! - *growth*: an `at most` is exceeded at the end.
//!
//! Refuses to know: how a run is made, patterns, presets, the page.

use crate::fact::EventId;
use crate::program::{Kind, PromiseKind, Relation, Scenario};
use crate::simulation::trace::Ended;
use crate::value::{Millis, Name, Row, Value};
use std::cell::OnceCell;

mod each;
mod end;
mod evidence;
mod held;
mod items;
mod join;
mod label;
mod order;
mod sentence;
mod signature;
mod subject;
mod trail;
mod why;
mod world;

pub use evidence::{Evidence, Queued};
pub use label::{relation_name, subject_label};
pub use sentence::{headline, healthy, sentence};
pub use signature::signature;
pub use why::{Why, why};

/// One broken promise and what broke it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    /// Index into the scenario's promises.
    pub promise: usize,
    /// Line (from 1) of the promise.
    pub line: u32,
    pub subject: Subject,
    /// The events that made the cause, the effects and what is left, and those that changed what once held the cause;
    /// ascending. Initial rows have none.
    pub facts: Vec<EventId>,
    /// The messages (queue and identity) that are or once held the cause, or that are left; ascending.
    pub messages: Vec<(u16, u64)>,
    pub seen: Seen,
}

/// The row, message or effect that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub relation: Relation,
    /// What identifies it to a reader: of a key with several columns those that tell rows apart, as a row. Null if the finding
    /// is about the whole relation.
    pub key: Value,
    /// The values of all columns of its key.
    pub keys: Vec<Value>,
    /// What the key is called; none: after the relation.
    pub name: Option<Name>,
    /// None if the finding is about the whole relation.
    pub row: Option<Row>,
    /// The event that made it; none if it was there before the run, or if it is only known by what is left of it.
    pub made: Option<EventId>,
}

impl Finding {
    /// True if the value names the subject: one of its key columns, or the key that a sequence is promised for.
    pub fn is_about(&self, value: &Value) -> bool {
        let per = match &self.seen {
            Seen::Sequence { per, .. } => per.as_ref(),
            _ => None,
        };
        self.subject.keys.iter().chain(per).any(|key| key == value)
    }
}

/// What was seen, as far as the kind of promise has it; sentences and signatures are made of this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Causes and effects.
    Pairing {
        /// The cause; of a phantom the one that was committed too late, if there is one.
        cause: Option<Subject>,
        effects: Vec<Subject>,
        /// Where a cause without effect still is.
        held: Option<Held>,
        /// The cause's own row or message is there at the end. Asked for causes without effect only.
        cause_left: bool,
    },
    /// Something is left that a promise wants gone.
    Left(Held),
    /// The items of one key by their first effects.
    Sequence {
        per: Option<Value>,
        items: Vec<Value>,
        /// The first item that came after a later one.
        late: Subject,
        /// That later one.
        overtaker: Subject,
    },
    /// A value at the end and the promised one. A value that could not be evaluated is null.
    Values { found: Value, promised: Value },
    /// A number of rows at the end and the promised limit.
    Size { found: usize, allowed: i64 },
}

/// Something that is still there at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub subject: Subject,
    /// Since when it has been as it is: the time of its latest fact.
    pub since: Millis,
    /// How often a message has been handed out; 0 for everything else.
    pub deliveries: u32,
}

/// A cause of an `each` promise and its first effect, as the events that made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// None: it was there before the run.
    pub cause: Option<EventId>,
    /// None: it has none, or the effect was there before the run.
    pub effect: Option<EventId>,
}

/// What became of each cause of each `each` promise, promise by promise.
pub fn answers(scenario: &Scenario, evidence: &dyn Evidence, ended: Ended) -> Vec<Answer> {
    let court = Court::new(scenario, evidence, ended);
    let mut answers = Vec::new();
    for promise in &scenario.promises {
        let PromiseKind::Each {
            effect,
            cause,
            matching,
            ..
        } = &promise.kind
        else {
            continue;
        };
        let found = each::answers(&court, effect, cause, matching).into_iter();
        answers.extend(found.map(|(cause, effect)| Answer {
            cause: cause.event(),
            effect: effect.and_then(|effect| effect.event()),
        }));
    }
    answers
}

/// All findings, gravest first, those of the same kind in the sequence of the promises. Empty: healthy.
///
/// Takes time linear in the facts where the promises' conditions state equalities between cause and effect.
pub fn judge(scenario: &Scenario, evidence: &dyn Evidence, ended: Ended) -> Vec<Finding> {
    let court = Court::new(scenario, evidence, ended);
    let mut findings = Vec::new();
    for (promise, stated) in scenario.promises.iter().enumerate() {
        let broken = match &stated.kind {
            PromiseKind::Each {
                count,
                effect,
                cause,
                matching,
                waiting,
            } => each::judge(&court, *count, effect, cause, matching, waiting),
            PromiseKind::InOrder { set, of, per } => order::judge(&court, set, of, per.as_ref()),
            PromiseKind::No(set) => held::left_over(&court, set),
            PromiseKind::AtMost(allowed, set) => end::at_most(&court, *allowed, set),
            PromiseKind::Value {
                database,
                select,
                equals,
            } => end::value(&court, *database, select, equals),
        };
        findings.extend(broken.into_iter().map(|broken| broken.finding(promise, stated.line)));
    }
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// What every promise is judged with.
struct Court<'a> {
    scenario: &'a Scenario,
    evidence: &'a dyn Evidence,
    ended: Ended,
    // Found when first asked for: each asks all tasks or all facts, and a promise may have very many findings.
    telling: subject::Telling,
    waits: OnceCell<bool>,
    repeats: OnceCell<bool>,
}

impl<'a> Court<'a> {
    fn new(scenario: &'a Scenario, evidence: &'a dyn Evidence, ended: Ended) -> Court<'a> {
        Court {
            scenario,
            evidence,
            ended,
            telling: subject::Telling::default(),
            waits: OnceCell::new(),
            repeats: OnceCell::new(),
        }
    }

    /// See [`Evidence::waits`].
    fn waits(&self) -> bool {
        *self.waits.get_or_init(|| self.evidence.waits())
    }

    /// See [`Evidence::repeats`].
    fn repeats(&self) -> bool {
        *self.repeats.get_or_init(|| self.evidence.repeats())
    }
}

/// A finding before it is known which promise it belongs to.
struct Broken {
    kind: Kind,
    subject: Subject,
    facts: Vec<EventId>,
    messages: Vec<(u16, u64)>,
    seen: Seen,
}

impl Broken {
    fn finding(mut self, promise: usize, line: u32) -> Finding {
        self.facts.sort_unstable();
        self.facts.dedup();
        self.messages.sort_unstable();
        self.messages.dedup();
        Finding {
            kind: self.kind,
            promise,
            line,
            subject: self.subject,
            facts: self.facts,
            messages: self.messages,
            seen: self.seen,
        }
    }
}

#[cfg(test)]
mod tests;
