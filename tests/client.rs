//! What a client of a broker may do besides waiting for each answer: publish in the background, and use transactions.
//!
//! Goal: a result that nobody asks for is never learnt, one that is asked for is the result of the request; what a transaction
//! holds takes effect together or not at all. Method: small texts, their events and what their promises are worth.
#![forbid(unsafe_code)]

mod support;

use crashpoint::program::Point;
use crashpoint::simulation::trace::{EventKind, Outcome};
use crashpoint::simulation::{EVENTS_MAX, Trace, run, sweep};
use crashpoint::{language, verdict};
use support::{kinds, traced};

/// How a step's visits ended, in sequence, as the canonical form writes it: `confirm.1 Refused: unroutable`.
fn outcomes(trace: &Trace, step: &str) -> Vec<String> {
    let text = trace.canonical();
    let lines = text.lines().filter(|line| line.contains(&format!(" {step}.")));
    let short = |line: &str| {
        let from = line.find(&format!(" {step}.")).expect("it is there") + 1;
        let (_, rest) = line[from..].split_once(" line ").expect("every step has a line");
        let (_, outcome) = rest.split_once(' ').expect("an outcome");
        outcome.split(" by ").next().expect("something").to_owned()
    };
    lines.map(short).collect()
}

/// A relay that publishes three rows in the background and deletes them; `then` are the lines behind the publish.
fn relay(loop_body: &str, after: &str, faults: &str) -> String {
    format!(
        "\
scenario relay
database shop
  table outbox (id int primary key, event text)
  insert into outbox (id, event) values (1, 'a'), (2, 'b'), (3, 'c')
broker rabbit
  queue events
service Relay on shop
  every 10s
    pending = []
    rows = select id, event from outbox order by id
    for row in rows
      sent = publish events (id = row.id, body = row.event) async
{loop_body}
{after}
{faults}
promise one rabbit.events for each shop.outbox matching effect.id = cause.id
  waiting in shop.outbox where id = cause.id
"
    )
}

const DELETE: &str = "      delete from outbox where id = :row.id";

#[test]
fn who_never_confirms_never_learns() {
    let text = relay(DELETE, "", "");
    assert_eq!(kinds(&text), [""; 0]);
    let (found, trace) = traced(&relay(DELETE, "", "down rabbit at 0s for 30s"));
    assert_eq!(found, ["lost"; 3]);
    assert_eq!(
        outcomes(&trace, "publish-events")[..2],
        ["buffered", "Unreachable: the party is down"]
    );
}

#[test]
fn who_confirms_keeps_the_row_until_the_broker_is_back() {
    let body = "      confirm sent\n      delete from outbox where id = :row.id";
    let text = relay(body, "", "down rabbit at 0s for 35s");
    let (found, trace) = traced(&text);
    assert_eq!(found, [""; 0]);
    // One row a round until the broker is back: the pass fails at the confirm.
    assert_eq!(outcomes(&trace, "confirm")[0], "Unreachable: the party is down");
    assert_eq!(outcomes(&trace, "confirm")[4..], ["ok"; 3]);
}

#[test]
fn handles_are_collected_and_confirmed_together() {
    let after = "    for p in pending\n      confirm p\n      on refused, unreachable, timeout\n        done\n    delete from outbox";
    let body = "      append sent to pending";
    assert_eq!(kinds(&relay(body, after, "")), [""; 0]);
    let (found, trace) = traced(&relay(body, after, "refuse Relay.publish-events.2"));
    // The second is refused; all three rows stay and are sent again.
    assert_eq!(found, ["duplicate", "duplicate"]);
    assert_eq!(outcomes(&trace, "confirm")[..2], ["ok", "Refused: refused"]);
}

#[test]
fn the_program_goes_on_at_once_and_the_message_travels() {
    let (_, trace) = traced(&relay(DELETE, "", "delay Relay.publish-events.1 by 3s"));
    let buffered: Vec<(u32, i64)> = steps_in(&trace, |kind| matches!(kind, EventKind::Buffered { .. }));
    let arrived = steps_in(&trace, |kind| matches!(kind, EventKind::Step { message: Some(_), .. }));
    // Read at 1 ms, answered at 2 ms: in the buffer then; on its way one millisecond and the delay.
    assert_eq!(buffered[0], (1, 2));
    assert_eq!(arrived.iter().map(|(_, at)| *at).max(), Some(3_003));
    for event in &trace.events {
        if let (EventKind::Step { message: Some(_), .. }, Some(cause)) = (&event.kind, event.cause) {
            assert!(matches!(trace.events[cause as usize].kind, EventKind::Buffered { .. }));
        }
    }
}

fn steps_in(trace: &Trace, which: impl Fn(&EventKind) -> bool) -> Vec<(u32, i64)> {
    let events = (0..).zip(&trace.events);
    let found = events.filter(|(_, event)| which(&event.kind));
    found.map(|(id, event)| (id, event.at)).collect()
}

#[test]
fn each_fault_of_the_visit_strikes_the_background_request() {
    let once = |faults: &str| {
        let text = format!(
            "\
scenario once
broker rabbit
  queue events
service App
  at 1s
    sent = publish events (id = 1) async
    sleep 1ms
    confirm sent
    on error done
{faults}
"
        );
        let (_, trace) = traced(&text);
        let arrived = trace.last.queue(0).present().count();
        let confirmed = outcomes(&trace, "confirm").pop().expect("it is confirmed");
        let at = trace.events.last().map(|event| event.at);
        (arrived, confirmed, at)
    };
    let cases = [
        ("", 1, "ok", 1_002),
        ("lose request App.publish-events.1", 0, "Timeout: no answer", 6_000),
        ("lose reply App.publish-events.1", 1, "Timeout: no answer", 6_000),
        ("refuse App.publish-events.1", 0, "Refused: refused", 1_002),
        ("delay App.publish-events.1 by 2s", 1, "ok", 3_002),
        (
            "down rabbit at 999ms for 1s",
            0,
            "Unreachable: the party is down",
            2_000,
        ),
        ("cut App rabbit at 0s for 2s", 0, "Timeout: no answer", 6_000),
        // It went down while the request was on its way.
        (
            "delay App.publish-events.1 by 500ms\ndown rabbit at 1200ms for 1s",
            0,
            "Timeout: the party went down",
            6_000,
        ),
    ];
    for (faults, arrived, confirmed, at) in cases {
        let found = once(faults);
        assert_eq!((found.0, &*found.1), (arrived, confirmed), "{faults}");
        let end = if faults.starts_with("down") || faults.starts_with("cut") {
            None
        } else {
            Some(at)
        };
        assert!(end.is_none() || found.2 == end, "{faults}: {:?}", found.2);
    }
}

#[test]
fn what_was_sent_before_a_crash_arrives_and_its_result_is_dropped() {
    let text = "\
scenario crash
broker rabbit
  queue events
service App
  memory last = null
  start
    if last is not null confirm last
  at 0s
    last = publish events (id = 1) async
    sleep 10s
delay App.publish-events.1 by 2s
crash after App.publish-events.1 restart 5s
";
    let (_, trace) = traced(text);
    assert_eq!(trace.last.queue(0).ready().count(), 1);
    let orphans = trace
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Step { orphan: true, .. }));
    assert_eq!(orphans.count(), 1);
    assert_eq!(outcomes(&trace, "confirm"), [""; 0]);
}

#[test]
fn a_handle_of_another_process_or_no_handle_at_all_is_a_clear_error() {
    let text = "\
scenario handles
broker rabbit
  queue events
service Other
  handle send() return 7
  handle hand()
    sent = publish events (id = 1) async
    return sent
service App
  at 0s
    x = call Other.send()
    confirm x
  at 1s
    x = call Other.hand()
    confirm x
";
    let (_, trace) = traced(text);
    let failed = trace.canonical();
    assert!(
        failed.contains("Error: expected the handle of an asynchronous publish, found 7"),
        "{failed}"
    );
    assert!(
        failed.contains("Error: publish 1 was sent by another process, or in an earlier life of this one"),
        "{failed}"
    );
}

#[test]
fn unroutable_is_learnt_by_confirm_only() {
    let text = |confirm: &str| {
        format!(
            "\
scenario unroutable
database shop
  table outbox (id int primary key)
  insert into outbox (id) values (1)
broker rabbit
  queue events
  topic nowhere
service Relay on shop
  at 0s
    rows = select id from outbox
    for row in rows
      sent = publish nowhere (id = row.id) async
      {confirm}
      delete from outbox where id = :row.id
promise one rabbit.events for each shop.outbox matching effect.id = cause.id
  waiting in shop.outbox where id = cause.id
"
        )
    };
    assert_eq!(kinds(&text("sleep 1s")), ["lost"]);
    assert_eq!(kinds(&text("confirm sent")), ["stuck"]);
}

// --- Transactions on a broker -----------------------------------------------------------------------------------

/// Moves what it receives from one queue to another, within a transaction; `end` are its last lines.
fn mover(end: &str, faults: &str) -> String {
    format!(
        "\
scenario mover
  until 2min
broker rabbit
  queue incoming lease 30s
  queue outgoing
service App
  at 0s publish incoming (id = 1)
service Mover
  receive incoming as m
    begin on rabbit
    publish outgoing (id = m.id)
    ack m
{end}
{faults}
promise one rabbit.outgoing for each rabbit.incoming matching effect.id = cause.id
promise no rabbit.incoming
"
    )
}

#[test]
fn publishes_and_acks_take_effect_together_at_the_commit() {
    let (found, trace) = traced(&mover("    commit on rabbit", ""));
    assert_eq!(found, [""; 0]);
    assert_eq!(outcomes(&trace, "publish-outgoing"), ["held"]);
    assert_eq!(outcomes(&trace, "ack"), ["held message incoming:1"]);
    // Accepted by the event of the commit, not before.
    let commit = trace
        .events
        .iter()
        .position(|event| matches!(event.kind, EventKind::Acknowledged { .. }));
    let accepted = trace
        .last
        .queue(1)
        .present()
        .map(|message| message.ready_by)
        .collect::<Vec<_>>();
    assert_eq!(accepted, [commit.expect("the ack takes effect") as u32 - 1]);
    assert!(outcomes(&trace, "commit")[0].starts_with("ok message outgoing:1"));
}

#[test]
fn a_crash_in_any_gap_of_a_transaction_moves_the_message_once() {
    let scenario = language::parse(&mover("    commit on rabbit", "")).expect("it reads");
    let mut seen = 0;
    let crash = |point: &Point| crashpoint::program::Fault::Crash(point.clone(), Some(5_000));
    sweep(&scenario.program, &[], &crash, EVENTS_MAX, &mut |gap, world, ended| {
        let findings = verdict::judge(&scenario, world, ended);
        if gap.point.step.service.as_ref() == "Mover" {
            assert!(findings.is_empty(), "{:?} {findings:?}", gap.point);
            seen += 1;
        }
    });
    assert_eq!(seen, 5);
}

#[test]
fn rollback_a_failed_pass_and_a_lost_commit_discard_everything() {
    let ends = [
        ("    rollback on rabbit", ""),
        ("    fail", ""),
        ("    done", ""),
        ("    commit on rabbit", "lose request Mover.commit.1+"),
        ("    commit on rabbit", "refuse Mover.commit.1+"),
    ];
    for (end, faults) in ends {
        let (_, trace) = traced(&mover(end, faults));
        assert_eq!(trace.last.queue(1).present().count(), 0, "{end} {faults}");
        // The delivery stays in flight until its lease ends, and comes again: four times by two minutes.
        assert_eq!(
            trace.last.queue(0).present().map(|m| m.deliveries).collect::<Vec<_>>(),
            [4],
            "{end} {faults}"
        );
    }
    // The commit happened; only its answer is missing.
    let (found, _) = traced(&mover("    commit on rabbit", "lose reply Mover.commit.1"));
    assert_eq!(found, [""; 0]);
}

#[test]
fn an_ack_that_has_become_stale_fails_the_whole_commit() {
    let (_, trace) = traced(&mover("    sleep 40s\n    commit on rabbit", ""));
    assert_eq!(
        outcomes(&trace, "commit")[0],
        "Refused: the receipt handle is stale: its delivery has ended"
    );
    assert_eq!(trace.last.queue(1).present().count(), 0);
}

#[test]
fn a_transaction_that_is_not_there() {
    let (_, trace) = traced(&mover(
        "    commit on rabbit\n    rollback on rabbit\n    commit on rabbit",
        "",
    ));
    assert_eq!(outcomes(&trace, "rollback"), ["ok"]);
    assert_eq!(outcomes(&trace, "commit")[1], "Refused: no transaction is open");
    let (_, trace) = traced(&mover("    begin on rabbit", ""));
    assert_eq!(outcomes(&trace, "begin")[1], "Refused: a transaction is already open");
}

#[test]
fn a_message_in_the_background_belongs_to_the_transaction_it_was_sent_in() {
    let text = |fault: &str| {
        format!(
            "\
scenario background
broker rabbit
  queue events
service App
  at 0s
    begin on rabbit
    sent = publish events (id = 1) async
    commit on rabbit
    confirm sent
{fault}
"
        )
    };
    let (_, trace) = traced(&text(""));
    assert_eq!(trace.last.queue(0).ready().count(), 1);
    let (_, trace) = traced(&text("delay App.publish-events.1 by 1s"));
    assert_eq!(trace.last.queue(0).ready().count(), 0);
    assert_eq!(outcomes(&trace, "confirm"), ["Refused: its transaction has ended"]);
}

/// Two commits, one after the other, and a crash between them.
fn two_commits(first: &str, second: &str) -> String {
    format!(
        "\
scenario C58
database shop
  table orders (id int primary key)
broker rabbit
  queue events
service App on shop
  at 0s
    begin
    begin on rabbit
    insert into orders (id) values (1)
    publish events (id = 1)
    {first}
    {second}
crash after App.commit.1 never
promise one rabbit.events for each shop.orders matching effect.id = cause.id
"
    )
}

#[test]
fn the_order_of_two_commits_chooses_the_fault() {
    assert_eq!(kinds(&two_commits("commit", "commit on rabbit")), ["lost"]);
    assert_eq!(kinds(&two_commits("commit on rabbit", "commit")), ["phantom"]);
}

// --- Two-phase commit -------------------------------------------------------------------------------------------

/// Somebody prepares; somebody else decides.
fn prepared(decision: &str, faults: &str) -> String {
    format!(
        "\
scenario prepared
  until 5min
broker artemis
  queue incoming lease 30s
  queue outgoing
service App
  at 0s publish incoming (id = 1)
service Coordinator
  receive incoming as m
    begin on artemis
    publish outgoing (id = m.id)
    ack m
    prepare transaction 'x' on artemis
    sleep 10min
service Operator
  at 2min
    {decision}
{faults}
promise no artemis.incoming
"
    )
}

#[test]
fn prepared_work_survives_client_and_broker_and_is_decided_by_anyone() {
    let faults = "crash after Coordinator.prepare-transaction.1 never\ndown artemis at 30s for 10s";
    let (found, trace) = traced(&prepared("sleep 1s", faults));
    assert_eq!(found, ["blocked"]);
    assert!(trace.last.canonical(&trace.program).contains("artemis in doubt x"));
    assert_eq!(trace.last.held(1).count(), 1);
    let (found, trace) = traced(&prepared("commit prepared 'x' on artemis", faults));
    assert_eq!(found, [""; 0]);
    assert_eq!(trace.last.queue(1).ready().count(), 1);
    assert_eq!(trace.last.brokers_in_doubt().count(), 0);
    // Ready again, and nobody is there to receive it.
    let (found, trace) = traced(&prepared("rollback prepared 'x' on artemis", faults));
    assert_eq!(found, ["stuck"]);
    assert_eq!(
        (
            trace.last.queue(0).ready().count(),
            trace.last.queue(1).present().count()
        ),
        (1, 0)
    );
}

#[test]
fn a_prepared_transaction_that_does_not_exist() {
    let (_, trace) = traced(&prepared("commit prepared 'y' on artemis", ""));
    assert_eq!(
        outcomes(&trace, "commit-prepared"),
        ["Error: prepared transaction with identifier \"y\" does not exist"]
    );
}

#[test]
fn a_broker_without_two_phase_commit_refuses_to_prepare() {
    let mut scenario = language::parse(&prepared("sleep 1s", "")).expect("it reads");
    let program = std::rc::Rc::get_mut(&mut scenario.program).expect("nobody else has it");
    program.brokers[0].two_phase = false;
    let trace = run(&scenario.program, &[], EVENTS_MAX);
    assert_eq!(
        outcomes(&trace, "prepare-transaction")[0],
        "Refused: broker artemis has no two-phase commit"
    );
}

#[test]
fn held_is_an_outcome_of_its_own() {
    let (_, trace) = traced(&mover("    commit on rabbit", ""));
    let held = trace.events.iter().filter(|event| {
        matches!(
            &event.kind,
            EventKind::Step {
                outcome: Outcome::Held,
                ..
            }
        )
    });
    assert_eq!(held.count(), 2);
}
