//! The audit log.

use chrono::TimeDelta;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use service_kit::clock::RandomIds;

use crate::bench::{Bench, PASSWORD, With, get, post};
use crate::people::{account, token, with_method};

async fn entries(bench: &Bench, by: &str, query: &str) -> Vec<Value> {
    let list = bench
        .send(get(&format!("/api/audit{query}")).bearer(by))
        .await;
    assert_eq!(list.status, StatusCode::OK, "{}", list.body);
    list.body["entries"].as_array().unwrap().clone()
}

fn actions(entries: &[Value]) -> Vec<(&str, &str)> {
    let parts = entries.iter().map(|entry| {
        (
            entry["action"].as_str().unwrap(),
            entry["outcome"].as_str().unwrap(),
        )
    });
    parts.collect()
}

#[tokio::test]
async fn the_log_says_who_did_what_to_whom_when_and_from_where() {
    let bench = Bench::start().await;
    let boss = account(&bench, "boss", "acme", "administrator").await;
    let made = post(
        "/api/accounts",
        &json!({ "username": "carl", "password": PASSWORD }),
    );
    let made = made.bearer(&boss).from("203.0.113.7");
    assert_eq!(bench.send(made).await.status, StatusCode::CREATED);
    let refused = with_method(
        Method::PATCH,
        "/api/accounts/carl",
        &json!({ "role": "installation_administrator" }),
    );
    assert_eq!(
        bench.send(refused.bearer(&boss)).await.status,
        StatusCode::FORBIDDEN
    );
    let wrong = json!({ "username": "carl", "password": "wrong password" });
    bench
        .send(post("/auth/token", &wrong).from("198.51.100.9"))
        .await;
    let unknown = json!({ "username": "a secret in the wrong field", "password": PASSWORD });
    bench.send(post("/auth/login", &unknown)).await;
    bench
        .send(post("/api/tokens", &json!({ "name": "nightly" })).bearer(&boss))
        .await;
    // Conversations are not in the log, nor what a stranger tries.
    bench
        .send(post("/api/chat", &json!({})).bearer(&boss))
        .await;
    bench.send(post("/api/accounts", &json!({}))).await;

    let log = entries(&bench, &boss, "").await;
    assert_eq!(
        actions(&log),
        [
            ("create_api_key", "done"),
            ("create_token", "refused"),
            ("change_account", "refused"),
            ("create_account", "done"),
            ("create_token", "done"),
            ("create_account", "done"),
        ]
    );
    let created = &log[3];
    assert_eq!(
        (
            &created["actor_name"],
            &created["account_name"],
            &created["address"]
        ),
        (&json!("boss"), &json!("carl"), &json!("203.0.113.7"))
    );
    assert_eq!(
        (
            &created["tenant"],
            &created["credential"],
            &created["status"]
        ),
        (&json!("acme"), &json!("token"), &json!(201))
    );
    assert_eq!(created["at"], "2027-01-15T08:00:00Z");
    let failed = &log[1];
    assert_eq!(
        (
            &failed["account_name"],
            &failed["address"],
            failed.get("actor_name")
        ),
        (&json!("carl"), &json!("198.51.100.9"), None)
    );
    // The name that no account has is not stored: it may be a password.
    let demo = token(&bench, "demo", PASSWORD).await;
    let all = entries(&bench, &demo, "?action=login").await;
    assert_eq!(actions(&all), [("login", "refused")]);
    assert!(!json!(all).to_string().contains("secret"));
    let text: Vec<String> = sqlx::query_scalar("SELECT a::text FROM bff.audit a")
        .fetch_all(bench.database.pool())
        .await
        .unwrap();
    assert!(
        text.iter()
            .all(|row| !row.contains("carl") && !row.contains("wrong field"))
    );
}

#[tokio::test]
async fn the_log_is_paged_and_filtered_and_for_administrators_of_the_tenant() {
    let bench = Bench::start().await;
    let boss = account(&bench, "boss", "acme", "administrator").await;
    let viewer = account(&bench, "carl", "acme", "viewer").await;
    let other = account(&bench, "dora", "other", "administrator").await;
    let refused = bench.send(get("/api/audit").bearer(&viewer)).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let mut seen = Vec::new();
    let mut query = "?limit=2".to_owned();
    loop {
        let page = bench
            .send(get(&format!("/api/audit{query}")).bearer(&boss))
            .await;
        let entries = page.body["entries"].as_array().unwrap();
        assert!(!entries.is_empty() && entries.len() <= 2);
        seen.extend(
            entries
                .iter()
                .map(|entry| entry["id"].as_str().unwrap().to_owned()),
        );
        match page.body["next_cursor"].as_str() {
            Some(next) => query = format!("?limit=2&cursor={next}"),
            None => break,
        }
    }
    let whole = entries(&bench, &boss, "").await;
    assert_eq!(seen.len(), whole.len());
    assert_eq!(entries(&bench, &boss, "?actor=carl").await.len(), 1);
    assert!(entries(&bench, &boss, "?outcome=failed").await.is_empty());
    assert!(
        entries(&bench, &boss, "?until=2027-01-15T08:00:00Z")
            .await
            .is_empty()
    );
    assert_eq!(
        entries(&bench, &boss, "?since=2027-01-15T08:00:00Z")
            .await
            .len(),
        whole.len()
    );
    let of_other = entries(&bench, &other, "").await;
    assert!(of_other.iter().all(|entry| entry["tenant"] == "other"));
    for (query, status) in [
        ("?tenant=other", StatusCode::FORBIDDEN),
        ("?actor=dora", StatusCode::UNPROCESSABLE_ENTITY),
        ("?limit=501", StatusCode::UNPROCESSABLE_ENTITY),
        ("?cursor=x", StatusCode::UNPROCESSABLE_ENTITY),
        ("?since=yesterday", StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let answer = bench
            .send(get(&format!("/api/audit{query}")).bearer(&boss))
            .await;
        assert_eq!(answer.status, status, "{query}");
    }
}

#[tokio::test]
async fn entries_are_not_changed_or_deleted() {
    let bench = Bench::start().await;
    token(&bench, "demo", PASSWORD).await;
    for statement in [
        "UPDATE bff.audit SET status = 500",
        "UPDATE bff.audit SET actor = NULL",
        "DELETE FROM bff.audit",
        "TRUNCATE bff.audit",
    ] {
        let error = sqlx::query(statement)
            .execute(bench.database.pool())
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("append-only"),
            "{statement}: {error}"
        );
    }
}

#[tokio::test]
async fn old_entries_end_after_the_time_of_their_tenant() {
    let bench = Bench::configured(|config| {
        config.audit.keep_days = 30;
        config.audit.keep_days_of.insert("acme".to_owned(), 400);
    })
    .await;
    account(&bench, "boss", "acme", "administrator").await;
    let count = async |tenant: &str| -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM bff.audit WHERE tenant = $1")
            .bind(tenant)
            .fetch_one(bench.database.pool())
            .await
            .unwrap()
    };
    let background = bff::build(
        bench.config.clone(),
        bench.clock.clone(),
        RandomIds::shared(),
    )
    .await
    .unwrap()
    .erasures;
    background.delete_old_entries().await.unwrap();
    assert_eq!((count("demo").await, count("acme").await), (1, 2));
    bench.clock.advance(TimeDelta::days(31));
    background.delete_old_entries().await.unwrap();
    assert_eq!((count("demo").await, count("acme").await), (0, 2));
    bench.clock.advance(TimeDelta::days(370));
    background.delete_old_entries().await.unwrap();
    assert_eq!(count("acme").await, 0);
}
