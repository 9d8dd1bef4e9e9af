//! Requests that a process answers itself: it puts a message into its client's buffer, or asks what became of one.

use super::super::wire::{Answer, Carries, encode};
use super::Conductor;
use crashpoint::expression::ErrorClass;
use crashpoint::program::{Destination, Instruction, Request};
use crashpoint::value::Value;

/// True for requests that the process answers itself.
pub(super) fn is_local(request: &Request) -> bool {
    matches!(
        request,
        Request::Confirm(_) | Request::Publish { asynchronous: true, .. }
    )
}

impl Conductor<'_> {
    /// The destination of an asynchronous publish.
    pub(super) fn buffers(request: &Request) -> Option<Destination> {
        match request {
            Request::Publish {
                destination,
                asynchronous: true,
                ..
            } => Some(*destination),
            _ => None,
        }
    }

    /// What a process answers to itself: the number of what it has buffered, or the result it was asked for.
    pub(super) fn local_answer(&self, id: u32) -> Answer {
        let sent = self.tasks.get(&id).and_then(|task| task.sent.as_ref());
        match sent.map(|sent| &sent.carries) {
            Some(Carries::Handle(number)) => {
                let unknown = || Answer::failed(ErrorClass::Error, "an earlier life has sent it");
                self.known(*number).unwrap_or_else(unknown)
            }
            _ => {
                let number = sent.and_then(|sent| sent.buffered);
                let handle = number.map_or(Value::Null, Value::Handle);
                Answer::Well(encode(&handle))
            }
        }
    }

    pub(super) fn is_local_step(&self, instance: usize, pc: u32) -> bool {
        let code = &self.service(instance).code;
        matches!(code.get(pc as usize), Some(Instruction::Step { request, .. }) if is_local(request))
    }
}
