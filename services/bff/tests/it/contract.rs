//! The operations in the OpenAPI document exist, and are closed to strangers.

use axum::body::Body;
use http::{Method, Request, StatusCode};
use serde_json::json;

use crate::bench::{Bench, With, get, post};

/// Open to all users: signing in, the keys, health and the document.
const PUBLIC: [&str; 8] = [
    "/auth/oidc/{issuer}/logout",
    "/auth/sign-in",
    "/auth/login",
    "/auth/token",
    "/auth/refresh",
    "/.well-known/jwks.json",
    "/health/live",
    "/health/ready",
];

#[tokio::test]
async fn every_documented_operation_exists_and_wants_a_credential() {
    let bench = Bench::start().await;
    let document = contracts::openapi::bff_document();
    let mut seen = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let request = Request::builder().method(method.clone()).uri(
                path.replace("{name}", "list_loggers")
                    .replace("{thread_id}", "t1")
                    .replace("{run_id}", "r1")
                    .replace("{question_id}", "q1")
                    .replace("{username}", "ada")
                    .replace("{id}", "d1")
                    .replace("{upstream}", "u1"),
            );
            let request = request
                .header("content-type", "application/json")
                .body(Body::from("{}"))
                .unwrap();
            let answer = bench.send(request).await;
            let code = answer.body["code"].as_str().unwrap_or_default();
            assert_ne!(code, "route_not_found", "{method} {path}");
            assert_ne!(
                answer.status,
                StatusCode::METHOD_NOT_ALLOWED,
                "{method} {path}"
            );
            if !PUBLIC.contains(&path.as_str()) {
                assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 36, "{seen} operations");
}

#[tokio::test]
async fn a_tier_that_is_away_is_a_problem_that_says_nothing_of_it() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let answer = bench
        .send(post("/api/chat", &json!({ "messages": [] })).session(&session))
        .await;
    // It may be between two processes: the client is to come back.
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.body["code"], "unavailable");
    assert!(answer.headers.contains_key("retry-after"));
    assert!(!answer.body.to_string().contains("127.0.0.1"));
}

#[tokio::test]
async fn a_bff_is_ready_while_the_inner_tiers_are_away() {
    let bench = Bench::start().await;
    let ready = bench.send(get("/health/ready")).await;
    assert_eq!(ready.status, StatusCode::OK, "{}", ready.body);
    assert_eq!(ready.body["checks"].as_array().unwrap().len(), 1);
    assert_eq!(ready.body["checks"][0]["name"], "database");
}

#[tokio::test]
async fn a_large_message_is_refused_before_it_is_passed_on() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let body = json!({ "messages": [{ "role": "user", "content": "x".repeat(10 * 1024 * 1024) }] });
    let answer = bench.send(post("/api/chat", &body).session(&session)).await;
    assert_eq!(
        (answer.status, &answer.body["code"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("body_too_large"))
    );
}

#[tokio::test]
async fn a_tools_name_can_not_lead_elsewhere() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    for name in ["..%2f..%2fhealth", "a%3Fb", "%20"] {
        let answer = bench
            .send(post(&format!("/api/tools/{name}"), &json!({})).session(&session))
            .await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{name}");
    }
}

#[tokio::test]
async fn a_threads_id_can_not_lead_elsewhere() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    for id in ["..%2f..%2fhealth", "%2e%2e", "a%3Fb", "%20"] {
        let answer = bench
            .send(get(&format!("/api/threads/{id}")).session(&session))
            .await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{id}");
    }
}

#[tokio::test]
async fn the_page_may_talk_to_nobody_else() {
    let bench = Bench::start().await;
    for path in ["/", "/app.js", "/style.css"] {
        assert_eq!(bench.send(get(path)).await.status, StatusCode::OK, "{path}");
    }
    let unknown = bench.send(get("/nothing/here")).await;
    assert_eq!(
        (unknown.status, &unknown.body["code"]),
        (StatusCode::NOT_FOUND, &json!("route_not_found"))
    );
}
