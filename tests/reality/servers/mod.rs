//! Real servers on loopback, each with a data folder of its own that goes with it.
//!
//! A server is a value: dropped, also by a panic, it stops the process it started and removes its folder. Nothing that was
//! running before is touched.

mod nats;
mod postgres;
mod rabbitmq;

pub use nats::Nats;
pub use postgres::Postgres;
pub use rabbitmq::RabbitMq;

use std::fmt;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long a server may take to start or to stop.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Why a server cannot be had: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A folder of this run, removed when dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A new, empty folder, owned by `owner` if that is another user.
    pub fn new(name: &str, owner: Option<&str>) -> Result<Folder, Unavailable> {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("crashpoint-{name}-{}-{number}", std::process::id()));
        let mut install = Command::new("install");
        install.args(["-d", "-m", "700"]);
        if let Some(owner) = owner {
            install.args(["-o", owner, "-g", owner]);
        }
        finished(install.arg(&path))?;
        Ok(Folder(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left for the system's own clean-up of its temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A port that nobody listens on just now, and that nobody gets who asks for any: a server takes a while before it listens, and
/// others open ports meanwhile.
pub fn free_port() -> Result<u16, Unavailable> {
    const PORTS: std::ops::Range<u16> = 20_000..32_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    for _ in PORTS {
        // Two runs at once begin at different places.
        let number = std::process::id()
            .wrapping_mul(97)
            .wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = PORTS.start + (number % PORTS.len() as u32) as u16;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err(Unavailable("no port is free".to_string()))
}

/// Runs a command to its end. Errors: it cannot be started or fails; with the last line it wrote.
pub fn finished(command: &mut Command) -> Result<String, Unavailable> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| Unavailable(format!("{name}: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let written = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = written.lines().last().unwrap_or_default();
    Err(Unavailable(format!("{name} failed: {last}")))
}

/// Sends a signal ("INT", "KILL") to one process.
pub fn signal(process: u32, signal: &str) {
    // A process that is gone already is what was wanted.
    let _ = Command::new("kill")
        .args([format!("-{signal}"), process.to_string()])
        .stderr(std::process::Stdio::null())
        .status();
}

/// Waits for a process to end; none if it takes too long.
pub fn ended(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

/// True for the superuser, whom servers refuse to run as.
pub fn is_root() -> bool {
    finished(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
