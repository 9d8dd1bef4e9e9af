//! One headless Chromium with its driver, as processes: started on free ports with a fresh profile, and gone afterwards.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

/// How long an ended browser may take to let go of its profile.
const FAREWELL: Duration = Duration::from_secs(5);

/// How often a driver is started until it finds a port.
const STARTS_MAX: u32 = 5;

/// A running driver and the profile of the one browser it will start. Dropping it ends both, after a panic too.
pub struct Chromium {
    driver: Child,
    /// Held open: a driver that cannot write any more dies.
    _output: BufReader<ChildStdout>,
    port: u16,
    profile: PathBuf,
}

impl Chromium {
    /// Starts the driver on a free port; the browser follows with the first session.
    pub fn start() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let profile = std::env::temp_dir().join(format!("crashpoint-browser-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&profile).expect("a folder for the browser's profile");
        let command = std::env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".into());
        // The driver takes a port that is free for IPv6 and gives up if another program has the same one for IPv4: not its
        // fault and not the page's, so it is asked again.
        let mut said = String::new();
        for _ in 0..STARTS_MAX {
            let mut driver = Command::new(&command)
                .arg("--port=0")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap_or_else(|error| panic!("cannot start {command}: {error}; `make test` installs it"));
            let mut output = BufReader::new(driver.stdout.take().expect("standard output is piped"));
            match read_port(&mut output) {
                Ok(port) => {
                    return Self {
                        driver,
                        _output: output,
                        port,
                        profile,
                    };
                }
                Err(instead) => {
                    let _ = driver.wait();
                    said = instead;
                }
            }
        }
        panic!("chromedriver named no port in {STARTS_MAX} starts; at last it said: {said}");
    }

    /// Where the driver listens.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What a session asks for: this browser, this profile, American English, and the console's messages.
    pub fn capabilities(&self) -> Map<String, Value> {
        let mut options = json!({ "args": [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--force-device-scale-factor=1", "--font-render-hinting=none",
            "--lang=en-US", "--accept-lang=en-US",
            format!("--user-data-dir={}", self.profile.display()),
        ]});
        if let Ok(binary) = std::env::var("CHROME") {
            options["binary"] = binary.into();
        }
        Map::from_iter([
            ("browserName".into(), "chrome".into()),
            ("goog:chromeOptions".into(), options),
            ("goog:loggingPrefs".into(), json!({ "browser": "ALL" })),
        ])
    }

    /// The browser's process: Chromium links its profile's lock to `host-pid`.
    fn browser(&self) -> Option<u32> {
        let lock = std::fs::read_link(self.profile.join("SingletonLock")).ok()?;
        let pid = lock.to_str()?.rsplit('-').next()?.parse().ok()?;
        Path::new(&format!("/proc/{pid}")).exists().then_some(pid)
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // A closed session has ended the browser already; without one (a panic, a hang) it is ended here.
        if let Some(pid) = self.browser() {
            let _ = Command::new("kill")
                .args(["-KILL", &pid.to_string()])
                .stderr(Stdio::null())
                .status();
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        // The browser's helpers may still write for a moment.
        let deadline = Instant::now() + FAREWELL;
        while std::fs::remove_dir_all(&self.profile).is_err() && self.profile.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The port from the driver's greeting, "ChromeDriver was started successfully on port 40213."
///
/// # Errors
/// What it said instead.
fn read_port(output: &mut BufReader<ChildStdout>) -> Result<u16, String> {
    let mut said = String::new();
    while output.read_line(&mut said).expect("the driver's output is readable") > 0 {
        let port = said
            .rsplit_once("successfully on port ")
            .and_then(|(_, rest)| rest.trim().trim_end_matches('.').parse().ok());
        if let Some(port) = port {
            return Ok(port);
        }
    }
    Err(said)
}
