//! Processes: passes begin, run their instructions between two requests in no time, and end.

use super::agenda::{Due, Handed};
use super::fault::Flow;
use super::kernel::{FOLLOW_AGAIN, Kernel, TRAVEL};
use super::trace::{EventKind, InstanceId, Party};
use super::world::{Task, TaskId, TaskState, World};
use crate::expression::{ErrorClass, Expr, Failure, Scope, Slot, evaluate, is_true};
use crate::fact::EventId;
use crate::program::{After, Instruction, Place, Program, Service, Side, TriggerKind};
use crate::value::{Millis, Row, Value};
use rpds::RedBlackTreeMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Instructions that a task runs in one turn of the kernel; a loop without requests goes on in the next.
const INSTRUCTIONS_A_TURN: u32 = 10_000;

/// What an expression of a program sees: the task's variables, the instance's memory, the present instant.
pub(super) struct TaskScope<'a> {
    task: &'a Task,
    world: &'a World,
    program: &'a Program,
    fresh: RefCell<RedBlackTreeMap<Rc<str>, i64>>,
}

/// What the initial values of an instance's memory see.
pub(super) struct LifeScope<'a> {
    pub world: &'a World,
    pub program: &'a Program,
    pub instance: InstanceId,
}

fn me(program: &Program, world: &World, instance: InstanceId) -> Value {
    let state = world.instance(instance);
    let service = &program.services[usize::from(state.service)].name;
    Value::text(format!("{service}#{}", state.number))
}

impl Scope for TaskScope<'_> {
    fn local(&self, slot: Slot) -> Value {
        self.task.locals.get(usize::from(slot)).cloned().unwrap_or(Value::Null)
    }
    fn memory(&self, slot: Slot) -> Value {
        self.world
            .instance(self.task.instance)
            .memory
            .get(usize::from(slot))
            .cloned()
            .unwrap_or(Value::Null)
    }
    fn me(&self) -> Value {
        me(self.program, self.world, self.task.instance)
    }
    fn now(&self) -> Millis {
        self.world.now
    }
    fn fresh(&self, prefix: &str) -> i64 {
        let mut counters = self.fresh.borrow_mut();
        let next = counters.get(prefix).copied().unwrap_or(0) + 1;
        counters.insert_mut(Rc::from(prefix), next);
        next
    }
}

impl Scope for LifeScope<'_> {
    fn me(&self) -> Value {
        me(self.program, self.world, self.instance)
    }
    fn now(&self) -> Millis {
        self.world.now
    }
}

/// What a pass leaves when it ends.
enum PassEnd {
    Done,
    Failed { line: u32, failure: Failure },
}

impl Kernel<'_> {
    /// Evaluates an expression of a task's program; `fresh` numbers are drawn from the world. What the value weighs is work.
    pub(super) fn evaluate_in(&mut self, task: TaskId, expr: &Expr) -> Result<Value, Failure> {
        let value = self.with_scope(task, |scope| evaluate(expr, scope))?;
        let too_large = || Failure::new(ErrorClass::Error, "the value is too large, or nests too deep");
        self.world.work += value.weight().ok_or_else(too_large)?;
        Ok(value)
    }

    fn with_scope<T>(
        &mut self,
        task: TaskId,
        ask: impl FnOnce(&TaskScope<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let gone = || Failure::new(ErrorClass::Error, "the process has ended");
        let task = self.world.tasks.get(&task).ok_or_else(gone)?;
        let fresh = RefCell::new(self.world.fresh.clone());
        let scope = TaskScope {
            task,
            world: self.world,
            program: self.program,
            fresh,
        };
        let answer = ask(&scope);
        let fresh = scope.fresh.into_inner();
        self.world.fresh = fresh;
        answer
    }

    pub(super) fn service_of(&self, instance: InstanceId) -> &Service {
        &self.program.services[usize::from(self.world.instance(instance).service)]
    }

    // --- Passes begin -------------------------------------------------------------------------------------------

    pub(super) fn fire(&mut self, instance: InstanceId, trigger: u16, life: u32, round: u32) {
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
    pub(super) fn new_task(&mut self, instance: InstanceId, trigger: u16) -> TaskId {
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

    /// An idle receiver or follower asks for the next message or change.
    pub(super) fn ask(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get(&id).filter(|task| task.state == TaskState::Idle) else {
            return;
        };
        let (instance, trigger) = (task.instance, task.trigger);
        match *self.trigger(instance, trigger) {
            TriggerKind::Receive { queue, .. } => {
                let broker = Party::Broker(self.program.queues[usize::from(queue)].broker);
                if self.is_down(broker) || self.cut_between(instance, broker).is_some() {
                    self.world.unreached.push_back_mut(id);
                    return;
                }
                self.set_state(id, TaskState::InLine);
                let mut happened = Vec::new();
                self.world
                    .broker
                    .receive(&self.program.queues, queue, id, self.stamp(), &mut happened);
                self.follow_up(happened, None);
            }
            TriggerKind::Follow { database, table, .. } => self.ask_log(id, instance, database, table),
            _ => {}
        }
    }

    fn ask_log(&mut self, id: TaskId, instance: InstanceId, database: u16, table: u16) {
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
    fn first_position(&mut self, id: TaskId, database: u16) -> usize {
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
    fn hand_change(&mut self, id: TaskId) {
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

    /// A message reaches the receiver it was given to.
    pub(super) fn deliver(&mut self, id: TaskId, message: Handed) {
        let program = self.program;
        let Some(task) = self.world.tasks.get(&id) else { return };
        let (instance, trigger) = (task.instance, task.trigger);
        let service = &program.services[usize::from(self.world.instance(instance).service)];
        let TriggerKind::Receive { message: slot, .. } = service.triggers[usize::from(trigger)].kind else {
            return;
        };
        let kind = EventKind::Delivery {
            queue: message.queue,
            message: message.number,
            deliveries: message.deliveries,
        };
        let event = self.record_for(instance, Some(message.ready_by), kind);
        let row = message_row(&message);
        self.begin_pass(
            id,
            event,
            slot,
            Value::Row(row),
            Some((message.queue, message.delivery)),
        );
    }

    fn begin_pass(&mut self, id: TaskId, event: EventId, slot: Slot, value: Value, delivery: Option<(u16, u32)>) {
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

    // --- Passes run ---------------------------------------------------------------------------------------------

    pub(super) fn set_state(&mut self, id: TaskId, state: TaskState) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.state = state;
        }
    }

    /// Goes on where a task stands: with an answer that came while its process was frozen, a change to hand over, or its code.
    pub(super) fn go_on(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let idle = task.state == TaskState::Idle;
        let follows = matches!(self.trigger(task.instance, task.trigger), TriggerKind::Follow { .. });
        if idle && follows {
            self.hand_change(id);
        } else if task.answer.is_some() {
            self.leave_gap(id);
        } else {
            self.set_state(id, TaskState::Ready);
            self.advance(id);
        }
    }

    /// The gap after an answered step: its faults strike, then the answer takes effect in the process.
    pub(super) fn leave_gap(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let Some(sent) = &task.request else { return };
        let (step, line, visit) = (sent.step, sent.line, sent.visit);
        if let Some(visit) = visit
            && self.strike_point(id, Side::After, step, visit) == Flow::Stop
        {
            self.continue_later(id);
            return;
        }
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let Some(answer) = task.answer.take() else { return };
        task.request = None;
        match answer {
            Ok(value) => {
                self.store_answer(id, value);
                self.advance(id);
            }
            Err(failure) => self.raise(id, line, failure),
        }
    }

    /// A frozen process goes on in the same gap.
    pub(super) fn continue_later(&mut self, id: TaskId) {
        if self.task_state(id).is_some_and(|state| state == TaskState::Ready) {
            self.world.agenda.add(self.world.now, Due::Continue { task: id });
        }
    }

    fn store_answer(&mut self, id: TaskId, value: Value) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let (instance, pc) = (task.instance, task.pc);
        task.pc += 1;
        if let Instruction::Step { into: Some(place), .. } = self.code(instance)[pc as usize] {
            self.store(id, place, value);
        }
    }

    fn code(&self, instance: InstanceId) -> &[Instruction] {
        &self.service_of(instance).code
    }

    fn store(&mut self, id: TaskId, place: Place, value: Value) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        match place {
            Place::Local(slot) => task.locals[usize::from(slot)] = value,
            Place::Memory(slot) => {
                let instance = usize::from(task.instance);
                if let Some(state) = self.world.instances.get_mut(instance) {
                    Rc::make_mut(&mut state.memory)[usize::from(slot)] = value;
                }
            }
        }
    }

    fn load(&self, id: TaskId, place: Place) -> Value {
        let Some(task) = self.world.tasks.get(&id) else {
            return Value::Null;
        };
        match place {
            Place::Local(slot) => task.locals[usize::from(slot)].clone(),
            Place::Memory(slot) => self.world.instance(task.instance).memory[usize::from(slot)].clone(),
        }
    }

    fn jump(&mut self, id: TaskId, pc: u32) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.pc = pc;
        }
    }

    /// Runs instructions until the task sends a request, waits, or ends.
    pub(super) fn advance(&mut self, id: TaskId) {
        let program = self.program;
        for _ in 0..INSTRUCTIONS_A_TURN {
            self.world.work += 1;
            let Some(task) = self.world.tasks.get(&id) else { return };
            let (pc, instance) = (task.pc, task.instance);
            let service = &program.services[usize::from(self.world.instance(instance).service)];
            let Some(instruction) = service.code.get(pc as usize) else {
                return self.end_pass(id, PassEnd::Done);
            };
            match self.execute(id, pc, instruction) {
                Ok(Next::Go) => self.jump(id, pc + 1),
                Ok(Next::Jump(to)) => self.jump(id, to),
                Ok(Next::Stop) => return,
                Err((line, failure)) => match self.handler_of(id, pc, failure.class) {
                    Some(to) => self.jump(id, to),
                    None => return self.end_pass(id, PassEnd::Failed { line, failure }),
                },
            }
        }
        // It gives way, so that no turn is endless and the budget on work is looked at.
        self.world.agenda.add(self.world.now, Due::Continue { task: id });
    }

    fn execute(&mut self, id: TaskId, pc: u32, instruction: &Instruction) -> Result<Next, (u32, Failure)> {
        match instruction {
            Instruction::Step {
                step, line, request, ..
            } => {
                self.send(id, pc, *step, *line, request);
                Ok(Next::Stop)
            }
            Instruction::Keep {
                line, message, every, ..
            } => {
                self.keep(id, pc, message, *every).map_err(|failure| (*line, failure))?;
                Ok(Next::Go)
            }
            Instruction::Set { place, value, line } => {
                let value = self.evaluate_in(id, value).map_err(|failure| (*line, failure))?;
                self.store(id, *place, value);
                Ok(Next::Go)
            }
            Instruction::Append { value, place, line } => {
                let value = self.evaluate_in(id, value).map_err(|failure| (*line, failure))?;
                self.append(id, *place, value).map_err(|failure| (*line, failure))?;
                Ok(Next::Go)
            }
            Instruction::Unless {
                condition,
                otherwise,
                line,
            } => {
                let holds = self.condition(id, condition).map_err(|failure| (*line, failure))?;
                Ok(if holds { Next::Go } else { Next::Jump(*otherwise) })
            }
            Instruction::Jump(to) => Ok(Next::Jump(*to)),
            Instruction::ForStart {
                list,
                items,
                index,
                line,
            } => {
                let list = self.evaluate_in(id, list).map_err(|failure| (*line, failure))?;
                let list = items_of(list).map_err(|failure| (*line, failure))?;
                self.store(id, Place::Local(*items), Value::List(list));
                self.store(id, Place::Local(*index), Value::Int(0));
                Ok(Next::Go)
            }
            Instruction::ForNext {
                items,
                index,
                item,
                end,
            } => Ok(self.next_item(id, *items, *index, *item, *end)),
            Instruction::Pause { every, since } => {
                self.wait_round(id, *every, *since);
                Ok(Next::Stop)
            }
            Instruction::Done => {
                self.end_pass(id, PassEnd::Done);
                Ok(Next::Stop)
            }
            Instruction::Fail { line } => {
                let failure = Failure::new(ErrorClass::Refused, "the program says fail");
                self.end_pass(id, PassEnd::Failed { line: *line, failure });
                Ok(Next::Stop)
            }
            Instruction::Return { value, line } => {
                let value = self.evaluate_in(id, value).map_err(|failure| (*line, failure))?;
                if let Some(task) = self.world.tasks.get_mut(&id) {
                    task.returned = value;
                }
                self.end_pass(id, PassEnd::Done);
                Ok(Next::Stop)
            }
            Instruction::Exit { restart, line } => {
                self.exit(id, *restart, *line);
                Ok(Next::Stop)
            }
        }
    }

    /// `if`: a list is true when not empty, a row is true; anything else follows SQL (null is not true).
    fn condition(&mut self, id: TaskId, condition: &Expr) -> Result<bool, Failure> {
        self.with_scope(id, |scope| match condition {
            Expr::Local(_) | Expr::Memory(_) | Expr::Field(..) => Ok(evaluate(condition, scope)?.is_truthy()),
            Expr::Not(inner) if matches!(**inner, Expr::Local(_) | Expr::Memory(_) | Expr::Field(..)) => {
                Ok(!evaluate(inner, scope)?.is_truthy())
            }
            _ => is_true(condition, scope),
        })
    }

    fn append(&mut self, id: TaskId, place: Place, value: Value) -> Result<(), Failure> {
        let mut list = items_of(self.load(id, place))?;
        // Let go of the stored list first, so that it is not copied.
        self.store(id, place, Value::Null);
        if Rc::strong_count(&list) > 1 {
            // Somebody else has it too (a message, a row): it is copied.
            self.world.work += list.len() as u64;
        }
        Rc::make_mut(&mut list).push(value);
        self.store(id, place, Value::List(list));
        Ok(())
    }

    fn next_item(&mut self, id: TaskId, items: Slot, index: Slot, item: Slot, end: u32) -> Next {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return Next::Stop;
        };
        let Value::Int(position) = task.locals[usize::from(index)] else {
            return Next::Jump(end);
        };
        let Value::List(list) = &task.locals[usize::from(items)] else {
            return Next::Jump(end);
        };
        match usize::try_from(position)
            .ok()
            .and_then(|position| list.get(position).cloned())
        {
            Some(value) => {
                task.locals[usize::from(item)] = value;
                task.locals[usize::from(index)] = Value::Int(position + 1);
                Next::Go
            }
            None => Next::Jump(end),
        }
    }

    /// The pause between two rounds of `repeat … every`.
    fn wait_round(&mut self, id: TaskId, every: Millis, since: Slot) {
        let now = self.world.now;
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let began = match task.locals[usize::from(since)] {
            Value::Time(at) => at,
            _ => task.round_began,
        };
        let next = began.saturating_add(every).max(now);
        task.locals[usize::from(since)] = Value::Time(next);
        task.pc += 1;
        task.state = TaskState::Ready;
        // Time passes between the rounds: what comes next is a gap of its own.
        task.begun &= next == now;
        self.world.agenda.add(next, Due::Continue { task: id });
    }

    fn exit(&mut self, id: TaskId, restart: Option<Millis>, line: u32) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let (instance, cause) = (task.instance, task.last_event);
        let restart_at = restart.map(|time| self.world.now.saturating_add(time));
        self.record_for(instance, cause, EventKind::Exit { line, restart_at });
        self.stop(instance, restart_at);
    }

    fn handler_of(&self, id: TaskId, pc: u32, class: ErrorClass) -> Option<u32> {
        let instance = self.world.instance_of(id)?;
        let catches = |h: &&crate::program::Handler| {
            (h.from..h.to).contains(&pc) && h.classes.iter().any(|c| *c == class || *c == ErrorClass::Error)
        };
        self.service_of(instance)
            .handlers
            .iter()
            .find(catches)
            .map(|handler| handler.pc)
    }

    pub(super) fn raise(&mut self, id: TaskId, line: u32, failure: Failure) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        match self.handler_of(id, task.pc, failure.class) {
            Some(to) => {
                self.jump(id, to);
                self.advance(id);
            }
            None => self.end_pass(id, PassEnd::Failed { line, failure }),
        }
    }

    // --- Passes end ---------------------------------------------------------------------------------------------

    fn end_pass(&mut self, id: TaskId, end: PassEnd) {
        let Some(task) = self.world.tasks.get(&id) else { return };
        let (instance, trigger, live) = (task.instance, task.trigger, task.live);
        let (cause, delivery, caller, returned) = (task.last_event, task.delivery, task.caller, task.returned.clone());
        let failed = matches!(end, PassEnd::Failed { .. });
        let answer = match end {
            PassEnd::Done => Ok(returned),
            PassEnd::Failed { line, failure } => {
                let detail = Failure {
                    class: ErrorClass::Refused,
                    detail: failure.detail.clone(),
                };
                if live {
                    let kind = EventKind::PassFailed {
                        line,
                        failure: Rc::new(failure),
                    };
                    let event = self.record_for(instance, cause, kind);
                    self.note_last(id, event);
                }
                Err(detail)
            }
        };
        self.close_sessions(id);
        if let (true, Some((queue, delivery))) = (failed, delivery) {
            let (stamp, mut happened) = (self.stamp_of_last(), Vec::new());
            self.world
                .broker
                .fail(&self.program.queues, queue, delivery, stamp, &mut happened);
            self.follow_up(happened, Some(stamp.event));
        }
        if let Some(caller) = caller {
            self.callee_ended(caller, answer);
        }
        self.next_pass(id, instance, trigger, live, failed);
    }

    /// What a trigger does after a pass: receivers and followers go on with the same task, pollers fire again in time.
    fn next_pass(&mut self, id: TaskId, instance: InstanceId, trigger: u16, live: bool, failed: bool) {
        let now = self.world.now;
        match *self.trigger(instance, trigger) {
            TriggerKind::Receive { .. } => {
                self.rest_task(id, false);
                self.world.agenda.add(now + TRAVEL, Due::Ask { task: id });
            }
            TriggerKind::Follow { .. } => {
                self.rest_task(id, !failed);
                let wait = if failed { FOLLOW_AGAIN } else { TRAVEL };
                self.world.agenda.add(now + wait, Due::Ask { task: id });
            }
            TriggerKind::Every(every) => {
                let life = self.world.instance(instance).life;
                let began_in = self.world.tasks.get(&id).map(|task| task.began_in);
                self.world.tasks.remove_mut(&id);
                if !live {
                    self.record_idle(instance, trigger, began_in == Some(self.world.quiet.epoch));
                }
                self.world.agenda.add_poll(
                    now.saturating_add(every.max(1)),
                    Due::Fire {
                        instance,
                        trigger,
                        life,
                        round: 1,
                    },
                );
            }
            TriggerKind::At { .. } | TriggerKind::Start | TriggerKind::Handle { .. } => {
                self.world.tasks.remove_mut(&id);
            }
        }
    }

    fn rest_task(&mut self, id: TaskId, next_position: bool) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.state = TaskState::Idle;
            task.pass += 1;
            task.keeping = false;
            task.delivery = None;
            task.request = None;
            task.position = task.position.map(|position| position + usize::from(next_position));
        }
    }

    /// The pass is over for its databases: what it left open is rolled back.
    fn close_sessions(&mut self, id: TaskId) {
        let Some(task) = self.world.tasks.get_mut(&id) else {
            return;
        };
        let instance = task.instance;
        if std::mem::replace(&mut task.sessions, false) {
            for database in self.service_of(instance).databases.clone() {
                self.close_session(id, database);
            }
        }
    }

    pub(super) fn close_session(&mut self, id: TaskId, database: u16) {
        let woken = self.world.databases[usize::from(database)].close(id);
        self.wake(woken);
    }

    /// The task is gone for good, and so are its sessions and connections.
    pub(super) fn end_task(&mut self, id: TaskId) {
        self.close_sessions(id);
        self.world.tasks.remove_mut(&id);
        if self.world.followers.iter().any(|follower| *follower == id) {
            self.world.followers = self.world.followers.iter().copied().filter(|f| *f != id).collect();
        }
        let (stamp, mut happened) = (self.stamp_of_last(), Vec::new());
        self.world
            .broker
            .disconnect(&self.program.queues, None, id, stamp, &mut happened);
        self.follow_up(happened, Some(stamp.event));
    }

    pub(super) fn note_last(&mut self, id: TaskId, event: EventId) {
        if let Some(task) = self.world.tasks.get_mut(&id) {
            task.last_event = Some(event);
        }
    }
}

/// How a task goes on after an instruction.
enum Next {
    Go,
    Jump(u32),
    /// It waits, or has ended.
    Stop,
}

/// A select for a follower's position refers to nothing outside itself.
struct NoScope;

impl Scope for NoScope {}

fn items_of(value: Value) -> Result<Rc<Vec<Value>>, Failure> {
    match value {
        Value::List(items) => Ok(items),
        Value::Null => Ok(Rc::new(Vec::new())),
        row @ Value::Row(_) => Ok(Rc::new(vec![row])),
        other => Err(Failure::new(
            ErrorClass::Error,
            format!("expected a list, found {other}"),
        )),
    }
}

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
