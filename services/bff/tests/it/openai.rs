//! The protocol of OpenAI over an orchestrator that answers by a script.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderValue, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::bench::{Bench, With, get, post};
use crate::scripted::{Script, Scripted, says};

async fn bench(scripted: &Scripted) -> (Bench, String) {
    let url = scripted.url.clone();
    let bench = Bench::configured(|config| config.upstream.orchestrator_url = url).await;
    let token = bench.tokens().await["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    (bench, token)
}

fn chat(messages: &Value) -> Request<Body> {
    post(
        "/v1/chat/completions",
        &json!({ "model": "site", "messages": messages }),
    )
}

#[tokio::test]
async fn assistants_are_models() {
    let scripted = Scripted::start(Script::Says(Vec::new())).await;
    let (bench, token) = bench(&scripted).await;
    let answer = bench.send(get("/v1/models").bearer(&token)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(
        answer.body["data"][0],
        json!({ "id": "site", "object": "model", "created": 0, "owned_by": "heliograph" })
    );
    let answer = bench.send(get("/v1/models/data").bearer(&token)).await;
    assert_eq!(answer.body["id"], "data");
    let answer = bench.send(get("/v1/models/gpt").bearer(&token)).await;
    assert_eq!(
        (answer.status, &answer.body["error"]["code"]),
        (StatusCode::NOT_FOUND, &json!("model_not_found"))
    );
}

#[tokio::test]
async fn a_conversation_sent_whole_again_stays_in_its_thread() {
    let scripted = Scripted::start(Script::Says(says("All is well."))).await;
    let (bench, token) = bench(&scripted).await;
    let first = json!({ "role": "user", "content": "Hello" });
    let answer = bench
        .send(chat(&json!([{ "role": "system", "content": "Be brief." }, first])).bearer(&token))
        .await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.headers["x-thread-id"], "t1");
    assert_eq!(
        answer.body["choices"][0]["message"]["content"],
        "All is well."
    );
    assert_eq!(answer.body["usage"]["total_tokens"], 5);
    let said = json!({ "role": "assistant", "content": "All is well.\n" });
    let messages = json!([first, said, { "role": "user", "content": "And now?" }]);
    bench.send(chat(&messages).bearer(&token)).await;
    // Words that this server did not say are another conversation.
    let other = json!([first, { "role": "assistant", "content": "No." }, { "role": "user", "content": "And now?" }]);
    bench.send(chat(&other).bearer(&token)).await;
    let named = post(
        "/v1/chat/completions",
        &json!({ "model": "site", "messages": [first], "metadata": { "thread_id": "mine" } }),
    );
    bench.send(named.bearer(&token)).await;
    // An id that cannot be read begins no other thread.
    let mut unreadable = chat(&json!([first])).bearer(&token);
    let id = HeaderValue::from_bytes("h\u{fc}tte".as_bytes()).unwrap();
    unreadable.headers_mut().insert("x-thread-id", id);
    let refused = bench.send(unreadable).await;
    assert_eq!(
        (refused.status, &refused.body["error"]["param"]),
        (StatusCode::BAD_REQUEST, &json!("x-thread-id"))
    );
    let asked = scripted.asked();
    let threads: Vec<&Value> = asked.iter().map(|message| &message["thread_id"]).collect();
    assert_eq!(
        threads,
        [&Value::Null, &json!("t1"), &Value::Null, &json!("mine")]
    );
    assert!(asked.iter().all(|message| message["assistant"] == "site"));
    assert_eq!(asked[1]["content"], "And now?");
}

#[tokio::test]
async fn conversations_that_begin_alike_have_a_thread_each() {
    let scripted = Scripted::start(Script::Says(says("All is well."))).await;
    let (bench, token) = bench(&scripted).await;
    let user = |text: &str| json!({ "role": "user", "content": text });
    let said = json!({ "role": "assistant", "content": "All is well." });
    let ask = async |messages: Value| {
        let answer = bench.send(chat(&messages).bearer(&token)).await;
        answer.headers["x-thread-id"].to_str().unwrap().to_owned()
    };
    let begun = [
        ask(json!([user("Hello")])).await,
        ask(json!([user("Hello")])).await,
    ];
    assert_eq!(begun, ["t1", "t2"]);
    // Either may be either, until their words differ.
    let one = ask(json!([user("Hello"), said, user("And now?")])).await;
    let other = ask(json!([user("Hello"), said, user("And there?")])).await;
    assert_ne!(one, other);
    assert!(begun.contains(&one) && begun.contains(&other));
    let begin = |text: &str| json!([user("Hello"), said, user(text), said, user("Again")]);
    assert_eq!(ask(begin("And there?")).await, other);
    assert_eq!(ask(begin("And now?")).await, one);
    // The last message again continues the conversation that it belongs to.
    assert_eq!(ask(begin("And now?")).await, one);
}

#[tokio::test]
async fn every_refusal_is_in_the_envelope_of_the_protocol() {
    let bench = Bench::configured(|config| config.http.body_limit_bytes = 10_000).await;
    let tokens = bench.tokens().await;
    let token = tokens["access_token"].as_str().unwrap().to_owned();
    let long = json!([{ "role": "user", "content": "x".repeat(20_000) }]);
    for (request, status, code) in [
        (chat(&long), StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
        (
            get("/v1/chat/completions"),
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
        ),
        (
            post("/v1/embeddings", &json!({})),
            StatusCode::NOT_FOUND,
            "unknown_url",
        ),
    ] {
        let answer = bench.send(request.bearer(&token)).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        let error = &answer.body["error"];
        assert_eq!(
            (&error["type"], &error["code"]),
            (&json!("invalid_request_error"), &json!(code)),
            "{}",
            answer.body
        );
        assert!(error["message"].is_string());
    }
}

#[tokio::test]
async fn errors_have_the_form_of_the_protocol() {
    let scripted = Scripted::start(Script::Says(says("Yes."))).await;
    let (bench, token) = bench(&scripted).await;
    let hello = json!([{ "role": "user", "content": "Hello" }]);
    let answer = bench.send(chat(&hello).bearer("wrong")).await;
    assert_eq!(
        (answer.status, &answer.body["error"]["code"]),
        (StatusCode::UNAUTHORIZED, &json!("invalid_api_key"))
    );
    let request = post(
        "/v1/chat/completions",
        &json!({ "model": "site", "messages": hello, "tools": [{ "type": "function" }] }),
    );
    let answer = bench.send(request.bearer(&token)).await;
    assert_eq!(
        (answer.status, &answer.body["error"]["param"]),
        (StatusCode::BAD_REQUEST, &json!("tools"))
    );
    let answer = bench
        .send(post("/v1/chat/completions", &json!([1])).bearer(&token))
        .await;
    assert_eq!(
        (answer.status, &answer.body["error"]["type"]),
        (StatusCode::BAD_REQUEST, &json!("invalid_request_error"))
    );
    assert!(scripted.asked().is_empty());
    scripted.now(Script::Refuses(StatusCode::UNPROCESSABLE_ENTITY, json!({
        "type": "t", "title": "Invalid request", "status": 422, "code": "invalid_request", "available": ["data", "site"],
        "errors": [{ "pointer": "/assistant", "detail": "there is no such assistant" }],
    })));
    let answer = bench.send(chat(&hello).bearer(&token)).await;
    assert_eq!(
        (answer.status, &answer.body["error"]["code"]),
        (StatusCode::NOT_FOUND, &json!("model_not_found"))
    );
    assert!(
        answer.body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("data, site")
    );
    let mut failed = says("Half");
    *failed.last_mut().unwrap() = serde_json::from_value(
        json!({ "event": "failed", "code": "timeout", "text": "Too long.", "retryable": true }),
    )
    .unwrap();
    scripted.now(Script::Says(failed));
    let answer = bench.send(chat(&hello).bearer(&token)).await;
    assert_eq!(
        (answer.status, &answer.body["error"]["message"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("Too long."))
    );
    // The orchestrator died in the middle.
    let mut half = says("Half");
    half.pop();
    scripted.now(Script::Says(half));
    let answer = bench.send(chat(&hello).bearer(&token)).await;
    assert_eq!(
        (answer.status, &answer.body["error"]["type"]),
        (StatusCode::BAD_GATEWAY, &json!("server_error"))
    );
}

#[tokio::test]
async fn a_client_that_goes_away_stops_the_answer() {
    let mut half = says("Half");
    half.truncate(3);
    let scripted = Scripted::start(Script::Hangs(half)).await;
    let (bench, token) = bench(&scripted).await;
    let body = json!({ "model": "site", "stream": true, "messages": [{ "role": "user", "content": "Hello" }] });
    let response = bench
        .router
        .clone()
        .oneshot(post("/v1/chat/completions", &body).bearer(&token))
        .await
        .unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let mut seen = String::new();
    while !seen.contains("Half") {
        let frame = body.frame().await.unwrap().unwrap();
        seen.push_str(std::str::from_utf8(frame.data_ref().unwrap()).unwrap());
    }
    drop(body);
    let cancelled = async {
        while !scripted.asked().contains(&json!({ "cancelled": "0a" })) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), cancelled)
        .await
        .unwrap();
}
