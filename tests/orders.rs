//! Orders of simultaneous events: those that are passed over because they cannot matter leave nothing that others do not.
//!
//! Services that act in lock step are made up at random; every order of their events, tried without any reduction, is the model.

mod support;

use crashpoint::program::{Relation, Scenario};
use crashpoint::simulation::{Enough, Explorer, FaultKind, Found, Plan, World};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeSet;

const HEAD: &str = "\
scenario LOCKSTEP
database a
  table t (id int primary key, n int not null default 0)
  table u (id serial primary key, k int not null)
  insert into t (id) values (1), (2)
database b
  table w (id serial primary key, k int not null)
broker rabbit
  queue q
  queue r lease 30s
";

/// Lines of a service on database a.
const LINES: &[&str] = &[
    "insert into u (k) values (NUMBER)",
    "insert into t (id, n) values (3, NUMBER) on conflict do nothing",
    "update t set n = n + 1 where id = NUMBER",
    "update t set n = NUMBER where n = 0",
    "update t set id = id + 3 where id = NUMBER",
    "delete from t where id = NUMBER",
    "xNUMBER = select n from t where id = NUMBER\n    if xNUMBER.n = 1 publish q (id = NUMBER)",
    "yNUMBER = select id from t order by id limit 1 for update skip locked\n    if yNUMBER insert into u (k) values (:yNUMBER.id)",
    "insert into u (k) values ((select count(*) from t))",
    "cNUMBER = select count(*) as n from u\n    insert into u (k) values (:cNUMBER.n)",
    "publish q (id = NUMBER)",
    "publish r (id = NUMBER)",
    "sleep 1ms",
];

const RECEIVER: &str = "    insert into w (k) values (:m.id)\n    ack m\n";

#[derive(Clone, Debug)]
struct Worker {
    lines: Vec<(usize, u8)>,
    in_transaction: bool,
    instances: u8,
    /// Milliseconds: answers come at even times if this is even, and meet the requests of others if it is not.
    start: u8,
}

fn worker() -> impl Strategy<Value = Worker> {
    let line = (any::<Index>(), 1..=2u8);
    let others = (any::<bool>(), 1..=2u8, 0..=3u8);
    (proptest::collection::vec(line, 1..=3), others).prop_map(|(lines, (in_transaction, instances, start))| Worker {
        start,
        lines: lines
            .into_iter()
            .map(|(line, number)| (line.index(LINES.len()), number))
            .collect(),
        in_transaction,
        instances,
    })
}

fn text(workers: &[Worker], receivers: usize) -> String {
    let mut text = HEAD.to_owned();
    for (number, worker) in workers.iter().enumerate() {
        text += &format!(
            "service S{number} x{} on a\n  at {}ms\n",
            worker.instances, worker.start
        );
        let mut lines: Vec<String> = worker
            .lines
            .iter()
            .map(|(line, number)| LINES[*line].replace("NUMBER", &number.to_string()))
            .collect();
        if worker.in_transaction {
            lines.insert(0, "begin".to_owned());
            lines.push("commit".to_owned());
        }
        for line in lines {
            text += &format!("    {line}\n");
        }
    }
    if receivers > 0 {
        text += &format!("service R x{receivers} on b\n  receive q as m\n{RECEIVER}");
    }
    text
}

/// Everything that happened, relation by relation, and how many messages are left.
fn left(scenario: &Scenario, world: &World) -> Vec<String> {
    let program = &scenario.program;
    let tables = [(0, 0), (0, 1), (1, 0)].map(|(database, table)| Relation::Table { database, table });
    let queues = (0..program.queues.len() as u16).map(Relation::Queue);
    let of = |relation| {
        let facts = world.facts(relation).iter();
        let facts: Vec<String> = facts.map(|fact| format!("{:?} {:?}", fact.change, fact.row)).collect();
        format!("{relation:?} {facts:?}")
    };
    let present = (0..program.queues.len() as u16).map(|queue| {
        let messages = world.queue(queue).present().map(|message| message.number);
        format!("{:?}", messages.collect::<BTreeSet<u32>>())
    });
    tables.into_iter().chain(queues).map(of).chain(present).collect()
}

fn plan(compared: Vec<Vec<Relation>>, faults: usize, reduce: bool) -> Plan {
    Plan {
        kinds: vec![FaultKind::Crash],
        faults,
        standing: Vec::new(),
        events_max: 500,
        compared,
        orders: true,
        reduce,
        recognise: true,
    }
}

/// What every order leaves under every set of so many crashes; none where there are too many.
fn everything(
    scenario: &Scenario,
    together: bool,
    faults: usize,
    (reduce, work): (bool, u64),
) -> Option<BTreeSet<Vec<String>>> {
    let relations = vec![
        Relation::Table { database: 0, table: 1 },
        Relation::Table { database: 1, table: 0 },
        Relation::Queue(0),
    ];
    let compared = if together { vec![relations] } else { Vec::new() };
    let mut explorer = Explorer::new(&scenario.program, plan(compared, faults, reduce));
    let mut all = BTreeSet::new();
    let mut judge = |world: &World, _| left(scenario, world);
    let mut each = |found: &Found<Vec<String>>| {
        all.insert(found.worth.clone());
        Enough::No
    };
    explorer.go_on(work, &mut judge, &mut each).then_some(all)
}

/// Texts with more orders than can be tried in this work are passed over.
const WORK_MAX: u64 = 400_000;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn orders_that_are_passed_over_leave_nothing_else(
        workers in proptest::collection::vec(worker(), 1..=2),
        receivers in 0..=2usize,
        faults in select(&[0usize, 0, 1][..]),
        together in any::<bool>(),
    ) {
        let text = text(&workers, receivers);
        let scenario = support::read(&text);
        let Some(expected) = everything(&scenario, together, faults, (false, WORK_MAX)) else { return Ok(()) };
        let found = everything(&scenario, together, faults, (true, 2 * WORK_MAX));
        prop_assert_eq!(found, Some(expected), "{}", text);
    }
}

/// One process dies, and its lock goes, in the instant in which another one passes over locked rows: which comes first is open.
#[test]
fn the_order_of_a_death_and_of_what_happens_beside_it_counts() {
    let text = HEAD.to_owned()
        + "\
service Holder on a
  at 0s
    begin
    update t set n = 1 where id = 1
    commit
service Other on a
  at 3ms
    x = select id from t where id = 1 for update skip locked
    if x insert into u (k) values (:x.id)
";
    let scenario = support::read(&text);
    let given = support::faults(&support::read(&(text + "crash after Holder.update-t.1\n")));
    for reduce in [true, false] {
        let mut inserted = BTreeSet::new();
        let mut judge = |world: &World, _| world.rows(0, 1).len();
        let mut each = |found: &Found<usize>| {
            if found.faults == given {
                inserted.insert(found.worth);
            }
            Enough::No
        };
        // A world that was recognised would be reported for another set.
        let plan = Plan {
            recognise: false,
            ..plan(Vec::new(), 1, reduce)
        };
        let mut explorer = Explorer::new(&scenario.program, plan);
        assert!(explorer.go_on(u64::MAX, &mut judge, &mut each));
        assert_eq!(inserted, BTreeSet::from([0, 1]), "{reduce}");
    }
}
