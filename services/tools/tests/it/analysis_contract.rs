//! The answers of the analysis tools fit their definitions.

use http::{Method, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Script};

use crate::harness::{App, TENANT, database};

/// The service with a model for vectors and the demonstration's shipments.
async fn service(url: &str) -> (App, ModelServer) {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let app = App::configured(url, "2025-01-15T12:00:00Z", |config| {
        config.embedding.provider = Some("openai".into());
        config.embedding.model = Some("test-embedding".to_owned());
        let openai = config.embedding.providers.get_mut("openai");
        openai.base_url = Some(server.base_url());
        openai.api_key = Some(SecretString::from(server.key().to_owned()));
        config
            .sources
            .push(tools::demo::shipping::source().unwrap());
    });
    tools::demo::shipping::seed(&app.pool).await.unwrap();
    (app, server)
}

/// How these records are had.
async fn retrieve(app: &App, structure: Value) -> Value {
    let arguments = json!({"query_type": "elasticsearch", "structure": structure});
    let built = app.ok("query_builder", arguments).await["result"]["query"].take();
    let how = json!({
        "source": built["source"], "query_type": "elasticsearch", "index": built["index"], "query": built["query"],
    });
    json!({"from": "query", "retrieve": how})
}

/// Calls of each tool, among them some with large, small and empty answers.
async fn calls(app: &App) -> Vec<(&'static str, Value)> {
    let shipments = retrieve(app, json!({"index": "shipments"})).await;
    let carriers = json!({
        "index": "shipments", "group_by": [{"field": "carrier"}], "measures": [{"op": "average", "field": "delay_hours"}],
    });
    let carriers = retrieve(app, carriers).await;
    let one =
        json!({"from": "rows", "rows": [{"carrier": "A", "delay_hours": 4, "at": "2025-01-01"}]});
    let none = json!({"from": "rows", "rows": []});
    let mut calls = Vec::new();
    for tool in ["stats_analysis", "pattern_recognition"] {
        for data in [&shipments, &carriers, &one, &none] {
            calls.push((tool, json!({"data": data})));
        }
        let question = "analyze delay patterns in these results";
        calls.push((tool, json!({"data": shipments, "question": question})));
    }
    calls.extend([
        ("embedding_tool", json!({"texts": ["late ships", "ports"]})),
        ("vectordb_tool", json!({"query": "late ships"})),
        (
            "vectordb_tool",
            json!({"collection": "fields", "query": "late ships", "filters": {"index": "shipments"}}),
        ),
    ]);
    calls
}

#[tokio::test]
async fn answers_are_as_their_schemas_say() {
    let database = database().await;
    let (app, _server) = service(database.url()).await;
    let token = app.token(TENANT, &["tools:read"]);
    let mut answered = Vec::new();
    for (tool, arguments) in calls(&app).await {
        let path = format!("/api/tools/{tool}");
        let (_, definition) = app.send(Method::GET, &path, Some(&token), "").await;
        assert_eq!(definition["category"], "analysis", "{tool}");
        let input = jsonschema::validator_for(&definition["inputSchema"]).unwrap();
        assert!(input.is_valid(&arguments), "{tool}: {arguments}");
        let output = jsonschema::validator_for(&definition["outputSchema"]).unwrap();
        let (status, answer) = app.call_as(TENANT, tool, arguments).await;
        assert_eq!(status, StatusCode::OK, "{tool}: {answer}");
        let faults: Vec<String> = output
            .iter_errors(&answer)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{tool}: {faults:?} {answer}");
        if answer["status"] == "ok" {
            answered.push(tool);
        }
    }
    let count = |tool: &str| answered.iter().filter(|name| **name == tool).count();
    assert_eq!(
        [
            "stats_analysis",
            "pattern_recognition",
            "embedding_tool",
            "vectordb_tool"
        ]
        .map(count),
        [4, 4, 1, 1],
        "{answered:?}"
    );
}
