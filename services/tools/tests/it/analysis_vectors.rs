//! Vectors of texts, and what is like a text.

use http::{Request, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Operation, Script, Turn};

use crate::harness::{App, TENANT, database};

const NOW: &str = "2026-06-01T12:00:00Z";
const MANUAL: &str = "# Pump\n\n## Start\n\nOpen the valve, bleed the line and press the green button for two seconds.\n\n\
    ## Faults\n\nFault E-102 means that the isolation to ground is too low; call the workshop.\n";

/// The service with vectors of a provider.
async fn embedding(url: &str) -> (App, ModelServer) {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let app = App::configured(url, NOW, |config| {
        config.embedding.provider = Some("openai".into());
        config.embedding.model = Some("test-embedding".to_owned());
        let openai = config.embedding.providers.get_mut("openai");
        openai.base_url = Some(server.base_url());
        openai.api_key = Some(SecretString::from(server.key().to_owned()));
    });
    (app, server)
}

#[tokio::test]
async fn texts_have_vectors_of_the_configured_model() {
    let database = database().await;
    let (app, _server) = embedding(database.url()).await;
    let answer = app
        .ok(
            "embedding_tool",
            json!({"texts": ["late ships", "late ships", "ports"]}),
        )
        .await;
    let result = &answer["result"];
    assert_eq!(result["model"], "openai/test-embedding");
    let vectors = result["vectors"].as_array().unwrap();
    assert_eq!(
        (vectors.len(), json!(vectors[0].as_array().unwrap().len())),
        (3, result["dimensions"].clone())
    );
    assert_eq!(vectors[0], vectors[1]);
    for (arguments, pointer) in [
        (json!({"texts": []}), "/texts"),
        (json!({"texts": vec!["x"; 65]}), "/texts"),
        (json!({"texts": ["x", "  "]}), "/texts/1"),
        (json!({"texts": ["x".repeat(8_193)]}), "/texts/0"),
    ] {
        let (status, problem) = app.call_as(TENANT, "embedding_tool", arguments).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
}

#[tokio::test]
async fn without_a_model_or_with_one_that_fails_the_reason_is_told() {
    let database = database().await;
    let app = App::over(database.url());
    for (tool, arguments) in [
        ("embedding_tool", json!({"texts": ["x"]})),
        ("vectordb_tool", json!({"query": "x"})),
    ] {
        let answer = app.call(tool, arguments).await;
        assert_eq!(answer["status"], "error");
        assert!(
            answer["message"]
                .as_str()
                .unwrap()
                .contains("EMBEDDING_PROVIDER"),
            "{answer}"
        );
    }
    let (app, server) = embedding(database.url()).await;
    server.play(Script::new().when(
        |seen| seen.operation != Operation::Chat,
        Turn::status(401, "{\"error\":\"sk-secret\"}"),
    ));
    let answer = app.call("embedding_tool", json!({"texts": ["x"]})).await;
    assert_eq!(answer["status"], "error");
    assert_eq!(
        answer["message"],
        "The embedding model openai/test-embedding cannot be used at the moment."
    );
}

#[tokio::test]
async fn documents_are_found_by_vectors_within_their_tenant() {
    let database = database().await;
    let (app, _server) = embedding(database.url()).await;
    let token = app.token(TENANT, &["documents:write"]);
    let request = Request::post("/api/documents?filename=pump.md")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "text/markdown")
        .body(axum::body::Body::from(MANUAL))
        .unwrap();
    assert_eq!(app.request(request).await.0, StatusCode::OK);
    let arguments = json!({"query": "isolation to ground is too low", "top_k": 1});
    let answer = app.ok("vectordb_tool", arguments.clone()).await;
    let found = &answer["result"]["matches"][0];
    assert_eq!(
        (&found["id"], &found["source"]),
        (&json!("pump.md#1"), &json!("pump.md"))
    );
    assert!((0.0..=1.0).contains(&found["score"].as_f64().unwrap()));
    let (_, other) = app.call_as("rival", "vectordb_tool", arguments).await;
    assert_eq!(other["status"], "no_data", "{other}");
    let (status, problem) = app
        .call_as(
            TENANT,
            "vectordb_tool",
            json!({"query": "x", "filters": {"index": "shipments"}}),
        )
        .await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/filters/index"))
    );
}

/// The names of fields, the most alike first.
fn fields(answer: &Value) -> Vec<&str> {
    let matches = answer["result"]["matches"].as_array().unwrap();
    matches
        .iter()
        .map(|found| found["field"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn fields_are_found_by_what_they_mean_and_embedded_once() {
    let database = database().await;
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let app = App::configured(database.url(), NOW, |config| {
        config.embedding.provider = Some("openai".into());
        config.embedding.model = Some("test-embedding".to_owned());
        let openai = config.embedding.providers.get_mut("openai");
        openai.base_url = Some(server.base_url());
        openai.api_key = Some(SecretString::from(server.key().to_owned()));
        config.sources.push(demo_freight::source().unwrap());
    });
    demo_freight::seed(&app.pool).await.unwrap();
    let arguments = json!({
        "collection": "fields", "query": "how much later than planned it arrived", "top_k": 3, "filters": {"index": "shipments"},
    });
    let answer = app.ok("vectordb_tool", arguments.clone()).await;
    assert_eq!(fields(&answer)[0], "delay_hours", "{answer}");
    assert_eq!(
        answer["result"]["matches"][0]["id"],
        "shipping/shipments/delay_hours"
    );
    assert_eq!(fields(&answer).len(), 3);
    let asked = server.seen().len();
    app.ok("vectordb_tool", arguments.clone()).await;
    // Only the question.
    assert_eq!(server.seen().len(), asked + 1);
    let (_, stranger) = app.call_as("stranger", "vectordb_tool", arguments).await;
    assert_eq!(stranger["status"], "no_data");
}
