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
        "'m1' was handed out twice although its receiver was alive; 'm1' twice in bank"
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

#[test]
fn a_broker_that_ends_the_connection_or_a_long_line_gives_the_message_to_another() {
    // The second message waits for its turn behind the first, and its lease has run since it was fetched.
    let text = "scenario T
database d
  table deeds (id serial primary key, message text not null)
broker b
  queue q lease 30s
service Source
  at 0s
    publish q (id = 'm1')
    publish q (id = 'm2')
service Reader x2 on d
  receive q prefetch 2 as m
    insert into deeds (message) values (:m.id)
    work: sleep 20s
    ack m
pause before Reader#2.insert-deeds.1 for 25s
promise one d.deeds for each b.q matching effect.message = cause.id
expect duplicate
";
    let (scenario, trace, findings) = judged(text);
    for finding in &findings {
        let said = verdict::why(finding, &scenario, &trace).conclusion(&scenario.program, Language::En);
        assert!(!said.is_empty(), "{finding:?}");
    }
}

#[test]
fn a_later_item_overtakes_while_two_are_at_work() {
    let text = "scenario T
database d
  table done (id int primary key, thing int not null, seq int not null)
broker b
  queue q lease 1min
service Source
  at 0s
    publish q (id = 1, key = 7, seq = 1)
    publish q (id = 2, key = 7, seq = 2)
service Reader x2 on d
  receive q as m
    if m.seq = 1
      slow: sleep 20s
    insert into done (id, thing, seq) values (:m.id, :m.key, :m.seq)
    ack m
promise d.done in order of seq per thing
expect out of order 7
";
    let found = explained(text);
    assert!(found.finding.is_about(&Value::Int(7)), "the key");
    assert!(found.finding.is_about(&Value::Int(1)), "the item that came late");
    assert!(!found.finding.is_about(&Value::Int(2)));
    assert_eq!(
        found.conclusion,
        "Reader#2 and Reader#1 were at work at the same time, and nothing keeps items of one key together."
    );
    assert_eq!(found.signature, "7: sequence 2 1 in d.done");
}

#[test]
fn the_first_of_a_group_that_always_fails_keeps_the_others_back() {
    let text = "scenario T
  until 2min
database d
  table deeds (id serial primary key, message text not null)
broker b
  queue q lease 30s grouped
service Source
  at 0s
    publish q (id = 'm1', key = 7)
    publish q (id = 'm2', key = 7)
    publish q (id = 'm3', key = 8)
service Reader on d
  receive q as m
    if m.id = 'm1' fail
    insert into deeds (message) values (:m.id)
    ack m
promise no b.q
expect blocked 'm1'
";
    let (scenario, trace, findings) = judged(text);
    let said = |finding: &Finding| {
        let why = verdict::why(finding, &scenario, &trace);
        (
            finding.kind.name(),
            why.signature(finding, &scenario, Language::En),
            why.conclusion(&scenario.program, Language::En),
        )
    };
    let [head, behind] = findings.as_slice() else {
        panic!("m1 and m2 are left: {findings:?}");
    };
    // Delivered at 2 ms and then every 30 s: four times in two minutes.
    let (kind, signature, conclusion) = said(head);
    assert_eq!(kind, "blocked");
    assert!(
        signature.starts_with("1 more of key 7 wait behind it; 'm1' in b.q"),
        "{signature}"
    );
    assert_eq!(
        conclusion,
        "Reader failed at it 4 times, and nothing limits the attempts."
    );
    let (kind, signature, _) = said(behind);
    assert_eq!(kind, "blocked");
    assert!(
        signature.starts_with("'m1' lies before it, handed out 4 times; 'm2' in b.q"),
        "{signature}"
    );
}

#[test]
fn an_effect_outside_survives_the_rollback_around_it() {
    let text = "scenario T
database d
  table seen (message text primary key)
broker b
  queue q
outside mail (message text)
service Source
  at 0s publish q (id = 'm1')
service Reader on d
  receive q as m
    begin
    insert into seen (message) values (:m.id)
    on duplicate
      rollback
      ack m
      done
    call mail (message = m.id)
    commit
    ack m
crash after Reader.call-mail.1
promise one mail for each b.q matching effect.message = cause.id
expect duplicate
";
    assert_eq!(
        explained(text).conclusion,
        "Reader died before it acknowledged, so the message came again. The transaction of Reader was rolled back, its effect outside was not."
    );
}

#[test]
fn a_copy_that_closes_the_row_is_told_from_the_worker_that_holds_it() {
    let text = "scenario T
  until 2min
database d
  table box (message text primary key, state text not null default 'open')
  table deeds (id serial primary key, message text not null)
broker b
  queue q lease 20s
service Source
  at 0s publish q (id = 'm1')
service Intake on d
  receive q as m
    insert into box (message) values (:m.id)
    on duplicate
      close: update box set state = 'done' where message = :m.id
    ack m
service Worker on d
  every 5s
    taken = update box set state = 'busy' where state = 'open' returning message
    if not taken done
    work: sleep 30s
    insert into deeds (message) values (:taken.message)
    update box set state = 'done' where message = :taken.message
lose request Intake.ack.1
crash after Worker.work.1 never
promise one d.deeds for each b.q matching effect.message = cause.id
  waiting in d.box where message = cause.id and state <> 'done'
expect lost
";
    let found = explained(text);
    assert_eq!(
        found.conclusion,
        "Intake closed the row in d.box while Worker was still at work on it; a copy is no proof that the work is done."
    );
    assert!(
        found.signature.starts_with("d.box has 'm1' with state = 'done'; "),
        "{}",
        found.signature
    );
    // Without the copy the row stays with a worker that is gone.
    let found = explained(&text.replace("lose request Intake.ack.1\n", ""));
    assert_eq!(found.finding.kind.name(), "stuck");
    assert_eq!(
        found.conclusion,
        "Worker died while the row in d.box was its own, and nobody takes over such rows."
    );
    assert!(
        found
            .signature
            .starts_with("d.box has 'm1' with state = 'busy'; Worker, which changed it last, died at "),
        "{}",
        found.signature
    );
}

#[test]
fn a_value_is_wrong_because_two_read_it_before_either_wrote() {
    let text = "scenario T
database d
  table counter (id int primary key, n int not null)
  insert into counter (id, n) values (1, 6)
service Adder x2 on d
  at 0s
    old = select n from counter where id = 1
    update counter set n = :old.n + 1 where id = 1
promise value (select n from counter) = 8
expect wrong value
";
    let said = explained(text).conclusion;
    assert!(
        said.starts_with("Adder#1 and Adder#2 both read d.counter before either had written"),
        "{said}"
    );
}

#[test]
fn an_open_transaction_blocks_its_own_row_and_no_other() {
    let text = "scenario T
  until 2min
database d
  table jobs (id int primary key, state text not null)
  insert into jobs (id, state) values (7, 'open'), (8, 'open')
outside bank (id int)
service Worker on d
  every 5s
    job = select id from jobs where state = 'open' order by id limit 1
    if not job done
    call bank (id = job.id)
    update jobs set state = 'done' where id = :job.id
service Holder on d
  at 0s
    begin
    update jobs set state = 'held' where id = 8
    sleep 1h
    commit
service Later on d
  at 1s update jobs set state = 'done' where id = 8
refuse Worker.call-bank+
promise no d.jobs where state <> 'done'
expect blocked
";
    let (scenario, trace, findings) = judged(text);
    let said: Vec<(String, String)> = findings
        .iter()
        .map(|finding| {
            let why = verdict::why(finding, &scenario, &trace);
            (
                finding.subject.key.to_string(),
                why.conclusion(&scenario.program, Language::En),
            )
        })
        .collect();
    let [(first, stops), (second, held)] = said.as_slice() else {
        panic!("two rows are left: {said:?}");
    };
    assert_eq!((first.as_str(), second.as_str()), ("7", "8"));
    assert!(stops.starts_with("Worker stopped at the same row "), "{stops}");
    assert_eq!(
        held,
        "The transaction of Holder on d.jobs is still open, and others wait for its lock."
    );
}
