//! How often a message was delivered, who worked on it and when: what the end of a receiving story does not show.

use crate::finished::{Finished, field, run};
use crashpoint::simulation::instance_label;
use crashpoint::simulation::trace::{Event, EventKind, Outcome};
use crashpoint::value::Millis;

/// For each delivery, in the sequence of the run, how many its message has had with this one.
fn deliveries(finished: &Finished) -> Vec<u32> {
    let counts = finished.trace.events.iter().filter_map(|event| match event.kind {
        EventKind::Delivery { deliveries, .. } => Some(deliveries),
        _ => None,
    });
    counts.collect()
}

/// The first visit of a step, instance and step named as in the trace.
fn step<'a>(finished: &'a Finished, instance: &str, name: &str) -> &'a Event {
    let program = &finished.scenario.program;
    let instances: Vec<_> = finished.trace.last.instances().collect();
    let is_meant = |event: &&Event| {
        let (EventKind::Step { step, visit: 1, .. }, Some(id)) = (&event.kind, event.instance) else {
            return false;
        };
        let of = instances[usize::from(id)];
        let steps = &program.services[usize::from(of.service)].steps;
        instance_label(program, of) == instance && &*steps[usize::from(*step)] == name
    };
    let found = finished.trace.events.iter().find(is_meant);
    found.unwrap_or_else(|| panic!("{instance} does {name}"))
}

fn outcome(event: &Event) -> &Outcome {
    match &event.kind {
        EventKind::Step { outcome, .. } => outcome,
        other => panic!("no step: {other:?}"),
    }
}

/// A lost acknowledgement (I4, for both messages), or a lease that ends during the work.
#[test]
fn a_message_comes_again_although_nobody_crashed() {
    for (id, counts) in [
        ("I4", &[1, 1, 2, 2][..]),
        ("I8", &[1, 2]),
        ("P5", &[1, 2, 3]),
        ("P6-dies", &[1, 2, 3]),
        ("C42", &[1, 2]),
        ("C45", &[1, 2]),
    ] {
        let finished = run(id);
        let crashed = |event: &Event| matches!(event.kind, EventKind::Crash { .. });
        assert!(!finished.trace.events.iter().any(crashed), "{id}");
        assert_eq!(deliveries(&finished), counts, "{id}");
    }
}

#[test]
fn a_lease_that_is_renewed_or_long_enough_keeps_the_message_with_one_receiver() {
    for id in ["P6", "P6-never", "C42-ok", "C45-ok"] {
        assert_eq!(deliveries(&run(id)), [1], "{id}");
    }
}

/// Every 30 s, from 0 s to 270 s, and the last is not yet over at 5 min.
#[test]
fn a_message_that_always_fails_is_delivered_ten_times_in_five_minutes() {
    let finished = run("I14");
    let mut held = finished.queue("claims").in_flight();
    assert_eq!(held.next().map(|held| held.message.deliveries), Some(10));
    assert_eq!(held.next(), None);
    assert_eq!(deliveries(&run("I14-limit")), [1, 2, 3, 4, 5]);
}

#[test]
fn a_renewal_without_end_keeps_the_message_in_flight() {
    let finished = run("P6-never");
    let held: Vec<String> = finished
        .queue("payments")
        .in_flight()
        .map(|held| field(&held.message.row, "id"))
        .collect();
    assert_eq!(held, ["pay-4711-01"]);
}

#[test]
fn a_broker_without_a_dead_letter_queue_lets_the_message_lie() {
    let finished = run("C53");
    let lying: Vec<String> = finished
        .queue("orders")
        .dead()
        .map(|message| field(&message.row, "id"))
        .collect();
    assert_eq!(lying, ["M1"]);
    assert_eq!(deliveries(&finished), [1, 2, 3]);
}

#[test]
fn the_epoch_of_the_frozen_worker_hits_no_row() {
    let finished = run("I13-fence");
    assert_eq!(*outcome(step(&finished, "Worker#1", "finish")), Outcome::Rows(0));
    assert_eq!(*outcome(step(&finished, "Worker#2", "finish")), Outcome::Rows(1));
}

/// Accepted at 1 ms and received at 2 ms; both begin and look, so both inserts are sent at 6 ms. The first is done at 7 ms, its
/// update at 9 ms, its commit at 11 ms: then the other knows that it is a duplicate.
#[test]
fn the_second_insert_waits_for_the_rivals_commit() {
    let finished = run("I6-index");
    let insert = step(&finished, "ReportWorker#2", "insert-inbox");
    assert_eq!((insert.sent_at, insert.at), (6, 11));
    assert!(matches!(outcome(insert), Outcome::Failed(_)), "{insert:?}");
}

/// Each instance needs 5 s for a transfer and some milliseconds around it.
#[test]
fn twice_the_instances_need_half_the_time() {
    for (id, instances) in [("P10", 1), ("P10-two", 2), ("P10-four", 4)] {
        let finished = run(id);
        let paid_at = finished.rows("register.paid(paid_at)");
        let paid_at: Vec<Millis> = paid_at
            .iter()
            .map(|at| at.trim_end_matches("ms").parse().expect("an instant"))
            .collect();
        assert_eq!(paid_at.len(), 8, "{id}");
        for (index, at) in paid_at.iter().enumerate() {
            let transfers = index as Millis / instances + 1;
            assert!((0..100).contains(&(at - 5_000 * transfers)), "{id}: {paid_at:?}");
        }
    }
}
