//! What falls in one instant may happen in any order: which ends come of the other orders than the usual one.
//!
//! Reality takes some order, too. A real end that the usual order does not predict is no disagreement if the engine itself has it
//! among its ends; it is counted apart.
//! Refuses to know: how a cell is run.

use crashpoint::program::{Fault, Scenario};
use crashpoint::search;
use crashpoint::simulation::trace::Ended;
use crashpoint::simulation::{EVENTS_MAX, Enough, Explorer, Found, Plan, World};

/// So much work is worth it, and no more: some seconds.
const WORK: u64 = 20_000_000;

/// True if another order of simultaneous events than the usual one leads to an end of this sort.
pub fn lead_to(scenario: &Scenario, faults: &[Fault], is_such: &dyn Fn(&World, Ended) -> bool) -> bool {
    let plan = Plan {
        kinds: Vec::new(),
        faults: 0,
        standing: faults.to_vec(),
        events_max: EVENTS_MAX,
        compared: search::compared(scenario),
        orders: true,
        reduce: true,
        recognise: true,
    };
    let mut found = false;
    let mut each = |end: &Found<bool>| {
        found |= end.worth && !end.order.is_empty();
        if found { Enough::Yes } else { Enough::No }
    };
    Explorer::new(&scenario.program, plan).go_on(WORK, &mut |world, ended| is_such(world, ended), &mut each);
    found
}
