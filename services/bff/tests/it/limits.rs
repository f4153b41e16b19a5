//! Number of times that a user may ask.

use chrono::TimeDelta;
use http::StatusCode;
use serde_json::json;

use crate::bench::{Bench, PASSWORD, With, get, post};

#[tokio::test]
async fn a_user_who_asks_too_often_is_told_when_to_come_back() {
    let bench = Bench::configured(|config| {
        config.limits.request_burst = 2;
        config.limits.requests_per_minute = 6;
    })
    .await;
    let session = bench.session().await;
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
    let refused = bench.send(get("/auth/me").session(&session)).await;
    assert_eq!(
        (refused.status, refused.retry_after.as_deref()),
        (StatusCode::TOO_MANY_REQUESTS, Some("10"))
    );
    bench.clock.advance(TimeDelta::seconds(10));
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
}

#[tokio::test]
async fn passwords_can_not_be_guessed_quickly() {
    let bench = Bench::configured(|config| config.limits.login_burst = 3).await;
    for _ in 0..3 {
        assert_eq!(
            bench.sign_in("a guess at it").await.status,
            StatusCode::UNAUTHORIZED
        );
    }
    let refused = bench.sign_in(PASSWORD).await;
    assert_eq!(
        refused.status,
        StatusCode::TOO_MANY_REQUESTS,
        "not even the right one"
    );
    assert!(refused.retry_after.is_some());
}

#[tokio::test]
async fn the_accounts_of_a_tenant_share_its_limit_and_other_tenants_do_not_feel_it() {
    let bench = Bench::configured(|config| {
        config.limits.tenant_requests_per_minute = 6;
    })
    .await;
    let demo = bench.session().await;
    let scopes = ["chat".to_owned()];
    for (name, tenant) in [("colleague", "demo"), ("stranger", "elsewhere")] {
        let password = PASSWORD.to_owned().into();
        let created = bench.admin.create_account(name, password, tenant, &scopes);
        created.await.unwrap();
    }
    let token = async |name: &str| {
        let body = json!({ "username": name, "password": PASSWORD });
        let tokens = bench.send(post("/auth/token", &body)).await;
        tokens.body["access_token"].as_str().unwrap().to_owned()
    };
    let (colleague, stranger) = (token("colleague").await, token("stranger").await);
    for _ in 0..3 {
        for request in [
            get("/auth/me").session(&demo),
            get("/auth/me").bearer(&colleague),
        ] {
            assert_eq!(bench.me(request).await, StatusCode::OK);
        }
    }
    for request in [
        get("/auth/me").session(&demo),
        get("/auth/me").bearer(&colleague),
    ] {
        let refused = bench.send(request).await;
        assert_eq!(
            (refused.status, refused.retry_after.as_deref()),
            (StatusCode::TOO_MANY_REQUESTS, Some("10"))
        );
        let told = refused.body["detail"].as_str().unwrap();
        assert!(told.contains("accounts of your tenant"), "{told}");
    }
    let other = get("/api/me").bearer(&stranger);
    let other = bench.send(other).await;
    assert_eq!(other.status, StatusCode::OK);
    let shown = json!({ "name": "requests_per_minute", "of": "tenant", "limit": 6, "used": 1 });
    let quotas = other.body["quotas"].as_array().unwrap();
    assert!(quotas.contains(&shown), "{quotas:?}");
    bench.clock.advance(TimeDelta::seconds(10));
    let again = get("/auth/me").bearer(&colleague);
    assert_eq!(bench.me(again).await, StatusCode::OK);
}

#[tokio::test]
async fn the_own_limits_can_be_read_when_they_are_used_up() {
    let bench = Bench::configured(|config| {
        config.limits.requests_per_minute = 6;
        config.limits.request_burst = 3;
    })
    .await;
    let demo = bench.session().await;
    for _ in 0..3 {
        assert_eq!(
            bench.me(get("/auth/me").session(&demo)).await,
            StatusCode::OK
        );
    }
    let refused = bench.send(get("/auth/me").session(&demo)).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let shown = bench.send(get("/api/me").session(&demo)).await;
    assert_eq!(shown.status, StatusCode::OK, "{}", shown.body);
    let used = json!({ "name": "requests_at_once", "of": "account", "limit": 3, "used": 3 });
    let quotas = shown.body["quotas"].as_array().unwrap();
    assert!(quotas.contains(&used), "{quotas:?}");
    // Not without a limit.
    let mut answers = Vec::new();
    for _ in 0..20 {
        answers.push(bench.me(get("/api/me").session(&demo)).await);
    }
    assert_eq!(answers[10], StatusCode::OK);
    assert_eq!(answers[19], StatusCode::TOO_MANY_REQUESTS);
    // Reading them does not prolong the wait.
    bench.clock.advance(TimeDelta::seconds(10));
    assert_eq!(
        bench.me(get("/auth/me").session(&demo)).await,
        StatusCode::OK
    );
}
