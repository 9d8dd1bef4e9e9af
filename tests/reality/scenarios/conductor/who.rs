//! Who is who: services, triggers and processes by number.

use super::super::wire::Event;
use super::{Conductor, Process, Task, Trouble};
use crashpoint::program::{Instruction, Request, Service, TriggerKind};

impl Conductor<'_> {
    pub(super) fn service(&self, instance: usize) -> &Service {
        &self.program.services[self.instances[instance].service]
    }

    pub(super) fn trigger(&self, instance: usize, trigger: u16) -> &TriggerKind {
        &self.service(instance).triggers[usize::from(trigger)].kind
    }

    pub(super) fn process(&mut self, instance: usize) -> Result<&mut Process, Trouble> {
        let process = self.instances[instance].process.as_mut();
        process.ok_or_else(|| Trouble::new("a process is spoken to that does not run"))
    }

    /// The instruction behind a task's request.
    pub(super) fn request_of(&self, task: &Task) -> Option<Request> {
        let pc = task.sent.as_ref()?.pc as usize;
        match self.service(task.instance).code.get(pc)? {
            Instruction::Step { request, .. } => Some(request.clone()),
            _ => None,
        }
    }

    pub(super) fn recorded(&mut self) -> u32 {
        self.events += 1;
        self.quiet = (self.quiet.0 + 1, 0);
        self.events - 1
    }

    pub(super) fn answered(event: &Event, of: u32) -> bool {
        matches!(event, Event::Answered { task, .. } if *task == of)
    }
}
