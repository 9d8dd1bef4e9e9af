//! A request has had its effect at its party, or is known to have none: what it changed is read, and the answer goes back, is
//! lost, or comes late.

use super::super::wire::{Answer, Command, Event};
use super::agenda::Due;
use super::steps::enlivens;
use super::{Conductor, Party, State, TIMEOUT, TRAVEL, Trouble};
use crashpoint::expression::ErrorClass;
use crashpoint::program::Fault;
use crashpoint::value::Millis;

impl Conductor<'_> {
    /// An outside party has taken its time, or a sleep is over.
    pub(super) fn finished(&mut self, id: u32, request: u32) -> Result<(), Trouble> {
        if !self.pending(id, request) {
            return Ok(());
        }
        let Some(call) = self.calls.remove(&id) else {
            let local = self.tasks[&id].sent.as_ref().map(|sent| sent.pc);
            let local = local.is_some_and(|pc| self.is_local_step(self.tasks[&id].instance, pc));
            let answer = match local {
                true => self.local_answer(id),
                false => Answer::Well(serde_json::Value::Null),
            };
            return self.effect(id, answer);
        };
        let outside = call.outside;
        if let Some(row) = self.outside.finish(call) {
            self.facts.outside(outside, row, self.events, self.now);
        }
        let (instance, state) = (self.tasks[&id].instance, self.tasks[&id].state);
        let answer = match state {
            State::Orphan => Answer::Well(serde_json::Value::Null),
            _ => match self
                .process(instance)?
                .expect(|event| Self::answered(event, id), "what a party said")?
            {
                Event::Answered { answer, .. } => answer,
                _ => Answer::failed(ErrorClass::Error, "no answer"),
            },
        };
        self.effect(id, answer)
    }

    /// The request has had its effect: what it changed is read, and the answer goes back, or is lost.
    pub(super) fn effect(&mut self, id: u32, answer: Answer) -> Result<(), Trouble> {
        let party = self.party_of(id);
        self.effect_without_waking(id, answer)?;
        if let Some(Party::Database(database)) = party {
            self.wake_followers(database);
        }
        self.check_waiting()
    }

    pub(super) fn effect_without_waking(&mut self, id: u32, answer: Answer) -> Result<(), Trouble> {
        let party = self.party_of(id);
        self.enliven(id, &answer);
        self.collect(party)?;
        let Some(task) = self.tasks.get(&id) else { return Ok(()) };
        let Some(sent) = &task.sent else { return Ok(()) };
        let (visit, step, instance) = (sent.visit, sent.step, task.instance);
        let local = party.is_none();
        let lost = !local && self.loses_reply(id);
        if visit.is_some() {
            self.recorded();
            // That a buffer took it says nothing of how the step goes.
            if self.tasks[&id]
                .sent
                .as_ref()
                .is_some_and(|sent| sent.buffered.is_none())
            {
                self.note_outcome(instance, step, !lost && matches!(answer, Answer::Well(_)));
            }
        }
        if self.tasks[&id].state == State::Orphan {
            self.tasks.remove(&id);
        } else if lost {
            self.note_strike_of(id, |fault| matches!(fault, Fault::LoseReply(_)));
            // A call of an outside party goes over no proxy: the process gives up its connection.
            self.process(instance)?.ask(&Command::Break { task: id })?;
            self.break_connection(id, party)?;
            self.answer_late(id);
        } else {
            let at = self.now + if local { 0 } else { TRAVEL };
            self.answer(id, answer, at);
        }
        Ok(())
    }

    /// A poller's pass becomes live with its first row: only then does the step count as a visit.
    pub(super) fn enliven(&mut self, id: u32, answer: &Answer) {
        let Some(task) = self.tasks.get(&id) else { return };
        let decides = self
            .request_of(task)
            .is_some_and(|request| enlivens(&request) == (false, true));
        if task.live || !decides || answer.rows().is_none_or(|rows| rows == 0) {
            return;
        }
        let Some(task) = self.tasks.get_mut(&id) else { return };
        let Some(sent) = &mut task.sent else { return };
        let visits = &mut self.instances[task.instance].visits[usize::from(sent.step)];
        *visits += 1;
        sent.visit = Some(*visits);
        task.live = true;
        task.begun = true;
    }

    /// Counts how often a step fails in a row.
    pub(super) fn note_outcome(&mut self, instance: usize, step: u16, well: bool) {
        let state = &mut self.instances[instance];
        state.struggles = match (state.struggles, well) {
            (Some((failed, times)), false) if failed == step => Some((step, times + 1)),
            (_, false) => Some((step, 1)),
            (Some((failed, _)), true) if failed == step => None,
            (before, true) => before,
        };
    }

    pub(super) fn answer(&mut self, id: u32, answer: Answer, at: Millis) {
        if let Some(task) = self.tasks.get_mut(&id) {
            task.state = State::Answered;
            task.waits_since = None;
            let request = task.requests;
            self.agenda.add(
                at,
                Due::Reply {
                    task: id,
                    request,
                    answer,
                },
            );
        }
    }

    /// The caller hears nothing and gives up.
    pub(super) fn answer_late(&mut self, id: u32) {
        let sent_at = self
            .tasks
            .get(&id)
            .and_then(|task| task.sent.as_ref())
            .map_or(0, |sent| sent.sent_at);
        let at = (sent_at + TIMEOUT).max(self.now + TRAVEL);
        self.answer(id, Answer::failed(ErrorClass::Timeout, "no answer"), at);
    }

    pub(super) fn note_failed(&mut self, id: u32) {
        let Some(task) = self.tasks.get(&id) else { return };
        if let Some((step, instance)) = task
            .sent
            .as_ref()
            .filter(|s| s.visit.is_some())
            .map(|s| (s.step, task.instance))
        {
            self.recorded();
            self.note_outcome(instance, step, false);
        }
    }

    /// Nothing happened at the party.
    pub(super) fn refuse(&mut self, id: u32, answer: Answer, at: Millis) -> Result<(), Trouble> {
        self.note_failed(id);
        match self.tasks.get(&id).map(|task| task.state) {
            Some(State::Orphan) => _ = self.tasks.remove(&id),
            _ => self.answer(id, answer, at),
        }
        Ok(())
    }

    /// The request never arrives, and its connection ends.
    pub(super) fn lose(&mut self, id: u32, party: Party) -> Result<(), Trouble> {
        self.note_strike_of(id, |fault| matches!(fault, Fault::LoseRequest(_)));
        self.note_failed(id);
        self.break_connection(id, Some(party))?;
        self.answer_late(id);
        self.check_waiting()
    }

    pub(super) fn reply(&mut self, id: u32, request: u32, answer: Answer) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get_mut(&id) else {
            return Ok(());
        };
        if task.requests != request || task.state != State::Answered {
            return Ok(());
        }
        task.state = State::Ready;
        task.answer = Some(answer);
        self.leave_gap(id)
    }

    pub(super) fn callee_ended(&mut self, caller: u32, answer: Answer) -> Result<(), Trouble> {
        match self.tasks.get(&caller).map(|task| task.state) {
            Some(State::InFlight | State::Orphan) => self.effect(caller, answer),
            _ => Ok(()),
        }
    }
}
