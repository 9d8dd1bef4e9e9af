//! Why a finding came about: the decision that made it possible and the signs of it, in small texts of their own.

use crate::judged;
use crashpoint::simulation::Trace;
use crashpoint::simulation::trace::EventKind;
use crashpoint::value::Value;
use crashpoint::verdict::{self, Finding, Why};
use crashpoint::words::Language;

struct Explained {
    finding: Finding,
    why: Why,
    conclusion: String,
    signature: String,
    trace: Trace,
}

/// The gravest finding of a text, explained.
fn explained(text: &str) -> Explained {
    let (scenario, trace, findings) = judged(text);
    let finding = findings.into_iter().next().unwrap_or_else(|| panic!("healthy: {text}"));
    let why = verdict::why(&finding, &scenario, &trace);
    Explained {
        conclusion: why.conclusion(&scenario.program, Language::En),
        signature: why.signature(&finding, &scenario, Language::En),
        finding,
        why,
        trace,
    }
}

impl Explained {
    /// The steps in the chain of events, as a fault line names them.
    fn steps(&self) -> Vec<String> {
        let steps = self.why.events.iter().filter_map(|id| {
            let event = &self.trace.events[*id as usize];
            let EventKind::Step { step, visit, .. } = event.kind else {
                return None;
            };
            let instance = self.trace.last.instance(event.instance?);
            let service = &self.trace.program.services[usize::from(instance.service)];
            Some(format!("{}.{}.{visit}", service.name, service.steps[usize::from(step)]))
        });
        steps.collect()
    }
}

/// A receiver's database and a queue with this rule; one message, `m1` about thing 7.
fn receiver(rule: &str, service: &str, rest: &str) -> String {
    format!(
        "scenario T
database d
  table seen (reader text, message text, unique (reader, message))
  table deeds (id serial primary key, thing int not null)
broker b
  queue q {rule}
service Source
  at 0s publish q (id = 'm1', thing = 7)
{service}
{rest}
promise one d.deeds for each b.q matching effect.thing = cause.thing
expect healthy
"
    )
}

const INBOX: &str = "
service Reader on d
  receive q as m
    begin
    insert into seen (reader, message) values ('r', :m.id)
    on duplicate
      rollback
      ack m
      done
    insert into deeds (thing) values (:m.thing)
    commit
    ack m";

#[test]
fn an_inbox_row_committed_alone_makes_the_next_delivery_a_copy() {
    let service = INBOX.replace("    insert into deeds", "    commit\n    begin\n    insert into deeds");
    let found = explained(&receiver("", &service, "crash after Reader.commit.1"));
    assert_eq!(
        found.conclusion,
        "Two transactions: Reader committed the row in d.seen without its effect, and the next delivery was taken for a copy."
    );
    assert_eq!(
        found.signature,
        "d.seen has 'm1'; 'm1' is gone from b.q; no row with thing = 7 in d.deeds"
    );
    assert!(found.finding.is_about(&Value::text("m1")));
}

#[test]
fn a_clean_up_between_two_deliveries_forgets() {
    let service = format!("{INBOX}\nservice Sweeper on d\n  at 20s delete from seen where message = 'm1'");
    let found = explained(&receiver("lease 30s", &service, "lose request Reader.ack.1"));
    assert_eq!(
        found.conclusion,
        "The acknowledgement of Reader was lost, so the message came again. Sweeper deleted the row in d.seen before the last copy came."
    );
    assert!(found.steps().contains(&"Sweeper.delete-seen.1".to_string()));
    // Deleted at 20.001 s; the lease ends at 30.001 s, and the second commit is four steps later.
    assert!(
        found
            .signature
            .starts_with("'m1' was deleted from d.seen at 20.001 s, 10.008 s before the second effect; "),
        "{}",
        found.signature
    );
}

#[test]
fn two_consumers_with_one_key_take_each_others_row() {
    let text = "scenario T
database d
  table seen (message text primary key)
  table deeds (id serial primary key, thing int not null)
  table notes (id serial primary key, thing int not null)
broker b
  topic t to q, r
  queue q
  queue r
service Source
  at 0s publish t (id = 'm1', thing = 7)
service Doer on d
  receive q as m
    begin
    insert into seen (message) values (:m.id) on conflict do nothing
    insert into deeds (thing) values (:m.thing)
    commit
    ack m
service Noter on d
  receive r as m
    begin
    insert into seen (message) values (:m.id)
    on duplicate
      rollback
      ack m
      done
    insert into notes (thing) values (:m.thing)
    commit
    ack m
promise one d.notes for each b.r matching effect.thing = cause.thing
expect lost
";
    let found = explained(text);
    assert_eq!(
        found.conclusion,
        "The insert of Doer took the key in d.seen, so Noter took its own first delivery for a copy."
    );
    let steps = found.steps();
    for step in ["Doer.insert-seen.1", "Doer.commit.1", "Noter.insert-seen.1"] {
        assert!(steps.contains(&step.to_string()), "{step} in {steps:?}");
    }
}

#[test]
fn acknowledged_first_then_dead() {
    let service = "
service Reader on d
  receive q as m
    ack m
    insert into deeds (thing) values (:m.thing)";
    let found = explained(&receiver("", service, "crash after Reader.ack.1"));
    assert_eq!(found.conclusion, "Reader acknowledged before the work was committed.");
    // Published at 1 ms, delivered at 2 ms, acknowledged at 3 ms.
    assert!(
        found
            .signature
            .starts_with("'m1' was acknowledged at 0.003 s, before any effect; "),
        "{}",
        found.signature
    );
}

#[test]
fn a_lease_that_ends_while_the_holder_works_needs_no_crash() {
    let text = "scenario T
database d
  table paid (message text primary key)
broker b
  queue q lease 30s
outside bank (message text) takes 40s
service Source
  at 0s publish q (id = 'm1')
service Payer x2 on d
  receive q as m
    known = select message from paid where message = :m.id
    if not known
      call bank (message = m.id)
      insert into paid (message) values (:m.id) on conflict do nothing
    ack m
promise one bank for each b.q matching effect.message = cause.id
expect duplicate
";
    let found = explained(text);
    assert_eq!(
        found.conclusion,
        "The lease ended while Payer#1 was still at work. Payer#2 looked in d.paid before the first attempt had written there."
    );
    assert_eq!(
        found.signature,
        "'m1' was handed out twice although nobody had died; 'm1' twice in bank"
    );
}

/// A sender that tries again under an id of its own making.
fn sender(id: &str) -> String {
    format!(
        "scenario T
database s
  table things (id int primary key)
database d
  table seen (message text primary key)
  table deeds (id serial primary key, thing int not null)
broker b
  queue q
service Source on s
  at 0s
    insert into things (id) values (7)
    n = 1
    repeat 2 times
      try
        publish q (id = {id}, thing = 7)
        break
      on timeout
        n = n + 1
service Reader on d
  receive q as m
    begin
    insert into seen (message) values (:m.id)
    on duplicate
      rollback
      ack m
      done
    insert into deeds (thing) values (:m.thing)
    commit
    ack m
lose reply Source.publish-q.1
promise one d.deeds for each s.things matching effect.thing = cause.id
expect duplicate
"
    )
}

#[test]
fn a_second_attempt_under_another_id_is_no_copy_to_anybody() {
    let found = explained(&sender("'m-' || n"));
    assert_eq!(
        found.conclusion,
        "The answer was lost, so Source did it again. Source gave the second attempt another id, so nobody can tell the copy."
    );
    assert!(
        found
            .signature
            .starts_with("'m-1' and 'm-2' in b.q differ in nothing but their ids; "),
        "{}",
        found.signature
    );
    let found = explained(&sender("fresh('m')"));
    assert!(
        found
            .conclusion
            .ends_with("Source drew the id for each attempt, so nobody can tell the copy."),
        "{}",
        found.conclusion
    );
}

#[test]
fn checked_and_written_in_two_steps_without_an_index() {
    let text = "scenario T
database d
  table seen (message text)
  table deeds (id serial primary key, thing int not null)
broker b
  queue q
service Source
  at 0s times 2 every 1ms
    publish q (id = 'm1', thing = 7)
service Reader x2 on d
  receive q as m
    known = select message from seen where message = :m.id
    if not known
      begin
      insert into seen (message) values (:m.id)
      insert into deeds (thing) values (:m.thing)
      commit
    ack m
promise one d.deeds for each b.q matching effect.thing = cause.thing
expect duplicate
";
    assert_eq!(
        explained(text).conclusion,
        "Reader#1 and Reader#2 both read d.seen before either had written: checked and written in two steps, and neither a lock nor a unique index stands between."
    );
}

#[test]
fn a_row_committed_late_is_passed_by() {
    let text = "scenario T
  until 60s
database d
  table things (id serial primary key, body text)
  table place (name text primary key, last int)
  insert into place (name, last) values ('p', 0)
broker b
  queue q
service Writer on d
  at 0s
    begin
    insert into things (body) values ('A')
    sleep 20s
    slow: commit
  at 5s insert into things (body) values ('B')
service Mover on d
  every 10s
    rows = select id from things where id > (select last from place where name = 'p') order by id
    for row in rows
      publish q (id = row.id)
      update place set last = :row.id where name = 'p'
promise one b.q for each d.things matching effect.id = cause.id
expect lost
";
    let found = explained(text);
    assert_eq!(
        found.conclusion,
        "It was committed after later rows of d.things, and Mover was already past its place."
    );
    let steps = found.steps();
    for step in ["Writer.slow.1", "Mover.select-things.1", "Mover.update-place.1"] {
        assert!(steps.contains(&step.to_string()), "{step} in {steps:?}");
    }
}

/// An outbox whose relay does these two things with each row.
fn outbox(first: &str, second: &str) -> String {
    format!(
        "scenario T
database d
  table things (id int primary key)
  table outbox (id text primary key, sent boolean not null default false)
broker b
  queue q
service Shop on d
  at 0s
    begin
    insert into things (id) values (7)
    insert into outbox (id) values ('evt-7')
    commit
service Mover on d
  every 10s
    rows = select id from outbox where not sent
    for row in rows
      {first}
      {second}
crash before Mover.second.1
promise one b.q for each d.things matching effect.id = 'evt-' || cause.id
  waiting in d.outbox where id = 'evt-' || cause.id and not sent
expect lost
"
    )
}

#[test]
fn the_sequence_of_marking_and_sending_decides_what_a_crash_costs() {
    let mark = "update outbox set sent = true where id = :row.id";
    let send = "publish q (id = row.id)";
    let found = explained(&outbox(mark, &format!("second: {send}")));
    assert_eq!(
        found.conclusion,
        "Mover marked it in d.outbox before it was sent, and got no further."
    );
    assert!(
        found.signature.starts_with("d.outbox has 'evt-7' with sent = true; "),
        "{}",
        found.signature
    );
    let found = explained(&outbox(send, &format!("second: {mark}")));
    assert_eq!(
        found.conclusion,
        "Mover sent, and died before it had marked that, so it was sent again."
    );
}

#[test]
fn what_the_trace_does_not_show_is_not_made_up() {
    // Two orders of the same person: two causes, and the second effect belongs to the text, not to a mishap.
    let text = "scenario T
database d
  table things (id int primary key)
  table deeds (id serial primary key, thing int not null)
service Doer on d
  at 0s
    insert into things (id) values (7)
    insert into deeds (thing) values (7)
    insert into deeds (thing) values (7)
promise one d.deeds for each d.things matching effect.thing = cause.id
expect duplicate
";
    let found = explained(text);
    assert_eq!(found.conclusion, "");
    assert_eq!(found.signature, "2 in d.deeds (1, 2) for 7 of d.things");
}
