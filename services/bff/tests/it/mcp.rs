//! The gate of the Model Context Protocol: bodies, origins, and streams that end with their key.

use std::time::Duration;

use axum::body::Body;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::bench::{Bench, PASSWORD, With, get, post, post_text};
use crate::people::{token, with_method};

const BOTH: &str = "application/json, text/event-stream";

async fn ask(bench: &Bench, request: Request<Body>) -> Response<Body> {
    bench.router.clone().oneshot(request).await.unwrap()
}

async fn json_of(response: Response<Body>) -> Value {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } })
}

#[tokio::test]
async fn a_body_that_is_not_a_message_is_an_error_of_json_rpc() {
    let bench = Bench::start().await;
    let token = token(&bench, "demo", PASSWORD).await;
    for (body, code) in [
        ("{ \"jsonrpc\": ", -32_700),
        ("", -32_700),
        ("{ \"hello\": 1 }", -32_600),
    ] {
        let request = post_text("/mcp", body.to_owned()).bearer(&token);
        let response = ask(&bench, request.header("accept", BOTH)).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{body}");
        let error = json_of(response).await;
        assert_eq!(
            (&error["jsonrpc"], &error["id"], &error["error"]["code"]),
            (&json!("2.0"), &Value::Null, &json!(code)),
            "{body}: {error}"
        );
    }
}

/// Begins a session and returns its id.
async fn session(bench: &Bench, token: &str) -> String {
    let mut initialize = initialize();
    initialize["params"]["protocolVersion"] = json!("2025-03-26");
    let begun = post("/mcp", &initialize).bearer(token);
    let begun = ask(bench, begun.header("accept", BOTH)).await;
    let id = begun.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let ready = post("/mcp", &ready)
        .bearer(token)
        .header("mcp-session-id", &id);
    let ready = ask(bench, ready.header("accept", BOTH)).await;
    assert_eq!(ready.status(), StatusCode::ACCEPTED);
    id
}

#[tokio::test]
async fn a_session_that_was_ended_is_not_there_any_more() {
    let bench = Bench::start().await;
    let token = token(&bench, "demo", PASSWORD).await;
    let id = session(&bench, &token).await;
    for status in [StatusCode::NO_CONTENT, StatusCode::NOT_FOUND] {
        let end = with_method(Method::DELETE, "/mcp", &Value::Null).bearer(&token);
        let ended = ask(&bench, end.header("mcp-session-id", &id)).await;
        assert_eq!(ended.status(), status);
        if status == StatusCode::NOT_FOUND {
            assert_no_session(ended).await;
        }
    }
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    let ping = post("/mcp", &ping)
        .bearer(&token)
        .header("mcp-session-id", &id);
    let ping = ask(&bench, ping.header("accept", BOTH)).await;
    assert_no_session(ping).await;
    let stream = get("/mcp").bearer(&token).header("mcp-session-id", &id);
    let stream = stream.header("accept", "text/event-stream");
    assert_no_session(ask(&bench, stream).await).await;
    // One that there never was.
    for method in [Method::DELETE, Method::POST] {
        let unknown = with_method(method, "/mcp", &initialize()).bearer(&token);
        let unknown = unknown.header("mcp-session-id", "nobody");
        assert_no_session(ask(&bench, unknown.header("accept", BOTH)).await).await;
    }
}

/// 404 as the protocol says it: an error of JSON-RPC.
async fn assert_no_session(response: Response<Body>) {
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let error = json_of(response).await;
    assert_eq!(
        (&error["jsonrpc"], &error["id"], &error["error"]["code"]),
        (&json!("2.0"), &Value::Null, &json!(-32_001)),
        "{error}"
    );
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Session not found"), "{message}");
}

#[tokio::test]
async fn a_batch_of_the_oldest_revision_is_answered() {
    let bench = Bench::start().await;
    let token = token(&bench, "demo", PASSWORD).await;
    let id = session(&bench, &token).await;
    let send = async |batch: Value, version: &str| {
        let request = post("/mcp", &batch).bearer(&token).header("accept", BOTH);
        let request = request.header("mcp-session-id", &id);
        ask(&bench, request.header("mcp-protocol-version", version)).await
    };
    let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    let unknown = json!({ "jsonrpc": "2.0", "id": 4, "method": "no/such" });
    let batch = json!([ping(2), note, ping(3), unknown]);
    let answered = send(batch.clone(), "2025-03-26").await;
    assert_eq!(answered.status(), StatusCode::OK);
    let body = answered.into_body().collect().await.unwrap().to_bytes();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let messages: Vec<Value> = data
        .filter_map(|data| serde_json::from_str(data).ok())
        .collect();
    let ids: Vec<&Value> = messages.iter().map(|message| &message["id"]).collect();
    assert_eq!(ids, [&json!(2), &json!(3), &json!(4)], "{body}");
    assert_eq!(messages[0]["result"], json!({}));
    assert!(messages[2]["error"]["code"].is_number(), "{body}");
    let noted = send(json!([note, note]), "2025-03-26").await;
    assert_eq!(noted.status(), StatusCode::ACCEPTED);
    for (batch, version) in [
        (batch, "2025-06-18"),
        (json!([]), "2025-03-26"),
        (json!([initialize()]), "2025-03-26"),
        (json!(vec![ping(5); 51]), "2025-03-26"),
    ] {
        let refused = send(batch, version).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
        assert_eq!(json_of(refused).await["error"]["code"], -32_600);
    }
}

#[tokio::test]
async fn each_message_of_a_batch_counts_as_a_request() {
    let bench = Bench::configured(|config| config.limits.request_burst = 20).await;
    let token = token(&bench, "demo", PASSWORD).await;
    let id = session(&bench, &token).await;
    for (messages, status) in [(10, StatusCode::OK), (20, StatusCode::TOO_MANY_REQUESTS)] {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let request = post("/mcp", &json!(vec![ping; messages])).bearer(&token);
        let request = request.header("accept", BOTH).header("mcp-session-id", &id);
        let answer = ask(&bench, request.header("mcp-protocol-version", "2025-03-26")).await;
        assert_eq!(answer.status(), status);
    }
}

#[tokio::test]
async fn a_page_of_another_origin_is_refused_also_with_a_token() {
    let origins = vec!["https://app.example.com".to_owned()];
    let bench = Bench::configured(|config| config.session.allowed_origins = origins).await;
    let token = token(&bench, "demo", PASSWORD).await;
    for (origin, status) in [
        (None, StatusCode::OK),
        (Some("https://app.example.com"), StatusCode::OK),
        (Some("https://evil.example.com"), StatusCode::FORBIDDEN),
        (Some("null"), StatusCode::FORBIDDEN),
    ] {
        let request = post("/mcp", &initialize()).bearer(&token);
        let mut request = request.header("accept", BOTH);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let response = ask(&bench, request).await;
        assert_eq!(response.status(), status, "{origin:?}");
    }
}

#[tokio::test]
async fn a_stream_that_is_open_ends_when_its_key_is_revoked() {
    let bench = Bench::start().await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let made = post("/api/tokens", &json!({ "name": "desk" })).bearer(&demo);
    let made = bench.send(made).await.body;
    let key = made["token"].as_str().unwrap();
    let begun = post("/mcp", &initialize()).bearer(key);
    let begun = ask(&bench, begun.header("accept", BOTH)).await;
    let session = begun.headers()["mcp-session-id"].to_str().unwrap();
    let stream = get("/mcp").bearer(key).header("accept", BOTH);
    let stream = ask(&bench, stream.header("mcp-session-id", session)).await;
    assert_eq!(stream.status(), StatusCode::OK);
    let mut read = tokio::spawn(stream.into_body().collect());
    let still_open = tokio::time::timeout(Duration::from_secs(6), &mut read).await;
    assert!(still_open.is_err(), "it ended while its key was valid");
    let path = format!("/api/tokens/{}", made["key"]["id"].as_str().unwrap());
    let revoke = with_method(Method::DELETE, &path, &json!({})).bearer(&demo);
    assert_eq!(bench.send(revoke).await.status, StatusCode::NO_CONTENT);
    let ended = tokio::time::timeout(Duration::from_secs(20), read).await;
    assert!(ended.is_ok(), "the stream outlives its key");
}
