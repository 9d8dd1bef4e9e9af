//! Brokers that end a connection by themselves: a client is silent for too long, a delivery is not acknowledged in time, or the
//! client comes with a handle whose delivery has ended. What was bound to the connection returns, as when it breaks.

use super::agenda::Due;
use super::kernel::Kernel;
use super::trace::{EventKind, Hangup, InstanceId, Party};
use super::world::TaskId;
use crate::program::TriggerKind;
use crate::value::Millis;

impl Kernel<'_> {
    /// A process is frozen, or cut off from a broker (none: it is frozen, for all of them), for this long.
    pub(super) fn expect_silence(&mut self, instance: InstanceId, from: Option<u16>, time: Millis) {
        let (program, life) = (self.program, self.world.instance(instance).life);
        for (broker, schema) in program.brokers.iter().enumerate() {
            let broker = broker as u16; // brokers have 16-bit numbers
            let heartbeat = schema.heartbeat.filter(|heartbeat| *heartbeat < time);
            if let Some(heartbeat) = heartbeat.filter(|_| from.is_none_or(|from| from == broker)) {
                let silent = Due::Silent { instance, life, broker };
                self.world.agenda.add(self.world.now.saturating_add(heartbeat), silent);
            }
        }
    }

    pub(super) fn silent(&mut self, instance: InstanceId, life: u32, broker: u16) {
        let state = self.world.instance(instance);
        let frozen = state.paused_until > self.world.now;
        let cut_off = self.cut_between(instance, Party::Broker(broker)).is_some();
        if state.life != life || !state.up || !(frozen || cut_off) {
            return;
        }
        let of_instance = self.world.tasks.iter().filter(|(_, task)| task.instance == instance);
        let tasks: Vec<TaskId> = of_instance.map(|(id, _)| *id).collect();
        if tasks.iter().any(|id| self.receives_from(*id, broker)) {
            self.disconnected(instance, broker, Hangup::Silence);
            for id in tasks {
                self.break_connection(id, Some(Party::Broker(broker)));
            }
        }
    }

    fn receives_from(&self, id: TaskId, broker: u16) -> bool {
        let Some(task) = self.world.tasks.get(&id) else {
            return false;
        };
        let of = |queue: u16| self.program.queues[usize::from(queue)].broker;
        matches!(self.trigger(task.instance, task.trigger), TriggerKind::Receive { queue, .. } if of(*queue) == broker)
    }

    pub(super) fn ack_timeout(&mut self, queue: u16, delivery: u32) {
        let held = self.world.broker.queue(queue).held(delivery);
        if let Some(receiver) = held.map(|held| held.receiver) {
            self.close(receiver, queue, Hangup::NoAck);
        }
    }

    /// The broker of a queue ends its connection with a receiver.
    pub(super) fn close(&mut self, receiver: TaskId, queue: u16, reason: Hangup) {
        let broker = self.program.queues[usize::from(queue)].broker;
        if let Some(instance) = self.world.instance_of(receiver) {
            self.disconnected(instance, broker, reason);
        }
        self.break_connection(receiver, Some(Party::Broker(broker)));
    }

    fn disconnected(&mut self, instance: InstanceId, broker: u16, reason: Hangup) {
        let cause = self.world.instance(instance).last_event;
        self.record_for(instance, cause, EventKind::Disconnected { broker, reason });
    }
}
