//! An event of the trace in one line of words.

use super::place::place;
use super::{Language, instant, visit};
use crate::expression::{ErrorClass, Failure};
use crate::program::{Destination, Fault, Program, Service};
use crate::simulation::trace::{Event, EventKind, Hangup, InstanceId, Outcome, Party};

/// One event in words, without its time: "Relay dies after publish-events, first time; restarts at 15.008 s".
///
/// `faults` are those of the run: a crash or a pause says where it struck.
pub fn explain(event: &Event, program: &Program, faults: &[Fault], language: Language) -> String {
    let teller = Teller {
        program,
        faults,
        language,
    };
    teller.tell(event)
}

/// `Relay`, or `Relay#2` where the service has several instances.
pub fn instance_name(instance: InstanceId, program: &Program) -> String {
    match service_of(instance, program) {
        Some((service, _)) if service.instances <= 1 => service.name.to_string(),
        Some((service, number)) => format!("{}#{number}", service.name),
        None => format!("#{instance}"),
    }
}

/// The service of an instance and the instance's number within it, from 1.
fn service_of(instance: InstanceId, program: &Program) -> Option<(&Service, u16)> {
    let mut before = 0;
    for service in &program.services {
        if instance - before < service.instances {
            return Some((service, instance - before + 1));
        }
        before += service.instances;
    }
    None
}

struct Teller<'a> {
    program: &'a Program,
    faults: &'a [Fault],
    language: Language,
}

impl Teller<'_> {
    fn tell(&self, event: &Event) -> String {
        let who = event
            .instance
            .map(|instance| instance_name(instance, self.program))
            .unwrap_or_default();
        match &event.kind {
            EventKind::Step {
                step,
                visit,
                outcome,
                orphan,
                ..
            } => self.step(event.instance, *step, *visit, outcome, *orphan),
            EventKind::Delivery {
                queue,
                message,
                deliveries,
            } => self.delivery(&who, *queue, *message, *deliveries),
            EventKind::Followed {
                database,
                table,
                position,
            } => {
                let table = self.table(*database, *table);
                self.say(
                    format!("{who} reads change {position} of {table}"),
                    format!("{who} liest Änderung {position} von {table}"),
                )
            }
            EventKind::RequestRefused { line } => self.say(
                format!("{who} does not answer: the request of line {line} is refused"),
                format!("{who} antwortet nicht: die Anfrage aus Zeile {line} wird abgewiesen"),
            ),
            EventKind::Crash { fault, restart_at } => self.crash(&who, *fault, *restart_at),
            EventKind::Restart => self.say(
                format!("{who} starts again and knows nothing of before"),
                format!("{who} startet neu und weiß nichts von vorher"),
            ),
            EventKind::Pause { fault, until } => {
                let (place, until) = (self.struck(Some(*fault)), instant(*until, self.language));
                self.say(
                    format!("{who} freezes{place}, until {until}"),
                    format!("{who} friert ein{place}, bis {until}"),
                )
            }
            EventKind::Resume => self.say(
                format!("{who} goes on as if nothing had been"),
                format!("{who} macht weiter, als wäre nichts gewesen"),
            ),
            EventKind::Exit { restart_at, .. } => {
                let again = self.again(*restart_at);
                self.say(
                    format!("{who} stops cleanly{again}"),
                    format!("{who} hält sauber an{again}"),
                )
            }
            EventKind::Disconnected { broker, reason } => self.disconnected(&who, *broker, *reason),
            EventKind::PassFailed { line, failure } => {
                let why = self.failure(failure);
                self.say(
                    format!("{who} gives up this pass at line {line}: {why}"),
                    format!("{who} bricht diesen Durchgang in Zeile {line} ab: {why}"),
                )
            }
            EventKind::Idle { polls, until } => {
                let until = instant(*until, self.language);
                match polls {
                    1 => self.say(
                        format!("{who} finds nothing to do"),
                        format!("{who} findet nichts zu tun"),
                    ),
                    n => self.say(
                        format!("{who} finds nothing to do, {n} times until {until}"),
                        format!("{who} findet nichts zu tun, {n}-mal bis {until}"),
                    ),
                }
            }
            kind => self.by_itself(kind),
        }
    }

    /// What parties do without anybody asking.
    fn by_itself(&self, kind: &EventKind) -> String {
        match kind {
            EventKind::LeaseEnded { queue, message } => {
                let message = self.message(*queue, *message);
                self.say(
                    format!("The lease of {message} ends: it is ready again"),
                    format!("Die Frist von {message} läuft ab: sie ist wieder bereit"),
                )
            }
            EventKind::Returned { queue, message } => {
                let message = self.message(*queue, *message);
                self.say(
                    format!("{} comes back, nobody confirmed it", capital(&message)),
                    format!("{} kommt zurück, niemand hat sie bestätigt", capital(&message)),
                )
            }
            EventKind::Exhausted { queue, message, dead } => {
                let message = capital(&self.message(*queue, *message));
                match dead {
                    Some(dead) => {
                        let dead = self.queue(*dead);
                        self.say(
                            format!("{message} is given up and moves to {dead}"),
                            format!("{message} wird aufgegeben und kommt nach {dead}"),
                        )
                    }
                    None => self.say(format!("{message} is given up"), format!("{message} wird aufgegeben")),
                }
            }
            EventKind::Expired { queue, message, dead } => {
                let message = capital(&self.message(*queue, *message));
                match dead.map(|dead| self.queue(dead)) {
                    Some(dead) => self.say(
                        format!("{message} is too old and moves to {dead}"),
                        format!("{message} ist zu alt und kommt nach {dead}"),
                    ),
                    None => self.say(
                        format!("{message} is too old and is dropped"),
                        format!("{message} ist zu alt und wird verworfen"),
                    ),
                }
            }
            EventKind::Discarded { destination, copy_of } => self.discarded(*destination, *copy_of),
            EventKind::Due { queue, message } => {
                let message = capital(&self.message(*queue, *message));
                self.say(
                    format!("{message} is due and ready"),
                    format!("{message} ist fällig und bereit"),
                )
            }
            EventKind::Down { party, until, .. } => {
                let (party, until) = (self.party(*party), instant(*until, self.language));
                self.say(
                    format!("{party} is down until {until}"),
                    format!("{party} fällt aus bis {until}"),
                )
            }
            EventKind::Up { party } => {
                let party = self.party(*party);
                self.say(format!("{party} is back"), format!("{party} ist wieder da"))
            }
            EventKind::Cut { fault, until } => self.cut(*fault, instant(*until, self.language)),
            EventKind::Healed => self.say(
                "The connection is back".to_string(),
                "Die Verbindung steht wieder".to_string(),
            ),
            // Everything an instance does is told by `tell`.
            _ => String::new(),
        }
    }

    fn step(&self, instance: Option<InstanceId>, step: u16, count: u32, outcome: &Outcome, orphan: bool) -> String {
        let who = instance
            .map(|instance| instance_name(instance, self.program))
            .unwrap_or_default();
        let service = instance.and_then(|instance| service_of(instance, self.program));
        let name = service.and_then(|(service, _)| service.steps.get(usize::from(step)));
        let name = name.map_or("?", |name| &**name);
        let outcome = match outcome {
            Outcome::Ok => String::new(),
            Outcome::Rows(1) => self.say(", 1 row".to_string(), ", 1 Zeile".to_string()),
            Outcome::Rows(n) => self.say(format!(", {n} rows"), format!(", {n} Zeilen")),
            Outcome::Failed(failure) => format!(": {}", self.failure(failure)),
            Outcome::RequestLost { .. } => self.say(
                ": the request is lost, nothing happens".to_string(),
                ": die Anfrage geht verloren, nichts geschieht".to_string(),
            ),
            Outcome::ReplyLost { .. } => self.say(
                ": done, but the reply is lost".to_string(),
                ": geschehen, aber die Antwort geht verloren".to_string(),
            ),
        };
        let dead = match orphan {
            false => String::new(),
            true => self.say(
                " (its sender is dead)".to_string(),
                " (sein Absender ist tot)".to_string(),
            ),
        };
        format!("{who}: {name}, {}{outcome}{dead}", visit(count, self.language))
    }

    fn disconnected(&self, who: &str, broker: u16, reason: Hangup) -> String {
        let broker = self.party(Party::Broker(broker));
        let (en, de) = match reason {
            Hangup::Silence => ("it heard nothing for too long", "zu lange kam nichts"),
            Hangup::NoAck => (
                "a delivery was not acknowledged in time",
                "eine Zustellung wurde nicht rechtzeitig bestätigt",
            ),
            Hangup::StaleHandle => (
                "the delivery it answers has ended",
                "die Zustellung, auf die es antwortet, ist zu Ende",
            ),
        };
        self.say(
            format!("{broker} ends its connection with {who}: {en}"),
            format!("{broker} beendet die Verbindung mit {who}: {de}"),
        )
    }

    fn discarded(&self, destination: Destination, copy_of: Option<u32>) -> String {
        match destination {
            Destination::Queue(queue) => {
                let message = self.message(queue, copy_of.unwrap_or_default());
                self.say(
                    format!("Confirmed and dropped: a copy of {message}"),
                    format!("Bestätigt und verworfen: eine Kopie von {message}"),
                )
            }
            Destination::Topic(topic) => {
                let topic = self.program.topics.get(usize::from(topic));
                let topic = topic.map_or_else(String::new, |topic| topic.name.to_string());
                self.say(
                    format!("Confirmed and gone: topic {topic} has no queue"),
                    format!("Bestätigt und weg: Topic {topic} hat keine Queue"),
                )
            }
        }
    }

    fn delivery(&self, who: &str, queue: u16, message: u32, deliveries: u32) -> String {
        let (message, count) = (self.message(queue, message), visit(deliveries, self.language));
        self.say(
            format!("{who} receives {message}, {count}"),
            format!("{who} erhält {message}, {count}"),
        )
    }

    fn crash(&self, who: &str, fault: Option<u16>, restart_at: Option<i64>) -> String {
        let (place, again) = (self.struck(fault), self.again(restart_at));
        self.say(
            format!("{who} dies{place}{again}"),
            format!("{who} stirbt{place}{again}"),
        )
    }

    fn cut(&self, fault: u16, until: String) -> String {
        let ends = match self.faults.get(usize::from(fault)) {
            Some(Fault::Cut(one, other, ..)) => [one.to_string(), other.to_string()],
            _ => [String::from("?"), String::from("?")],
        };
        let [one, other] = ends;
        self.say(
            format!("{one} and {other} cannot reach each other until {until}"),
            format!("{one} und {other} erreichen sich nicht bis {until}"),
        )
    }

    /// ` after publish-events, first time`, if the fault names a point.
    fn struck(&self, fault: Option<u16>) -> String {
        let fault = fault.and_then(|fault| self.faults.get(usize::from(fault)));
        match fault {
            Some(Fault::Crash(point, _) | Fault::Pause(point, _)) => format!(" {}", place(point, self.language)),
            _ => String::new(),
        }
    }

    fn again(&self, restart_at: Option<i64>) -> String {
        match restart_at.map(|at| instant(at, self.language)) {
            Some(at) => self.say(format!("; restarts at {at}"), format!("; Neustart bei {at}")),
            None => self.say(" and never restarts".to_string(), " und startet nie wieder".to_string()),
        }
    }

    fn failure(&self, failure: &Failure) -> String {
        let class = class_word(failure.class, self.language);
        match failure.detail.is_empty() {
            true => class.to_string(),
            false => format!("{class} ({})", failure.detail),
        }
    }

    fn message(&self, queue: u16, message: u32) -> String {
        let queue = self.queue(queue);
        self.say(
            format!("message {message} of {queue}"),
            format!("Nachricht {message} aus {queue}"),
        )
    }

    fn queue(&self, queue: u16) -> String {
        self.program
            .queues
            .get(usize::from(queue))
            .map_or_else(String::new, |queue| queue.name.to_string())
    }

    fn table(&self, database: u16, table: u16) -> String {
        let database = self.program.databases.get(usize::from(database));
        let table = database.and_then(|database| database.tables.get(usize::from(table)));
        table.map_or_else(String::new, |table| table.name.to_string())
    }

    fn party(&self, party: Party) -> String {
        let program = self.program;
        let name = match party {
            Party::Database(n) => program.databases.get(usize::from(n)).map(|database| &database.name),
            Party::Broker(n) => program.brokers.get(usize::from(n)).map(|broker| &broker.name),
            Party::Outside(n) => program.outsides.get(usize::from(n)).map(|outside| &outside.record.name),
            Party::Service(n) => program.services.get(usize::from(n)).map(|service| &service.name),
        };
        name.map_or_else(String::new, |name| name.to_string())
    }

    fn say(&self, english: String, german: String) -> String {
        match self.language {
            Language::En => english,
            Language::De => german,
        }
    }
}

/// An error class as an operator would say it.
fn class_word(class: ErrorClass, language: Language) -> &'static str {
    match (language, class) {
        (Language::En, ErrorClass::Duplicate) => "refused as a duplicate",
        (Language::En, ErrorClass::Serialization) => "serialization failure",
        (Language::En, ErrorClass::Deadlock) => "deadlock",
        (Language::En, ErrorClass::Aborted) => "the transaction is already aborted",
        (Language::En, ErrorClass::Refused) => "refused",
        (Language::En, ErrorClass::Unreachable) => "unreachable, certainly not done",
        (Language::En, ErrorClass::Timeout) => "no answer, outcome unknown",
        (Language::En, ErrorClass::Error) => "error",
        (Language::De, ErrorClass::Duplicate) => "als Duplikat abgelehnt",
        (Language::De, ErrorClass::Serialization) => "Serialisierungsfehler",
        (Language::De, ErrorClass::Deadlock) => "Verklemmung",
        (Language::De, ErrorClass::Aborted) => "die Transaktion ist schon abgebrochen",
        (Language::De, ErrorClass::Refused) => "abgelehnt",
        (Language::De, ErrorClass::Unreachable) => "nicht erreichbar, sicher nicht geschehen",
        (Language::De, ErrorClass::Timeout) => "keine Antwort, Ausgang unbekannt",
        (Language::De, ErrorClass::Error) => "Fehler",
    }
}

/// The same text with a capital first letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Point, Side, StepName};
    use std::rc::Rc;

    /// Two services: one Shop, two Relays; steps are called `first` and `second`.
    fn program() -> Program {
        let service = |name: &str, instances| Service {
            name: Rc::from(name),
            line: 1,
            instances,
            databases: Vec::new(),
            memory: Vec::new(),
            triggers: Vec::new(),
            code: Vec::new(),
            handlers: Vec::new(),
            steps: vec![Rc::from("first"), Rc::from("second")],
            locals: 0,
            local_names: Vec::new(),
        };
        Program {
            databases: Vec::new(),
            brokers: Vec::new(),
            queues: Vec::new(),
            topics: Vec::new(),
            outsides: Vec::new(),
            services: vec![service("Shop", 1), service("Relay", 2)],
            until: None,
        }
    }

    fn told(instance: InstanceId, kind: EventKind, language: Language) -> String {
        let step = StepName {
            service: Rc::from("Relay"),
            instance: 2,
            step: Rc::from("second"),
            visit: 3,
        };
        let point = Point {
            side: Side::After,
            step,
        };
        let event = Event {
            at: 0,
            sent_at: 0,
            replied_at: None,
            cause: None,
            instance: Some(instance),
            kind,
        };
        explain(&event, &program(), &[Fault::Crash(point, None)], language)
    }

    #[test]
    fn a_crash_says_where_it_struck_and_when_it_is_over() {
        let crash = || EventKind::Crash {
            fault: Some(0),
            restart_at: Some(15_008),
        };
        assert_eq!(
            told(2, crash(), Language::En),
            "Relay#2 dies after second, third time; restarts at 15.008 s"
        );
        assert_eq!(
            told(2, crash(), Language::De),
            "Relay#2 stirbt nach second, zum dritten Mal; Neustart bei 15,008 s"
        );
        // A crash whose fault line is not known has no place to tell.
        let unknown = EventKind::Crash {
            fault: Some(9),
            restart_at: None,
        };
        assert_eq!(told(0, unknown, Language::En), "Shop dies and never restarts");
    }

    #[test]
    fn a_step_says_what_came_of_it() {
        let step = |outcome| EventKind::Step {
            step: 1,
            visit: 2,
            line: 1,
            outcome,
            message: None,
            orphan: false,
        };
        let said = |outcome| told(1, step(outcome), Language::En);
        assert_eq!(said(Outcome::Ok), "Relay#1: second, second time");
        assert_eq!(said(Outcome::Rows(2)), "Relay#1: second, second time, 2 rows");
        assert_eq!(
            said(Outcome::ReplyLost { fault: 0 }),
            "Relay#1: second, second time: done, but the reply is lost"
        );
        let duplicate = Rc::new(Failure::new(ErrorClass::Duplicate, "orders_pkey"));
        assert_eq!(
            said(Outcome::Failed(duplicate)),
            "Relay#1: second, second time: refused as a duplicate (orders_pkey)"
        );
    }

    #[test]
    fn an_unknown_instance_or_step_is_no_panic() {
        assert_eq!(
            told(9, EventKind::Resume, Language::En),
            "#9 goes on as if nothing had been"
        );
    }
}
