//! A web server for the built page, as small as a static host may be: files with their types, nothing else.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// Below this path lies the same page, but its Wasm module is missing, as after a broken deployment.
pub const WITHOUT_WASM: &str = "/without-wasm/";

/// Below this path lies the same page, as on a host that is shared.
pub const FOLDER: &str = "/some/folder/";

/// A script from the page's own server that traps as a Wasm module does: what the driver throws itself is hidden from the
/// page as foreign, and a release build allows no inline scripts.
pub const TRAP: &str = "/trap.js";
const TRAP_SCRIPT: &str = "throw new WebAssembly.RuntimeError('unreachable');";

/// Where the page is served, without a slash at the end. The server starts with the first call and ends with the process.
pub fn origin() -> &'static str {
    static ORIGIN: OnceLock<String> = OnceLock::new();
    ORIGIN.get_or_init(|| {
        let dist = dist();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on 127.0.0.1");
        let address = listener.local_addr().expect("the port that was just bound");
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let dist = dist.clone();
                // A browser that goes away in the middle of an answer is no failure.
                std::thread::spawn(move || answer(stream, &dist).ok());
            }
        });
        format!("http://{address}")
    })
}

fn dist() -> PathBuf {
    let dist = std::env::var_os("CRASHPOINT_DIST")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("dist"), PathBuf::from);
    assert!(
        dist.join("index.html").is_file(),
        "no built page in {}: run `trunk build` (or `make page`) first",
        dist.display()
    );
    dist
}

/// Answers one request and closes the connection.
fn answer(mut stream: TcpStream, dist: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut request = BufReader::new(stream.try_clone()?).lines();
    let first = request.next().transpose()?.unwrap_or_default();
    // The headers are read to their end: closing with unread input would reset the connection under the answer.
    for header in request {
        if header?.is_empty() {
            break;
        }
    }
    let target = first.split(' ').nth(1).unwrap_or("/");
    let found = if target == TRAP {
        Some(("text/javascript", TRAP_SCRIPT.into()))
    } else {
        find(target, dist).and_then(|file| Some((mime(&file), std::fs::read(&file).ok()?)))
    };
    let missing = ("404 Not Found", "text/plain", b"not found".to_vec());
    let (status, kind, body) = found.map_or(missing, |(kind, body)| ("200 OK", kind, body));
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}

/// The file that a request's target names, if it lies in `dist`.
fn find(target: &str, dist: &Path) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?;
    let broken = path.starts_with(WITHOUT_WASM);
    let path = path.strip_prefix(WITHOUT_WASM).unwrap_or(path);
    let path = path.strip_prefix(FOLDER).unwrap_or(path).trim_start_matches('/');
    if broken && path.ends_with(".wasm") {
        return None;
    }
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    path.components()
        .all(|part| matches!(part, Component::Normal(_)))
        .then(|| dist.join(path))
}

fn mime(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json" | "webmanifest") => "application/json",
        _ => "application/octet-stream",
    }
}
