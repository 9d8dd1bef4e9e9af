//! The compiled scenario: services as flat lists of instructions, the parties' schemas, faults, promises.
//!
//! Written by `language`; run by `simulation`; judged by `verdict`; shown by `app`.
//! Refuses to know: text, positions other than line numbers, and how anything is executed.

pub mod profile;

use crate::expression::{ErrorClass, Expr, Slot};
use crate::sql::{DatabaseSchema, Select, Statement, TableSchema};
use crate::value::{Millis, Name};
use std::rc::Rc;

/// A parsed scenario text.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    pub id: Name,
    /// Titles by language code ("en", "de").
    pub title: Vec<(Name, Rc<str>)>,
    /// One or two sentences by language code.
    pub about: Vec<(Name, Rc<str>)>,
    /// Ids of the other designs of the same problem.
    pub variants: Vec<Name>,
    /// The software the scenario speaks of ("Debezium").
    pub system: Option<Rc<str>>,
    /// What it is an example of ("outbox relay").
    pub pattern: Option<Rc<str>>,
    /// Addresses of the public reports or documentation pages the scenario retells.
    pub reports: Vec<Rc<str>>,
    pub program: Rc<Program>,
    pub faults: Vec<FaultLine>,
    pub promises: Vec<Promise>,
    pub expected: Vec<Expected>,
    /// What the text says and its brokers' products cannot do, in text sequence.
    pub notes: Vec<Note>,
}

/// A word of the text that has no effect, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// From 1.
    pub line: u32,
    pub en: Rc<str>,
    pub de: Rc<str>,
    /// The page of the product's documentation.
    pub url: &'static str,
}

/// A fault and the line (from 1) of the text that states it.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultLine {
    pub line: u32,
    pub fault: Fault,
}

/// Everything a run needs but the faults.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub databases: Vec<DatabaseSchema>,
    pub brokers: Vec<BrokerSchema>,
    /// All queues of all brokers, in text sequence; their index is the queue's number everywhere.
    pub queues: Vec<QueueSchema>,
    pub topics: Vec<Topic>,
    pub outsides: Vec<Outside>,
    pub services: Vec<Service>,
    /// `until`: the run ends here at the latest.
    pub until: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BrokerSchema {
    pub name: Name,
    /// It takes part in two-phase commits: `prepare transaction` is not refused.
    pub two_phase: bool,
    /// A client that is silent for so long has lost its connection.
    pub heartbeat: Option<Millis>,
    /// The product whose rules it has.
    pub profile: Option<&'static profile::Profile>,
}

impl BrokerSchema {
    /// A broker that is no product.
    pub fn plain(name: Name) -> BrokerSchema {
        BrokerSchema {
            name,
            two_phase: true,
            heartbeat: None,
            profile: None,
        }
    }
}

/// A queue and its rules.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSchema {
    pub name: Name,
    /// Index into the brokers.
    pub broker: u16,
    /// With a lease a delivery returns when the time is over; without one it returns when its connection ends.
    pub lease: Option<Millis>,
    /// Deliveries before a message is given up; none: no limit.
    pub attempts: Option<u32>,
    pub exhausted: Exhausted,
    /// What an ack, nack or extension with the handle of an ended delivery does.
    pub stale: Stale,
    /// A message that came back is delivered before those that were never delivered, in the sequence in which they came back; of
    /// those whose leases and delays end at one instant the oldest comes first. Else it takes its old place.
    pub again_in_turn: bool,
    /// Lost when its broker goes down.
    pub volatile: bool,
    /// Of the messages with the same `key` one is in flight at a time, the oldest first; null is no group.
    pub grouped: bool,
    /// A second message with an `id` that is known is confirmed and not stored; null is never known.
    pub dedupe: Option<Dedupe>,
    /// A publish is refused while so many messages are ready, delayed or in flight.
    pub capacity: Option<u32>,
    pub expires: Option<Expires>,
    /// A connection-bound delivery that is not acknowledged for so long ends its connection.
    pub ack_timeout: Option<Millis>,
    /// It is an append-only log of so many partitions, read by consumer groups. None: messages are deleted at their ack.
    pub partitions: Option<u32>,
    /// A member of a consumer group whose connection broke is waited for so long, whatever it holds. None: its leases decide.
    pub session: Option<Millis>,
    /// The consumer groups that the text names, in its sequence; a group's number is its index. Empty without partitions.
    pub groups: Rc<[Name]>,
    /// Every field that any `publish` of the text gives this queue's messages; `id`, `key` and `body` first.
    pub fields: Rc<[Name]>,
}

impl QueueSchema {
    /// A queue for which the text states no rules: connection-bound, without limits.
    pub fn plain(name: Name, broker: u16) -> QueueSchema {
        QueueSchema {
            name,
            broker,
            lease: None,
            attempts: None,
            exhausted: Exhausted::Keep,
            stale: Stale::Refused,
            again_in_turn: false,
            volatile: false,
            grouped: false,
            dedupe: None,
            capacity: None,
            expires: None,
            ack_timeout: None,
            partitions: None,
            groups: Rc::from([]),
            session: None,
            fields: ["id", "key", "body"].map(Name::from).into(),
        }
    }
}

/// How long a queue knows the ids of the messages it has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dedupe {
    /// So long after it accepted the first, whatever became of that.
    Within(Millis),
    /// As long as the first is ready, delayed or in flight.
    WhileQueued,
    /// As long as it is among so many last ones.
    Last(u32),
}

/// What becomes of a message that has been in a queue for so long and is not in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expires {
    pub after: Millis,
    /// Moves to this queue; none: it is dropped.
    pub dead: Option<u16>,
}

/// What becomes of a message after its last allowed delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// Moves to this dead-letter queue (index into the program's queues).
    Dead(u16),
    Drop,
    /// Lies there and is delivered no more.
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    Refused,
    Accepted,
    /// All is well, and nothing happens.
    Ignored,
    Steals,
    /// Refused, and the connection of whoever tried it ends.
    Closes,
}

/// A topic copies each message to its queues; without queues a message is unroutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    pub name: Name,
    pub broker: u16,
    pub queues: Vec<u16>,
    pub unroutable: Unroutable,
}

/// What a publisher hears of a message that no queue takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unroutable {
    #[default]
    Refused,
    /// All is well; the message is gone.
    Confirmed,
}

/// An outside party (bank, mail service): every call that arrives is an effect nobody can roll back.
#[derive(Clone, Debug, PartialEq)]
pub struct Outside {
    /// Its columns are the call's fields; a unique constraint is its idempotency key.
    pub record: TableSchema,
    /// From arrival to effect.
    pub takes: Millis,
}

/// A service: one program, run by one or more instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    pub name: Name,
    pub line: u32,
    pub instances: u16,
    /// Databases it is connected to (indices).
    pub databases: Vec<u16>,
    /// The instance's variables and their values at each start.
    pub memory: Vec<(Name, Expr)>,
    pub triggers: Vec<Trigger>,
    /// One flat list for all triggers and handlers.
    pub code: Vec<Instruction>,
    /// Innermost first: the first that covers the failing instruction and names its class takes the error.
    pub handlers: Vec<Handler>,
    /// The names of its steps; an instruction holds an index into it. Steps with the same name share the entry.
    pub steps: Vec<Name>,
    /// Number of local variables a task needs.
    pub locals: u16,
    /// The locals' names, for showing them; made-up slots are empty.
    pub local_names: Vec<Name>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    pub kind: TriggerKind,
    /// First instruction of its block.
    pub entry: Pc,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TriggerKind {
    /// `at 5s [times n every t]`: fires at `at`, then `times - 1` more, each `every` later.
    At { at: Millis, times: u32, every: Millis },
    /// Fires at start and then this long after the end of each pass.
    Every(Millis),
    /// Fires once in each life of the process.
    Start,
    /// Called by other services; the arguments go to these locals.
    Handle { name: Name, parameters: Vec<Slot> },
    Receive {
        queue: u16,
        /// So many messages are with the instance at most, the one at work included; their leases run from the fetch.
        prefetch: u32,
        /// Of a partitioned queue: the consumer group, by its number.
        group: Option<u16>,
        message: Slot,
    },
    Follow {
        database: u16,
        table: u16,
        /// Follow what comes after this position (a change's number in the table's commit log, from 1); asked at each
        /// start of the process. None: from the beginning of the log.
        after: Option<After>,
        change: Slot,
    },
}

/// Where a follower finds the position it goes on from; null counts as 0.
#[derive(Clone, Debug, PartialEq)]
pub enum After {
    Expr(Expr),
    /// The first field of the first row, read from the followed database.
    Select(Rc<Select>),
}

/// Index into a service's code.
pub type Pc = u32;

#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// One request to one party and its answer: the only instruction that takes time and is a step.
    Step {
        /// Index into the service's step names.
        step: u16,
        line: u32,
        request: Request,
        into: Option<Place>,
    },
    /// Background renewal of a delivery's lease, `every` so long, `times` at most; its requests are visits of `step`.
    Keep {
        step: u16,
        line: u32,
        message: Expr,
        every: Millis,
        times: Option<u32>,
    },
    Set {
        place: Place,
        value: Expr,
        line: u32,
    },
    Append {
        value: Expr,
        place: Place,
        line: u32,
    },
    /// Goes on if the condition is true, else jumps.
    Unless {
        condition: Expr,
        otherwise: Pc,
        line: u32,
    },
    Jump(Pc),
    /// Starts a loop over a list (or one row): remembers the items and position 0 in two made-up locals.
    ForStart {
        list: Expr,
        items: Slot,
        index: Slot,
        line: u32,
    },
    /// Takes the next item into `item` or jumps to `end`.
    ForNext {
        items: Slot,
        index: Slot,
        item: Slot,
        end: Pc,
    },
    /// `repeat … every t`: waits until t after the time noted in `since` (a made-up local), then notes the new time.
    Pause {
        every: Millis,
        since: Slot,
    },
    /// Ends the pass well.
    Done,
    /// Ends the pass as failed: rollback, no ack.
    Fail {
        line: u32,
    },
    /// `return expr` of a called handler: the caller gets the value.
    Return {
        value: Expr,
        line: u32,
    },
    /// A clean stop of the process, started again after the time, if there is one.
    Exit {
        restart: Option<Millis>,
        line: u32,
    },
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Local(Slot),
    Memory(Slot),
}

/// `on CLASS` lines: errors of the instructions `from..to` of these classes go on at `pc`.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    pub from: Pc,
    pub to: Pc,
    pub classes: Vec<ErrorClass>,
    pub pc: Pc,
}

/// What a step asks of a party. Expressions are evaluated when it is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Sql {
        database: u16,
        statement: Statement,
        /// The values of the statement's `Expr::Parameter`s.
        parameters: Vec<Expr>,
    },
    Publish {
        destination: Destination,
        fields: Vec<(Name, Expr)>,
        /// Delayed so long by the broker.
        after: Option<Millis>,
        /// The program does not wait for the broker's answer: it gets a handle.
        asynchronous: bool,
    },
    /// Waits for the result of an asynchronous publish, given its handle.
    Confirm(Expr),
    Ack(Expr),
    Nack {
        message: Expr,
        after: Option<Millis>,
        dead: bool,
    },
    Extend {
        message: Expr,
        by: Option<Millis>,
    },
    Redrive {
        from: u16,
        to: u16,
    },
    CallOutside {
        outside: u16,
        /// One expression for each column of the record, in its sequence; null where the call names none.
        fields: Vec<Expr>,
    },
    CallService {
        service: u16,
        /// Index into that service's triggers (a `Handle`).
        trigger: u16,
        arguments: Vec<Expr>,
    },
    Sleep(Expr),
    /// A transaction on a broker: this task's publishes and acks there take effect together.
    Transaction {
        broker: u16,
        action: TransactionAction,
    },
}

/// What is said of a transaction on a broker. The last three name a prepared one: an expression that gives a text.
#[derive(Clone, Debug, PartialEq)]
pub enum TransactionAction {
    Begin,
    Commit,
    Rollback,
    Prepare(Expr),
    CommitPrepared(Expr),
    RollbackPrepared(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    Queue(u16),
    Topic(u16),
}

// --- Faults -----------------------------------------------------------------------------------------------------

/// A step by name: `Relay#2.publish-events.1`. Written without `#1`, always with its visit; read with either left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepName {
    pub service: Name,
    /// From 1.
    pub instance: u16,
    pub step: Name,
    /// How often this instance has done the step, from 1.
    pub visit: u32,
}

/// Where, relative to a step. *Before k+1* and *after k* are one gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Before,
    /// From sending until the effect.
    During,
    After,
}

/// `after Relay#2.publish-events.1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub side: Side,
    pub step: StepName,
}

/// A step and perhaps all its later visits (`+`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visits {
    pub first: StepName,
    pub and_all_later: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    At(Millis),
    Point(Point),
}

/// A fault line of the text. LANGUAGE: "Faults in phases".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Restart after this long; none: never. The text's `restart` left out means 5 s.
    Crash(Point, Option<Millis>),
    Pause(Point, Millis),
    LoseRequest(Visits),
    LoseReply(Visits),
    Refuse(Visits),
    Delay(Visits, Millis),
    /// A database or broker (or outside party) by name.
    Down(Name, Moment, Millis),
    Cut(Name, Name, Moment, Millis),
}

/// Restart time of a crash whose line does not say one.
pub const RESTART_DEFAULT: Millis = 5_000;

// --- Promises ---------------------------------------------------------------------------------------------------

/// In promises: the local that holds the effect's row.
pub const EFFECT: Slot = 0;
/// In promises: the local that holds the cause's row.
pub const CAUSE: Slot = 1;
/// In a set's `where`, in `in order of` and `per`: the local that holds the set's own row (bare columns).
pub const OWN: Slot = 2;

#[derive(Clone, Debug, PartialEq)]
pub struct Promise {
    pub line: u32,
    pub kind: PromiseKind,
    /// What the scenario itself says when the promise is kept or broken; general sentences stand in for missing ones.
    pub sentences: Vec<Sentence>,
}

/// `lost en "Order {cause.id} is paid, nothing is shipped."` below a promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// None: `healthy`.
    pub kind: Option<Kind>,
    /// Language code.
    pub language: Name,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(Rc<str>),
    /// `{cause.id}`: over [`EFFECT`], [`CAUSE`] and [`OWN`], as far as the promise has them.
    Value(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub enum PromiseKind {
    /// `one effects for each causes matching … waiting in …`.
    Each {
        count: Count,
        effect: Set,
        cause: Set,
        matching: Expr,
        waiting: Vec<Set>,
    },
    InOrder {
        set: Set,
        of: Expr,
        per: Option<Expr>,
    },
    No(Set),
    AtMost(i64, Set),
    /// `promise value (select …) = expr`, on committed rows at the end.
    Value {
        database: u16,
        select: Rc<Select>,
        equals: Expr,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    One,
    AtMostOne,
    AtLeastOne,
}

/// A set of rows a promise speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    pub relation: Relation,
    pub filter: Option<Expr>,
}

/// What rows, messages or effects belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    Table {
        database: u16,
        table: u16,
    },
    /// Every committed insert, update and delete after the initial rows: the columns (new values; the old ones of a delete), and
    /// `change` = 'insert' | 'update' | 'delete'.
    Changes {
        database: u16,
        table: u16,
    },
    Queue(u16),
    /// What was dead-lettered from this queue.
    Dead(u16),
    Outside(u16),
}

/// What a verdict can find, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Phantom,
    Lost,
    Duplicate,
    WrongValue,
    OutOfOrder,
    Stuck,
    Blocked,
    DeadLettered,
    Growth,
}

impl Kind {
    /// All kinds, gravest first.
    pub const ALL: [Kind; 9] = [
        Kind::Phantom,
        Kind::Lost,
        Kind::Duplicate,
        Kind::WrongValue,
        Kind::OutOfOrder,
        Kind::Stuck,
        Kind::Blocked,
        Kind::DeadLettered,
        Kind::Growth,
    ];

    /// As `expect` and the JSON write it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Phantom => "phantom",
            Kind::Lost => "lost",
            Kind::Duplicate => "duplicate",
            Kind::WrongValue => "wrong value",
            Kind::OutOfOrder => "out of order",
            Kind::Stuck => "stuck",
            Kind::Blocked => "blocked",
            Kind::DeadLettered => "dead-lettered",
            Kind::Growth => "growth",
        }
    }
}

/// One item of `expect`: a kind, perhaps with its subject. `expect healthy` is an empty list.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    pub kind: Kind,
    pub subject: Option<crate::value::Value>,
}
