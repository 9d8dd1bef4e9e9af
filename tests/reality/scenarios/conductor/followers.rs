//! Followers of a table's log: when there is news they are told so, and read the real log themselves.

use super::super::wire::{Command, Event};
use super::agenda::Due;
use super::{Conductor, Party, State, TRAVEL, Trouble};
use crashpoint::fact::Fact;
use crashpoint::program::{Relation, TriggerKind};
use crashpoint::verdict::Evidence;

impl Conductor<'_> {
    fn followed(&self, id: u32) -> Option<(u16, u16)> {
        let task = self.tasks.get(&id)?;
        match *self.trigger(task.instance, task.trigger) {
            TriggerKind::Follow { database, table, .. } => Some((database, table)),
            _ => None,
        }
    }

    pub(super) fn follows(&self, id: u32, database: u16) -> bool {
        self.followed(id).is_some_and(|(of, _)| of == database)
    }

    /// An idle follower asks for the next change.
    pub(super) fn ask_log(&mut self, id: u32) -> Result<(), Trouble> {
        let Some((database, _)) = self.followed(id) else {
            return Ok(());
        };
        let (instance, trigger) = (self.tasks[&id].instance, self.tasks[&id].trigger);
        if self.is_down(Party::Database(database)) {
            self.unreached.push(id);
            return Ok(());
        }
        if self.tasks[&id].position.is_none() {
            let process = self.process(instance)?;
            process.tell(&Command::Position { task: id, trigger })?;
            let positioned = |event: &Event| matches!(event, Event::Positioned { task, .. } if *task == id);
            if let Event::Positioned { position, .. } = process.expect(positioned, "where it follows from")?
                && let Some(task) = self.tasks.get_mut(&id)
            {
                task.position = Some(position);
            }
        }
        self.followers.push(id);
        self.wake_followers(database);
        Ok(())
    }

    /// Those who wait for a change that has been committed go on.
    pub(super) fn wake_followers(&mut self, database: u16) {
        let has_news = |id: &u32| {
            let (of, table) = self.followed(*id)?;
            let log: &crashpoint::fact::Log<Fact> = self.facts.facts(Relation::Table { database, table });
            let position = self.tasks[id].position.unwrap_or(0) as usize;
            Some(of == database && position < log.len())
        };
        let (told, waiting) = (self.followers.iter().copied()).partition(|id| has_news(id) == Some(true));
        self.followers = waiting;
        let told: Vec<u32> = told;
        for task in told {
            self.agenda.add(self.now + TRAVEL, Due::Continue { task });
        }
    }

    /// It reads its next change from the real log, and a pass begins with it.
    pub(super) fn hand_change(&mut self, id: u32) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get(&id) else { return Ok(()) };
        let (instance, trigger, position) = (task.instance, task.trigger, task.position.unwrap_or(0));
        let TriggerKind::Follow { change: slot, .. } = *self.trigger(instance, trigger) else {
            return Ok(());
        };
        let process = self.process(instance)?;
        process.tell(&Command::Change {
            task: id,
            trigger,
            position,
        })?;
        let changed = |event: &Event| matches!(event, Event::Changed { task, .. } if *task == id);
        let Event::Changed { change, .. } = process.expect(changed, "what has changed")? else {
            return Ok(());
        };
        let change = change.ok_or_else(|| Trouble::new("a change that was committed is not in the log"))?;
        self.recorded();
        if let Some(task) = self.tasks.get_mut(&id) {
            task.begun = false;
        }
        self.start(id, vec![(slot, change)])
    }

    /// A follower's pass is over: what failed is taken again.
    pub(super) fn follow_on(&mut self, id: u32, failed: bool) {
        let wait = if failed { FOLLOW_AGAIN } else { TRAVEL };
        if let Some(task) = self.tasks.get_mut(&id) {
            task.state = State::Idle;
            task.pass += 1;
            task.sent = None;
            task.position = task.position.map(|position| position + u32::from(!failed));
        }
        self.agenda.add(self.now + wait, Due::Ask { task: id });
    }
}

/// The kernel's: a follower whose pass failed takes the same change again after this long.
const FOLLOW_AGAIN: crashpoint::value::Millis = 1_000;
