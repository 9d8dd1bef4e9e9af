//! Statements that wait for locks: whether one does, the server says; when it has got its lock, it is asked again.

use super::super::wire::{Answer, Event};
use super::agenda::Due;
use super::{Conductor, DEADLOCK_AFTER, Party, State, Trouble};
use std::time::{Duration, Instant};

/// A statement that has no answer after this long is asked for the lock it may wait for.
pub(super) const LOOK: Duration = Duration::from_millis(4);
/// PostgreSQL's `deadlock_timeout` here, and some more.
const DEADLOCK: Duration = Duration::from_millis(360);
const PATIENCE: Duration = Duration::from_secs(30);

impl Conductor<'_> {
    /// Waits for a statement's answer; none once it waits for a lock.
    pub(super) fn await_statement(&mut self, id: u32) -> Result<Option<Answer>, Trouble> {
        let instance = self.tasks[&id].instance;
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let said = self.process(instance)?.hear(|event| Self::answered(event, id), LOOK)?;
            if let Some(said) = said {
                return Ok(Some(self.settle(id, said)));
            }
            self.hear_pid(id)?;
            if self.tasks[&id].pid.is_some_and(|pid| self.control.waits(pid)) {
                return Ok(None);
            }
        }
        Err(Trouble::new("a statement neither ends nor waits for a lock"))
    }

    /// In which server process a task's statement runs, if the process has said so.
    pub(super) fn hear_pid(&mut self, id: u32) -> Result<(), Trouble> {
        let instance = self.tasks[&id].instance;
        let runs = |event: &Event| matches!(event, Event::Running { task, .. } if *task == id);
        if let Some(Event::Running { pid, .. }) = self.process(instance)?.hear(runs, Duration::ZERO)? {
            self.process(instance)?.pids.insert(pid);
            if let Some(task) = self.tasks.get_mut(&id) {
                task.pid = Some(pid);
            }
        }
        Ok(())
    }

    pub(super) fn begin_to_wait(&mut self, id: u32) {
        let now = self.now;
        if let Some(task) = self.tasks.get_mut(&id) {
            if task.state == State::InFlight {
                task.state = State::Waiting;
            }
            task.wait += 1;
            task.waits_since = Some(Instant::now());
            let wait = task.wait;
            self.agenda.add(now + DEADLOCK_AFTER, Due::Deadlock { task: id, wait });
        }
    }

    /// Looks which of those that wait have got their locks.
    pub(super) fn check_waiting(&mut self) -> Result<(), Trouble> {
        loop {
            let waiting = |task: &super::Task| task.waits_since.is_some();
            let mut ids: Vec<(Instant, u32)> = Vec::new();
            for (id, task) in self.tasks.iter().filter(|(_, task)| waiting(task)) {
                ids.extend(task.waits_since.map(|since| (since, *id)));
            }
            ids.sort();
            let mut any = false;
            for (_, id) in ids {
                any |= self.check_one(id)?;
            }
            if !any {
                return Ok(());
            }
        }
    }

    /// True if it has its answer now.
    pub(super) fn check_one(&mut self, id: u32) -> Result<bool, Trouble> {
        let Some(task) = self.tasks.get(&id) else {
            return Ok(false);
        };
        let Some(pid) = task.pid else { return Ok(false) };
        if self.control.waits(pid) {
            return Ok(false);
        }
        let answer = match task.state {
            State::Orphan => {
                let start = Instant::now();
                while self.control.lives(pid) && !self.control.waits(pid) && start.elapsed() < PATIENCE {
                    std::thread::sleep(Duration::from_millis(1));
                }
                (!self.control.lives(pid)).then_some(Answer::Well(serde_json::Value::Null))
            }
            _ => self.await_statement(id)?,
        };
        let Some(answer) = answer else { return Ok(false) };
        if let Some(task) = self.tasks.get_mut(&id) {
            task.waits_since = None;
        }
        let party = self.party_of(id);
        self.effect_without_waking(id, answer)?;
        if let Some(Party::Database(database)) = party {
            self.wake_followers(database);
        }
        Ok(true)
    }

    pub(super) fn deadlock(&mut self, id: u32, wait: u32) -> Result<(), Trouble> {
        let since = self
            .tasks
            .get(&id)
            .filter(|task| task.wait == wait)
            .and_then(|task| task.waits_since);
        if let Some(since) = since {
            std::thread::sleep(DEADLOCK.saturating_sub(since.elapsed()));
            self.check_waiting()?;
        }
        Ok(())
    }

    /// Waits until a session is over that nobody holds any more.
    pub(super) fn await_gone(&self, pid: i32) {
        let start = Instant::now();
        while self.control.lives(pid) && !self.control.waits(pid) && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
