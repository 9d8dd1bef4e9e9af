//! The text as it was read: names unresolved, places kept.
//!
//! Written by `parser`, read by `compile`. Knows no table and no variable.

use super::diagnostics::Span;
use crate::expression::{ErrorClass, Operator, SqlType};
use crate::program::{Count, Dedupe, Expected, FaultLine, Kind, Stale, Unroutable};
use crate::sql::{Isolation, LockWait};
use crate::value::{Millis, Name, Value};
use std::rc::Rc;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    pub text: Name,
    pub span: Span,
}

impl Ident {
    pub fn new(text: &str, span: Span) -> Ident {
        Ident {
            text: Name::from(text),
            span,
        }
    }
}

/// `orders` or `shop.orders`.
#[derive(Clone, Debug, PartialEq)]
pub struct Qualified {
    pub owner: Option<Ident>,
    pub name: Ident,
}

impl Qualified {
    pub fn span(&self) -> Span {
        self.owner
            .as_ref()
            .map_or(self.name.span, |owner| owner.span.to(self.name.span))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    pub scenario: Head,
    pub databases: Vec<Database>,
    pub brokers: Vec<Broker>,
    pub outsides: Vec<Outside>,
    pub services: Vec<Service>,
    pub faults: Vec<FaultLine>,
    pub promises: Vec<Promise>,
    pub expected: Option<Vec<Expected>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    pub id: Option<Name>,
    pub title: Vec<(Name, Rc<str>)>,
    pub about: Vec<(Name, Rc<str>)>,
    pub variants: Vec<Name>,
    pub system: Option<Rc<str>>,
    pub pattern: Option<Rc<str>>,
    pub reports: Vec<Rc<str>>,
    pub until: Option<Millis>,
}

// --- Parties ----------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
pub struct Database {
    pub name: Ident,
    pub tables: Vec<Table>,
    pub initial: Vec<Insert>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub name: Ident,
    pub columns: Vec<Column>,
    pub uniques: Vec<TableUnique>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: Ident,
    pub kind: SqlType,
    pub serial: bool,
    pub not_null: bool,
    pub default: Option<Expression>,
}

/// A unique constraint, of a column or of the table, in text sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct TableUnique {
    pub columns: Vec<Ident>,
    pub primary: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Broker {
    pub name: Ident,
    pub profile: Option<Ident>,
    pub queues: Vec<Queue>,
    pub topics: Vec<Topic>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    pub name: Ident,
    pub lease: Option<Millis>,
    pub attempts: Option<u32>,
    pub exhausted: Option<Exhausted>,
    pub stale: Option<Stale>,
    pub volatile: bool,
    pub grouped: bool,
    pub dedupe: Option<Dedupe>,
    pub capacity: Option<u32>,
    pub expires: Option<Millis>,
    /// Set by a profile alone: expired messages do not go to the `dead` queue.
    pub expired_are_dropped: bool,
    /// Set by a profile alone.
    pub ack_timeout: Option<Millis>,
    /// Set by a profile alone.
    pub again_in_turn: bool,
    pub partitions: Option<u32>,
    /// Set by a profile alone.
    pub session: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Exhausted {
    Dead(Qualified),
    Drop,
    Keep,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    pub name: Ident,
    pub queues: Vec<Qualified>,
    pub unroutable: Option<Unroutable>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outside {
    pub record: Table,
    pub takes: Millis,
}

// --- Services ---------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    pub name: Ident,
    pub instances: u16,
    pub databases: Vec<Ident>,
    pub memory: Vec<(Ident, Expression)>,
    pub triggers: Vec<Trigger>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    pub span: Span,
    pub kind: TriggerKind,
    pub block: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TriggerKind {
    At {
        at: Millis,
        times: u32,
        every: Millis,
    },
    Every(Millis),
    Start,
    Handle {
        name: Ident,
        parameters: Vec<Ident>,
    },
    Receive {
        queue: Qualified,
        prefetch: u32,
        group: Option<Ident>,
        message: Ident,
    },
    Follow {
        table: Qualified,
        after: Option<Expression>,
        change: Ident,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The first line.
    pub span: Span,
    pub label: Option<Ident>,
    pub kind: StatementKind,
    pub handlers: Vec<OnBlock>,
}

/// `on CLASS, CLASS` and its block.
#[derive(Clone, Debug, PartialEq)]
pub struct OnBlock {
    pub classes: Vec<ErrorClass>,
    pub block: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// Could not be read (reported); it may assign.
    Broken(Option<Ident>),
    Sql(Option<Ident>, Sql),
    Request(Option<Ident>, Request),
    /// `x = expr`, or `x = handler(…)`.
    Assign(Ident, Expression),
    /// `handler(…)`.
    Inline(Ident, Vec<Expression>),
    Keep {
        message: Expression,
        every: Millis,
        times: Option<u32>,
    },
    Append(Expression, Ident),
    Done,
    Fail,
    Break,
    Return(Option<Expression>),
    Exit(Option<Millis>),
    Try(Vec<Statement>),
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    For {
        item: Ident,
        list: Expression,
        block: Vec<Statement>,
    },
    Repeat {
        times: Option<Expression>,
        every: Option<Millis>,
        block: Vec<Statement>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Publish {
        destination: Qualified,
        fields: Vec<(Ident, Expression)>,
        after: Option<Millis>,
        asynchronous: bool,
    },
    Confirm(Expression),
    Ack(Expression),
    Nack {
        message: Expression,
        after: Option<Millis>,
        dead: bool,
    },
    Extend {
        message: Expression,
        by: Option<Millis>,
    },
    Redrive {
        from: Qualified,
        to: Qualified,
    },
    CallOutside {
        outside: Ident,
        fields: Vec<(Ident, Expression)>,
    },
    CallService {
        service: Ident,
        handler: Ident,
        arguments: Vec<Expression>,
    },
    Sleep(Expression),
}

// --- SQL --------------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
pub enum Sql {
    Begin(Option<Ident>, Isolation),
    Commit(Option<Ident>),
    Rollback(Option<Ident>),
    Savepoint(Ident, Option<Ident>),
    RollbackTo(Ident, Option<Ident>),
    /// With the transaction's identifier.
    PrepareTransaction(Expression, Option<Ident>),
    CommitPrepared(Expression, Option<Ident>),
    RollbackPrepared(Expression, Option<Ident>),
    Select(Select),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    pub span: Span,
    pub table: Qualified,
    pub items: Vec<Item>,
    pub filter: Option<Expression>,
    pub order_by: Vec<(Expression, bool)>,
    pub limit: Option<Expression>,
    pub lock: Option<LockWait>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `*`.
    All,
    Expression(Expression, Option<Ident>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub table: Qualified,
    pub columns: Vec<Ident>,
    pub rows: Vec<(Span, Vec<Expression>)>,
    pub on_conflict: Option<(Span, Vec<Ident>)>,
    pub returning: Option<(Span, Vec<Item>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub table: Qualified,
    pub set: Vec<(Ident, Expression)>,
    pub filter: Option<Expression>,
    pub returning: Option<(Span, Vec<Item>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    pub table: Qualified,
    pub filter: Option<Expression>,
    pub returning: Option<(Span, Vec<Item>)>,
}

// --- Expressions ------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub span: Span,
    /// Levels of nesting, itself included.
    pub levels: u32,
    pub node: Box<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Literal(Value),
    /// `a`, `a.b`.
    Name(Vec<Ident>),
    /// `:a`, `:a.b`.
    Variable(Vec<Ident>),
    /// `self` or `:self`; true with the colon.
    Me(bool),
    EmptyList,
    Not(Expression),
    Negate(Expression),
    Binary(Operator, Expression, Expression),
    /// True for `is not null`.
    IsNull(Expression, bool),
    InList(Expression, Vec<Expression>),
    InValue(Expression, Expression),
    InSelect(Expression, Select),
    Exists(Select),
    Scalar(Select),
    Cast(Expression, SqlType),
    Call(Ident, Vec<Expression>),
    /// `count(*)`.
    CountAll,
}

// --- Promises ---------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
pub struct Promise {
    pub line: u32,
    pub kind: PromiseKind,
    pub sentences: Vec<Sentence>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PromiseKind {
    Each {
        count: Count,
        effect: Set,
        cause: Set,
        matching: Expression,
        waiting: Vec<Set>,
    },
    InOrder {
        set: Set,
        of: Expression,
        per: Option<Expression>,
    },
    No(Set),
    AtMost(i64, Set),
    Value(Select, Expression),
}

/// `shop.outbox`, `rabbit.events.dead`, `bank`, perhaps with `where`.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    pub path: Vec<Ident>,
    pub filter: Option<Expression>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    pub kind: Option<Kind>,
    pub language: Name,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(Rc<str>),
    Value(Expression),
}
