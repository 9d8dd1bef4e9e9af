//! What ends in time at a broker: leases, which are prolonged, and delays. They end when virtual time says so.

use super::super::broker::real_delay;
use super::super::wire::{Answer, Command, Event};
use super::agenda::{Due, Renewal};
use super::{Conductor, Flight, Party, State, TRAVEL, Trouble};
use crashpoint::program::{Fault, Instruction, Stale};
use crashpoint::value::Millis;
use std::time::{Duration, Instant};

/// A server looks at its delays now and then; this much later they have ended.
const MARGIN: Duration = Duration::from_millis(60);
/// Deliveries whose leases end at different times are so far apart in real time that one can end without the other.
const APART: Duration = Duration::from_millis(450);

/// A message that its receiver has given back for later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    over: Millis,
    since: Instant,
    real: Duration,
}

impl Conductor<'_> {
    /// It was given back for later: its time at the broker begins.
    pub(super) fn delayed(&mut self, after: Millis) {
        let delay = Delay {
            over: self.now + after,
            since: Instant::now(),
            real: real_delay(after, self.place.slower),
        };
        self.delays.push(delay);
        self.agenda.add(delay.over, Due::DelayOver);
    }

    /// Virtual time passes the end of a delay: real time has to, too.
    pub(super) fn delay_over(&mut self) -> Result<(), Trouble> {
        let (over, others) = self.delays.iter().partition(|delay| delay.over <= self.now);
        self.delays = others;
        let over: Vec<Delay> = over;
        for delay in over {
            std::thread::sleep((delay.real + MARGIN).saturating_sub(delay.since.elapsed()));
        }
        self.recorded();
        self.stirred = true;
        self.assign()
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
        if let Some(flight) = self.flights.get_mut(&present) {
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

    /// All leases of the queue that are over end at the broker, too.
    fn end_leases(&mut self, queue: u16) -> Result<(), Trouble> {
        let now = self.now;
        let flights = self.flights.iter_mut();
        let over: Vec<&mut Flight> = flights
            .filter(|((of, _), flight)| *of == queue && flight.lease_ends.is_some_and(|at| at <= now))
            .map(|(_, flight)| flight)
            .collect();
        let youngest = over.iter().map(|flight| flight.since.elapsed()).min();
        for flight in over {
            flight.ended = true;
        }
        let Some(age) = youngest else { return Ok(()) };
        self.queues.end_leases(queue, age).map_err(Trouble::new)
    }

    /// Waits until a delivery of this instant is far enough from those whose leases end at another time.
    pub(super) fn keep_apart(&self, queue: u16) {
        let lease = self.program.queues[usize::from(queue)].lease;
        let ends = lease.map(|lease| self.now + lease);
        let others = self.flights.iter().filter(|((of, _), _)| *of == queue);
        let others = others.filter(|(_, flight)| flight.lease_ends.is_some() && flight.lease_ends != ends);
        if let Some(last) = others.map(|(_, flight)| flight.since).max() {
            std::thread::sleep(APART.saturating_sub(last.elapsed()));
        }
    }

    /// Errors: a delay has ended in reality whose virtual time is not over. Nothing that follows would say anything.
    pub(super) fn check_delays(&self) -> Result<(), Trouble> {
        let early = |delay: &Delay| delay.over > self.now && delay.since.elapsed() > delay.real;
        match self.delays.iter().any(early) {
            true => Err(Trouble {
                what: "a delay ended in real time before its virtual time".to_string(),
                late: true,
            }),
            false => Ok(()),
        }
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
            self.keep_apart(queue);
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
