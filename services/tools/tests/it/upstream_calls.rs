//! Calls to upstreams, and the ways in which they fail.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use test_support::upstream::{Reply, UpstreamServer};

use crate::harness::{App, TENANT};
use crate::upstream_support::{ADA, API_KEY, Person, World, found, operation};

/// A world in which Ada has a good token.
async fn ready(replies: impl IntoIterator<Item = Reply>) -> (World, App) {
    let world = World::new().await;
    let app = world.app();
    world.server.reads(replies);
    app.bring(ADA, &world.token(ADA, 3_600)).await;
    (world, app)
}

async fn answer(app: &App) -> Value {
    app.ask(ADA, "read_there", &json!({ "id": "1" })).await
}

#[tokio::test]
async fn a_call_carries_the_token_and_the_configured_headers() {
    let (world, app) = ready([found()]).await;
    let answer = app
        .ask(ADA, "read_there", &json!({ "id": "a/b ü", "year": 2022 }))
        .await;
    assert_eq!(
        answer,
        json!({ "status": "ok", "result": { "found": true } })
    );
    let read = &world.server.read_requests()[0];
    assert_eq!(
        (&read.method, read.target.as_str()),
        (&Method::GET, "/items/a%2Fb%20%C3%BC?year=2022")
    );
    assert_eq!(
        read.header("authorization"),
        format!("Bearer {}", world.token(ADA, 3_600))
    );
    assert_eq!(
        (read.header("x-service-name"), read.header("x-service-key")),
        ("heliograph", API_KEY)
    );
    assert_eq!(read.header("x-ca-service-key"), "");
}

#[tokio::test]
async fn statuses_become_codes_with_a_sentence_and_nothing_more() {
    for (status, body, says) in [
        (
            403,
            json!({ "error": { "message": "Not your inventory" } }),
            "Not your inventory",
        ),
        (404, json!({ "detail": "gone" }), "gone"),
        (429, json!({}), "too often"),
        (
            500,
            json!({ "message": "stack at line 7", "stack": "deep inside" }),
            "problem of its own",
        ),
    ] {
        let (world, app) = ready([Reply::Json(status, body)]).await;
        let answer = answer(&app).await;
        assert_eq!(answer["status"], "error");
        let failure = json!({ "error_code": format!("http_{status}"), "status_code": status });
        assert_eq!(answer["result"], failure);
        assert!(
            answer["message"].as_str().unwrap().contains(says),
            "{answer}"
        );
        assert!(!answer.to_string().contains("deep inside"));
        assert_eq!(world.server.read_requests().len(), 1, "nothing is retried");
    }
    let (_world, app) = ready([Reply::Raw(
        502,
        "text/html",
        b"<html>secret page</html>".to_vec(),
    )])
    .await;
    assert!(!answer(&app).await.to_string().contains("secret page"));
}

#[tokio::test]
async fn garbage_and_too_much_are_no_answers() {
    let (_world, app) = ready([Reply::Raw(200, "application/json", b"{ not json".to_vec())]).await;
    assert_eq!(app.read(ADA).await.unwrap_err(), "invalid_response");
    let large = json!({ "text": "x".repeat(10_000) });
    let (world, app) = ready([Reply::Json(200, large)]).await;
    assert!(app.read(ADA).await.is_ok());
    let narrow = world.app_of(|upstream| upstream.max_response_bytes = 9_999);
    assert_eq!(narrow.read(ADA).await.unwrap_err(), "invalid_response");
}

#[tokio::test]
async fn an_upstream_that_is_slow_or_away_is_unavailable() {
    let (world, _) = ready([Reply::Hang]).await;
    let impatient = world.app_of(|upstream| upstream.timeout_ms = 200);
    assert_eq!(
        impatient.read(ADA).await.unwrap_err(),
        "upstream_unavailable"
    );
    let (_world, app) = ready([Reply::BrokenOff]).await;
    assert_eq!(app.read(ADA).await.unwrap_err(), "upstream_unavailable");
    let away = world.app_of(|upstream| {
        upstream.token.audience = Some(upstream.base_url.clone());
        upstream.base_url = "http://127.0.0.1:1".into();
    });
    assert_eq!(away.read(ADA).await.unwrap_err(), "upstream_unavailable");
}

#[tokio::test]
async fn an_operation_may_have_more_time_than_its_upstream() {
    let (world, _) = ready([Reply::Hang]).await;
    let app = world.app_of(|upstream| {
        upstream.timeout_ms = 10_000_000;
        upstream.operations[0].timeout_ms = Some(150);
    });
    assert_eq!(app.read(ADA).await.unwrap_err(), "upstream_unavailable");
}

#[tokio::test]
async fn redirects_are_followed_within_the_upstream_and_not_beyond() {
    let elsewhere = UpstreamServer::start().await.unwrap();
    let (world, app) = ready([Reply::Redirect(308, "/items/1/".into()), found()]).await;
    app.read(ADA).await.unwrap();
    assert_eq!(world.server.read_requests()[1].target, "/items/1/");
    let port = world.server.url().rsplit(':').next().unwrap().to_owned();
    for to in [
        format!("{}/items/1", elsewhere.url()),
        format!("http://localhost:{port}/items/1"),
        format!("http://user@127.0.0.1:{port}/items/1"),
        "https://127.0.0.1/items/1".to_owned(),
        "file:///etc/passwd".to_owned(),
        "//evil.example/".to_owned(),
    ] {
        world.server.reads([Reply::Redirect(302, to.clone())]);
        assert_eq!(app.read(ADA).await.unwrap_err(), "invalid_response", "{to}");
    }
    assert!(elsewhere.read_requests().is_empty());
    world.server.reads([Reply::Redirect(302, "/again".into())]);
    assert_eq!(app.read(ADA).await.unwrap_err(), "invalid_response");
}

#[tokio::test]
async fn arguments_change_neither_host_nor_path() {
    let (world, app) = ready([found()]).await;
    for id in ["..", "../admin", "a/../../b", " "] {
        let answer = app.ask(ADA, "read_there", &json!({ "id": id })).await;
        assert_eq!(
            answer["result"]["error_code"], "invalid_arguments",
            "{id:?}"
        );
    }
    assert!(world.server.read_requests().is_empty());
    for (id, target) in [
        ("//evil.example", "/items/%2F%2Fevil.example"),
        ("%2e%2e", "/items/%252e%252e"),
        ("1?admin=1#x", "/items/1%3Fadmin=1%23x"),
        ("@evil.example", "/items/@evil.example"),
    ] {
        app.ask(ADA, "read_there", &json!({ "id": id })).await;
        assert_eq!(world.server.read_requests().pop().unwrap().target, target);
    }
    let token = app.token(TENANT, &["tools:read"]);
    for arguments in [
        json!({ "id": "" }),
        json!({ "id": "1", "host": "x" }),
        json!({ "id": "1", "year": "2022" }),
        json!({}),
    ] {
        let body = arguments.to_string();
        let (status, _) = app
            .send(Method::POST, "/api/tools/read_there", Some(&token), &body)
            .await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{arguments}");
    }
}

#[tokio::test]
async fn a_read_with_a_body_is_always_the_caller_s() {
    let world = World::new().await;
    let app = world.app_of(|upstream| {
        upstream.operations.push(operation(json!({
            "name": "list_there", "description": "Lists.", "method": "POST", "path": "/list", "caller_field": "user_id",
            "parameters": [{ "name": "city", "in": "body", "upstream_name": "city_id", "schema": { "type": "string" } }],
            "response": { "pointer": "/data", "fields": ["id"] },
        })));
    });
    app.bring(ADA, &world.token(ADA, 3_600)).await;
    world.server.reads([Reply::Json(
        200,
        json!({ "data": [{ "id": 1, "inside": 2 }] }),
    )]);
    let answer = app.ask(ADA, "list_there", &json!({ "city": "c" })).await;
    assert_eq!(answer["result"], json!([{ "id": 1 }]));
    let read = &world.server.read_requests()[0];
    assert_eq!(
        (&read.method, read.json()),
        (&Method::POST, json!({ "city_id": "c", "user_id": "ada" }))
    );
}

#[tokio::test]
async fn a_tenant_that_an_upstream_is_not_for_does_not_see_it() {
    let world = World::new().await;
    let app = world.app_of(|upstream| upstream.tenants = vec!["rival".into()]);
    assert_eq!(app.credentials(ADA).await, json!([]));
    assert_eq!(app.read(ADA).await.unwrap_err(), "missing_token");
    let token = app.token(TENANT, &["tools:read"]);
    let (status, problem) = app
        .send(
            Method::POST,
            "/api/credentials/there/ensure",
            Some(&token),
            "",
        )
        .await;
    assert_eq!(
        (status, &problem["available"]),
        (StatusCode::NOT_FOUND, &Value::Null)
    );
    let rival = Person("rival", "ada");
    assert_eq!(app.credentials(rival).await[0]["upstream"], "there");
    assert!(world.server.token_requests().is_empty());
}

#[tokio::test]
async fn the_tools_are_described_with_the_others() {
    let world = World::new().await;
    let app = world.app();
    let token = app.token(TENANT, &["tools:read"]);
    let (_, tool) = app
        .send(Method::GET, "/api/tools/read_there", Some(&token), "")
        .await;
    assert_eq!(tool["category"], "upstream");
    assert_eq!(
        tool["inputSchema"],
        json!({
            "type": "object",
            "properties": { "id": { "type": "string", "minLength": 1 }, "year": { "type": "integer" } },
            "required": ["id"],
            "additionalProperties": false,
        })
    );
}
