//! A process of a scenario, as the conductor holds it: started, spoken to, frozen, killed.
//!
//! Refuses to know: schedules and faults; what the messages mean.

use super::super::proxy::Proxy;
use super::super::wire::{Command, Event};
use super::Trouble;
use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a process may take to say something it was asked for.
const PATIENCE: Duration = Duration::from_secs(40);

pub struct Process {
    child: Child,
    input: ChildStdin,
    said: Receiver<Event>,
    /// What it has said and nobody has asked for yet.
    backlog: VecDeque<Event>,
    pub databases: Vec<Proxy>,
    pub brokers: Vec<Proxy>,
    /// Its sessions' server processes.
    pub pids: BTreeSet<i32>,
}

impl Process {
    /// Starts one that has not been told who it is.
    pub fn start(databases: Vec<Proxy>, brokers: Vec<Proxy>) -> Result<Process, Trouble> {
        let program = std::env::current_exe().map_err(Trouble::new)?;
        let mut child = std::process::Command::new(program)
            .arg("worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(Trouble::new)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| Trouble::new("a process without pipes"))?;
        let (sender, said) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let Ok(event) = serde_json::from_str(&line) else { return };
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Ok(Process {
            child,
            input,
            said,
            backlog: VecDeque::new(),
            databases,
            brokers,
            pids: BTreeSet::new(),
        })
    }

    pub fn tell(&mut self, command: &Command) -> Result<(), Trouble> {
        let line = serde_json::to_string(command).map_err(Trouble::new)?;
        writeln!(self.input, "{line}").map_err(Trouble::new)
    }

    /// Tells it something and waits for the answer that comes at once.
    pub fn ask(&mut self, command: &Command) -> Result<Event, Trouble> {
        self.tell(command)?;
        let answers = |event: &Event| {
            let asked = [Event::Done];
            asked
                .iter()
                .any(|done| std::mem::discriminant(done) == std::mem::discriminant(event))
                || matches!(event, Event::Wants { .. } | Event::Pauses { .. } | Event::Ended { .. })
        };
        let said = self.hear(answers, PATIENCE)?;
        said.ok_or_else(|| Trouble::new(format!("a process does not answer {command:?}")))
    }

    /// The first thing it says of this kind; none within that time. Errors: it has died by itself.
    pub fn hear(&mut self, wanted: impl Fn(&Event) -> bool, patience: Duration) -> Result<Option<Event>, Trouble> {
        if let Some(at) = self.backlog.iter().position(&wanted) {
            return Ok(self.backlog.remove(at));
        }
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.said.recv_timeout(left) {
                Ok(event) if wanted(&event) => return Ok(Some(event)),
                Ok(event) => {
                    if let Event::Running { pid, .. } = event {
                        self.pids.insert(pid);
                    }
                    self.backlog.push_back(event);
                }
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::new("a process has died by itself")),
            }
        }
    }

    /// Waits as long as anything may take.
    pub fn expect(&mut self, wanted: impl Fn(&Event) -> bool, what: &str) -> Result<Event, Trouble> {
        let said = self.hear(wanted, PATIENCE)?;
        said.ok_or_else(|| Trouble::new(format!("a process does not say {what}")))
    }

    /// SIGKILL, and no trace of it but what others know.
    pub fn kill(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        while let Ok(event) = self.said.try_recv() {
            if let Event::Running { pid, .. } = event {
                self.pids.insert(pid);
            }
        }
    }

    pub fn freeze(&self) {
        crate::servers::signal(self.child.id(), "STOP");
    }

    pub fn thaw(&self) {
        crate::servers::signal(self.child.id(), "CONT");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
