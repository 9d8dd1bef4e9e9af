//! What a broker's rules do to the services behind it, by whole runs: what is fetched ahead, groups, copies, limits.
//!
//! Goal: each rule changes the end of a run as it says. Method: small scenarios, with and without the rule, under the faults
//! that bring out the difference; the rows, the times and the findings at the end are compared.
#![forbid(unsafe_code)]

mod support;

use crashpoint::program::{Fault, Moment, Point, Side, StepName, Visits};
use crashpoint::simulation::{EVENTS_MAX, Trace, run};
use crashpoint::verdict;
use support::{read, run_text};

/// The kinds of the findings, each once.
fn kinds(text: &str) -> Vec<&'static str> {
    let mut kinds = support::kinds(text);
    kinds.dedup();
    kinds
}

/// The first column of a database's first table, in the sequence of insertion.
fn rows(trace: &Trace) -> Vec<String> {
    let rows = trace.last.rows(0, 0).into_iter();
    rows.map(|(_, row)| row.values()[0].to_string()).collect()
}

/// When these events happened, by their canonical words: `delivery q:2 number 1`.
fn times(trace: &Trace, words: &str) -> Vec<i64> {
    let text = trace.canonical();
    let lines = text.lines().filter(|line| line.contains(words));
    let time = |line: &str| line.split(' ').nth(1).and_then(|at| at.parse().ok());
    lines.filter_map(time).collect()
}

/// Five messages of one key for one receiver, which refuses the first one once.
fn rejecting(rules: &str, receive: &str, nack: &str) -> String {
    format!(
        "scenario rejecting
database app
  table seen (n int)
broker b
  queue q {rules}
service Sender
  at 0s
    n = 0
    repeat 5 times
      publish q (id = n, key = 'k')
      n = n + 1
service K on app
  receive q {receive} as m
    sleep 100ms
    if m.id = 0 and m.deliveries = 1
      {nack}
      done
    insert into seen (n) values (:m.id)
    ack m
promise app.seen in order of n
expect out of order
"
    )
}

#[test]
fn what_is_in_the_buffer_overtakes_what_was_given_back() {
    for (rules, receive, nack, sequence) in [
        ("", "", "nack m", ["0", "1", "2", "3", "4"]),
        ("", "prefetch 5", "nack m", ["1", "2", "3", "4", "0"]),
        ("lease 60s", "prefetch 5", "nack m after 1s", ["1", "2", "3", "4", "0"]),
        (
            "lease 60s grouped",
            "prefetch 5",
            "nack m after 1s",
            ["0", "1", "2", "3", "4"],
        ),
    ] {
        let text = rejecting(rules, receive, nack);
        assert_eq!(rows(&run_text(&text)), sequence, "{text}");
    }
}

/// Two messages for a receiver that takes 40 s for each and renews what it works on.
fn slow(receive: &str) -> String {
    format!(
        "scenario slow
  until 10min
database app
  table runs (id text)
broker b
  queue q lease 10s
service Sender
  at 0s
    publish q (id = 'm1')
    publish q (id = 'm2')
service K on app
  receive q {receive} as m
    keep m every 5s
    work: sleep 40s
    insert into runs (id) values (:m.id)
    ack m
promise one app.runs for each b.q matching effect.id = cause.id
expect healthy
"
    )
}

#[test]
fn a_lease_that_ends_in_the_buffer_brings_the_message_again_and_both_copies_are_handled() {
    assert_eq!(kinds(&slow("")), [""; 0]);
    assert_eq!(kinds(&slow("prefetch 10")), ["duplicate"]);
    let trace = run_text(&slow("prefetch 10"));
    // Accepted at 3 ms, fetched at once (the receiver stands in line), and its lease ends 10 s later, again and again.
    let deliveries = times(&trace, "delivery q:2 ");
    assert_eq!(deliveries[..3], [4, 10_004, 20_004]);
    assert_eq!(rows(&trace)[..3], ["m1", "m2", "m2"]);
}

/// Three messages, of which the first is at work and the others are in the buffer when something happens.
fn buffered(rules: &str, fault: &str) -> String {
    format!(
        "scenario buffered
database app
  table runs (id text)
broker b
  queue q {rules}
service Sender
  at 0s
    publish q (id = 'm1')
    publish q (id = 'm2')
    publish q (id = 'm3')
service K on app
  receive q prefetch 3 as m
    work: sleep 100ms
    insert into runs (id) values (:m.id)
    ack m
{fault}
promise one app.runs for each b.q matching effect.id = cause.id
expect healthy
"
    )
}

#[test]
fn a_prefetching_receiver_works_on_one_message_at_a_time_and_in_sequence() {
    let trace = run_text(&buffered("lease 30s", ""));
    assert_eq!(rows(&trace), ["m1", "m2", "m3"]);
    let works = times(&trace, "work.");
    assert!(works.windows(2).all(|pair| pair[1] >= pair[0] + 100), "{works:?}");
    let fetched = times(&trace, "delivery q:");
    assert!(
        fetched.iter().all(|at| *at < works[0]),
        "fetched while the first was at work"
    );
}

#[test]
fn a_crash_drops_the_buffer_and_what_was_in_it_comes_back_as_its_rule_says() {
    let bound = run_text(&buffered("", "crash after K.work.1 restart 5s"));
    let crash = times(&bound, "crash");
    for message in 1..=3 {
        assert_eq!(times(&bound, &format!("returned q:{message}")), crash);
    }
    let leased = run_text(&buffered("lease 30s", "crash after K.work.1 restart 5s"));
    assert_eq!(times(&leased, "returned"), [0; 0]);
    let again = times(&leased, "delivery q:3 number 2");
    assert!(again[0] >= 30_000, "{again:?}");
    for trace in [bound, leased] {
        let mut done = rows(&trace);
        done.sort();
        assert_eq!(done, ["m1", "m2", "m3"]);
    }
}

#[test]
fn a_crash_during_a_step_elsewhere_returns_what_is_bound_to_the_connection_at_once() {
    let trace = run_text(&buffered("", "crash during K.insert-runs.1 restart 5s"));
    for message in 1..=3 {
        assert_eq!(times(&trace, &format!("returned q:{message}")), times(&trace, "crash"));
    }
    // The insert was on its way and is completed; the message comes again.
    assert_eq!(rows(&trace), ["m1", "m1", "m2", "m3"]);
}

#[test]
fn a_broken_connection_drops_the_buffer() {
    let bound = run_text(&buffered("", "lose request K.ack.1"));
    let lost = times(&bound, "request lost");
    for message in 1..=3 {
        assert_eq!(times(&bound, &format!("returned q:{message}")), lost);
    }
    assert_eq!(times(&bound, "delivery q:2 number 2").len(), 1);
    // The copies of 2 and 3 that were in the buffer are gone with it.
    let done = rows(&bound);
    assert_eq!(done.iter().filter(|id| *id == "m2").count(), 1, "{done:?}");
    assert_eq!(done.iter().filter(|id| *id == "m3").count(), 1, "{done:?}");
}

#[test]
fn a_broker_that_goes_down_takes_the_connection_bound_buffer_with_it_but_not_a_leased_one() {
    let bound = run_text(&buffered("", "down b at 50ms for 1s"));
    assert_eq!(times(&bound, "returned"), [50, 50, 50]);
    assert_eq!(rows(&bound).iter().filter(|id| *id == "m3").count(), 1);
    let leased = run_text(&buffered("lease 30s", "down b at 50ms for 20ms"));
    assert_eq!(times(&leased, "returned"), [0; 0]);
    assert_eq!(rows(&leased), ["m1", "m2", "m3"], "worked on from the buffer");
}

#[test]
fn a_copy_within_the_window_is_confirmed_seen_in_the_trace_and_no_message() {
    let text = |rule: &str| {
        format!(
            "scenario again
database app
  table seen (id text)
broker b
  queue q lease 30s {rule}
service Sender
  at 0s publish q (id = 'x')
  at 3s
    again: publish q (id = 'x')
service K on app
  receive q as m
    insert into seen (id) values (:m.id)
    ack m
promise at most 1 app.seen
"
        )
    };
    assert_eq!(kinds(&text("dedupe 5min")), [""; 0]);
    assert_eq!(kinds(&text("dedupe while queued")), ["growth"]);
    let trace = run_text(&text("dedupe 5min"));
    assert!(trace.canonical().contains("again.1 line 9 ok message q:1"));
    assert_eq!(times(&trace, "discarded copy of q:1"), times(&trace, "again.1"));
}

#[test]
fn a_full_queue_refuses_and_a_topic_publishes_to_all_of_its_queues_or_to_none() {
    let text = "scenario full
database app
  table said (n int, what text)
broker b
  queue small capacity 1
  queue large
  topic t to large, small
service Sender on app
  at 0s
    n = 0
    repeat 2 times
      n = n + 1
      try
        publish t (id = n)
        insert into said (n, what) values (:n, 'ok')
      on refused
        insert into said (n, what) values (:n, 'refused')
promise at most 1 b.large
promise at most 1 b.small
";
    let trace = run_text(text);
    assert!(trace.canonical().contains("n=2 what=refused"));
    assert_eq!(kinds(text), [""; 0]);
}

#[test]
fn without_queues_a_topic_refuses_or_confirms_as_its_rule_says() {
    let text =
        |rule: &str| format!("scenario nobody\nbroker b\n  topic t {rule}\nservice S\n  at 0s publish t (id = 1)\n");
    assert!(run_text(&text("")).canonical().contains("Refused: unroutable"));
    assert!(
        run_text(&text("unroutable refused"))
            .canonical()
            .contains("Refused: unroutable")
    );
    let confirmed = run_text(&text("unroutable confirmed"));
    assert!(confirmed.canonical().contains("publish-t.1 line 5 ok"));
    assert_eq!(times(&confirmed, "discarded t"), [1]);
}

#[test]
fn a_message_that_nobody_takes_expires_into_the_dead_letter_queue() {
    let text = |rules: &str| {
        format!(
            "scenario old
broker b
  queue q expires 1h {rules}
  queue d
service S
  at 0s publish q (id = 1)
promise no b.q
promise no b.d
"
        )
    };
    assert_eq!(kinds(&text("")), [""; 0]);
    assert_eq!(kinds(&text("dead d")), ["dead-lettered"]);
    assert_eq!(times(&run_text(&text("dead d")), "expired q:1 to d"), [3_600_001]);
}

#[test]
fn a_time_that_is_over_before_it_matters_does_not_prolong_the_run() {
    let text = "scenario taken
broker b
  queue q expires 1h
service S
  at 0s publish q (id = 1)
service K
  receive q as m ack m
service Poller
  every 10s
    sleep 1s
";
    let trace = run_text(text);
    assert!(trace.ended_at < 60_000, "{}", trace.ended_at);
}

#[test]
fn what_the_head_of_a_group_hides_is_blocked() {
    let text = "scenario head
  until 5min
broker b
  queue q lease 30s grouped
service S
  at 0s
    publish q (id = 1, key = 'a')
    publish q (id = 2, key = 'a')
    publish q (id = 3, key = 'b')
service K
  receive q as m
    if m.id = 1
      keep m every 10s
      sleep 1h
    ack m
service L
  receive q as m
    ack m
promise no b.q where id = 2
promise no b.q where id = 3
";
    assert_eq!(kinds(text), ["blocked"]);
}

/// The faults that a gap can have: the process dies or freezes there, the broker goes down, the next request or its reply is lost.
fn faults_at(point: &Point, next: Option<StepName>) -> Vec<Fault> {
    let visits = |first: &StepName| Visits {
        first: first.clone(),
        and_all_later: false,
    };
    let mut faults = vec![
        Fault::Crash(point.clone(), Some(5_000)),
        Fault::Pause(point.clone(), 300_000),
        Fault::Down("b".into(), Moment::Point(point.clone()), 1_000),
        Fault::Cut("b".into(), "K".into(), Moment::Point(point.clone()), 120_000),
    ];
    if let Some(step) = next {
        let during = Point {
            side: Side::During,
            step: step.clone(),
        };
        faults.push(Fault::Crash(during, Some(5_000)));
        faults.push(Fault::LoseRequest(visits(&step)));
        faults.push(Fault::LoseReply(visits(&step)));
    }
    faults
}

#[test]
fn whatever_happens_to_a_receiver_with_a_buffer_nothing_is_lost_or_left_and_groups_stay_in_sequence() {
    let mut runs = 0;
    for like in ["", "like rabbitmq", "like sqs-fifo", "like artemis"] {
        for rules in [
            "",
            "lease 30s",
            "lease 30s grouped",
            "grouped",
            "grouped dedupe 5min expires 1h",
        ] {
            for instances in ["", "x2"] {
                let text = format!(
                    "scenario anything
database app
  table runs (n int)
broker b {like}
  queue q {rules}
service Sender
  at 0s
    n = 0
    repeat 4 times
      n = n + 1
      publish q (id = n, key = 'k')
service K {instances} on app
  receive q prefetch 3 as m
    work: sleep 50ms
    insert into runs (n) values (:m.id)
    ack m
promise at least one app.runs for each b.q matching effect.n = cause.id
promise no b.q
"
                );
                let scenario = read(&text);
                let in_sequence = scenario.program.queues[0].grouped;
                for gap in run(&scenario.program, &[], EVENTS_MAX).gaps {
                    let next = gap.also().map(|also| also.step);
                    for fault in faults_at(&gap.point, next) {
                        let trace = run(&scenario.program, std::slice::from_ref(&fault), EVENTS_MAX);
                        runs += 1;
                        let findings = verdict::judge(&scenario, &trace.last, trace.ended);
                        assert_eq!(findings, [], "{fault}\n{text}\n{}", trace.canonical());
                        let mut first: Vec<String> = rows(&trace);
                        let mut seen = std::collections::BTreeSet::new();
                        first.retain(|n| seen.insert(n.clone()));
                        assert!(
                            !in_sequence || first.is_sorted(),
                            "{fault}\n{text}\n{}",
                            trace.canonical()
                        );
                    }
                }
            }
        }
    }
    assert!(runs > 4_000, "{runs} runs");
}
