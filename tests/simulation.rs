//! The kernel from outside: time travel and sweeps are the same runs, not other ones.
//!
//! Goal: a world taken from the middle of a run, and a branch of a sweep, end exactly as the run from the beginning does.
//! Method: every preset, every event, every gap; the canonical form of what is there at the end is compared.
#![forbid(unsafe_code)]

mod support;

use crashpoint::language;
use crashpoint::program::{Fault, Point, RESTART_DEFAULT, Relation, Side};
use crashpoint::simulation::trace::{Ended, EventKind, Outcome};
use crashpoint::simulation::{EVENTS_MAX, run, sweep};
use support::run_text;

fn crash(point: &Point) -> Fault {
    Fault::Crash(point.clone(), Some(RESTART_DEFAULT))
}

#[test]
fn a_branch_of_a_sweep_ends_as_the_run_with_that_crash_in_its_text() {
    for (id, scenario) in support::presets() {
        let faults = support::faults_of_a_sweep(&scenario);
        let gaps = run(&scenario.program, &faults, EVENTS_MAX).gaps;
        let mut points = Vec::new();
        sweep(
            &scenario.program,
            &faults,
            &crash,
            EVENTS_MAX,
            &mut |gap, world, ended| {
                points.push(gap.point.clone());
                let mut with = faults.clone();
                with.push(crash(&gap.point));
                let whole = run(&scenario.program, &with, EVENTS_MAX);
                assert_eq!(whole.ended, ended, "{id} {:?}", gap.point);
                let (branch, whole) = (
                    world.canonical(&scenario.program),
                    whole.last.canonical(&scenario.program),
                );
                assert_eq!(branch, whole, "{id} {:?}", gap.point);
            },
        );
        assert_eq!(
            points,
            gaps.into_iter().map(|gap| gap.point).collect::<Vec<_>>(),
            "{id}"
        );
    }
}

#[test]
fn both_names_of_a_gap_are_one_gap() {
    for (id, scenario) in support::presets() {
        let faults = support::faults_of_a_sweep(&scenario);
        for gap in run(&scenario.program, &faults, EVENTS_MAX).gaps {
            let Some(also) = &gap.also() else { continue };
            let with = |point: &Point| {
                let mut with = faults.clone();
                with.push(crash(point));
                run(&scenario.program, &with, EVENTS_MAX).canonical()
            };
            assert_eq!(with(&gap.point), with(also), "{id} {:?} {also:?}", gap.point);
        }
    }
}

#[test]
fn the_world_at_an_event_is_what_the_run_had_seen_then() {
    for (id, scenario) in support::presets() {
        let trace = run(&scenario.program, &support::faults(&scenario), EVENTS_MAX);
        for event in 0..trace.events.len() as u32 {
            let world = trace.world_at(event);
            assert!(world.event_count() > event, "{id} {event}");
            assert!(world.now() >= trace.events[event as usize].at, "{id} {event}");
        }
        let (travelled, last) = (trace.world_at(u32::MAX), &trace.last);
        assert_eq!(
            travelled.canonical(&scenario.program),
            last.canonical(&scenario.program),
            "{id}"
        );
    }
}

const ONE_CALL: &str = "\
scenario one-call
database d
  table t (id int primary key)
outside bank (id int) takes 40s
service S on d
  at 0s
    call bank (id = 1)
    insert into t (id) values (1)
";

/// PostgreSQL 15 does the same with a statement whose client was killed: it completes, nobody hears of it.
#[test]
fn a_request_on_its_way_completes_though_its_process_died() {
    let trace = run_text(&format!("{ONE_CALL}crash during S.call-bank.1 never\n"));
    let orphans: Vec<i64> = trace
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Step { orphan: true, .. }))
        .map(|event| event.at)
        .collect();
    assert_eq!(orphans, [40_001], "the transfer still happens");
    assert_eq!(trace.last.rows(0, 0), []);
    let before = run_text(&format!("{ONE_CALL}crash before S.call-bank.1 never\n"));
    assert!(
        before
            .events
            .iter()
            .all(|event| !matches!(event.kind, EventKind::Step { .. })),
        "nothing was sent"
    );
}

/// As PostgreSQL with a commit, and RabbitMQ with `tx.commit`: what was sent before the connection ended is done within its
/// transaction. One whose commit was not sent ends with the connection, and with it what reached the broker meanwhile.
#[test]
fn a_request_on_its_way_belongs_to_the_transaction_it_was_sent_in() {
    let text = "\
scenario transacted
broker b
  queue q
service A
  at 0s
    begin on b
    publish q (id = 1)
    send: commit on b
";
    let accepted = |fault: &str| {
        run_text(&format!("{text}{fault} never\n"))
            .last
            .facts(Relation::Queue(0))
            .len()
    };
    assert_eq!(accepted("crash during A.send.1"), 1, "a commit in flight commits");
    assert_eq!(accepted("crash during A.publish-q.1"), 0, "nobody commits");
    assert_eq!(accepted("crash before A.send.1"), 0, "nobody commits");
}

const HELD_LOCK: &str = "\
scenario held-lock
database d
  table t (id int primary key, n int not null)
  insert into t (id, n) values (1, 0)
service A on d
  at 0s
    begin
    update t set n = 1 where id = 1
    hold: sleep 10s
    commit
service B on d
  at 1s update t set n = n + 10 where id = 1
";

#[test]
fn a_statement_waits_for_a_lock_and_goes_on_from_the_latest_version() {
    let trace = run_text(HELD_LOCK);
    let row = &trace.last.rows(0, 0)[0].1;
    assert_eq!(row.get("n"), Some(&crashpoint::value::Value::Int(11)));
    let waited = trace
        .events
        .iter()
        .find(|e| e.at - e.sent_at > 1_000 && e.instance == Some(1))
        .expect("B waited");
    assert_eq!((waited.sent_at, waited.at), (1_000, 10_005));
}

#[test]
fn a_crash_between_statements_rolls_back_and_frees_the_lock() {
    let trace = run_text(&format!("{HELD_LOCK}crash after A.update-t.1 never\n"));
    assert_eq!(
        trace.last.rows(0, 0)[0].1.get("n"),
        Some(&crashpoint::value::Value::Int(10))
    );
}

#[test]
fn a_lost_reply_leaves_the_effect_and_the_caller_times_out_after_five_seconds() {
    let trace = run_text(&format!("{HELD_LOCK}lose reply A.commit.1\n"));
    let lost = trace.events.iter().find(|e| {
        matches!(
            &e.kind,
            EventKind::Step {
                outcome: Outcome::ReplyLost { .. },
                ..
            }
        )
    });
    assert_eq!(lost.map(|event| event.replied_at), Some(None));
    assert_eq!(
        trace.last.rows(0, 0)[0].1.get("n"),
        Some(&crashpoint::value::Value::Int(11)),
        "the commit counts"
    );
    let failed = trace
        .events
        .iter()
        .find(|e| matches!(e.kind, EventKind::PassFailed { .. }))
        .expect("the pass fails");
    assert_eq!(failed.at, 10_004 + 5_000);
}

#[test]
fn a_lost_request_has_no_effect_and_ends_the_session() {
    let trace = run_text(&format!("{HELD_LOCK}lose request A.commit.1\n"));
    assert_eq!(
        trace.last.rows(0, 0)[0].1.get("n"),
        Some(&crashpoint::value::Value::Int(10)),
        "rolled back"
    );
}

#[test]
fn a_paused_process_keeps_its_locks_and_goes_on_as_if_nothing_had_been() {
    let trace = run_text(&format!("{HELD_LOCK}pause after A.hold.1 for 30s\n"));
    let commit = trace
        .events
        .iter()
        .rfind(|e| e.instance == Some(0) && matches!(e.kind, EventKind::Step { .. }));
    assert_eq!(commit.map(|event| event.sent_at), Some(40_004));
    assert_eq!(
        trace.last.rows(0, 0)[0].1.get("n"),
        Some(&crashpoint::value::Value::Int(11))
    );
}

#[test]
fn a_database_that_goes_down_ends_open_transactions_and_keeps_what_was_committed() {
    let trace = run_text(&format!("{HELD_LOCK}down d at 2s for 20s\n"));
    assert_eq!(
        trace.last.rows(0, 0)[0].1.get("n"),
        Some(&crashpoint::value::Value::Int(0))
    );
    let outcomes: Vec<String> = trace
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::PassFailed { failure, .. } => Some(format!("{:?} {:?}", event.instance, failure.class)),
            _ => None,
        })
        .collect();
    assert_eq!(
        outcomes,
        ["Some(1) Timeout", "Some(0) Unreachable"],
        "in flight: unknown; later: certainly not done"
    );
}

#[test]
fn the_first_of_two_waiters_dies_when_the_second_follows_within_a_second() {
    let text = "\
scenario deadlock
database d
  table t (id int primary key, n int not null)
  insert into t (id, n) values (1, 0), (2, 0)
service A on d
  at 0s
    begin
    update t set n = 1 where id = 1
    update t set n = 1 where id = 2
    commit
service B on d
  at 0s
    begin
    update t set n = 2 where id = 2
    slow: sleep 500ms
    update t set n = 2 where id = 1
    commit
";
    let trace = run_text(text);
    let victim = trace.events.iter().find_map(|event| match &event.kind {
        EventKind::Step {
            outcome: Outcome::Failed(failure),
            ..
        } => Some((event.instance, event.at, failure.class)),
        _ => None,
    });
    // A waits from 5 ms; B closes the cycle at 506 ms; A looks at 1,005 ms and is the victim.
    assert_eq!(
        victim,
        Some((Some(0), 1_005, crashpoint::expression::ErrorClass::Deadlock))
    );
    assert_eq!(
        trace.last.rows(0, 0)[0].1.get("n"),
        Some(&crashpoint::value::Value::Int(2))
    );
}

#[test]
fn a_marker_on_a_visit_that_never_happens_is_reported_and_changes_nothing() {
    let base = run_text(HELD_LOCK);
    let trace = run_text(&format!(
        "{HELD_LOCK}crash after A.commit.2\ncrash after Nobody.step.1\n"
    ));
    assert_eq!(trace.not_reached().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(trace.canonical(), base.canonical());
}

#[test]
fn at_requests_to_a_dead_process_are_refused_and_not_repeated() {
    let text = "\
scenario refused
database d
  table t (id int primary key)
service A on d
  at 0s insert into t (id) values (1)
  at 3s insert into t (id) values (2)
crash after A.insert-t.1 restart 5s
";
    let trace = run_text(text);
    assert_eq!(trace.last.rows(0, 0).len(), 1);
    assert!(
        trace
            .events
            .iter()
            .any(|event| matches!(event.kind, EventKind::RequestRefused { .. }))
    );
}

#[test]
fn loops_without_requests_and_endless_retries_end_at_the_bound() {
    for text in [
        "scenario spin\nservice A\n  at 0s\n    repeat\n      x = 1\n",
        "scenario poison\nbroker b\n  queue q\nservice A\n  at 0s publish q (id = 1)\nservice B\n  receive q as m\n    fail\n",
    ] {
        let scenario = language::parse(text).unwrap_or_else(|found| panic!("{found:?}"));
        assert_eq!(run(&scenario.program, &[], 2_000).ended, Ended::Bound, "{text}");
    }
}

/// Each of these would use up all memory, the stack or the reader's patience.
#[test]
fn values_and_reads_that_grow_without_end_are_stopped() {
    let head = "scenario grow\n  until 1min\ndatabase d\n  table t (id serial primary key, n int)\nbroker b\n  queue q\nservice A on d\n  memory l = []\n  memory s = 'ab'\n  memory n = 1\n";
    for (body, ended) in [
        ("  at 0s\n    repeat\n      s = s || s\n", Ended::Rest),
        ("  at 0s\n    repeat\n      append l to l\n", Ended::Rest),
        (
            "  at 0s\n    repeat\n      x = []\n      append l to x\n      l = x\n",
            Ended::Rest,
        ),
        (
            "  at 0s publish q (id = 1)\n  receive q as m\n    publish q (id = m)\n    ack m\n",
            Ended::Bound,
        ),
        (
            "  every 1ms\n    append n to l\n    publish q (id = n, body = l)\n",
            Ended::Bound,
        ),
        (
            "  every 1ms\n    insert into t (n) values (1)\n    rows = select id from t where n = 2\n",
            Ended::Bound,
        ),
    ] {
        let text = format!("{head}{body}");
        let scenario = language::parse(&text).unwrap_or_else(|found| panic!("{found:?}"));
        assert_eq!(run(&scenario.program, &[], 20_000).ended, ended, "{text}");
    }
}

#[test]
fn gaps_are_written_after_the_step_before_and_before_only_first_in_a_pass() {
    let trace = run_text(HELD_LOCK);
    let written: Vec<(Side, String)> = trace
        .gaps
        .iter()
        .filter(|g| g.instance == 0)
        .map(|g| (g.point.side, g.point.step.step.to_string()))
        .collect();
    let expected = [
        (Side::Before, "begin"),
        (Side::After, "begin"),
        (Side::After, "update-t"),
        (Side::After, "hold"),
        (Side::After, "commit"),
    ];
    assert_eq!(written, expected.map(|(side, step)| (side, step.to_owned())));
}

#[test]
fn a_service_that_is_down_stays_down_whatever_else_would_start_it() {
    let text = "\
scenario down
  until 2min
database d
  table t (id serial primary key, n int)
service S on d
  every 1s insert into t (n) values (1)
";
    let starts = |faults: &str| -> Vec<i64> {
        let trace = run_text(&format!("{text}{faults}"));
        let restarts = trace.events.iter().filter(|event| event.kind == EventKind::Restart);
        restarts.map(|event| event.at).collect()
    };
    // A crash before: its restart falls into the time the service is down.
    assert_eq!(
        starts("crash after S.insert-t.1 restart 5s\ndown S at 3s for 60s\n"),
        [63_000]
    );
    // Two downs that overlap: until the end of the later one.
    assert_eq!(starts("down S at 3s for 10s\ndown S at 5s for 60s\n"), [65_000]);
    assert_eq!(starts("down S at 3s for 60s\ndown S at 5s for 10s\n"), [63_000]);
    // Never is never.
    assert_eq!(
        starts("crash after S.insert-t.1 never\ndown S at 3s for 60s\n"),
        Vec::<i64>::new()
    );
}

#[test]
fn a_lost_reply_ends_the_connection_to_that_broker_alone() {
    let text = "\
scenario two-brokers
database d
  table t (id serial primary key, m text)
broker a
  queue q
broker b
  queue r
service Sender
  at 0s publish q (id = 'm')
service S x2 on d
  receive q as m
    publish r (id = m.id)
    on timeout x = 1
    insert into t (m) values (:m.id)
    ack m
lose reply S.publish-r.1
";
    let trace = run_text(text);
    let returned = |event: &crashpoint::simulation::trace::Event| matches!(event.kind, EventKind::Returned { .. });
    assert!(!trace.events.iter().any(returned), "the delivery belongs to broker a");
    assert_eq!(trace.last.rows(0, 0).len(), 1);
}

#[test]
fn a_sleep_is_no_request_that_could_be_lost_or_delayed() {
    let text = "\
scenario sleep
database d
  table t (id int)
service S on d
  at 0s
    work: sleep 3s
    insert into t (id) values (1)
";
    let base = run_text(text);
    let faults = "lose request S.work.1\nlose reply S.work.1\nrefuse S.work.1\ndelay S.work.1 by 10s\n";
    let trace = run_text(&format!("{text}{faults}"));
    assert_eq!(trace.not_reached().collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(trace.canonical(), base.canonical());
}

#[test]
fn a_cut_keeps_messages_and_changes_from_those_who_wait_for_them() {
    let text = "\
scenario cut
database d
  table t (id int primary key)
broker b
  queue q lease 30s
service Sender on d
  at 5s
    publish q (id = 1)
    insert into t (id) values (1)
service Far
  receive q as m ack m
service Near
  receive q as m ack m
service Follower on d
  follow t as c
    sleep 1s
cut Far b at 2s for 60s
cut Follower d at 2s for 60s
";
    // Far has waited longer than Near, but nothing reaches it.
    let trace = run_text(text);
    let reached: Vec<(Option<u16>, i64)> = trace
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Delivery { .. } | EventKind::Followed { .. }))
        .map(|event| (event.instance, event.at))
        .collect();
    // Instances in text sequence: Sender 0, Far 1, Near 2, Follower 3.
    assert_eq!(reached, [(Some(2), 5_002), (Some(3), 62_001)]);
}

#[test]
fn a_receiver_handles_one_message_at_a_time_also_after_its_broker_was_down() {
    let text = "\
scenario down-and-up
broker b
  queue q
service P
  at 0s publish q (id = 1)
  at 20s publish q (id = 2)
  at 20s publish q (id = 3)
service C
  receive q as m
    work: sleep 10s
    ack m
down b at 4s for 2s
";
    let trace = run_text(text);
    let steps: Vec<(i64, String)> = trace
        .events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Delivery {
                message, deliveries, ..
            } => Some((event.at, format!("take {message} ({deliveries})"))),
            _ => None,
        })
        .collect();
    // The first delivery returned when the broker went down; its handler goes on, its ack is stale, and it takes the message again.
    let taken: Vec<&str> = steps.iter().map(|(_, step)| &**step).collect();
    assert_eq!(taken, ["take 1 (1)", "take 1 (2)", "take 2 (1)", "take 3 (1)"]);
    let times: Vec<i64> = steps.iter().map(|(at, _)| *at).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 10_000), "{times:?}");
}

#[test]
fn a_run_ends_by_the_work_it_makes_a_database_do() {
    let text = "\
scenario scans
database d
  table t (id serial primary key, n int)
service A on d
  at 0s
    repeat
      insert into t (n) values (1), (2), (3), (4), (5), (6), (7), (8)
      rows = select count(*) from t where n = 3
";
    let scenario = language::parse(text).unwrap_or_else(|found| panic!("{found:?}"));
    let trace = run(&scenario.program, &[], 100_000);
    assert_eq!(trace.ended, Ended::Bound);
    assert!(trace.events.len() < 10_000, "{} events", trace.events.len());
}

#[test]
fn a_follower_and_a_receiver_go_on_with_their_own_loop() {
    let text = "\
scenario loops
database d
  table t (id int primary key)
broker b
  queue q lease 30s
  queue r lease 30s
service W on d
  at 0s
    insert into t (id) values (1)
    insert into t (id) values (2)
service F on d
  follow t as c
    repeat 3 times every 1s publish q (id = c.id)
";
    let trace = run_text(text);
    assert_eq!(trace.ended, Ended::Rest);
    let row = |row: &crashpoint::value::Row| row.get("id").cloned();
    let published: Vec<_> = trace.last.queue(0).ready().map(|message| row(&message.row)).collect();
    assert_eq!(
        published,
        [1, 1, 1, 2, 2, 2].map(|id| Some(crashpoint::value::Value::Int(id)))
    );
}

#[test]
fn the_wait_between_two_rounds_of_a_loop_parts_two_gaps() {
    let text = "\
scenario rounds
broker b
  queue q
service A
  at 0s
    repeat 2 times every 1s
      publish q (id = 1)
";
    let gaps: Vec<(Side, u32, i64)> = run_text(text)
        .gaps
        .iter()
        .map(|gap| (gap.point.side, gap.point.step.visit, gap.at))
        .collect();
    let expected = [
        (Side::Before, 1, 0),
        (Side::After, 1, 2),
        (Side::Before, 2, 1_000),
        (Side::After, 2, 1_002),
    ];
    assert_eq!(gaps, expected);
    let dies_at = |fault: &str| {
        let trace = run_text(&format!("{text}{fault} never\n"));
        let crash = trace
            .events
            .iter()
            .find(|event| matches!(event.kind, EventKind::Crash { .. }));
        crash.map(|event| event.at)
    };
    assert_eq!(dies_at("crash after A.publish-q.1"), Some(2));
    assert_eq!(dies_at("crash before A.publish-q.2"), Some(1_000));
}

#[test]
fn a_delay_that_outlasts_the_run_stands_at_its_last_event() {
    let text = "\
scenario late
  until 10s
broker b
  queue q
service A
  at 0s
    publish q (id = 1)
    publish q (id = 2)
delay A.publish-q.2 by 1h
";
    let trace = run_text(text);
    assert_eq!((trace.events.len(), &trace.struck[..]), (1, &[Some(0)][..]));
}

#[test]
fn a_renewal_that_arrives_after_its_process_died_is_an_orphan() {
    let text = "\
scenario orphan
broker b
  queue q lease 30s
outside bank (id int) takes 5s
service A
  at 0s publish q (id = 1)
service B
  receive q as m
    keep m every 1s
    sleep 1s
    call bank (id = m.id)
    ack m
crash during B.call-bank.1 never
";
    // The message comes at 2 ms; the renewal leaves at 1,002 ms, as the bank is called, and arrives a millisecond later.
    let orphans: Vec<(i64, bool)> = run_text(text)
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Step { step: 0, orphan, .. } if event.instance == Some(1) => Some((event.at, *orphan)),
            _ => None,
        })
        .collect();
    assert_eq!(orphans, [(1_003, true)]);
}

#[test]
fn who_called_a_process_that_dies_between_two_requests_learns_it_by_a_time_out() {
    let text = "\
scenario called
outside bank (id int)
service Caller
  at 0s
    call Payment.pay(1)
    on timeout
      call Payment.pay(2)
service Payment
  handle pay(id)
    call bank (id = id)
crash before Payment.call-bank.1 restart 1s
";
    let trace = run_text(text);
    let paid: Vec<String> = trace
        .last
        .facts(Relation::Outside(0))
        .iter()
        .map(|fact| fact.row.values()[0].to_string())
        .collect();
    assert_eq!(
        paid,
        ["2"],
        "the first call died with its process, the second was made after the time-out"
    );
    assert_eq!(trace.ended, Ended::Rest);
}

#[test]
fn a_dying_process_gets_no_message_that_one_of_its_own_passes_gives_back() {
    let text = "\
scenario two-readers
database d
  table t (id text primary key)
broker b
  queue q attempts 2 dead q_dead
  queue q_dead
service Sender
  at 0s publish q (id = 'm')
service Reader on d
  receive q as m take(m)
  receive q as m take(m)
  handle take(m)
    work: sleep 1s
    insert into t (id) values (:m.id)
    ack m
crash after Reader.work.1 restart 5s
";
    let trace = run_text(text);
    // Two deliveries are allowed: one in each life.
    assert_eq!(trace.last.rows(0, 0).len(), 1);
}

#[test]
fn two_pollers_of_one_process_leave_one_idle_mark_each() {
    let text = "\
scenario two-pollers
  until 10min
database d
  table t (id int primary key)
service S on d
  every 1min rows = select id from t
  every 1min more = select id from t where id > 1
";
    let trace = run_text(text);
    let polls: Vec<u32> = trace
        .events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Idle { polls, .. } => Some(polls),
            _ => None,
        })
        .collect();
    // A pass takes 2 ms, so the tenth begins at 9 min 18 ms.
    assert_eq!(polls, [10, 10]);
}
