//! What really happens is read where it happens: after each request, and when all is over.

use super::super::broker::Problem;
use super::{Conductor, Party, State, TIMEOUT, Trouble};
use crashpoint::fact::Stamp;
use crashpoint::program::Request;
use crashpoint::simulation::trace::Ended;
use crashpoint::value::Row;
use crashpoint::verdict::Evidence;
use std::rc::Rc;

impl Conductor<'_> {
    /// Reads what a request has changed at its party.
    pub(super) fn collect(&mut self, party: Option<Party>) -> Result<(), Trouble> {
        let stamp = Stamp {
            event: self.events,
            at: self.now,
        };
        // A server that is stopped tells nothing; it is asked when it is back.
        if self.place.machines.is_some() && party.is_some_and(|party| self.is_down(party)) {
            return Ok(());
        }
        match party {
            Some(Party::Database(database)) => self.collect_rows(database, stamp),
            Some(Party::Broker(broker)) => {
                let of_broker = |queue: &u16| self.program.queues[usize::from(*queue)].broker == broker;
                let queues: Vec<u16> = (0..self.program.queues.len() as u16).filter(of_broker).collect();
                queues
                    .into_iter()
                    .try_for_each(|queue| self.collect_messages(queue, stamp))
            }
            _ => Ok(()),
        }
    }

    fn collect_rows(&mut self, database: u16, stamp: Stamp) -> Result<(), Trouble> {
        let program = Rc::clone(&self.program);
        let changes = self.control.committed(usize::from(database), &program);
        self.facts.committed(database, changes.map_err(Trouble::new)?, stamp);
        Ok(())
    }

    fn collect_messages(&mut self, queue: u16, stamp: Stamp) -> Result<(), Trouble> {
        let accepted = self
            .queues
            .accepted(queue)
            .map_err(|problem: Problem| Trouble::new(problem))?;
        for seen in accepted {
            self.note_id(queue, &seen.row);
            self.facts.accept(queue, seen, stamp);
        }
        Ok(())
    }

    /// All processes are gone: what is left is read. Errors: the log of changes and the tables say different things.
    pub(super) fn finish(&mut self, ended: Ended) -> Result<(), Trouble> {
        let hangs = |task: &super::Task| {
            let asked = task.sent.as_ref().filter(|_| task.state == State::InFlight);
            let sleeps = matches!(self.request_of(task), Some(Request::Sleep(_)));
            !sleeps && asked.is_some_and(|sent| self.now - sent.sent_at >= TIMEOUT)
        };
        let waiting = |task: &super::Task| matches!(task.state, State::Waiting | State::Orphan) || hangs(task);
        self.facts.waits = self.tasks.values().any(waiting);
        self.facts.repeats = self
            .instances
            .iter()
            .any(|i| i.struggles.is_some_and(|(_, times)| times > 1));
        self.facts.ended = ended;
        self.facts.at = self.now;
        let program = Rc::clone(&self.program);
        for (database, schema) in (0..).zip(&program.databases) {
            for (table, of) in (0..).zip(&schema.tables) {
                let mut found = self.control.rows(usize::from(database), of).map_err(Trouble::new)?;
                let mut logged: Vec<Row> = self
                    .facts
                    .rows(database, table)
                    .into_iter()
                    .map(|(_, row)| row)
                    .collect();
                found.sort();
                logged.sort();
                if found != logged {
                    return Err(Trouble::new(format!("{}: rows {found:?}, log {logged:?}", of.name)));
                }
            }
        }
        for queue in 0..program.queues.len() as u16 {
            let left = self
                .queues
                .left(queue)
                .map_err(|problem: Problem| Trouble::new(problem))?;
            let counted = left.into_iter().map(|seen| {
                let count = self
                    .facts
                    .deliveries
                    .get(&(queue, seen.publication))
                    .copied()
                    .unwrap_or(0);
                (seen, count)
            });
            let counted = counted.collect();
            self.facts.left.push(counted);
        }
        Ok(())
    }
}
