//! A process begins its life, and its triggers fire.

use super::super::proxy::{Marks, Proxy};
use super::super::wire::{Command, Init};
use super::agenda::Due;
use super::process::Process;
use super::{Conductor, State, TRAVEL, Task, Trouble};
use crashpoint::program::TriggerKind;
use std::collections::VecDeque;

/// Both sides of NATS look now and then whether the other is there.
const NATS: Marks = Marks {
    request: b"PUB ",
    answer: b"MSG ",
};

impl Conductor<'_> {
    pub(super) fn begin_life(&mut self, instance: usize, first: bool) -> Result<(), Trouble> {
        let process = self.start_process(instance)?;
        let state = &mut self.instances[instance];
        state.process = Some(process);
        let life = state.life;
        let triggers: Vec<TriggerKind> = self.service(instance).triggers.iter().map(|t| t.kind.clone()).collect();
        for (index, trigger) in (0..).zip(triggers) {
            let fire = Due::Fire {
                instance,
                trigger: index,
                life,
                round: 1,
            };
            match trigger {
                TriggerKind::At { at, .. } if first => self.agenda.add(at, fire),
                TriggerKind::At { .. } | TriggerKind::Handle { .. } => {}
                TriggerKind::Every(_) => self.agenda.add_poll(self.now, fire),
                _ => self.agenda.add(self.now, fire),
            }
        }
        Ok(())
    }

    fn start_process(&self, instance: usize) -> Result<Process, Trouble> {
        let proxy = |to, marks| Proxy::new(&self.place.runtime, to, marks).map_err(Trouble::new);
        let marks = match self.place.system {
            "jetstream" => NATS,
            _ => Marks::default(),
        };
        let databases: Result<Vec<_>, _> = self
            .program
            .databases
            .iter()
            .map(|_| proxy(self.place.postgres, Marks::default()))
            .collect();
        let brokers: Result<Vec<_>, _> = self
            .program
            .brokers
            .iter()
            .map(|_| proxy(self.place.broker, marks))
            .collect();
        let (databases, brokers) = (databases?, brokers?);
        let ports = databases.iter().map(Proxy::port);
        let init = Init {
            text: self.place.text.clone(),
            system: self.place.system.to_string(),
            service: self.instances[instance].service,
            number: self.instances[instance].number,
            databases: ports.zip(self.control.schemas().iter().cloned()).collect(),
            brokers: brokers.iter().map(Proxy::port).collect(),
            outside: self.outside.port(),
            prefix: self.place.prefix.clone(),
        };
        // A server that is stopped needs no proxy that keeps people out.
        let cut = self.place.machines.is_none();
        for (index, proxy) in databases.iter().enumerate() {
            proxy.set_down(cut && self.is_down(super::Party::Database(index as u16)));
        }
        for (index, proxy) in brokers.iter().enumerate() {
            proxy.set_down(cut && self.is_down(super::Party::Broker(index as u16)));
        }
        let mut process = Process::start(databases, brokers)?;
        process.ask(&Command::Init(init))?;
        Ok(process)
    }

    pub(super) fn fire(&mut self, instance: usize, trigger: u16, life: u32, round: u32) -> Result<(), Trouble> {
        let kind = self.trigger(instance, trigger).clone();
        let up = self.instances[instance].process.is_some();
        if let TriggerKind::At { times, every, .. } = kind {
            if round < times {
                let again = Due::Fire {
                    instance,
                    trigger,
                    life,
                    round: round + 1,
                };
                self.agenda.add(self.now + every, again);
            }
            if !up {
                self.recorded();
                return Ok(());
            }
        } else if self.instances[instance].life != life || !up {
            return Ok(());
        }
        let task = self.new_task(instance, trigger);
        match kind {
            TriggerKind::Receive { .. } | TriggerKind::Follow { .. } => {
                self.set(task, State::Idle);
                self.agenda.add(self.now + TRAVEL, Due::Ask { task });
                Ok(())
            }
            _ => self.start(task, Vec::new()),
        }
    }

    pub(super) fn new_task(&mut self, instance: usize, trigger: u16) -> u32 {
        let id = self.next_task;
        self.next_task += 1;
        let live = !matches!(self.trigger(instance, trigger), TriggerKind::Every(_));
        let task = Task {
            instance,
            trigger,
            state: State::Ready,
            live,
            begun: false,
            requests: 0,
            wanted: None,
            sent: None,
            answer: None,
            delivery: None,
            position: None,
            in_line: false,
            fetched: VecDeque::new(),
            connection: 0,
            pass: 1,
            keeping: false,
            caller: None,
            arguments: None,
            wait: 0,
            waits_since: None,
            pid: None,
            began_in: self.quiet.0,
        };
        self.tasks.insert(id, task);
        id
    }
}
