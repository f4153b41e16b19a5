//! The HTTP contract: who may call what, and what is answered when it is not right.

use contracts::tools::{
    analysis_definitions, knowledge_definitions, search_definitions, solar_definitions,
    sql_definitions,
};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{App, TENANT, database};

#[tokio::test]
async fn every_documented_operation_is_there() {
    let database = database().await;
    let app = App::over(database.url());
    let token = app.token(TENANT, &["tools:read", "measurements:write"]);
    let document = contracts::openapi::tools_document();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let Ok(method) = Method::from_bytes(method.to_uppercase().as_bytes()) else {
                continue;
            };
            let path = path.replace("{name}", "list_loggers");
            let (status, problem) = app.send(method.clone(), &path, Some(&token), "").await;
            assert_ne!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
            assert_ne!(problem["code"], "route_not_found", "{method} {path}");
            assert!(!status.is_server_error(), "{method} {path}: {problem}");
        }
    }
}

#[tokio::test]
async fn nothing_but_health_and_documents_works_without_an_identity() {
    let database = database().await;
    let app = App::over(database.url());
    for (method, path) in [
        (Method::GET, "/api/tools"),
        (Method::GET, "/api/tools/list_loggers"),
        (Method::POST, "/api/tools/list_loggers"),
        (Method::POST, "/api/measurements"),
    ] {
        assert_eq!(
            app.send(method.clone(), path, None, "{}").await.0,
            StatusCode::UNAUTHORIZED,
            "{path}"
        );
        let powerless = app.token(TENANT, &["other:scope"]);
        let (status, _) = app.send(method, path, Some(&powerless), "{}").await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
    }
    for path in [
        "/api/health",
        "/health/live",
        "/health/ready",
        "/openapi.json",
    ] {
        assert_eq!(
            app.send(Method::GET, path, None, "").await.0,
            StatusCode::OK,
            "{path}"
        );
    }
}

#[tokio::test]
async fn health_has_the_documents_shape() {
    let database = database().await;
    let app = App::over(database.url());
    let (_, health) = app.send(Method::GET, "/api/health", None, "").await;
    assert_eq!(health["status"], "healthy");
    assert_eq!(health["service"], "solar-analyst-http");
    assert_eq!(health["details"]["type"], "health_check");
    assert_eq!(health["details"]["database"], "healthy");
    let tool = app.ok("health_check", json!({})).await;
    assert_eq!(tool["result"]["status"], "healthy");
}

/// The tools of every family, without any upstream.
fn known_names() -> Vec<String> {
    let families = [
        solar_definitions(),
        sql_definitions(),
        knowledge_definitions(),
        search_definitions(),
        analysis_definitions(),
    ];
    families
        .into_iter()
        .flatten()
        .map(|definition| definition.name)
        .collect()
}

#[tokio::test]
async fn tools_are_described_in_every_form() {
    let database = database().await;
    let app = App::over(database.url());
    let token = app.token(TENANT, &["tools:read"]);
    let (_, list) = app.send(Method::GET, "/api/tools", Some(&token), "").await;
    let names: Vec<&str> = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, known_names());
    for format in ["openai", "anthropic", "gemini", "mcp"] {
        let (status, rendered) = app
            .send(
                Method::GET,
                &format!("/api/tools?format={format}"),
                Some(&token),
                "",
            )
            .await;
        assert_eq!(status, StatusCode::OK);
        let text = rendered.to_string();
        assert!(names.iter().all(|name| text.contains(name)), "{format}");
    }
    let (status, _) = app
        .send(Method::GET, "/api/tools?format=soap", Some(&token), "")
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let (status, tool) = app
        .send(Method::GET, "/api/tools/get_power_curve", Some(&token), "")
        .await;
    assert_eq!(
        (status, &tool["name"]),
        (StatusCode::OK, &json!("get_power_curve"))
    );
}

#[tokio::test]
async fn an_unknown_tool_is_404_and_the_names_are_listed() {
    let database = database().await;
    let app = App::over(database.url());
    for arguments in [json!({}), json!("nonsense")] {
        let (status, problem) = app.call_as(TENANT, "make_coffee", arguments).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
        assert_eq!(problem["available"], json!(known_names()));
    }
}

#[tokio::test]
async fn bad_arguments_are_422_with_a_pointer_to_each() {
    let database = database().await;
    let app = App::over(database.url());
    let cases: [(&str, Value, &[&str]); 9] = [
        (
            "analyze_inverter_health",
            json!({ "logger_id": "A", "days": 0 }),
            &["/days"],
        ),
        (
            "analyze_inverter_health",
            json!({ "days": "seven", "site_id": "" }),
            &["/days", "/site_id"],
        ),
        (
            "diagnose_error_codes",
            json!({ "logger_id": "A", "days": 31 }),
            &["/days"],
        ),
        (
            "forecast_production",
            json!({ "logger_id": "A", "days_ahead": 8, "hours": 1 }),
            &["/days_ahead", "/hours"],
        ),
        (
            "get_power_curve",
            json!({ "logger_id": "", "date": "tomorrow" }),
            &["/date", "/logger_id"],
        ),
        (
            "get_power_curve",
            json!({ "logger_id": "A", "date": "9999-01-01" }),
            &["/date"],
        ),
        (
            "compare_loggers",
            json!({ "logger_ids": ["A", "A"] }),
            &["/logger_ids/1"],
        ),
        (
            "compare_loggers",
            json!({ "logger_ids": ["A", "B"], "date": "2025-02-02", "end_date": "2025-02-01" }),
            &["/end_date"],
        ),
        (
            "calculate_financial_savings",
            json!({ "logger_id": "A", "start_date": "2025-02-02", "end_date": "2025-02-01", "rate": 0.1 }),
            &["/end_date"],
        ),
    ];
    for (tool, arguments, pointers) in cases {
        let (status, problem) = app.call_as(TENANT, tool, arguments.clone()).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{tool} {arguments}: {problem}"
        );
        let mut found: Vec<&str> = problem["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fault| fault["pointer"].as_str().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, pointers, "{tool} {arguments}: {problem}");
    }
    let token = app.token(TENANT, &["tools:read"]);
    let (status, _) = app
        .send(Method::POST, "/api/tools/list_loggers", Some(&token), "{")
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let large = format!("{{\"site_id\": \"{}\"}}", "x".repeat(10_000_000));
    let (status, problem) = app
        .send(
            Method::POST,
            "/api/tools/list_loggers",
            Some(&token),
            &large,
        )
        .await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("body_too_large"))
    );
}
