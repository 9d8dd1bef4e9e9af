//! The decisions that make a finding possible, each as a reviewer would put it.

use crate::fact::EventId;
use crate::program::{Program, Relation};
use crate::simulation::trace::InstanceId;
use crate::verdict::label::relation_name;
use crate::words::{Language, capital, instance_name};

/// One point of an explanation: what it was, and the events that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::verdict) struct Point {
    pub reason: Reason,
    pub events: Vec<EventId>,
}

/// What an instance did, or failed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Reason {
    // --- Why a message came again
    DiedUnacknowledged(InstanceId),
    AckLost(InstanceId),
    FailedUnacknowledged(InstanceId),
    LeaseEndedWhileFrozen(InstanceId),
    LeaseEndedAtWork(InstanceId),
    // --- Why it was not recognised
    /// The instance deleted the row by which a copy is recognised.
    Forgotten(InstanceId, Relation),
    /// The instance looked before anybody had written there.
    AskedTooEarly(InstanceId, Relation),
    /// The first attempt had its effect and left no row there.
    NotYetRecorded(InstanceId, Relation),
    /// The effect outside stayed, the transaction around it was rolled back.
    RolledBackAround(InstanceId),
    KeepsNoRecord(InstanceId),
    // --- Why something was sent twice
    SentThenDied(InstanceId),
    SentThenFailed(InstanceId),
    AnswerLost(InstanceId),
    DrawnPerAttempt(InstanceId),
    OtherId(InstanceId),
    /// Both saw the same state before either had changed it.
    BothRead(InstanceId, InstanceId, Relation),
    // --- Why something never came
    MarkedFirst(InstanceId, Relation),
    /// The first closed what the second still worked on.
    ClosedForAnother(InstanceId, InstanceId, Relation),
    ClosedWithoutEffect(InstanceId, Relation),
    AckedFirst(InstanceId),
    RecordedAlone(InstanceId, Relation),
    /// The first wrote the row that the second took for its own.
    KeyTaken(InstanceId, InstanceId, Relation),
    TakenByAnother(InstanceId),
    NothingRemembers(InstanceId),
    NotRepeated(InstanceId),
    CommittedLate(InstanceId, Relation),
    GivenUp,
    // --- Phantom, order, and what is left
    SentBeforeCommit(InstanceId),
    /// The first overtook the second.
    Overtaken(InstanceId, InstanceId),
    CameBackLater(InstanceId),
    OwnerDied(InstanceId, Relation),
    AlwaysFails(InstanceId, u32),
    InDoubt(InstanceId),
}

impl Reason {
    /// The reason as a sentence.
    pub fn sentence(self, program: &Program, language: Language) -> String {
        let (english, german) = self.both(program);
        capital(match language {
            Language::En => &english,
            Language::De => &german,
        })
    }

    fn both(self, program: &Program) -> (String, String) {
        let name = |instance| instance_name(instance, program);
        let place = |relation| relation_name(program, relation);
        match self {
            Reason::DiedUnacknowledged(who) => {
                let who = name(who);
                (
                    format!("{who} died before it acknowledged, so the message came again."),
                    format!("{who} starb vor dem Bestätigen, also kam die Nachricht noch einmal."),
                )
            }
            Reason::AckLost(who) => {
                let who = name(who);
                (
                    format!("the acknowledgement of {who} was lost, so the message came again."),
                    format!("die Bestätigung von {who} ging verloren, also kam die Nachricht noch einmal."),
                )
            }
            Reason::FailedUnacknowledged(who) => {
                let who = name(who);
                (
                    format!("{who} gave up before it acknowledged, so the message came again."),
                    format!("{who} brach vor dem Bestätigen ab, also kam die Nachricht noch einmal."),
                )
            }
            Reason::LeaseEndedWhileFrozen(who) => {
                let who = name(who);
                (
                    format!("the lease ended while {who} was frozen."),
                    format!("die Lease lief ab, während {who} eingefroren war."),
                )
            }
            Reason::LeaseEndedAtWork(who) => {
                let who = name(who);
                (
                    format!("the lease ended while {who} was still at work."),
                    format!("die Lease lief ab, während {who} noch arbeitete."),
                )
            }
            Reason::Forgotten(who, relation) => {
                let (who, place) = (name(who), place(relation));
                (
                    format!("{who} deleted the row in {place} before the last copy came."),
                    format!("{who} löschte die Zeile in {place}, bevor die letzte Kopie kam."),
                )
            }
            Reason::AskedTooEarly(who, relation) => {
                let (who, place) = (name(who), place(relation));
                (
                    format!("{who} looked in {place} before the first attempt had written there."),
                    format!("{who} sah in {place} nach, bevor der erste Versuch dort etwas eingetragen hatte."),
                )
            }
            Reason::NotYetRecorded(who, relation) => {
                let (who, place) = (name(who), place(relation));
                (
                    format!("{who} had its effect before it was recorded in {place}, in two steps."),
                    format!("{who} hatte die Wirkung erzielt, bevor sie in {place} stand: zwei Schritte."),
                )
            }
            Reason::RolledBackAround(who) => {
                let who = name(who);
                (
                    format!("the transaction of {who} was rolled back, its effect outside was not."),
                    format!("die Transaktion von {who} wurde zurückgerollt, ihre Wirkung außerhalb nicht."),
                )
            }
            Reason::KeepsNoRecord(who) => {
                let who = name(who);
                (
                    format!("{who} keeps no record by which it would know a copy."),
                    format!("{who} führt nicht Buch, woran eine Kopie zu erkennen wäre."),
                )
            }
            reason => reason.sender(program),
        }
    }

    fn sender(self, program: &Program) -> (String, String) {
        let name = |instance| instance_name(instance, program);
        let place = |relation| relation_name(program, relation);
        match self {
            Reason::SentThenDied(who) => {
                let who = name(who);
                (
                    format!("{who} sent, and died before it had marked that, so it sent again."),
                    format!("{who} sendete und starb, bevor es das vermerkt hatte, also sendete es noch einmal."),
                )
            }
            Reason::SentThenFailed(who) => {
                let who = name(who);
                (
                    format!("{who} sent, and gave up before it had marked that, so it sent again."),
                    format!("{who} sendete und brach ab, bevor es das vermerkt hatte, also sendete es noch einmal."),
                )
            }
            Reason::AnswerLost(who) => {
                let who = name(who);
                (
                    format!("the answer was lost, so {who} did it again."),
                    format!("die Antwort ging verloren, also tat {who} es noch einmal."),
                )
            }
            Reason::DrawnPerAttempt(who) => {
                let who = name(who);
                (
                    format!("{who} drew the id for each attempt, so nobody can tell the copy."),
                    format!("{who} zog die Id für jeden Versuch neu, also erkennt niemand die Kopie."),
                )
            }
            Reason::OtherId(who) => {
                let who = name(who);
                (
                    format!("{who} gave the second attempt another id, so nobody can tell the copy."),
                    format!("{who} gab dem zweiten Versuch eine andere Id, also erkennt niemand die Kopie."),
                )
            }
            Reason::BothRead(one, other, relation) => {
                let (one, other, place) = (name(one), name(other), place(relation));
                (
                    format!("{one} and {other} both read {place} before either had written: checked and written in two steps, and neither a lock nor a unique index stands between."),
                    format!("{one} und {other} lasen beide {place}, bevor einer geschrieben hatte: prüfen und schreiben in zwei Schritten, und weder eine Sperre noch ein eindeutiger Index dazwischen."),
                )
            }
            reason => reason.missing(program),
        }
    }

    fn missing(self, program: &Program) -> (String, String) {
        let name = |instance| instance_name(instance, program);
        let place = |relation| relation_name(program, relation);
        match self {
            Reason::MarkedFirst(who, relation) => {
                let (who, place) = (name(who), place(relation));
                (
                    format!("{who} marked it in {place} before it was sent, and got no further."),
                    format!("{who} vermerkte es in {place}, bevor es gesendet war, und kam nicht weiter."),
                )
            }
            Reason::ClosedForAnother(by, at_work, relation) => {
                let (by, at_work, place) = (name(by), name(at_work), place(relation));
                (
                    format!("{by} closed the row in {place} while {at_work} was still at work on it; a copy is no proof that the work is done."),
                    format!("{by} schloss die Zeile in {place}, während {at_work} noch daran arbeitete; eine Kopie beweist nicht, dass die Arbeit getan ist."),
                )
            }
            Reason::ClosedWithoutEffect(by, relation) => {
                let (by, place) = (name(by), place(relation));
                (
                    format!("{by} closed the row in {place} without the effect."),
                    format!("{by} schloss die Zeile in {place} ohne die Wirkung."),
                )
            }
            Reason::AckedFirst(who) => {
                let who = name(who);
                (
                    format!("{who} acknowledged before the work was committed."),
                    format!("{who} bestätigte, bevor die Arbeit festgeschrieben war."),
                )
            }
            Reason::RecordedAlone(who, relation) => {
                let (who, place) = (name(who), place(relation));
                (
                    format!("two transactions: {who} committed the row in {place} without its effect, and the next delivery was taken for a copy."),
                    format!("zwei Transaktionen: {who} schrieb die Zeile in {place} ohne ihre Wirkung fest, und die nächste Zustellung galt als Kopie."),
                )
            }
            Reason::KeyTaken(by, who, relation) => {
                let (by, who, place) = (name(by), name(who), place(relation));
                (
                    format!("{by}'s insert took the key in {place}, so {who} took its own first delivery for a copy."),
                    format!("das Insert von {by} belegte den Schlüssel in {place}, also hielt {who} seine eigene erste Zustellung für eine Kopie."),
                )
            }
            Reason::TakenByAnother(who) => {
                let who = name(who);
                (
                    format!("{who} took the message: a queue gives each message to one receiver."),
                    format!("{who} nahm die Nachricht: Eine Queue gibt jede Nachricht nur einem Empfänger."),
                )
            }
            Reason::NothingRemembers(who) => {
                let who = name(who);
                (
                    format!("{who} got no further than the commit, and nothing remembers what it still had to do."),
                    format!("{who} kam nur bis zum Commit, und nichts erinnert daran, was noch zu tun war."),
                )
            }
            Reason::NotRepeated(who) => {
                let who = name(who);
                (
                    format!("{who}'s request failed, and nobody repeats it."),
                    format!("die Anfrage von {who} schlug fehl, und niemand wiederholt sie."),
                )
            }
            Reason::CommittedLate(who, relation) => {
                let (who, place) = (name(who), place(relation));
                (
                    format!("it was committed after later rows of {place}, and {who} was already past its place."),
                    format!("es wurde nach späteren Zeilen von {place} festgeschrieben, und {who} war schon an seiner Stelle vorbei."),
                )
            }
            Reason::GivenUp => (
                "the last delivery was used up, and nothing keeps what was given up.".to_string(),
                "die letzte Zustellung war verbraucht, und nichts bewahrt auf, was aufgegeben wurde.".to_string(),
            ),
            reason => reason.rest(program),
        }
    }

    fn rest(self, program: &Program) -> (String, String) {
        let name = |instance| instance_name(instance, program);
        let place = |relation| relation_name(program, relation);
        match self {
            Reason::SentBeforeCommit(who) => {
                let who = name(who);
                (
                    format!("{who} did it before its cause was committed."),
                    format!("{who} tat es, bevor sein Anlass festgeschrieben war."),
                )
            }
            Reason::Overtaken(by, who) => {
                let (by, who) = (name(by), name(who));
                (
                    format!("{by} and {who} were at work at the same time, and nothing keeps items of one key together."),
                    format!("{by} und {who} arbeiteten gleichzeitig, und nichts hält zusammen, was zu einem Schlüssel gehört."),
                )
            }
            Reason::CameBackLater(who) => {
                let who = name(who);
                (
                    format!("{who} did not finish it at first; later ones went on while it waited for its next attempt."),
                    format!("{who} wurde zuerst nicht damit fertig; spätere gingen weiter, während es auf den nächsten Versuch wartete."),
                )
            }
            Reason::OwnerDied(who, relation) => {
                let (who, place) = (name(who), place(relation));
                (
                    format!("{who} died while the row in {place} was its own, and nobody takes over such rows."),
                    format!("{who} starb, während die Zeile in {place} ihm gehörte, und niemand übernimmt solche Zeilen."),
                )
            }
            Reason::AlwaysFails(who, times) => {
                let who = name(who);
                (
                    format!("{who} failed at it {times} times; another attempt does not help."),
                    format!("{who} scheiterte {times}-mal daran; ein weiterer Versuch hilft nicht."),
                )
            }
            Reason::InDoubt(who) => {
                let who = name(who);
                (
                    format!("{who} prepared the transaction and never came back to decide."),
                    format!("{who} bereitete die Transaktion vor und kam nie zurück, um zu entscheiden."),
                )
            }
            // The other reasons have had their words above.
            _ => (String::new(), String::new()),
        }
    }
}
