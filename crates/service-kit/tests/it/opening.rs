//! A service that listens before it can work.

use axum::Router;
use axum::routing::get as on_get;
use contracts::health::Readiness;
use http::StatusCode;
use service_kit::config::HttpConfig;
use service_kit::health::{self, Checks};
use service_kit::http_client;
use service_kit::service::{Opening, Service};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::support::{get, post_json, problem, text};

#[tokio::test]
async fn until_it_is_open_a_service_lives_says_what_it_waits_for_and_asks_to_come_back() {
    let opening = Opening::new("sample", HttpConfig::on_port(0));
    let router = opening.router();
    let ask = async |request| router.clone().oneshot(request).await.unwrap();

    assert!(opening.waits_for("the tables are missing: run `heliograph migrate`"));
    assert!(
        !opening.waits_for("the tables are missing: run `heliograph migrate`"),
        "no news"
    );
    assert_eq!(ask(get("/health/live")).await.status(), StatusCode::OK);
    let ready = ask(get("/health/ready")).await;
    assert_eq!(ready.status(), StatusCode::SERVICE_UNAVAILABLE);
    let readiness: Readiness = serde_json::from_str(&text(ready).await).unwrap();
    assert_eq!(readiness.service, "sample");
    assert_eq!(
        readiness.checks[0].detail.as_deref(),
        Some("the tables are missing: run `heliograph migrate`")
    );
    for request in [get("/rows"), post_json("/rows", "{}")] {
        let refused = ask(request).await;
        assert!(refused.headers().contains_key("retry-after"));
        let refused = problem(refused).await;
        assert_eq!(
            (refused.status, refused.code.as_str()),
            (503, "unavailable")
        );
    }

    let checks = Checks::new("sample").check("database", || async { Ok(None) });
    let routes = Router::new()
        .route("/rows", on_get(|| async { "rows" }))
        .merge(health::routes(checks));
    opening.open(&Service::new("sample", HttpConfig::on_port(0)), routes);
    assert_eq!(ask(get("/health/ready")).await.status(), StatusCode::OK);
    assert_eq!(text(ask(get("/rows")).await).await, "rows");
    let wrong = problem(ask(post_json("/rows", "{}")).await).await;
    assert_eq!(wrong.status, 405, "its own frame is around it");
}

#[tokio::test]
async fn a_client_that_is_connected_already_finds_it_open() {
    let opening = Opening::new("sample", HttpConfig::on_port(0));
    let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
    let running = opening.serve(shutdown.clone(), &tasks).await.unwrap();
    let client = http_client().unwrap();
    let url = format!("{}/rows", running.base_url());
    let early = client.get(&url).send().await.unwrap();
    assert_eq!(early.status(), StatusCode::SERVICE_UNAVAILABLE);
    early.bytes().await.unwrap();
    let routes = Router::new().route("/rows", on_get(|| async { "rows" }));
    opening.open(&Service::new("sample", HttpConfig::on_port(0)), routes);
    let answer = client.get(&url).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "rows");
    shutdown.cancel();
    running.stopped().await;
}
