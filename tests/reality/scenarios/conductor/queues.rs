//! Who gets the next message: receivers stand in line, and the first asks the real queue. Leases end when virtual time says so.

use super::super::broker::real_delay;
use super::super::wire::{Answer, Command, Event};
use super::agenda::{Due, Handed, Renewal};
use super::{Conductor, Flight, Party, State, TRAVEL, Trouble};
use crashpoint::program::{Fault, Instruction, Stale, TriggerKind};
use crashpoint::value::Millis;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);
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
    /// A receiver with room for one more asks for a message.
    pub(super) fn ask(&mut self, id: u32) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get(&id) else { return Ok(()) };
        let (queue, prefetch) = match *self.trigger(task.instance, task.trigger) {
            TriggerKind::Receive { queue, prefetch, .. } => (queue, prefetch),
            TriggerKind::Follow { .. } if task.state == State::Idle => return self.ask_log(id),
            _ => return Ok(()),
        };
        let with = task.fetched.len() + usize::from(task.delivery.is_some());
        if task.state == State::Orphan || task.in_line || with >= prefetch as usize {
            return Ok(());
        }
        if self.is_down(Party::Broker(self.program.queues[usize::from(queue)].broker)) {
            self.unreached.push(id);
            return Ok(());
        }
        if let Some(task) = self.tasks.get_mut(&id) {
            task.in_line = true;
        }
        self.lines[usize::from(queue)].push_back(id);
        self.stirred = true;
        Ok(())
    }

    /// The first in each line asks its queue, as long as there is something.
    pub(super) fn assign(&mut self) -> Result<(), Trouble> {
        if !std::mem::take(&mut self.stirred) {
            return Ok(());
        }
        for queue in 0..self.lines.len() as u16 {
            while let Some(id) = self.first_in_line(queue) {
                if !self.hand_over(queue, id)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The receiver that has waited longest and whose process is not frozen: that one could not ask.
    fn first_in_line(&self, queue: u16) -> Option<u32> {
        let awake = |id: &&u32| {
            let task = self.tasks.get(*id);
            task.is_some_and(|task| self.instances[task.instance].paused_until <= self.now)
        };
        self.lines[usize::from(queue)].iter().find(awake).copied()
    }

    /// True if the queue had a message for it.
    fn hand_over(&mut self, queue: u16, id: u32) -> Result<bool, Trouble> {
        let delivery = self.deliveries[usize::from(queue)] + 1;
        self.keep_apart(queue);
        let (instance, connection) = (self.tasks[&id].instance, self.tasks[&id].connection);
        let process = self.process(instance)?;
        process.tell(&Command::Get {
            task: id,
            queue,
            delivery,
        })?;
        let got = |event: &Event| matches!(event, Event::Got { task, .. } if *task == id);
        let Event::Got { message, .. } = process.expect(got, "whether there was a message")? else {
            return Ok(false);
        };
        let Some(message) = message else { return Ok(false) };
        self.deliveries[usize::from(queue)] = delivery;
        self.lines[usize::from(queue)].retain(|other| *other != id);
        let lease_ends = self.program.queues[usize::from(queue)]
            .lease
            .map(|lease| self.now + lease);
        if let Some(at) = lease_ends {
            self.agenda.add(at, Due::LeaseEnds { queue, delivery });
        }
        self.handed.insert((queue, delivery), message.publication);
        let flight = Flight {
            task: id,
            publication: message.publication,
            lease_ends,
            ended: false,
            since: Instant::now(),
        };
        self.flights.insert((queue, delivery), flight);
        let count = self.facts.handed(queue, &message);
        let row = super::super::broker::row_of(&self.program, queue, &message.fields);
        let handed = Handed {
            queue,
            delivery,
            connection,
            row,
            count,
        };
        self.agenda.add(self.now + TRAVEL, Due::Deliver { task: id, handed });
        Ok(true)
    }

    /// A message reaches its receiver, which works on it or puts it by.
    pub(super) fn deliver(&mut self, id: u32, handed: Handed) -> Result<(), Trouble> {
        let here = |task: &&super::Task| task.state != State::Orphan && task.connection == handed.connection;
        let Some(task) = self.tasks.get(&id).filter(here) else {
            return Ok(());
        };
        let busy = task.state != State::Idle || !task.fetched.is_empty();
        let TriggerKind::Receive { prefetch, .. } = *self.trigger(task.instance, task.trigger) else {
            return Ok(());
        };
        self.recorded();
        if let Some(task) = self.tasks.get_mut(&id) {
            task.in_line = false;
            if busy {
                task.fetched.push_back(handed.clone());
            }
        }
        if !busy {
            self.work_on(id, &handed)?;
        }
        let room = |task: &super::Task| task.fetched.len() + usize::from(task.delivery.is_some()) < prefetch as usize;
        if prefetch > 1 && self.tasks.get(&id).is_some_and(room) {
            self.agenda.add(self.now + TRAVEL, Due::Ask { task: id });
        }
        Ok(())
    }

    pub(super) fn work_on_next(&mut self, id: u32) -> Result<(), Trouble> {
        match self.tasks.get_mut(&id).and_then(|task| task.fetched.pop_front()) {
            Some(handed) => self.work_on(id, &handed),
            None => Ok(()),
        }
    }

    fn work_on(&mut self, id: u32, handed: &Handed) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get_mut(&id) else {
            return Ok(());
        };
        task.begun = false;
        task.delivery = Some((handed.queue, handed.delivery));
        let (instance, trigger) = (task.instance, task.trigger);
        let TriggerKind::Receive { message: slot, .. } = *self.trigger(instance, trigger) else {
            return Ok(());
        };
        let message = Self::message(&handed.row, handed.count, (handed.queue, handed.delivery));
        self.start(id, vec![(slot, message)])
    }

    /// A delivery is over: acknowledged, or given back.
    pub(super) fn settled(&mut self, delivery: (u16, u32)) {
        self.flights.remove(&delivery);
    }

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

    /// Does what ends connections, and waits until the broker has back what was delivered over them.
    pub(super) fn returning(
        &mut self,
        of: impl Fn(u32) -> bool,
        ends: impl FnOnce(&mut Conductor<'_>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let bound = |(_, flight): &(&(u16, u32), &Flight)| flight.lease_ends.is_none() && of(flight.task);
        let returned: Vec<(u16, u32)> = self.flights.iter().filter(bound).map(|(key, _)| *key).collect();
        let mut queues: BTreeMap<u16, (Option<u32>, u32)> = BTreeMap::new();
        for (queue, _) in &returned {
            let ready = self.queues.ready(*queue);
            queues.entry(*queue).or_insert((ready, 0)).1 += 1;
        }
        ends(self)?;
        for key in &returned {
            self.flights.remove(key);
            self.recorded();
        }
        for (queue, (before, more)) in queues {
            self.await_ready(queue, before, more);
        }
        self.stirred = true;
        Ok(())
    }

    /// Waits until so many more messages are ready. One that was delivered too often goes elsewhere instead.
    pub(super) fn await_ready(&mut self, queue: u16, before: Option<u32>, more: u32) {
        self.stirred = true;
        let Some(before) = before else { return };
        let start = Instant::now();
        while start.elapsed() < PATIENCE && self.queues.ready(queue).is_some_and(|ready| ready < before + more) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
