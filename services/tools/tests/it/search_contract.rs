//! Who may call what over which search source, and what is answered when it is not right.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::search_support::{Port, away};

const TOOLS: [&str; 6] = [
    "list_sources",
    "entity_resolution",
    "field_mapping",
    "query_builder",
    "es_executor",
    "graphql_executor",
];

/// Arguments that the source takes.
fn arguments(tool: &str) -> Value {
    match tool {
        "list_sources" => json!({}),
        "query_builder" => {
            json!({ "query_type": "elasticsearch", "structure": { "index": "ports" } })
        }
        "es_executor" => json!({ "index": "ports", "query": { "query": { "match_all": {} } } }),
        "graphql_executor" => {
            json!({ "query": { "query": "{ ports { nodes { portId name } } }" } })
        }
        _ => json!({ "text": "shipments to Port of Miami" }),
    }
}

#[tokio::test]
async fn answers_are_as_their_schemas_say() {
    let port = Port::open().await;
    let token = port.app.token("demo", &["tools:read"]);
    for tool in TOOLS {
        let path = format!("/api/tools/{tool}");
        let (_, definition) = port.app.send(Method::GET, &path, Some(&token), "").await;
        assert_eq!(definition["category"], "search");
        let input = jsonschema::validator_for(&definition["inputSchema"]).unwrap();
        assert!(input.is_valid(&arguments(tool)), "{tool}");
        let output = jsonschema::validator_for(&definition["outputSchema"]).unwrap();
        let answer = port.call("demo", tool, arguments(tool)).await;
        let faults: Vec<String> = output
            .iter_errors(&answer)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{tool}: {faults:?} {answer}");
        assert_eq!(answer["status"], "ok", "{tool}: {answer}");
    }
}

#[tokio::test]
async fn without_a_source_the_operator_is_told_what_to_do_and_the_rest_works() {
    let port = Port::with(|config| config.sources.clear()).await;
    for tool in TOOLS {
        let answer = port.call("demo", tool, arguments(tool)).await;
        assert_eq!(answer["status"], "no_data", "{tool}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains("[[sources]]") && message.contains("'demo'"),
            "{message}"
        );
    }
    port.ok("demo", "list_loggers", json!({})).await;
}

#[tokio::test]
async fn a_source_of_others_does_not_exist() {
    let port = Port::with(|config| {
        let mut secret = config.sources[0].clone();
        secret.name = "secret".to_owned();
        secret.tenants = vec!["rival".to_owned()];
        config.sources.push(secret);
    })
    .await;
    for tool in TOOLS {
        let mut messages = Vec::new();
        for name in ["secret", "absent"] {
            let mut asked = arguments(tool);
            asked["source"] = json!(name);
            let answer = port.call("demo", tool, asked).await;
            assert_eq!(answer["status"], "no_data", "{tool}: {answer}");
            messages.push(answer["message"].as_str().unwrap().replace(name, "it"));
        }
        assert_eq!(messages[0], messages[1], "{tool}");
        assert!(
            messages[0].ends_with("There is: shipping."),
            "{}",
            messages[0]
        );
        let answer = port.call("stranger", tool, arguments(tool)).await;
        assert_eq!(answer["status"], "no_data", "{tool}: {answer}");
    }
    let list = port.ok("demo", "list_sources", json!({})).await;
    assert_eq!(list["sources"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(
        port.ok("rival", "list_sources", json!({})).await["sources"][1]["name"],
        "secret"
    );
}

#[tokio::test]
async fn a_source_is_described_with_its_words_and_its_day() {
    let port = Port::open().await;
    let list = port
        .ok("demo", "list_sources", json!({ "source": "shipping" }))
        .await;
    let source = &list["sources"][0];
    assert_eq!(
        (&source["today"], &source["today_from"]),
        (&json!("2025-01-15"), &json!("configuration"))
    );
    assert_eq!(source["query_types"], json!(["elasticsearch", "graphql"]));
    let shipments = &source["indices"][0];
    assert_eq!(
        (&shipments["name"], &shipments["date_field"]),
        (&json!("shipments"), &json!("actual_arrival"))
    );
    let fields = shipments["fields"].as_array().unwrap();
    let field = |name: &str| fields.iter().find(|field| field["name"] == name);
    assert_eq!(field("destination_port_id").unwrap()["entity_type"], "port");
    assert_eq!(field("delay_hours").unwrap()["field_type"], "double");
    assert!(field("tenant").is_none(), "{fields:?}");
}

#[tokio::test]
async fn arguments_out_of_bounds_are_422() {
    let port = Port::open().await;
    let structure = |more: Value| {
        let mut structure = json!({ "index": "ports" });
        structure
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({ "query_type": "elasticsearch", "structure": structure })
    };
    for (tool, arguments, pointer) in [
        ("list_sources", json!({ "source": "" }), "/source"),
        ("list_sources", json!({ "tenant": "rival" }), "/tenant"),
        ("entity_resolution", json!({}), "/text"),
        ("entity_resolution", json!({ "text": "" }), "/text"),
        (
            "entity_resolution",
            json!({ "text": "x".repeat(16_385) }),
            "/text",
        ),
        (
            "entity_resolution",
            json!({ "text": "x", "mentions": [{ "text": "" }] }),
            "/mentions/0/text",
        ),
        (
            "entity_resolution",
            json!({ "text": "x", "mentions": [{ "text": "a\u{0}b" }] }),
            "/mentions/0/text",
        ),
        (
            "entity_resolution",
            json!({ "text": "x", "answers": [{ "about": "entity:x" }] }),
            "/answers/0/text",
        ),
        (
            "field_mapping",
            json!({ "text": "x", "terms": [{ "text": "x", "role": "smell" }] }),
            "/terms/0/role",
        ),
        (
            "field_mapping",
            json!({ "text": "x", "index": null }),
            "/index",
        ),
        (
            "query_builder",
            structure(json!({ "limit": 0 })),
            "/structure/limit",
        ),
        (
            "query_builder",
            structure(json!({ "limit": 10_001 })),
            "/structure/limit",
        ),
        (
            "query_builder",
            structure(json!({ "script": "1" })),
            "/structure/script",
        ),
        (
            "query_builder",
            structure(json!({ "filters": [{ "field": "name", "op": "regexp" }] })),
            "/structure/filters/0/op",
        ),
        (
            "query_builder",
            json!({ "query_type": "sql", "structure": { "index": "ports" } }),
            "/query_type",
        ),
        ("es_executor", json!({ "query": {} }), "/index"),
        (
            "es_executor",
            json!({ "index": "ports", "query": [] }),
            "/query",
        ),
        (
            "es_executor",
            json!({ "index": "ports", "query": "match_all" }),
            "/query",
        ),
        (
            "graphql_executor",
            json!({ "query": "{ ports { name } }" }),
            "/query",
        ),
        (
            "graphql_executor",
            json!({ "query": { "query": "x".repeat(65_537) } }),
            "/query/query",
        ),
    ] {
        let (status, problem) = port.app.call_as("demo", tool, arguments.clone()).await;
        assert_eq!(
            (status, &problem["errors"][0]["pointer"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!(pointer)),
            "{tool} {problem}"
        );
    }
}

#[tokio::test]
async fn each_call_needs_its_scope() {
    let port = Port::open().await;
    let powerless = port.app.token("demo", &["questions:write"]);
    for tool in TOOLS {
        let (path, body) = (format!("/api/tools/{tool}"), arguments(tool).to_string());
        assert_eq!(
            port.app
                .send(Method::POST, &path, Some(&powerless), &body)
                .await
                .0,
            StatusCode::FORBIDDEN,
            "{tool}"
        );
        assert_eq!(
            port.app.send(Method::POST, &path, None, &body).await.0,
            StatusCode::UNAUTHORIZED,
            "{tool}"
        );
    }
}

#[tokio::test]
async fn a_source_that_is_away_fails_its_calls_by_name_and_nothing_else() {
    let port = Port::with(|config| config.sources.push(away())).await;
    for tool in TOOLS {
        let mut asked = arguments(tool);
        if tool == "graphql_executor" {
            // It is not asked this way.
            port.ok("demo", tool, asked).await;
            continue;
        }
        asked["source"] = json!("archive");
        let answer = port.call("demo", tool, asked).await;
        if tool == "list_sources" {
            assert!(
                answer["result"]["sources"][0]["unavailable"]
                    .as_str()
                    .unwrap()
                    .contains("'archive'"),
                "{answer}"
            );
            continue;
        }
        assert_eq!(answer["status"], "error", "{tool}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert_eq!(message.matches("'archive'").count(), 1, "{tool}: {message}");
        for secret in ["127.0.0.1", "secret", "reader", "postgres"] {
            assert!(!message.contains(secret), "{message}");
        }
        if tool.ends_with("executor") {
            assert_eq!(answer["result"]["outcome"], "unavailable", "{answer}");
        }
        // Of the others, the one that is there answers.
        let mut asked = arguments(tool);
        asked["source"] = json!("shipping");
        port.ok("demo", tool, asked).await;
        if tool != "query_builder" {
            port.ok("demo", tool, arguments(tool)).await;
        }
    }
    let list = port.ok("demo", "list_sources", json!({})).await;
    assert!(
        list["sources"][0]["unavailable"].is_null() && !list["sources"][1]["unavailable"].is_null(),
        "{list}"
    );
    // What is not known to the one that is there may be known to the other.
    let answer = port
        .call(
            "demo",
            "entity_resolution",
            json!({ "text": "shipments to Atlantis" }),
        )
        .await;
    assert_eq!(answer["status"], "error");
    assert!(
        answer["message"].as_str().unwrap().contains("'archive'"),
        "{answer}"
    );
}
