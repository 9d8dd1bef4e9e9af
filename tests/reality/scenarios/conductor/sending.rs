//! A process really sends a request: its answer is read, or the wire between it and its server loses one of both.

use super::super::proxy::Loses;
use super::super::wire::{Answer, Carries, Command, Event};
use super::waiting::LOOK;
use super::{Conductor, Executed, Party, TRAVEL, Trouble};
use crashpoint::expression::ErrorClass;
use crashpoint::program::{Fault, Request};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(10);

impl Conductor<'_> {
    /// The process sends a call to an outside party, which has it then.
    pub(super) fn transmit(&mut self, id: u32) -> Result<(), Trouble> {
        if self.calls.contains_key(&id) {
            return Ok(());
        }
        self.tell_to_go(id, false)?;
        let call = self.outside.take().map_err(Trouble::new)?;
        self.calls.insert(id, call);
        Ok(())
    }

    /// A process that is about to die or to freeze sends its request first.
    pub(super) fn execute_early(&mut self, id: u32) -> Result<(), Trouble> {
        let lost = |fault: &Fault| matches!(fault, Fault::LoseRequest(_));
        let refused = |fault: &Fault| matches!(fault, Fault::Refuse(_));
        let executed = match self.party_of(id) {
            _ if self.strikes_visit(id, lost).is_some() => Executed::Lost,
            _ if self.strikes_visit(id, refused).is_some() => Executed::Refused,
            Some(Party::Outside(_)) => return self.transmit(id),
            Some(Party::Database(_) | Party::Broker(_)) => {
                self.ahead = TRAVEL;
                let answer = self.go(id);
                self.ahead = 0;
                answer?.map_or(Executed::Waits, Executed::Done)
            }
            _ => return Ok(()),
        };
        if let Some(sent) = self.tasks.get_mut(&id).and_then(|task| task.sent.as_mut()) {
            sent.executed = Some(executed);
        }
        Ok(())
    }

    /// A process that is about to die has sent a request that is long on its way: its wire keeps it.
    pub(super) fn keep_on_the_way(&mut self, id: u32) -> Result<(), Trouble> {
        let instance = self.tasks[&id].instance;
        self.tell_to_go(id, true)?;
        let holding = |event: &Event| matches!(event, Event::Holding { task } if *task == id);
        self.process(instance)?.expect(holding, "that it is ready to send")?;
        if let Some(proxy) = self.proxy(id)? {
            proxy.keep();
        }
        self.process(instance)?.tell(&Command::Release { task: id })?;
        if !self.proxy(id)?.is_some_and(|proxy| proxy.has_lost(PATIENCE)) {
            return Err(Trouble::new("the proxy has nothing to keep"));
        }
        // A request may come in more than one piece.
        std::thread::sleep(Duration::from_millis(20));
        if let Some(sent) = self.tasks.get_mut(&id).and_then(|task| task.sent.as_mut()) {
            sent.executed = Some(Executed::Kept);
        }
        Ok(())
    }

    /// What was kept reaches its party.
    pub(super) fn let_go(&mut self, id: u32, party: Party) -> Result<(), Trouble> {
        let (instance, Party::Broker(broker)) = (self.tasks[&id].instance, party) else {
            return Ok(());
        };
        self.stirred = true;
        self.end_window_of(id)?;
        let wires = self.wires.get(&instance);
        let wire = wires.and_then(|wires| wires.get(usize::from(broker)));
        match wire.is_some_and(|wire| wire.let_go(PATIENCE)) {
            true => Ok(()),
            false => Err(Trouble::new("what was on its way has no answer")),
        }
    }

    pub(super) fn tell_to_go(&mut self, id: u32, hold: bool) -> Result<(), Trouble> {
        self.end_window_of(id)?;
        let task = &self.tasks[&id];
        let instance = task.instance;
        let publishes = matches!(self.request_of(task), Some(Request::Publish { .. }));
        self.publications += u32::from(publishes);
        let command = Command::Go {
            task: id,
            hold,
            publication: self.publications,
            now: self.now + self.ahead,
        };
        self.process(instance)?.tell(&command)
    }

    /// If it is a publish: ids that are to be forgotten by now are.
    fn end_window_of(&mut self, id: u32) -> Result<(), Trouble> {
        let task = &self.tasks[&id];
        let carries = task.sent.as_ref().map(|sent| sent.carries.clone());
        match (self.request_of(task), carries) {
            (Some(Request::Publish { destination, .. }), Some(Carries::Row(row))) => self.end_window(destination, &row),
            _ => Ok(()),
        }
    }

    /// The process sends its request to a server. Its answer, or none if it waits for a lock.
    pub(super) fn go(&mut self, id: u32) -> Result<Option<Answer>, Trouble> {
        self.tell_to_go(id, false)?;
        let instance = self.tasks[&id].instance;
        match self.party_of(id) {
            Some(Party::Database(_)) => self.await_statement(id),
            _ => {
                self.stirred = true;
                let said = self
                    .process(instance)?
                    .expect(|event| Self::answered(event, id), "an answer")?;
                Ok(Some(self.settle(id, said)))
            }
        }
    }

    /// What an answer changes for the conductor: deliveries that are over.
    pub(super) fn settle(&mut self, id: u32, said: Event) -> Answer {
        let Event::Answered { answer, closes, .. } = said else {
            return Answer::failed(ErrorClass::Error, "no answer");
        };
        let carries = self.tasks[&id].sent.as_ref().map(|sent| sent.carries.clone());
        let asked = self.request_of(&self.tasks[&id]);
        if let (Some(Carries::Delivery(queue, delivery)), Answer::Well(_)) = (carries, &answer) {
            match asked {
                Some(Request::Extend { .. }) => self.prolong((queue, delivery)),
                Some(Request::Nack { after: Some(after), .. }) => self.delayed((queue, delivery), after),
                _ => self.settled((queue, delivery)),
            }
            if let (Some(Request::Ack(_)), Some(task)) = (asked, self.tasks.get_mut(&id)) {
                task.keeping = false;
            }
        }
        if closes {
            self.flights
                .retain(|(_, _), flight| flight.task != id || flight.lease_ends.is_some());
        }
        answer
    }

    pub(super) fn loses_reply(&self, id: u32) -> bool {
        self.strikes_visit(id, |fault| matches!(fault, Fault::LoseReply(_)))
            .is_some()
    }

    /// The proxy between the process and its server loses the request, or the answer.
    /// False: the request waits at its party, and its answer is lost when it comes.
    pub(super) fn lose_for_real(&mut self, id: u32, loses: Loses) -> Result<bool, Trouble> {
        if self.proxy(id)?.is_none() {
            return Ok(true);
        }
        let instance = self.tasks[&id].instance;
        self.tell_to_go(id, true)?;
        let holding = |event: &Event| matches!(event, Event::Holding { task } if *task == id);
        self.process(instance)?.expect(holding, "that it is ready to send")?;
        if let Some(proxy) = self.proxy(id)? {
            proxy.lose(loses);
        }
        self.process(instance)?.tell(&Command::Release { task: id })?;
        let start = Instant::now();
        while !self.proxy(id)?.is_some_and(|proxy| proxy.has_lost(LOOK)) {
            if start.elapsed() > PATIENCE {
                return Err(Trouble::new("the proxy had nothing to lose"));
            }
            self.hear_pid(id)?;
            if self.tasks[&id].pid.is_some_and(|pid| self.control.waits(pid)) {
                return Ok(false);
            }
        }
        self.stirred = true;
        self.process(instance)?.ask(&Command::Break { task: id })?;
        // What it said of its broken connection is no answer.
        self.process(instance)?
            .hear(|event| Self::answered(event, id), Duration::ZERO)?;
        self.hear_pid(id)?;
        if let (Some(Party::Database(_)), Some(pid)) = (self.party_of(id), self.tasks[&id].pid) {
            self.await_gone(pid);
        }
        Ok(true)
    }
}
