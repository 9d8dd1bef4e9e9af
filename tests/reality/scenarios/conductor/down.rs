//! A party goes down for a while: a service is killed, a server is stopped, or a proxy lets nobody through to it.

use super::agenda::Due;
use super::{Conductor, Party, State, Trouble};
use crashpoint::program::Fault;
use crashpoint::value::Millis;

impl Conductor<'_> {
    pub(super) fn is_down(&self, party: Party) -> bool {
        self.down.iter().any(|(down, ..)| *down == party)
    }

    pub(super) fn timed_fault(&mut self, fault: usize) -> Result<(), Trouble> {
        if let Fault::Down(name, _, time) = self.faults[fault].clone()
            && let Some(party) = self.party(&name)
        {
            self.go_down(party, time)?;
        }
        Ok(())
    }

    /// Nobody gets through to the party any more, and all connections to it end. A service that goes down is killed.
    pub(super) fn go_down(&mut self, party: Party, time: Millis) -> Result<(), Trouble> {
        let until = self.now + time;
        self.recorded();
        self.down.push((party, self.now, until));
        self.agenda.add(until, Due::Up { party });
        match party {
            Party::Service(service) => {
                for instance in 0..self.instances.len() {
                    let state = &self.instances[instance];
                    if state.service == usize::from(service) && state.process.is_some() {
                        self.recorded();
                        self.stop(instance, Some(until))?;
                    }
                }
            }
            Party::Database(database) => {
                let (cut_off, others) = std::mem::take(&mut self.followers)
                    .into_iter()
                    .partition(|id| self.follows(*id, database));
                self.followers = others;
                let cut_off: Vec<u32> = cut_off;
                self.unreached.extend(cut_off);
                self.server_down(party);
            }
            Party::Broker(broker) => {
                let of_broker = |queue: usize| self.program.queues[queue].broker == broker;
                let cut_off: Vec<u32> = (0..self.lines.len())
                    .filter(|queue| of_broker(*queue))
                    .flat_map(|queue| std::mem::take(&mut self.lines[queue]))
                    .collect();
                for id in &cut_off {
                    if let Some(task) = self.tasks.get_mut(id) {
                        task.in_line = false;
                    }
                }
                self.unreached.extend(cut_off);
                self.returning(
                    |_| true,
                    |conductor| {
                        conductor.server_down(party);
                        Ok(())
                    },
                )?;
            }
            Party::Outside(_) => {}
        }
        self.abandon_background(party)?;
        let with: Vec<u32> = self
            .tasks
            .keys()
            .copied()
            .filter(|id| self.is_with(*id, party))
            .collect();
        for id in with {
            self.note_failed(id);
            match self.tasks.get(&id).map(|task| task.state) {
                Some(State::Orphan) => _ = self.tasks.remove(&id),
                _ => self.answer_late(id),
            }
        }
        Ok(())
    }

    fn is_with(&self, id: u32, party: Party) -> bool {
        let with = |task: &super::Task| matches!(task.state, State::InFlight | State::Waiting | State::Orphan);
        self.tasks.get(&id).is_some_and(with) && self.party_of(id) == Some(party)
    }

    /// The server is stopped, if it is this cell's alone; else a proxy lets nobody through to it.
    fn server_down(&mut self, party: Party) {
        match self.place.machines {
            Some(machines) => machines.stop(party),
            None => self.let_through(party, false),
        }
    }

    pub(super) fn server_up(&mut self, party: Party) -> Result<(), Trouble> {
        let Some(machines) = self.place.machines else {
            self.let_through(party, true);
            return Ok(());
        };
        machines.start(party).map_err(Trouble::new)?;
        match party {
            Party::Database(_) => self.control.reconnect(self.place.postgres).map_err(Trouble::new),
            Party::Broker(_) => self.queues.reconnect(self.place.broker).map_err(Trouble::new),
            Party::Outside(_) | Party::Service(_) => Ok(()),
        }
    }

    fn let_through(&mut self, party: Party, through: bool) {
        for process in self.instances.iter().filter_map(|instance| instance.process.as_ref()) {
            let proxy = match party {
                Party::Database(database) => process.databases.get(usize::from(database)),
                Party::Broker(broker) => process.brokers.get(usize::from(broker)),
                _ => None,
            };
            if let Some(proxy) = proxy {
                proxy.set_down(!through);
            }
        }
    }

    pub(super) fn up(&mut self, party: Party) -> Result<(), Trouble> {
        let now = self.now;
        self.down.retain(|(down, _, until)| *down != party || *until > now);
        if self.is_down(party) || matches!(party, Party::Service(_)) {
            return Ok(());
        }
        self.recorded();
        self.server_up(party)?;
        self.collect(Some(party))?;
        for task in std::mem::take(&mut self.unreached) {
            self.agenda.add(now, Due::Ask { task });
        }
        Ok(())
    }
}
