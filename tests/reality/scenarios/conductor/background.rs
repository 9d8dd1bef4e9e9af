//! Asynchronous publishes: the program goes on while the message is in its client's buffer, and `confirm` asks what became of it.
//!
//! The process keeps the message until it is told to let it go, which is when the kernel's rules say that it reaches the broker.

use super::super::proxy::{Loses, Proxy};
use super::super::wire::{Answer, Carries, Command, Event};
use super::agenda::Due;
use super::{Conductor, Party, State, TIMEOUT, TRAVEL, Trouble};
use crashpoint::expression::ErrorClass;
use crashpoint::program::{Destination, Fault};
use crashpoint::value::Millis;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

/// An asynchronous publish, from its buffer on.
pub(super) struct Background {
    task: u32,
    instance: usize,
    life: u32,
    to: Destination,
    message: Carries,
    party: Party,
    place: (usize, u16, u32),
    sent_at: Millis,
    stage: Stage,
}

#[derive(Clone, Debug, PartialEq)]
enum Stage {
    Travels,
    /// Its process died or froze before its time: what the broker said of it, if it was let go then.
    Left(Option<Answer>),
    /// The broker has answered; the process does not know yet.
    Over,
    Known(Answer),
}

impl Conductor<'_> {
    pub(super) fn destination(&self, to: Destination) -> Party {
        match to {
            Destination::Queue(queue) => Party::Broker(self.program.queues[usize::from(queue)].broker),
            Destination::Topic(topic) => Party::Broker(self.program.topics[usize::from(topic)].broker),
        }
    }

    /// The message is put into the buffer; its number is the step's answer.
    pub(super) fn buffer(&mut self, id: u32, to: Destination, delay: Millis) -> Result<u32, Trouble> {
        let number = self.background.len() as u32 + 1;
        let task = &self.tasks[&id];
        let (instance, sent) = (task.instance, task.sent.as_ref());
        let place = (
            instance,
            sent.map_or(0, |sent| sent.step),
            sent.and_then(|sent| sent.visit).unwrap_or(0),
        );
        let background = Background {
            task: id,
            instance,
            life: self.instances[instance].life,
            to,
            message: sent.map_or(Carries::Nothing, |sent| sent.carries.clone()),
            party: self.destination(to),
            place,
            sent_at: self.now,
            stage: Stage::Travels,
        };
        self.process(instance)?.ask(&Command::Buffer { task: id, number })?;
        self.background.insert(number, background);
        let arrives = self.now + TRAVEL + delay;
        self.agenda.add(arrives, Due::Background { number, answer: None });
        Ok(number)
    }

    /// The request reaches its broker, or its result reaches the process.
    pub(super) fn background(&mut self, number: u32, answer: Option<Answer>) -> Result<(), Trouble> {
        match answer {
            None => self.background_arrives(number),
            Some(answer) => {
                self.background_known(number, answer);
                Ok(())
            }
        }
    }

    fn background_arrives(&mut self, number: u32) -> Result<(), Trouble> {
        let Some(background) = self.background.get(&number) else {
            return Ok(());
        };
        let (place, party, sent_at) = (background.place, background.party, background.sent_at);
        let (task, now) = (background.task, self.now);
        let (left, early) = match &background.stage {
            Stage::Travels => (false, None),
            Stage::Left(answer) => (true, answer.clone()),
            Stage::Over | Stage::Known(_) => return Ok(()),
        };
        let strikes = |conductor: &Conductor<'_>, which: fn(&Fault) -> bool| conductor.strikes_at(place, which);
        if let Some(fault) = strikes(self, |fault| matches!(fault, Fault::LoseRequest(_))) {
            self.struck[fault] = true;
            if !left && !self.is_down(party) {
                self.lose_background(number, Loses::Request)?;
            }
            return self.background_lost(number, (task, party), sent_at);
        }
        if self.is_down(party) {
            // There is nobody to whom the client could let it go.
            let unknown = |(down, since, _): &(Party, Millis, Millis)| *down == party && sent_at < *since;
            let (class, at) = match self.down.iter().any(unknown) {
                true => (ErrorClass::Timeout, (sent_at + TIMEOUT).max(now + TRAVEL)),
                false => (ErrorClass::Unreachable, now + TRAVEL),
            };
            return self.background_over(number, Answer::failed(class, "the party is down"), at);
        }
        if let Some(fault) = strikes(self, |fault| matches!(fault, Fault::Refuse(_))) {
            self.struck[fault] = true;
            let refused = Answer::failed(ErrorClass::Refused, "refused");
            return self.background_over(number, refused, now + TRAVEL);
        }
        if let Some(fault) = strikes(self, |fault| matches!(fault, Fault::LoseReply(_))) {
            self.struck[fault] = true;
            if !left {
                self.lose_background(number, Loses::Answer)?;
                self.collect(Some(party))?;
            }
            return self.background_lost(number, (task, party), sent_at);
        }
        let answer = match early {
            Some(answer) => answer,
            None if left => Answer::failed(ErrorClass::Timeout, "no answer"),
            None => self.leave_buffer(number)?,
        };
        self.background_over(number, answer, now + TRAVEL)
    }

    /// The message leaves the buffer; what the broker says.
    fn leave_buffer(&mut self, number: u32) -> Result<Answer, Trouble> {
        let answer = self.send_background(number, false)?;
        answer.ok_or_else(|| Trouble::new("a buffered message has no answer"))
    }

    /// Lets it go for real. None: it is held back, ready to leave.
    fn send_background(&mut self, number: u32, hold: bool) -> Result<Option<Answer>, Trouble> {
        let (instance, task) = (self.background[&number].instance, self.background[&number].task);
        if let Carries::Row(row) = self.background[&number].message.clone() {
            self.end_window(self.background[&number].to, &row)?;
        }
        self.publications += 1;
        let command = Command::Send {
            number,
            hold,
            publication: self.publications,
            now: self.now,
        };
        self.stirred = true;
        let process = self.process(instance)?;
        process.tell(&command)?;
        if hold {
            let holding = |event: &Event| matches!(event, Event::Holding { task: of } if *of == task);
            process.expect(holding, "that it is ready to send")?;
            return Ok(None);
        }
        let sent = |event: &Event| matches!(event, Event::Sent { number: of, .. } if *of == number);
        match process.expect(sent, "what came of a buffered message")? {
            Event::Sent { answer, .. } => Ok(Some(answer)),
            _ => Ok(None),
        }
    }

    fn lose_background(&mut self, number: u32, loses: Loses) -> Result<(), Trouble> {
        let background = &self.background[&number];
        let (instance, task, Party::Broker(broker)) = (background.instance, background.task, background.party) else {
            return Ok(());
        };
        self.send_background(number, true)?;
        let proxy = |conductor: &mut Conductor<'_>, act: &dyn Fn(&Proxy) -> bool| -> Result<bool, Trouble> {
            let process = conductor.process(instance)?;
            Ok(process.brokers.get(usize::from(broker)).is_some_and(act))
        };
        proxy(self, &|proxy| {
            proxy.lose(loses);
            true
        })?;
        self.process(instance)?.tell(&Command::Release { task })?;
        match proxy(self, &|proxy| proxy.has_lost(PATIENCE))? {
            true => Ok(()),
            false => Err(Trouble::new("the proxy had nothing to lose")),
        }
    }

    fn background_lost(&mut self, number: u32, (task, party): (u32, Party), sent_at: Millis) -> Result<(), Trouble> {
        let at = (sent_at + TIMEOUT).max(self.now + TRAVEL);
        self.background_over(number, Answer::failed(ErrorClass::Timeout, "no answer"), at)?;
        if self.tasks.contains_key(&task) {
            self.break_connection(task, Some(party))?;
        }
        Ok(())
    }

    /// The broker has had its say; the process hears of it at that time, if it still lives.
    fn background_over(&mut self, number: u32, answer: Answer, at: Millis) -> Result<(), Trouble> {
        let Some(background) = self.background.get_mut(&number) else {
            return Ok(());
        };
        let orphan = self.instances[background.instance].life != background.life;
        let (party, (instance, step, _)) = (background.party, background.place);
        background.stage = Stage::Over;
        self.collect(Some(party))?;
        self.recorded();
        self.note_outcome(instance, step, matches!(answer, Answer::Well(_)));
        if orphan {
            self.background.remove(&number);
        } else {
            let answer = Some(answer);
            self.agenda.add(at, Due::Background { number, answer });
        }
        Ok(())
    }

    fn background_known(&mut self, number: u32, answer: Answer) {
        let Some(background) = self.background.get_mut(&number) else {
            return;
        };
        background.stage = Stage::Known(answer);
        let instance = background.instance;
        let waits = |task: &super::Task| {
            let handle = task.sent.as_ref().map(|sent| &sent.carries);
            task.instance == instance
                && task.state == State::InFlight
                && matches!(handle, Some(Carries::Handle(of)) if *of == number)
        };
        let waiting = self.tasks.iter().filter(|(_, task)| waits(task));
        let waiting: Vec<(u32, u32)> = waiting.map(|(id, task)| (*id, task.requests)).collect();
        for (task, request) in waiting {
            self.agenda.add(self.now, Due::Finish { task, request });
        }
    }

    /// The result of a publish, once its process knows it.
    pub(super) fn known(&self, number: u32) -> Option<Answer> {
        match &self.background.get(&number)?.stage {
            Stage::Known(answer) => Some(answer.clone()),
            _ => None,
        }
    }

    /// A process is about to freeze or die: what is in its buffer leaves. Of one that dies nobody hears the rest.
    pub(super) fn flush(&mut self, instance: usize, dies: bool) -> Result<(), Trouble> {
        let of_instance = self.background.iter().filter(|(_, of)| of.instance == instance);
        let all: Vec<(u32, Stage)> = of_instance.map(|(number, of)| (*number, of.stage.clone())).collect();
        for (number, stage) in all {
            if stage != Stage::Travels {
                // What left before it froze still arrives.
                if dies && !matches!(stage, Stage::Left(_)) {
                    self.background.remove(&number);
                }
                continue;
            }
            let stopped = |fault: &Fault| matches!(fault, Fault::LoseRequest(_) | Fault::Refuse(_));
            let (place, party) = (self.background[&number].place, self.background[&number].party);
            let answer = match self.is_down(party) || self.strikes_at(place, stopped).is_some() {
                true => None,
                false => Some(self.leave_buffer(number)?),
            };
            if let Some(background) = self.background.get_mut(&number) {
                background.stage = Stage::Left(answer);
            }
        }
        Ok(())
    }

    /// A party went down: what was on its way there gets no answer.
    pub(super) fn abandon_background(&mut self, party: Party) -> Result<(), Trouble> {
        let travelling = self.background.iter();
        let travelling = travelling.filter(|(_, of)| of.party == party && of.stage == Stage::Travels);
        let travelling: Vec<(u32, Millis)> = travelling.map(|(number, of)| (*number, of.sent_at)).collect();
        for (number, sent_at) in travelling {
            let at = (sent_at + TIMEOUT).max(self.now + TRAVEL);
            let failed = Answer::failed(ErrorClass::Timeout, "the party went down");
            self.background_over(number, failed, at)?;
        }
        Ok(())
    }
}
