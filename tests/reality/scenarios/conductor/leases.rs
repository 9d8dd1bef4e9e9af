//! What ends in time at a broker: leases, which are prolonged, and delays. They end when virtual time says so, and none before.
//!
//! A server ends what is older than so long. So when something ends, what is not to end yet is made young first: its lease is
//! prolonged, its delay begins anew. How long a machine takes between two virtual instants plays no part.

use super::super::broker::Touch;
use super::super::wire::{Answer, Command, Event};
use super::agenda::{Due, Renewal};
use super::{Conductor, Flight, Party, State, TRAVEL, Trouble};
use crashpoint::program::{Fault, Instruction, Stale};
use crashpoint::value::Millis;
use std::time::{Duration, Instant};

/// What ends is so much older than what stays, and by so many answers of the server: one that looks late, as it is late with
/// everything, still sees the difference.
const APART: Duration = Duration::from_millis(400);
const ANSWERS: u32 = 25;
const APART_MAX: Duration = Duration::from_secs(4);

impl Conductor<'_> {
    /// It was given back for later: it comes again when that is over.
    pub(super) fn delayed(&mut self, delivery: (u16, u32), after: Millis) {
        let (over, (queue, number)) = (self.now + after, delivery);
        if let Some(flight) = self.flights.get_mut(&delivery) {
            flight.lease_ends = Some(over);
            flight.is_delayed = true;
            flight.since = Instant::now();
            let delivery = number;
            self.agenda.add(over, Due::LeaseEnds { queue, delivery });
        }
    }

    /// Its lease begins anew.
    pub(super) fn prolong(&mut self, delivery: (u16, u32)) {
        let schema = &self.program.queues[usize::from(delivery.0)];
        let lease = schema.lease.unwrap_or(0);
        // A handle of an ended delivery may still count for its message.
        let same = |(key, flight): &(&(u16, u32), &Flight)| {
            key.0 == delivery.0 && Some(&flight.publication) == self.handed.get(&delivery)
        };
        let present = match self.flights.contains_key(&delivery) || schema.stale != Stale::Accepted {
            true => delivery,
            false => self.flights.iter().find(same).map_or(delivery, |(key, _)| *key),
        };
        if let Some(flight) = self.flights.get_mut(&present).filter(|flight| !flight.is_delayed) {
            flight.lease_ends = Some(self.now + lease);
            flight.since = Instant::now();
        }
    }

    /// Virtual time passes the end of a lease.
    pub(super) fn lease_ends(&mut self, queue: u16, delivery: u32) -> Result<(), Trouble> {
        let Some(flight) = self.flights.get(&(queue, delivery)) else {
            return Ok(());
        };
        if let Some(at) = flight.lease_ends.filter(|at| *at > self.now) {
            self.agenda.add(at, Due::LeaseEnds { queue, delivery });
            return Ok(());
        }
        if !flight.ended {
            self.end_leases(queue)?;
        }
        self.flights.remove(&(queue, delivery));
        self.recorded();
        self.stirred = true;
        self.assign()
    }

    /// All leases and delays of the queue that are over end at the broker, too.
    fn end_leases(&mut self, queue: u16) -> Result<(), Trouble> {
        let now = self.now;
        let of_queue = self.flights.iter_mut().filter(|((of, _), _)| *of == queue);
        let timed = of_queue.map(|(_, flight)| flight).filter(|flight| !flight.ended);
        let is_over = |flight: &&mut Flight| flight.lease_ends.is_some_and(|at| at <= now);
        let (over, others): (Vec<&mut Flight>, Vec<&mut Flight>) = timed.partition(is_over);
        let Some(youngest) = over.iter().map(|flight| flight.since).max() else {
            return Ok(());
        };
        for flight in over {
            flight.ended = true;
        }
        let staying: Vec<&mut Flight> = others
            .into_iter()
            .filter(|flight| flight.lease_ends.is_some())
            .collect();
        if !staying.is_empty() {
            let answers = self.queues.answers_in(queue).map_err(Trouble::new)?;
            let apart = (APART + answers * ANSWERS).min(APART_MAX);
            std::thread::sleep(apart.saturating_sub(youngest.elapsed()));
        }
        for flight in staying {
            let touch = match flight.is_delayed {
                true => Touch::Delay,
                false => Touch::Lease,
            };
            let reply = flight.reply.as_deref().unwrap_or_default();
            self.queues.touch(reply, touch).map_err(Trouble::new)?;
            flight.since = Instant::now();
        }
        self.queues.end_leases(queue, youngest.elapsed()).map_err(Trouble::new)
    }

    /// Renews a lease in the background of a pass.
    pub(super) fn renew(&mut self, renewal: Renewal) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get(&renewal.task) else {
            return Ok(());
        };
        let (instance, keeping, pass, state) = (task.instance, task.keeping, task.pass, task.state);
        let code = &self.service(instance).code;
        let Some(Instruction::Keep { step, every, times, .. }) = code.get(renewal.pc as usize).cloned() else {
            return Ok(());
        };
        if let Some(visit) = renewal.sent {
            return self.renewal_arrives(&renewal, (instance, step, visit), state);
        }
        if !keeping || pass != renewal.pass || times.is_some_and(|times| renewal.round > times) {
            return Ok(());
        }
        let visits = &mut self.instances[instance].visits[usize::from(step)];
        *visits += 1;
        let visit = *visits;
        let delay = self.delay_of(instance, step, visit);
        let arrives = Renewal {
            sent: Some(visit),
            ..renewal.clone()
        };
        self.agenda
            .add(self.now + TRAVEL + delay, Due::Renew { renewal: arrives });
        let next = Renewal {
            round: renewal.round + 1,
            ..renewal
        };
        self.agenda.add(self.now + every.max(1), Due::Renew { renewal: next });
        Ok(())
    }

    fn renewal_arrives(
        &mut self,
        renewal: &Renewal,
        (instance, step, visit): (usize, u16, u32),
        state: State,
    ) -> Result<(), Trouble> {
        let (queue, delivery) = renewal.delivery;
        let place = (instance, step, visit);
        let fails = |fault: &Fault| matches!(fault, Fault::LoseRequest(_) | Fault::Refuse(_));
        let fault = self.strikes_at(place, fails);
        let broker = Party::Broker(self.program.queues[usize::from(queue)].broker);
        let frozen = self.instances[instance].paused_until > self.now;
        let mut well = false;
        if let Some(fault) = fault {
            self.struck[fault] = true;
        } else if !self.is_down(broker) && state != State::Orphan && !frozen {
            let process = self.process(instance)?;
            process.tell(&Command::Renew {
                task: renewal.task,
                queue,
                delivery,
            })?;
            let task = renewal.task;
            let said = process.expect(|event| Self::answered(event, task), "that it has renewed")?;
            well = matches!(
                said,
                Event::Answered {
                    answer: Answer::Well(_),
                    ..
                }
            );
            if well {
                self.prolong((queue, delivery));
            } else if let Some(task) = self.tasks.get_mut(&task) {
                task.keeping = false;
            }
        }
        self.recorded();
        self.note_outcome(instance, step, well);
        Ok(())
    }
}
