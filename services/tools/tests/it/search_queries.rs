//! Building queries and running them, over HTTP; and queries that may not be run.

use serde_json::{Value, json};

use crate::search_support::Port;

/// Shipments to the Port of Miami, the latest first.
fn structure() -> Value {
    json!({
        "index": "shipments",
        "filters": [{ "field": "destination_port_id", "op": "is", "values": ["USMIA"], "label": "Port of Miami" }],
        "time_range": { "start": "2025-01-08", "end": "2025-01-15" },
        "fields": ["shipment_id", "delay_hours"],
        "sort": [{ "by": "delay_hours", "descending": true }],
        "limit": 5,
    })
}

async fn built(port: &Port, tenant: &str, query_type: &str, structure: Value) -> Value {
    let arguments = json!({ "query_type": query_type, "structure": structure });
    port.ok(tenant, "query_builder", arguments).await["query"].take()
}

async fn executed(port: &Port, tenant: &str, query: &Value) -> Value {
    let (tool, arguments) = match query["query_type"].as_str().unwrap() {
        "graphql" => (
            "graphql_executor",
            json!({ "query": query["query"], "source": query["source"] }),
        ),
        _ => (
            "es_executor",
            json!({ "index": query["index"], "query": query["query"] }),
        ),
    };
    port.ok(tenant, tool, arguments).await["run"].take()
}

#[tokio::test]
async fn what_is_built_is_run_either_way_for_each_tenant() {
    let port = Port::open().await;
    for query_type in ["elasticsearch", "graphql"] {
        let query = built(&port, "demo", query_type, structure()).await;
        assert_eq!(
            (
                &query["source"],
                &query["estimated_records"],
                &query["needs_approval"]
            ),
            (&json!("shipping"), &json!(20), &json!(false)),
            "{query}"
        );
        let run = executed(&port, "demo", &query).await;
        assert_eq!(
            (
                &run["total"]["value"],
                run["rows"].as_array().unwrap().len()
            ),
            (&json!(20), 5),
            "{run}"
        );
        assert_eq!(run["rows"][0]["shipment_id"], "SHP-1029");
        // The same query of another tenant is about its own.
        let run = executed(&port, "rival", &query).await;
        assert_eq!(
            (&run["total"]["value"], &run["rows"][0]["shipment_id"]),
            (&json!(1), &json!("RIVAL-1"))
        );
    }
    let groups = json!({ "index": "shipments", "group_by": [{ "field": "status" }], "measures": [{ "op": "average", "field": "delay_hours" }, { "op": "count" }] });
    let query = built(&port, "demo", "elasticsearch", groups).await;
    let run = executed(&port, "demo", &query).await;
    assert_eq!(
        (
            &run["aggregated"],
            run["rows"].as_array().unwrap().len(),
            &run["total"]["value"]
        ),
        (&json!(true), 2, &json!(30)),
        "{run}"
    );
}

#[tokio::test]
async fn nothing_found_is_an_answer() {
    let port = Port::open().await;
    let mut structure = structure();
    structure["time_range"] = json!({ "start": "1999-01-01", "end": "1999-01-02" });
    let query = built(&port, "demo", "elasticsearch", structure).await;
    let run = executed(&port, "demo", &query).await;
    assert_eq!(
        (&run["total"]["value"], &run["rows"]),
        (&json!(0), &json!([]))
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_structure_is_told_with_its_place() {
    let port = Port::open().await;
    for (structure, code, pointer) in [
        (json!({ "index": "secrets" }), "unknown_index", "/index"),
        (
            json!({ "index": "pg_catalog.pg_authid" }),
            "unknown_index",
            "/index",
        ),
        (
            json!({ "index": "ports", "fields": ["password"] }),
            "unknown_field",
            "/fields/0",
        ),
        (
            json!({ "index": "ports", "fields": ["tenant"] }),
            "unknown_field",
            "/fields/0",
        ),
        (
            json!({ "index": "ports", "filters": [{ "field": "tenant", "op": "is", "values": ["rival"] }] }),
            "unknown_field",
            "/filters/0/field",
        ),
        (
            json!({ "index": "shipments", "measures": [{ "op": "sum", "field": "status" }] }),
            "wrong_type",
            "/measures/0/field",
        ),
    ] {
        for query_type in ["elasticsearch", "graphql"] {
            let arguments = json!({ "query_type": query_type, "structure": structure });
            let answer = port.call("demo", "query_builder", arguments).await;
            let problem = &answer["result"]["problems"][0];
            assert_eq!(
                (&answer["status"], &problem["code"], &problem["pointer"]),
                (&json!("error"), &json!(code), &json!(pointer)),
                "{structure}: {answer}"
            );
            let message = answer["message"].as_str().unwrap();
            assert!(
                message.ends_with(problem["message"].as_str().unwrap()),
                "{message}"
            );
            assert_eq!(message.matches("'shipping'").count(), 1, "{message}");
            assert!(answer["result"]["query"].is_null());
        }
    }
}

/// Bodies that reach no source.
fn hostile() -> Vec<(&'static str, Value)> {
    let all = || json!({ "match_all": {} });
    vec![
        (
            "ports",
            json!({ "query": { "script": { "script": "doc['x'].value" } } }),
        ),
        (
            "ports",
            json!({ "query": { "script_score": { "query": all(), "script": { "source": "1" } } } }),
        ),
        (
            "ports",
            json!({ "query": all(), "script_fields": { "x": { "script": "1" } } }),
        ),
        (
            "ports",
            json!({ "query": all(), "runtime_mappings": { "x": { "type": "keyword", "script": "emit('x')" } } }),
        ),
        ("ports", json!({ "query": { "regexp": { "name": ".*" } } })),
        (
            "ports",
            json!({ "query": { "wildcard": { "name": "*iami" } } }),
        ),
        (
            "ports",
            json!({ "query": { "query_string": { "query": "tenant:rival" } } }),
        ),
        (
            "ports",
            json!({ "query": { "term": { "tenant": "rival" } } }),
        ),
        (
            "ports",
            json!({ "query": { "bool": { "should": [all(), { "term": { "tenant": "rival" } }] } } }),
        ),
        (
            "ports",
            json!({ "query": { "bool": { "must_not": [{ "term": { "tenant": "demo" } }] } } }),
        ),
        (
            "ports",
            json!({ "query": { "terms": { "port_id": { "index": "vessels", "id": "1", "path": "x" } } } }),
        ),
        ("ports", json!({ "query": all(), "_source": ["tenant"] })),
        (
            "ports",
            json!({ "query": all(), "sort": [{ "_script": { "type": "number", "script": "1" } }] }),
        ),
        (
            "ports",
            json!({ "query": all(), "sort": [{ "tenant": "asc" }] }),
        ),
        (
            "ports",
            json!({ "query": all(), "aggs": { "x": { "terms": { "field": "tenant" } } }, "size": 0 }),
        ),
        (
            "ports",
            json!({ "query": all(), "aggs": { "x": { "global": {}, "aggs": {} } }, "size": 0 }),
        ),
        (
            "ports",
            json!({ "query": all(), "aggs": { "x": { "scripted_metric": { "map_script": "1" } } }, "size": 0 }),
        ),
        (
            "ports",
            json!({ "query": all(), "suggest": { "text": "rival" } }),
        ),
        (
            "ports",
            json!({ "query": all(), "docvalue_fields": ["tenant"] }),
        ),
        (
            "ports",
            json!({ "query": { "more_like_this": { "like": "rival" } } }),
        ),
        (
            "ports",
            json!({ "query": { "term": { "name'; DROP TABLE freight.ports; --": "x" } } }),
        ),
        ("ports,vessels", json!({ "query": all() })),
        ("*", json!({ "query": all() })),
        ("_all", json!({ "query": all() })),
        ("../ports", json!({ "query": all() })),
        ("freight.ports", json!({ "query": all() })),
    ]
}

#[tokio::test]
async fn hostile_bodies_are_refused_before_anything_is_asked() {
    let port = Port::open().await;
    let mut let_through = Vec::new();
    for (index, query) in hostile() {
        let answer = port
            .call(
                "demo",
                "es_executor",
                json!({ "index": index, "query": query }),
            )
            .await;
        let refused = answer["status"] == "error"
            && answer["result"]["outcome"] == "refused"
            && answer["result"]["run"].is_null();
        let told = answer["result"]["problems"]
            .as_array()
            .is_some_and(|problems| !problems.is_empty())
            && answer["message"].is_string();
        if !refused || !told {
            let_through.push(format!("{index} {query}: {answer}"));
        }
    }
    for query in [
        "mutation { delete_ports { port_id } }",
        "subscription { ports { nodes { portId } } }",
        "{ ports { nodes { tenant } } }",
        "{ ports(where: { tenant: { eq: \"rival\" } }) { nodes { portId } } }",
        "{ secrets { nodes { id } } }",
        "query A { ports { nodes { portId } } } query B { ports { nodes { portId } } }",
        "{ ports { nodes { portId",
        "{ ...F } fragment F on Query { ...F }",
    ] {
        let answer = port
            .call(
                "demo",
                "graphql_executor",
                json!({ "query": { "query": query } }),
            )
            .await;
        if answer["status"] != "error" || answer["result"]["outcome"] != "refused" {
            let_through.push(format!("{query}: {answer}"));
        }
    }
    assert!(let_through.is_empty(), "{let_through:#?}");
    let ports: i64 = sqlx::query_scalar("SELECT count(*) FROM freight.ports")
        .fetch_one(&port.app.pool)
        .await
        .unwrap();
    assert_eq!(ports, 6);
}

#[tokio::test]
async fn values_are_values_whatever_is_in_them() {
    let port = Port::open().await;
    for value in [
        "' OR tenant = 'rival",
        "rival-harbour",
        "\\'; --",
        "\u{1F6A2}",
        "%",
        "$1",
    ] {
        let structure = json!({ "index": "ports", "filters": [{ "field": "name", "op": "is", "values": [value] }] });
        for query_type in ["elasticsearch", "graphql"] {
            let query = built(&port, "demo", query_type, structure.clone()).await;
            let run = executed(&port, "demo", &query).await;
            assert_eq!(run["total"]["value"], 0, "{value}: {run}");
        }
    }
    let everything = port
        .ok(
            "demo",
            "es_executor",
            json!({ "index": "ports", "query": { "query": { "match_all": {} } } }),
        )
        .await;
    assert!(!everything.to_string().contains("rival"), "{everything}");
    let everything = port.ok("demo", "graphql_executor", json!({ "query": { "query": "{ ports { nodes { portId name country } } shipments { nodes { shipmentId } } }" } })).await;
    assert!(
        !everything.to_string().to_lowercase().contains("rival"),
        "{everything}"
    );
}
