//! The way out: the HTTP client of a process, and what ties a request that it sends to the request
//! being answered.
//!
//! Every connection is made by rustls with the cryptography of ring.

pub mod context;
pub mod guarded;
mod local;

use std::time::Duration;

use http::{HeaderMap, Method};
use reqwest::{IntoUrl, RequestBuilder, Response, redirect};

use context::inject_context;

pub use local::{LocalService, LocalServices};

/// Long enough for a handshake across continents, short enough that a person still waits.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Below the usual idle time-out of servers and load balancers, so that requests are rarely written
/// to a connection being closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// Unused connections to a server that are kept at most. Each keeps the buffer that it read its
/// largest answer with, up to 256 KiB, so what is left of many requests at once is closed. A steady
/// load needs fewer: a connection that becomes free is used by the next request.
const MOST_IDLE: usize = 32;

/// An HTTP client that ties what it sends to the request being answered. Cheap to clone; clones
/// share their connections.
#[derive(Debug, Clone)]
pub struct HttpClient {
    inner: reqwest::Client,
    propagates: bool,
    local: local::Known,
}

/// The reason why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The request could not be sent, or no answer came back.
    #[error(transparent)]
    Client(#[from] reqwest::Error),
    /// A service of this process did not answer in time.
    #[error("no answer in time")]
    Late,
}

impl SendError {
    /// Whether the time-out of the request had passed.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::Client(error) => error.is_timeout(),
            Self::Late => true,
        }
    }

    /// Whether no connection could be made, so that nothing was sent.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Client(error) if error.is_connect())
    }
}

impl HttpClient {
    /// A request with the trace headers in place. It has no total time-out, as some answers stream
    /// for minutes: give a call that does not stream its own with `.timeout(…)`.
    pub fn request(&self, method: Method, url: impl IntoUrl) -> RequestBuilder {
        let mut headers = HeaderMap::new();
        if self.propagates {
            inject_context(&mut headers);
        }
        self.inner.request(method, url).headers(headers)
    }

    /// [`Self::request`] with `GET`.
    pub fn get(&self, url: impl IntoUrl) -> RequestBuilder {
        self.request(Method::GET, url)
    }

    /// [`Self::request`] with `POST`.
    pub fn post(&self, url: impl IntoUrl) -> RequestBuilder {
        self.request(Method::POST, url)
    }

    /// The same client, which calls these services by [`Self::send`] without a socket.
    #[must_use]
    pub fn with_local(mut self, services: &LocalServices) -> Self {
        self.local = services.known();
        self
    }

    /// Sends a request of this client to a service of this project. A service of this process
    /// answers without a socket; `RequestBuilder::send` always uses one.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, SendError> {
        let request = request.build()?;
        let local = self.local.upgrade();
        match local.and_then(|local| local.at(request.url())) {
            Some(service) => local::send(service, request).await,
            None => Ok(self.inner.execute(request).await?),
        }
    }
}

/// The client for the services of this project: follows no redirect, uses no proxy whatever the
/// environment says, and sends the trace context and the request id along.
pub fn http_client() -> Result<HttpClient, reqwest::Error> {
    let inner = builder().no_proxy().build()?;
    Ok(HttpClient {
        inner,
        propagates: true,
        local: local::Known::new(),
    })
}

/// The client for services of others, model providers above all: takes the proxy that the
/// environment names, and sends no trace context.
pub fn external_http_client() -> Result<HttpClient, reqwest::Error> {
    let inner = builder().build()?;
    Ok(HttpClient {
        inner,
        propagates: false,
        local: local::Known::new(),
    })
}

/// Installs ring as the cryptography of every TLS connection of the process. Clients of this crate
/// do so themselves; call it before a library creates a client of its own.
pub fn use_ring() {
    // An error says that a provider was chosen before, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn builder() -> reqwest::ClientBuilder {
    use_ring();
    reqwest::Client::builder()
        .user_agent(concat!("heliograph/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .pool_max_idle_per_host(MOST_IDLE)
        .redirect(redirect::Policy::none())
        .tcp_nodelay(true)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::Barrier;
    use tokio::task::JoinSet;

    use super::*;

    const AT_ONCE: usize = 3 * MOST_IDLE;

    /// Answers requests until the client closes the connection. The first answer waits for the
    /// first requests of all connections.
    async fn answer(mut connection: TcpStream, all: Arc<Barrier>) {
        let mut bytes = [0; 4_096];
        let mut waits = true;
        while connection.read(&mut bytes).await.is_ok_and(|read| read > 0) {
            if std::mem::take(&mut waits) {
                all.wait().await;
            }
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
            connection.write_all(answer).await.unwrap();
        }
    }

    #[tokio::test]
    async fn few_connections_are_kept_after_many_requests_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (opened, open) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let counts = (Arc::clone(&opened), Arc::clone(&open));
        tokio::spawn(async move {
            let all = Arc::new(Barrier::new(AT_ONCE));
            while let Ok((connection, _)) = listener.accept().await {
                let (all, open) = (Arc::clone(&all), Arc::clone(&counts.1));
                counts.0.fetch_add(1, Ordering::SeqCst);
                open.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    answer(connection, all).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        let client = http_client().unwrap();
        let mut requests = JoinSet::new();
        for _ in 0..AT_ONCE {
            let request = client.get(&url);
            requests.spawn(async move { request.send().await.unwrap().text().await.unwrap() });
        }
        assert!(requests.join_all().await.iter().all(|text| text == "ok"));
        tokio::time::timeout(Duration::from_secs(5), async {
            while open.load(Ordering::SeqCst) > MOST_IDLE {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
        .unwrap();
        assert!(open.load(Ordering::SeqCst) > 0, "some are kept");
        client.get(&url).send().await.unwrap();
        assert_eq!(opened.load(Ordering::SeqCst), AT_ONCE, "and used again");
    }
}
