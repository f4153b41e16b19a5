//! The way to a service, as a Service of Kubernetes makes it: new connections lead to processes
//! that are ready. A connection stays with its process until one of the two closes it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use service_kit::client::HttpClient;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, timeout};

/// Between two questions whether a process is ready. Kubernetes asks every five seconds.
const ASKS_EVERY: Duration = Duration::from_millis(100);

/// Time that a process has to answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(6);

#[derive(Debug)]
struct Backend {
    address: SocketAddr,
    ready: bool,
}

/// The proxy of a service.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    backends: Arc<Mutex<Vec<Backend>>>,
    /// When connections were closed because no process was ready.
    turned_away: Arc<Mutex<Vec<Instant>>>,
    tasks: [JoinHandle<()>; 2],
}

impl Proxy {
    pub(super) async fn start(http: HttpClient) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let backends = Arc::<Mutex<Vec<Backend>>>::default();
        let turned_away = Arc::<Mutex<Vec<Instant>>>::default();
        let tasks = [
            tokio::spawn(lead(
                listener,
                Arc::clone(&backends),
                Arc::clone(&turned_away),
            )),
            tokio::spawn(watch(http, Arc::clone(&backends))),
        ];
        Self {
            address,
            backends,
            turned_away,
            tasks,
        }
    }

    /// Leads to a process as soon as it is ready.
    pub(super) fn add(&self, address: SocketAddr) {
        let ready = false;
        lock(&self.backends).push(Backend { address, ready });
    }

    /// Leads no new connection to a process.
    pub(super) fn remove(&self, address: SocketAddr) {
        lock(&self.backends).retain(|backend| backend.address != address);
    }

    /// Whether a connection was turned away in this time.
    pub(super) fn turned_away(&self, from: Instant, to: Instant) -> bool {
        lock(&self.turned_away)
            .iter()
            .any(|at| (from..=to).contains(at))
    }

    /// Whether it leads to a process.
    pub(super) fn leads_to(&self, address: SocketAddr) -> bool {
        lock(&self.backends)
            .iter()
            .any(|backend| backend.address == address && backend.ready)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap()
}

async fn lead(
    listener: TcpListener,
    backends: Arc<Mutex<Vec<Backend>>>,
    turned_away: Arc<Mutex<Vec<Instant>>>,
) {
    let mut next = 0;
    while let Ok((mut client, _)) = listener.accept().await {
        next += 1;
        let backends = Arc::clone(&backends);
        let turned_away = Arc::clone(&turned_away);
        tokio::spawn(async move {
            // Without a process that is ready, the connection is closed at once.
            let Some(mut process) = connect(&backends, next).await else {
                lock(&turned_away).push(Instant::now());
                return;
            };
            let _ = client.set_nodelay(true);
            let _ = process.set_nodelay(true);
            let _ = copy_bidirectional(&mut client, &mut process).await;
        });
    }
}

/// A connection to a ready process, in turn. One that has ended is not asked again until it is
/// ready.
async fn connect(backends: &Mutex<Vec<Backend>>, next: usize) -> Option<TcpStream> {
    loop {
        let address = {
            let backends = lock(backends);
            let ready: Vec<SocketAddr> = backends
                .iter()
                .filter(|backend| backend.ready)
                .map(|backend| backend.address)
                .collect();
            *ready.get(next % ready.len().max(1))?
        };
        match TcpStream::connect(address).await {
            Ok(process) => return Some(process),
            Err(_) => set_ready(backends, address, false),
        }
    }
}

fn set_ready(backends: &Mutex<Vec<Backend>>, address: SocketAddr, ready: bool) {
    for backend in lock(backends).iter_mut() {
        if backend.address == address {
            backend.ready = ready;
        }
    }
}

/// Asks each process whether it is ready.
async fn watch(http: HttpClient, backends: Arc<Mutex<Vec<Backend>>>) {
    let mut asks = interval(ASKS_EVERY);
    loop {
        asks.tick().await;
        let all: Vec<SocketAddr> = lock(&backends).iter().map(|one| one.address).collect();
        for address in all {
            let asked = http.get(format!("http://{address}/health/ready")).send();
            let ready = match timeout(ANSWERS_WITHIN, asked).await {
                Ok(Ok(answer)) => answer.status().is_success(),
                _ => false,
            };
            set_ready(&backends, address, ready);
        }
    }
}
