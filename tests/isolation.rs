//! Isolation levels and two-phase commit as scenarios: what a handler of `serialization` makes of them, and what is in doubt.
#![forbid(unsafe_code)]

mod support;

use crashpoint::expression::ErrorClass;
use crashpoint::language;
use crashpoint::program::{Fault, Kind, RESTART_DEFAULT, Scenario};
use crashpoint::simulation::trace::{Event, EventKind, Outcome};
use crashpoint::simulation::{EVENTS_MAX, Trace, World, run, sweep};
use crashpoint::value::Value;
use crashpoint::verdict::judge;

fn read(text: &str) -> Scenario {
    language::parse(text).unwrap_or_else(|found| panic!("{found:?}\n{text}"))
}

fn run_text(text: &str) -> (Scenario, Trace) {
    let scenario = read(text);
    let trace = run(&scenario.program, &support::faults(&scenario), EVENTS_MAX);
    (scenario, trace)
}

/// Two doctors are on call. Each goes home if the other stays, and asks again if told to.
fn on_call(level: &str) -> String {
    let mut text = String::from(
        "\
scenario on-call
database ward
  table doctors (name text primary key, on_call boolean not null)
  insert into doctors (name, on_call) values ('Ada', true), ('Bo', true)
",
    );
    for name in ["Ada", "Bo"] {
        text += &format!(
            "\
service {name} on ward
  at 0s
    repeat 3 times every 1s
      try
        begin isolation level {level}
        others = select name from doctors where on_call and name <> '{name}'
        if others
          update doctors set on_call = false where name = '{name}'
        commit
        break
      on serialization
        rollback
"
        );
    }
    text
}

fn still_on_call(world: &World) -> usize {
    let rows = world.rows(0, 0).into_iter();
    rows.filter(|(_, row)| row.get("on_call") == Some(&Value::Bool(true)))
        .count()
}

fn serialization_failures(trace: &Trace) -> usize {
    let failed = |event: &&Event| match &event.kind {
        EventKind::Step {
            outcome: Outcome::Failed(failure),
            ..
        } => failure.class == ErrorClass::Serialization,
        _ => false,
    };
    trace.events.iter().filter(failed).count()
}

#[test]
fn write_skew_leaves_nobody_on_call_unless_serializable() {
    for (level, left, failures) in [
        ("read committed", 0, 0),
        ("repeatable read", 0, 0),
        ("serializable", 1, 1),
    ] {
        let (_, trace) = run_text(&on_call(level));
        assert_eq!(still_on_call(&trace.last), left, "{level}");
        assert_eq!(serialization_failures(&trace), failures, "{level}");
    }
}

#[test]
fn serializable_holds_wherever_somebody_crashes() {
    let scenario = read(&on_call("serializable"));
    let crash = |point: &_| Fault::Crash(Clone::clone(point), Some(RESTART_DEFAULT));
    let mut gaps = 0;
    sweep(&scenario.program, &[], &crash, EVENTS_MAX, &mut |gap, world, _| {
        gaps += 1;
        assert!(still_on_call(world) >= 1, "{:?}", gap.point);
    });
    assert!(gaps > 10, "{gaps} gaps");
}

/// Two databases and a coordinator that asks both before it lets either commit.
const TRANSFER: &str = "\
scenario transfer
database north
  table accounts (id int primary key, balance int not null)
  insert into accounts (id, balance) values (1, 100)
database south
  table deposits (id int primary key, amount int not null)
service Coordinator on north, south
  at 0s
    begin on north
    update accounts set balance = balance - 30 where id = 1
    prepare transaction 'transfer-7' on north
    begin on south
    insert into deposits (id, amount) values (7, 30)
    prepare transaction 'transfer-7' on south
    commit prepared 'transfer-7' on north
    second: commit prepared 'transfer-7' on south
service Reader on north
  at 10s update accounts set balance = balance - 1 where id = 1
promise no north.accounts where balance > 70
";

fn in_doubt(world: &World) -> Vec<String> {
    let names = world.in_doubt().map(|(database, name)| format!("{database} {name}"));
    names.collect()
}

#[test]
fn both_databases_commit_or_both_are_in_doubt() {
    let (scenario, trace) = run_text(TRANSFER);
    assert_eq!(in_doubt(&trace.last), [""; 0]);
    assert_eq!(trace.last.rows(1, 0).len(), 1);
    assert!(judge(&scenario, &trace.last, trace.ended).is_empty());
}

#[test]
fn a_coordinator_that_dies_leaves_locks_behind_and_the_next_one_is_blocked() {
    let (scenario, trace) = run_text(&format!(
        "{TRANSFER}crash after Coordinator.prepare-transaction.2 never\n"
    ));
    assert_eq!(in_doubt(&trace.last), ["0 transfer-7", "1 transfer-7"]);
    assert_eq!(trace.last.waits().len(), 1, "the reader waits for ever");
    let findings = judge(&scenario, &trace.last, trace.ended);
    let kinds: Vec<Kind> = findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [Kind::Blocked]);
}

#[test]
fn in_doubt_alone_is_blocked_too_and_outlives_the_database() {
    let alone = TRANSFER.replace(
        "  at 10s update accounts set balance = balance - 1 where id = 1\n",
        "  at 10s sleep 1s\n",
    );
    let faults = "crash after Coordinator.prepare-transaction.1 never\ndown north at 5s for 5s\n";
    let (scenario, trace) = run_text(&format!("{alone}{faults}"));
    assert_eq!(in_doubt(&trace.last), ["0 transfer-7"]);
    assert!(trace.last.waits().is_empty());
    let findings = judge(&scenario, &trace.last, trace.ended);
    assert_eq!(findings[0].kind, Kind::Blocked);
}
