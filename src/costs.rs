//! What a design costs, counted in a run: writes, messages, deliveries, rows kept, time from cause to effect.
//!
//! Counted from facts and trace alone. Refuses to know: patterns, what a cost is worth, how it is shown.

use crate::fact::{Change, INITIAL};
use crate::program::{Relation, Scenario};
use crate::simulation::Trace;
use crate::simulation::trace::EventKind;
use crate::value::Millis;
use crate::verdict;

/// The counts of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Causes of the promises of effects; rows that were there before the run included.
    pub causes: usize,
    /// Causes that have an effect.
    pub answered: usize,
    /// Rows inserted, updated or deleted by committed transactions.
    pub writes: usize,
    /// Messages accepted by queues.
    pub messages: usize,
    /// Handed to a receiver, first times and repeats.
    pub deliveries: usize,
    /// Those that were not a message's first.
    pub redeliveries: usize,
    /// Rows in all tables when the run begins, at the most, and at its end.
    pub rows: Rows,
    /// From each answered cause to its first effect, ascending. Milliseconds.
    pub delays: Vec<Millis>,
    /// When the answered causes' first effects came, ascending. Milliseconds since the start.
    pub effects_at: Vec<Millis>,
}

/// How many rows the tables hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub at_start: usize,
    pub most: usize,
    pub at_end: usize,
}

impl Costs {
    /// Counts a run of the scenario.
    pub fn of(scenario: &Scenario, trace: &Trace) -> Costs {
        let mut costs = Costs::default();
        costs.count_rows(scenario, trace);
        costs.count_messages(scenario, trace);
        costs.time_effects(scenario, trace);
        costs
    }

    fn count_rows(&mut self, scenario: &Scenario, trace: &Trace) {
        // Changes of all tables by the event that made them: +1 for an insert, -1 for a deletion.
        let mut changes = Vec::new();
        for relation in tables(scenario) {
            for fact in trace.last.facts(relation).iter() {
                if fact.stamp == INITIAL {
                    self.rows.at_start += 1;
                } else {
                    self.writes += 1;
                    changes.push((fact.stamp.event, fact.change));
                }
            }
        }
        changes.sort_by_key(|(event, _)| *event);
        let mut now = self.rows.at_start;
        self.rows.most = now;
        for (_, change) in changes {
            match change {
                Change::Insert => now += 1,
                // Only what was inserted can be deleted.
                Change::Delete => now = now.saturating_sub(1),
                Change::Update => {}
            }
            self.rows.most = self.rows.most.max(now);
        }
        self.rows.at_end = now;
    }

    fn count_messages(&mut self, scenario: &Scenario, trace: &Trace) {
        // Programs have far fewer queues than 65,536.
        let queues = (0..scenario.program.queues.len()).map(|queue| Relation::Queue(queue as u16));
        self.messages = queues.map(|queue| trace.last.facts(queue).len()).sum();
        for event in &trace.events {
            if let EventKind::Delivery { deliveries, .. } = event.kind {
                self.deliveries += 1;
                self.redeliveries += usize::from(deliveries > 1);
            }
        }
    }

    fn time_effects(&mut self, scenario: &Scenario, trace: &Trace) {
        let at = |event| trace.events.get(event as usize).map_or(0, |event| event.at);
        for answer in verdict::answers(scenario, &trace.last, trace.ended) {
            self.causes += 1;
            let Some(effect) = answer.effect else { continue };
            let (caused, answered) = (answer.cause.map_or(0, at), at(effect));
            self.answered += 1;
            // An effect may precede its cause; it then waited for nothing.
            self.delays.push((answered - caused).max(0));
            self.effects_at.push(answered);
        }
        self.delays.sort_unstable();
        self.effects_at.sort_unstable();
    }
}

fn tables(scenario: &Scenario) -> impl Iterator<Item = Relation> + '_ {
    // Their numbers fit: a program has far fewer databases and tables than 65,536.
    scenario
        .program
        .databases
        .iter()
        .enumerate()
        .flat_map(|(database, schema)| {
            (0..schema.tables.len()).map(move |table| Relation::Table {
                database: database as u16,
                table: table as u16,
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Fault;
    use crate::simulation::{EVENTS_MAX, run};

    fn costs(text: &str) -> Costs {
        let scenario = crate::language::parse(text).expect("a scenario");
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
}
