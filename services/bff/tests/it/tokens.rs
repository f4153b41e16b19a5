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
        bench.send(refresh("invented")).await.status,
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

/// An access token and its refresh token, of a sign-in of its own.
async fn pair(bench: &Bench) -> (String, String) {
    let tokens = bench.tokens().await;
    let text = |name: &str| tokens[name].as_str().unwrap().to_owned();
    (text("access_token"), text("refresh_token"))
}

#[tokio::test]
async fn an_access_token_ends_when_its_owner_signs_out() {
    let bench = Bench::start().await;
    let (access, _) = pair(&bench).await;
    let out = bench
        .send(post("/auth/logout", &json!({})).bearer(&access))
        .await;
    assert_eq!(out.status, StatusCode::NO_CONTENT);
    assert_eq!(
        bench.me(get("/auth/me").bearer(&access)).await,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn an_access_token_ends_with_a_new_password() {
    let bench = Bench::start().await;
    let (access, _) = pair(&bench).await;
    let secret = crate::bench::secret("another password");
    assert!(bench.admin.set_password("demo", secret).await.unwrap());
    assert_eq!(
        bench.me(get("/auth/me").bearer(&access)).await,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn access_tokens_end_when_a_refresh_token_is_used_twice_and_those_of_other_sign_ins_do_not() {
    let bench = Bench::start().await;
    let refresh = |token: &str| post("/auth/refresh", &json!({ "refresh_token": token }));
    let (first, token) = pair(&bench).await;
    let (other, _) = pair(&bench).await;
    let renewed = bench.send(refresh(&token)).await;
    let second = renewed.body["access_token"].as_str().unwrap();
    for access in [&first, second, &other] {
        assert_eq!(
            bench.me(get("/auth/me").bearer(access)).await,
            StatusCode::OK
        );
    }
    assert_eq!(
        bench.send(refresh(&token)).await.status,
        StatusCode::UNAUTHORIZED
    );
    for access in [&first, second] {
        assert_eq!(
            bench.me(get("/auth/me").bearer(access)).await,
            StatusCode::UNAUTHORIZED
        );
    }
    assert_eq!(
        bench.me(get("/auth/me").bearer(&other)).await,
        StatusCode::OK
    );
}

#[tokio::test]
async fn refresh_tokens_cannot_be_renewed_for_ever() {
    let bench = Bench::configured(|config| config.session.refresh_family_hours = 24 * 20).await;
    let refresh = |token: &str| post("/auth/refresh", &json!({ "refresh_token": token }));
    let (_, first) = pair(&bench).await;
    bench.clock.advance(TimeDelta::days(13));
    let renewed = bench.send(refresh(&first)).await;
    assert_eq!(renewed.status, StatusCode::OK);
    let second = renewed.body["refresh_token"].as_str().unwrap();
    bench.clock.advance(TimeDelta::days(6));
    let renewed = bench.send(refresh(second)).await;
    assert_eq!(renewed.status, StatusCode::OK);
    let third = renewed.body["refresh_token"].as_str().unwrap();
    bench.clock.advance(TimeDelta::days(1));
    assert_eq!(
        bench.send(refresh(third)).await.status,
        StatusCode::UNAUTHORIZED,
        "twenty days after the sign-in"
    );
}

#[tokio::test]
async fn a_refused_token_is_told_from_a_missing_one() {
    let bench = Bench::start().await;
    let challenge = async |request| {
        let answer = bench.send(request).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        answer.headers["www-authenticate"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(challenge(get("/auth/me")).await, "Bearer");
    assert_eq!(
        challenge(get("/auth/me").bearer("abc")).await,
        "Bearer error=\"invalid_token\""
    );
}
