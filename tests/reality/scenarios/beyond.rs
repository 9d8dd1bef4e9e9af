//! What the harness cannot do, and why: scenarios that are not compared because of it.
//!
//! Refuses to know: what a product has no word for; the engine's notes say that.

use crashpoint::program::{Fault, Instruction, Request, Scenario};
use crashpoint::sql::Statement;

/// Why this scenario cannot be run on this system; none: it can.
pub fn beyond(scenario: &Scenario, system: &str) -> Option<&'static str> {
    let program = &scenario.program;
    let code = || program.services.iter().flat_map(|service| &service.code);
    let requests = || {
        code().filter_map(|instruction| match instruction {
            Instruction::Step { request, .. } => Some(request),
            _ => None,
        })
    };
    let transacts = |request: &Request| matches!(request, Request::Transaction { .. });
    if system == "jetstream" && requests().any(transacts) {
        return Some("JetStream has no transactions");
    }
    let sends_back = |request: &Request| matches!(request, Request::Redrive { .. });
    if requests().any(sends_back) {
        return Some("sending dead letters back is not spoken");
    }
    if requests().any(|request| matches!(request, Request::Publish { after: Some(_), .. })) {
        return Some("these versions delay no publishes");
    }
    if requests().any(|request| matches!(request, Request::Extend { by: Some(_), .. })) {
        return Some("JetStream prolongs a lease by its own length only");
    }
    let prepares = |request: &Request| {
        matches!(
            request,
            Request::Sql {
                statement: Statement::PrepareTransaction(_),
                ..
            }
        )
    };
    if requests().any(prepares) {
        return Some("names of prepared transactions are the whole server's, and cells run side by side");
    }
    let special = program
        .queues
        .iter()
        .any(|q| q.capacity.is_some() || q.expires.is_some() || q.partitions.is_some());
    if special {
        return Some("capacity, expiry and partitions are not set up");
    }
    if scenario.faults.iter().any(|line| matches!(line.fault, Fault::Cut(..))) {
        return Some("a cut that leaves connections open is not made");
    }
    let mut copied = program.topics.iter().flat_map(|topic| &topic.queues);
    if system == "jetstream" && copied.any(|queue| program.queues[usize::from(*queue)].volatile) {
        return Some("a stream in memory that is made anew copies everything from its source again");
    }
    let heartbeat = program.brokers.iter().filter_map(|broker| broker.heartbeat).min();
    let longest = scenario.faults.iter().filter_map(|line| match line.fault {
        Fault::Pause(_, time) => Some(time),
        _ => None,
    });
    if heartbeat
        .zip(longest.max())
        .is_some_and(|(heartbeat, pause)| pause >= heartbeat)
    {
        return Some("heartbeats are switched off, and a pause outlasts them");
    }
    None
}
