//! What Prometheus reads at `/metrics`, and what a collector receives beside traces.
//!
//! A program of its own: its meters and its log are the process's.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue fails here, helpers included"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::routing::{get, post};
use http::Request;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use prost::Message;
use service_kit::client::http_client;
use service_kit::config::{HttpConfig, Signal, TelemetryConfig, Validate};
use service_kit::service::Service;
use service_kit::telemetry;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

/// The text of `/metrics`.
async fn scrape(address: std::net::SocketAddr) -> String {
    let url = format!("http://{address}/metrics");
    let response = http_client().unwrap().get(url).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let content_type = response.headers()["content-type"].to_str().unwrap();
    assert!(content_type.starts_with("text/plain"), "{content_type}");
    response.text().await.unwrap()
}

/// The value of the series that has all these labels.
fn value(text: &str, name: &str, labels: &[&str]) -> Option<f64> {
    text.lines()
        .filter(|line| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(['{', ' ']))
        })
        .find(|line| labels.iter().all(|label| line.contains(label)))
        .and_then(|line| line.rsplit(' ').next()?.parse().ok())
}

fn service(name: &'static str) -> Service {
    Service::new(name, HttpConfig::on_port(0))
}

type Received = Arc<Mutex<BTreeMap<String, Vec<Bytes>>>>;

/// A collector that accepts every signal. Its URL.
async fn collector() -> (String, Received) {
    let received = Received::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let accept =
        async |State(received): State<Received>, Path(signal): Path<String>, body: Bytes| {
            received
                .lock()
                .unwrap()
                .entry(signal)
                .or_default()
                .push(body);
        };
    let sink = Router::new()
        .route("/v1/{signal}", post(accept))
        .with_state(Arc::clone(&received));
    tokio::spawn(async move { axum::serve(listener, sink).await });
    (endpoint, received)
}

/// The meter provider is the process's, so one test has everything that records.
#[tokio::test]
async fn requests_are_counted_for_prometheus_and_sent_with_the_log_to_a_collector() {
    let (endpoint, received) = collector().await;
    let config = TelemetryConfig {
        metrics_address: Some("127.0.0.1:0".to_owned()),
        otlp_endpoint: Some(endpoint),
        otlp_signals: vec![Signal::Metrics, Signal::Logs],
        ..TelemetryConfig::named("sample")
    };
    config.validate().unwrap();
    let mut telemetry = telemetry::start(&config).unwrap();
    let address = telemetry.serve_metrics().await.unwrap().unwrap();

    let fails = get(|| async { axum::http::StatusCode::BAD_GATEWAY });
    let routes = Router::new()
        .route("/things/{id}", get(|| async { "thing" }))
        .route("/fails", fails);
    for path in [
        "/things/1",
        "/things/2",
        "/fails",
        "/../etc/passwd",
        "/nowhere",
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let framed = service("sample").router(routes.clone());
        framed.oneshot(request).await.unwrap();
    }
    let text = scrape(address).await;
    let requests = "http_server_request_duration_seconds_count";
    let counted = |route: &str, status: &str| {
        let route = format!("http_route=\"{route}\"");
        let status = format!("http_response_status_code=\"{status}\"");
        value(&text, requests, &[&route, &status])
    };
    assert_eq!(counted("/things/{id}", "200"), Some(2.0), "{text}");
    assert_eq!(counted("/fails", "502"), Some(1.0), "{text}");
    assert_eq!(counted("unknown", "404"), Some(2.0), "{text}");
    assert!(!text.contains("passwd"), "{text}");
    let version = format!("version=\"{}\"", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        value(&text, "heliograph_build_info", &[&version]),
        Some(1.0)
    );
    assert!(text.contains("service_name=\"sample\""), "{text}");
    assert!(text.contains("service_instance_id="), "{text}");

    // A request that waits is active, also when the process has to stop; one whose client went
    // away is not.
    let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
    let slow = Router::new().route("/slow", get(std::future::pending::<()>));
    let slow = service("slow")
        .serve(slow, shutdown.clone(), &tasks)
        .await
        .unwrap();
    let url = format!("{}/slow", slow.base_url());
    let waiting = tokio::spawn(http_client().unwrap().get(url).send());
    let active = async || {
        let text = scrape(address).await;
        value(&text, "http_server_active_requests", &["\"slow\""]).unwrap_or_default()
    };
    while active().await < 1.0 {
        tokio::task::yield_now().await;
    }
    shutdown.cancel();
    assert!(active().await >= 1.0, "a process that drains is measured");
    waiting.abort();
    while active().await > 0.0 {
        tokio::task::yield_now().await;
    }
    tasks.close();
    tasks.wait().await;

    tracing::info!(answer = 42, "a line for the collector");
    telemetry.shutdown().await;
    let closed = tokio::net::TcpStream::connect(address).await;
    assert!(closed.is_err(), "nothing listens any more");
    let received = received.lock().unwrap();
    assert!(!received.contains_key("traces"), "traces are not sent");
    let metrics: Vec<String> = received["metrics"]
        .iter()
        .map(|body| ExportMetricsServiceRequest::decode(body.clone()).unwrap())
        .flat_map(|request| request.resource_metrics)
        .flat_map(|resource| resource.scope_metrics)
        .flat_map(|scope| scope.metrics)
        .map(|metric| metric.name)
        .collect();
    let expected = "http.server.request.duration".to_owned();
    assert!(metrics.contains(&expected), "{metrics:?}");
    let lines = received["logs"]
        .iter()
        .map(|body| ExportLogsServiceRequest::decode(body.clone()).unwrap());
    let lines: Vec<String> = lines.map(|request| format!("{request:?}")).collect();
    assert!(
        lines
            .iter()
            .any(|line| line.contains("a line for the collector")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn the_address_of_metrics_is_checked() {
    for (address, is_valid) in [
        ("0.0.0.0:9464", true),
        ("[::]:9464", true),
        ("9464", false),
        ("localhost:9464", false),
    ] {
        let config = TelemetryConfig {
            metrics_address: Some(address.to_owned()),
            ..TelemetryConfig::named("sample")
        };
        assert_eq!(config.validate().is_ok(), is_valid, "{address}");
    }
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = TelemetryConfig {
        metrics_address: Some(taken.local_addr().unwrap().to_string()),
        ..TelemetryConfig::named("sample")
    };
    let writer = BoxMakeWriter::new(std::io::sink);
    let (_subscriber, mut telemetry) = telemetry::subscriber(&config, writer).unwrap();
    let refused = telemetry.serve_metrics().await;
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("telemetry.metrics_address"), "{message}");
}
