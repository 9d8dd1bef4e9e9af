//! One step: a process is let send its request, the party does what it does, and the answer goes back. Times are the kernel's;
//! effects and answers are real.

use super::super::proxy::{Loses, Proxy};
use super::super::wire::{Answer, Carries, Command, Event};
use super::agenda::Due;
use super::{Conductor, DEADLOCK_AFTER, Executed, Party, Sent, State, TIMEOUT, TRAVEL, Trouble};
use crashpoint::expression::ErrorClass;
use crashpoint::program::{Destination, Fault, Instruction, Request, Side};
use crashpoint::sql::Statement;
use crashpoint::value::Millis;
use std::time::{Duration, Instant};

/// A statement that has no answer after this long is asked for the lock it may wait for.
const LOOK: Duration = Duration::from_millis(4);
/// PostgreSQL's `deadlock_timeout` here, and some more.
const DEADLOCK: Duration = Duration::from_millis(360);
const PATIENCE: Duration = Duration::from_secs(10);

/// When a poller's pass becomes live with a request.
fn enlivens(request: &Request) -> (bool, bool) {
    match request {
        Request::Sleep(_) | Request::Transaction { .. } => (false, false),
        Request::Sql { statement, .. } => match statement {
            Statement::Select(_) | Statement::Update(_) | Statement::Delete(_) => (false, true),
            Statement::Insert(_) => (true, true),
            _ => (false, false),
        },
        _ => (true, true),
    }
}

impl Conductor {
    /// The process stands before the request it wants: the gap, its visit, and on its way.
    pub(super) fn send(&mut self, id: u32) -> Result<(), Trouble> {
        let Some(task) = self.tasks.get(&id) else { return Ok(()) };
        let Some((pc, carries)) = task.wanted.clone() else {
            return Ok(());
        };
        let (instance, live) = (task.instance, task.live);
        let Some(Instruction::Step { step, request, .. }) = self.service(instance).code.get(pc as usize).cloned()
        else {
            return Err(Trouble::new("a process wants what is no step"));
        };
        let counts = live || enlivens(&request).0;
        let visit = counts.then(|| self.instances[instance].visits[usize::from(step)] + 1);
        if let Some(visit) = visit {
            if let Some(task) = self.tasks.get_mut(&id) {
                task.begun = true;
            }
            if self.strike_point(id, Side::Before, step, visit)? {
                self.continue_later(id);
                return Ok(());
            }
        }
        let now = self.now;
        let Some(task) = self.tasks.get_mut(&id) else {
            return Ok(());
        };
        task.wanted = None;
        task.requests += 1;
        let request_number = task.requests;
        if let Carries::Failure(_, class, detail) = carries {
            task.sent = None;
            task.state = State::Answered;
            let answer = Answer::Failed(class, detail);
            let due = Due::Reply {
                task: id,
                request: request_number,
                answer,
            };
            self.agenda.add(now, due);
            return Ok(());
        }
        let sleeps = match (&request, &carries) {
            (Request::Sleep(_), Carries::Time(time)) => Some(*time),
            _ => None,
        };
        task.live |= visit.is_some();
        task.state = State::InFlight;
        task.sent = Some(Sent {
            pc,
            step,
            visit,
            sent_at: now,
            carries,
            executed: None,
        });
        let mut delay = 0;
        if let Some(visit) = visit {
            self.instances[instance].visits[usize::from(step)] += 1;
            if sleeps.is_none() {
                delay = self.delay_of(instance, step, visit);
            }
        }
        let request = request_number;
        match sleeps {
            Some(time) => self.agenda.add(now + time, Due::Finish { task: id, request }),
            None => self.agenda.add(now + TRAVEL + delay, Due::Arrive { task: id, request }),
        }
        if let Some(visit) = visit {
            self.strike_point(id, Side::During, step, visit)?;
        }
        Ok(())
    }

    fn pending(&self, id: u32, request: u32) -> bool {
        self.tasks.get(&id).is_some_and(|task| {
            let with = matches!(task.state, State::InFlight | State::Waiting | State::Orphan);
            with && task.requests == request && task.sent.is_some()
        })
    }

    /// Whom a request goes to.
    pub(super) fn party_of(&self, id: u32) -> Option<Party> {
        let task = self.tasks.get(&id)?;
        let of_queue = |queue: u16| Party::Broker(self.program.queues[usize::from(queue)].broker);
        match (self.request_of(task)?, &task.sent.as_ref()?.carries) {
            (Request::Sql { database, .. }, _) => Some(Party::Database(database)),
            (Request::Publish { destination, .. }, _) => Some(match destination {
                Destination::Queue(queue) => of_queue(queue),
                Destination::Topic(topic) => Party::Broker(self.program.topics[usize::from(topic)].broker),
            }),
            (_, Carries::Delivery(queue, _)) => Some(of_queue(*queue)),
            (Request::CallOutside { outside, .. }, _) => Some(Party::Outside(outside)),
            (Request::CallService { service, .. }, _) => Some(Party::Service(service)),
            _ => None,
        }
    }

    fn proxy(&mut self, id: u32) -> Result<Option<&Proxy>, Trouble> {
        let Some(party) = self.party_of(id) else {
            return Ok(None);
        };
        let instance = self.tasks[&id].instance;
        let process = self.process(instance)?;
        Ok(match party {
            Party::Database(database) => process.databases.get(usize::from(database)),
            Party::Broker(broker) => process.brokers.get(usize::from(broker)),
            _ => None,
        })
    }

    pub(super) fn arrive(&mut self, id: u32, request: u32) -> Result<(), Trouble> {
        if !self.pending(id, request) {
            return Ok(());
        }
        let Some(party) = self.party_of(id) else { return Ok(()) };
        if let Some(sent) = self.tasks.get_mut(&id).and_then(|task| task.sent.as_mut())
            && let Some(executed) = sent.executed.take()
        {
            return match executed {
                Executed::Done(answer) => self.effect(id, answer),
                Executed::Waits => {
                    self.begin_to_wait(id);
                    Ok(())
                }
            };
        }
        if self
            .strikes_visit(id, |fault| matches!(fault, Fault::LoseRequest(_)))
            .is_some()
        {
            self.lose_for_real(id, Loses::Request)?;
            return self.lose(id, party);
        }
        if self.is_down(party) {
            return self.arrive_where_nobody_is(id, party);
        }
        if self
            .strikes_visit(id, |fault| matches!(fault, Fault::Refuse(_)))
            .is_some()
        {
            let answer = Answer::failed(ErrorClass::Refused, "refused");
            return self.refuse(id, answer, self.now + TRAVEL);
        }
        if self.loses_reply(id) && self.proxy(id)?.is_some() {
            self.lose_for_real(id, Loses::Answer)?;
            return self.effect(id, Answer::failed(ErrorClass::Timeout, "no answer"));
        }
        self.handle(id, party, request)
    }

    /// The process tries, and finds nobody.
    fn arrive_where_nobody_is(&mut self, id: u32, party: Party) -> Result<(), Trouble> {
        let sent_at = self.tasks[&id].sent.as_ref().map_or(0, |sent| sent.sent_at);
        if self.proxy(id)?.is_some() {
            let answer = self.go(id)?;
            if answer.is_none_or(|answer| matches!(answer, Answer::Well(_))) {
                return Err(Trouble::new("somebody answers who is down"));
            }
        }
        let unknown = self
            .down
            .iter()
            .any(|(down, since, _)| *down == party && sent_at < *since);
        let (class, at) = match unknown {
            true => (ErrorClass::Timeout, sent_at + TIMEOUT),
            false => (ErrorClass::Unreachable, self.now + TRAVEL),
        };
        self.refuse(id, Answer::failed(class, "the party is down"), at)
    }

    /// The party takes up the request.
    fn handle(&mut self, id: u32, party: Party, request: u32) -> Result<(), Trouble> {
        let task = &self.tasks[&id];
        let (asked, carries) = (
            self.request_of(task),
            task.sent.as_ref().map(|sent| sent.carries.clone()),
        );
        match (party, asked, carries) {
            (Party::Outside(outside), ..) => {
                self.transmit(id)?;
                let takes = self.program.outsides[usize::from(outside)].takes;
                self.agenda.add(self.now + takes, Due::Finish { task: id, request });
                Ok(())
            }
            (_, Some(Request::CallService { service, trigger, .. }), Some(Carries::Arguments(arguments))) => {
                self.call(id, service, trigger, arguments)
            }
            _ => match self.go(id)? {
                Some(answer) => self.effect(id, answer),
                None => {
                    self.begin_to_wait(id);
                    Ok(())
                }
            },
        }
    }

    /// The process sends a call to an outside party, which has it then.
    fn transmit(&mut self, id: u32) -> Result<(), Trouble> {
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
        let executed = match self.party_of(id) {
            Some(Party::Outside(_)) => return self.transmit(id),
            Some(Party::Database(_) | Party::Broker(_)) => match self.go(id)? {
                Some(answer) => Executed::Done(answer),
                None => Executed::Waits,
            },
            _ => return Ok(()),
        };
        if let Some(sent) = self.tasks.get_mut(&id).and_then(|task| task.sent.as_mut()) {
            sent.executed = Some(executed);
        }
        Ok(())
    }

    fn tell_to_go(&mut self, id: u32, hold: bool) -> Result<(), Trouble> {
        let task = &self.tasks[&id];
        let instance = task.instance;
        let publishes = matches!(self.request_of(task), Some(Request::Publish { .. }));
        self.publications += u32::from(publishes);
        let command = Command::Go {
            task: id,
            hold,
            publication: self.publications,
            now: self.now,
        };
        self.process(instance)?.tell(&command)
    }

    /// The process sends its request to a server. Its answer, or none if it waits for a lock.
    fn go(&mut self, id: u32) -> Result<Option<Answer>, Trouble> {
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

    /// Waits for a statement's answer; none once it waits for a lock.
    fn await_statement(&mut self, id: u32) -> Result<Option<Answer>, Trouble> {
        let instance = self.tasks[&id].instance;
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let said = self.process(instance)?.hear(|event| Self::answered(event, id), LOOK)?;
            if let Some(said) = said {
                return Ok(Some(self.settle(id, said)));
            }
            let runs = |event: &Event| matches!(event, Event::Running { task, .. } if *task == id);
            if let Some(Event::Running { pid, .. }) = self.process(instance)?.hear(runs, Duration::ZERO)? {
                self.process(instance)?.pids.insert(pid);
                if let Some(task) = self.tasks.get_mut(&id) {
                    task.pid = Some(pid);
                }
            }
            if self.tasks[&id].pid.is_some_and(|pid| self.control.waits(pid)) {
                return Ok(None);
            }
        }
        Err(Trouble::new("a statement neither ends nor waits for a lock"))
    }

    /// What an answer changes for the conductor: deliveries that are over.
    fn settle(&mut self, id: u32, said: Event) -> Answer {
        let Event::Answered { answer, closes, .. } = said else {
            return Answer::failed(ErrorClass::Error, "no answer");
        };
        let carries = self.tasks[&id].sent.as_ref().map(|sent| sent.carries.clone());
        let asked = self.request_of(&self.tasks[&id]);
        if let (Some(Carries::Delivery(queue, delivery)), Answer::Well(_)) = (carries, &answer) {
            match asked {
                Some(Request::Extend { .. }) => self.prolong((queue, delivery)),
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
    fn check_one(&mut self, id: u32) -> Result<bool, Trouble> {
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
                (!self.control.lives(pid)).then(|| Answer::Well(serde_json::Value::Null))
            }
            _ => self.await_statement(id)?,
        };
        let Some(answer) = answer else { return Ok(false) };
        if let Some(task) = self.tasks.get_mut(&id) {
            task.waits_since = None;
        }
        self.effect_without_waking(id, answer)?;
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

    /// An outside party has taken its time, or a sleep is over.
    pub(super) fn finished(&mut self, id: u32, request: u32) -> Result<(), Trouble> {
        if !self.pending(id, request) {
            return Ok(());
        }
        let Some(call) = self.calls.remove(&id) else {
            return self.effect(id, Answer::Well(serde_json::Value::Null));
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

    // --- Effects ------------------------------------------------------------------------------------------------

    /// The request has had its effect: what it changed is read, and the answer goes back, or is lost.
    pub(super) fn effect(&mut self, id: u32, answer: Answer) -> Result<(), Trouble> {
        self.effect_without_waking(id, answer)?;
        self.check_waiting()
    }

    fn effect_without_waking(&mut self, id: u32, answer: Answer) -> Result<(), Trouble> {
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
            self.note_outcome(instance, step, !lost && matches!(answer, Answer::Well(_)));
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
    fn enliven(&mut self, id: u32, answer: &Answer) {
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
    fn lose(&mut self, id: u32, party: Party) -> Result<(), Trouble> {
        self.note_strike_of(id, |fault| matches!(fault, Fault::LoseRequest(_)));
        self.note_failed(id);
        self.break_connection(id, Some(party))?;
        self.answer_late(id);
        self.check_waiting()
    }

    fn loses_reply(&self, id: u32) -> bool {
        self.strikes_visit(id, |fault| matches!(fault, Fault::LoseReply(_)))
            .is_some()
    }

    /// The proxy between the process and its server loses the request, or the answer.
    fn lose_for_real(&mut self, id: u32, loses: Loses) -> Result<(), Trouble> {
        if self.proxy(id)?.is_none() {
            return Ok(());
        }
        let instance = self.tasks[&id].instance;
        self.tell_to_go(id, true)?;
        let holding = |event: &Event| matches!(event, Event::Holding { task } if *task == id);
        self.process(instance)?.expect(holding, "that it is ready to send")?;
        if let Some(proxy) = self.proxy(id)? {
            proxy.lose(loses);
        }
        self.process(instance)?.tell(&Command::Release { task: id })?;
        let lost = self.proxy(id)?.is_some_and(|proxy| proxy.has_lost(PATIENCE));
        if !lost {
            return Err(Trouble::new("the proxy had nothing to lose"));
        }
        self.stirred = true;
        self.process(instance)?.ask(&Command::Break { task: id })?;
        // What it said of its broken connection is no answer.
        self.process(instance)?
            .hear(|event| Self::answered(event, id), Duration::ZERO)?;
        let runs = |event: &Event| matches!(event, Event::Running { task, .. } if *task == id);
        if let Some(Event::Running { pid, .. }) = self.process(instance)?.hear(runs, Duration::ZERO)? {
            self.await_gone(pid);
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
