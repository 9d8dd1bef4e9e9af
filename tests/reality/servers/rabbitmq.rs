//! RabbitMQ from Debian's packages: one node on loopback, with its own port mapper, cookie and folders.

use super::{Folder, PATIENCE, Unavailable, ended, free_port, signal};
use std::fs::File;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The start script behind the wrapper that changes the user.
const SERVER: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/// A running node with the user `guest`.
#[derive(Debug)]
pub struct RabbitMq {
    server: Option<Child>,
    mapper: Child,
    mapper_port: u16,
    folder: Folder,
    port: u16,
    version: String,
}

impl RabbitMq {
    /// Starts a node; it takes some seconds. Errors: it is not installed, or does not start.
    pub fn start() -> Result<RabbitMq, Unavailable> {
        if !Path::new(SERVER).exists() {
            return Err(Unavailable(format!("RabbitMQ is not installed: no {SERVER}")));
        }
        let folder = Folder::new("rabbitmq", None)?;
        let (port, mapper_port) = (free_port()?, free_port()?);
        // Erlang's port mapper would otherwise be started by the node, listen everywhere and stay.
        let mapper = Command::new("epmd")
            .args(["-address", "127.0.0.1", "-port", &mapper_port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Unavailable(format!("epmd: {error}")))?;
        let mut node = RabbitMq {
            server: None,
            mapper,
            mapper_port,
            folder,
            port,
            version: installed_version(),
        };
        node.up()?;
        Ok(node)
    }

    /// Starts it again after [`RabbitMq::down`], on the same port with the same data.
    pub fn up(&mut self) -> Result<(), Unavailable> {
        let folder = self.folder.path();
        let problem = |error: std::io::Error| Unavailable(format!("rabbitmq: {error}"));
        std::fs::write(folder.join("plugins"), "[].").map_err(problem)?;
        // Memory and disk of a machine that others use too are no reason to stop publishers.
        let settings =
            "vm_memory_high_watermark.relative = 0.9\ndisk_free_limit.absolute = 1MB\nlog.file.level = error\n";
        std::fs::write(folder.join("rabbitmq.conf"), settings).map_err(problem)?;
        let log = File::create(folder.join("log")).map_err(problem)?;
        let server = Command::new(SERVER)
            .env("HOME", folder)
            .env("RABBITMQ_NODENAME", format!("crashpoint{}@localhost", self.port))
            .env("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODE_PORT", self.port.to_string())
            .env("RABBITMQ_DIST_PORT", free_port()?.to_string())
            .env("RABBITMQ_MNESIA_BASE", folder.join("data"))
            .env("RABBITMQ_LOG_BASE", folder.join("logs"))
            .env("RABBITMQ_CONF_ENV_FILE", "/dev/null")
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", folder.join("plugins"))
            .env("RABBITMQ_CONFIG_FILE", folder.join("rabbitmq.conf"))
            .env(
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                "-kernel inet_dist_use_interface {127,0,0,1}",
            )
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("ERL_EPMD_PORT", self.mapper_port.to_string())
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(problem)?)
            .stderr(log)
            .spawn()
            .map_err(problem)?;
        self.server = Some(server);
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return Ok(());
            }
            if let Some(Ok(Some(status))) = self.server.as_mut().map(Child::try_wait) {
                let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                let last = log.lines().last().unwrap_or_default();
                return Err(Unavailable(format!("rabbitmq-server ended with {status}: {last}")));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(Unavailable("rabbitmq-server was not ready in time".to_string()))
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// "3.10.8-1.1+deb12u1".
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// As the package manager knows it: the server itself says it only over a connection of its own.
fn installed_version() -> String {
    let query = Command::new("dpkg-query")
        .args(["-W", "-f", "${Version}", "rabbitmq-server"])
        .output();
    query.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_string()
    })
}

/// The processes that a process has started, and theirs: the start script is not the node.
fn descendants(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let children = std::fs::read_to_string(path).unwrap_or_default();
    let own = children.split_whitespace().filter_map(|id| id.parse().ok());
    own.flat_map(|id| std::iter::once(id).chain(descendants(id))).collect()
}

impl RabbitMq {
    /// Stops the node; durable queues and persistent messages stay.
    pub fn down(&mut self) {
        if let Some(mut server) = self.server.take() {
            let all = descendants(server.id());
            for process in &all {
                signal(*process, "TERM");
            }
            signal(server.id(), "TERM");
            if ended(&mut server, PATIENCE).is_none() {
                let _ = server.kill();
                let _ = server.wait();
            }
            // What the node leaves behind: its own helpers.
            for process in all {
                signal(process, "KILL");
            }
        }
    }
}

impl Drop for RabbitMq {
    fn drop(&mut self) {
        self.down();
        let _ = self.mapper.kill();
        let _ = self.mapper.wait();
    }
}
