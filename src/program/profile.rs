//! Brokers that people run: each a named set of the general rules, with the documentation page that states each rule.
//!
//! One entry of [`PROFILES`] is all there is to a profile; nothing else names a product. A profile fills in what a queue's text
//! leaves open, and says which words its product has no meaning for: those are ignored, and the reader is told.
//! Refuses to know: how a rule works.

use super::{Dedupe, Exhausted, Stale, Unroutable};
use crate::value::Millis;

const SECOND: Millis = 1_000;
const MINUTE: Millis = 60 * SECOND;

/// A broker product as a set of rules.
#[derive(Debug, PartialEq)]
pub struct Profile {
    /// As a text writes it behind `like`.
    pub name: &'static str,
    pub product: &'static str,
    /// Of its queues, where their text says nothing.
    pub queue: QueueRules,
    pub unroutable: Unroutable,
    /// It takes part in two-phase commits.
    pub two_phase: bool,
    /// A client that is silent for so long has lost its connection.
    pub heartbeat: Option<Millis>,
    /// What the rules come from.
    pub facts: &'static [Fact],
    /// What the product has no meaning for.
    pub cannot: &'static [Cannot],
}

/// What a profile sets for a queue.
#[derive(Debug, PartialEq)]
pub struct QueueRules {
    pub lease: Option<Millis>,
    pub attempts: Option<u32>,
    /// Where exhausted messages go without a `dead` queue.
    pub exhausted: Exhausted,
    pub stale: Stale,
    /// What came back is delivered in the sequence in which it did, at one instant the oldest first, before anything new; else at
    /// its old place.
    pub again_in_turn: bool,
    pub grouped: bool,
    pub dedupe: Option<Dedupe>,
    /// What it makes of a queue that asks for a window of time.
    pub dedupe_asked: Option<Dedupe>,
    /// Messages that expire go to the `dead` queue; else they are dropped.
    pub expired_to_dead: bool,
    /// A connection-bound delivery that is not acknowledged for so long ends its connection.
    pub ack_timeout: Option<Millis>,
    /// Its queues are logs of so many partitions, unless their text says how many.
    pub partitions: Option<u32>,
    /// A silent member of a consumer group is waited for so long.
    pub session: Option<Millis>,
}

/// No rules at all: connection-bound deliveries, no limits.
const PLAIN: QueueRules = QueueRules {
    lease: None,
    attempts: None,
    exhausted: Exhausted::Keep,
    stale: Stale::Refused,
    again_in_turn: false,
    grouped: false,
    dedupe: None,
    dedupe_asked: None,
    expired_to_dead: true,
    ack_timeout: None,
    partitions: None,
    session: None,
};

/// One rule in a sentence, and the page of the product's documentation that states it.
#[derive(Debug, PartialEq)]
pub struct Fact {
    pub en: &'static str,
    pub de: &'static str,
    pub url: &'static str,
}

/// A word that has no meaning for a product, and what holds there instead.
#[derive(Debug, PartialEq)]
pub struct Cannot {
    pub word: Word,
    pub en: &'static str,
    pub de: &'static str,
    pub url: &'static str,
}

/// Words of the language that a product may have no meaning for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Lease,
    Attempts,
    Dead,
    Drop,
    Keep,
    Stale,
    Volatile,
    Grouped,
    /// With a window of time.
    Dedupe,
    DedupeWhileQueued,
    Capacity,
    /// `partitions`, and `receive … group`.
    Partitions,
    Prefetch,
    /// `publish … after`.
    PublishAfter,
    /// `nack … after`.
    NackAfter,
    /// `nack … dead`.
    NackDead,
    /// `extend`, and `keep … every`.
    Extend,
    /// `redrive`.
    Redrive,
    /// `prepare transaction`.
    Prepare,
}

impl Word {
    /// As a text writes it.
    pub fn text(self) -> &'static str {
        match self {
            Word::Lease => "lease",
            Word::Attempts => "attempts",
            Word::Dead => "dead",
            Word::Drop => "drop",
            Word::Keep => "keep",
            Word::Stale => "stale",
            Word::Volatile => "volatile",
            Word::Grouped => "grouped",
            Word::Dedupe => "dedupe",
            Word::DedupeWhileQueued => "dedupe while queued",
            Word::Capacity => "capacity",
            Word::Partitions => "partitions, group",
            Word::Prefetch => "prefetch",
            Word::PublishAfter => "publish … after",
            Word::NackAfter => "nack … after",
            Word::NackDead => "nack … dead",
            Word::Extend => "extend, keep … every",
            Word::Redrive => "redrive",
            Word::Prepare => "prepare transaction",
        }
    }
}

impl Profile {
    pub fn find(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// Why a word has no meaning here; none: it has one.
    pub fn cannot(&self, word: Word) -> Option<&'static Cannot> {
        self.cannot.iter().find(|cannot| cannot.word == word)
    }
}

const fn fact(en: &'static str, de: &'static str, url: &'static str) -> Fact {
    Fact { en, de, url }
}

const fn cannot(word: Word, en: &'static str, de: &'static str, url: &'static str) -> Cannot {
    Cannot { word, en, de, url }
}

pub const PROFILES: &[Profile] = &[RABBITMQ, SQS, SQS_FIFO, SERVICE_BUS, KAFKA, JETSTREAM, ARTEMIS];

const RABBITMQ: Profile = Profile {
    name: "rabbitmq",
    product: "RabbitMQ",
    queue: QueueRules {
        exhausted: Exhausted::Drop,
        stale: Stale::Closes,
        ack_timeout: Some(30 * MINUTE),
        ..PLAIN
    },
    unroutable: Unroutable::Confirmed,
    two_phase: false,
    heartbeat: Some(60 * SECOND),
    facts: &[
        fact(
            "A delivery belongs to its channel: when the channel or its connection ends, what was not acknowledged is queued again.",
            "Eine Zustellung gehört zu ihrem Kanal: Endet er oder seine Verbindung, kommt Unbestätigtes in die Queue zurück.",
            "https://www.rabbitmq.com/docs/confirms#automatic-requeueing",
        ),
        fact(
            "A delivery that is not acknowledged for 30 minutes closes its channel.",
            "Eine Zustellung, die 30 Minuten lang nicht bestätigt wird, schließt ihren Kanal.",
            "https://www.rabbitmq.com/docs/consumers#acknowledgement-timeout",
        ),
        fact(
            "An acknowledgement with an unknown delivery tag closes the channel.",
            "Eine Bestätigung mit unbekanntem Delivery-Tag schließt den Kanal.",
            "https://www.rabbitmq.com/docs/confirms#consumer-acks-delivery-tags",
        ),
        fact(
            "A message that no queue takes is confirmed to its publisher, and returned only if it was published as mandatory.",
            "Eine Nachricht, die keine Queue nimmt, wird bestätigt und nur dann zurückgegeben, wenn sie „mandatory“ war.",
            "https://www.rabbitmq.com/docs/confirms#when-publishes-are-confirmed",
        ),
        fact(
            "A client that is silent for the heartbeat timeout, 60 seconds, has lost its connection.",
            "Wer so lange schweigt, wie der Heartbeat-Timeout dauert (60 Sekunden), hat seine Verbindung verloren.",
            "https://www.rabbitmq.com/docs/heartbeats#heartbeats-timeout",
        ),
        fact(
            "A rejected message goes to the dead-letter exchange if there is one, and is discarded else.",
            "Eine abgelehnte Nachricht geht an den Dead-Letter-Exchange, wenn es einen gibt, sonst ist sie weg.",
            "https://www.rabbitmq.com/docs/dlx",
        ),
    ],
    cannot: &[
        cannot(
            Word::Partitions,
            "receivers share one sequence of messages, each acknowledged by itself; nobody reads by position",
            "die Empfänger teilen sich eine Reihe von Nachrichten, jede wird für sich bestätigt; niemand liest nach Position",
            "https://www.rabbitmq.com/docs/queues",
        ),
        cannot(
            Word::Lease,
            "RabbitMQ has no lease: a delivery is its consumer's until the connection ends",
            "RabbitMQ kennt keine Frist: Eine Zustellung bleibt beim Empfänger, bis die Verbindung endet",
            "https://www.rabbitmq.com/docs/confirms#automatic-requeueing",
        ),
        cannot(
            Word::Extend,
            "RabbitMQ has no lease that could be prolonged",
            "RabbitMQ kennt keine Frist, die man verlängern könnte",
            "https://www.rabbitmq.com/docs/confirms#automatic-requeueing",
        ),
        cannot(
            Word::Stale,
            "an unknown delivery tag always closes the channel",
            "ein unbekanntes Delivery-Tag schließt immer den Kanal",
            "https://www.rabbitmq.com/docs/confirms#consumer-acks-delivery-tags",
        ),
        cannot(
            Word::Keep,
            "RabbitMQ discards what is given up, or sends it to a dead-letter exchange",
            "RabbitMQ verwirft, was aufgegeben ist, oder schickt es an einen Dead-Letter-Exchange",
            "https://www.rabbitmq.com/docs/dlx",
        ),
        cannot(
            Word::Grouped,
            "RabbitMQ has one active consumer a queue, but no groups within a queue",
            "RabbitMQ kennt einen aktiven Empfänger je Queue, aber keine Gruppen in einer Queue",
            "https://www.rabbitmq.com/docs/consumers#single-active-consumer",
        ),
        cannot(
            Word::Dedupe,
            "RabbitMQ stores every copy: consumers must recognise them",
            "RabbitMQ speichert jede Kopie: Empfänger müssen sie erkennen",
            "https://www.rabbitmq.com/docs/reliability#consumer-side",
        ),
        cannot(
            Word::DedupeWhileQueued,
            "RabbitMQ stores every copy: consumers must recognise them",
            "RabbitMQ speichert jede Kopie: Empfänger müssen sie erkennen",
            "https://www.rabbitmq.com/docs/reliability#consumer-side",
        ),
        cannot(
            Word::PublishAfter,
            "RabbitMQ delivers at once: delays need a plugin",
            "RabbitMQ stellt sofort zu: Verzögerungen brauchen ein Plugin",
            "https://github.com/rabbitmq/rabbitmq-delayed-message-exchange",
        ),
        cannot(
            Word::NackAfter,
            "RabbitMQ queues a rejected message again at once",
            "RabbitMQ stellt eine abgelehnte Nachricht sofort wieder in die Queue",
            "https://www.rabbitmq.com/docs/nack",
        ),
        cannot(
            Word::Prepare,
            "RabbitMQ takes part in no two-phase commit",
            "RabbitMQ nimmt an keinem Zwei-Phasen-Commit teil",
            "https://www.rabbitmq.com/docs/semantics#tx",
        ),
    ],
};

const SQS_NO_LIMIT: &str =
    "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html";
const SQS_DEAD_LETTERS: &str =
    "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html";
const SQS_DURABLE: &str = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/welcome.html";
const SQS_DELETE: &str = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html";

const SQS_LEASE_FACT: Fact = fact(
    "A received message is hidden for the visibility timeout, 30 seconds unless the queue says otherwise, whoever dies.",
    "Eine empfangene Nachricht ist für den Visibility-Timeout verborgen, 30 Sekunden, wenn die Queue nichts anderes sagt, egal wer stirbt.",
    "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html",
);
const SQS_DELAY_FACT: Fact = fact(
    "To give a message back is to change its visibility timeout: to nothing, or to the wait until the next attempt.",
    "Eine Nachricht zurückgeben heißt ihren Visibility-Timeout ändern: auf null oder auf die Wartezeit bis zum nächsten Versuch.",
    "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html",
);
const SQS_RETENTION_FACT: Fact = fact(
    "A message that is older than the retention period is deleted, not moved to the dead-letter queue.",
    "Eine Nachricht, die älter ist als die Aufbewahrungszeit, wird gelöscht, nicht in die Dead-Letter-Queue verschoben.",
    "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html",
);

const SQS_NO_DROP: Cannot = cannot(
    Word::Drop,
    "SQS moves to a dead-letter queue, or delivers again until the message is too old",
    "SQS verschiebt in eine Dead-Letter-Queue oder stellt zu, bis die Nachricht zu alt ist",
    SQS_DEAD_LETTERS,
);
const SQS_NO_KEEP: Cannot = cannot(
    Word::Keep,
    "SQS moves to a dead-letter queue, or delivers again until the message is too old",
    "SQS verschiebt in eine Dead-Letter-Queue oder stellt zu, bis die Nachricht zu alt ist",
    SQS_DEAD_LETTERS,
);
const SQS_NO_VOLATILE: Cannot = cannot(
    Word::Volatile,
    "SQS stores every message on several servers",
    "SQS speichert jede Nachricht auf mehreren Servern",
    SQS_DURABLE,
);
const SQS_NO_CAPACITY: Cannot = cannot(
    Word::Capacity,
    "an SQS queue stores any number of messages",
    "eine SQS-Queue speichert beliebig viele Nachrichten",
    SQS_NO_LIMIT,
);
const SQS_NO_NACK_DEAD: Cannot = cannot(
    Word::NackDead,
    "SQS moves a message to the dead-letter queue by its number of receives alone",
    "SQS verschiebt eine Nachricht allein nach der Zahl ihrer Zustellungen in die Dead-Letter-Queue",
    SQS_DEAD_LETTERS,
);
const SQS_NO_PREPARE: Cannot = cannot(
    Word::Prepare,
    "SQS has no transactions",
    "SQS kennt keine Transaktionen",
    "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html",
);

const SQS: Profile = Profile {
    name: "sqs",
    product: "Amazon SQS, standard queues",
    queue: QueueRules {
        lease: Some(30 * SECOND),
        stale: Stale::Ignored,
        expired_to_dead: false,
        ..PLAIN
    },
    unroutable: Unroutable::Refused,
    two_phase: false,
    heartbeat: None,
    facts: &[
        SQS_LEASE_FACT,
        fact(
            "A deletion with a handle that is not the latest succeeds, and the message is not deleted.",
            "Ein Löschen mit einem anderen als dem neuesten Handle gelingt, und die Nachricht ist nicht gelöscht.",
            SQS_DELETE,
        ),
        SQS_DELAY_FACT,
        SQS_RETENTION_FACT,
    ],
    cannot: &[
        cannot(
            Word::Partitions,
            "receivers share one sequence of messages, each acknowledged by itself; nobody reads by position",
            "die Empfänger teilen sich eine Reihe von Nachrichten, jede wird für sich bestätigt; niemand liest nach Position",
            SQS_DURABLE,
        ),
        cannot(
            Word::Stale,
            "with an old handle SQS says yes and does nothing",
            "bei einem alten Handle sagt SQS ja und tut nichts",
            SQS_DELETE,
        ),
        cannot(
            Word::Grouped,
            "standard queues handle messages of one group side by side: groups in sequence need a FIFO queue",
            "Standard-Queues bearbeiten Nachrichten einer Gruppe nebeneinander: Gruppen der Reihe nach gibt es in FIFO-Queues",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html",
        ),
        cannot(
            Word::Dedupe,
            "standard queues store every copy: ids are compared in FIFO queues only",
            "Standard-Queues speichern jede Kopie: Ids vergleichen nur FIFO-Queues",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html",
        ),
        cannot(
            Word::DedupeWhileQueued,
            "standard queues store every copy: ids are compared in FIFO queues only",
            "Standard-Queues speichern jede Kopie: Ids vergleichen nur FIFO-Queues",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html",
        ),
        SQS_NO_DROP,
        SQS_NO_KEEP,
        SQS_NO_VOLATILE,
        SQS_NO_CAPACITY,
        SQS_NO_NACK_DEAD,
        SQS_NO_PREPARE,
    ],
};

const SQS_WINDOW: Dedupe = Dedupe::Within(5 * MINUTE);

const SQS_FIFO: Profile = Profile {
    name: "sqs-fifo",
    product: "Amazon SQS, FIFO queues",
    queue: QueueRules {
        lease: Some(30 * SECOND),
        grouped: true,
        dedupe: Some(SQS_WINDOW),
        dedupe_asked: Some(SQS_WINDOW),
        expired_to_dead: false,
        ..PLAIN
    },
    unroutable: Unroutable::Refused,
    two_phase: false,
    heartbeat: None,
    facts: &[
        SQS_LEASE_FACT,
        fact(
            "Messages of one group are handled one at a time, in sequence; while one is received the others are hidden.",
            "Nachrichten einer Gruppe werden einzeln und der Reihe nach bearbeitet; solange eine empfangen ist, sind die anderen verborgen.",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html",
        ),
        fact(
            "An id that was sent within five minutes is accepted and not delivered, also after its message is deleted.",
            "Eine Id, die in den letzten fünf Minuten gesendet wurde, wird angenommen und nicht zugestellt, auch wenn ihre Nachricht schon gelöscht ist.",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html",
        ),
        fact(
            "A handle expires with the visibility timeout: a later deletion is refused.",
            "Ein Handle verfällt mit dem Visibility-Timeout: Ein späteres Löschen wird abgelehnt.",
            "https://repost.aws/knowledge-center/sqs-receipt-handle-error",
        ),
        SQS_DELAY_FACT,
        SQS_RETENTION_FACT,
    ],
    cannot: &[
        cannot(
            Word::Partitions,
            "receivers share one sequence of messages, each acknowledged by itself; nobody reads by position",
            "die Empfänger teilen sich eine Reihe von Nachrichten, jede wird für sich bestätigt; niemand liest nach Position",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html",
        ),
        cannot(
            Word::Stale,
            "a FIFO queue refuses a handle whose visibility timeout has ended",
            "eine FIFO-Queue lehnt ein Handle ab, dessen Visibility-Timeout vorbei ist",
            "https://repost.aws/knowledge-center/sqs-receipt-handle-error",
        ),
        cannot(
            Word::Dedupe,
            "the interval is five minutes and cannot be changed",
            "das Intervall ist fünf Minuten lang und lässt sich nicht ändern",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html",
        ),
        cannot(
            Word::DedupeWhileQueued,
            "the ids of five minutes are compared, whatever became of their messages",
            "verglichen werden die Ids von fünf Minuten, was auch aus ihren Nachrichten wurde",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html",
        ),
        cannot(
            Word::PublishAfter,
            "a FIFO queue delays all of its messages or none, not a single one",
            "eine FIFO-Queue verzögert alle Nachrichten oder keine, nicht eine einzelne",
            "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html",
        ),
        SQS_NO_DROP,
        SQS_NO_KEEP,
        SQS_NO_VOLATILE,
        SQS_NO_CAPACITY,
        SQS_NO_NACK_DEAD,
        SQS_NO_PREPARE,
    ],
};

const SERVICE_BUS: Profile = Profile {
    name: "servicebus",
    product: "Azure Service Bus",
    queue: QueueRules {
        lease: Some(MINUTE),
        attempts: Some(10),
        expired_to_dead: false,
        ..PLAIN
    },
    unroutable: Unroutable::Refused,
    two_phase: false,
    heartbeat: None,
    facts: &[
        fact(
            "A received message is locked for one minute unless the queue says otherwise; the lock can be renewed.",
            "Eine empfangene Nachricht ist eine Minute lang gesperrt, wenn die Queue nichts anderes sagt; die Sperre lässt sich erneuern.",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/message-transfers-locks-settlement#peeklock",
        ),
        fact(
            "After ten deliveries a message is dead-lettered, unless the queue says otherwise.",
            "Nach zehn Zustellungen wird eine Nachricht zum Dead Letter, wenn die Queue nichts anderes sagt.",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-dead-letter-queues#maximum-delivery-count",
        ),
        fact(
            "A message whose lock is lost cannot be settled any more.",
            "Eine Nachricht, deren Sperre verloren ist, lässt sich nicht mehr abschließen.",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/message-transfers-locks-settlement#settling-receive-operations",
        ),
        fact(
            "With duplicate detection a copy within the window is accepted and dropped.",
            "Mit Duplikaterkennung wird eine Kopie im Zeitfenster angenommen und verworfen.",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/duplicate-detection",
        ),
        fact(
            "An expired message is dropped; it is dead-lettered only if the queue asks for that.",
            "Eine abgelaufene Nachricht wird verworfen; ein Dead Letter wird sie nur, wenn die Queue das verlangt.",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-dead-letter-queues#time-to-live",
        ),
    ],
    cannot: &[
        cannot(
            Word::Partitions,
            "receivers share one sequence of messages, each acknowledged by itself; nobody reads by position",
            "die Empfänger teilen sich eine Reihe von Nachrichten, jede wird für sich bestätigt; niemand liest nach Position",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-queues-topics-subscriptions",
        ),
        cannot(
            Word::Stale,
            "Service Bus refuses to settle a message whose lock is lost",
            "Service Bus lehnt ab, eine Nachricht abzuschließen, deren Sperre verloren ist",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/message-transfers-locks-settlement#settling-receive-operations",
        ),
        cannot(
            Word::Drop,
            "every queue has a dead-letter queue",
            "jede Queue hat eine Dead-Letter-Queue",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-dead-letter-queues",
        ),
        cannot(
            Word::Volatile,
            "Service Bus stores a message before it accepts it",
            "Service Bus speichert eine Nachricht, bevor es sie annimmt",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-queues-topics-subscriptions",
        ),
        cannot(
            Word::DedupeWhileQueued,
            "duplicate detection looks at a window of time, whatever became of the messages",
            "die Duplikaterkennung sieht auf ein Zeitfenster, was auch aus den Nachrichten wurde",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/duplicate-detection",
        ),
        cannot(
            Word::NackAfter,
            "an abandoned message is available again at once",
            "eine zurückgegebene Nachricht ist sofort wieder da",
            "https://learn.microsoft.com/en-us/dotnet/api/azure.messaging.servicebus.servicebusreceiver.abandonmessageasync",
        ),
        cannot(
            Word::Prepare,
            "Service Bus has transactions of its own, but takes part in no distributed one",
            "Service Bus hat eigene Transaktionen, nimmt aber an keiner verteilten teil",
            "https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-transactions",
        ),
    ],
};

const KAFKA_DESIGN: &str = "https://kafka.apache.org/documentation/#theconsumer";
const KAFKA_NO_DEAD_LETTERS: Cannot = cannot(
    Word::Dead,
    "Kafka gives up no record: a consumer writes it to another topic itself",
    "Kafka gibt keinen Eintrag auf: Ein Empfänger schreibt ihn selbst in ein anderes Topic",
    KAFKA_DESIGN,
);

const KAFKA: Profile = Profile {
    name: "kafka",
    product: "Apache Kafka, consumer groups",
    queue: QueueRules {
        expired_to_dead: false,
        // A handler that takes longer than `max.poll.interval.ms` has left the group.
        lease: Some(5 * MINUTE),
        partitions: Some(1),
        session: Some(45 * SECOND),
        ..PLAIN
    },
    unroutable: Unroutable::Refused,
    two_phase: false,
    heartbeat: None,
    facts: &[
        fact(
            "What a consumer has done is its position in a partition, not a mark on each record.",
            "Was ein Empfänger getan hat, ist seine Position in einer Partition, kein Haken an jedem Eintrag.",
            "https://kafka.apache.org/documentation/#design_consumerposition",
        ),
        fact(
            "A topic has one partition unless it says how many.",
            "Ein Topic hat eine Partition, wenn es nicht sagt, wie viele.",
            "https://kafka.apache.org/documentation/#brokerconfigs_num.partitions",
        ),
        fact(
            "A consumer that is silent for 45 s has left its group.",
            "Ein Empfänger, der 45 s lang still ist, hat seine Gruppe verlassen.",
            "https://kafka.apache.org/documentation/#consumerconfigs_session.timeout.ms",
        ),
        fact(
            "So has one that works on what it polled for more than 5 minutes.",
            "Ebenso einer, der an dem, was er geholt hat, länger als 5 Minuten arbeitet.",
            "https://kafka.apache.org/documentation/#consumerconfigs_max.poll.interval.ms",
        ),
        fact(
            "A record that is older than the retention time is deleted, read or not.",
            "Ein Eintrag, der älter ist als die Aufbewahrungszeit, wird gelöscht, gelesen oder nicht.",
            "https://kafka.apache.org/documentation/#topicconfigs_retention.ms",
        ),
    ],
    cannot: &[
        cannot(
            Word::Lease,
            "consumer groups lease no records: a partition belongs to one of them",
            "Consumer-Groups leihen keine Einträge aus: Eine Partition gehört einem von ihnen",
            "https://kafka.apache.org/documentation/#intro_consumers",
        ),
        cannot(
            Word::Extend,
            "consumer groups have no lease that could be prolonged",
            "Consumer-Groups kennen keine Frist, die man verlängern könnte",
            "https://kafka.apache.org/documentation/#intro_consumers",
        ),
        cannot(
            Word::Prefetch,
            "consumers always fetch ahead, and it changes nothing: their positions count",
            "Empfänger holen immer voraus, und es ändert nichts: Ihre Positionen zählen",
            KAFKA_DESIGN,
        ),
        cannot(
            Word::Attempts,
            "Kafka counts no deliveries: a consumer reads on from its position",
            "Kafka zählt keine Zustellungen: Ein Empfänger liest ab seiner Position weiter",
            "https://kafka.apache.org/documentation/#design_consumerposition",
        ),
        KAFKA_NO_DEAD_LETTERS,
        Cannot {
            word: Word::Drop,
            ..KAFKA_NO_DEAD_LETTERS
        },
        Cannot {
            word: Word::Keep,
            ..KAFKA_NO_DEAD_LETTERS
        },
        Cannot {
            word: Word::NackDead,
            ..KAFKA_NO_DEAD_LETTERS
        },
        Cannot {
            word: Word::Redrive,
            ..KAFKA_NO_DEAD_LETTERS
        },
        cannot(
            Word::NackAfter,
            "Kafka delays nothing: a consumer that waits holds up its partition",
            "Kafka verzögert nichts: Ein Empfänger, der wartet, hält seine Partition auf",
            KAFKA_DESIGN,
        ),
        cannot(
            Word::PublishAfter,
            "Kafka delays nothing: a record can be read as soon as it is written",
            "Kafka verzögert nichts: Ein Eintrag ist lesbar, sobald er geschrieben ist",
            KAFKA_DESIGN,
        ),
        cannot(
            Word::Stale,
            "there are no handles for single records",
            "es gibt keine Handles für einzelne Einträge",
            "https://kafka.apache.org/documentation/#design_consumerposition",
        ),
        cannot(
            Word::Volatile,
            "Kafka is a log on disk",
            "Kafka ist ein Log auf der Platte",
            "https://kafka.apache.org/documentation/#persistence",
        ),
        cannot(
            Word::Grouped,
            "records with the same key are in the same partition, which is the unit of sequence",
            "Einträge mit gleichem Key liegen in derselben Partition, und die ist die Einheit der Reihenfolge",
            "https://kafka.apache.org/documentation/#intro_concepts_and_terms",
        ),
        cannot(
            Word::Dedupe,
            "the idempotent producer drops its own repeats; ids of the application are not compared",
            "der idempotente Producer verwirft seine eigenen Wiederholungen; Ids der Anwendung vergleicht niemand",
            "https://kafka.apache.org/documentation/#producerconfigs_enable.idempotence",
        ),
        cannot(
            Word::DedupeWhileQueued,
            "the idempotent producer drops its own repeats; ids of the application are not compared",
            "der idempotente Producer verwirft seine eigenen Wiederholungen; Ids der Anwendung vergleicht niemand",
            "https://kafka.apache.org/documentation/#producerconfigs_enable.idempotence",
        ),
        cannot(
            Word::Capacity,
            "a full partition deletes its oldest records and refuses none",
            "eine volle Partition löscht ihre ältesten Einträge und lehnt keinen ab",
            "https://kafka.apache.org/documentation/#topicconfigs_retention.bytes",
        ),
        cannot(
            Word::Prepare,
            "Kafka's transactions end at its edge",
            "Kafkas Transaktionen enden an seinem Rand",
            "https://kafka.apache.org/documentation/#semantics",
        ),
    ],
};

const JETSTREAM: Profile = Profile {
    name: "jetstream",
    product: "NATS JetStream",
    queue: QueueRules {
        lease: Some(30 * SECOND),
        stale: Stale::Accepted,
        // Seen of a server of version 2.9, whose source sorts what is over when it looks (`checkPending`) and keeps it in a line of
        // its own; its documentation promises no sequence.
        again_in_turn: true,
        dedupe: Some(Dedupe::Within(2 * MINUTE)),
        expired_to_dead: false,
        ..PLAIN
    },
    unroutable: Unroutable::Refused,
    two_phase: false,
    heartbeat: None,
    facts: &[
        fact(
            "A message that is not acknowledged within the ack wait, 30 seconds unless the consumer says otherwise, is delivered again.",
            "Eine Nachricht, die nicht innerhalb der Ack-Wartezeit bestätigt wird (30 Sekunden, wenn der Consumer nichts anderes sagt), wird wieder zugestellt.",
            "https://docs.nats.io/nats-concepts/jetstream/consumers#general",
        ),
        fact(
            "An acknowledgement that comes after the ack wait counts, also when the message has been delivered again.",
            "Eine Bestätigung nach der Ack-Wartezeit zählt, auch wenn die Nachricht schon wieder zugestellt ist.",
            "https://docs.nats.io/nats-concepts/jetstream/consumers#ackpolicy",
        ),
        fact(
            "A message id that the stream has seen in the last two minutes is acknowledged and not stored.",
            "Eine Nachrichten-Id, die der Stream in den letzten zwei Minuten gesehen hat, wird bestätigt und nicht gespeichert.",
            "https://docs.nats.io/using-nats/developer/develop_jetstream/model_deep_dive#message-deduplication",
        ),
        fact(
            "After the last allowed delivery a message stays in the stream and is delivered no more.",
            "Nach der letzten erlaubten Zustellung bleibt eine Nachricht im Stream und wird nicht mehr zugestellt.",
            "https://docs.nats.io/using-nats/developer/develop_jetstream/consumers#dead-letter-queues-type-functionality",
        ),
        fact(
            "A message that is older than the stream's maximum age is removed.",
            "Eine Nachricht, die älter ist als das Höchstalter des Streams, wird entfernt.",
            "https://docs.nats.io/nats-concepts/jetstream/streams#configuration",
        ),
    ],
    cannot: &[
        cannot(
            Word::Partitions,
            "receivers share one sequence of messages, each acknowledged by itself; nobody reads by position",
            "die Empfänger teilen sich eine Reihe von Nachrichten, jede wird für sich bestätigt; niemand liest nach Position",
            "https://docs.nats.io/nats-concepts/jetstream/consumers",
        ),
        cannot(
            Word::Stale,
            "a late acknowledgement counts",
            "eine späte Bestätigung zählt",
            "https://docs.nats.io/nats-concepts/jetstream/consumers#ackpolicy",
        ),
        cannot(
            Word::Dead,
            "JetStream moves nothing: what is given up stays in the stream, and an advisory says so",
            "JetStream verschiebt nichts: Was aufgegeben ist, bleibt im Stream, und ein Advisory meldet es",
            "https://docs.nats.io/using-nats/developer/develop_jetstream/consumers#dead-letter-queues-type-functionality",
        ),
        cannot(
            Word::Drop,
            "what is given up stays in the stream",
            "was aufgegeben ist, bleibt im Stream",
            "https://docs.nats.io/using-nats/developer/develop_jetstream/consumers#dead-letter-queues-type-functionality",
        ),
        cannot(
            Word::DedupeWhileQueued,
            "ids are compared within a window of time, whatever became of the messages",
            "verglichen werden die Ids eines Zeitfensters, was auch aus den Nachrichten wurde",
            "https://docs.nats.io/using-nats/developer/develop_jetstream/model_deep_dive#message-deduplication",
        ),
        cannot(
            Word::Grouped,
            "a consumer has no groups: sequence needs one message in flight, or a consumer for each key",
            "ein Consumer kennt keine Gruppen: Reihenfolge braucht eine einzige Nachricht in Arbeit oder einen Consumer je Key",
            "https://docs.nats.io/nats-concepts/jetstream/consumers",
        ),
        cannot(
            Word::Prepare,
            "JetStream has no transactions",
            "JetStream kennt keine Transaktionen",
            "https://docs.nats.io/nats-concepts/jetstream",
        ),
    ],
};

const ARTEMIS_IDS: Dedupe = Dedupe::Last(20_000);

const ARTEMIS: Profile = Profile {
    name: "artemis",
    product: "Apache ActiveMQ Artemis",
    queue: QueueRules {
        attempts: Some(10),
        exhausted: Exhausted::Drop,
        dedupe_asked: Some(ARTEMIS_IDS),
        ..PLAIN
    },
    unroutable: Unroutable::Confirmed,
    two_phase: true,
    heartbeat: Some(60 * SECOND),
    facts: &[
        fact(
            "What a session has not acknowledged is delivered again when the session or its connection ends.",
            "Was eine Sitzung nicht bestätigt hat, wird wieder zugestellt, wenn sie oder ihre Verbindung endet.",
            "https://activemq.apache.org/artemis/docs/latest/undelivered-messages.html",
        ),
        fact(
            "After ten deliveries a message goes to the dead letter address, and is removed if there is none.",
            "Nach zehn Zustellungen geht eine Nachricht an die Dead-Letter-Adresse; gibt es keine, wird sie entfernt.",
            "https://activemq.apache.org/artemis/docs/latest/undelivered-messages.html#dead-letter-addresses",
        ),
        fact(
            "A client that is silent for 60 seconds has lost its connection.",
            "Wer 60 Sekunden lang schweigt, hat seine Verbindung verloren.",
            "https://activemq.apache.org/artemis/docs/latest/connection-ttl.html",
        ),
        fact(
            "The broker takes part in two-phase commits (XA).",
            "Der Broker nimmt an Zwei-Phasen-Commits teil (XA).",
            "https://activemq.apache.org/artemis/docs/latest/transaction-config.html",
        ),
        fact(
            "The duplicate ids of the last 20,000 messages are known; a copy is dropped.",
            "Die Duplikat-Ids der letzten 20.000 Nachrichten sind bekannt; eine Kopie wird verworfen.",
            "https://activemq.apache.org/artemis/docs/latest/duplicate-detection.html#configuring-the-duplicate-id-cache",
        ),
        fact(
            "A message to an address without queues is dropped without an error, unless it is to go to the dead letter address.",
            "Eine Nachricht an eine Adresse ohne Queues wird ohne Fehler verworfen, außer sie soll an die Dead-Letter-Adresse gehen.",
            "https://activemq.apache.org/artemis/docs/latest/address-settings.html",
        ),
    ],
    cannot: &[
        cannot(
            Word::Partitions,
            "receivers share one sequence of messages, each acknowledged by itself; nobody reads by position",
            "die Empfänger teilen sich eine Reihe von Nachrichten, jede wird für sich bestätigt; niemand liest nach Position",
            "https://activemq.apache.org/components/artemis/documentation/latest/address-model.html",
        ),
        cannot(
            Word::Lease,
            "Artemis has no lease: a delivery is its session's until that ends",
            "Artemis kennt keine Frist: Eine Zustellung bleibt bei ihrer Sitzung, bis diese endet",
            "https://activemq.apache.org/artemis/docs/latest/undelivered-messages.html",
        ),
        cannot(
            Word::Extend,
            "Artemis has no lease that could be prolonged",
            "Artemis kennt keine Frist, die man verlängern könnte",
            "https://activemq.apache.org/artemis/docs/latest/undelivered-messages.html",
        ),
        cannot(
            Word::Stale,
            "a session that has ended can acknowledge nothing",
            "eine Sitzung, die zu Ende ist, kann nichts bestätigen",
            "https://activemq.apache.org/artemis/docs/latest/undelivered-messages.html",
        ),
        cannot(
            Word::Keep,
            "Artemis sends what is given up to the dead letter address, or removes it",
            "Artemis schickt, was aufgegeben ist, an die Dead-Letter-Adresse oder entfernt es",
            "https://activemq.apache.org/artemis/docs/latest/undelivered-messages.html#dead-letter-addresses",
        ),
        cannot(
            Word::Dedupe,
            "Artemis knows a number of duplicate ids, 20,000, not those of a time",
            "Artemis kennt eine Anzahl von Duplikat-Ids, 20.000, nicht die eines Zeitraums",
            "https://activemq.apache.org/artemis/docs/latest/duplicate-detection.html#configuring-the-duplicate-id-cache",
        ),
        cannot(
            Word::DedupeWhileQueued,
            "Artemis knows the last 20,000 duplicate ids, whatever became of their messages",
            "Artemis kennt die letzten 20.000 Duplikat-Ids, was auch aus ihren Nachrichten wurde",
            "https://activemq.apache.org/artemis/docs/latest/duplicate-detection.html#configuring-the-duplicate-id-cache",
        ),
        cannot(
            Word::NackAfter,
            "the delay before another attempt is a setting of the address, not of the receiver",
            "die Wartezeit bis zum nächsten Versuch ist eine Einstellung der Adresse, nicht des Empfängers",
            "https://activemq.apache.org/artemis/docs/latest/undelivered-messages.html#delayed-redelivery",
        ),
    ],
};
