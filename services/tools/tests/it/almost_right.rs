//! Every operation with every value replaced by what no handler should see.

use axum::body::Body;
use futures::StreamExt;
use http::Request;
use http_body_util::BodyExt;
use test_support::openapi::{Probe, probes};
use tower::ServiceExt;

use crate::harness::{App, TENANT, database};

const SCOPES: [&str; 4] = [
    "tools:read",
    "measurements:write",
    "documents:write",
    "questions:approve",
];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_almost_right_is_refused_with_a_pointer_and_never_fails() {
    let database = database().await;
    // This is about values: on a busy machine a connection may take its time.
    let app = App::configured(database.url(), "2026-06-01T12:00:00Z", |config| {
        config.database.acquire_timeout_ms = 30_000;
    });
    let token = app.token(TENANT, &SCOPES);
    let document = contracts::openapi::tools_document();
    let probes = probes(&document, |name| match name {
        "name" => "list_loggers".to_owned(),
        "upstream" => "inventory".to_owned(),
        _ => "00000000-0000-7000-8000-000000000001".to_owned(),
    });
    assert!(probes.len() > 1500, "{} probes", probes.len());
    let answers = futures::stream::iter(probes).map(|probe| send(&app, &token, probe));
    let faults: Vec<String> = answers
        .buffer_unordered(4)
        .filter_map(|fault| async { fault })
        .collect()
        .await;
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

async fn send(app: &App, token: &str, probe: Probe) -> Option<String> {
    let request = Request::builder()
        .method(probe.method.as_str())
        .uri(&probe.path)
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {token}"))
        .body(Body::from(probe.body.clone().unwrap_or_default()))
        .unwrap();
    let response = app.router().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let content_type = response.headers().get("content-type");
    let content_type = content_type
        .map_or("", |value| value.to_str().unwrap())
        .to_owned();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    probe.judge(status, &content_type, &body)
}
