//! The time for which a tenant keeps its audit log, set by its administrators.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::routing::get as route;
use bff::erasure::Erasures;
use chrono::TimeDelta;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use service_kit::clock::RandomIds;

use crate::bench::{Answer, Bench, With, get};
use crate::people::{account, with_method};

/// An orchestrator that notes the requests to set its part.
async fn orchestrator() -> (String, Arc<Mutex<Vec<Value>>>) {
    let kept = json!({
        "threads_hours": null, "run_events_hours": 24, "cleanup_interval_hours": 1.0,
        "threads": { "hours": null, "own_days": null, "default_hours": null, "least_days": 1, "most_days": 36500, "fixed": false },
        "runs": { "hours": 24, "own_days": null, "default_hours": 24, "least_days": 1, "most_days": 400, "fixed": false },
    });
    let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (noted, again) = (asked.clone(), kept.clone());
    let set = move |axum::Json(body): axum::Json<Value>| async move {
        noted.lock().unwrap().push(body);
        axum::Json(again)
    };
    let router = Router::new().route(
        "/v1/retention",
        route(async move || axum::Json(kept)).put(set),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

async fn set(bench: &Bench, token: &str, body: Value) -> Answer {
    let request = with_method(Method::PUT, "/api/retention", &body);
    bench.send(request.bearer(token)).await
}

/// The work of a bff in the background, by hand.
async fn background(bench: &Bench) -> Erasures {
    let ids = RandomIds::shared();
    let app = bff::build(bench.config.clone(), bench.clock.clone(), ids).await;
    app.unwrap().erasures
}

/// The entries of a tenant.
async fn entries(bench: &Bench, tenant: &str) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM bff.audit WHERE tenant = $1")
        .bind(tenant)
        .fetch_one(bench.database.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn each_tenant_keeps_its_audit_log_as_long_as_its_administrator_says() {
    let (url, asked) = orchestrator().await;
    let bench = Bench::configured(|config| config.upstream.orchestrator_url = url).await;
    let acme = account(&bench, "boss", "acme", "administrator").await;
    let other = account(&bench, "chief", "other", "administrator").await;
    let running = background(&bench).await;

    let before = bench.send(get("/api/retention").bearer(&acme)).await;
    assert_eq!(before.status, StatusCode::OK, "{}", before.body);
    assert_eq!(before.body["audit"]["hours"], 400 * 24);
    let days = json!({ "threads_days": 30, "runs_days": null, "audit_days": 1 });
    let answer = set(&bench, &acme, days).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.body["audit"]["own_days"], 1);
    assert_eq!(
        asked.lock().unwrap().as_slice(),
        [json!({ "threads_days": 30, "runs_days": null, "audit_days": null })]
    );
    // The change is in the log, of this tenant only.
    let log = "/api/audit?action=set_retention";
    let log_of = async |token: &str| bench.send(get(log).bearer(token)).await.body;
    assert_eq!(
        log_of(&acme).await["entries"][0]["object"],
        "threads 30 days; runs as the installation; audit 1 days"
    );
    assert_eq!(log_of(&other).await["entries"], json!([]));
    let elsewhere = bench.send(get("/api/retention").bearer(&other)).await;
    assert_eq!(elsewhere.body["audit"]["own_days"], Value::Null);

    // A replica that runs since before the change deletes by it.
    let kept = entries(&bench, "other").await;
    assert!(kept > 0 && entries(&bench, "acme").await > 0);
    bench.clock.advance(TimeDelta::days(2));
    running.delete_old_entries().await.unwrap();
    assert_eq!(entries(&bench, "acme").await, 0);
    assert_eq!(entries(&bench, "other").await, kept);
}

#[tokio::test]
async fn days_beyond_the_installation_s_are_refused_and_nothing_is_changed() {
    let (url, asked) = orchestrator().await;
    let bench = Bench::configured(|config| {
        config.upstream.orchestrator_url = url;
        config.audit.tenant_least_days = 30;
        config.audit.tenant_most_days = 90;
        config.audit.keep_days_of.insert("named".to_owned(), 7);
    })
    .await;
    let acme = account(&bench, "boss", "acme", "administrator").await;
    for days in [0, 29, 91] {
        let answer = set(&bench, &acme, json!({ "audit_days": days })).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(answer.body["errors"][0]["pointer"], "/audit_days");
        let detail = answer.body["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.contains("30 to 90 days"), "{detail}");
    }
    let named = account(&bench, "head", "named", "administrator").await;
    let answer = set(&bench, &named, json!({ "audit_days": 40 })).await;
    assert_eq!(answer.status, StatusCode::CONFLICT, "{}", answer.body);
    let answer = set(&bench, &acme, json!({ "audit": 40 })).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(asked.lock().unwrap().is_empty(), "nothing was passed on");
    let viewer = account(&bench, "ada", "acme", "editor").await;
    let answer = set(&bench, &viewer, json!({})).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn while_the_orchestrator_is_away_nothing_is_half_set() {
    let bench = Bench::start().await;
    let acme = account(&bench, "boss", "acme", "administrator").await;
    let answer = set(&bench, &acme, json!({ "audit_days": 40 })).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    let stored: i64 = sqlx::query_scalar("SELECT count(*) FROM bff.retention")
        .fetch_one(bench.database.pool())
        .await
        .unwrap();
    assert_eq!(stored, 0);
}
