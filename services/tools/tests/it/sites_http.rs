//! `/api/sites` and `/api/loggers`.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::App;
use crate::ingest_support::{csv, database, store};

const SCOPES: [&str; 2] = ["tools:read", "sites:write"];

async fn send(
    app: &App,
    tenant: &str,
    method: Method,
    path: &str,
    body: &Value,
) -> (StatusCode, Value) {
    let token = app.token(tenant, &SCOPES);
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    app.send(method, path, Some(&token), &body).await
}

#[tokio::test]
async fn sites_are_listed_as_they_were_posted_and_deleted_with_their_readings() {
    let database = database().await;
    let app = App::over(database.url());
    store(database.pool(), &csv("INV", 0..20)).await;
    let site = json!({"id": "hof", "name": "Hof", "timezone": "Europe/Berlin", "latitude": 52.5, "longitude": 13.4, "currency": "EUR",
        "co2_factor": {"kg_per_kwh": 0.4, "name": "DE", "year": 2024},
        "loggers": [{"id": "WX", "type": "mbmet", "role": "weather", "label": "right", "irradiance_basis": "poa"},
                    {"id": "WR", "type": "lti", "role": "inverter", "capacity_kw": 10.5, "label": "right", "irradiance_basis": "unknown", "sensor": "WX"}]});
    let (status, stored) = send(
        &app,
        "acme",
        Method::POST,
        "/api/sites",
        &json!({ "sites": [site] }),
    )
    .await;
    assert_eq!(
        (status, &stored),
        (
            StatusCode::OK,
            &json!({"sites": 1, "loggers": 2, "recomputed": 0})
        )
    );
    let (_, list) = send(&app, "acme", Method::GET, "/api/sites", &Value::Null).await;
    let mut listed = list["sites"][0].clone();
    listed["loggers"].as_array_mut().unwrap().reverse();
    assert_eq!(listed, site, "{list}");
    assert_eq!(list["sites"][1]["id"], "roof");
    // What is listed can be posted again.
    let (status, again) = send(&app, "acme", Method::POST, "/api/sites", &list).await;
    assert_eq!(
        (status, &again["loggers"]),
        (StatusCode::OK, &json!(3)),
        "{again}"
    );
    let (_, loggers) = send(
        &app,
        "acme",
        Method::GET,
        "/api/loggers?site=roof",
        &Value::Null,
    )
    .await;
    assert_eq!(
        (
            &loggers["loggers"][0]["id"],
            &loggers["loggers"][0]["readings"]
        ),
        (&json!("INV"), &json!(20))
    );

    for (path, status) in [
        (
            "/api/loggers/INV?confirm=WR",
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        ("/api/loggers/none?confirm=none", StatusCode::NOT_FOUND),
        ("/api/loggers/INV?confirm=INV", StatusCode::NO_CONTENT),
        ("/api/sites/hof?confirm=hof", StatusCode::NO_CONTENT),
        ("/api/sites/hof?confirm=hof", StatusCode::NOT_FOUND),
    ] {
        let (found, problem) = send(&app, "acme", Method::DELETE, path, &Value::Null).await;
        assert_eq!(found, status, "{path}: {problem}");
    }
    let left: i64 = sqlx::query_scalar("SELECT (SELECT count(*) FROM tools.measurements) + (SELECT count(*) FROM tools.daily) + (SELECT count(*) FROM tools.code_runs) + (SELECT count(*) FROM tools.loggers)")
        .fetch_one(database.pool())
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn faults_name_the_site_and_tenants_are_apart() {
    let database = database().await;
    let app = App::over(database.url());
    for (body, words) in [
        (json!({ "sites": [] }), "is empty"),
        (
            json!({ "sites": [{"id": "a", "timezone": "Mars"}] }),
            "site \"a\"",
        ),
        (
            json!({ "sites": [{"id": "a", "timezone": "UTC", "loggers": [{"id": "L", "role": "cat"}]}] }),
            "logger \"L\"",
        ),
        (
            json!({ "sites": [{"id": "no\u{ad}rth", "timezone": "UTC"}] }),
            "the site's id holds characters that cannot be seen",
        ),
        (
            json!({ "sites": [{"id": "x".repeat(65), "timezone": "UTC"}] }),
            "the site's id has 65 characters, more than 64",
        ),
        (
            json!({ "sites": [{"id": "a", "timezone": "UTC", "colour": "red"}] }),
            "colour",
        ),
    ] {
        let (status, problem) = send(&app, "acme", Method::POST, "/api/sites", &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        assert!(
            problem.to_string().contains(&words.replace('"', "\\\"")),
            "{words}: {problem}"
        );
    }
    let (_, list) = send(&app, "other", Method::GET, "/api/sites", &Value::Null).await;
    assert_eq!(list, json!({ "sites": [] }));
    let (status, _) = send(
        &app,
        "other",
        Method::DELETE,
        "/api/sites/roof?confirm=roof",
        &Value::Null,
    )
    .await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let reader = app.token("acme", &["tools:read"]);
    for (method, path) in [
        (Method::POST, "/api/sites"),
        (Method::DELETE, "/api/sites/roof?confirm=roof"),
        (Method::DELETE, "/api/loggers/x?confirm=x"),
    ] {
        let (status, _) = app
            .send(method, path, Some(&reader), "{\"sites\": []}")
            .await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
    }
}
