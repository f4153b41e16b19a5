//! The way out: the HTTP client of a process, and what ties a request that it sends to the request
//! being answered.
//!
//! Every connection is made by rustls with the cryptography of ring.

pub mod context;
pub mod guarded;

use std::time::Duration;

use http::{HeaderMap, Method};
use reqwest::{IntoUrl, RequestBuilder, redirect};

use context::inject_context;

/// Long enough for a handshake across continents, short enough that a person still waits.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Below the usual idle time-out of servers and load balancers, so that requests are rarely written
/// to a connection being closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// An HTTP client that ties what it sends to the request being answered. Cheap to clone; clones
/// share their connections.
#[derive(Debug, Clone)]
pub struct HttpClient {
    inner: reqwest::Client,
    propagates: bool,
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
}

/// The client for the services of this project: follows no redirect, uses no proxy whatever the
/// environment says, and sends the trace context and the request id along.
pub fn http_client() -> Result<HttpClient, reqwest::Error> {
    let inner = builder().no_proxy().build()?;
    Ok(HttpClient {
        inner,
        propagates: true,
    })
}

/// The client for services of others, model providers above all: takes the proxy that the
/// environment names, and sends no trace context.
pub fn external_http_client() -> Result<HttpClient, reqwest::Error> {
    let inner = builder().build()?;
    Ok(HttpClient {
        inner,
        propagates: false,
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
        .redirect(redirect::Policy::none())
        .tcp_nodelay(true)
}
