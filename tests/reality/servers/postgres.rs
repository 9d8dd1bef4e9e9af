//! PostgreSQL 15 from Debian's packages.

use super::{Folder, PATIENCE, Unavailable, ended, finished, free_port, is_root, signal};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where Debian puts the programs of this version, outside the PATH.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";

/// The user Debian makes for it.
const USER: &str = "postgres";

/// Settings of all servers here. Nothing outlives them, so nothing is flushed; a crash of the server alone needs no flush either.
const SETTINGS: &[&str] = &[
    "listen_addresses=127.0.0.1",
    "fsync=off",
    "full_page_writes=off",
    "autovacuum=off",
    "lc_messages=C",
    "max_connections=300",
    "max_prepared_transactions=20",
    // Followers read the log of changes.
    "wal_level=logical",
    "max_replication_slots=40",
];

/// A running server with an empty database `postgres` and the superuser `postgres`, who needs no password.
#[derive(Debug)]
pub struct Postgres {
    server: Option<Child>,
    folder: Folder,
    port: u16,
    version: String,
}

impl Postgres {
    /// Starts a server. Errors: it is not installed, or does not start.
    pub fn start() -> Result<Postgres, Unavailable> {
        if !Path::new(PROGRAMS).join("postgres").exists() {
            return Err(Unavailable(format!("PostgreSQL 15 is not installed in {PROGRAMS}")));
        }
        let owner = is_root().then_some(USER);
        let folder = Folder::new("postgres", owner)?;
        let version = finished(Command::new(Path::new(PROGRAMS).join("postgres")).arg("--version"))?;
        let mut initdb = command("initdb", folder.path());
        initdb.args(["-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C", "--no-sync", "-D"]);
        finished(initdb.arg(folder.path().join("data")))?;
        let mut server = Postgres {
            server: None,
            port: free_port()?,
            folder,
            version: version.trim().trim_start_matches("postgres (PostgreSQL) ").to_string(),
        };
        server.up()?;
        Ok(server)
    }

    /// Starts it again after [`Postgres::down`], on the same port with the same data.
    pub fn up(&mut self) -> Result<(), Unavailable> {
        let mut postgres = command("postgres", self.folder.path());
        postgres
            .arg("-D")
            .arg(self.data())
            .args(["-p", &self.port.to_string(), "-k"])
            .arg(self.folder.path());
        for setting in SETTINGS {
            postgres.args(["-c", setting]);
        }
        let log = File::options().create(true).append(true).open(self.log());
        let log = log.map_err(|error| Unavailable(format!("no log file: {error}")))?;
        postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let child = postgres
            .spawn()
            .map_err(|error| Unavailable(format!("postgres: {error}")))?;
        self.server = Some(child);
        self.wait_until_ready()
    }

    /// Stops it: all sessions end and roll back, committed data and the counts of sequences stay. (One that dies would skip
    /// up to 32 numbers of each sequence.)
    pub fn down(&mut self) {
        if let Some(mut child) = self.server.take() {
            // "Fast": it waits for no client.
            signal(child.id(), "INT");
            if ended(&mut child, PATIENCE).is_none() {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How a client connects to a database, in the notation of libpq.
    pub fn address(&self, database: &str) -> String {
        format!("host=127.0.0.1 port={} user={USER} dbname={database}", self.port)
    }

    /// "15.18 (Debian 15.18-0+deb12u1)".
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What the server has written.
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The server writes its state into the eighth line of its pid file.
    fn wait_until_ready(&mut self) -> Result<(), Unavailable> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let file = std::fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
            let own = self.server.as_ref().map(|child| child.id().to_string());
            if file.lines().next() == own.as_deref() && file.lines().nth(7).is_some_and(|state| state.trim() == "ready")
            {
                return Ok(());
            }
            if let Some(Ok(Some(status))) = self.server.as_mut().map(Child::try_wait) {
                let log = std::fs::read_to_string(self.log()).unwrap_or_default();
                let last = log.lines().last().unwrap_or_default();
                return Err(Unavailable(format!("postgres ended with {status}: {last}")));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(Unavailable("postgres was not ready in time".to_string()))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.down();
    }
}

/// One of its programs, as the user it insists on. `setpriv` replaces itself by the program, so the process is the program.
fn command(program: &str, home: &Path) -> Command {
    let program = Path::new(PROGRAMS).join(program);
    let mut command = match is_root() {
        true => {
            let mut command = Command::new("setpriv");
            let user = format!("--reuid={USER}");
            let group = format!("--regid={USER}");
            command.args([&user, &group, "--init-groups"]).arg(program);
            command
        }
        false => Command::new(program),
    };
    command.env("HOME", home).env_remove("PGDATA").current_dir(home);
    command
}
