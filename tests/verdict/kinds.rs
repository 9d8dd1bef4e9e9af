//! The kinds of verdict that speak of what is left, in small texts: each is told from its neighbours by one line.

use crate::judged;
use crashpoint::value::Value;

/// Kind and key of each finding.
fn found(text: &str) -> Vec<(&'static str, String)> {
    let (_, _, findings) = judged(text);
    findings
        .iter()
        .map(|finding| (finding.kind.name(), finding.subject.key.to_string()))
        .collect()
}

fn one(kind: &'static str, key: &str) -> Vec<(&'static str, String)> {
    vec![(kind, key.to_string())]
}

/// A message and a receiver that does this with it.
fn handled(rules: &str, work: &str) -> String {
    format!(
        "scenario T
  until 5min
database d
  table deeds (id serial primary key, message text not null)
broker b
  queue q lease 30s {rules}
  queue dead lease 30s
service Source
  at 0s publish q (id = 'm1')
service Reader on d
  receive q as m
    {work}
promise one d.deeds for each b.q matching effect.message = cause.id
  waiting in b.q where id = cause.id
expect healthy
"
    )
}

#[test]
fn a_message_that_is_tried_for_ever_is_blocked_and_with_a_limit_dead_lettered() {
    assert_eq!(found(&handled("", "fail")), one("blocked", "m1"));
    assert_eq!(
        found(&handled("attempts 3 dead dead", "fail")),
        one("dead-lettered", "m1")
    );
    // Nobody gets it any more and nothing shows it.
    assert_eq!(found(&handled("attempts 3 keep", "fail")), one("stuck", "m1"));
    assert_eq!(found(&handled("attempts 3 drop", "fail")), one("lost", "m1"));
    assert_eq!(found(&handled("", "ack m")), one("lost", "m1"));
}

/// A row that a promise wants gone; what else happens decides what its being left means.
fn left(rest: &str) -> String {
    format!(
        "scenario T
  until 2min
database d
  table jobs (id int primary key, state text not null)
  insert into jobs (id, state) values (7, 'open')
{rest}
promise no d.jobs where state <> 'done'
expect healthy
"
    )
}

#[test]
fn a_row_nobody_takes_is_stuck() {
    assert_eq!(found(&left("")), one("stuck", "7"));
    // Polling that finds nothing is nobody who waits for it.
    let poller = "service Worker on d\n  every 5s update jobs set state = 'done' where state = 'ready'";
    assert_eq!(found(&left(poller)), one("stuck", "7"));
}

#[test]
fn a_row_whose_lock_somebody_waits_for_is_blocked() {
    let rest = "service Holder on d
  at 0s
    begin
    update jobs set state = 'held' where id = 7
    sleep 1h
    commit
service Worker on d
  at 1s update jobs set state = 'done' where id = 7";
    assert_eq!(found(&left(rest)), one("blocked", "7"));
}

#[test]
fn a_prepared_transaction_without_a_decision_blocks() {
    let rest = "service Coordinator on d
  at 0s
    begin
    update jobs set state = 'done' where id = 7
    ready: prepare transaction 't'
    commit prepared 't'
crash after Coordinator.ready.1 never";
    assert_eq!(found(&left(rest)), one("blocked", "7"));
}

#[test]
fn a_step_that_repeats_until_the_run_is_cut_blocks() {
    let rest = "outside bank (id int)
service Worker on d
  every 5s
    job = select id from jobs where state = 'open'
    if not job done
    call bank (id = job.id)
    update jobs set state = 'done' where id = :job.id
refuse Worker.call-bank+";
    assert_eq!(found(&left(rest)), one("blocked", "7"));
}

#[test]
fn a_value_is_judged_at_the_end_only() {
    let text = |promised: &str| {
        format!(
            "scenario T
database d
  table counter (n int not null)
  insert into counter (n) values (6)
service Counter on d
  at 1s times 2 every 1s
    update counter set n = n + 1
promise value (select n from counter) = {promised}
expect healthy
"
        )
    };
    assert_eq!(found(&text("8")), []);
    assert_eq!(found(&text("7")), one("wrong value", "null"));
    assert_eq!(found(&text("null")), one("wrong value", "null"));
}

#[test]
fn growth_is_judged_at_the_end_only() {
    let text = |clean: &str| {
        format!(
            "scenario T
database d
  table log (id serial primary key, note text)
service Writer on d
  at 1s times 3 every 1s insert into log (note) values ('x')
{clean}
promise at most 2 d.log
expect healthy
"
        )
    };
    assert_eq!(found(&text("")), one("growth", "null"));
    assert_eq!(
        found(&text("service Cleaner on d\n  at 9s delete from log where id < 3")),
        []
    );
}

#[test]
fn a_key_of_several_columns_is_shown_by_those_that_tell_rows_apart() {
    let text = |second: &str| {
        format!(
            "scenario T
database d
  table seen (reader text, message text, unique (reader, message))
service Reader on d
  at 0s
    insert into seen (reader, message) values ('r', 'm1')
    insert into seen (reader, message) values ({second})
promise no d.seen where message = 'm1'
expect stuck 'm1'
"
        )
    };
    // Every insert gives the same reader: it tells nothing.
    let (_, _, findings) = judged(&text("'r', 'm2'"));
    assert_eq!(findings[0].subject.key, Value::text("m1"));
    assert!(findings[0].is_about(&Value::text("r")) && findings[0].is_about(&Value::text("m1")));
    assert!(!findings[0].is_about(&Value::text("m2")));
    assert_eq!(found(&text("'s', 'm2'"))[0].1, "r, m1");
}

#[test]
fn a_heartbeat_beside_it_does_not_make_what_is_stuck_blocked() {
    let text = "scenario T
  until 10min
database d
  table outbox (id int primary key)
  table nodes (name text primary key, beat timestamptz)
  insert into outbox (id) values (1)
  insert into nodes (name) values ('N1')
service N1 on d
  every 1min update nodes set beat = now() where name = 'N1'
promise no d.outbox
expect stuck 1
";
    assert_eq!(found(text), one("stuck", "1"));
}

#[test]
fn a_call_that_is_never_answered_blocks() {
    let text = "scenario T
  until 10min
outside bank (id int) takes 1h
broker b
  queue q
service S
  at 0s publish q (id = 1)
  receive q as m
    call bank (id = m.id)
    ack m
promise no b.q
expect blocked 1
";
    assert_eq!(found(text), one("blocked", "1"));
}
