//! What a final state does not show: rounds, delays, crash points, the same crash in another design.

use crate::crashes::{breaks_of, strip, under_faults_of};
use crate::finished::{Finished, faults, field, position, run, run_under, scenario};
use crashpoint::fact::{Change, Fact};
use crashpoint::program::{Fault, Kind, Relation};
use crashpoint::simulation::trace::EventKind;
use crashpoint::value::Millis;
use std::collections::BTreeMap;

/// The facts of a table of the first database, or of a queue.
fn facts(finished: &Finished, name: &str) -> Vec<Fact> {
    let program = &finished.scenario.program;
    let relation = match program.queues.iter().position(|queue| &*queue.name == name) {
        Some(queue) => Relation::Queue(queue as u16),
        None => Relation::Table {
            database: 0,
            table: position(&program.databases[0].tables, name, |table| &table.name),
        },
    };
    finished.trace.last.facts(relation).iter().cloned().collect()
}

/// For each event id: from the commit of its outbox row to its acceptance by the broker.
fn delays(finished: &Finished) -> BTreeMap<String, Millis> {
    let committed = facts(finished, "outbox")
        .into_iter()
        .filter(|fact| fact.change == Change::Insert);
    let committed: BTreeMap<String, Millis> = committed.map(|fact| (field(&fact.row, "id"), fact.stamp.at)).collect();
    let accepted = facts(finished, "events").into_iter();
    accepted
        .map(|fact| {
            let id = field(&fact.row, "id");
            let delay = fact.stamp.at - committed[&id];
            (id, delay)
        })
        .collect()
}

#[test]
fn of_the_five_crash_points_of_o1_one_loses_the_order() {
    let cells = strip("O1", "Shop");
    let expected = [
        ("before Shop.begin.1", None),
        ("after Shop.begin.1", None),
        ("after Shop.insert-orders.1", None),
        ("after Shop.commit.1", Some(Kind::Lost)),
        ("after Shop.publish-events.1", None),
    ];
    assert_eq!(cells, expected.map(|(point, kind)| (point.to_owned(), kind)));
}

#[test]
fn sending_before_saving_is_a_phantom_until_the_commit() {
    let expected = [
        "after Shop.publish-events.1",
        "after Shop.begin.1",
        "after Shop.insert-orders.1",
    ];
    assert_eq!(
        breaks_of("O2", "Shop"),
        expected.map(|point| (point.to_owned(), Kind::Phantom))
    );
}

#[test]
fn the_crash_of_o1_is_harmless_in_every_design_with_an_outbox_or_without_a_broker() {
    for id in ["O3", "O5", "O6", "O10", "O12", "O15"] {
        let finished = under_faults_of(id, "O1");
        assert!(finished.trace.struck.iter().all(Option::is_some), "{id}: reached");
        assert_eq!(finished.kinds(), [], "{id}");
    }
    assert_eq!(under_faults_of("O13", "O1").kinds(), [Kind::Lost]);
}

#[test]
fn the_crash_of_o5_is_absorbed_by_the_inbox_alone() {
    for (id, kinds) in [
        ("O3", &[Kind::Duplicate][..]),
        ("O6", &[]),
        ("O10", &[]),
        ("O12", &[Kind::Duplicate]),
    ] {
        let finished = under_faults_of(id, "O5");
        assert!(finished.trace.struck.iter().all(Option::is_some), "{id}: reached");
        assert_eq!(finished.kinds(), kinds, "{id}");
    }
}

#[test]
fn an_outbox_alone_breaks_only_between_sending_and_marking() {
    assert_eq!(breaks_of("O3", "Shop"), []);
    assert_eq!(
        breaks_of("O3", "Relay"),
        [("after Relay.publish-events.1".to_owned(), Kind::Duplicate)]
    );
    assert_eq!(
        breaks_of("O6", "Relay"),
        [("after Relay.mark.1".to_owned(), Kind::Lost)]
    );
}

#[test]
fn an_outbox_with_an_inbox_breaks_nowhere() {
    for service in ["Shop", "Relay", "Warehouse"] {
        assert_eq!(breaks_of("O10", service), [], "{service}");
    }
}

#[test]
fn order_and_reaction_in_one_transaction_break_nowhere() {
    assert_eq!(breaks_of("O15", "Shop"), []);
}

#[test]
fn rounds_of_a_relay_that_takes_two_send_two_one_and_none() {
    let finished = run("O7");
    // Instances are numbered over all services; the relay is the second service.
    let relay = 1;
    let steps = &finished.scenario.program.services[relay].steps;
    let publish = position(steps, "publish-events", |step| step);
    let mut rounds: BTreeMap<Millis, u32> = BTreeMap::new();
    for event in &finished.trace.events {
        if let EventKind::Step { step, .. } = event.kind
            && event.instance.map(usize::from) == Some(relay)
            && step == publish
        {
            *rounds.entry(event.at / 10_000).or_default() += 1;
        }
    }
    assert_eq!(rounds, BTreeMap::from([(1, 2), (2, 1)]));
    assert!(finished.trace.ended_at >= 30_000, "a third round finds nothing");
}

#[test]
fn clean_up_never_deletes_a_row_that_waits() {
    let finished = run("O9");
    let deleted: Vec<Fact> = facts(&finished, "outbox")
        .into_iter()
        .filter(|fact| fact.change == Change::Delete)
        .collect();
    let ids: Vec<String> = deleted.iter().map(|fact| field(&fact.row, "id")).collect();
    assert_eq!(ids, ["evt-1003", "evt-1004", "evt-1005", "evt-1006"]);
    assert!(deleted.iter().all(|fact| field(&fact.row, "sent") == "true"));
    // The third row waited from 25 s to 60 s, longer than the 10 s after which sent rows go.
    assert!(delays(&finished)["evt-1005"] > 30_000);
}

#[test]
fn a_crash_during_clean_up_or_the_outage_at_most_repeats_an_event() {
    assert_eq!(breaks_of("O9", "Shop"), []);
    assert_eq!(breaks_of("O9", "Cleaner"), []);
    let repeats = breaks_of("O9", "Relay");
    assert!(repeats.iter().all(|(_, kind)| *kind == Kind::Duplicate), "{repeats:?}");
}

#[test]
fn retrying_from_memory_outlives_an_outage_but_not_the_process() {
    let scenario = scenario("O13");
    let outage: Vec<Fault> = faults(&scenario)
        .into_iter()
        .filter(|fault| matches!(fault, Fault::Down(..)))
        .collect();
    assert_eq!(outage.len(), 1);
    let finished = run_under(scenario, &outage);
    assert_eq!(finished.kinds(), []);
    assert_eq!(finished.ids("events"), ["evt-1003"]);
}

/// Committed at 1007, 5007, 9007 and 10107 ms; accepted at 10005, 10009, 10013 and 20019 ms.
#[test]
fn an_event_waits_up_to_one_poll_interval() {
    let expected = [
        ("evt-1003", 8_998),
        ("evt-1004", 5_002),
        ("evt-1005", 1_006),
        ("evt-1006", 9_912),
    ];
    let delays = delays(&run("O16"));
    assert_eq!(delays, expected.map(|(id, delay)| (id.to_owned(), delay)).into());
    assert!(delays.values().all(|delay| *delay <= 10_000));
}

#[test]
fn a_relay_on_the_commit_log_does_not_wait_for_a_poll() {
    let followed = delays(&run("O12"))["evt-1003"];
    let polled = delays(&run("O3"))["evt-1003"];
    assert!(followed < 10, "{followed} ms");
    assert_eq!(polled, 10_005 - 7);
}
