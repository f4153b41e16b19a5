//! Names on the wire that existing clients use: the tools and their arguments.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{App, TENANT, database};

/// A call of each solar tool, with all arguments that existing clients send.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("list_loggers", json!({})),
        ("get_fleet_overview", json!({})),
        (
            "analyze_inverter_health",
            json!({ "logger_id": "A", "days": 7 }),
        ),
        (
            "get_power_curve",
            json!({ "logger_id": "A", "date": "2025-02-01" }),
        ),
        (
            "compare_loggers",
            json!({ "logger_ids": ["A", "B"], "metric": "power", "date": "2025-02-01" }),
        ),
        (
            "calculate_financial_savings",
            json!({ "logger_id": "A", "start_date": "2025-02-01", "end_date": "2025-02-02", "rate": 0.2 }),
        ),
        (
            "calculate_performance_ratio",
            json!({ "logger_id": "A", "date": "2025-02-01", "capacity_kw": 5.0 }),
        ),
        (
            "forecast_production",
            json!({ "logger_id": "A", "days_ahead": 3 }),
        ),
        (
            "diagnose_error_codes",
            json!({ "logger_id": "A", "days": 7 }),
        ),
        ("health_check", json!({})),
    ]
}

/// The tools of the analyst.
const ANALYST: &[&str] = &[
    "entity_resolution",
    "field_mapping",
    "query_builder",
    "es_executor",
    "graphql_executor",
    "stats_analysis",
    "pattern_recognition",
];

#[tokio::test]
async fn tools_and_arguments_of_existing_clients_keep_their_names() {
    let database = database().await;
    let app = App::over(database.url());
    let token = app.token(TENANT, &["tools:read"]);
    for (tool, arguments) in calls() {
        let (status, answer) = app.call_as(TENANT, tool, arguments.clone()).await;
        assert_eq!(status, StatusCode::OK, "{tool} {arguments}: {answer}");
        assert!(answer["status"].is_string(), "{tool}: {answer}");
        // An argument that no client sends is rejected, so that the check above means something.
        let mut renamed = arguments;
        renamed["no_such_argument"] = json!(1);
        let (status, _) = app.call_as(TENANT, tool, renamed).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{tool}");
    }
    for tool in ANALYST {
        let path = format!("/api/tools/{tool}");
        let (status, _) = app.send(Method::GET, &path, Some(&token), "").await;
        assert_eq!(status, StatusCode::OK, "{tool}");
    }
}
