//! Outbox and inbox as a model for a model checker, written by hand and independently of the engine: no time, every
//! interleaving, up to so many crashes anywhere.
//!
//! Abstracted as far as outcomes allow: what a transaction does before its commit nobody sees, so it is one step; whoever
//! crashes is back at once with nothing in memory.

use stateright::{Checker, Model, Property};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Most orders a model has.
pub const ORDERS_MAX: usize = 5;

/// What is left of one order: whether it was committed, how often it was announced, how many parcels were sent.
pub type Order = (bool, u8, u8);
/// What a run comes to.
pub type Outcome = Vec<Order>;

type Set = u8;

pub struct Outbox {
    pub orders: usize,
    pub crashes: u8,
    outcomes: Arc<Mutex<BTreeSet<Outcome>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Requests so far, and whether the shop is at work on the last; orders with their outbox rows that are committed.
    asked: u8,
    working: bool,
    committed: Set,
    /// Rows that are not marked as sent.
    unsent: Set,
    relay: Relay,
    /// Copies of announcements in line, oldest first.
    queue: Vec<u8>,
    warehouse: Warehouse,
    announced: [u8; ORDERS_MAX],
    inbox: Set,
    parcels: [u8; ORDERS_MAX],
    crashes: u8,
}

/// The relay's memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Relay {
    Idle,
    /// These rows are still to be sent.
    Selected(Set),
    /// This one has been sent and is to be marked; then these.
    Published(u8, Set),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Warehouse {
    Idle,
    /// A message is at work: inbox row and parcel are not committed.
    Received(u8),
    /// To be acknowledged.
    Committed(u8),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Ask,
    Commit,
    Select,
    Publish,
    Mark,
    Receive,
    Work,
    Ack,
    CrashShop,
    CrashRelay,
    CrashWarehouse,
}

impl Outbox {
    pub fn new(orders: usize, crashes: u8) -> Outbox {
        Outbox {
            orders,
            crashes,
            outcomes: Arc::default(),
        }
    }

    /// Explores everything: what can be left at the end, and how many states there are.
    pub fn outcomes(self) -> (BTreeSet<Outcome>, usize) {
        let outcomes = Arc::clone(&self.outcomes);
        let checker = self.checker().spawn_bfs().join();
        let states = checker.unique_state_count();
        let outcomes = outcomes.lock().expect("no worker has died").clone();
        (outcomes, states)
    }

    fn end(&self, state: &State) {
        let order = |i: usize| (has(state.committed, i as u8), state.announced[i], state.parcels[i]);
        let outcome = (0..self.orders).map(order).collect();
        self.outcomes.lock().expect("no worker has died").insert(outcome);
    }
}

fn has(set: Set, member: u8) -> bool {
    set & 1 << member != 0
}

fn first(set: Set) -> Option<u8> {
    (set != 0).then(|| set.trailing_zeros() as u8)
}

impl Model for Outbox {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            asked: 0,
            working: false,
            committed: 0,
            unsent: 0,
            relay: Relay::Idle,
            queue: Vec::new(),
            warehouse: Warehouse::Idle,
            announced: [0; ORDERS_MAX],
            inbox: 0,
            parcels: [0; ORDERS_MAX],
            crashes: self.crashes,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        match state.working {
            true => actions.push(Action::Commit),
            false if usize::from(state.asked) < self.orders => actions.push(Action::Ask),
            false => {}
        }
        match state.relay {
            Relay::Idle if state.unsent != 0 => actions.push(Action::Select),
            Relay::Idle => {}
            Relay::Selected(_) => actions.push(Action::Publish),
            Relay::Published(..) => actions.push(Action::Mark),
        }
        match state.warehouse {
            Warehouse::Idle if !state.queue.is_empty() => actions.push(Action::Receive),
            Warehouse::Idle => {}
            Warehouse::Received(_) => actions.push(Action::Work),
            Warehouse::Committed(_) => actions.push(Action::Ack),
        }
        if actions.is_empty() {
            self.end(state);
        }
        if state.crashes > 0 {
            // Whoever is idle has nothing to lose.
            if state.working {
                actions.push(Action::CrashShop);
            }
            if state.relay != Relay::Idle {
                actions.push(Action::CrashRelay);
            }
            if state.warehouse != Warehouse::Idle {
                actions.push(Action::CrashWarehouse);
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        if matches!(action, Action::CrashShop | Action::CrashRelay | Action::CrashWarehouse) {
            state.crashes -= 1;
        }
        match (action, &last.relay, &last.warehouse) {
            (Action::Ask, ..) => {
                state.asked += 1;
                state.working = true;
            }
            (Action::Commit, ..) => {
                let order = 1 << (last.asked - 1);
                state.committed |= order;
                state.unsent |= order;
                state.working = false;
            }
            (Action::Select, ..) => state.relay = Relay::Selected(last.unsent),
            (Action::Publish, Relay::Selected(rows), _) => {
                let row = first(*rows)?;
                state.queue.push(row);
                state.announced[usize::from(row)] += 1;
                state.relay = Relay::Published(row, rows & !(1 << row));
            }
            (Action::Mark, Relay::Published(row, rest), _) => {
                state.unsent &= !(1 << row);
                state.relay = match rest {
                    0 => Relay::Idle,
                    rest => Relay::Selected(*rest),
                };
            }
            (Action::Receive, ..) => state.warehouse = Warehouse::Received(state.queue.remove(0)),
            (Action::Work, _, Warehouse::Received(message)) => {
                if !has(last.inbox, *message) {
                    state.inbox |= 1 << message;
                    state.parcels[usize::from(*message)] += 1;
                }
                state.warehouse = Warehouse::Committed(*message);
            }
            (Action::Ack, ..) => state.warehouse = Warehouse::Idle,
            (Action::CrashShop, ..) => state.working = false,
            (Action::CrashRelay, ..) => state.relay = Relay::Idle,
            (Action::CrashWarehouse, _, Warehouse::Received(message) | Warehouse::Committed(message)) => {
                state.queue.insert(0, *message);
                state.warehouse = Warehouse::Idle;
            }
            _ => return None,
        }
        Some(state)
    }

    /// A checker without properties has nothing to look for.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("one parcel at most", |_, state: &State| {
            state.parcels.iter().all(|parcels| *parcels <= 1)
        })]
    }
}
