//! The server itself: connections, what it keeps of requests, its end in the middle of an answer.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures::stream;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::http::{Incoming, check};
use super::reply::{Asked, Piece, Reply, refused, reply};
use super::{Dialect, Operation, Refusal, Script, Seen, Turn};

/// Time that a test waits for the server to see something before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A scripted model provider on a port of its own, stopped when this value is dropped.
#[derive(Debug)]
pub struct ModelServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    kill: CancellationToken,
    task: JoinHandle<()>,
}

/// Numbers of a server's requests so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that came, refused ones among them.
    pub requests: usize,
    /// Answers in progress.
    pub open: usize,
    /// Answers given as the script wanted them, their mishaps included.
    pub complete: usize,
    /// Answers that the client did not wait for: it closed the connection.
    pub cancelled: usize,
    /// Answers that ended with the server.
    pub killed: usize,
}

#[derive(Debug)]
struct Shared {
    dialect: Dialect,
    key: String,
    script: Mutex<Script>,
    seen: Mutex<Vec<Seen>>,
    refusals: Mutex<Vec<Refusal>>,
    counts: watch::Sender<Counts>,
}

impl ModelServer {
    /// Starts one on a free port.
    pub async fn start(dialect: Dialect, script: impl Into<Script>) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            dialect,
            key: format!("sk-scripted-{}-{:08}", dialect.as_str(), serial()),
            script: Mutex::new(script.into()),
            seen: Mutex::default(),
            refusals: Mutex::default(),
            counts: watch::Sender::default(),
        });
        let running = Mutex::new(Some(run(listener, &shared)));
        Ok(Self {
            shared,
            address,
            running,
        })
    }

    /// The interface that the server speaks.
    pub fn dialect(&self) -> Dialect {
        self.shared.dialect
    }

    /// Its address, without any path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its address as the provider's own clients are given it: with `/v1`, `/api/v1`, `/v1beta` or
    /// nothing.
    pub fn base_url(&self) -> String {
        format!("{}{}", self.url(), self.shared.dialect.base_path())
    }

    /// The only key it accepts; unlike that of any other server. Ollama has none and takes any.
    pub fn key(&self) -> &str {
        &self.shared.key
    }

    /// Goes on with another script, and forgets what was seen and refused.
    pub fn play(&self, script: impl Into<Script>) {
        *lock(&self.shared.script) = script.into();
        lock(&self.shared.seen).clear();
        lock(&self.shared.refusals).clear();
        self.shared.counts.send_modify(|counts| {
            *counts = Counts {
                open: counts.open,
                ..Counts::default()
            };
        });
    }

    /// The requests that were accepted, in the order in which they came.
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }

    /// The requests that were refused because the real provider would, or because the script has no
    /// answer.
    pub fn refusals(&self) -> Vec<Refusal> {
        lock(&self.shared.refusals).clone()
    }

    /// The numbers so far.
    pub fn counts(&self) -> Counts {
        *self.shared.counts.borrow()
    }

    /// Waits until the counts are so.
    ///
    /// # Panics
    ///
    /// When they are not after a good while.
    #[expect(clippy::panic, reason = "fails the test that waits")]
    pub async fn until(&self, mut so: impl FnMut(&Counts) -> bool) -> Counts {
        let mut counts = self.shared.counts.subscribe();
        let waited = tokio::time::timeout(PATIENCE, counts.wait_for(|counts| so(counts))).await;
        match waited {
            Ok(Ok(counts)) => *counts,
            _ => panic!(
                "waited for {PATIENCE:?} in vain, the counts are {:?}",
                self.counts()
            ),
        }
    }

    /// Sees that no request was refused, and that no conversation had a call without an answer or
    /// an answer without a call.
    ///
    /// # Panics
    ///
    /// When that is not so.
    #[track_caller]
    pub fn assert_accepted(&self) {
        let refusals = self.refusals();
        assert!(refusals.is_empty(), "the provider refused: {refusals:#?}");
        for seen in self.seen() {
            let ends = seen.loose_ends();
            assert!(ends.is_empty(), "{ends:?} in {:#?}", seen.messages);
        }
    }

    /// Closes the port and every connection, whatever is in progress.
    pub async fn kill(&self) {
        let running = lock(&self.running).take();
        if let Some(Running { kill, task }) = running {
            kill.cancel();
            // It only ends early if it panicked, and then its connections are closed as well.
            let _ = task.await;
        }
    }

    /// Opens the same port again.
    pub async fn revive(&self) -> std::io::Result<()> {
        self.kill().await;
        let listener = TcpListener::bind(self.address).await?;
        *lock(&self.running) = Some(run(listener, &self.shared));
        Ok(())
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        if let Some(running) = lock(&self.running).take() {
            running.kill.cancel();
        }
    }
}

fn run(listener: TcpListener, shared: &Arc<Shared>) -> Running {
    let kill = CancellationToken::new();
    let task = tokio::spawn(accept(listener, shared.clone(), kill.clone()));
    Running { kill, task }
}

/// Serves connections until the end, which closes those that are open.
async fn accept(listener: TcpListener, shared: Arc<Shared>, kill: CancellationToken) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = kill.cancelled() => break,
            Some(_) = connections.join_next() => {}
            Ok((stream, _)) = listener.accept() => {
                connections.spawn(serve(stream, shared.clone(), kill.clone()));
            }
        }
    }
    connections.shutdown().await;
}

async fn serve(stream: TcpStream, shared: Arc<Shared>, kill: CancellationToken) {
    // Every piece is to arrive on its own.
    let _ = stream.set_nodelay(true);
    let service = hyper::service::service_fn(move |request| {
        let exchange = Exchange::begin(shared.clone(), kill.clone());
        respond(request, exchange)
    });
    // A connection that the client or a script breaks off ends with an error that says no more than
    // that.
    let _ = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn respond(
    request: hyper::Request<hyper::body::Incoming>,
    exchange: Exchange,
) -> Result<Response, HungUp> {
    let incoming = Incoming::read(exchange.shared.dialect, request).await?;
    let Some(reply) = exchange.shared.decide(incoming) else {
        exchange.finish();
        return Err(HungUp);
    };
    let Reply {
        status,
        headers,
        before,
        body,
    } = reply;
    for piece in before {
        match piece {
            Piece::Wait(gate) => gate.pass().await,
            Piece::Stall => std::future::pending().await,
            Piece::Bytes(_) | Piece::Pause(_) | Piece::Cut => {}
        }
    }
    let mut response = axum::http::Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(stream_of(body, exchange)).map_err(|_| HungUp)
}

/// The body, piece by piece. A piece is sent before the next is looked at.
fn stream_of(pieces: Vec<Piece>, exchange: Exchange) -> Body {
    let state = Some((pieces.into_iter(), exchange));
    Body::from_stream(stream::unfold(state, |state| async move {
        let (mut pieces, exchange) = state?;
        loop {
            match pieces.next() {
                None => {
                    exchange.finish();
                    return None;
                }
                Some(Piece::Bytes(bytes)) => {
                    tokio::task::yield_now().await;
                    return Some((Ok(bytes), Some((pieces, exchange))));
                }
                Some(Piece::Wait(gate)) => gate.pass().await,
                Some(Piece::Pause(pause)) => tokio::time::sleep(pause).await,
                Some(Piece::Stall) => std::future::pending().await,
                Some(Piece::Cut) => {
                    tokio::task::yield_now().await;
                    exchange.finish();
                    return Some((Err(HungUp), None));
                }
            }
        }
    }))
}

/// The script needs the connection closed, or the client closed it.
#[derive(Debug, thiserror::Error)]
#[error("the connection is closed")]
pub(super) struct HungUp;

/// Counts one request, whatever becomes of it.
struct Exchange {
    shared: Arc<Shared>,
    kill: CancellationToken,
    complete: std::cell::Cell<bool>,
}

impl Exchange {
    fn begin(shared: Arc<Shared>, kill: CancellationToken) -> Self {
        shared.counts.send_modify(|counts| {
            counts.requests += 1;
            counts.open += 1;
        });
        Self {
            shared,
            kill,
            complete: std::cell::Cell::new(false),
        }
    }

    fn finish(&self) {
        self.complete.set(true);
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let killed = self.kill.is_cancelled();
        self.shared.counts.send_modify(|counts| {
            counts.open -= 1;
            match (self.complete.get(), killed) {
                (true, _) => counts.complete += 1,
                (false, true) => counts.killed += 1,
                (false, false) => counts.cancelled += 1,
            }
        });
    }
}

impl Shared {
    /// Checks the request, asks the script. `None`: hang up.
    fn decide(&self, incoming: Incoming) -> Option<Reply> {
        let seen = match check(incoming, &self.key) {
            Ok(seen) => seen,
            Err(refusal) => return Some(self.refuse(refusal)),
        };
        lock(&self.seen).push(seen.clone());
        let turn = lock(&self.script).next(&seen);
        if seen.operation == Operation::Embed && turn.as_ref().is_none_or(Turn::is_answer) {
            return Some(super::embeddings::reply(&seen));
        }
        let Some(turn) = turn else {
            let last = seen.last_user().to_owned();
            let words = format!("the script has no turn for this request: {last}");
            return Some(self.refuse(Refusal::bad_request(self.dialect, words)));
        };
        let asked = Asked {
            seen: &seen,
            serial: serial(),
        };
        reply(&turn, &asked)
    }

    fn refuse(&self, refusal: Refusal) -> Reply {
        let reply = refused(&refusal);
        lock(&self.refusals).push(refusal);
        reply
    }
}

/// Counts through the process, so that ids are unlike those of other servers too.
fn serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A test that panicked while it held a lock has failed already.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
