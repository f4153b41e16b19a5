//! Who gets a turn at a target, over HTTP.

use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::sql_targets::{Site, postgresql};

/// Calls `run_sql`; the status, `Retry-After`, and the body.
async fn run_sql(
    site: &Site,
    subject: &str,
    tenant: &str,
    sql: &str,
) -> (StatusCode, Option<u64>, Value) {
    let token = site.app.token_of(subject, tenant, &["tools:read"]);
    let request = Request::post("/api/tools/run_sql")
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {token}"))
        .body(Body::from(json!({ "sql": sql }).to_string()))
        .unwrap();
    let response = site.app.router().oneshot(request).await.unwrap();
    let status = response.status();
    let retry_after = response
        .headers()
        .get("retry-after")
        .map(|value| value.to_str().unwrap().parse().unwrap());
    let body = axum::body::to_bytes(response.into_body(), 1 << 20)
        .await
        .unwrap();
    (status, retry_after, serde_json::from_slice(&body).unwrap())
}

const COUNT: &str = "SELECT COUNT(*) AS n FROM question";

#[tokio::test]
async fn one_who_floods_a_target_is_told_that_it_is_busy_and_others_are_answered() {
    let target = postgresql().await;
    let mut config = target.config.clone();
    config.pool_size = 5;
    config.statements_per_user = 2;
    config.waiting_statements_per_user = 1;
    config.queue_timeout_ms = 60_000;
    let site = Site::over(vec![config]).await;
    // The catalogue is read before the table is locked.
    assert_eq!(run_sql(&site, "ada", "demo", COUNT).await.0, 200);
    let lock = target.lock("crew").await;
    let waits = "SELECT name FROM crew ORDER BY name";
    let (flood, told) = tokio::join!(
        async {
            tokio::join!(
                run_sql(&site, "ada", "demo", waits),
                run_sql(&site, "ada", "demo", waits),
            )
        },
        async {
            // While two run, of two more one waits, and for the other there is no room.
            let told = loop {
                let told = tokio::select! {
                    told = run_sql(&site, "ada", "demo", COUNT) => told,
                    told = run_sql(&site, "ada", "demo", COUNT) => told,
                };
                if told.0 == StatusCode::TOO_MANY_REQUESTS {
                    break told;
                }
            };
            for (subject, tenant) in [("alan", "demo"), ("ada", "rival")] {
                let (status, _, answer) = run_sql(&site, subject, tenant, COUNT).await;
                assert_eq!((status, &answer["status"]), (StatusCode::OK, &json!("ok")));
            }
            lock.release().await;
            told
        }
    );
    let (status, retry_after, problem) = told;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::TOO_MANY_REQUESTS, &json!("busy"))
    );
    assert_eq!(retry_after, Some(5));
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("'field' is busy: you have"),
        "{problem}"
    );
    for (status, _, answer) in [flood.0, flood.1] {
        assert_eq!(
            (status, &answer["status"]),
            (StatusCode::OK, &json!("ok")),
            "{answer}"
        );
    }
}
