//! Signing in with a browser.

use chrono::TimeDelta;
use http::StatusCode;
use serde_json::json;

use crate::bench::{Bench, PASSWORD, With, get, post};

#[tokio::test]
async fn a_session_lives_in_an_http_only_cookie() {
    let bench = Bench::start().await;
    let answer = bench.sign_in(PASSWORD).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.body["username"], "demo");
    assert_eq!(answer.body["tenant"], "demo");
    let cookie = answer.cookie.unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/"),
        "{cookie}"
    );
    assert!(
        !cookie.contains("Secure"),
        "on loopback there is no TLS: {cookie}"
    );
    let session = cookie.split(';').next().unwrap();
    let me = bench.send(get("/auth/me").session(session)).await;
    assert_eq!(
        (me.status, &me.body["scopes"]),
        (
            StatusCode::OK,
            &json!(contracts::access::SCOPES.map(|scope| scope.name))
        )
    );
}

#[tokio::test]
async fn outside_loopback_the_cookie_is_secure_and_bound_to_the_host() {
    let bench = Bench::configured(|config| {
        config.http.allowed_hosts = vec!["solar.example.com".to_owned()];
    })
    .await;
    let body = json!({ "username": "demo", "password": PASSWORD });
    let there =
        |request: http::Request<axum::body::Body>| request.header("host", "solar.example.com");
    let answer = bench.send(there(post("/auth/login", &body))).await;
    let cookie = answer.cookie.unwrap();
    assert!(
        cookie.contains("; Secure") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let session = cookie.split(';').next().unwrap();
    assert!(
        session.starts_with("__Host-heliograph_session="),
        "{cookie}"
    );
    let me = there(get("/auth/me").session(session));
    assert_eq!(bench.me(me).await, StatusCode::OK);
    // Another host of the domain can set a cookie of the plain name.
    let planted = session.replace("__Host-", "");
    let me = there(get("/auth/me").session(&planted));
    assert_eq!(bench.me(me).await, StatusCode::UNAUTHORIZED);
    let out = bench
        .send(there(post("/auth/logout", &json!({})).session(session)))
        .await;
    let cleared = out.cookie.unwrap();
    assert!(
        cleared.starts_with("__Host-heliograph_session=;") && cleared.contains("; Secure"),
        "{cleared}"
    );
}

#[tokio::test]
async fn wrong_names_and_passwords_are_refused_alike() {
    let bench = Bench::start().await;
    let wrong = bench.sign_in("wrong password").await;
    let unknown = bench
        .send(post(
            "/auth/login",
            &json!({ "username": "nobody", "password": PASSWORD }),
        ))
        .await;
    assert_eq!(
        (wrong.status, unknown.status),
        (StatusCode::UNAUTHORIZED, StatusCode::UNAUTHORIZED)
    );
    assert_eq!(wrong.body["detail"], unknown.body["detail"]);
    assert!(wrong.cookie.is_none() && unknown.cookie.is_none());
}

#[tokio::test]
async fn a_session_ends_by_signing_out_by_age_and_by_idleness() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
    let out = bench
        .send(post("/auth/logout", &json!({})).session(&session))
        .await;
    assert_eq!(out.status, StatusCode::NO_CONTENT);
    assert!(out.cookie.unwrap().contains("Max-Age=0"));
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::UNAUTHORIZED
    );

    let idle = bench.session().await;
    bench.clock.advance(TimeDelta::hours(73));
    assert_eq!(
        bench.me(get("/auth/me").session(&idle)).await,
        StatusCode::UNAUTHORIZED
    );

    let used = bench.session().await;
    for _ in 0..6 {
        bench.clock.advance(TimeDelta::hours(48));
        assert_eq!(
            bench.me(get("/auth/me").session(&used)).await,
            StatusCode::OK
        );
    }
    bench.clock.advance(TimeDelta::hours(49));
    assert_eq!(
        bench.me(get("/auth/me").session(&used)).await,
        StatusCode::UNAUTHORIZED,
        "two weeks are over"
    );
}

#[tokio::test]
async fn pages_of_other_origins_can_not_use_the_cookie() {
    let bench = Bench::configured(|config| {
        config.session.allowed_origins = vec!["https://app.example.com".to_owned()];
    })
    .await;
    let session = bench.session().await;
    let call = || post("/api/tools/health_check", &json!({})).session(&session);
    let foreign = [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
    ];
    for (name, value) in foreign {
        let answer = bench.send(call().header(name, value)).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{name}: {value}");
    }
    // What gets past the check meets the absent tools service.
    for own in [
        "http://localhost:8080",
        "https://localhost:8080",
        "https://app.example.com",
    ] {
        let answer = bench.send(call().header("origin", own)).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{own}");
    }
    let login = json!({ "username": "demo", "password": PASSWORD });
    let answer = bench
        .send(post("/auth/login", &login).header("origin", "https://evil.example"))
        .await;
    assert_eq!(
        answer.status,
        StatusCode::FORBIDDEN,
        "no user is signed in from elsewhere"
    );
}
