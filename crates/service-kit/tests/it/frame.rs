//! Every refusal is a problem with ids in it.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::DefaultBodyLimit;
use axum::response::IntoResponse;
use axum::routing::{get as on_get, post};
use futures::StreamExt;
use http::StatusCode;
use service_kit::config::HttpConfig;
use service_kit::problem::ApiError;
use service_kit::service::Service;
use service_kit::web::{Json, Path, Query};
use tower::ServiceExt;

use crate::support::{call, get, post_json, problem, text};

#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Window {
    days: u32,
}

fn hasty() -> HttpConfig {
    HttpConfig {
        request_timeout_ms: 20,
        ..limits()
    }
}

fn routes() -> Router {
    Router::new()
        .route(
            "/window",
            post(|Json(window): Json<Window>| async move { Json(window) }),
        )
        .route(
            "/query",
            on_get(|Query(window): Query<Window>| async move { Json(window) }),
        )
        .route(
            "/number/{n}",
            on_get(|Path(n): Path<u32>| async move { n.to_string() }),
        )
        .route("/panic", on_get(panics))
        .route("/never", on_get(std::future::pending::<()>))
        .route("/slow", on_get(|| tokio::time::sleep(2 * SHORT)))
        .route("/stream", on_get(slow_stream))
        .route(
            "/fails",
            on_get(|| async { ApiError::internal(std::io::Error::other("password=hunter2")) }),
        )
        .route(
            "/upload",
            post(|body: Bytes| async move { body.len().to_string() })
                .layer(DefaultBodyLimit::disable()),
        )
}

async fn panics() -> StatusCode {
    panic!("secret of the house")
}

/// Takes longer than the time-out that its test sets.
async fn slow_stream() -> impl IntoResponse {
    let ticks = futures::stream::iter(0..4).then(|n| async move {
        tokio::time::sleep(SHORT).await;
        Ok::<_, std::convert::Infallible>(Bytes::from(n.to_string()))
    });
    Body::from_stream(ticks)
}

/// Time-outs that a test waits for. Which side wins never depends on it: what is cut never ends,
/// what is not ends later.
const SHORT: Duration = Duration::from_millis(20);

fn limits() -> HttpConfig {
    HttpConfig::on_port(0)
}

#[tokio::test]
async fn an_unknown_route_is_a_problem() {
    let problem = problem(call(routes(), limits(), get("/nowhere?x=1")).await).await;
    assert_eq!(
        (problem.status, problem.code.as_str()),
        (404, "route_not_found")
    );
    assert_eq!(problem.instance.as_deref(), Some("/nowhere"));
    assert_eq!(
        problem.request_id.as_deref(),
        Some("00000000-0000-0000-0000-000000000001")
    );
}

#[tokio::test]
async fn a_wrong_method_is_a_problem_that_says_which_are_right() {
    let response = call(routes(), limits(), get("/window")).await;
    assert_eq!(response.headers()["allow"], "POST");
    let problem = problem(response).await;
    assert_eq!(
        (problem.status, problem.code.as_str()),
        (405, "method_not_allowed")
    );
}

#[tokio::test]
async fn bodies_are_refused_with_a_position_or_a_pointer() {
    let refusal = async |body: &'static str| {
        problem(call(routes(), limits(), post_json("/window", body)).await).await
    };
    let malformed = refusal("{\"days\": ").await;
    assert_eq!(malformed.status, 400);
    assert!(malformed.detail.unwrap().contains("line 1 column"));
    let wrong_type = refusal(r#"{"days": "seven"}"#).await;
    assert_eq!(
        (wrong_type.status, wrong_type.errors[0].pointer.as_str()),
        (422, "/days")
    );
    let unknown = refusal(r#"{"days": 7, "dayz": 7}"#).await;
    assert_eq!(
        (unknown.status, unknown.errors[0].pointer.as_str()),
        (422, "/dayz")
    );
    let no_type = http::Request::post("/window")
        .body(Body::from("{}"))
        .unwrap();
    assert_eq!(
        problem(call(routes(), limits(), no_type).await)
            .await
            .status,
        415
    );
}

#[tokio::test]
async fn queries_and_paths_are_refused_as_problems() {
    let query = problem(call(routes(), limits(), get("/query?days=many")).await).await;
    assert_eq!(
        (query.status, query.errors[0].pointer.as_str()),
        (422, "/days")
    );
    let path = problem(call(routes(), limits(), get("/number/seven")).await).await;
    assert_eq!((path.status, path.code.as_str()), (404, "not_found"));
    assert_eq!(
        text(call(routes(), limits(), get("/query?days=7")).await).await,
        r#"{"days":7}"#
    );
}

#[tokio::test]
async fn a_body_of_ten_megabytes_is_refused_save_where_a_route_allows_it() {
    let body = vec![b' '; 10 * 1024 * 1024];
    let refused = problem(call(routes(), limits(), post_json("/window", body.clone())).await).await;
    assert_eq!(
        (refused.status, refused.code.as_str()),
        (413, "body_too_large")
    );
    let taken = call(routes(), limits(), post_json("/upload", body)).await;
    assert_eq!(text(taken).await, "10485760");
}

#[tokio::test]
async fn a_panic_is_an_internal_error_that_shows_nothing() {
    let response = call(routes(), limits(), get("/panic")).await;
    let problem = problem(response).await;
    assert_eq!((problem.status, problem.code.as_str()), (500, "internal"));
    assert!(!serde_json::to_string(&problem).unwrap().contains("secret"));
}

#[tokio::test]
async fn a_server_error_does_not_show_its_cause() {
    let body = text(call(routes(), limits(), get("/fails")).await).await;
    assert!(
        body.contains("\"status\":500") && !body.contains("hunter2"),
        "{body}"
    );
}

#[tokio::test]
async fn a_handler_that_never_answers_is_cut() {
    let response = call(routes(), hasty(), get("/never")).await;
    assert_eq!(response.headers()["retry-after"], "5");
    assert_eq!(problem(response).await.code, "timeout");
}

/// A body of which this start has arrived, and whose rest never comes.
fn unfinished(start: &'static str) -> Body {
    let sent = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from(start))]);
    Body::from_stream(sent.chain(futures::stream::pending()))
}

#[tokio::test]
async fn a_client_that_does_not_send_its_body_is_told_so_and_not_to_come_back() {
    for path in ["/window", "/upload"] {
        let response = call(routes(), hasty(), post_json(path, unfinished("{\"days\":"))).await;
        assert!(!response.headers().contains_key("retry-after"));
        assert_eq!(response.headers()["connection"], "close");
        let problem = problem(response).await;
        assert_eq!(
            (problem.status, problem.code.as_str()),
            (408, "request_timeout")
        );
    }
}

#[tokio::test]
async fn a_handler_that_is_slow_after_the_body_came_is_our_slowness() {
    let slow = post(|_body: Bytes| std::future::pending::<()>());
    let routes = Router::new().route("/", slow);
    let response = call(routes, hasty(), post_json("/", "{}")).await;
    assert_eq!(problem(response).await.status, 503);
    // It does not wait for the rest of a body that no handler reads.
    let ignorant = Router::new().route("/", post(std::future::pending::<()>));
    let response = call(ignorant, hasty(), post_json("/", unfinished("{"))).await;
    assert_eq!(problem(response).await.status, 503);
}

#[tokio::test]
async fn a_route_may_have_more_time() {
    let service = Service::new("sample", hasty()).timeout_for("/slow", Duration::from_mins(2));
    let response = service
        .router(routes())
        .oneshot(get("/slow"))
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_time_out_does_not_cut_a_streaming_body() {
    let response = call(routes(), hasty(), get("/stream")).await;
    assert_eq!(text(response).await, "0123");
}

#[tokio::test]
async fn a_proper_request_id_is_kept_and_another_replaced() {
    let with_id = |id: &str| {
        http::Request::get("/number/1")
            .header("x-request-id", id)
            .body(Body::empty())
            .unwrap()
    };
    let kept = call(routes(), limits(), with_id("caller-7")).await;
    assert_eq!(kept.headers()["x-request-id"], "caller-7");
    let replaced = call(routes(), limits(), with_id("not a good id")).await;
    assert_eq!(
        replaced.headers()["x-request-id"],
        "00000000-0000-0000-0000-000000000001"
    );
}
