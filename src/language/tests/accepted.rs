//! Statement forms one by one: what each compiles to.

use super::{good, in_service, service};
use crate::expression::{Expr, Function, Operator};
use crate::program::{
    After, Dedupe, Destination, Exhausted, Expected, Expires, Instruction, Kind, Part, PromiseKind, Relation, Request,
    Stale, TriggerKind, Unroutable,
};
use crate::sql::{Default, Isolation, LockWait, OnConflict, Statement};
use crate::value::Value;

/// The first request of a block.
fn request(block: &str) -> Request {
    requests(block).remove(0)
}

fn requests(block: &str) -> Vec<Request> {
    let service = service(&in_service(block));
    let entry = service.triggers.last().expect("a trigger").entry as usize;
    let steps = service.code.into_iter().skip(entry);
    steps
        .filter_map(|instruction| match instruction {
            Instruction::Step { request, .. } => Some(request),
            _ => None,
        })
        .collect()
}

fn statement(block: &str) -> Statement {
    match request(block) {
        Request::Sql { statement, .. } => statement,
        other => panic!("{other:?}"),
    }
}

fn text(value: &str) -> Expr {
    Expr::Literal(Value::text(value))
}

fn int(value: i64) -> Expr {
    Expr::Literal(Value::Int(value))
}

#[test]
fn transactions() {
    assert_eq!(statement("begin"), Statement::Begin(Isolation::ReadCommitted));
    assert_eq!(
        statement("begin on shop isolation level repeatable read"),
        Statement::Begin(Isolation::RepeatableRead)
    );
    assert_eq!(
        statement("begin isolation level serializable"),
        Statement::Begin(Isolation::Serializable)
    );
    assert_eq!(statement("COMMIT"), Statement::Commit);
    assert_eq!(statement("rollback"), Statement::Rollback);
    assert_eq!(statement("savepoint a"), Statement::Savepoint("a".into()));
    assert_eq!(statement("rollback to a"), Statement::RollbackTo("a".into()));
    assert_eq!(statement("rollback to savepoint a"), Statement::RollbackTo("a".into()));
}

#[test]
fn two_phase_commit() {
    assert_eq!(
        statement("prepare transaction 'x'"),
        Statement::PrepareTransaction(text("x"))
    );
    assert_eq!(
        statement("rollback prepared 'x' on shop"),
        Statement::RollbackPrepared(text("x"))
    );
    let Request::Sql {
        statement, parameters, ..
    } = request("COMMIT PREPARED :self")
    else {
        panic!("no SQL")
    };
    assert_eq!(statement, Statement::CommitPrepared(Expr::Parameter(0)));
    assert_eq!(parameters, [Expr::Me]);
}

#[test]
fn select_with_everything() {
    let block = "select id, note as n, *, count from orders";
    assert!(super::problems(block)[0].contains("in SQL a variable is written with a colon: `:count`"));
    let Statement::Select(select) = statement(
        "rows = select id, note as n, * from orders where not sent order by total desc, n limit 2 for update skip locked",
    ) else {
        panic!("no select")
    };
    let names: Vec<&str> = select.items.names.iter().map(|name| &**name).collect();
    assert_eq!(names, ["id", "n", "id", "note", "total", "sent", "at"]);
    assert_eq!(select.lock, Some(LockWait::SkipLocked));
    assert_eq!(select.limit, Some(int(2)));
    let keys: Vec<_> = select
        .order_by
        .iter()
        .map(|key| (key.expr.clone(), key.descending))
        .collect();
    let column = |column| Expr::Column { depth: 0, column };
    assert_eq!(keys, [(column(2), true), (column(1), false)]); // `n` is the item's name, so column `note`
    let Statement::Select(select) = statement("select count(*), max(total) as m from orders") else {
        panic!("no select")
    };
    assert!(select.items.aggregates);
}

#[test]
fn sub_selects_see_the_row_around_them() {
    let Statement::Delete(delete) =
        statement("delete from orders where exists (select n from other where n = id and other.n = orders.total)")
    else {
        panic!("no delete")
    };
    let Some(Expr::Exists(select)) = delete.filter else {
        panic!("no exists")
    };
    let column = |depth, column| Box::new(Expr::Column { depth, column });
    let equal = |a, b| Box::new(Expr::Binary(Operator::Equal, a, b));
    let wanted = Expr::Binary(
        Operator::And,
        equal(column(0, 0), column(1, 0)),
        equal(column(0, 0), column(1, 2)),
    );
    assert_eq!(select.filter, Some(wanted));
}

#[test]
fn insert_with_conflict_and_parameters() {
    let block = "x = 7\ninsert into orders (id, note, total) values (:x, 'a', :x + 1), (2, :x, 3) on conflict (id) do nothing returning id";
    let Request::Sql {
        statement: Statement::Insert(insert),
        parameters,
        ..
    } = request(block)
    else {
        panic!("no insert")
    };
    assert_eq!(insert.columns, [0, 1, 2]);
    assert_eq!(insert.on_conflict, Some(OnConflict { unique: Some(0) }));
    assert_eq!(parameters.len(), 1, "the same variable is bound once");
    // PostgreSQL assigns anything to a text column by writing it as text.
    assert!(matches!(&insert.rows[1][1], Expr::Cast(inner, _) if **inner == Expr::Parameter(0)));
}

#[test]
fn quoted_literals_take_the_type_they_meet() {
    let Statement::Update(update) =
        statement("update orders set total = '12', at = now() + interval '1 min' where id in ('1', '2')")
    else {
        panic!("no update")
    };
    assert_eq!(update.set[0].1, int(12));
    let column = Box::new(Expr::Column { depth: 0, column: 0 });
    assert_eq!(update.filter, Some(Expr::InList(column, vec![int(1), int(2)])));
}

#[test]
fn messages() {
    let fields = vec![("id".into(), int(1))];
    assert_eq!(
        request("publish events (id = 1) after 5s"),
        Request::Publish {
            destination: Destination::Queue(0),
            fields: fields.clone(),
            after: Some(5_000),
        }
    );
    let Request::Publish { destination, .. } = request("publish rabbit.news (id = 1)") else {
        panic!("no publish")
    };
    assert_eq!(destination, Destination::Topic(0));
    assert_eq!(request("redrive other to events"), Request::Redrive { from: 1, to: 0 });
    let block = "m = null\nack m\nnack m\nnack m dead\nnack m after 1s\nextend m\nextend m by 2s";
    let Request::Ack(message) = request(block) else {
        panic!("no ack")
    };
    let nack = |after, dead| Request::Nack {
        message: message.clone(),
        after,
        dead,
    };
    let extend = |by| Request::Extend {
        message: message.clone(),
        by,
    };
    assert_eq!(
        requests(block)[1..],
        [
            nack(None, false),
            nack(None, true),
            nack(Some(1_000), false),
            extend(None),
            extend(Some(2_000))
        ]
    );
}

#[test]
fn calls() {
    assert_eq!(
        request("call bank (amount = 5)"),
        Request::CallOutside {
            outside: 0,
            fields: vec![Expr::Literal(Value::Null), int(5)],
        }
    );
    assert_eq!(
        request("x = call Shop.greet('you')"),
        Request::CallService {
            service: 0,
            trigger: 0,
            arguments: vec![text("you")],
        }
    );
    assert_eq!(
        request("sleep 2s"),
        Request::Sleep(Expr::Literal(Value::Interval(2_000)))
    );
}

#[test]
fn steps_are_named_after_what_they_do_or_by_their_label() {
    let block = "begin\ninsert into orders (id, total) values (1, 2)\nmark-it: commit\nrollback to a\npublish news (id = 1)\n\
                 call bank (amount = 1)\ncall Shop.greet(1)\nredrive other to events\nack: sleep 1s\nmark-it: sleep 1s";
    let steps = service(&in_service(block)).steps;
    let steps: Vec<&str> = steps.iter().map(|step| &**step).collect();
    let wanted = [
        "begin",
        "insert-orders",
        "mark-it",
        "rollback-to",
        "publish-news",
        "call-bank",
        "call-Shop-greet",
        "redrive-other",
        "ack",
    ];
    assert_eq!(steps, wanted);
}

#[test]
fn keep_exit_and_expressions() {
    let block = "m = null\nkeep m every 10s times 2\nlist = []\nappend fresh('a') to list\nappend now() - 5s to batch\nexit for 3s";
    let service = service(&in_service(block));
    let has = |wanted: &dyn Fn(&Instruction) -> bool| assert!(service.code.iter().any(wanted), "{:?}", service.code);
    has(&|i| {
        matches!(
            i,
            Instruction::Keep {
                every: 10_000,
                times: Some(2),
                ..
            }
        )
    });
    has(&|i| {
        matches!(
            i,
            Instruction::Append {
                value: Expr::Call(Function::Fresh, _),
                ..
            }
        )
    });
    has(&|i| {
        matches!(
            i,
            Instruction::Exit {
                restart: Some(3_000),
                ..
            }
        )
    });
}

#[test]
fn triggers() {
    let base = super::WORLD.replace("  start\n", "");
    let text = format!(
        "{base}  at 1s times 3 every 2s done\n  every 5s done\n  start done\n  receive events as m done\n  \
         follow orders after (select id from orders where note = 'f') as c done\n  follow orders after count as c done\n"
    );
    let kinds: Vec<TriggerKind> = service(&text)
        .triggers
        .into_iter()
        .skip(1)
        .map(|trigger| trigger.kind)
        .collect();
    assert_eq!(
        kinds[..3],
        [
            TriggerKind::At {
                at: 1_000,
                times: 3,
                every: 2_000
            },
            TriggerKind::Every(5_000),
            TriggerKind::Start
        ]
    );
    assert!(matches!(kinds[3], TriggerKind::Receive { queue: 0, .. }));
    assert!(matches!(
        &kinds[4],
        TriggerKind::Follow {
            after: Some(After::Select(_)),
            ..
        }
    ));
    assert!(matches!(
        &kinds[5],
        TriggerKind::Follow {
            after: Some(After::Expr(Expr::Memory(0))),
            ..
        }
    ));
}

#[test]
fn queues_and_their_fields() {
    let text = "scenario s\nbroker b\n  queue a lease 30s attempts 5 dead d stale steals\n  queue d drop\n  queue v volatile keep\n  \
                topic t to a, v\nservice S\n  start\n    publish t (id = 1, extra = 'x')\n    publish v (more = 2)\n    redrive d to v\n";
    let scenario = good(text);
    let [a, d, v] = scenario.program.queues.as_slice() else {
        panic!("three queues")
    };
    assert_eq!(
        (a.lease, a.attempts, a.exhausted, a.stale),
        (Some(30_000), Some(5), Exhausted::Dead(1), Stale::Steals)
    );
    assert_eq!(
        (d.exhausted, d.stale, d.volatile),
        (Exhausted::Drop, Stale::Refused, false)
    );
    assert!(v.volatile);
    let fields = |queue: &crate::program::QueueSchema| queue.fields.iter().map(|f| f.to_string()).collect::<Vec<_>>();
    assert_eq!(fields(a), ["id", "key", "body", "extra"]);
    assert_eq!(
        fields(d),
        ["id", "key", "body", "extra"],
        "dead letters keep their fields"
    );
    assert_eq!(fields(v), ["id", "key", "body", "extra", "more"]);
}

#[test]
fn rules_of_queues_topics_and_receivers() {
    let text = "scenario s\nbroker b\n  queue a grouped dedupe 5min capacity 9 expires 1h dead d\n  queue d dedupe while queued\n  \
                topic t unroutable confirmed\n  topic u unroutable refused\n  topic v\nservice S\n  receive a prefetch 7 as m done\n  \
                receive d as m done\n";
    let program = good(text).program;
    let [a, d] = program.queues.as_slice() else {
        panic!("two queues")
    };
    assert_eq!(
        (a.grouped, a.dedupe, a.capacity),
        (true, Some(Dedupe::Within(300_000)), Some(9))
    );
    let (after, dead) = (3_600_000, Some(1));
    assert_eq!(a.expires, Some(Expires { after, dead }));
    assert_eq!(
        (d.grouped, d.dedupe, d.capacity, d.expires),
        (false, Some(Dedupe::WhileQueued), None, None)
    );
    let unroutable: Vec<Unroutable> = program.topics.iter().map(|topic| topic.unroutable).collect();
    assert_eq!(
        unroutable,
        [Unroutable::Confirmed, Unroutable::Refused, Unroutable::Refused]
    );
    let prefetch = program.services[0].triggers.iter().map(|trigger| match trigger.kind {
        TriggerKind::Receive { prefetch, .. } => prefetch,
        _ => 0,
    });
    assert_eq!(prefetch.collect::<Vec<_>>(), [7, 1]);
}

#[test]
fn tables() {
    let source = "scenario s\ndatabase d\n  table t (a bigserial, b text default 'x' not null, c int unique,\n    primary key (a, b), unique (c, b))\n  \
                insert into t (b) values ('y')\noutside o (id text unique) takes 2s\n";
    let program = good(source).program;
    let table = &program.databases[0].tables[0];
    assert_eq!(table.columns[0].default, Default::Serial);
    assert_eq!(table.columns[1].default, Default::Expr(text("x")));
    let uniques: Vec<(&str, &[u16], bool)> = table
        .uniques
        .iter()
        .map(|unique| (&*unique.name, &*unique.columns, unique.primary))
        .collect();
    let wanted: [(&str, &[u16], bool); 3] = [
        ("t_c_key", &[2], false),
        ("t_pkey", &[0, 1], true),
        ("t_c_b_key", &[2, 1], false),
    ];
    assert_eq!(uniques, wanted);
    assert_eq!(program.databases[0].initial[0].columns, [1]);
    assert_eq!(
        (program.outsides[0].takes, program.outsides[0].record.uniques.len()),
        (2_000, 1)
    );
}

#[test]
fn promises_and_expectations() {
    let base = in_service("done");
    let text = format!(
        "{base}promise at least one bank where amount > 0\n  for each shop.orders.changes where change = 'insert'\n  matching effect.amount = cause.id\n  \
         waiting in rabbit.events.dead where key = cause.note\n  lost de \"Nummer {{cause.id}} fehlt.\"\n  wrong value en \"{{effect.amount}}\"\n\
         promise bank where amount > 1 in order of amount per order_id\npromise at most 3 store.parcels\n\
         promise value (select sum(total) from orders where sent) = 5\nexpect lost 'a', out of order, dead-lettered -4, wrong value\n"
    );
    let scenario = good(&text);
    let kinds: Vec<&PromiseKind> = scenario.promises.iter().map(|promise| &promise.kind).collect();
    let PromiseKind::Each { cause, waiting, .. } = kinds[0] else {
        panic!("no each")
    };
    assert_eq!(cause.relation, Relation::Changes { database: 0, table: 0 });
    assert_eq!(waiting[0].relation, Relation::Dead(0));
    assert!(matches!(kinds[1], PromiseKind::InOrder { per: Some(_), .. }));
    assert!(matches!(kinds[2], PromiseKind::AtMost(3, _)));
    assert!(matches!(kinds[3], PromiseKind::Value { database: 0, .. }));
    let sentence = &scenario.promises[0].sentences[0];
    assert_eq!((sentence.kind, &*sentence.language), (Some(Kind::Lost), "de"));
    let id = Expr::Field(Box::new(Expr::Local(crate::program::CAUSE)), "id".into());
    assert_eq!(
        sentence.parts,
        [
            Part::Text("Nummer ".into()),
            Part::Value(id),
            Part::Text(" fehlt.".into())
        ]
    );
    let expected = |kind, subject| Expected { kind, subject };
    assert_eq!(
        scenario.expected,
        [
            expected(Kind::Lost, Some(Value::text("a"))),
            expected(Kind::OutOfOrder, None),
            expected(Kind::DeadLettered, Some(Value::Int(-4))),
            expected(Kind::WrongValue, None),
        ]
    );
}

#[test]
fn capitals_and_carriage_returns_are_read() {
    let text = in_service("ROWS = SELECT id FROM orders WHERE NOT sent").replace('\n', "\r\n");
    good(&text);
}
