//! One step: a process is let send its request, the party does what it does, and the answer goes back. Times are the kernel's;
//! effects and answers are real.

use super::super::proxy::{Loses, Proxy};
use super::super::wire::{Answer, Carries};
use super::agenda::Due;
use super::local::is_local;
use super::{Conductor, Executed, Party, Sent, State, TIMEOUT, TRAVEL, Trouble};
use crashpoint::expression::ErrorClass;
use crashpoint::program::{Destination, Fault, Instruction, Request, Side};
use crashpoint::sql::Statement;

/// When a poller's pass becomes live with a request.
pub(super) fn enlivens(request: &Request) -> (bool, bool) {
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

impl Conductor<'_> {
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
            late: false,
            buffered: None,
            executed: None,
        });
        let mut delay = 0;
        if let Some(visit) = visit {
            self.instances[instance].visits[usize::from(step)] += 1;
            if sleeps.is_none() {
                delay = self.delay_of(instance, step, visit);
            }
        }
        if let Some(sent) = self.tasks.get_mut(&id).and_then(|task| task.sent.as_mut()) {
            sent.late = delay > 0;
        }
        let (asked, request) = (request, request_number);
        if let Some(to) = Self::buffers(&asked) {
            let number = self.buffer(id, to, delay)?;
            if let Some(sent) = self.tasks.get_mut(&id).and_then(|task| task.sent.as_mut()) {
                sent.buffered = Some(number);
            }
        }
        match sleeps {
            _ if matches!(asked, Request::Confirm(_)) => {
                // One that is still on its way is answered when its result comes.
                let number = match self.tasks[&id].sent.as_ref().map(|sent| &sent.carries) {
                    Some(Carries::Handle(number)) => *number,
                    _ => 0,
                };
                if self.known(number).is_some() || !self.background.contains_key(&number) {
                    self.agenda.add(now, Due::Finish { task: id, request });
                }
            }
            _ if is_local(&asked) => self.agenda.add(now, Due::Finish { task: id, request }),
            Some(time) => self.agenda.add(now + time, Due::Finish { task: id, request }),
            None => self.agenda.add(now + TRAVEL + delay, Due::Arrive { task: id, request }),
        }
        if let Some(visit) = visit {
            self.strike_point(id, Side::During, step, visit)?;
        }
        Ok(())
    }

    pub(super) fn pending(&self, id: u32, request: u32) -> bool {
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
            (request, _) if is_local(&request) => None,
            (Request::Sql { database, .. }, _) => Some(Party::Database(database)),
            (Request::Publish { destination, .. }, _) => Some(match destination {
                Destination::Queue(queue) => of_queue(queue),
                Destination::Topic(topic) => Party::Broker(self.program.topics[usize::from(topic)].broker),
            }),
            (_, Carries::Delivery(queue, _)) => Some(of_queue(*queue)),
            (Request::Transaction { broker, .. }, _) => Some(Party::Broker(broker)),
            (Request::CallOutside { outside, .. }, _) => Some(Party::Outside(outside)),
            (Request::CallService { service, .. }, _) => Some(Party::Service(service)),
            _ => None,
        }
    }

    pub(super) fn proxy(&mut self, id: u32) -> Result<Option<&Proxy>, Trouble> {
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
                Executed::Lost => self.lose(id, party),
                Executed::Refused => self.refuse_at_party(id),
                Executed::Kept => {
                    self.let_go(id, party)?;
                    self.effect(id, Answer::Well(serde_json::Value::Null))
                }
            };
        }
        if self
            .strikes_visit(id, |fault| matches!(fault, Fault::LoseRequest(_)))
            .is_some()
        {
            if !self.is_down(party) {
                self.lose_for_real(id, Loses::Request)?;
            }
            return self.lose(id, party);
        }
        if self.is_down(party) {
            return self.arrive_where_nobody_is(id, party);
        }
        if self
            .strikes_visit(id, |fault| matches!(fault, Fault::Refuse(_)))
            .is_some()
        {
            return self.refuse_at_party(id);
        }
        if self.loses_reply(id) && self.proxy(id)?.is_some() {
            if !self.lose_for_real(id, Loses::Answer)? {
                self.begin_to_wait(id);
                return Ok(());
            }
            return self.effect(id, Answer::failed(ErrorClass::Timeout, "no answer"));
        }
        self.handle(id, party, request)
    }

    fn refuse_at_party(&mut self, id: u32) -> Result<(), Trouble> {
        let answer = Answer::failed(ErrorClass::Refused, "refused");
        self.refuse(id, answer, self.now + TRAVEL)
    }

    /// The process tries, and finds nobody.
    pub(super) fn arrive_where_nobody_is(&mut self, id: u32, party: Party) -> Result<(), Trouble> {
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
    pub(super) fn handle(&mut self, id: u32, party: Party, request: u32) -> Result<(), Trouble> {
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
}
