//! One process of a service: this same program, started again with `worker` as its argument.
//!
//! It runs the compiled instructions as the engine does, and asks the real database, the real broker and the outside parties for
//! what they ask for. Before each request it stops and says so; the conductor lets it go on, or kills it there.
//! Refuses to know: time, the schedule, faults, and what other processes do.

mod carries;
mod follower;
mod jetstream;
mod program;
mod rabbitmq;
mod request;
mod sessions;
mod sql;

pub use jetstream::{CONSUMER, PUBLICATION};
pub use rabbitmq::{address as rabbit_address, read as rabbit_message};
pub use sql::row_of;

use super::wire::{Command, Event, Init};
use crashpoint::language;
use program::Interpreter;
use sessions::Sessions;
use std::io::{BufRead, Write};
use std::rc::Rc;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

/// Serves its conductor until the input ends.
pub fn run() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a process has a runtime");
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let command = serde_json::from_str(&line).expect("the conductor writes commands");
            if sender.send(command).is_err() {
                return;
            }
        }
    });
    LocalSet::new().block_on(&runtime, serve(receiver));
    // What still waits for an answer would keep the runtime.
    std::process::exit(0);
}

/// Writes one message to the conductor.
pub fn say(event: &Event) {
    let line = serde_json::to_string(event).expect("an event is JSON");
    let mut out = std::io::stdout().lock();
    // A conductor that is gone ends the input too.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

async fn serve(mut commands: mpsc::UnboundedReceiver<Command>) {
    let Some(Command::Init(init)) = commands.recv().await else {
        return;
    };
    let init: Rc<Init> = Rc::new(init);
    let scenario = language::parse(&init.text).expect("the conductor has read the same text");
    let mut interpreter = Interpreter::new(scenario.program.clone(), &init);
    let sessions = Rc::new(Sessions::new(scenario.program, init));
    say(&Event::Done);
    while let Some(command) = commands.recv().await {
        match command {
            Command::Init(_) => {}
            Command::Start {
                task,
                trigger,
                locals,
                now,
                fresh,
            } => say(&interpreter.start(task, trigger, &locals, now, fresh)),
            Command::Proceed {
                task,
                answer,
                now,
                fresh,
            } => say(&interpreter.proceed(task, &answer, now, fresh)),
            Command::Go {
                task,
                hold,
                publication,
                now,
            } => {
                if let Some(asked) = interpreter.asked(task) {
                    sessions.go(task, asked, (publication, now), hold);
                }
            }
            Command::Buffer { task, number } => {
                if let Some(asked) = interpreter.asked(task) {
                    sessions.buffer(task, number, asked);
                }
                say(&Event::Done);
            }
            Command::Send {
                number,
                hold,
                publication,
                now,
            } => sessions.send_buffered(number, (publication, now), hold),
            Command::Release { task } => sessions.release(task),
            Command::Get { task, queue, delivery } => sessions.get(task, queue, delivery),
            Command::Position { task, trigger } => sessions.position(task, interpreter.first_position(trigger)),
            Command::Change {
                task,
                trigger,
                position,
            } => sessions.change(task, trigger, position),
            Command::Renew { task, queue, delivery } => sessions.renew(task, queue, delivery),
            Command::EndPass { task, give_back } => {
                sessions.end_pass(task, give_back).await;
                say(&Event::Done);
            }
            Command::EndTask { task } => {
                interpreter.end(task);
                sessions.end_task(task);
                say(&Event::Done);
            }
            Command::Break { task } => {
                sessions.give_up(task);
                say(&Event::Done);
            }
        }
    }
}
