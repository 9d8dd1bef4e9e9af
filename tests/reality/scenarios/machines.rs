//! The servers of a run. A cell that has them for itself may stop and start them.
//!
//! Refuses to know: cells.

use super::conductor::Party;
use crate::servers::{Nats, Postgres, RabbitMq, Unavailable};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub enum Broker {
    RabbitMq(RabbitMq),
    Nats(Nats),
}

/// One database server and one broker.
pub struct Machines {
    postgres: Mutex<Postgres>,
    broker: Mutex<Broker>,
}

impl Broker {
    /// Errors: it cannot be had.
    pub fn start(system: &str) -> Result<Broker, Unavailable> {
        match system {
            "rabbitmq" => RabbitMq::start().map(Broker::RabbitMq),
            _ => Nats::start().map(Broker::Nats),
        }
    }

    pub fn port(&self) -> u16 {
        match self {
            Broker::RabbitMq(server) => server.port(),
            Broker::Nats(server) => server.port(),
        }
    }

    pub fn version(&self) -> String {
        match self {
            Broker::RabbitMq(server) => server.version().to_string(),
            Broker::Nats(server) => server.version().to_string(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Machines {
    pub fn new(postgres: Postgres, broker: Broker) -> Machines {
        Machines {
            postgres: Mutex::new(postgres),
            broker: Mutex::new(broker),
        }
    }

    pub fn stop(&self, party: Party) {
        match party {
            Party::Database(_) => locked(&self.postgres).down(),
            Party::Broker(_) => match &mut *locked(&self.broker) {
                Broker::RabbitMq(server) => server.down(),
                Broker::Nats(server) => server.down(),
            },
            Party::Outside(_) | Party::Service(_) => {}
        }
    }

    /// Errors: it does not come back.
    pub fn start(&self, party: Party) -> Result<(), Unavailable> {
        match party {
            Party::Database(_) => locked(&self.postgres).up(),
            Party::Broker(_) => match &mut *locked(&self.broker) {
                Broker::RabbitMq(server) => server.up(),
                Broker::Nats(server) => server.up(),
            },
            Party::Outside(_) | Party::Service(_) => Ok(()),
        }
    }
}
