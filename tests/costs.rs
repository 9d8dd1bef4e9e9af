//! What a run costs, counted by hand beside it.
#![forbid(unsafe_code)]

use crashpoint::costs::{Costs, Rows};
use crashpoint::language;
use crashpoint::program::Fault;
use crashpoint::simulation::{EVENTS_MAX, run};

fn costs(text: &str) -> Costs {
    let scenario = language::parse(text).expect("a scenario");
    let faults: Vec<Fault> = scenario.faults.iter().map(|line| line.fault.clone()).collect();
    Costs::of(&scenario, &run(&scenario.program, &faults, EVENTS_MAX))
}

const TEXT: &str = "\
scenario costs
database d
  table orders (id int primary key)
  table outbox (id int primary key)
  insert into orders (id) values (7)
broker b
  queue q lease 30s
service Shop on d
  at 1s
    begin
    insert into orders (id) values (1)
    insert into outbox (id) values (1)
    commit
service Relay on d
  at 5s
    publish q (id = 1)
    delete from outbox
service Warehouse on d
  receive q as m
    work: sleep 2s
    ack m
promise one b.q for each d.orders where id < 7 matching effect.id = cause.id
";

#[test]
fn rows_writes_messages_and_times_are_counted() {
    let costs = costs(TEXT);
    // Two inserts and one deletion; the row of before is none of them.
    assert_eq!(costs.writes, 3);
    let rows = Rows {
        at_start: 1,
        most: 3,
        at_end: 2,
    };
    assert_eq!(costs.rows, rows);
    assert_eq!((costs.messages, costs.deliveries, costs.redeliveries), (1, 1, 0));
    assert_eq!((costs.causes, costs.answered), (1, 1));
    // begin, two inserts and commit take 2 ms each, the commit's effect comes after 1 of its 2; the message is accepted at 5.001 s.
    assert_eq!(costs.effects_at, [5_001]);
    assert_eq!(costs.delays, [5_001 - 1_007]);
}

#[test]
fn a_redelivery_is_counted_as_one() {
    let costs = costs(&format!("{TEXT}lose request Warehouse.ack.1\n"));
    assert_eq!((costs.messages, costs.deliveries, costs.redeliveries), (1, 2, 1));
}

#[test]
fn a_cause_without_effect_is_not_answered() {
    let costs = costs(&format!("{TEXT}crash before Relay.publish-q.1 restart 1s\n"));
    assert_eq!((costs.causes, costs.answered), (1, 0));
    assert!(costs.delays.is_empty());
}
