//! Pages of other origins, and other names for this host.

use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::json;

use crate::bench::{Bench, PASSWORD, With, get, post};

const APP: &str = "https://app.example.com";

async fn open_to_app() -> Bench {
    Bench::configured(|config| config.session.allowed_origins = vec![APP.to_owned()]).await
}

fn preflight(path: &str, origin: &str) -> Request<Body> {
    let mut request = get(path)
        .header("origin", origin)
        .header("access-control-request-method", "POST");
    *request.method_mut() = http::Method::OPTIONS;
    request
}

#[tokio::test]
async fn a_preflight_of_an_allowed_origin_is_answered() {
    let bench = open_to_app().await;
    for path in ["/api/chat", "/auth/login", "/api/threads/t1"] {
        let answer = bench.send(preflight(path, APP)).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{path}");
        assert_eq!(answer.headers["access-control-allow-origin"], APP);
        assert_eq!(answer.headers["access-control-allow-credentials"], "true");
        let foreign = bench.send(preflight(path, "https://evil.example")).await;
        assert_eq!(foreign.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert!(!foreign.headers.contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn answers_for_an_allowed_origin_show_their_headers_also_when_they_refuse() {
    let bench = open_to_app().await;
    let answer = bench.send(get("/auth/me").header("origin", APP)).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert_eq!(answer.headers["access-control-allow-origin"], APP);
    let exposed = answer.headers["access-control-expose-headers"]
        .to_str()
        .unwrap();
    for name in [
        "x-run-id",
        "x-request-id",
        "retry-after",
        "x-vercel-ai-ui-message-stream",
    ] {
        assert!(exposed.contains(name), "{name}");
    }
    let closed = Bench::start().await;
    let answer = closed.send(get("/auth/me").header("origin", APP)).await;
    assert!(!answer.headers.contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn a_session_of_a_page_on_another_site_is_kept_apart_and_works_from_there() {
    let bench = open_to_app().await;
    let login = || {
        post(
            "/auth/login",
            &json!({ "username": "demo", "password": PASSWORD }),
        )
        .header("origin", APP)
    };
    let there = bench
        .send(login().header("sec-fetch-site", "cross-site"))
        .await;
    let cookie = there.cookie.unwrap();
    for part in [
        "__Host-heliograph_session=",
        "; HttpOnly",
        "; SameSite=None",
        "; Partitioned",
        "; Secure",
    ] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let session = cookie.split(';').next().unwrap();
    let call = |origin: &str| {
        post("/api/tools/health_check", &json!({}))
            .session(session)
            .header("origin", origin)
            .header("sec-fetch-site", "cross-site")
    };
    assert_eq!(
        bench.send(call(APP)).await.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "past the check"
    );
    assert_eq!(
        bench.send(call("https://evil.example")).await.status,
        StatusCode::FORBIDDEN
    );
    let out = post("/auth/logout", &json!({}))
        .session(session)
        .header("origin", APP);
    let cleared = bench.send(out).await.cookie.unwrap();
    assert!(
        cleared.starts_with("__Host-heliograph_session=; ") && cleared.contains("SameSite=None"),
        "{cleared}"
    );
    // On the same site the strict cookie is sent as well.
    let same_site = bench
        .send(login().header("sec-fetch-site", "same-site"))
        .await;
    assert!(same_site.cookie.unwrap().contains("SameSite=Lax"));
}

#[tokio::test]
async fn another_site_cannot_even_read_with_the_cookie() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let me = || {
        get("/auth/me")
            .session(&session)
            .header("sec-fetch-site", "cross-site")
    };
    assert_eq!(bench.me(me()).await, StatusCode::FORBIDDEN);
    assert_eq!(
        bench
            .me(me().header("origin", "https://evil.example"))
            .await,
        StatusCode::FORBIDDEN
    );
    let link = me()
        .header("sec-fetch-mode", "navigate")
        .header("sec-fetch-dest", "document");
    assert_eq!(
        bench.me(link).await,
        StatusCode::OK,
        "a person who follows a link"
    );
}

#[tokio::test]
async fn a_rebound_name_is_refused_before_anything_else() {
    let bench = Bench::start().await;
    let login = json!({ "username": "demo", "password": PASSWORD });
    let rebound = post("/auth/login", &login)
        .header("host", "evil.example:8080")
        .header("origin", "http://evil.example:8080");
    let answer = bench.send(rebound).await;
    assert_eq!(
        (answer.status, &answer.body["code"]),
        (
            StatusCode::MISDIRECTED_REQUEST,
            &json!("misdirected_request")
        )
    );
    for path in ["/", "/docs/", "/health/live", "/.well-known/jwks.json"] {
        let answer = bench.send(get(path).header("host", "evil.example")).await;
        assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST, "{path}");
    }
}

#[tokio::test]
async fn tokens_and_answers_are_not_cached() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let credentials = json!({ "username": "demo", "password": PASSWORD });
    for request in [
        post("/auth/token", &credentials),
        post("/auth/login", &credentials),
        get("/auth/me").session(&session),
        get("/auth/me"),
        get("/api/threads").session(&session),
        post("/auth/logout", &json!({})).session(&session),
    ] {
        let what = format!("{} {}", request.method(), request.uri());
        let answer = bench.send(request).await;
        assert_eq!(answer.headers["cache-control"], "no-store", "{what}");
        assert_eq!(
            answer.headers["x-content-type-options"], "nosniff",
            "{what}"
        );
    }
}

#[tokio::test]
async fn the_documentation_cannot_be_framed() {
    let bench = Bench::start().await;
    let answer = bench.send(get("/docs/")).await;
    assert_eq!(answer.status, StatusCode::OK);
    let policy = answer.headers["content-security-policy"].to_str().unwrap();
    assert!(
        policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
}
