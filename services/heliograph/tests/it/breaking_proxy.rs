//! A way to the bff on which the connections of answers break.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The requests that are answered by the events of a run.
const ANSWERS: [&[u8]; 2] = [b"POST /api/chat ", b"GET /api/runs/"];

/// The proxy.
pub(crate) struct BreakingProxy {
    pub(crate) url: String,
    way: Way,
    task: JoinHandle<()>,
}

#[derive(Clone)]
struct Way {
    backend: String,
    /// Bytes after which the next answers are cut off.
    cuts: Arc<Mutex<VecDeque<usize>>>,
    broken: Arc<AtomicUsize>,
}

impl BreakingProxy {
    /// A proxy that cuts off one answer per length, after this number of bytes.
    pub(crate) async fn start(backend: &str, cuts: &[usize]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let way = Way {
            backend: backend.trim_start_matches("http://").to_owned(),
            cuts: Arc::new(Mutex::new(cuts.iter().copied().collect())),
            broken: Arc::default(),
        };
        let task = tokio::spawn(accept(listener, way.clone()));
        Self { url, way, task }
    }

    /// Number of answers that were cut off.
    pub(crate) fn broken(&self) -> usize {
        self.way.broken.load(Ordering::SeqCst)
    }
}

impl Drop for BreakingProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, way: Way) {
    while let Ok((client, _)) = listener.accept().await {
        let server = TcpStream::connect(&way.backend).await.unwrap();
        tokio::spawn(way.clone().lead(client, server));
    }
}

impl Way {
    async fn lead(self, mut client: TcpStream, mut server: TcpStream) {
        let (mut up, mut down) = (vec![0; 16_384], vec![0; 16_384]);
        let mut left: Option<usize> = None;
        loop {
            tokio::select! {
                read = client.read(&mut up) => {
                    let Ok(count @ 1..) = read else { return };
                    if ANSWERS.iter().any(|start| up[..count].starts_with(start)) {
                        left = self.cuts.lock().unwrap().pop_front();
                    }
                    if server.write_all(&up[..count]).await.is_err() { return }
                }
                read = server.read(&mut down) => {
                    let Ok(count @ 1..) = read else { return };
                    let passed = left.map_or(count, |left| left.min(count));
                    if client.write_all(&down[..passed]).await.is_err() { return }
                    left = left.map(|left| left - passed);
                    if left == Some(0) {
                        self.broken.fetch_add(1, Ordering::SeqCst);
                        return;
                    }
                }
            }
        }
    }
}
