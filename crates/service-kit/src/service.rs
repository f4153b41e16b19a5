//! A router becomes a service: framed, bound, served, drained, stopped.
//!
//! The frame around each request, from the outside in: compression of the answer, CORS, request id
//! and trace context, a span, the check of the host, the panic catcher, the time-out until the
//! answer begins, the body limit, then whatever layers the router has of its own. Bare errors of
//! axum become problems on the way out.

mod activity;
mod bare_errors;
mod capacity;
mod compression;
mod connections;
mod cors;
mod frame;
mod hosts;
mod local;
mod opening;
mod refused;
mod signals;
mod upload;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use http::HeaderValue;
use http_client::LocalService;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::client_address::TrustedProxies;
use crate::clock::{RandomIds, SharedIds};
use crate::config::HttpConfig;

pub use opening::Opening;
pub use signals::{cancel_on_signal, shutdown_signal};

/// Why a service could not be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken, or does not belong to this machine.
    #[error("cannot listen at {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// Handlers for signals cannot be installed.
    #[error("cannot listen for signals")]
    Signals(#[source] std::io::Error),
}

/// A service to be: its name and its limits.
#[derive(Clone)]
pub struct Service {
    name: &'static str,
    http: HttpConfig,
    slow: HashMap<&'static str, Duration>,
    ids: SharedIds,
    cors: Option<cors::Cors>,
}

/// A service that listens.
#[derive(Debug)]
pub struct RunningService {
    router: Router,
    /// The address of the listener, with the assigned port if the configured port is 0.
    pub local_addr: SocketAddr,
    /// Ends when the service has stopped: all requests answered or cut.
    pub handle: JoinHandle<()>,
}

impl RunningService {
    /// `http://address:port`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.local_addr)
    }

    /// The service as other services of this process call it, without a socket. The limits on
    /// connections do not count for them.
    pub fn local(&self) -> LocalService {
        local::service(self.router.clone())
    }

    /// Waits until the service has stopped.
    pub async fn stopped(self) {
        if let Err(error) = self.handle.await {
            tracing::error!(%error, "a service ended out of turn");
        }
    }
}

impl Service {
    /// A service with the given limits. The name is in the span of each request.
    pub fn new(name: &'static str, http: HttpConfig) -> Self {
        Self {
            name,
            http,
            slow: HashMap::new(),
            ids: RandomIds::shared(),
            cors: None,
        }
    }

    /// Gives one route (as it was mounted, `/api/threads/{id}`) a time-out of its own.
    #[must_use]
    pub fn timeout_for(mut self, route: &'static str, timeout: Duration) -> Self {
        self.slow.insert(route, timeout);
        self
    }

    /// Takes request ids from this source.
    #[must_use]
    pub fn ids(mut self, ids: SharedIds) -> Self {
        self.ids = ids;
        self
    }

    /// Lets pages of these origins send requests with credentials, and see these headers of
    /// answers.
    #[must_use]
    pub fn cross_origin(mut self, origins: Vec<String>, exposed: &'static str) -> Self {
        let exposed = HeaderValue::from_static(exposed);
        self.cors = (!origins.is_empty()).then(|| cors::Cors::new(origins, exposed));
        self
    }

    /// The routes with the frame around them: what [`Self::serve`] serves, and what a test calls
    /// in-process. A route that reads more than `body_limit_bytes` has a `DefaultBodyLimit` layer
    /// of its own.
    pub fn router(&self, routes: Router) -> Router {
        let frame = frame::Frame {
            service: self.name,
            timeout: self.http.request_timeout(),
            slow: self.slow.clone(),
            ids: Arc::clone(&self.ids),
            hosts: hosts::Hosts::new(&self.http),
            proxies: self.proxies(),
        };
        let framed = routes
            .layer(DefaultBodyLimit::max(self.http.body_limit_bytes))
            .layer(middleware::from_fn_with_state(
                Arc::new(frame),
                frame::around,
            ));
        let framed = match &self.cors {
            Some(cors) => framed.layer(middleware::from_fn_with_state(cors.clone(), cors::around)),
            None => framed,
        };
        framed.layer(compression::layer())
    }

    fn proxies(&self) -> TrustedProxies {
        // The configuration was checked; one that was not trusts no proxy.
        TrustedProxies::parse(&self.http.trusted_proxies).unwrap_or_default()
    }

    /// Binds, then serves on `tasks` until `shutdown`. When this returns, connections are accepted.
    pub async fn serve(
        &self,
        routes: Router,
        shutdown: CancellationToken,
        tasks: &TaskTracker,
    ) -> Result<RunningService, Error> {
        self.listen(self.router(routes), shutdown, tasks).await
    }

    /// Binds, then serves a router that has its frame.
    async fn listen(
        &self,
        router: Router,
        shutdown: CancellationToken,
        tasks: &TaskTracker,
    ) -> Result<RunningService, Error> {
        let address = self.http.socket_address();
        let bind_error = |source| Error::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(bind_error)?;
        let local_addr = listener.local_addr().map_err(bind_error)?;
        let handle = self.accept(listener, router.clone(), shutdown, tasks);
        Ok(RunningService {
            router,
            local_addr,
            handle,
        })
    }

    /// Serves a router as it is, within the limits on connections.
    pub(crate) fn accept(
        &self,
        listener: TcpListener,
        router: Router,
        shutdown: CancellationToken,
        tasks: &TaskTracker,
    ) -> JoinHandle<()> {
        let keeping = connections::Keeping {
            idle: self.http.idle_timeout(),
            drain: self.http.drain_timeout(),
            ids: Arc::clone(&self.ids),
        };
        let capacity = capacity::Capacity::new(&self.http, self.proxies());
        tasks.spawn(connections::serve(
            listener, router, shutdown, capacity, keeping,
        ))
    }
}
