//! Metrics: recorded with OpenTelemetry's API, and shown to Prometheus at `/metrics`.
//!
//! The names follow OpenTelemetry's semantic conventions where there is one (`http.server.…`,
//! `db.client.…`, `gen_ai.client.…`); the product's own begin with `heliograph.`. Prometheus sees
//! them with underscores and units (`http_server_request_duration_seconds`).

use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{Method, StatusCode};
use opentelemetry::metrics::{Gauge, Histogram, Meter, UpDownCounter};
use opentelemetry::{KeyValue, global};
use prometheus::{Encoder, Registry, TextEncoder};
use sqlx::PgPool;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::HttpConfig;
use crate::service::Service;

/// Bounds of histograms of durations, s: OpenTelemetry's for HTTP, with finer ones for quick tools
/// and coarser ones for answers of models.
pub const DURATIONS: [f64; 17] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0,
    30.0, 120.0,
];

/// Connections to the listener of metrics. What is open there takes files from the service.
const CONNECTIONS: usize = 32;

/// The meter of the product.
pub fn meter() -> Meter {
    global::meter("heliograph")
}

/// The requests of a service.
struct Requests {
    duration: Histogram<f64>,
    active: UpDownCounter<i64>,
}

static REQUESTS: LazyLock<Requests> = LazyLock::new(|| Requests {
    duration: meter()
        .f64_histogram("http.server.request.duration")
        .with_unit("s")
        .with_description("Time until the head of a response, by route and status.")
        .with_boundaries(DURATIONS.to_vec())
        .build(),
    active: meter()
        .i64_up_down_counter("http.server.active_requests")
        .with_description("Requests whose response has not begun.")
        .build(),
});

/// A request from its arrival to the head of its response. A request that is dropped before it is
/// answered is no longer active, and its duration is not recorded.
pub(crate) struct ObservedRequest {
    service: KeyValue,
    method: KeyValue,
}

impl ObservedRequest {
    pub(crate) fn begin(service: &'static str, method: &Method) -> Self {
        let request = Self {
            service: KeyValue::new("heliograph.service", service),
            method: KeyValue::new("http.request.method", known_method(method)),
        };
        REQUESTS.active.add(1, &request.attributes());
        request
    }

    fn attributes(&self) -> [KeyValue; 2] {
        [self.service.clone(), self.method.clone()]
    }

    /// Records the response. Requests without a route share one series, because their paths are the
    /// client's invention.
    pub(crate) fn answered(self, route: Option<&str>, status: StatusCode, elapsed: Duration) {
        let route = route.unwrap_or("unknown").to_owned();
        let [service, method] = self.attributes();
        let attributes = [
            service,
            method,
            KeyValue::new("http.route", route),
            KeyValue::new("http.response.status_code", i64::from(status.as_u16())),
        ];
        REQUESTS.duration.record(elapsed.as_secs_f64(), &attributes);
    }
}

impl Drop for ObservedRequest {
    fn drop(&mut self) {
        REQUESTS.active.add(-1, &self.attributes());
    }
}

/// The method's name, or `_OTHER`: clients may send any word.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "_OTHER",
    }
}

/// Whether services of this process were ready when they were asked last.
static READY: LazyLock<Gauge<u64>> = LazyLock::new(|| {
    meter()
        .u64_gauge("heliograph.ready")
        .with_description("1 when the last readiness probe found everything, 0 if not.")
        .build()
});

/// Records the answer to a readiness probe.
pub(crate) fn probed(service: &str, is_ready: bool) {
    let service = KeyValue::new("heliograph.service", service.to_owned());
    READY.record(u64::from(is_ready), &[service]);
}

/// Shows the connections of a pool: `idle` and `used`, and the maximum.
pub fn observe_pool(name: &'static str, pool: &PgPool) {
    let pool_name = KeyValue::new("db.client.connection.pool.name", name);
    let (watched, labels) = (pool.clone(), pool_name.clone());
    meter()
        .i64_observable_gauge("db.client.connection.count")
        .with_description("Connections to the service's database, by state.")
        .with_callback(move |observer| {
            let (size, idle) = (i64::from(watched.size()), count(watched.num_idle()));
            for (state, number) in [("idle", idle), ("used", (size - idle).max(0))] {
                let state = KeyValue::new("db.client.connection.state", state);
                observer.observe(number, &[labels.clone(), state]);
            }
        })
        .build();
    let max = i64::from(pool.options().get_max_connections());
    meter()
        .i64_observable_gauge("db.client.connection.max")
        .with_description("Maximum number of connections to the service's database.")
        .with_callback(move |observer| observer.observe(max, std::slice::from_ref(&pool_name)))
        .build();
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Shows the version of this process.
pub(super) fn describe_build() {
    meter()
        .i64_observable_gauge("heliograph.build.info")
        .with_description("1, with the version of this process.")
        .with_callback(|observer| {
            observer.observe(1, &[KeyValue::new("version", env!("CARGO_PKG_VERSION"))]);
        })
        .build();
}

/// Why the metrics cannot be served.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen for Prometheus at {address}; change telemetry.metrics_address")]
pub struct ListenError {
    address: String,
    source: std::io::Error,
}

/// Serves `GET /metrics` at an address of its own until `shutdown`. Returns the address.
pub(super) async fn serve(
    address: &str,
    registry: Registry,
    shutdown: CancellationToken,
    tasks: &TaskTracker,
) -> Result<SocketAddr, ListenError> {
    let failed = |source| ListenError {
        address: address.to_owned(),
        source,
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let local = listener.local_addr().map_err(failed)?;
    let routes = Router::new()
        .route("/metrics", get(page))
        .with_state(registry);
    let http = HttpConfig {
        max_connections: CONNECTIONS,
        max_connections_per_address: CONNECTIONS,
        ..HttpConfig::on_port(local.port())
    };
    Service::new("metrics", http).accept(listener, routes, shutdown, tasks);
    Ok(local)
}

async fn page(State(registry): State<Registry>) -> Response {
    let encoder = TextEncoder::new();
    let mut text = Vec::new();
    match encoder.encode(&registry.gather(), &mut text) {
        Ok(()) => ([(CONTENT_TYPE, encoder.format_type().to_owned())], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
