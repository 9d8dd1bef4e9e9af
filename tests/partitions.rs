//! Partitioned queues and consumer groups in whole runs.
//!
//! Goal: groups are independent, a key's messages are handled in sequence while other keys go on, and a position that is stored
//! too early loses what it passes. Method: small texts, their promises, and how often their members were dealt anew.
#![forbid(unsafe_code)]

mod support;

use crashpoint::program::{Fault, Point};
use crashpoint::simulation::trace::EventKind;
use crashpoint::simulation::{EVENTS_MAX, Trace, sweep};
use crashpoint::{language, verdict};
use support::{kinds, traced};

/// When each generation began and how many members it had.
fn generations(trace: &Trace) -> Vec<(i64, u32, u32)> {
    let dealt = |event: &crashpoint::simulation::trace::Event| match event.kind {
        EventKind::Rebalanced {
            generation, members, ..
        } => Some((event.at, generation, members)),
        _ => None,
    };
    trace.events.iter().filter_map(dealt).collect()
}

/// One consumer of two messages; `body` is its block.
fn consumer(body: &str, faults: &str) -> String {
    format!(
        "\
scenario consumer
database app
  table effects (id text unique)
broker kafka
  queue orders partitions 1
service Source
  at 10ms
    publish orders (id = 'M1')
    publish orders (id = 'M2')
service Consumer on app
  receive orders as m
{body}
{faults}
promise one app.effects for each kafka.orders matching effect.id = cause.id
promise no kafka.orders
"
    )
}

const EFFECT: &str = "    effect: insert into effects (id) values (:m.id) on conflict do nothing\n";

#[test]
fn a_position_that_is_stored_before_the_work_loses_what_it_passes() {
    let early = format!("    ack m\n{EFFECT}");
    assert_eq!(kinds(&consumer(&early, "")), [""; 0]);
    assert_eq!(
        kinds(&consumer(&early, "crash after Consumer.ack.1 restart 5s")),
        ["lost"]
    );
    let late = format!("{EFFECT}    ack m\n");
    for crash in [
        "after Consumer.effect.1",
        "after Consumer.ack.1",
        "during Consumer.ack.1",
        "before Consumer.effect.2",
    ] {
        assert_eq!(
            kinds(&consumer(&late, &format!("crash {crash} restart 5s"))),
            [""; 0],
            "{crash}"
        );
    }
}

#[test]
fn a_crash_in_any_gap_is_absorbed_by_an_ack_after_the_work() {
    let scenario = language::parse(&consumer(&format!("{EFFECT}    ack m\n"), "")).expect("it reads");
    let crash = |point: &Point| Fault::Crash(point.clone(), Some(5_000));
    let mut gaps = 0;
    sweep(&scenario.program, &[], &crash, EVENTS_MAX, &mut |gap, world, ended| {
        if &*gap.point.step.service == "Consumer" {
            gaps += 1;
            let findings = verdict::judge(&scenario, world, ended);
            assert!(findings.is_empty(), "{:?} {findings:?}", gap.point);
        }
    });
    assert_eq!(gaps, 6);
}

#[test]
fn without_an_ack_the_messages_stay_and_a_later_ack_takes_the_earlier_with_it() {
    let (found, trace) = traced(&consumer(EFFECT, ""));
    assert_eq!(found, ["stuck", "stuck"]);
    assert_eq!(trace.last.groups(0)[0].positions, [(0, 2)]);
    let last = format!("{EFFECT}    if m.id = 'M2' ack m\n");
    assert_eq!(kinds(&consumer(&last, "")), [""; 0]);
}

/// A message wanted by three.
fn wanted_by_three(queue: &str, groups: [&str; 3]) -> String {
    let [a, b, c] = groups;
    format!(
        "\
scenario P12
database books
  table entries (id text)
database site
  table pages (id text)
database numbers
  table counts (id text)
broker kafka
  queue claims {queue}
service Claims
  at 1s publish claims (id = 'claim-1', key = '4711')
service Accounting on books
  receive claims {a} as m
    insert into entries (id) values (:m.id)
    ack m
service Portal on site
  receive claims {b} as m
    insert into pages (id) values (:m.id)
    ack m
service Statistics on numbers
  receive claims {c} as m
    insert into counts (id) values (:m.id)
    ack m
promise one books.entries for each kafka.claims matching effect.id = cause.id
promise one site.pages for each kafka.claims matching effect.id = cause.id
promise one numbers.counts for each kafka.claims matching effect.id = cause.id
promise no kafka.claims
"
    )
}

#[test]
fn a_queue_gives_a_message_to_one_and_groups_to_each() {
    assert_eq!(kinds(&wanted_by_three("", ["", "", ""])), ["lost", "lost"]);
    let groups = ["group accounting", "group portal", "group statistics"];
    assert_eq!(kinds(&wanted_by_three("partitions 3", groups)), [""; 0]);
    // A group is called after its service if nobody says otherwise.
    assert_eq!(kinds(&wanted_by_three("partitions 3", ["", "", ""])), [""; 0]);
    let shared = ["group all", "group all", "group all"];
    assert_eq!(kinds(&wanted_by_three("partitions 3", shared)), ["lost", "lost"]);
}

/// Payments and cancellations of two claims; 4711 and 4712 lie in different partitions of two.
fn payments(instances: &str) -> String {
    format!(
        "\
scenario P9
database register
  table handled (claim text, seq int)
broker kafka
  queue payments partitions 2 lease 60s
outside bank (claim text, seq int) takes 20s
service Claims
  at 10ms
    publish payments (id = 1, key = '4711', seq = 1)
    publish payments (id = 2, key = '4711', seq = 2)
    publish payments (id = 3, key = '4712', seq = 1)
    publish payments (id = 4, key = '4712', seq = 2)
service Payment {instances} on register
  receive payments as m
    call bank (claim = m.key, seq = m.seq)
    insert into handled (claim, seq) values (:m.key, :m.seq)
    ack m
promise register.handled in order of seq per claim
promise one register.handled for each kafka.payments matching effect.claim = cause.key and effect.seq = cause.seq
"
    )
}

#[test]
fn a_claim_is_handled_in_sequence_while_others_go_on() {
    let (found, two) = traced(&payments("x2"));
    assert_eq!(found, [""; 0]);
    let (_, one) = traced(&payments(""));
    let last = |trace: &Trace| trace.events.last().map_or(0, |event| event.at);
    assert!((80_000..81_000).contains(&last(&one)), "{}", last(&one));
    assert!((40_000..41_000).contains(&last(&two)), "{}", last(&two));
    // Both joined in the same instant: one generation.
    assert_eq!(generations(&two), [(2, 1, 2)]);
}

/// Two members; the first stops as `faults` or its own `leaves` line say, 5 s after the start, while it holds nothing.
fn leaving(rule: &str, leaves: &str, faults: &str) -> Trace {
    let text = format!(
        "\
scenario leaving
broker kafka
  queue log partitions 2 {rule}
service First
  receive log group g as m ack m
  at 5s
{leaves}
service Second
  receive log group g as m ack m
{faults}
"
    );
    traced(&text).1
}

#[test]
fn who_leaves_is_replaced_at_once_or_after_a_lease() {
    // Two generations from the start on: both joined at 1 ms, in one.
    assert_eq!(
        generations(&leaving("lease 20s", "    exit", "")),
        [(2, 1, 2), (5_001, 2, 1)]
    );
    let crash = "crash after First.sleep.1 never";
    assert_eq!(
        generations(&leaving("", "    sleep 1s", crash)),
        [(2, 1, 2), (6_001, 2, 1)]
    );
    assert_eq!(
        generations(&leaving("lease 20s", "    sleep 1s", crash)),
        [(2, 1, 2), (26_001, 2, 1)]
    );
    // It is back before its time is over: as somebody else.
    let restart = "crash after First.sleep.1 restart 5s";
    assert_eq!(
        generations(&leaving("lease 20s", "    sleep 1s", restart)),
        [(2, 1, 2), (11_002, 2, 3), (26_001, 3, 2)]
    );
}

#[test]
fn who_sleeps_past_its_lease_is_expelled_and_its_ack_is_refused() {
    let text = "\
scenario sleeper
database app
  table effects (id int)
broker kafka
  queue log partitions 1 lease 10s
service Source
  at 10ms publish log (id = 1)
service Worker x2 on app
  receive log as m
    insert into effects (id) values (:m.id)
    ack m
pause before Worker#1.insert-effects.1 for 15s
promise one app.effects for each kafka.log matching effect.id = cause.id
";
    let (found, trace) = traced(text);
    assert_eq!(found, ["duplicate"]);
    let told = trace.canonical();
    assert!(
        told.contains("Refused: the receipt handle is of generation 1, its group is in generation 2"),
        "{told}"
    );
    // Expelled, then back: it asks again after its failed pass.
    assert_eq!(
        generations(&trace)
            .iter()
            .map(|(_, _, members)| *members)
            .collect::<Vec<_>>(),
        [2, 1, 2]
    );
}

#[test]
fn a_message_that_always_fails_moves_to_the_dead_letters_of_its_group_alone() {
    let text = "\
scenario poison
broker kafka
  queue log partitions 1 attempts 3 dead log_dead
  queue log_dead
service Source
  at 10ms
    publish log (id = 1)
    publish log (id = 2)
service Strict
  receive log as m
    if m.id = 1 fail
    ack m
service Lenient
  receive log as m ack m
promise no kafka.log
promise no kafka.log_dead
";
    let (found, trace) = traced(text);
    assert_eq!(found, ["dead-lettered"]);
    let deliveries = trace
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Delivery { message: 1, .. }));
    assert_eq!(deliveries.count(), 3 + 1);
}

#[test]
fn positions_and_publishes_of_a_transaction_take_effect_together() {
    let text = |faults: &str| {
        format!(
            "\
scenario transactional
broker kafka
  queue incoming partitions 1
  queue outgoing partitions 1
service Source
  at 10ms publish incoming (id = 1)
service Mover
  receive incoming as m
    begin on kafka
    publish outgoing (id = m.id)
    ack m
    commit on kafka
{faults}
promise one kafka.outgoing for each kafka.incoming matching effect.id = cause.id
promise no kafka.incoming
"
        )
    };
    for fault in [
        "",
        "crash after Mover.ack.1",
        "crash after Mover.commit.1",
        "lose reply Mover.commit.1",
    ] {
        assert_eq!(kinds(&text(fault)), [""; 0], "{fault}");
    }
}

#[test]
fn a_broker_that_comes_back_deals_anew_and_keeps_its_positions() {
    let text = consumer(
        &format!("{EFFECT}    sleep 10s\n    ack m\n"),
        "down kafka at 5s for 3s",
    );
    let (found, trace) = traced(&text);
    assert_eq!(found, [""; 0]);
    // The first message is read again: its ack came too late.
    let deliveries = trace
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Delivery { .. }));
    assert_eq!(deliveries.count(), 3);
}

#[test]
fn who_cannot_reach_the_broker_for_a_lease_loses_its_partitions() {
    let trace = leaving("lease 20s", "    sleep 1s", "cut First kafka at 10s for 1min");
    assert_eq!(generations(&trace), [(2, 1, 2), (30_001, 2, 1), (70_001, 3, 2)]);
    let trace = leaving("lease 20s", "    sleep 1s", "cut First kafka at 10s for 15s");
    assert_eq!(generations(&trace), [(2, 1, 2)]);
}
