//! Who gets the next message: receivers stand in line, and the first asks the real queue. Leases end when virtual time says so.

use super::super::wire::{Command, Event};
use super::agenda::{Due, Handed};
use super::{Conductor, Flight, Party, State, TRAVEL, Trouble};
use crashpoint::program::TriggerKind;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);

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
            is_delayed: false,
            reply: message.reply.clone(),
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
