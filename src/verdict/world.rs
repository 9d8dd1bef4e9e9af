//! The end of a run as evidence.

use super::evidence::{Evidence, Queued, Rows};
use crate::broker::Message;
use crate::expression::Failure;
use crate::fact::{Fact, Log};
use crate::program::{Program, Relation};
use crate::simulation::World;
use crate::sql::Select;
use crate::value::{Millis, Row};

impl Evidence for World {
    fn now(&self) -> Millis {
        World::now(self)
    }

    fn facts(&self, relation: Relation) -> &Log<Fact> {
        World::facts(self, relation)
    }

    fn rows(&self, database: u16, table: u16) -> Vec<(u64, Row)> {
        World::rows(self, database, table)
    }

    fn changing(&self, database: u16, table: u16) -> Vec<u64> {
        let pending = self.pending(database, table).into_iter();
        pending.map(|row| row.identity).collect()
    }

    fn messages(&self, queue: u16) -> Vec<Queued> {
        let present = self.queue(queue).present();
        let mut messages: Vec<Queued> = present
            .map(|message| Queued {
                held_back: self.queue(queue).is_held_back(message.number),
                ..queued(queue, message)
            })
            .collect();
        messages.sort_by_key(|message| message.identity);
        messages
    }

    fn given_up(&self, program: &Program, queue: u16) -> Vec<Queued> {
        let dead = self.dead_letters(program, queue).into_iter();
        dead.map(|message| queued(queue, message)).collect()
    }

    fn select(&self, database: u16, select: &Select) -> Result<Vec<Row>, Failure> {
        self.database(database).select(select, &Rows::at(World::now(self)))
    }

    fn waits(&self) -> bool {
        !World::waits(self).is_empty()
            || self.hangs()
            || self.in_doubt().next().is_some()
            || self.brokers_in_doubt().next().is_some()
    }

    fn repeats(&self) -> bool {
        self.struggles()
    }
}

fn queued(queue: u16, message: &Message) -> Queued {
    let (accepted_by, number) = message.origin;
    let identity = if accepted_by == queue { number } else { message.number };
    Queued {
        identity: u64::from(identity),
        origin: (accepted_by, u64::from(number)),
        row: message.row.clone(),
        deliveries: message.deliveries,
        held_back: false,
    }
}
