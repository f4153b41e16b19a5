//! Helpers of several tests.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use chrono::DateTime;
use contracts::problem::Problem;
use http::{Request, header};
use http_body_util::BodyExt;
use service_kit::clock::{FixedClock, SequentialIds};
use service_kit::config::HttpConfig;
use service_kit::identity::{Signer, TokenRequest};
use service_kit::service::{RunningService, Service};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// A service that runs until it is stopped.
pub(crate) struct Running {
    pub(crate) service: RunningService,
    pub(crate) shutdown: CancellationToken,
}

/// Serves the routes at a free port.
pub(crate) async fn serve(name: &'static str, http: HttpConfig, routes: Router) -> Running {
    let shutdown = CancellationToken::new();
    let tasks = TaskTracker::new();
    let service = Service::new(name, http)
        .serve(routes, shutdown.clone(), &tasks)
        .await
        .unwrap();
    Running { service, shutdown }
}

/// Calls a framed router in-process.
pub(crate) async fn call(routes: Router, http: HttpConfig, request: Request<Body>) -> Response {
    let service = Service::new("sample", http).ids(Arc::new(SequentialIds::default()));
    service.router(routes).oneshot(request).await.unwrap()
}

/// A GET request.
pub(crate) fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

/// A POST request with a JSON body.
pub(crate) fn post_json(path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(path)
        .header(header::CONTENT_TYPE, "application/json")
        .body(body.into())
        .unwrap()
}

/// The problem in a response, having checked that it is one.
pub(crate) async fn problem(response: Response) -> Problem {
    assert_eq!(
        response.headers()[header::CONTENT_TYPE],
        "application/problem+json"
    );
    let (status, id) = (
        response.status(),
        response.headers()["x-request-id"]
            .to_str()
            .unwrap()
            .to_owned(),
    );
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let problem: Problem = serde_json::from_slice(&body).unwrap();
    assert_eq!(problem.status, status.as_u16());
    assert_eq!(problem.request_id.as_deref(), Some(id.as_str()));
    problem
}

/// The text of a response.
pub(crate) async fn text(response: Response) -> String {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

/// A clock that stands still.
pub(crate) fn clock() -> Arc<FixedClock> {
    FixedClock::at(DateTime::from_timestamp(1_700_000_000, 0).unwrap())
}

/// A signer with a new key.
pub(crate) fn signer(clock: &Arc<FixedClock>) -> Signer {
    Signer::generate(
        "heliograph",
        clock.clone(),
        Arc::new(SequentialIds::default()),
    )
    .unwrap()
}

/// A token for the tools service.
pub(crate) fn token_for(signer: &Signer, audience: &[&str], scopes: &[&str]) -> String {
    use secrecy::ExposeSecret;
    let request = TokenRequest {
        subject: "u-1",
        tenant: "demo",
        scopes,
        audience,
    };
    signer
        .sign(request)
        .unwrap()
        .token
        .expose_secret()
        .to_owned()
}
