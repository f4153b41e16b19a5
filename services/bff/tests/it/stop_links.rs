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
