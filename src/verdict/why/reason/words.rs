//! The words of each decision, in English and German.

use super::Reason;

impl Reason {
    /// English and German; `{who}`, `{other}`, `{place}` and `{times}` stand for its parts.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Reason::DiedUnacknowledged(..) => (
                "{who} died before it acknowledged, so the message came again.",
                "{who} starb vor dem Bestätigen, also kam die Nachricht noch einmal.",
            ),
            Reason::AckLost(..) => (
                "the acknowledgement of {who} was lost, so the message came again.",
                "die Bestätigung von {who} ging verloren, also kam die Nachricht noch einmal.",
            ),
            Reason::AckedAfterFailure(..) => (
                "{who} acknowledged although a step before that had failed.",
                "{who} bestätigte, obwohl ein Schritt davor gescheitert war.",
            ),
            Reason::AnswerNotAwaited(..) => (
                "{who} went on before the broker had answered, and what it had sent never arrived.",
                "{who} machte weiter, ehe der Broker geantwortet hatte, und was es gesendet hatte, kam nie an.",
            ),
            Reason::FailedUnacknowledged(..) => (
                "{who} gave up before it acknowledged, so the message came again.",
                "{who} brach vor dem Bestätigen ab, also kam die Nachricht noch einmal.",
            ),
            Reason::LeaseEndedWhileFrozen(..) => (
                "the lease ended while {who} was frozen.",
                "die Lease lief ab, während {who} eingefroren war.",
            ),
            Reason::LeaseEndedAtWork(..) => (
                "the lease ended while {who} was still at work.",
                "die Lease lief ab, während {who} noch arbeitete.",
            ),
            Reason::LeaseEndedInLine(..) => (
                "the lease ran from the fetch and ended while the message waited for its turn at {who}.",
                "die Lease lief ab dem Abholen und endete, während die Nachricht bei {who} auf ihre Reihe wartete.",
            ),
            Reason::HungUp(..) => (
                "the broker ended the connection of {who}, which was still alive, and gave its message to the next.",
                "der Broker beendete die Verbindung von {who}, das noch lief, und gab seine Nachricht weiter.",
            ),
            Reason::Forgotten(..) => (
                "{who} deleted the row in {place} before the last copy came.",
                "{who} löschte die Zeile in {place}, bevor die letzte Kopie kam.",
            ),
            Reason::AskedTooEarly(..) => (
                "{who} looked in {place} before the first attempt had written there.",
                "{who} sah in {place} nach, bevor der erste Versuch dort etwas eingetragen hatte.",
            ),
            Reason::NotYetRecorded(..) => (
                "{who} had its effect before it was recorded in {place}, in two steps.",
                "{who} hatte die Wirkung erzielt, bevor sie in {place} stand: zwei Schritte.",
            ),
            Reason::RolledBackAround(..) => (
                "the transaction of {who} was rolled back, its effect outside was not.",
                "die Transaktion von {who} wurde zurückgerollt, ihre Wirkung außerhalb nicht.",
            ),
            Reason::KeepsNoRecord(..) => (
                "{who} keeps no record by which it would know a copy.",
                "{who} führt nicht Buch, woran eine Kopie zu erkennen wäre.",
            ),
            Reason::MemoryGone(..) => (
                "what {who} remembered of the first attempt died with its process.",
                "was {who} vom ersten Versuch wusste, starb mit seinem Prozess.",
            ),
            Reason::MemoryTooLate(..) => (
                "{who} began the second attempt before it had noted the first.",
                "{who} begann den zweiten Versuch, bevor es sich den ersten gemerkt hatte.",
            ),
            Reason::SentThenDied(..) => (
                "{who} sent, and died before it had marked that, so it was sent again.",
                "{who} sendete und starb, bevor es das vermerkt hatte, also wurde noch einmal gesendet.",
            ),
            Reason::SentThenFailed(..) => (
                "{who} sent, and gave up before it had marked that, so it was sent again.",
                "{who} sendete und brach ab, bevor es das vermerkt hatte, also wurde noch einmal gesendet.",
            ),
            Reason::AnswerLost(..) => (
                "the answer was lost, so {who} did it again.",
                "die Antwort ging verloren, also tat {who} es noch einmal.",
            ),
            Reason::DrawnPerAttempt(..) => (
                "{who} drew the id for each attempt, so nobody can tell the copy.",
                "{who} zog die Id für jeden Versuch neu, also erkennt niemand die Kopie.",
            ),
            Reason::OtherId(..) => (
                "{who} gave the second attempt another id, so nobody can tell the copy.",
                "{who} gab dem zweiten Versuch eine andere Id, also erkennt niemand die Kopie.",
            ),
            Reason::BothRead(..) => (
                "{who} and {other} both read {place} before either had written: checked and written in two steps, and neither a lock nor a unique index stands between.",
                "{who} und {other} lasen beide {place}, bevor einer geschrieben hatte: prüfen und schreiben in zwei Schritten, und weder eine Sperre noch ein eindeutiger Index dazwischen.",
            ),
            Reason::DidThenDied(..) => (
                "{who} had done it and died before it had marked that, so it was done again.",
                "{who} hatte es getan und starb, bevor es das vermerkt hatte, also geschah es noch einmal.",
            ),
            Reason::DidThenFailed(..) => (
                "{who} had done it and gave up before it had marked that, so it was done again.",
                "{who} hatte es getan und brach ab, bevor es das vermerkt hatte, also geschah es noch einmal.",
            ),
            Reason::SentBack(..) => (
                "{who} sent the message back from the dead-letter queue.",
                "{who} schickte die Nachricht aus der Dead-Letter-Queue zurück.",
            ),
            Reason::TakenOver(..) => (
                "{who} took the row in {place} while {other} was still at work on it.",
                "{who} nahm die Zeile in {place}, während {other} noch daran arbeitete.",
            ),
            Reason::MarkedFirst(..) => (
                "{who} marked it in {place} before it was sent, and got no further.",
                "{who} vermerkte es in {place}, bevor es gesendet war, und kam nicht weiter.",
            ),
            Reason::ClosedForAnother(..) => (
                "{who} closed the row in {place} while {other} was still at work on it; a copy is no proof that the work is done.",
                "{who} schloss die Zeile in {place}, während {other} noch daran arbeitete; eine Kopie beweist nicht, dass die Arbeit getan ist.",
            ),
            Reason::ClosedWithoutEffect(..) => (
                "{who} closed the row in {place} without the effect.",
                "{who} schloss die Zeile in {place} ohne die Wirkung.",
            ),
            Reason::AckedFirst(..) => (
                "{who} acknowledged before the work was committed.",
                "{who} bestätigte, bevor die Arbeit festgeschrieben war.",
            ),
            Reason::RecordedAlone(..) => (
                "two transactions: {who} committed the row in {place} without its effect, and the next delivery was taken for a copy.",
                "zwei Transaktionen: {who} schrieb die Zeile in {place} ohne ihre Wirkung fest, und die nächste Zustellung galt als Kopie.",
            ),
            Reason::KeyTaken(..) => (
                "the insert of {who} took the key in {place}, so {other} took its own first delivery for a copy.",
                "das Insert von {who} belegte den Schlüssel in {place}, also hielt {other} seine eigene erste Zustellung für eine Kopie.",
            ),
            Reason::TakenByAnother(..) => (
                "{who} took the message: a queue gives each message to one receiver.",
                "{who} nahm die Nachricht: Eine Queue gibt jede Nachricht nur einem Empfänger.",
            ),
            Reason::NothingRemembers(..) => (
                "{who} got no further than the commit, and nothing remembers what it still had to do.",
                "{who} kam nur bis zum Commit, und nichts erinnert daran, was noch zu tun war.",
            ),
            Reason::NotRepeated(..) => (
                "the request of {who} failed, and nobody repeats it.",
                "die Anfrage von {who} schlug fehl, und niemand wiederholt sie.",
            ),
            Reason::CommittedLate(..) => (
                "it was committed after later rows of {place}, and {who} was already past its place.",
                "es wurde nach späteren Zeilen von {place} festgeschrieben, und {who} war schon darüber hinaus.",
            ),
            Reason::Expired(..) => (
                "the message lay in {place} for longer than the queue keeps one.",
                "die Nachricht lag länger in {place}, als die Queue sie aufbewahrt.",
            ),
            Reason::DiscardedAsCopy(..) => (
                "the broker knew the id of what {who} sent, confirmed it and did not store it.",
                "der Broker kannte die Id dessen, was {who} sendete, bestätigte es und speicherte es nicht.",
            ),
            Reason::Unroutable(..) => (
                "no queue takes what {who} sent, and the broker confirmed it all the same.",
                "keine Queue nimmt, was {who} sendete, und der Broker bestätigte es trotzdem.",
            ),
            Reason::GivenUp => (
                "the last delivery was used up, and nothing keeps what was given up.",
                "die letzte Zustellung war verbraucht, und nichts bewahrt auf, was aufgegeben wurde.",
            ),
            Reason::DeletedFirst(..) => (
                "{who} deleted it from {place} before it was sent, and got no further.",
                "{who} löschte es aus {place}, bevor es gesendet war, und kam nicht weiter.",
            ),
            Reason::MarkedBeforeDone(..) => (
                "{who} marked it in {place} before it was done, and got no further.",
                "{who} vermerkte es in {place}, bevor es getan war, und kam nicht weiter.",
            ),
            Reason::AckedForAnother(..) => (
                "the late acknowledgement of {who} was accepted although its lease had ended; it deleted the message that {other} had.",
                "die späte Bestätigung von {who} galt, obwohl seine Lease abgelaufen war; sie löschte die Nachricht, die {other} hatte.",
            ),
            Reason::AckedWhileAtWork(..) => (
                "{who} acknowledged the message as a copy while {other} was still at work on it; a copy is no proof that the work is done.",
                "{who} bestätigte die Nachricht als Kopie, während {other} noch daran arbeitete; eine Kopie beweist nicht, dass die Arbeit getan ist.",
            ),
            Reason::TakenForCopy(..) => (
                "{who} noted the message before its work was done; the attempt failed, and the next delivery was taken for a copy.",
                "{who} merkte sich die Nachricht, bevor die Arbeit getan war; der Versuch scheiterte, und die nächste Zustellung galt als Kopie.",
            ),
            Reason::RepeatedFromMemory(..) => (
                "only the process of {who} knew that it had to try again, and it died.",
                "nur der Prozess von {who} wusste, dass er es noch einmal versuchen musste, und er starb.",
            ),
            Reason::NotKept(..) => (
                "{place} keeps its messages in memory only, and the broker went down.",
                "{place} hält Nachrichten nur im Speicher, und der Broker fiel aus.",
            ),
            Reason::SentBeforeCommit(..) => (
                "{who} did it before its cause was committed.",
                "{who} tat es, bevor sein Anlass festgeschrieben war.",
            ),
            Reason::Overtaken(..) => (
                "{who} and {other} were at work at the same time, and nothing keeps items of one key together.",
                "{who} und {other} arbeiteten gleichzeitig, und nichts hält zusammen, was zu einem Schlüssel gehört.",
            ),
            Reason::CameBackLater(..) => (
                "{who} did not finish it at first; later ones went on while it waited for its next attempt.",
                "{who} wurde zuerst nicht damit fertig; spätere gingen weiter, während es auf den nächsten Versuch wartete.",
            ),
            Reason::OwnerDied(..) => (
                "{who} died while the row in {place} was its own, and nobody takes over such rows.",
                "{who} starb, während die Zeile in {place} ihm gehörte, und niemand übernimmt solche Zeilen.",
            ),
            Reason::DeletedUnsent(..) => (
                "{who} deleted the row in {place} before anybody had sent it.",
                "{who} löschte die Zeile in {place}, bevor sie jemand gesendet hatte.",
            ),
            Reason::TriedInVain(..) => (
                "{who} tried {times} times while it could not reach somebody it needs; no attempt is left for afterwards.",
                "{who} versuchte es {times}-mal, während jemand Nötiges nicht erreichbar war; für danach bleibt kein Versuch.",
            ),
            Reason::StopsThere(..) => (
                "{who} stopped at the same row {times} times, and what comes behind it never gets its turn.",
                "{who} blieb {times}-mal an derselben Zeile hängen, und was dahinter kommt, ist nie an der Reihe.",
            ),
            Reason::LockHeld(..) => (
                "the transaction of {who} on {place} is still open, and others wait for its lock.",
                "{who} hält seine Transaktion auf {place} noch offen, und andere warten auf ihre Sperre.",
            ),
            Reason::FailsWithoutEnd(..) => (
                "{who} failed at it {times} times, and nothing limits the attempts.",
                "{who} scheiterte {times}-mal daran, und nichts begrenzt die Versuche.",
            ),
            Reason::AlwaysFails(..) => (
                "{who} failed at it {times} times; another attempt does not help.",
                "{who} scheiterte {times}-mal daran; ein weiterer Versuch hilft nicht.",
            ),
            Reason::InDoubt(..) => (
                "{who} prepared the transaction and never came back to decide.",
                "{who} bereitete die Transaktion vor und kam nie zurück, um zu entscheiden.",
            ),
            Reason::ArrivedLater(..) => (
                "the later one arrived first, and {who} takes what comes as it comes.",
                "das spätere kam zuerst an, und {who} nimmt alles, wie es kommt.",
            ),
            Reason::LeftBehind(..) => (
                "{who} died before it had done what the row in {place} stands for, and nobody looks for such rows.",
                "{who} starb, bevor getan war, wofür die Zeile in {place} steht, und niemand sucht nach solchen Zeilen.",
            ),
            Reason::HoldsOn(..) => (
                "{who} does not finish and goes on renewing its lease, so nobody else gets it.",
                "{who} wird nicht fertig und verlängert seine Lease immer weiter, also bekommt es niemand sonst.",
            ),
            Reason::NeverDeleted(..) => (
                "nothing ever deletes from {place}.",
                "nichts löscht je etwas aus {place}.",
            ),
        }
    }
}
