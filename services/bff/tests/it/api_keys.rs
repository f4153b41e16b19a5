//! API keys of programs.

use chrono::TimeDelta;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::bench::{Answer, Bench, PASSWORD, With, get, post};
use crate::people::{account, token, with_method};

async fn create(bench: &Bench, by: &str, body: Value) -> Answer {
    bench.send(post("/api/tokens", &body).bearer(by)).await
}

async fn key(bench: &Bench, by: &str, scopes: &[&str]) -> String {
    let made = create(bench, by, json!({ "name": "nightly", "scopes": scopes })).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    made.body["token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_key_is_shown_once_and_works_where_an_access_token_does() {
    let bench = Bench::start().await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let made = create(&bench, &demo, json!({ "name": "nightly import" })).await;
    let key = made.body["token"].as_str().unwrap();
    assert!(key.starts_with("hk_") && key.len() == 46, "{key}");
    assert_eq!(made.body["key"]["scopes"], json!(["chat", "tools:read"]));
    let me = bench.send(get("/api/me").bearer(key)).await;
    assert_eq!(
        (
            me.status,
            &me.body["credential"],
            &me.body["account"]["username"]
        ),
        (StatusCode::OK, &json!("api_key"), &json!("demo"))
    );
    assert_eq!(me.body["account"]["scopes"], json!(["chat", "tools:read"]));
    let list = bench.send(get("/api/tokens").bearer(&demo)).await;
    let shown = &list.body["tokens"][0];
    assert!(key.starts_with(shown["prefix"].as_str().unwrap()));
    assert!(shown["last_used_at"].is_string(), "{shown}");
    assert!(!list.body.to_string().contains(key));
    let rows: Vec<String> = sqlx::query_scalar("SELECT k::text FROM bff.api_keys k")
        .fetch_all(bench.database.pool())
        .await
        .unwrap();
    assert!(rows.iter().all(|row| !row.contains(key)));
}

#[tokio::test]
async fn a_key_ends_when_it_expires_is_revoked_or_its_account_is_disabled() {
    let bench = Bench::start().await;
    let ada = account(&bench, "ada", "demo", "editor").await;
    let works = async |key: &str| bench.me(get("/auth/me").bearer(key)).await == StatusCode::OK;
    let short = create(
        &bench,
        &ada,
        json!({ "name": "short", "expires_in_days": 1 }),
    )
    .await;
    let short = short.body["token"].as_str().unwrap().to_owned();
    let (revoked, kept) = (
        key(&bench, &ada, &["chat"]).await,
        key(&bench, &ada, &["chat"]).await,
    );
    let list = bench.send(get("/api/tokens").bearer(&ada)).await;
    let id = list.body["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| revoked.starts_with(one["prefix"].as_str().unwrap()))
        .unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let revoke = |by: &str| {
        let path = format!("/api/tokens/{id}");
        with_method(Method::DELETE, &path, &json!({})).bearer(by)
    };
    let bob = account(&bench, "bob", "demo", "administrator").await;
    assert_eq!(
        bench.send(revoke(&bob)).await.status,
        StatusCode::NOT_FOUND,
        "not bob's own"
    );
    assert!(works(&revoked).await);
    assert_eq!(
        bench.send(revoke(&ada)).await.status,
        StatusCode::NO_CONTENT
    );
    assert!(!works(&revoked).await && works(&short).await);
    bench.clock.advance(TimeDelta::hours(25));
    assert!(!works(&short).await && works(&kept).await);
    let demo = token(&bench, "demo", PASSWORD).await;
    let disable = with_method(
        Method::PATCH,
        "/api/accounts/ada",
        &json!({ "disabled": true }),
    );
    assert_eq!(
        bench.send(disable.bearer(&demo)).await.status,
        StatusCode::OK
    );
    assert!(!works(&kept).await);
}

#[tokio::test]
async fn a_key_never_allows_more_than_its_owner_may_do_now() {
    let bench = Bench::start().await;
    let ada = account(&bench, "ada", "demo", "editor").await;
    for (body, status) in [
        (
            json!({ "name": "k", "scopes": ["accounts:write"] }),
            StatusCode::FORBIDDEN,
        ),
        (
            json!({ "name": "k", "scopes": ["banana"] }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            json!({ "name": "k", "scopes": [] }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (json!({ "name": " " }), StatusCode::UNPROCESSABLE_ENTITY),
        (
            json!({ "name": "k", "expires_in_days": 0 }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            json!({ "name": "k", "expires_in_days": 731 }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
    ] {
        let refused = create(&bench, &ada, body.clone()).await;
        assert_eq!(refused.status, status, "{body}");
    }
    let writes = key(&bench, &ada, &["chat", "documents:write"]).await;
    let scopes = async || {
        let me = bench.send(get("/auth/me").bearer(&writes)).await;
        me.body["scopes"].clone()
    };
    assert_eq!(scopes().await, json!(["chat", "documents:write"]));
    let demo = token(&bench, "demo", PASSWORD).await;
    let viewer = with_method(
        Method::PATCH,
        "/api/accounts/ada",
        &json!({ "role": "viewer" }),
    );
    assert_eq!(
        bench.send(viewer.bearer(&demo)).await.status,
        StatusCode::OK
    );
    assert_eq!(scopes().await, json!(["chat"]));
    // A key is for programs: it makes no further ones, and cannot take the account over.
    let administrator = key(&bench, &demo, &["accounts:read", "accounts:write"]).await;
    let password = json!({ "password": PASSWORD, "new_password": "another horse" });
    for request in [
        post("/api/tokens", &json!({ "name": "another" })),
        with_method(Method::PUT, "/api/me/password", &password),
        with_method(Method::DELETE, "/api/sessions", &json!({})),
    ] {
        let path = request.uri().clone();
        let refused = bench.send(request.bearer(&administrator)).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}");
    }
    let change = with_method(
        Method::PATCH,
        "/api/accounts/ada",
        &json!({ "role": "editor" }),
    );
    let refused = bench.send(change.bearer(&administrator)).await;
    assert_eq!(
        refused.status,
        StatusCode::FORBIDDEN,
        "beyond the key's own scopes"
    );
}
