//! A history on the engine's database.
//!
//! Statements that a step wakes together run on side by side in PostgreSQL, so their sequence is open; the engine has one. Here
//! every sequence is played, and a history has as many outcomes.

use super::history::{Action, History, Pace, Session, Step};
use super::transcript::{Answer, Cells, OTHER, Record, Transcript};
use crashpoint::database::{Database, Effects, Handled, SessionId};
use crashpoint::expression::{ErrorClass, Failure};
use crashpoint::fact::Stamp;
use crashpoint::language;
use crashpoint::program::{Instruction, Request};
use crashpoint::sql::{DatabaseSchema, Statement};
use crashpoint::value::{Row, Value};
use std::collections::BTreeMap;

/// Outcomes of one history that are looked at.
const OUTCOMES_MAX: usize = 64;

/// A history as the engine takes it.
pub struct Compiled {
    schema: DatabaseSchema,
    /// The statement of each step, closing steps included; none for other actions.
    statements: Vec<Option<Statement>>,
}

/// What became of one way to play a history.
pub struct Outcome {
    pub transcript: Transcript,
    /// A statement went through several rows without `order by` and their sequence is not that of their keys: PostgreSQL's
    /// documentation leaves it open which of them it locks first.
    pub unordered: bool,
}

impl Compiled {
    /// Reads a history's lines as lines of a scenario. Errors: the compiler's.
    pub fn new(history: &History) -> Result<Compiled, String> {
        let closing = super::closing(history);
        let steps: Vec<&Action> = history.steps.iter().chain(&closing).map(|step| &step.action).collect();
        let mut text = String::from("scenario history\ndatabase db\n");
        for line in &history.setup {
            text += &format!("  {line}\n");
        }
        text += "service Client on db\n  at 0s\n";
        let mut line_of = Vec::new();
        let mut line = text.lines().count();
        for action in &steps {
            line_of.push(match action {
                Action::Sql(sql) => {
                    text += &format!("    {sql}\n");
                    line += 1;
                    Some(line)
                }
                _ => None,
            });
        }
        // A block has a statement.
        text += "    done\n";
        let scenario = language::parse(&text).map_err(|found| format!("{found:?}\n{text}"))?;
        let service = scenario.program.services.first().ok_or("no service")?;
        let mut by_line = BTreeMap::new();
        for instruction in &service.code {
            if let Instruction::Step {
                line,
                request: Request::Sql { statement, .. },
                ..
            } = instruction
            {
                by_line.insert(*line as usize, statement.clone());
            }
        }
        let statements = line_of
            .into_iter()
            .map(|line| line.and_then(|line| by_line.get(&line).cloned()))
            .collect();
        let schema = scenario.program.databases.first().cloned().ok_or("no database")?;
        Ok(Compiled { schema, statements })
    }

    /// The statement of a step.
    pub fn statement(&self, step: usize) -> Option<&Statement> {
        self.statements.get(step).and_then(Option::as_ref)
    }

    /// All outcomes, the one that the engine itself would choose first.
    pub fn play(&self, history: &History) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        let mut prefix: Vec<usize> = Vec::new();
        loop {
            let mut player = Player::new(self, &prefix);
            player.run(history);
            let choices = player.choices.clone();
            outcomes.push(player.outcome());
            // The next sequence of choices, counted upwards from the last one.
            let Some(last) = choices.iter().rposition(|(chosen, of)| chosen + 1 < *of) else {
                return outcomes;
            };
            prefix = choices.iter().take(last).map(|(chosen, _)| *chosen).collect();
            prefix.extend(choices.get(last).map(|(chosen, _)| chosen + 1));
            if outcomes.len() >= OUTCOMES_MAX {
                return outcomes;
            }
        }
    }
}

/// Who waits behind whom.
type Behind = BTreeMap<SessionId, Vec<SessionId>>;

/// A statement that waits.
struct Waiter {
    session: Session,
    /// The engine's number of its connection.
    id: SessionId,
    statement: Statement,
    /// It has looked for a deadlock.
    looked: bool,
    /// Its client is gone.
    orphan: bool,
}

struct Player<'a> {
    compiled: &'a Compiled,
    database: Database,
    /// The engine's number of each session's present connection.
    ids: BTreeMap<Session, SessionId>,
    last_id: SessionId,
    /// In the sequence their present waits began.
    waiters: Vec<Waiter>,
    ticks: u32,
    prefix: &'a [usize],
    /// Which of the woken went first, and of how many.
    choices: Vec<(usize, usize)>,
    unordered: bool,
    transcript: Transcript,
}

impl<'a> Player<'a> {
    fn new(compiled: &'a Compiled, prefix: &'a [usize]) -> Player<'a> {
        let database =
            Database::new(&compiled.schema).unwrap_or_else(|failure| panic!("initial rows: {}", failure.detail));
        Player {
            compiled,
            database,
            ids: BTreeMap::new(),
            last_id: 0,
            waiters: Vec::new(),
            ticks: 0,
            prefix,
            choices: Vec::new(),
            unordered: false,
            transcript: Transcript::default(),
        }
    }

    fn run(&mut self, history: &History) {
        let closing = super::closing(history);
        for (position, step) in history.steps.iter().chain(&closing).enumerate() {
            let mut record = Record::default();
            self.step(position, step.session, &step.action, &mut record);
            if !record.busy {
                self.look_for_deadlocks(history.pace, &mut record);
            }
            record.waiting = self
                .waiters
                .iter()
                .filter(|waiter| !waiter.orphan)
                .map(|waiter| waiter.session)
                .collect();
            self.transcript.records.push(record);
        }
        for (position, table) in self.compiled.schema.tables.iter().enumerate() {
            let rows = self.database.rows(u16::try_from(position).unwrap_or(0));
            let mut rows: Vec<Cells> = rows.map(|(_, row)| cells(row)).collect();
            rows.sort();
            self.transcript.rows.insert(table.name.to_string(), rows);
        }
    }

    fn outcome(self) -> Outcome {
        Outcome {
            transcript: self.transcript,
            unordered: self.unordered,
        }
    }

    fn step(&mut self, position: usize, session: Session, action: &Action, record: &mut Record) {
        let waits = self
            .waiters
            .iter()
            .any(|waiter| waiter.session == session && !waiter.orphan);
        if waits && *action != Action::Vanish {
            record.busy = true;
            return;
        }
        let id = self.id(session);
        match (action, self.compiled.statement(position)) {
            (Action::Sql(_), Some(statement)) => {
                self.unordered |= self.is_unordered(statement);
                let before = self.behind();
                let stamp = self.stamp();
                let effects = self.database.execute(&self.compiled.schema, id, statement, &[], stamp);
                let waiter = Waiter {
                    session,
                    id,
                    statement: statement.clone(),
                    looked: false,
                    orphan: false,
                };
                let woken = self.note(waiter, effects, record);
                self.resume(woken, before, record);
            }
            (Action::Sql(_), None) => {}
            (Action::End | Action::Vanish, _) => {
                self.ids.remove(&session);
                match self.waiters.iter_mut().find(|waiter| waiter.id == id) {
                    // Whoever waits is closed when its statement is done.
                    Some(waiter) => waiter.orphan = true,
                    None => {
                        let before = self.behind();
                        let woken = self.database.close(id);
                        self.resume(woken, before, record);
                    }
                }
            }
        }
    }

    fn id(&mut self, session: Session) -> SessionId {
        if let Some(id) = self.ids.get(&session) {
            return *id;
        }
        self.last_id += 1;
        self.ids.insert(session, self.last_id);
        self.last_id
    }

    fn stamp(&mut self) -> Stamp {
        self.ticks += 1;
        Stamp {
            event: self.ticks,
            at: i64::from(self.ticks),
        }
    }

    /// Who waits behind whom.
    fn behind(&self) -> Behind {
        self.waiters
            .iter()
            .map(|waiter| (waiter.id, self.database.waiting_for(waiter.id)))
            .collect()
    }

    /// Notes what a statement brought, and gives those that it woke.
    fn note(&mut self, waiter: Waiter, effects: Effects, record: &mut Record) -> Vec<SessionId> {
        let mut woken = effects.woken;
        match effects.handled {
            Handled::Waits => self.waiters.push(waiter),
            Handled::Done(_) if waiter.orphan => woken.extend(self.database.close(waiter.id)),
            Handled::Done(result) => drop(record.answers.insert(waiter.session, answer(&waiter.statement, result))),
        }
        woken
    }

    /// Lets the woken go on, one after the other: whoever waited behind another of them only after that one.
    fn resume(&mut self, woken: Vec<SessionId>, mut behind: Behind, record: &mut Record) {
        let mut ready = woken;
        loop {
            let goes_first = |id: &&SessionId| {
                let ahead = behind.get(id).map_or(&[][..], Vec::as_slice);
                !ready.iter().any(|other| other != *id && ahead.contains(other))
            };
            let first: Vec<SessionId> = ready.iter().filter(goes_first).copied().collect();
            let chosen = self.choose(first.len());
            let Some(id) = first.get(chosen).or(ready.first()).copied() else {
                return;
            };
            ready.retain(|other| *other != id);
            let Some(position) = self.waiters.iter().position(|waiter| waiter.id == id) else {
                continue;
            };
            behind.extend(self.behind());
            let mut waiter = self.waiters.remove(position);
            waiter.looked = false;
            let stamp = self.stamp();
            let effects = self
                .database
                .resume(&self.compiled.schema, id, &waiter.statement, &[], stamp);
            ready.extend(self.note(waiter, effects, record));
        }
    }

    fn choose(&mut self, of: usize) -> usize {
        if of < 2 {
            return 0;
        }
        let chosen = self.prefix.get(self.choices.len()).copied().unwrap_or(0);
        self.choices.push((chosen, of));
        chosen
    }

    /// Who began to wait first looks first. In a hurry a second passes only where there is a circle; then it passes for everybody.
    fn look_for_deadlocks(&mut self, pace: Pace, record: &mut Record) {
        let mut passes = pace == Pace::Unhurried;
        while let Some((position, id, behind, effects)) = self.victim() {
            passes = true;
            // Those who began to wait earlier have looked when the victim does.
            self.waiters
                .iter_mut()
                .take(position)
                .for_each(|waiter| waiter.looked = true);
            let waiter = self.waiters.remove(position);
            debug_assert_eq!(waiter.id, id);
            let woken = self.note(waiter, effects, record);
            self.resume(woken, behind, record);
        }
        if passes {
            self.waiters.iter_mut().for_each(|waiter| waiter.looked = true);
        }
    }

    /// The first of those who have not looked yet that waits for itself.
    fn victim(&mut self) -> Option<(usize, SessionId, Behind, Effects)> {
        let behind = self.behind();
        let looking = self.waiters.iter().enumerate().filter(|(_, waiter)| !waiter.looked);
        for (position, id) in looking.map(|(position, waiter)| (position, waiter.id)) {
            if let Some(effects) = self.database.deadlock(id) {
                return Some((position, id, behind, effects));
            }
        }
        None
    }

    /// True if a statement locks several rows without saying in which sequence, and theirs is not that of their first column.
    fn is_unordered(&self, statement: &Statement) -> bool {
        let table = match statement {
            Statement::Update(update) => update.table,
            Statement::Delete(delete) => delete.table,
            Statement::Select(select) if select.lock.is_some() && select.order_by.is_empty() => select.table,
            _ => return false,
        };
        let mut rows: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
        for (identity, row) in self.database.rows(table) {
            rows.entry(identity).or_default().extend(row.values().first().cloned());
        }
        for pending in self.database.pending(table) {
            let versions = [pending.before, pending.after];
            let keys = versions
                .iter()
                .flatten()
                .filter_map(|row| row.values().first().cloned());
            rows.entry(pending.identity).or_default().extend(keys);
        }
        let keys: Vec<&Value> = rows.values().flatten().collect();
        keys.windows(2).any(|pair| matches!(pair, [a, b] if a > b))
    }
}

fn answer(statement: &Statement, result: Result<Value, Failure>) -> Answer {
    match result {
        Ok(Value::Int(count)) => Answer::Count(u64::try_from(count).unwrap_or(0)),
        Ok(Value::List(rows)) => {
            let rows = rows.iter().map(|row| match row {
                Value::Row(row) => cells(row),
                other => vec![cell(other)],
            });
            Answer::Rows(in_sequence(statement, rows.collect()))
        }
        Ok(_) => Answer::Ok,
        Err(failure) => Answer::Failed(code(failure.class).to_string(), failure.detail.to_string()),
    }
}

/// Rows that a statement gives no sequence are sorted: PostgreSQL's documentation leaves it open.
pub fn in_sequence(statement: &Statement, mut rows: Vec<Cells>) -> Vec<Cells> {
    match statement {
        Statement::Select(select) if !select.order_by.is_empty() => {}
        _ => rows.sort(),
    }
    rows
}

fn code(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Duplicate => "23505",
        ErrorClass::Serialization => "40001",
        ErrorClass::Deadlock => "40P01",
        ErrorClass::Aborted => "25P02",
        ErrorClass::Refused => "55P03",
        ErrorClass::Unreachable | ErrorClass::Timeout | ErrorClass::Error => OTHER,
    }
}

fn cells(row: &Row) -> Cells {
    row.values().iter().map(cell).collect()
}

/// As PostgreSQL writes it.
fn cell(value: &Value) -> String {
    match value {
        Value::Bool(true) => "t".to_string(),
        Value::Bool(false) => "f".to_string(),
        other => other.to_string(),
    }
}

/// True if transactions, played one after the other with nobody else there, give the answers they gave, and then the rows of `last`.
pub fn gives<'t>(
    history: &History,
    transactions: impl Iterator<Item = &'t Vec<(String, Answer)>>,
    last: Option<&Transcript>,
) -> Result<bool, String> {
    let (mut serial, mut said) = (
        History {
            steps: Vec::new(),
            ..history.clone()
        },
        Vec::new(),
    );
    for transaction in transactions {
        for (sql, answer) in transaction {
            serial.steps.push(Step::sql(1, sql.clone()));
            said.push(Some(answer));
        }
        serial.steps.push(Step::sql(1, "commit"));
        said.push(None);
    }
    let compiled = Compiled::new(&serial)?;
    let Some(outcome) = compiled.play(&serial).into_iter().next() else {
        return Ok(false);
    };
    // What failed was taken back, or its transaction had not committed: it may succeed here.
    let agrees = |(said, record): (&Option<&Answer>, &Record)| match said {
        None | Some(Answer::Failed(..)) => true,
        Some(answer) => record.answers.get(&1) == Some(answer),
    };
    let rows = last.is_none_or(|last| last.rows == outcome.transcript.rows);
    Ok(rows && said.iter().zip(&outcome.transcript.records).all(agrees))
}
