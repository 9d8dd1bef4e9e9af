//! The same outbox and inbox as a scenario, explored by the engine.

use super::model::{Order, Outcome};
use crashpoint::language;
use crashpoint::program::{Relation, Scenario};
use crashpoint::simulation::{Counts, Enough, Explorer, FaultKind, Found, Plan, World};
use crashpoint::value::Value;
use std::collections::BTreeSet;

/// So many orders are placed one after another, as often as the relay looks for them, so that the two act at the same instants.
pub fn scenario(orders: usize) -> Scenario {
    let at = |id: usize| 10 * (id - 1);
    let placed: String = (1..=orders)
        .map(|id| format!("  at {}s place({id})\n", at(id)))
        .collect();
    let text = TEXT.replace("  at 0s place(ID)\n", &placed);
    language::parse(&text).unwrap_or_else(|found| panic!("{found:?}"))
}

const TEXT: &str = "\
scenario ORACLE
database shop
  table orders (id int primary key)
  table outbox (id int primary key, sent boolean not null default false)
database warehouse
  table inbox (message_id int primary key)
  table parcels (order_id int not null)
broker rabbit
  queue events

service Shop on shop
  at 0s place(ID)
  handle place(id)
    begin
    insert into orders (id) values (:id)
    insert into outbox (id) values (:id)
    commit

service Relay on shop
  every 10s
    rows = select id from outbox where not sent order by id
    for row in rows
      publish events (id = row.id)
      mark: update outbox set sent = true where id = :row.id

service Warehouse on warehouse
  receive events as m
    begin
    insert into inbox (message_id) values (:m.id)
    on duplicate
      rollback
      ack m
      done
    insert into parcels (order_id) values (:m.id)
    commit
    ack m

promise one warehouse.parcels for each shop.orders matching effect.order_id = cause.id
";

/// Everything that up to so many crashes, in every order of simultaneous events, can leave at the end.
pub fn outcomes(scenario: &Scenario, orders: usize, crashes: usize, recognise: bool) -> (BTreeSet<Outcome>, Counts) {
    let mut outcomes = BTreeSet::new();
    let mut all = Counts::default();
    let plan = Plan {
        kinds: vec![FaultKind::Crash],
        faults: 0,
        standing: Vec::new(),
        events_max: 100_000,
        compared: vec![vec![PARCELS, ORDERS]],
        orders: true,
        reduce: true,
        recognise,
    };
    let mut explorer = Explorer::new(&scenario.program, plan);
    for faults in 0..=crashes {
        explorer.begin_anew(faults);
        let mut judge = |world: &World, _| outcome(world, orders);
        let mut each = |found: &Found<Outcome>| {
            outcomes.insert(found.worth.clone());
            Enough::No
        };
        while !explorer.go_on(u64::MAX, &mut judge, &mut each) {}
        let counts = explorer.counts();
        all.runs += counts.runs;
        all.recognised += counts.recognised;
        all.worlds = counts.worlds;
    }
    (outcomes, all)
}

const ORDERS: Relation = Relation::Table { database: 0, table: 0 };
const PARCELS: Relation = Relation::Table { database: 1, table: 1 };
const EVENTS: Relation = Relation::Queue(0);

fn outcome(world: &World, orders: usize) -> Outcome {
    let count = |relation, field: &str, id: usize| {
        let of = |value: Option<&Value>| value == Some(&Value::Int(id as i64));
        world
            .facts(relation)
            .iter()
            .filter(|fact| of(fact.row.get(field)))
            .count() as u8
    };
    let order = |id| -> Order {
        let placed = count(ORDERS, "id", id) > 0;
        (placed, count(EVENTS, "id", id), count(PARCELS, "order_id", id))
    };
    (1..=orders).map(order).collect()
}
