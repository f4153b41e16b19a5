//! The orchestrator's routes over HTTP semantics alone: who is let in, what is refused and how. What it answers is tested where the
//! tools service is real, in `services/heliograph`.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use chrono::DateTime;
use contracts::openapi::orchestrator::OrchestratorApi;
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use orchestrator::Config;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use service_kit::clock::{FixedClock, RandomIds};
use service_kit::identity::{Signer, TokenRequest};
use tower::ServiceExt;
use utoipa::OpenApi;

struct Bench {
    router: Router,
    signer: Signer,
    _files: tempfile::TempDir,
}

impl Bench {
    async fn start() -> Self {
        let clock = FixedClock::at(DateTime::from_timestamp(1_800_000_000, 0).unwrap());
        let signer = Signer::generate("heliograph", clock.clone(), RandomIds::shared()).unwrap();
        let files = tempfile::tempdir().unwrap();
        let keys = files.path().join("keys.json");
        std::fs::write(&keys, serde_json::to_vec(&signer.key_set()).unwrap()).unwrap();
        let mut config = Config::default();
        config.identity.key_set_url = None;
        config.identity.key_set_file = Some(keys);
        config.checkpoints.path = files.path().join("checkpoints.sqlite");
        // Nobody listens there.
        config.tools.base_url = "http://127.0.0.1:9".into();
        let app = orchestrator::build(config, Arc::clone(&clock) as _, RandomIds::shared())
            .await
            .unwrap();
        Self {
            router: app.service.router(app.routes),
            signer,
            _files: files,
        }
    }

    fn token(&self, scopes: &[&str], audience: &str) -> String {
        let request = TokenRequest {
            subject: "u-1",
            tenant: "demo",
            scopes,
            audience: &[audience],
        };
        self.signer
            .sign(request)
            .unwrap()
            .token
            .expose_secret()
            .to_owned()
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: String,
    ) -> (StatusCode, Value) {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let response = self
            .router
            .clone()
            .oneshot(request.body(Body::from(body)).unwrap())
            .await
            .unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (
            status,
            serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        )
    }

    async fn chat(&self, body: &Value) -> (StatusCode, Value) {
        let token = self.token(&["chat"], "orchestrator");
        self.call(Method::POST, "/ai/chat", Some(&token), body.to_string())
            .await
    }
}

#[tokio::test]
async fn every_documented_operation_is_there() {
    let bench = Bench::start().await;
    let token = bench.token(&["chat"], "orchestrator");
    let document = serde_json::to_value(OrchestratorApi::openapi()).unwrap();
    let mut seen = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let (status, body) = bench
                .call(method.clone(), path, Some(&token), "{}".to_owned())
                .await;
            assert_ne!(body["code"], "route_not_found", "{method} {path}");
            assert_ne!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
            seen += 1;
        }
    }
    assert_eq!(seen, 3);
}

#[tokio::test]
async fn strangers_and_tokens_for_others_are_refused() {
    let bench = Bench::start().await;
    let body = json!({ "messages": [{ "role": "user", "content": "hi" }] }).to_string();
    let call = async |token: Option<&str>| {
        bench
            .call(Method::POST, "/ai/chat", token, body.clone())
            .await
    };
    assert_eq!(call(None).await.0, StatusCode::UNAUTHORIZED);
    let elsewhere = bench.token(&["chat"], "bff");
    assert_eq!(call(Some(&elsewhere)).await.0, StatusCode::UNAUTHORIZED);
    let without_scope = bench.token(&["tools:read"], "orchestrator");
    let (status, problem) = call(Some(&without_scope)).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::FORBIDDEN, &json!("forbidden"))
    );
}

#[tokio::test]
async fn what_can_not_be_a_message_is_refused() {
    let bench = Bench::start().await;
    let cases = [
        (json!({}), StatusCode::UNPROCESSABLE_ENTITY),
        (
            json!({ "messages": "hi" }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (json!({ "messages": [] }), StatusCode::UNPROCESSABLE_ENTITY),
        (
            json!({ "messages": [{ "role": "robot", "content": "hi" }] }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            json!({ "threadId": "../x", "messages": [{ "role": "user", "content": "hi" }] }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            json!({ "messages": [{ "role": "user", "content": "x".repeat(20_000) }] }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            json!({ "messages": [{ "role": "user", "content": "x".repeat(10 << 20) }] }),
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
    ];
    for (body, expected) in cases {
        let (status, problem) = bench.chat(&body).await;
        let shown: String = body.to_string().chars().take(80).collect();
        assert_eq!(status, expected, "{shown}");
        assert!(problem["requestId"].is_string(), "{shown}: {problem}");
    }
    let token = bench.token(&["chat"], "orchestrator");
    let (status, problem) = bench
        .call(
            Method::POST,
            "/ai/chat",
            Some(&token),
            "{\"messages\": [".to_owned(),
        )
        .await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::BAD_REQUEST, &json!("malformed_request"))
    );
}
