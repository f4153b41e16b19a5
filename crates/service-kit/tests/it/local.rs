//! A service that others of the same process call without a socket.

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::routing::{get, post};
use contracts::problem::Problem;
use futures::channel::mpsc;
use futures::{SinkExt, StreamExt, stream};
use http::{HeaderMap, StatusCode, Uri, header};
use reqwest::Url;
use service_kit::client::{HttpClient, LocalServices, SendError};
use service_kit::config::HttpConfig;

use crate::support::{Running, serve};

const SHORT: Duration = Duration::from_millis(20);

/// A service, and a client that calls it in the process while the services are kept.
struct Local {
    running: Running,
    client: HttpClient,
    services: LocalServices,
}

impl Local {
    async fn serve(routes: Router) -> Self {
        let services = LocalServices::default();
        let client = service_kit::http_client().unwrap().with_local(&services);
        let running = serve("sample", HttpConfig::on_port(0), routes).await;
        let url = Url::parse(&running.service.base_url()).unwrap();
        services.offer(&url, running.service.local());
        Self {
            running,
            client,
            services,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.running.service.base_url())
    }

    async fn get(&self, path: &str) -> Result<reqwest::Response, SendError> {
        self.client.send(self.client.get(self.url(path))).await
    }
}

/// The path, the host and the port of the caller, as a handler sees them.
async fn seen(
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> String {
    let host = headers[header::HOST].to_str().unwrap();
    format!("{uri} {host} {} {body}", peer.port())
}

#[tokio::test]
async fn a_request_arrives_as_over_a_socket_and_a_socket_is_used_when_the_services_are_dropped() {
    let local = Local::serve(Router::new().route("/inner/{name}", post(seen))).await;
    let url = local.url("/inner/a%20b?c=d");
    let address = local.running.service.local_addr;
    let ask = async |body: &'static str| {
        let request = local.client.post(&url).body(body);
        let answer = local.client.send(request).await.unwrap();
        assert!(answer.headers().contains_key("x-request-id"), "framed");
        answer.text().await.unwrap()
    };
    let expected = format!("/inner/a%20b?c=d {address} 0 body");
    assert_eq!(ask("body").await, expected);
    let Local {
        client,
        services,
        running,
    } = local;
    drop(services);
    let answer = client.send(client.post(&url).body("body")).await.unwrap();
    let text = answer.text().await.unwrap();
    assert_ne!(text, expected);
    assert!(text.starts_with("/inner/a%20b?c=d "), "{text}");
    running.shutdown.cancel();
}

#[tokio::test]
async fn refusals_and_panics_are_problems() {
    async fn panics() {
        panic!("on purpose");
    }
    let local = Local::serve(Router::new().route("/panics", get(panics))).await;
    for (path, status) in [
        ("/panics", StatusCode::INTERNAL_SERVER_ERROR),
        ("/other", StatusCode::NOT_FOUND),
    ] {
        let answer = local.get(path).await.unwrap();
        assert_eq!(answer.status(), status);
        let problem: Problem = answer.json().await.unwrap();
        assert_eq!(problem.status, status.as_u16());
    }
}

#[tokio::test]
async fn a_stream_arrives_as_it_is_written_and_ends_when_its_reader_goes_away() {
    let (mut sender, receiver) = mpsc::channel::<Bytes>(0);
    let parts = Arc::new(Mutex::new(Some(receiver)));
    let route = get(move || {
        let parts = parts.lock().unwrap().take().unwrap();
        async { Body::from_stream(parts.map(Ok::<_, Infallible>)) }
    });
    let local = Local::serve(Router::new().route("/", route)).await;
    let mut parts = local.get("/").await.unwrap().bytes_stream();
    for part in ["one", "two"] {
        let sent = sender.send(Bytes::from_static(part.as_bytes()));
        let (sent, arrived) = futures::join!(sent, parts.next());
        sent.unwrap();
        assert_eq!(arrived.unwrap().unwrap(), part);
    }
    assert!(!sender.is_closed());
    drop(parts);
    assert!(sender.is_closed());
}

#[tokio::test]
async fn the_time_out_of_a_request_holds_to_the_end_of_its_answer() {
    let endless = || async { Body::from_stream(stream::pending::<Result<Bytes, SendError>>()) };
    let routes = Router::new()
        .route("/head", get(pending::<()>))
        .route("/body", get(endless));
    let local = Local::serve(routes).await;
    let request = |path| local.client.get(local.url(path)).timeout(SHORT);
    let late = local.client.send(request("/head")).await.unwrap_err();
    assert!(late.is_timeout() && !late.is_connect(), "{late:?}");
    let answer = local.client.send(request("/body")).await.unwrap();
    let late = answer.bytes().await.unwrap_err();
    assert!(late.is_timeout(), "{late:?}");
}
