//! Faults, done to real processes and connections: SIGKILL, SIGSTOP, a proxy that lets nobody through.

use super::agenda::Due;
use super::{Conductor, Party, State, TRAVEL, Trouble};
use crashpoint::program::{Fault, Moment, Side, StepName, TriggerKind, Visits};
use crashpoint::value::Millis;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(5);

impl Conductor<'_> {
    fn step(&self, name: &StepName) -> Option<(usize, u16)> {
        let of =
            |i: &super::Instance| self.program.services[i.service].name == name.service && i.number == name.instance;
        let instance = self.instances.iter().position(of)?;
        let steps = &self.service(instance).steps;
        let step = steps.iter().position(|step| *step == name.step)?;
        Some((instance, step as u16))
    }

    pub(super) fn party(&self, name: &str) -> Option<Party> {
        let find = |names: Vec<&str>| names.iter().position(|n| *n == name).map(|index| index as u16);
        let program = &self.program;
        find(program.databases.iter().map(|d| &*d.name).collect())
            .map(Party::Database)
            .or_else(|| find(program.brokers.iter().map(|b| &*b.name).collect()).map(Party::Broker))
            .or_else(|| find(program.outsides.iter().map(|o| &*o.record.name).collect()).map(Party::Outside))
            .or_else(|| find(program.services.iter().map(|s| &*s.name).collect()).map(Party::Service))
    }

    /// Strikes whatever stands at this point. True if the process died or froze.
    pub(super) fn strike_point(&mut self, id: u32, side: Side, step: u16, visit: u32) -> Result<bool, Trouble> {
        let Some(instance) = self.tasks.get(&id).map(|task| task.instance) else {
            return Ok(true);
        };
        for index in 0..self.faults.len() {
            let fault = self.faults[index].clone();
            let point = match &fault {
                Fault::Crash(point, _) | Fault::Pause(point, _) => point,
                Fault::Down(_, Moment::Point(point), _) => point,
                _ => continue,
            };
            let here = point.side == side && point.step.visit == visit;
            if self.struck[index] || !here || self.step(&point.step) != Some((instance, step)) {
                continue;
            }
            self.struck[index] = true;
            if side == Side::During && !matches!(fault, Fault::Down(..)) {
                self.execute_early(id)?;
            }
            match fault {
                Fault::Crash(_, restart) => {
                    self.recorded();
                    self.stop(instance, restart.map(|time| self.now + time))?;
                    return Ok(true);
                }
                Fault::Pause(_, time) => {
                    self.pause(instance, time)?;
                    return Ok(true);
                }
                Fault::Down(name, _, time) => {
                    if let Some(party) = self.party(&name) {
                        self.go_down(party, time)?;
                    }
                }
                _ => {}
            }
            if self.tasks.get(&id).is_none_or(|task| task.state == State::Orphan) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The fault of this kind that strikes a visit of a step.
    pub(super) fn strikes_at(&self, place: (usize, u16, u32), which: impl Fn(&Fault) -> bool) -> Option<usize> {
        let (instance, step, visit) = place;
        let hit = |(index, fault): &(usize, &Fault)| {
            let (Fault::LoseRequest(visits)
            | Fault::LoseReply(visits)
            | Fault::Refuse(visits)
            | Fault::Delay(visits, _)) = fault
            else {
                return false;
            };
            let Visits { first, and_all_later } = visits;
            let same = self.step(first) == Some((instance, step));
            let visited = first.visit == visit || (*and_all_later && visit > first.visit);
            same && visited && which(fault) && (*and_all_later || !self.struck[*index])
        };
        self.faults.iter().enumerate().find(hit).map(|(index, _)| index)
    }

    pub(super) fn strikes_visit(&self, id: u32, which: impl Fn(&Fault) -> bool) -> Option<usize> {
        let task = self.tasks.get(&id)?;
        let sent = task.sent.as_ref()?;
        self.strikes_at((task.instance, sent.step, sent.visit?), which)
    }

    pub(super) fn note_strike_of(&mut self, id: u32, which: impl Fn(&Fault) -> bool) {
        if let Some(fault) = self.strikes_visit(id, which) {
            self.struck[fault] = true;
        }
    }

    pub(super) fn delay_of(&mut self, instance: usize, step: u16, visit: u32) -> Millis {
        let delays = |fault: &Fault| matches!(fault, Fault::Delay(..));
        let Some(fault) = self.strikes_at((instance, step, visit), delays) else {
            return 0;
        };
        self.struck[fault] = true;
        match self.faults[fault] {
            Fault::Delay(_, time) => time,
            _ => 0,
        }
    }

    /// The process is killed; what it knows is gone, what it has sent is completed by those who have it.
    pub(super) fn stop(&mut self, instance: usize, restart_at: Option<Millis>) -> Result<(), Trouble> {
        let state = &mut self.instances[instance];
        state.life += 1;
        state.paused_until = 0;
        let life = state.life;
        if let Some(at) = restart_at {
            self.agenda.add(at, Due::Restart { instance, life });
        }
        let tasks: Vec<u32> = self
            .tasks
            .iter()
            .filter(|(_, t)| t.instance == instance)
            .map(|(id, _)| *id)
            .collect();
        for line in &mut self.lines {
            line.retain(|id| !tasks.contains(id));
        }
        self.followers.retain(|id| !tasks.contains(id));
        self.flush(instance, true)?;
        let of_instance = tasks.clone();
        // What has left the process before it dies arrives; what was sent earlier in this instant is no different.
        for id in self.leaving(instance) {
            let late = self.tasks[&id].sent.as_ref().is_some_and(|sent| sent.late);
            match self.party_of(id) {
                Some(Party::Broker(_)) if late => self.keep_on_the_way(id)?,
                _ => self.execute_early(id)?,
            }
        }
        self.returning(|task| of_instance.contains(&task), |conductor| conductor.kill(instance))?;
        let mut callers = Vec::new();
        for id in tasks {
            let local = self.party_of(id).is_none();
            let Some(task) = self.tasks.get_mut(&id) else { continue };
            callers.extend(task.caller);
            match task.state {
                State::Waiting | State::InFlight if !local => task.state = State::Orphan,
                State::Orphan => {}
                _ => _ = self.tasks.remove(&id),
            }
        }
        self.unreached.retain(|id| self.tasks.contains_key(id));
        for caller in callers {
            self.callee_died(caller);
        }
        self.check_waiting()
    }

    /// SIGKILL, and then a while until the database has noticed: an idle session ends, one that waits for a lock goes on waiting.
    fn kill(&mut self, instance: usize) -> Result<(), Trouble> {
        let Some(mut process) = self.instances[instance].process.take() else {
            return Ok(());
        };
        process.kill();
        self.wires.insert(instance, std::mem::take(&mut process.brokers));
        for pid in std::mem::take(&mut process.pids) {
            let start = Instant::now();
            while self.control.lives(pid) && !self.control.waits(pid) {
                if start.elapsed() > PATIENCE {
                    return Err(Trouble::new("a session outlives its client"));
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(())
    }

    fn callee_died(&mut self, caller: u32) {
        match self.tasks.get(&caller).map(|task| task.state) {
            Some(State::InFlight) => {
                self.note_failed(caller);
                self.answer_late(caller);
            }
            Some(State::Orphan) => _ = self.tasks.remove(&caller),
            _ => {}
        }
    }

    fn pause(&mut self, instance: usize, time: Millis) -> Result<(), Trouble> {
        // What has left the process before it freezes arrives.
        for id in self.leaving(instance) {
            self.execute_early(id)?;
        }
        self.flush(instance, false)?;
        self.recorded();
        let until = self.now + time;
        let state = &mut self.instances[instance];
        state.paused_until = until;
        let life = state.life;
        if let Some(process) = &state.process {
            process.freeze();
        }
        self.agenda.add(until, Due::Resume { instance, life });
        Ok(())
    }

    /// The tasks of an instance whose requests have been sent and have not reached their parties.
    fn leaving(&self, instance: usize) -> Vec<u32> {
        let leaves = |id: &u32, task: &super::Task| {
            let sent = task.sent.as_ref().is_some_and(|sent| sent.executed.is_none());
            task.instance == instance && task.state == State::InFlight && sent && !self.calls.contains_key(id)
        };
        let leaving = self.tasks.iter().filter(|(id, task)| leaves(id, task));
        leaving.map(|(id, _)| *id).collect()
    }

    pub(super) fn resume(&mut self, instance: usize, life: u32) -> Result<(), Trouble> {
        let now = self.now;
        let state = &mut self.instances[instance];
        if state.life == life
            && state.paused_until <= now
            && let Some(process) = &state.process
        {
            process.thaw();
            self.recorded();
            // Its receivers can ask again.
            self.stirred = true;
        }
        Ok(())
    }

    pub(super) fn restart(&mut self, instance: usize, life: u32) -> Result<(), Trouble> {
        let service = Party::Service(self.instances[instance].service as u16);
        let until = self
            .down
            .iter()
            .filter(|(party, ..)| *party == service)
            .map(|(.., until)| *until)
            .max();
        if let Some(until) = until.filter(|until| *until > self.now) {
            self.agenda.add(until, Due::Restart { instance, life });
            return Ok(());
        }
        if self.instances[instance].life == life && self.instances[instance].process.is_none() {
            self.recorded();
            self.begin_life(instance, false)?;
        }
        Ok(())
    }

    /// The connection between a task and a party has ended: what was bound to it returns.
    pub(super) fn break_connection(&mut self, id: u32, party: Option<Party>) -> Result<(), Trouble> {
        match party {
            Some(Party::Database(_)) => {
                if let Some(pid) = self.tasks.get(&id).and_then(|task| task.pid) {
                    self.await_gone(pid);
                }
            }
            Some(Party::Broker(broker)) => {
                self.returning(|task| task == id, |_| Ok(()))?;
                let from = |queue: u16| self.program.queues[usize::from(queue)].broker;
                let Some(task) = self.tasks.get(&id) else { return Ok(()) };
                let receives = matches!(self.trigger(task.instance, task.trigger),
                    TriggerKind::Receive { queue, .. } if from(*queue) == broker);
                if receives && (task.in_line || !task.fetched.is_empty()) {
                    for line in &mut self.lines {
                        line.retain(|other| *other != id);
                    }
                    if let Some(task) = self.tasks.get_mut(&id) {
                        task.connection += 1;
                        task.in_line = false;
                        task.fetched.clear();
                    }
                    self.agenda.add(self.now + TRAVEL, Due::Ask { task: id });
                }
            }
            _ => {}
        }
        Ok(())
    }
}
