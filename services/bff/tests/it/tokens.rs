//! Tokens of API clients.

use chrono::TimeDelta;
use http::StatusCode;
use serde_json::json;

use crate::bench::{Bench, With, get, post};

#[tokio::test]
async fn an_access_token_is_good_for_five_minutes() {
    let bench = Bench::start().await;
    let tokens = bench.tokens().await;
    assert_eq!(
        (&tokens["token_type"], &tokens["expires_in"]),
        (&json!("Bearer"), &json!(300))
    );
    let access = tokens["access_token"].as_str().unwrap();
    assert_eq!(
        bench.me(get("/auth/me").bearer(access)).await,
        StatusCode::OK
    );
    bench.clock.advance(TimeDelta::seconds(306));
    assert_eq!(
        bench.me(get("/auth/me").bearer(access)).await,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn tokens_of_one_replica_are_taken_by_another() {
    let mut bench = Bench::start().await;
    let tokens = bench.tokens().await;
    bench.restart().await;
    let access = tokens["access_token"].as_str().unwrap();
    assert_eq!(
        bench.me(get("/auth/me").bearer(access)).await,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_refresh_token_works_once_and_its_reuse_ends_the_family() {
    let bench = Bench::start().await;
    let refresh = |token: &str| post("/auth/refresh", &json!({ "refresh_token": token }));
    let first = bench.tokens().await["refresh_token"]
        .as_str()
        .unwrap()
        .to_owned();
    let second = bench.send(refresh(&first)).await;
    assert_eq!(second.status, StatusCode::OK);
    let second = second.body["refresh_token"].as_str().unwrap().to_owned();

    assert_eq!(
        bench.send(refresh(&first)).await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        bench.send(refresh(&second)).await.status,
        StatusCode::UNAUTHORIZED,
        "the family is ended"
    );
    assert_eq!(
        bench.send(refresh("made up")).await.status,
        StatusCode::UNAUTHORIZED
    );

    let other = bench.tokens().await["refresh_token"]
        .as_str()
        .unwrap()
        .to_owned();
    bench.clock.advance(TimeDelta::days(15));
    assert_eq!(
        bench.send(refresh(&other)).await.status,
        StatusCode::UNAUTHORIZED,
        "too old"
    );
}

#[tokio::test]
async fn signing_out_with_a_token_ends_the_refresh_tokens() {
    let bench = Bench::start().await;
    let tokens = bench.tokens().await;
    let access = tokens["access_token"].as_str().unwrap();
    let out = bench
        .send(post("/auth/logout", &json!({})).bearer(access))
        .await;
    assert_eq!(out.status, StatusCode::NO_CONTENT);
    let refresh = post(
        "/auth/refresh",
        &json!({ "refresh_token": tokens["refresh_token"] }),
    );
    assert_eq!(bench.send(refresh).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_inner_tiers_tokens_and_others_are_no_access_tokens() {
    let bench = Bench::start().await;
    for token in ["", "abc", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."] {
        assert_eq!(
            bench.me(get("/auth/me").bearer(token)).await,
            StatusCode::UNAUTHORIZED,
            "{token}"
        );
    }
    let keys = bench.send(get("/.well-known/jwks.json")).await;
    assert_eq!(keys.status, StatusCode::OK);
    let key = &keys.body["keys"][0];
    assert_eq!(
        (&key["kty"], &key["crv"], &key["alg"]),
        (&json!("OKP"), &json!("Ed25519"), &json!("EdDSA"))
    );
    assert!(key.get("d").is_none(), "the private part stays here");
}
