//! Passes begin: a trigger fires, a message or a change is asked for and handed over.

use super::super::agenda::{Due, Handed};
use super::super::kernel::{Kernel, TRAVEL};
use super::super::trace::{EventKind, InstanceId, Party};
use super::super::world::{Task, TaskId, TaskState};
use crate::expression::{Scope, Slot};
use crate::fact::EventId;
use crate::program::{After, TriggerKind};
use crate::value::{Row, Value};
use rpds::Queue as Fifo;
use std::rc::Rc;

impl Kernel<'_> {
    pub(in crate::simulation) fn fire(&mut self, instance: InstanceId, trigger: u16, life: u32, round: u32) {
        let program = self.program;
        let service = &program.services[usize::from(self.world.instance(instance).service)];
        let fired = &service.triggers[usize::from(trigger)];
        if let TriggerKind::At { times, every, .. } = fired.kind {
            if round < times {
                let at = self.world.now.saturating_add(every);
                self.world.agenda.add(
                    at,
                    Due::Fire {
                        instance,
                        trigger,
                        life,
                        round: round + 1,
                    },
                );
            }
            if !self.world.instance(instance).up {
                self.record(Some(instance), None, EventKind::RequestRefused { line: fired.line });
                return;
            }
        } else if self.world.instance(instance).life != life || !self.world.instance(instance).up {
            return;
        }
        let task = self.new_task(instance, trigger);
        match fired.kind {
            TriggerKind::Receive { .. } | TriggerKind::Follow { .. } => {
                self.set_state(task, TaskState::Idle);
                self.world.agenda.add(self.world.now + TRAVEL, Due::Ask { task });
            }
            _ => self.advance(task),
        }
    }

    /// A task at the first instruction of a trigger's block.
    pub(in crate::simulation) fn new_task(&mut self, instance: InstanceId, trigger: u16) -> TaskId {
        let id = self.world.next_task;
        self.world.next_task += 1;
        let state = self.world.instance(instance);
        let service = &self.program.services[usize::from(state.service)];
        let fired = &service.triggers[usize::from(trigger)];
        let task = Task {
            instance,
            trigger,
            pc: fired.entry,
            locals: vec![Value::Null; usize::from(service.locals)],
            state: TaskState::Ready,
            live: !matches!(fired.kind, TriggerKind::Every(_)),
            begun: false,
            answer: None,
            request: None,
            failed_line: 0,
            requests: 0,
            last_event: state.started_by,
            delivery: None,
            in_line: false,
            fetched: Fifo::new(),
            connection: 0,
            position: None,
            pass: 1,
            keeping: false,
            sessions: false,
            caller: None,
            returned: Value::Null,
            wait: 0,
            round_began: self.world.now,
            began_in: self.world.quiet.epoch,
        };
        self.world.tasks.insert_mut(id, task);
        id
    }

    /// A receiver with room for one more, or an idle follower, asks for the next message or change.
    pub(in crate::simulation) fn ask(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let (instance, trigger, state) = (task.instance, task.trigger, task.state);
        match *self.trigger(instance, trigger) {
            TriggerKind::Receive { queue, prefetch, .. } => {
                let room = task.messages() < prefetch as usize;
                if state == TaskState::Orphan || task.in_line || !room {
                    return;
                }
                let broker = Party::Broker(self.program.queues[usize::from(queue)].broker);
                if self.is_down(broker) || self.cut_between(instance, broker).is_some() {
                    self.world.unreached.push_back_mut(id);
                    return;
                }
                self.set_in_line(id, true);
                let mut happened = Vec::new();
                self.world
                    .broker
                    .receive(&self.program.queues, queue, id, self.stamp(), &mut happened);
                self.follow_up(happened, None);
            }
            TriggerKind::Follow { database, table, .. } if state == TaskState::Idle => {
                self.ask_log(id, instance, database, table)
            }
            _ => {}
        }
    }

    pub(in crate::simulation) fn set_in_line(&mut self, id: TaskId, in_line: bool) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.in_line = in_line;
        }
    }

    pub(super) fn ask_log(&mut self, id: TaskId, instance: InstanceId, database: u16, table: u16) {
        let party = Party::Database(database);
        if self.is_down(party) || self.cut_between(instance, party).is_some() {
            self.world.unreached.push_back_mut(id);
            return;
        }
        let position = match self.world.tasks.get(&id).and_then(|task| task.position) {
            Some(position) => position,
            None => self.first_position(id, database),
        };
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.position = Some(position);
        }
        if position < self.world.databases[usize::from(database)].facts(table).len() {
            self.world
                .agenda
                .add(self.world.now + TRAVEL, Due::Continue { task: id });
        } else {
            self.world.followers.push_back_mut(id);
        }
    }

    /// Where a follower goes on after a start of its process.
    pub(super) fn first_position(&mut self, id: TaskId, database: u16) -> usize {
        let program = self.program;
        let Some(task) = self.world.tasks.get(&id) else {
            return 0;
        };
        let (instance, trigger) = (task.instance, task.trigger);
        let service = &program.services[usize::from(self.world.instance(instance).service)];
        let TriggerKind::Follow { after, .. } = &service.triggers[usize::from(trigger)].kind else {
            return 0;
        };
        let value = match after {
            None => Value::Null,
            Some(After::Expr(expr)) => self.evaluate_in(id, expr).unwrap_or(Value::Null),
            Some(After::Select(select)) => {
                let rows = self.world.databases[usize::from(database)]
                    .select(select, &NoScope)
                    .unwrap_or_default();
                rows.first()
                    .and_then(|row| row.values().first().cloned())
                    .unwrap_or(Value::Null)
            }
        };
        match value {
            Value::Int(position) => usize::try_from(position).unwrap_or(0),
            _ => 0,
        }
    }

    /// A waiting follower is handed the next change.
    pub(super) fn hand_change(&mut self, id: TaskId) {
        let program = self.program;
        let Some(task) = self.world.tasks.get(&id) else { return };
        let instance = task.instance;
        let service = &program.services[usize::from(self.world.instance(instance).service)];
        let TriggerKind::Follow {
            database,
            table,
            change,
            ..
        } = service.triggers[usize::from(task.trigger)].kind
        else {
            return;
        };
        let position = task.position.unwrap_or(0);
        let log = self.world.databases[usize::from(database)].facts(table);
        let Some(fact) = log.get(position).cloned() else { return };
        let names = &program.databases[usize::from(database)].tables[usize::from(table)].names;
        let row = change_row(names, &fact, position);
        let cause = (fact.stamp != crate::fact::INITIAL).then_some(fact.stamp.event);
        let kind = EventKind::Followed {
            database,
            table,
            position: position as u32 + 1,
        };
        let event = self.record_for(instance, cause, kind);
        self.begin_pass(id, event, change, Value::Row(row), None);
    }

    /// A message reaches the receiver it was given to, which works on it or puts it by.
    pub(in crate::simulation) fn deliver(&mut self, id: TaskId, message: Handed) {
        let here = |task: &&Task| task.state != TaskState::Orphan && task.connection == message.connection;
        let Some(task) = self.world.tasks.get(&id).filter(here) else {
            return;
        };
        let (instance, trigger) = (task.instance, task.trigger);
        let busy = task.state != TaskState::Idle || !task.fetched.is_empty();
        let TriggerKind::Receive { prefetch, .. } = *self.trigger(instance, trigger) else {
            return;
        };
        let kind = EventKind::Delivery {
            queue: message.queue,
            message: message.number,
            deliveries: message.deliveries,
        };
        let event = self.record_for(instance, Some(message.ready_by), kind);
        self.set_in_line(id, false);
        if busy {
            if let Some(task) = self.world.tasks.get_mut(&id) {
                task.fetched.enqueue_mut((message, event));
            }
        } else {
            self.work_on(id, &message, event);
        }
        let room = |task: &Task| task.messages() < prefetch as usize;
        if prefetch > 1 && self.world.tasks.get(&id).is_some_and(room) {
            self.world.agenda.add(self.world.now + TRAVEL, Due::Ask { task: id });
        }
    }

    /// An idle receiver begins with the next message it has fetched, if it has any.
    pub(super) fn work_on_next(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let Some((message, event)) = task.fetched.peek().cloned() else {
            return;
        };
        task.fetched.dequeue_mut();
        self.work_on(id, &message, event);
    }

    fn work_on(&mut self, id: TaskId, message: &Handed, event: EventId) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let TriggerKind::Receive { message: slot, .. } = *self.trigger(task.instance, task.trigger) else {
            return;
        };
        let (row, delivery) = (message_row(message), (message.queue, message.delivery));
        self.begin_pass(id, event, slot, Value::Row(row), Some(delivery));
    }

    /// What a receiver has fetched and not begun is gone, and so is what comes by its present connection; it asks again.
    pub(in crate::simulation) fn drop_fetched(&mut self, id: TaskId) {
        let now = self.world.now;
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        if task.in_line || !task.fetched.is_empty() {
            task.connection += 1;
            task.in_line = false;
            task.fetched = Fifo::new();
            self.world.agenda.add(now + TRAVEL, Due::Ask { task: id });
        }
    }

    pub(super) fn begin_pass(
        &mut self,
        id: TaskId,
        event: EventId,
        slot: Slot,
        value: Value,
        delivery: Option<(u16, u32)>,
    ) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let service = self.service_of(task.instance);
        let entry = service.triggers[usize::from(task.trigger)].entry;
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.pc = entry;
            task.locals.fill(Value::Null);
            task.locals[usize::from(slot)] = value;
            task.state = TaskState::Ready;
            task.begun = false;
            task.last_event = Some(event);
            task.delivery = delivery;
        }
        self.advance(id);
    }
}

/// A select for a follower's position refers to nothing outside itself.
struct NoScope;

impl Scope for NoScope {}

fn change_row(columns: &Rc<[crate::value::Name]>, fact: &crate::fact::Fact, position: usize) -> Row {
    let extra = ["change", "commit", "row"].map(Rc::from);
    let names: Rc<[crate::value::Name]> = columns.iter().cloned().chain(extra).collect();
    let mut values = fact.row.values().to_vec();
    values.push(Value::text(fact.change.name()));
    values.push(Value::Int(i64::from(fact.commit)));
    values.push(Value::Int(position as i64 + 1));
    Row::new(names, values)
}

fn message_row(message: &Handed) -> Row {
    let extra = ["deliveries", "receipt"].map(Rc::from);
    let names: Rc<[crate::value::Name]> = message.row.names().iter().cloned().chain(extra).collect();
    let mut values = message.row.values().to_vec();
    values.push(Value::Int(i64::from(message.deliveries)));
    values.push(Value::Receipt {
        queue: message.queue,
        delivery: message.delivery,
    });
    Row::new(names, values)
}
