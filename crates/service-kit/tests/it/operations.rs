//! Mounting by contract, health and documents.

use std::time::Duration;

use axum::Router;
use contracts::health::Readiness;
use contracts::openapi::tools::operations;
use http::StatusCode;
use service_kit::config::HttpConfig;
use service_kit::docs;
use service_kit::health::{self, Checks};
use service_kit::web::{OperationExt, Path};

use crate::support::{call, get, post_json, text};

fn limits() -> HttpConfig {
    HttpConfig::on_port(0)
}

#[tokio::test]
async fn handlers_are_mounted_at_the_method_and_path_of_their_operation() {
    let routes: Router = Router::new()
        .operation::<operations::GetTool, _, _>(|Path(name): Path<String>| async move {
            format!("get {name}")
        })
        .operation::<operations::CallTool, _, _>(|Path(name): Path<String>| async move {
            format!("call {name}")
        });
    let got = call(routes.clone(), limits(), get("/api/tools/list_loggers")).await;
    assert_eq!(text(got).await, "get list_loggers");
    let called = call(routes, limits(), post_json("/api/tools/list_loggers", "{}")).await;
    assert_eq!(text(called).await, "call list_loggers");
}

#[tokio::test]
async fn ready_runs_its_checks() {
    let checks = || {
        Checks::new("sample").check("database", || async {
            Ok(Some("PostgreSQL 18".to_owned()))
        })
    };
    let response = call(health::routes(checks()), limits(), get("/health/ready")).await;
    assert_eq!(response.status(), StatusCode::OK);
    let readiness: Readiness = serde_json::from_str(&text(response).await).unwrap();
    assert_eq!(readiness.checks[0].detail.as_deref(), Some("PostgreSQL 18"));

    let failing = checks().check("search", || async { Err("password=hunter2".into()) });
    let routes = health::routes(failing);
    let response = call(routes.clone(), limits(), get("/health/ready")).await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    let body = text(response).await;
    assert!(!body.contains("hunter2"), "{body}");
    let readiness: Readiness = serde_json::from_str(&body).unwrap();
    let failed: Vec<_> = readiness
        .checks
        .iter()
        .filter(|check| !check.ok)
        .map(|check| check.name.as_str())
        .collect();
    assert_eq!(failed, ["search"]);
    let live = call(routes, limits(), get("/health/live")).await;
    assert_eq!(live.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_check_that_does_not_end_fails() {
    let checks = Checks::new("sample")
        .check("database", std::future::pending)
        .timeout(Duration::from_millis(20));
    let readiness = checks.run().await;
    assert!(!readiness.checks[0].ok);
    assert_eq!(
        readiness.checks[0].detail.as_deref(),
        Some("no answer within 20 ms")
    );
}

#[tokio::test]
async fn the_document_and_its_page_are_served_from_the_program() {
    let routes: Router = docs::routes(contracts::openapi::tools_document());
    let document = text(call(routes.clone(), limits(), get("/openapi.json")).await).await;
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["info"]["title"], "Heliograph tools");
    let page = text(call(routes, limits(), get("/docs/")).await).await;
    assert!(page.contains("swagger-ui-bundle.js"), "{page}");
    assert!(
        !page.contains("https://") && !page.contains("http://"),
        "{page}"
    );
}
