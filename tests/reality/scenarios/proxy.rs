//! The wire between one process and one server, on loopback: it can lose one request, lose one answer, keep a request for later
//! (also when its sender is gone by then), or be cut altogether.
//!
//! Refuses to know: protocols. A request is what comes from the client, an answer what comes from the server, if they contain what it
//! is told that these always contain; the conductor lets one connection speak at a time while it waits for either.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A connection ends well within this.
const ENDS: Duration = Duration::from_secs(5);

/// What happens to the next bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loses {
    Nothing,
    Request,
    Answer,
}

/// What every request and every answer contains, where client and server also say things unasked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    pub request: &'static [u8],
    pub answer: &'static [u8],
}

#[derive(Debug)]
struct State {
    loses: Loses,
    /// It has lost what it was told to lose and closed that connection, or has what it was told to keep.
    lost: bool,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    marks: Marks,
    /// Connections that are open.
    open: AtomicUsize,
}

/// One listener and its connections; they end when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    /// True while nobody gets through.
    down: watch::Sender<bool>,
    /// True while requests are kept.
    keeps: watch::Sender<bool>,
    listening: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port for a server on `to`. Errors: no port.
    pub fn new(runtime: &Handle, to: u16, marks: Marks) -> io::Result<Proxy> {
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                loses: Loses::Nothing,
                lost: false,
            }),
            changed: Condvar::new(),
            marks,
            open: AtomicUsize::new(0),
        });
        let (down, is_down) = watch::channel(false);
        let (keeps, is_kept) = watch::channel(false);
        let of_all = Arc::clone(&shared);
        let listening = runtime.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if !*is_down.borrow() {
                    of_all.open.fetch_add(1, Ordering::SeqCst);
                    tokio::spawn(connect(
                        client,
                        to,
                        Arc::clone(&of_all),
                        is_down.clone(),
                        is_kept.clone(),
                    ));
                }
            }
        });
        Ok(Proxy {
            port,
            shared,
            down,
            keeps,
            listening,
        })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// What it is told to lose next.
    pub fn lose(&self, loses: Loses) {
        *self.shared.lock() = State { loses, lost: false };
    }

    /// Waits until it has lost it; false if that takes too long.
    pub fn has_lost(&self, patience: Duration) -> bool {
        let state = self.shared.lock();
        let waited = self
            .shared
            .changed
            .wait_timeout_while(state, patience, |state| !state.lost);
        waited.unwrap_or_else(PoisonError::into_inner).0.lost
    }

    /// Keeps what comes from now on.
    pub fn keep(&self) {
        *self.shared.lock() = State {
            loses: Loses::Nothing,
            lost: false,
        };
        self.keeps.send_replace(true);
    }

    /// Lets go what it has kept and whose sender is gone; waits for the server's answer. False if that takes too long.
    pub fn let_go(&self, patience: Duration) -> bool {
        self.shared.lock().lost = false;
        self.keeps.send_replace(false);
        self.has_lost(patience)
    }

    /// Ends all connections and lets nobody in, or lets them in again. What is sent from now on gets nowhere.
    pub fn set_down(&self, down: bool) {
        self.down.send_replace(down);
        let start = Instant::now();
        while down && self.shared.open.load(Ordering::SeqCst) > 0 && start.elapsed() < ENDS {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
        self.down.send_replace(true);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if these bytes are the ones to lose.
    fn takes(&self, loses: Loses, bytes: &[u8]) -> bool {
        let mut state = self.lock();
        let mark = match loses {
            Loses::Request => self.marks.request,
            _ => self.marks.answer,
        };
        let marked = mark.is_empty() || bytes.windows(mark.len()).any(|part| part == mark);
        if state.loses != loses || !marked {
            return false;
        }
        state.loses = Loses::Nothing;
        true
    }

    fn has_closed(&self) {
        self.lock().lost = true;
        self.changed.notify_all();
    }
}

async fn connect(
    client: TcpStream,
    to: u16,
    shared: Arc<Shared>,
    down: watch::Receiver<bool>,
    keeps: watch::Receiver<bool>,
) {
    carry(client, to, &shared, down, keeps).await;
    shared.open.fetch_sub(1, Ordering::SeqCst);
}

async fn carry(
    mut client: TcpStream,
    to: u16,
    shared: &Shared,
    mut down: watch::Receiver<bool>,
    mut keeps: watch::Receiver<bool>,
) {
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", to)).await else {
        return;
    };
    // Small messages there and back: none may wait for another.
    let _ = client.set_nodelay(true).and_then(|()| server.set_nodelay(true));
    let (mut requests, mut answers) = (vec![0; 16_384], vec![0; 16_384]);
    let (mut kept, mut is_alone) = (Vec::new(), false);
    let lost = loop {
        tokio::select! {
            () = is_true(&mut down) => break false,
            () = is_false(&mut keeps), if !kept.is_empty() => {
                if server.write_all(&kept).await.is_err() {
                    break false;
                }
                kept.clear();
                if is_alone {
                    // Whatever it answers, it has read the request.
                    let _ = server.read(&mut answers).await;
                    break true;
                }
            },
            read = client.read(&mut requests), if !is_alone => match read {
                Ok(count) if count > 0 => {
                    if *keeps.borrow() {
                        kept.extend_from_slice(&requests[..count]);
                        shared.has_closed();
                        continue;
                    }
                    if shared.takes(Loses::Request, &requests[..count]) {
                        break true;
                    }
                    if server.write_all(&requests[..count]).await.is_err() {
                        break false;
                    }
                }
                _ if !kept.is_empty() => is_alone = true,
                _ => break false,
            },
            read = server.read(&mut answers) => match read {
                Ok(count) if count > 0 => {
                    if shared.takes(Loses::Answer, &answers[..count]) {
                        break true;
                    }
                    if client.write_all(&answers[..count]).await.is_err() {
                        break false;
                    }
                }
                _ => break false,
            },
        }
    };
    drop((client, server));
    if lost {
        shared.has_closed();
    }
}

async fn is_false(keeps: &mut watch::Receiver<bool>) {
    // A proxy that is gone keeps nothing.
    let _ = keeps.wait_for(|keeps| !*keeps).await.is_ok();
}

async fn is_true(down: &mut watch::Receiver<bool>) {
    // A proxy that is gone is down too.
    let _ = down.wait_for(|down| *down).await.is_ok();
}
