//! The page of the link in a mail that stops its schedule.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use contracts::schedules::StopToken;
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::bench::{Bench, With, get};

/// The requests that an orchestrator got, which knows one link.
type Asked = Arc<Mutex<Vec<Value>>>;

async fn orchestrator() -> (String, Asked) {
    async fn answer(
        State(asked): State<Asked>,
        Json(body): Json<Value>,
    ) -> (StatusCode, Json<Value>) {
        asked.lock().unwrap().push(body.clone());
        let token: StopToken = body["token"].as_str().unwrap().parse().unwrap();
        if token.signature != "good" {
            let problem =
                json!({ "type": "x", "title": "x", "status": 422, "code": "invalid_request" });
            return (StatusCode::UNPROCESSABLE_ENTITY, Json(problem));
        }
        let status = if body["stop"] == true {
            "stopped"
        } else {
            "active"
        };
        let link = json!({ "schedule_id": "s-1", "title": "<Briefing>", "recipient": "ops@example.com", "status": status });
        (StatusCode::OK, Json(link))
    }
    let asked = Asked::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new()
        .route("/v1/schedules/stop-link", post(answer))
        .with_state(Arc::clone(&asked));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

async fn page(bench: &Bench, method: Method, path: &str) -> (StatusCode, String) {
    let request = Request::builder().method(&method).uri(path);
    let request = if method == Method::POST {
        let form = "application/x-www-form-urlencoded";
        let request = request.header("content-type", form);
        request.body(Body::from("List-Unsubscribe=One-Click"))
    } else {
        request.body(Body::empty())
    };
    let response = bench
        .router
        .clone()
        .oneshot(request.unwrap())
        .await
        .unwrap();
    let (status, kind) = (
        response.status(),
        response.headers()["content-type"].clone(),
    );
    assert_eq!(kind, "text/html; charset=utf-8", "{status} {path}");
    let policy = response.headers()["content-security-policy"]
        .to_str()
        .unwrap();
    assert!(policy.contains("form-action 'self'"), "{policy}");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_link_is_shown_and_then_stops_without_signing_in() {
    let (url, asked) = orchestrator().await;
    let bench = Bench::configured(|config| config.upstream.orchestrator_url = url).await;
    let demo = bench.tokens().await["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    let me = bench.send(get("/auth/me").bearer(&demo)).await.body;
    let owner = me["sub"].as_str().unwrap_or_else(|| panic!("{me}"));
    let token = StopToken {
        tenant: me["tenant"].as_str().unwrap().to_owned(),
        owner: owner.to_owned(),
        schedule_id: "s-1".to_owned(),
        expires_at: 1_900_000_000,
        signature: "good".to_owned(),
    };
    let path = format!("/stop/{token}");
    let (status, shown) = page(&bench, Method::GET, &path).await;
    assert_eq!(status, StatusCode::OK, "{shown}");
    assert!(shown.contains("&lt;Briefing&gt;"), "{shown}");
    assert!(shown.contains("<form method=\"post\">"), "{shown}");
    let (status, stopped) = page(&bench, Method::POST, &path).await;
    assert_eq!(status, StatusCode::OK, "{stopped}");
    assert!(
        stopped.contains("not sent to ops@example.com any more"),
        "{stopped}"
    );
    let stops: Vec<Value> = asked
        .lock()
        .unwrap()
        .iter()
        .map(|one| one["stop"].clone())
        .collect();
    assert_eq!(stops, [json!(false), json!(true)]);
    let entries: Vec<(String, Option<String>)> = sqlx::query_as(
        "SELECT tenant, object FROM bff.audit WHERE action = 'stop_schedule_by_link' AND account::text = $1",
    )
    .bind(owner)
    .fetch_all(bench.database.pool())
    .await
    .unwrap();
    assert_eq!(
        entries,
        [(
            me["tenant"].as_str().unwrap().to_owned(),
            Some("s-1".to_owned())
        )]
    );
}

#[tokio::test]
async fn a_link_that_is_not_valid_says_so() {
    let (url, _) = orchestrator().await;
    let bench = Bench::configured(|config| config.upstream.orchestrator_url = url).await;
    let forged = format!("/stop/64656d6f.{}.s-1.1900000000.forged", uuid::Uuid::nil());
    for path in ["/stop/x", "/stop/64656d6f.unknown.s-1.1.good", &forged] {
        for method in [Method::GET, Method::POST] {
            let (status, said) = page(&bench, method, path).await;
            assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
            assert!(said.contains("This link is not valid"), "{said}");
        }
    }
    // An orchestrator that is away is not a link that is wrong.
    let away = Bench::configured(|config| {
        config.upstream.orchestrator_url = "http://127.0.0.1:9".to_owned();
    })
    .await;
    let good = forged.replace("forged", "good");
    let (status, said) = page(&away, Method::POST, &good).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{said}");
}

/// A page at a link for a client of this address: the status, when to come back, and the page.
async fn from_address(
    bench: &Bench,
    method: Method,
    path: &str,
    address: &str,
) -> (StatusCode, Option<String>, String) {
    let request = Request::builder().method(method).uri(path);
    let request = request.body(Body::empty()).unwrap().from(address);
    let response = bench.router.clone().oneshot(request).await.unwrap();
    let later = response.headers().get("retry-after");
    let later = later.map(|seconds| seconds.to_str().unwrap().to_owned());
    assert_eq!(
        response.headers()["content-type"],
        "text/html; charset=utf-8"
    );
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, later, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn links_are_limited_by_address() {
    let (url, asked) = orchestrator().await;
    let bench = Bench::configured(|config| {
        config.upstream.orchestrator_url = url;
        config.limits.stop_links_per_minute_per_address = 6;
    })
    .await;
    let link = |signature: &str| {
        let owner = uuid::Uuid::from_u128(7);
        format!("/stop/64656d6f.{owner}.s-1.1900000000.{signature}")
    };
    // Whatever is sent counts: forged links, texts that are none, shown pages and stops.
    for (number, method) in [Method::GET, Method::POST]
        .iter()
        .cycle()
        .take(6)
        .enumerate()
    {
        let path = match number % 3 {
            0 => "/stop/x".to_owned(),
            1 => link(&format!("forged{number}")),
            _ => link("good"),
        };
        let (status, ..) = from_address(&bench, method.clone(), &path, "198.51.100.7").await;
        assert_ne!(status, StatusCode::TOO_MANY_REQUESTS, "{number}");
    }
    let before = asked.lock().unwrap().len();
    for method in [Method::GET, Method::POST] {
        let (status, later, said) =
            from_address(&bench, method, &link("good"), "198.51.100.7").await;
        assert_eq!(
            (status, later.as_deref()),
            (StatusCode::TOO_MANY_REQUESTS, Some("10")),
            "{said}"
        );
        assert!(said.contains("Not stopped"), "{said}");
        assert!(said.contains("Try again in 10 seconds"), "{said}");
    }
    assert_eq!(
        asked.lock().unwrap().len(),
        before,
        "the orchestrator is not asked"
    );
    let (status, ..) = from_address(&bench, Method::GET, &link("good"), "198.51.100.8").await;
    assert_eq!(status, StatusCode::OK, "another address has its own limit");
    // All addresses of an IPv6 subscriber are one.
    for number in 0..6 {
        let address = format!("2001:db8:1:2::{number}");
        from_address(&bench, Method::GET, "/stop/x", &address).await;
    }
    let (status, ..) = from_address(&bench, Method::GET, "/stop/x", "2001:db8:1:2:9::9").await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    // It has nothing to do with the limit of signing in, and comes back.
    let login = json!({ "username": "demo", "password": "wrong" });
    let answer = bench
        .send(crate::bench::post("/auth/login", &login).from("198.51.100.7"))
        .await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    bench.clock.advance(chrono::TimeDelta::seconds(10));
    let (status, ..) = from_address(&bench, Method::POST, &link("good"), "198.51.100.7").await;
    assert_eq!(status, StatusCode::OK);
}
