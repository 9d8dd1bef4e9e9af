//! NATS with JetStream from Debian's packages.

use super::{Folder, PATIENCE, Unavailable, ended, finished, free_port, signal};
use std::fs::File;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SERVER: &str = "/usr/sbin/nats-server";

/// A running server.
#[derive(Debug)]
pub struct Nats {
    server: Option<Child>,
    folder: Folder,
    port: u16,
    version: String,
}

impl Nats {
    /// Starts a server. Errors: it is not installed, or does not start.
    pub fn start() -> Result<Nats, Unavailable> {
        let version = finished(Command::new(SERVER).arg("--version"))?;
        let (folder, port) = (Folder::new("nats", None)?, free_port()?);
        let mut server = Nats {
            server: None,
            folder,
            port,
            version: version.trim().trim_start_matches("nats-server: v").to_string(),
        };
        server.up()?;
        Ok(server)
    }

    /// Starts it again after [`Nats::down`], on the same port with the same data.
    pub fn up(&mut self) -> Result<(), Unavailable> {
        let problem = |error: std::io::Error| Unavailable(format!("nats-server: {error}"));
        let log = File::create(self.folder.path().join("log")).map_err(problem)?;
        let server = Command::new(SERVER)
            .args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"])
            .arg(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(problem)?;
        self.server = Some(server);
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(Unavailable("nats-server was not ready in time".to_string()))
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// "2.9.10".
    pub fn version(&self) -> &str {
        &self.version
    }
}

impl Nats {
    /// Stops it; what is stored in files stays.
    pub fn down(&mut self) {
        if let Some(mut server) = self.server.take() {
            signal(server.id(), "TERM");
            if ended(&mut server, PATIENCE).is_none() {
                let _ = server.kill();
                let _ = server.wait();
            }
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.down();
    }
}
