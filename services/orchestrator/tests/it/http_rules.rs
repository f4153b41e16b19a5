//! Who is let in, what is refused and how.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use service_kit::identity::TokenRequest;

use crate::bench::{ALICE, Call, World, chat, read};

fn token(world: &World, scopes: &[&str], audience: &str) -> String {
    use secrecy::ExposeSecret;
    let request = TokenRequest {
        subject: "alice",
        tenant: "demo",
        scopes,
        audience: &[audience],
    };
    let token = world.signer.sign(request).unwrap().token;
    token.expose_secret().to_owned()
}

/// Every documented operation, with its path's parameters filled in.
pub(crate) fn documented(thread: &str, run: &str) -> Vec<(Method, String)> {
    let document = contracts::openapi::orchestrator_document();
    let mut all = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let mut path = path.replace("{thread_id}", thread).replace("{run_id}", run);
        if path == "/v1/messages/search" {
            path.push_str("?q=hello");
        }
        for method in operations.as_object().unwrap().keys() {
            all.push((method.to_uppercase().parse().unwrap(), path.clone()));
        }
    }
    all
}

#[tokio::test]
async fn every_documented_operation_is_there_and_needs_an_identity() {
    let world = World::new().await;
    let replica = world.replica();
    let operations = documented("t", "00000000000000000000000000000001");
    assert_eq!(operations.len(), 36);
    for (method, path) in operations {
        let call = Call {
            body: "{}".into(),
            ..Call::new(method.clone(), path.clone())
        };
        let (status, body) = replica.json(ALICE, call.clone()).await;
        assert_ne!(body["code"], "route_not_found", "{method} {path}");
        assert_ne!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        if path.starts_with("/health") {
            continue;
        }
        let stranger = replica.send(None, call.clone()).await.status();
        assert_eq!(stranger, StatusCode::UNAUTHORIZED, "{method} {path}");
        let scopeless = token(&world, &["tools:read"], "orchestrator");
        let call = Call {
            // A body that every operation reads.
            body: json!({ "messages": [], "content": "x", "input": { "message": "x" }, "conversation": { "id": "t" } }).to_string(),
            ..call
        };
        if path == "/v1/threads/t" && method == Method::PATCH {
            continue;
        }
        let call = if path == "/v1/retention" {
            // It reads its own members only.
            Call {
                body: "{}".into(),
                ..call
            }
        } else {
            call
        };
        let refused = replica.send(Some(&scopeless), call).await.status();
        assert_eq!(refused, StatusCode::FORBIDDEN, "{method} {path}");
    }
}

#[tokio::test]
async fn tokens_for_others_are_refused() {
    let world = World::new().await;
    let replica = world.replica();
    let elsewhere = token(&world, &["chat"], "bff");
    let (status, _) = read(replica.send(Some(&elsewhere), chat("t", "hi")).await).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let scopeless = token(&world, &["tools:read"], "orchestrator");
    let (status, problem) = read(replica.send(Some(&scopeless), chat("t", "hi")).await).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::FORBIDDEN, &json!("forbidden"))
    );
}

#[tokio::test]
async fn what_can_not_be_a_message_is_refused() {
    let world = World::new().await;
    let replica = world.replica();
    let say = |content: String| json!([{ "role": "user", "content": content }]);
    let cases = [
        ("/ai/chat", json!({}), 422),
        ("/ai/chat", json!({ "messages": "hi" }), 422),
        ("/ai/chat", json!({ "messages": [] }), 422),
        (
            "/ai/chat",
            json!({ "messages": [{ "role": "robot", "content": "hi" }] }),
            422,
        ),
        (
            "/ai/chat",
            json!({ "threadId": "../x", "messages": say("hi".into()) }),
            422,
        ),
        (
            "/ai/chat",
            json!({ "messages": say("x".repeat(20_000)) }),
            422,
        ),
        (
            "/ai/chat",
            json!({ "messages": say("x".repeat(10 << 20)) }),
            413,
        ),
        (
            "/ai/chat",
            json!({ "assistant": "nobody", "messages": say("hi".into()) }),
            422,
        ),
        (
            "/internal/chat/stream",
            json!({ "input": { "message": "" }, "conversation": { "id": "t" }, "token": "t", "stop": false }),
            422,
        ),
        (
            "/internal/chat/stream",
            json!({ "input": { "message": "hi" }, "conversation": { "id": "a b" } }),
            422,
        ),
        (
            "/internal/chat/stream",
            json!({ "input": { "message": "hi" }, "conversation": { "id": "t", "user_id": "bob" } }),
            403,
        ),
        (
            "/internal/chat/stream",
            json!({ "input": { "message": "hi" }, "conversation": { "id": "t", "company_id": "elsewhere" } }),
            403,
        ),
        ("/v1/messages", json!({ "content": " " }), 422),
        (
            "/v1/messages",
            json!({ "content": "hi", "user_id": "bob" }),
            403,
        ),
        (
            "/v1/messages",
            json!({ "content": "hi", "thread_id": "unknown" }),
            404,
        ),
        (
            "/v1/messages",
            json!({ "content": "hi", "context": 7 }),
            422,
        ),
        ("/v1/threads", json!({ "user_id": "bob" }), 403),
        ("/v1/threads", json!({ "title": "x".repeat(201) }), 422),
        ("/v1/threads", json!({ "assistant": "nobody" }), 422),
    ];
    for (path, body, expected) in cases {
        let (status, problem) = replica.json(ALICE, Call::post(path, &body)).await;
        let shown: String = body.to_string().chars().take(80).collect();
        assert_eq!(status.as_u16(), expected, "{path} {shown}: {problem}");
        assert!(problem["requestId"].is_string(), "{shown}: {problem}");
    }
    let call = Call {
        body: "{\"messages\": [".into(),
        ..chat("t", "hi")
    };
    let (status, problem) = replica.json(ALICE, call).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::BAD_REQUEST, &json!("malformed_request"))
    );
    let (_, threads) = replica.json(ALICE, Call::get("/v1/threads")).await;
    assert_eq!(
        threads["threads"],
        Value::Array(Vec::new()),
        "nothing was made"
    );
}

#[tokio::test]
async fn an_unknown_assistant_is_refused_with_the_names_of_those_there_are() {
    let world = World::new().await;
    let replica = world.replica();
    let body = json!({ "assistant": "nobody", "messages": [{ "role": "user", "content": "hi" }] });
    let (_, problem) = replica.json(ALICE, Call::post("/ai/chat", &body)).await;
    assert_eq!(
        problem["available"],
        json!(["advisor", "analyst", "data", "once", "scripted", "site"])
    );
}
