//! Three processes, one trace; and nothing in it that must not leave.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use heliograph::chat::ChatClient;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message;
use secrecy::SecretString;
use xtask::load::Processes;

use crate::binaries::binaries;
use crate::demo_stack::{PASSWORD, admin, ask, config, demo_database};

/// A span as it was exported.
#[derive(Debug, Clone)]
pub(crate) struct Exported {
    pub(crate) service: String,
    pub(crate) name: String,
    pub(crate) trace: Vec<u8>,
    pub(crate) id: Vec<u8>,
    pub(crate) parent: Vec<u8>,
    pub(crate) kind: SpanKind,
    /// In nanoseconds of the Unix time.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) attributes: BTreeMap<String, String>,
    /// The attributes of the process.
    pub(crate) resource: BTreeMap<String, String>,
    pub(crate) whole: String,
}

pub(crate) type Sink = Arc<Mutex<Vec<Exported>>>;

#[tokio::test(flavor = "multi_thread")]
async fn one_question_is_one_trace_over_three_services() {
    let database = demo_database().await;
    let files = tempfile::tempdir().unwrap();
    let url = SecretString::from(database.url());
    let mut stack = config(&url, files.path());
    stack.introduce().unwrap();
    let accounts = admin(&stack);
    accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
    accounts.close().await;

    let sink = Sink::default();
    let collector = collect(sink.clone()).await;
    let http = service_kit::http_client().unwrap();
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.as_str())];
    let processes = Processes::start(&binaries(), &stack, &url, files.path(), &environment, &http)
        .await
        .unwrap();
    let bff_url = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let (user, refresh_token) = ChatClient::sign_in(http, &bff_url, "demo", &PASSWORD.into())
        .await
        .unwrap();
    let reply = ask(&user, "t-traced", "Check the health of LTI-INV-001").await;
    assert!(!reply.text().is_empty());
    processes.stop().await;

    let spans = sink.lock().unwrap().clone();
    let find = |service: &str, name: &str| {
        let found = spans
            .iter()
            .find(|span| span.service == service && span.name == name);
        found
            .unwrap_or_else(|| panic!("no {name} of {service} among {:?}", names(&spans)))
            .clone()
    };
    let at_bff = find("bff", "POST /api/chat");
    let at_orchestrator = find("orchestrator", "POST /ai/chat");
    let at_tools = find("tools", "POST /api/tools/{name}");
    assert_eq!(at_orchestrator.trace, at_bff.trace);
    assert_eq!(at_tools.trace, at_bff.trace);
    assert!(
        descends(&spans, &at_orchestrator, &at_bff),
        "the orchestrator's span is below the bff's"
    );
    assert!(
        descends(&spans, &at_tools, &at_orchestrator),
        "the tools service's span is below the orchestrator's"
    );

    let secret = secrecy::ExposeSecret::expose_secret(&refresh_token).to_owned();
    for span in &spans {
        for forbidden in [PASSWORD, secret.as_str(), "eyJ", "Check the health"] {
            assert!(
                !span.whole.contains(forbidden),
                "{forbidden} in {}",
                span.whole
            );
        }
    }
}

fn names(spans: &[Exported]) -> Vec<String> {
    spans
        .iter()
        .map(|span| format!("{} {}", span.service, span.name))
        .collect()
}

pub(crate) fn descends(spans: &[Exported], span: &Exported, ancestor: &Exported) -> bool {
    let mut current = span;
    while current.id != ancestor.id {
        match spans.iter().find(|span| span.id == current.parent) {
            Some(parent) => current = parent,
            None => return false,
        }
    }
    true
}

/// An OTLP/HTTP collector that keeps what it gets.
pub(crate) async fn collect(sink: Sink) -> String {
    let routes = Router::new()
        .route("/v1/traces", post(receive))
        .with_state(sink);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

async fn receive(State(sink): State<Sink>, body: Bytes) -> Bytes {
    let request = ExportTraceServiceRequest::decode(body).unwrap();
    let mut kept = sink.lock().unwrap();
    for resource_spans in request.resource_spans {
        let resource = resource_spans.resource.unwrap_or_default();
        let resource = texts(&resource.attributes);
        let service = resource["service.name"].clone();
        for span in resource_spans
            .scope_spans
            .into_iter()
            .flat_map(|scope| scope.spans)
        {
            let whole = format!("{span:?}");
            kept.push(Exported {
                service: service.clone(),
                kind: span.kind(),
                attributes: texts(&span.attributes),
                resource: resource.clone(),
                start: span.start_time_unix_nano,
                end: span.end_time_unix_nano,
                name: span.name,
                trace: span.trace_id,
                id: span.span_id,
                parent: span.parent_span_id,
                whole,
            });
        }
    }
    Bytes::new()
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let texts = attributes.iter().map(|attribute| {
        let value = attribute.value.as_ref().and_then(|any| any.value.as_ref());
        let value = match value {
            Some(Value::StringValue(text)) => text.clone(),
            Some(Value::IntValue(number)) => number.to_string(),
            Some(Value::DoubleValue(number)) => number.to_string(),
            Some(Value::BoolValue(truth)) => truth.to_string(),
            other => format!("{other:?}"),
        };
        (attribute.key.clone(), value)
    });
    texts.collect()
}
