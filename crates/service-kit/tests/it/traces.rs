//! One trace over two services, exported to a collector that decodes it.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::{get, post};
use contracts::problem::Problem;
use http::StatusCode;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use service_kit::config::{HttpConfig, LogFormat, TelemetryConfig};
use service_kit::http_client;
use service_kit::problem::ApiError;
use service_kit::telemetry;
use test_support::callsites::register_callsites;
use tracing::Instrument;

use crate::lines::Lines;
use crate::support::{call, get as request, serve};

type Exports = Arc<Mutex<Vec<ExportTraceServiceRequest>>>;

async fn collect(State(exports): State<Exports>, body: Bytes) -> StatusCode {
    let export = ExportTraceServiceRequest::decode(body).unwrap();
    exports.lock().unwrap().push(export);
    StatusCode::OK
}

fn attribute<'a>(attributes: &'a [KeyValue], key: &str) -> Option<&'a str> {
    let value = attributes
        .iter()
        .find(|attribute| attribute.key == key)?
        .value
        .as_ref();
    match value {
        Some(AnyValue {
            value: Some(Value::StringValue(text)),
        }) => Some(text),
        _ => None,
    }
}

fn spans(exports: &Exports) -> Vec<Span> {
    let exports = exports.lock().unwrap();
    let resources = exports.iter().flat_map(|export| &export.resource_spans);
    resources
        .flat_map(|resource| &resource.scope_spans)
        .flat_map(|scope| scope.spans.clone())
        .collect()
}

/// A collector, and what it has collected.
async fn collector() -> (String, Exports) {
    let exports = Exports::default();
    // The collector is not framed: its own requests must not be part of what it collects.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let sink = Router::new()
        .route("/v1/traces", post(collect))
        .with_state(Arc::clone(&exports));
    tokio::spawn(async move { axum::serve(listener, sink).await });
    (endpoint, exports)
}

#[tokio::test]
async fn with_a_directive_for_a_target_every_span_reaches_the_collector() {
    const REQUESTS: usize = 100;
    for filter in ["warn", "info,orchestrator=debug", "debug"] {
        let (endpoint, exports) = collector().await;
        let config = TelemetryConfig {
            otlp_endpoint: Some(endpoint),
            log_filter: filter.to_owned(),
            ..TelemetryConfig::named("heliograph")
        };
        let (subscriber, telemetry) =
            telemetry::subscriber(&config, Lines::default().writer()).unwrap();
        let work = get(|| async {
            let _ = tracing::enabled!(target: "sqlx::query", tracing::Level::DEBUG);
            let _ = tracing::enabled!(target: "sqlx::query", tracing::Level::INFO);
            async { tracing::info!("worked") }
                .instrument(tracing::info_span!("work"))
                .await;
        });
        let routes = Router::new().route("/", work);
        register_callsites(call(routes.clone(), HttpConfig::on_port(0), request("/"))).await;
        let on_this_thread = tracing::subscriber::set_default(subscriber);
        for _ in 0..REQUESTS {
            let asked = request("/");
            call(routes.clone(), HttpConfig::on_port(0), asked).await;
        }
        drop(on_this_thread);
        telemetry.shutdown().await;
        let spans = spans(&exports);
        for name in ["GET /", "work"] {
            let named: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
            assert_eq!(named.len(), REQUESTS, "{filter} {name}");
            assert!(named.iter().all(|span| span.events.len() == 1), "{filter}");
        }
        assert_eq!(spans.len(), 2 * REQUESTS, "{filter}: none of the export");
    }
}

#[tokio::test]
async fn one_trace_spans_both_services_and_reaches_the_collector() {
    let (endpoint, exports) = collector().await;
    let config = TelemetryConfig {
        otlp_endpoint: Some(endpoint),
        ..TelemetryConfig::named("heliograph")
    };
    let (subscriber, telemetry) =
        telemetry::subscriber(&config, Lines::default().writer()).unwrap();
    let before = call(Router::new(), HttpConfig::on_port(0), request("/nowhere"));
    register_callsites(before).await;
    let on_this_thread = tracing::subscriber::set_default(subscriber);

    let back = serve(
        "back",
        HttpConfig::on_port(0),
        Router::new().route("/deep", get(|| async { "deep" })),
    )
    .await;
    let url = format!("{}/deep", back.service.base_url());
    let ask_back = get(move || {
        let request = async move {
            http_client()
                .unwrap()
                .get(url)
                .send()
                .await
                .unwrap()
                .text()
                .await
                .unwrap()
        };
        request.instrument(tracing::info_span!("ask back", otel.kind = "client"))
    });
    let front = serve(
        "front",
        HttpConfig::on_port(0),
        Router::new().route("/ask/{who}", ask_back),
    )
    .await;
    let request = http_client()
        .unwrap()
        .get(format!("{}/ask/me", front.service.base_url()));
    assert_eq!(request.send().await.unwrap().text().await.unwrap(), "deep");
    // A client may have its answer before the server has ended the span of it.
    for running in [front, back] {
        running.shutdown.cancel();
        running.service.stopped().await;
    }
    drop(on_this_thread);
    telemetry.shutdown().await;

    let service_name = {
        let exports = exports.lock().unwrap();
        let resource = exports[0].resource_spans[0].resource.clone().unwrap();
        attribute(&resource.attributes, "service.name").map(str::to_owned)
    };
    assert_eq!(service_name.as_deref(), Some("heliograph"));
    let spans = spans(&exports);
    let named = |name: &str| {
        spans
            .iter()
            .find(|span| span.name == name)
            .unwrap_or_else(|| panic!("no span {name}"))
    };
    let (outer, call, inner) = (
        named("GET /ask/{who}"),
        named("ask back"),
        named("GET /deep"),
    );
    assert!(outer.parent_span_id.is_empty());
    assert_eq!(call.parent_span_id, outer.span_id);
    assert_eq!(inner.parent_span_id, call.span_id);
    assert!(spans.iter().all(|span| span.trace_id == outer.trace_id));
    assert_eq!(
        attribute(&outer.attributes, "heliograph.service"),
        Some("front")
    );
    assert_eq!(
        attribute(&inner.attributes, "heliograph.service"),
        Some("back")
    );
    assert_eq!(attribute(&inner.attributes, "http.route"), Some("/deep"));
    assert_eq!(
        attribute(&inner.attributes, "request_id"),
        attribute(&outer.attributes, "request_id"),
        "the request id travels too"
    );
}

#[tokio::test]
async fn without_a_collector_a_problem_s_trace_id_still_finds_its_log_line() {
    let lines = Lines::default();
    let config = TelemetryConfig {
        log_format: LogFormat::Json,
        ..TelemetryConfig::named("sample")
    };
    let (subscriber, telemetry) = telemetry::subscriber(&config, lines.writer()).unwrap();
    let on_this_thread = tracing::subscriber::set_default(subscriber);
    let fails = get(|| async { ApiError::internal(std::io::Error::other("the disk is full")) });
    let running = serve(
        "sample",
        HttpConfig::on_port(0),
        Router::new().route("/", fails),
    )
    .await;
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let request = http_client()
        .unwrap()
        .get(running.service.base_url())
        .header("traceparent", parent);
    let problem: Problem = request.send().await.unwrap().json().await.unwrap();
    drop(on_this_thread);
    telemetry.shutdown().await;

    assert_eq!(
        problem.trace_id.as_deref(),
        Some("0af7651916cd43dd8448eb211c80319c")
    );
    let text = lines.text();
    let caused: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("the disk is full"))
        .collect();
    assert_eq!(caused.len(), 1, "logged once: {text}");
    assert!(
        caused[0].contains("0af7651916cd43dd8448eb211c80319c"),
        "{text}"
    );
    assert!(
        caused[0].contains(problem.request_id.as_deref().unwrap()),
        "{text}"
    );
}
