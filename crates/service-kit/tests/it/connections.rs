//! Requests that never come, and bytes that are not requests.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get as on_get;
use contracts::problem::Problem;
use service_kit::client_address::ClientAddress;
use service_kit::config::HttpConfig;
use service_kit::http_client;
use service_kit::service::Service;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::ServiceExt;

use crate::support::{Running, call, get, problem, serve};

fn routes() -> Router {
    Router::new()
        .route("/", on_get(|| async { "ok" }))
        .route(
            "/bare",
            on_get(|| async {
                (StatusCode::BAD_REQUEST, [("content-type", "text/html")], "").into_response()
            }),
        )
        .route(
            "/whence",
            on_get(|ClientAddress(address): ClientAddress| async move { address.to_string() }),
        )
}

/// Closes idle connections soon. No test waits for more than that it happens.
fn impatient() -> HttpConfig {
    HttpConfig {
        idle_timeout_ms: 50,
        ..HttpConfig::on_port(0)
    }
}

async fn connected(running: &Running) -> TcpStream {
    TcpStream::connect(running.service.local_addr)
        .await
        .unwrap()
}

/// Everything that comes until the service closes.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is a close, too.
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The problem in a raw answer, having checked its head.
fn raw_problem(answer: &str, status: u16) -> Problem {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    assert!(
        head.contains("\r\ncontent-type: application/problem+json\r\n"),
        "{head}"
    );
    assert!(
        head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())),
        "{head}"
    );
    let problem: Problem = serde_json::from_str(body).unwrap();
    assert_eq!(problem.status, status);
    problem
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let running = serve("idle", impatient(), routes()).await;
    let beginnings: [&[u8]; 6] = [
        b"",
        b"GET / HT",
        b"PRI * HT",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
        b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ];
    for beginning in beginnings {
        let mut stream = connected(&running).await;
        stream.write_all(beginning).await.unwrap();
        let answer = rest(&mut stream).await;
        let answered = answer.contains("200 OK");
        assert_eq!(
            answered,
            beginning.ends_with(b"localhost\r\n\r\n"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_takes_longer_than_an_idle_connection_may_stand_is_not_cut() {
    let slow = Router::new().route(
        "/",
        on_get(|| async {
            let parts = futures::stream::unfold(0, |n| async move {
                tokio::time::sleep(Duration::from_millis(40)).await;
                (n < 5).then(|| (Ok::<_, std::convert::Infallible>(n.to_string()), n + 1))
            });
            Body::from_stream(parts)
        }),
    );
    let running = serve("slow", impatient(), slow).await;
    let answer = http_client()
        .unwrap()
        .get(running.service.base_url())
        .send()
        .await
        .unwrap();
    assert_eq!(answer.text().await.unwrap(), "01234");
}

#[tokio::test]
async fn what_is_not_http_is_refused_with_a_problem() {
    let running = serve("refusing", HttpConfig::on_port(0), routes()).await;
    let long = format!(
        "GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "x".repeat(70_000)
    );
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200));
    let cases: [(&[u8], u16, &str); 6] = [
        (b"GET /\xff\x00 HTTP/1.1\r\n\r\n", 400, "malformed_request"),
        (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
            400,
            "malformed_request",
        ),
        (
            b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
            400,
            "malformed_request",
        ),
        (
            b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n",
            400,
            "malformed_request",
        ),
        (long.as_bytes(), 414, "uri_too_long"),
        (many.as_bytes(), 431, "request_header_fields_too_large"),
    ];
    for (bytes, status, code) in cases {
        let mut stream = connected(&running).await;
        stream.write_all(bytes).await.unwrap();
        let answer = rest(&mut stream).await;
        let problem = raw_problem(&answer, status);
        assert_eq!(problem.code, code);
        let id = problem.request_id.unwrap();
        assert!(
            answer.contains(&format!("\r\nx-request-id: {id}\r\n")),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn bad_bytes_behind_good_requests_are_refused_after_their_answers() {
    let running = serve("pipelined", HttpConfig::on_port(0), routes()).await;
    let mut stream = connected(&running).await;
    let good = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream
        .write_all(format!("{good}{good}\u{1}nonsense\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let answer = rest(&mut stream).await;
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2, "{answer}");
    let problem = answer.find("HTTP/1.1 400").unwrap();
    raw_problem(&answer[problem..], 400);
}

#[tokio::test]
async fn an_answer_of_a_handler_is_never_taken_for_a_refusal() {
    let running = serve("own", HttpConfig::on_port(0), routes()).await;
    let mut stream = connected(&running).await;
    let request = "GET /bare HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("content-type: text/html"), "{answer}");
}

#[tokio::test]
async fn connections_are_bounded_by_address_and_given_back() {
    let http = HttpConfig {
        max_connections_per_address: 2,
        ..HttpConfig::on_port(0)
    };
    let running = serve("bounded", http, routes()).await;
    let held = [connected(&running).await, connected(&running).await];
    let mut third = connected(&running).await;
    let problem = raw_problem(&rest(&mut third).await, 503);
    assert_eq!(problem.code, "too_many_connections");
    drop(held);
    // The service notices the close when it does; until then there is no place.
    loop {
        let answer = http_client()
            .unwrap()
            .get(running.service.base_url())
            .send()
            .await;
        if answer.is_ok_and(|answer| answer.status() == StatusCode::OK) {
            break;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn another_name_than_the_services_is_misdirected() {
    let request = |host: &str| {
        Request::get("/")
            .header("host", host)
            .body(Body::empty())
            .unwrap()
    };
    let limits = || HttpConfig::on_port(0);
    let evil = problem(call(routes(), limits(), request("evil.example")).await).await;
    assert_eq!(
        (evil.status, evil.code.as_str()),
        (421, "misdirected_request")
    );
    assert!(evil.detail.unwrap().contains("http.allowed_hosts"));
    let own = call(routes(), limits(), request("localhost:8080")).await;
    assert_eq!(own.status(), StatusCode::OK);
    let named = HttpConfig {
        allowed_hosts: vec!["solar.example.com".to_owned()],
        ..limits()
    };
    let named = call(routes(), named, request("solar.example.com")).await;
    assert_eq!(named.status(), StatusCode::OK);
}

#[tokio::test]
async fn answers_are_not_cached_and_their_types_are_not_guessed() {
    for path in ["/", "/nowhere"] {
        let answer = call(routes(), HttpConfig::on_port(0), get(path)).await;
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    }
    let refused = call(routes(), HttpConfig::on_port(0), get("/nowhere")).await;
    assert_eq!(refused.headers()["cache-control"], "no-store");
}

#[tokio::test]
async fn a_trusted_proxy_tells_where_a_request_comes_from() {
    let whence = async |trusted: &[&str]| {
        let http = HttpConfig {
            trusted_proxies: trusted.iter().map(|one| (*one).to_owned()).collect(),
            ..HttpConfig::on_port(0)
        };
        let running = serve("whence", http, routes()).await;
        let url = format!("{}/whence", running.service.base_url());
        let request = http_client()
            .unwrap()
            .get(url)
            .header("x-forwarded-for", "198.51.100.7");
        request.send().await.unwrap().text().await.unwrap()
    };
    assert_eq!(whence(&[]).await, "127.0.0.1");
    assert_eq!(whence(&["127.0.0.0/8"]).await, "198.51.100.7");
}

fn shared() -> Router {
    let service = Service::new("shared", HttpConfig::on_port(0))
        .cross_origin(vec!["https://app.example.com".to_owned()], "x-run-id");
    service.router(routes())
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_ask_and_others_may_not() {
    let preflight = |origin: &str| {
        Request::options("/")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .body(Body::empty())
            .unwrap()
    };
    let answer = shared()
        .oneshot(preflight("https://app.example.com"))
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        header("access-control-allow-origin"),
        "https://app.example.com"
    );
    assert_eq!(header("access-control-allow-credentials"), "true");
    assert!(header("access-control-allow-headers").contains("content-type"));
    assert!(header("access-control-allow-methods").contains("PATCH"));
    let foreign = shared()
        .oneshot(preflight("https://evil.example"))
        .await
        .unwrap();
    assert_eq!(foreign.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert!(
        !foreign
            .headers()
            .contains_key("access-control-allow-origin")
    );
    // Refusals are for the page to read, too.
    let request = Request::get("/nowhere").header("origin", "https://app.example.com");
    let refused = shared()
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    assert_eq!(
        refused.headers()["access-control-allow-origin"],
        "https://app.example.com"
    );
    assert_eq!(
        refused.headers()["access-control-expose-headers"],
        "x-run-id"
    );
    assert_eq!(refused.headers()["vary"], "origin");
}
